//go:build cgo && ((linux && amd64) || haltsql_use_lib)

// Package native is HaltSQL's boundary for Go, and nothing more: texts in, texts out, over the C ABI (haltsql.h).
//
// It must never convert a text that is to be checked, let C keep a pointer to Go's memory, or hand C's memory out.
package native

/*
#include "haltsql.h"

// What a check answers, as a value. Were C to write it through a pointer, Go would look for pointers of its own behind that first: a
// tenth of what a check from Go may add (docs/adr/0022-go-verdicts-are-read-when-asked.md). For the same reason a handle is a number here.
typedef struct {
	haltsql_status status;
	haltsql_verdict verdict;
	haltsql_error problem;
} haltsql_go_answer;

static haltsql_go_answer haltsql_go_check(uintptr_t policy, const uint8_t *sql, size_t sql_len, const uint8_t *context, size_t context_len) {
	haltsql_go_answer answer = {0};
	answer.status = haltsql_check((const haltsql_policy *)policy, sql, sql_len, context, context_len, &answer.verdict, &answer.problem);
	return answer;
}

static haltsql_go_answer haltsql_go_caller_check(uintptr_t caller, const uint8_t *sql, size_t sql_len) {
	haltsql_go_answer answer = {0};
	answer.status = haltsql_caller_check((const haltsql_caller *)caller, sql, sql_len, &answer.verdict, &answer.problem);
	return answer;
}

static void haltsql_go_verdict_free(haltsql_verdict verdict) { haltsql_verdict_free(&verdict); }

#cgo noescape haltsql_go_check
#cgo nocallback haltsql_go_check
#cgo noescape haltsql_go_caller_check
#cgo nocallback haltsql_go_caller_check
#cgo noescape haltsql_go_verdict_free
#cgo nocallback haltsql_go_verdict_free
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// What this package was made for: haltsql.h is its own copy.
const (
	HeaderVersion = C.HALTSQL_VERSION
	ABIVersion    = C.HALTSQL_ABI_VERSION
)

// StatusClosed is the status of calls with a handle that was closed.
const StatusClosed = C.HALTSQL_ERROR_CLOSED

// Failure is why a call has no result.
type Failure struct {
	// Status is its number, as docs/ffi.md lists it.
	Status uint32
	// JSON is all of it. Empty for StatusClosed.
	JSON string
}

// Answer is a verdict.
type Answer struct {
	Allowed bool
	JSON    string
}

// Policy is a loaded policy: immutable, and free to be used by any number of goroutines.
type Policy struct{ handle *handle }

// Caller is a policy with a context that was read once: immutable, and free to be used by any number of goroutines.
type Caller struct{ handle *handle }

// LibraryVersion is what the library says of itself. Nothing else may be called where it is another than this package's.
func LibraryVersion() (version string, abi uint32) {
	return C.GoString(C.haltsql_version()), uint32(C.haltsql_abi_version())
}

// PostgresVersion is the version of the PostgreSQL whose parser reads the SQL.
func PostgresVersion() string { return C.GoString(C.haltsql_postgres_version()) }

// ReasonCodes is every reason code with its rule, as JSON.
func ReasonCodes() (string, *Failure) {
	return text(func(out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_reason_codes(out, problem)
	})
}

// ForAgent is the rendering of a verdict for a language model, from its JSON and the SQL that it was given for.
func ForAgent(verdict, sql string) (string, *Failure) {
	return text(func(out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_for_agent(bytes(verdict), size(verdict), bytes(sql), size(sql), out, problem)
	})
}

// Load loads a document. The format is one of HALTSQL_FORMAT_*.
func Load(document []byte, format uint32, name string) (*Policy, *Failure) {
	var pointer *C.haltsql_policy
	var problem C.haltsql_error
	data := (*C.uint8_t)(unsafe.SliceData(document))
	status := C.haltsql_policy_load(data, C.size_t(len(document)), C.uint32_t(format), bytes(name), size(name), &pointer, &problem)
	if status != C.HALTSQL_OK {
		return nil, failure(status, &problem)
	}
	policy := &Policy{&handle{pointer: unsafe.Pointer(pointer), free: freePolicy}}
	runtime.AddCleanup(policy, (*handle).close, policy.handle)
	return policy, nil
}

// Close frees the policy once no call uses it. Callers made from it live on.
func (p *Policy) Close() { p.handle.close() }

// Check is the verdict on a text for a context, which is JSON.
func (p *Policy) Check(sql, context string) (Answer, *Failure) {
	defer runtime.KeepAlive(p)
	h := p.handle
	collect()
	if !h.enter() {
		return Answer{}, &Failure{Status: StatusClosed}
	}
	defer h.leave()
	return answered(C.haltsql_go_check(number(h), bytes(sql), size(sql), bytes(context), size(context)))
}

// ForContext reads a context, which is JSON, for many checks.
func (p *Policy) ForContext(context string) (*Caller, *Failure) {
	defer runtime.KeepAlive(p)
	h := p.handle
	collect()
	if !h.enter() {
		return nil, &Failure{Status: StatusClosed}
	}
	defer h.leave()
	var pointer *C.haltsql_caller
	var problem C.haltsql_error
	status := C.haltsql_caller_new((*C.haltsql_policy)(h.pointer), bytes(context), size(context), &pointer, &problem)
	if status != C.HALTSQL_OK {
		return nil, failure(status, &problem)
	}
	caller := &Caller{&handle{pointer: unsafe.Pointer(pointer), free: freeCaller}}
	runtime.AddCleanup(caller, (*handle).close, caller.handle)
	return caller, nil
}

// Name is the policy's name.
func (p *Policy) Name() (string, *Failure) {
	return p.text(func(policy *C.haltsql_policy, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_policy_name(policy, out, problem)
	})
}

// Version is the policy's digest.
func (p *Policy) Version() (string, *Failure) {
	return p.text(func(policy *C.haltsql_policy, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_policy_version(policy, out, problem)
	})
}

// Mode is the policy's mode.
func (p *Policy) Mode() (string, *Failure) {
	return p.text(func(policy *C.haltsql_policy, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_policy_mode(policy, out, problem)
	})
}

// SearchPathValue is the value for set_config.
func (p *Policy) SearchPathValue() (string, *Failure) {
	return p.text(func(policy *C.haltsql_policy, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_search_path_value(policy, out, problem)
	})
}

// DescribeText is what may be asked, for a prompt.
func (p *Policy) DescribeText() (string, *Failure) {
	return p.text(func(policy *C.haltsql_policy, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_describe_text(policy, out, problem)
	})
}

// DescribeJSON is what may be asked, as JSON.
func (p *Policy) DescribeJSON() (string, *Failure) {
	return p.text(func(policy *C.haltsql_policy, out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return C.haltsql_describe_json(policy, out, problem)
	})
}

// Close frees the caller once no call uses it.
func (c *Caller) Close() { c.handle.close() }

// Check is the verdict on a text.
func (c *Caller) Check(sql string) (Answer, *Failure) {
	defer runtime.KeepAlive(c)
	h := c.handle
	collect()
	if !h.enter() {
		return Answer{}, &Failure{Status: StatusClosed}
	}
	defer h.leave()
	return answered(C.haltsql_go_caller_check(number(h), bytes(sql), size(sql)))
}

// number is a handle's pointer, for a call.
func number(h *handle) C.uintptr_t { return C.uintptr_t(uintptr(h.pointer)) }

// answered takes what a check answered, and frees it.
func answered(answer C.haltsql_go_answer) (Answer, *Failure) {
	if answer.status != C.HALTSQL_OK {
		return Answer{}, failureOf(answer.status, answer.problem)
	}
	json := copied(&answer.verdict.json)
	C.haltsql_go_verdict_free(answer.verdict)
	return Answer{bool(answer.verdict.allowed), json}, nil
}

// text is one text about a policy.
func (p *Policy) text(of func(*C.haltsql_policy, *C.haltsql_buffer, *C.haltsql_error) C.haltsql_status) (string, *Failure) {
	defer runtime.KeepAlive(p)
	h := p.handle
	collect()
	if !h.enter() {
		return "", &Failure{Status: StatusClosed}
	}
	defer h.leave()
	return text(func(out *C.haltsql_buffer, problem *C.haltsql_error) C.haltsql_status {
		return of((*C.haltsql_policy)(h.pointer), out, problem)
	})
}

// text is what a call wrote, whose memory is C's until then.
func text(call func(*C.haltsql_buffer, *C.haltsql_error) C.haltsql_status) (string, *Failure) {
	var out C.haltsql_buffer
	var problem C.haltsql_error
	if status := call(&out, &problem); status != C.HALTSQL_OK {
		return "", failure(status, &problem)
	}
	defer C.haltsql_buffer_free(&out)
	return copied(&out), nil
}

// failure takes what went wrong, and frees it.
func failure(status C.haltsql_status, problem *C.haltsql_error) *Failure {
	defer C.haltsql_error_free(problem)
	return &Failure{uint32(status), copied(&problem.json)}
}

// failureOf is failure for a caller whose own struct stays on its stack.
func failureOf(status C.haltsql_status, problem C.haltsql_error) *Failure {
	return failure(status, &problem)
}

// bytes are a string's own, lent to C for a call: they may be anything, NUL and nothing included.
func bytes(text string) *C.uint8_t { return (*C.uint8_t)(unsafe.StringData(text)) }

func size(text string) C.size_t { return C.size_t(len(text)) }

// copied is a buffer's content in Go's own memory.
func copied(buffer *C.haltsql_buffer) string {
	return string(unsafe.Slice((*byte)(buffer.data), int(buffer.len)))
}

func freePolicy(pointer unsafe.Pointer) {
	policy := (*C.haltsql_policy)(pointer)
	C.haltsql_policy_free(&policy)
}

func freeCaller(pointer unsafe.Pointer) {
	caller := (*C.haltsql_caller)(pointer)
	C.haltsql_caller_free(&caller)
}
