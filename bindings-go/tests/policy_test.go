package tests

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	haltsql "github.com/haltsql/haltsql-go"
)

const yaml = `apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: p }
spec:
  search_path: [app]
  tables:
    app.t: { columns: [a, { name: b, description: the b }] }
`

const inJSON = `{"kind": "Policy", "apiVersion": "haltsql.dev/v1", "metadata": {"name": "p"},
 "spec": {"tables": {"app.t": {"columns": [{"name": "b"}, "a"]}}, "search_path": ["app"]}}`

func load(t testing.TB, document string, options *haltsql.LoadOptions) *haltsql.Policy {
	t.Helper()
	policy, err := haltsql.LoadPolicy([]byte(document), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { policy.Close() })
	return policy
}

func TestTheSamePolicyHoweverItIsLoaded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.json")
	if err := os.WriteFile(file, []byte(inJSON), 0o600); err != nil {
		t.Fatal(err)
	}
	fromFile, err := haltsql.LoadPolicyFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []*haltsql.Policy{
		fromFile,
		load(t, yaml, nil),
		load(t, yaml, &haltsql.LoadOptions{}),
		load(t, yaml, &haltsql.LoadOptions{Format: haltsql.FormatYAML, Name: "p.json"}),
		load(t, inJSON, nil),
		load(t, inJSON, &haltsql.LoadOptions{Format: haltsql.FormatJSON, Name: "p.yaml"}),
	} {
		if policy.Version() != fromFile.Version() || !strings.HasPrefix(policy.Version(), "sha256:") {
			t.Errorf("%s", policy)
		}
		if policy.Name() != "p" || policy.Mode() != haltsql.ModeEnforce || policy.SearchPathValue() != `"app", pg_temp` {
			t.Errorf("%s %s", policy, policy.SearchPathValue())
		}
		if verdict, err := policy.Check("SELECT a FROM t", nil); err != nil || !verdict.Allowed() {
			t.Errorf("%s %v", verdict.JSON(), err)
		}
	}
}

func TestADocumentIsNotKept(t *testing.T) {
	document := []byte(yaml)
	policy, err := haltsql.LoadPolicy(document, nil)
	if err != nil {
		t.Fatal(err)
	}
	clear(document)
	if text, err := policy.Describe(); err != nil || !strings.Contains(text, "the b") {
		t.Errorf("%q %v", text, err)
	}
}

func TestWhatMayBeAsked(t *testing.T) {
	policy := shop(t)
	text, err := policy.Describe()
	if err != nil || !strings.Contains(text, "app.customers") || strings.Contains(text, "ssn") {
		t.Errorf("%q %v", text, err)
	}
	spelt, err := policy.DescribeJSON()
	if err != nil || !json.Valid([]byte(spelt)) || !strings.Contains(spelt, "app.customers") {
		t.Errorf("%q %v", spelt, err)
	}
}

func TestEveryProblemHasItsPlace(t *testing.T) {
	document := strings.NewReplacer("search_path", "serch_path", "[a,", "[A,").Replace(yaml)
	_, err := haltsql.LoadPolicy([]byte(document), &haltsql.LoadOptions{Name: "some/p.yaml"})
	problem := expect(t, err, haltsql.ErrPolicy)
	if len(problem.Problems) != 2 || problem.Unlisted != 0 {
		t.Fatalf("%+v", problem)
	}
	first := haltsql.Problem{
		Line: 5, Column: 3, Offset: strings.Index(document, "serch_path"), Path: "spec.serch_path",
		Message: problem.Problems[0].Message, Help: "did you mean `search_path`?", Snippet: "  serch_path: [app]",
	}
	if problem.Problems[0] != first || first.Message == "" || problem.Problems[1].Path != `spec.tables["app.t"].columns[0]` {
		t.Errorf("%+v", problem.Problems)
	}
	for _, part := range []string{"haltsql: ", "some/p.yaml", "line 5, column 3", "line 7"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
}

func TestABadDocumentIsAnError(t *testing.T) {
	for _, document := range []string{"", "a: b", "[]", "{", "\xff", "a: &x 1", "\x00"} {
		policy, err := haltsql.LoadPolicy([]byte(document), nil)
		if problem := expect(t, err, haltsql.ErrPolicy); len(problem.Problems) == 0 || policy != nil {
			t.Errorf("%q: %+v", document, problem)
		}
	}
	_, err := haltsql.LoadPolicy([]byte(yaml), &haltsql.LoadOptions{Format: 3})
	expect(t, err, haltsql.ErrArgument)
	_, err = haltsql.LoadPolicyFile(filepath.Join(t.TempDir(), "none.yaml"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestWithoutAPolicyThereIsAnError(t *testing.T) {
	for _, policy := range []*haltsql.Policy{nil, {}} {
		verdict, err := policy.Check(allowed, acme)
		if expect(t, err, haltsql.ErrArgument); verdict.Allowed() {
			t.Error("allowed without a policy")
		}
		_, err = policy.ForContext(acme)
		expect(t, err, haltsql.ErrArgument)
		_, err = policy.CheckMany([]string{allowed}, acme, nil)
		expect(t, err, haltsql.ErrArgument)
		_, err = policy.Describe()
		expect(t, err, haltsql.ErrArgument)
		if err := policy.Close(); err != nil || policy.String() != "haltsql.Policy{}" {
			t.Error(err, policy)
		}
	}
	for _, caller := range []*haltsql.Caller{nil, {}} {
		_, err := caller.Check(allowed)
		expect(t, err, haltsql.ErrArgument)
		_, err = caller.CheckMany([]string{allowed}, nil)
		expect(t, err, haltsql.ErrArgument)
		if err := caller.Close(); err != nil || caller.String() != "haltsql.Caller{}" {
			t.Error(err, caller)
		}
	}
}

func TestACallerReadsItsContextOnce(t *testing.T) {
	policy := shop(t)
	context := haltsql.Context{"tenant_id": "acme"}
	caller, err := policy.ForContext(context)
	if err != nil {
		t.Fatal(err)
	}
	context["tenant_id"] = "initech"
	verdict, err := caller.Check(allowed)
	if err != nil || !verdict.Equal(check(t, policy, allowed)) || caller.Policy() != policy {
		t.Errorf("%s %v", verdict.JSON(), err)
	}
	if strings.Contains(caller.String(), "acme") || !strings.Contains(caller.String(), `"bound"`) {
		t.Error(caller)
	}
}

func TestManyTextsInTheirOrder(t *testing.T) {
	policy := shop(t)
	var texts []string
	var expected []haltsql.Verdict
	for _, text := range []string{allowed, denied, "", "SELECT"} {
		texts = append(texts, text)
		expected = append(expected, check(t, policy, text))
	}
	for range 8 {
		texts, expected = append(texts, texts...), append(expected, expected...)
	}
	for _, options := range []*haltsql.ManyOptions{nil, {}, {Parallel: 1}, {Parallel: 3}, {Parallel: 10_000}} {
		verdicts, err := policy.CheckMany(texts, acme, options)
		if err != nil || len(verdicts) != len(texts) {
			t.Fatal(len(verdicts), err)
		}
		for at := range verdicts {
			if !verdicts[at].Equal(expected[at]) {
				t.Fatalf("%d: %s", at, verdicts[at].JSON())
			}
		}
		if text, err := verdicts[1].ForAgent(); err != nil || text == "" {
			t.Error(text, err)
		}
	}
	none, err := policy.CheckMany(nil, acme, nil)
	if err != nil || !reflect.DeepEqual(none, []haltsql.Verdict{}) {
		t.Error(none, err)
	}
	_, err = policy.CheckMany(texts, acme, &haltsql.ManyOptions{Parallel: -1})
	expect(t, err, haltsql.ErrArgument)
	_, err = policy.CheckMany(texts, haltsql.Context{"a": 'a' + 1i}, nil)
	expect(t, err, haltsql.ErrContext)
}
