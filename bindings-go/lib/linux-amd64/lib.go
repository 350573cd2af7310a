// Package lib is HaltSQL's library for Linux on x86-64 with glibc, and nothing else: an archive that programs are linked with.
// Import github.com/haltsql/haltsql-go, which brings it.
//
// The archive, libhaltsql.a, is no source: scripts/bindings/go-build puts it here. In it the names of haltsql.h are global and
// all others local, so that a program may have another libpg_query, or another Rust library, beside it.
package lib

// #cgo LDFLAGS: ${SRCDIR}/libhaltsql.a -lgcc_s -lm -lpthread -ldl
import "C"
