//go:build cgo

package native

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// closed stands beside the number of calls under way.
const closed int64 = 1 << 62

// handle is a pointer of C's that is freed once: when it is closed, or, where calls use it then, by the last of them.
type handle struct {
	pointer unsafe.Pointer
	free    func(unsafe.Pointer)
	users   atomic.Int64
	once    sync.Once
}

// enter announces a call; where it returns true, the pointer lives until leave.
func (h *handle) enter() bool {
	if h.users.Add(1)&closed != 0 {
		h.leave()
		return false
	}
	return true
}

// leave ends a call.
func (h *handle) leave() {
	if h.users.Add(-1) == closed {
		h.release()
	}
}

// close lets no further call in. Closing again is harmless.
func (h *handle) close() {
	if h.users.Or(closed) == 0 {
		h.release()
	}
}

func (h *handle) release() {
	h.once.Do(func() { h.free(h.pointer) })
}
