//go:build cgo && !haltsql_use_lib

package native

// The library itself, as a module of its own: who builds for another platform doesn't download it.
import _ "github.com/haltsql/haltsql-go/lib/linux-amd64"
