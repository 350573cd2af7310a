// Package build tests what takes a compiler or a linker: what ships, programs with other libraries in them, documents, form.
package build

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	haltsql "github.com/haltsql/haltsql-go"
)

// root is the checkout.
var root = func() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "..")
}()

// policyFile is the policy of most tests: the shop of the conformance corpus.
var policyFile = filepath.Join(root, "conformance", "policies", "bound.yaml")

// kinds are all of them: errors_test.go beside this folder compares them with docs/ffi.md.
var kinds = []haltsql.ErrorCode{
	haltsql.ErrInternal, haltsql.ErrArgument, haltsql.ErrPolicy, haltsql.ErrContext,
	haltsql.ErrVerdict, haltsql.ErrClosed, haltsql.ErrVersion, haltsql.ErrEncoding,
	haltsql.ErrSeal,
}

func read(t testing.TB, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
