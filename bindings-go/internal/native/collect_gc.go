//go:build haltsql_gc

package native

import "runtime"

// collect runs the garbage collector and waits for what it set free, in every call that goes to C: what a call needs and doesn't
// keep alive is gone by then, and the call fails.
func collect() {
	for range 2 {
		ran := make(chan struct{})
		runtime.AddCleanup(new([16]byte), func(done chan struct{}) { close(done) }, ran)
		runtime.GC()
		<-ran
	}
	// And once more while C is at work.
	go runtime.GC()
}
