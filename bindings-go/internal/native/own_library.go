//go:build cgo && haltsql_use_lib

package native

// Whoever built libhaltsql says where it is: CGO_LDFLAGS=-L/where/it/is.

// #cgo LDFLAGS: -lhaltsql -lm
// #cgo linux LDFLAGS: -lgcc_s -lpthread -ldl
import "C"
