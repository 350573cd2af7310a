//go:build !cgo

package native

// The compiler's message is the sentence that a person reads who builds without cgo.
var _ = haltsql_needs_cgo__install_a_C_compiler_and_set_CGO_ENABLED_to_1
