//go:build cgo && ((linux && amd64) || haltsql_use_lib)

package native

// #include "haltsql.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// Guard is a policy with the options and keys of one guard: immutable, and free to be used by any number of goroutines.
type Guard struct{ handle *handle }

// Session is what one transaction of a guard sends besides its statements. Immutable.
type Session struct{ handle *handle }

// Statement is a verified text: what to send for it, and the receipt of its run. Immutable.
type Statement struct{ handle *handle }

// PinKeyPlace is where the key of signed pins is, as JSON.
func (p *Policy) PinKeyPlace() (string, *Failure) {
	return p.text(func(policy *C.haltsql_policy, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_policy_pin_key_place(policy, out, problem)
	})
}

// Guard makes a guard. The options are JSON; an empty key is none.
func (p *Policy) Guard(options, pinKey, receiptKey string) (*Guard, *Failure) {
	made, failure := opened(p, p.handle, freeGuard, func(policy unsafe.Pointer, problem *C.haltsql_error) (unsafe.Pointer, C.haltsql_status) {
		var guard *C.haltsql_guard
		status := C.haltsql_guard_new((*C.haltsql_policy)(policy), bytes(options), size(options), bytes(pinKey), size(pinKey),
			bytes(receiptKey), size(receiptKey), &guard, problem)
		return unsafe.Pointer(guard), status
	})
	if failure != nil {
		return nil, failure
	}
	guard := &Guard{made}
	runtime.AddCleanup(guard, (*handle).close, made)
	return guard, nil
}

// Redact is what of a database error may go on, JSON to JSON.
func (g *Guard) Redact(problem string) (string, *Failure) {
	return told(g, g.handle, func(guard unsafe.Pointer, out *C.haltsql_buffer, failed *C.haltsql_error) C.haltsql_status {
		return C.haltsql_guard_redact((*C.haltsql_guard)(guard), bytes(problem), size(problem), out, failed)
	})
}

// Session opens a transaction. Context and options are JSON.
func (g *Guard) Session(context, options string) (*Session, *Failure) {
	made, failure := opened(g, g.handle, freeSession, func(guard unsafe.Pointer, problem *C.haltsql_error) (unsafe.Pointer, C.haltsql_status) {
		var session *C.haltsql_session
		status := C.haltsql_session_new((*C.haltsql_guard)(guard), bytes(context), size(context), bytes(options), size(options), &session, problem)
		return unsafe.Pointer(session), status
	})
	if failure != nil {
		return nil, failure
	}
	session := &Session{made}
	runtime.AddCleanup(session, (*handle).close, made)
	return session, nil
}

// Statement verifies a text for its caller's own transaction. Context and options are JSON.
func (g *Guard) Statement(context, options, sql string) (*Statement, *Failure) {
	return verified(g, g.handle, func(guard unsafe.Pointer, statement **C.haltsql_statement, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_guard_statement((*C.haltsql_guard)(guard), bytes(context), size(context), bytes(options), size(options),
			bytes(sql), size(sql), statement, problem)
	})
}

// Steps is what the transaction sends, as JSON.
func (s *Session) Steps() (string, *Failure) {
	return told(s, s.handle, func(session unsafe.Pointer, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_session_steps((*C.haltsql_session)(session), out, problem)
	})
}

// Pin is the pin, JSON to JSON.
func (s *Session) Pin(values string) (string, *Failure) {
	return told(s, s.handle, func(session unsafe.Pointer, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_session_pin((*C.haltsql_session)(session), bytes(values), size(values), out, problem)
	})
}

// ReadPin reads the pin's row, JSON to JSON.
func (s *Session) ReadPin(row string) (string, *Failure) {
	return told(s, s.handle, func(session unsafe.Pointer, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_session_read_pin((*C.haltsql_session)(session), bytes(row), size(row), out, problem)
	})
}

// SealCheck is what a new connection is asked, as JSON.
func (s *Session) SealCheck() (string, *Failure) {
	return told(s, s.handle, func(session unsafe.Pointer, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_session_seal_check((*C.haltsql_session)(session), out, problem)
	})
}

// ReadSeal reads the rows of the seal check, which are JSON.
func (s *Session) ReadSeal(rows string) *Failure {
	defer runtime.KeepAlive(s)
	h := s.handle
	collect()
	if !h.enter() {
		return &Failure{Status: StatusClosed}
	}
	defer h.leave()
	var problem C.haltsql_error
	if status := C.haltsql_session_read_seal((*C.haltsql_session)(h.pointer), bytes(rows), size(rows), &problem); status != C.HALTSQL_OK {
		return failure(status, &problem)
	}
	return nil
}

// Statement verifies a text of the transaction.
func (s *Session) Statement(sql string) (*Statement, *Failure) {
	return verified(s, s.handle, func(session unsafe.Pointer, statement **C.haltsql_statement, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_session_statement((*C.haltsql_session)(session), bytes(sql), size(sql), statement, problem)
	})
}

// Verdict is the statement's verdict.
func (s *Statement) Verdict() (Answer, *Failure) {
	defer runtime.KeepAlive(s)
	h := s.handle
	collect()
	if !h.enter() {
		return Answer{}, &Failure{Status: StatusClosed}
	}
	defer h.leave()
	var verdict C.haltsql_verdict
	var problem C.haltsql_error
	if status := C.haltsql_statement_verdict((*C.haltsql_statement)(h.pointer), &verdict, &problem); status != C.HALTSQL_OK {
		return Answer{}, failure(status, &problem)
	}
	defer C.haltsql_verdict_free(&verdict)
	return Answer{bool(verdict.allowed), copied(&verdict.json)}, nil
}

// Run is what to send, as JSON: null where nothing may be.
func (s *Statement) Run() (string, *Failure) {
	return told(s, s.handle, func(statement unsafe.Pointer, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_statement_run((*C.haltsql_statement)(statement), false, out, problem)
	})
}

// Receipt is the receipt of a run, JSON to JSON.
func (s *Statement) Receipt(execution string) (string, *Failure) {
	return told(s, s.handle, func(statement unsafe.Pointer, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_statement_receipt((*C.haltsql_statement)(statement), bytes(execution), size(execution), out, problem)
	})
}

// told is a text that a handle gives. The owner lives until then.
func told(owner any, h *handle, call func(unsafe.Pointer, *C.haltsql_buffer, *C.haltsql_error) C.haltsql_status) (string, *Failure) {
	defer runtime.KeepAlive(owner)
	collect()
	if !h.enter() {
		return "", &Failure{Status: StatusClosed}
	}
	defer h.leave()
	return text(func(out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return call(h.pointer, out, problem)
	})
}

// opened is a handle that another gives.
func opened(owner any, h *handle, free func(unsafe.Pointer), call func(unsafe.Pointer, *C.haltsql_error) (unsafe.Pointer, C.haltsql_status)) (*handle, *Failure) {
	defer runtime.KeepAlive(owner)
	collect()
	if !h.enter() {
		return nil, &Failure{Status: StatusClosed}
	}
	defer h.leave()
	var problem C.haltsql_error
	pointer, status := call(h.pointer, &problem)
	if status != C.HALTSQL_OK {
		return nil, failure(status, &problem)
	}
	return &handle{pointer: pointer, free: free}, nil
}

func verified(owner any, h *handle, call func(unsafe.Pointer, **C.haltsql_statement, *C.haltsql_error) C.haltsql_status) (*Statement, *Failure) {
	made, failure := opened(owner, h, freeStatement, func(from unsafe.Pointer, problem *C.haltsql_error) (unsafe.Pointer, C.haltsql_status) {
		var statement *C.haltsql_statement
		status := call(from, &statement, problem)
		return unsafe.Pointer(statement), status
	})
	if failure != nil {
		return nil, failure
	}
	statement := &Statement{made}
	runtime.AddCleanup(statement, (*handle).close, made)
	return statement, nil
}

func freeGuard(pointer unsafe.Pointer) {
	guard := (*C.haltsql_guard)(pointer)
	C.haltsql_guard_free(&guard)
}

func freeSession(pointer unsafe.Pointer) {
	session := (*C.haltsql_session)(pointer)
	C.haltsql_session_free(&session)
}

func freeStatement(pointer unsafe.Pointer) {
	statement := (*C.haltsql_statement)(pointer)
	C.haltsql_statement_free(&statement)
}
