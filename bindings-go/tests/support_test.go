package tests

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	haltsql "github.com/haltsql/haltsql-go"
)

const (
	allowed = "SELECT name FROM app.customers WHERE tenant_id = $1"
	denied  = "SELECT name FROM app.customers"
)

var acme = haltsql.Context{"tenant_id": "acme"}

// root is the checkout.
var root = func() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..")
}()

// policyFile is the policy of most tests: the shop of the conformance corpus.
var policyFile = filepath.Join(root, "conformance", "policies", "bound.yaml")

func shop(t testing.TB) *haltsql.Policy {
	t.Helper()
	policy, err := haltsql.LoadPolicyFile(policyFile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { policy.Close() })
	return policy
}

func check(t testing.TB, policy *haltsql.Policy, sql string) haltsql.Verdict {
	t.Helper()
	verdict, err := policy.Check(sql, acme)
	if err != nil {
		t.Fatalf("%q: %v", sql, err)
	}
	return verdict
}

// expect fails unless err is of this kind, both for errors.Is and for errors.As.
func expect(t testing.TB, err error, code haltsql.ErrorCode) *haltsql.Error {
	t.Helper()
	var whole *haltsql.Error
	if !errors.Is(err, code) || !errors.As(err, &whole) || whole.Code != code || whole.Message == "" {
		t.Fatalf("expected error %s, and there is %v", code.Name(), err)
	}
	return whole
}

func read(t testing.TB, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// said is all that a verdict says, by the name of what was asked, but for its JSON and what is shown of it.
func said(verdict haltsql.Verdict) map[string]any {
	all, value := map[string]any{}, reflect.ValueOf(verdict)
	for at := range value.NumMethod() {
		method, name := value.Method(at), value.Type().Method(at).Name
		if kind := method.Type(); kind.NumIn() > 0 || kind.NumOut() != 1 || slices.Contains([]string{"JSON", "String", "GoString", "LogValue"}, name) {
			continue
		}
		all[name] = method.Call(nil)[0].Interface()
	}
	return all
}

// otherwise is the same verdict, spelt as the library does not: it takes the other way of reading.
func otherwise(t testing.TB, verdict haltsql.Verdict) haltsql.Verdict {
	t.Helper()
	other, err := haltsql.ParseVerdict(strings.TrimSuffix(verdict.JSON(), "}")+" }", "")
	if err != nil {
		t.Fatal(err)
	}
	return other
}
