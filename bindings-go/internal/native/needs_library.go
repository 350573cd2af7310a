//go:build cgo && !(linux && amd64) && !haltsql_use_lib

package native

// The compiler's message is the sentence that a person reads who builds for another platform.
var _ = haltsql_ships_for_linux_amd64_alone__elsewhere_build_libhaltsql_and_use_the_tag_haltsql_use_lib
