package tests

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	haltsql "github.com/haltsql/haltsql-go"
)

var kinds = []haltsql.ErrorCode{
	haltsql.ErrInternal, haltsql.ErrArgument, haltsql.ErrPolicy, haltsql.ErrContext,
	haltsql.ErrVerdict, haltsql.ErrClosed, haltsql.ErrVersion, haltsql.ErrEncoding,
	haltsql.ErrSeal,
}

func TestNumbersAndNamesAreThoseOfEveryLanguage(t *testing.T) {
	table := regexp.MustCompile(`(?m)^\| (\d+) \| (\w+) \|`).FindAllStringSubmatch(read(t, root, "docs", "ffi.md"), -1)
	if len(table) != len(kinds) {
		t.Fatalf("docs/ffi.md has %d kinds, and there are %d here", len(table), len(kinds))
	}
	for at, row := range table {
		if strconv.Itoa(int(kinds[at])) != row[1] || kinds[at].Name() != row[2] {
			t.Errorf("%d %s is %s %s in docs/ffi.md", kinds[at], kinds[at].Name(), row[1], row[2])
		}
	}
	if unknown := haltsql.ErrorCode(99); unknown.Name() != "99" || unknown.Error() != "haltsql: error 99" || haltsql.ErrorCode(0).Name() != "0" {
		t.Error(unknown)
	}
}

func TestAnErrorIsFoundInAnother(t *testing.T) {
	_, err := shop(t).CheckJSON(allowed, "[")
	wrapped := fmt.Errorf("while asking: %w", err)
	expect(t, wrapped, haltsql.ErrContext)
	var code haltsql.ErrorCode
	if !errors.As(wrapped, &code) || code != haltsql.ErrContext {
		t.Error(code)
	}
	for _, kind := range kinds {
		if errors.Is(wrapped, kind) != (kind == haltsql.ErrContext) {
			t.Errorf("%v is %v", wrapped, kind)
		}
	}
}

func TestTheReasonCodesAreThoseOfTheCore(t *testing.T) {
	fresh, err := exec.Command("go", "run", "./codes").Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(fresh) != read(t, root, "bindings-go", "codes.go") {
		t.Error("run: cd bindings-go/tests && go run ./codes >../codes.go")
	}
}

func TestCopiesAreFresh(t *testing.T) {
	if read(t, root, "ffi-c", "include", "haltsql.h") != read(t, root, "bindings-go", "internal", "native", "haltsql.h") {
		t.Error("run: cp ffi-c/include/haltsql.h bindings-go/internal/native/")
	}
	version := regexp.MustCompile(`(?m)^version = "(.*)"`).FindStringSubmatch(read(t, root, "Cargo.toml"))[1]
	if version != haltsql.Version {
		t.Errorf("Version is %s, and the workspace's %s", haltsql.Version, version)
	}
	needed := "haltsql-go/lib/linux-amd64 v" + version + "\n"
	if !regexp.MustCompile(regexp.QuoteMeta(needed)).MatchString(read(t, filepath.Join(root, "bindings-go", "go.mod"))) {
		t.Errorf("go.mod does not require %s", needed)
	}
	if !regexp.MustCompile(`^18\.\d+$`).MatchString(haltsql.PostgresVersion()) {
		t.Error(haltsql.PostgresVersion())
	}
}
