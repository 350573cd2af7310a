package tests

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	haltsql "github.com/haltsql/haltsql-go"
)

// large costs some milliseconds, so that others get the time to come in between.
var large = func() string {
	var terms []string
	for n := range 500 {
		terms = append(terms, fmt.Sprintf("id = %d", n))
	}
	return allowed + " AND (" + strings.Join(terms, " OR ") + ")"
}()

func TestGoroutinesShareAPolicyACallerAndAVerdict(t *testing.T) {
	policy := shop(t)
	caller, err := policy.ForContext(acme)
	if err != nil {
		t.Fatal(err)
	}
	// Flat ones, and such as nest so deeply that the library checks them on a thread of their own.
	texts := []string{allowed, denied, large, "SELECT", "", "SELECT " + strings.Repeat("1+", 400) + "1", "SELECT " + strings.Repeat("(", 900) + "1" + strings.Repeat(")", 900)}
	expected, err := caller.CheckMany(texts, nil)
	if err != nil {
		t.Fatal(err)
	}
	rendering, err := expected[1].ForAgent()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 10 {
				for at, text := range texts {
					if verdict, err := caller.Check(text); err != nil || !verdict.Equal(expected[at]) {
						t.Errorf("%.30q: %s %v", text, verdict.JSON(), err)
					}
					if verdict, err := policy.Check(text, acme); err != nil || !verdict.Equal(expected[at]) {
						t.Errorf("%.30q: %s %v", text, verdict.JSON(), err)
					}
				}
				if text, err := expected[1].ForAgent(); err != nil || text != rendering {
					t.Error(text, err)
				}
				// What it says is everyone's own: -race would notice that it is not.
				reasons := expected[1].Reasons()
				if reasons[0].Code != haltsql.ReasonTenantMissing {
					t.Errorf("%+v", reasons)
				}
				reasons[0].Code = ""
			}
		})
	}
	all.Wait()
}

func TestClosingTwiceIsHarmlessAndUseAfterwardsAnError(t *testing.T) {
	policy := shop(t)
	caller, err := policy.ForContext(acme)
	if err != nil {
		t.Fatal(err)
	}
	verdict := check(t, policy, denied)
	for range 3 {
		if err := policy.Close(); err != nil {
			t.Fatal(err)
		}
	}
	uses := map[string]func() error{
		"Check":          func() error { _, err := policy.Check(allowed, acme); return err },
		"CheckJSON":      func() error { _, err := policy.CheckJSON(allowed, "{}"); return err },
		"CheckMany":      func() error { _, err := policy.CheckMany([]string{allowed}, acme, nil); return err },
		"ForContext":     func() error { _, err := policy.ForContext(acme); return err },
		"ForContextJSON": func() error { _, err := policy.ForContextJSON("{}"); return err },
		"Describe":       func() error { _, err := policy.Describe(); return err },
		"DescribeJSON":   func() error { _, err := policy.DescribeJSON(); return err },
	}
	for name, use := range uses {
		if problem := expect(t, use(), haltsql.ErrClosed); problem.Message != "the policy was closed" {
			t.Error(name, problem)
		}
	}
	// What was read from it before is still known, and so is everything about a verdict.
	if policy.Name() != "bound" || policy.SearchPathValue() == "" || policy.Version() == "" || policy.Mode() != haltsql.ModeEnforce {
		t.Error(policy)
	}
	if text, err := verdict.ForAgent(); err != nil || text == "" {
		t.Error(err)
	}
	// A caller lives on, until it is closed too.
	if verdict, err := caller.Check(allowed); err != nil || !verdict.Allowed() {
		t.Error(verdict, err)
	}
	for range 3 {
		if err := caller.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, err = caller.Check(allowed)
	if problem := expect(t, err, haltsql.ErrClosed); problem.Message != "the caller was closed" {
		t.Error(problem)
	}
	_, err = caller.CheckMany([]string{allowed, denied}, &haltsql.ManyOptions{Parallel: 2})
	expect(t, err, haltsql.ErrClosed)
}

func TestClosingWhileThousandChecksRun(t *testing.T) {
	for _, kind := range []string{"policy", "caller"} {
		policy, err := haltsql.LoadPolicyFile(policyFile)
		if err != nil {
			t.Fatal(err)
		}
		caller, err := policy.ForContext(acme)
		if err != nil {
			t.Fatal(err)
		}
		expected := check(t, policy, large)
		check, close := func() (haltsql.Verdict, error) { return policy.Check(large, acme) }, policy.Close
		if kind == "caller" {
			check, close = func() (haltsql.Verdict, error) { return caller.Check(large) }, caller.Close
		}
		var all sync.WaitGroup
		var verdicts, refusals atomic.Int64
		begun := make(chan struct{}, 1000)
		for range 1000 {
			all.Go(func() {
				begun <- struct{}{}
				verdict, err := check()
				switch {
				case err == nil && verdict.Equal(expected):
					verdicts.Add(1)
				case errors.Is(err, haltsql.ErrClosed) && !verdict.Allowed():
					refusals.Add(1)
				default:
					t.Errorf("%s %v", verdict.JSON(), err)
				}
			})
		}
		for range 30 {
			<-begun
		}
		for range 4 {
			all.Go(func() { _ = close() })
		}
		all.Wait()
		t.Logf("%s: %d verdicts, %d refusals", kind, verdicts.Load(), refusals.Load())
		if verdicts.Load()+refusals.Load() != 1000 {
			t.Error("some of them ended in another way")
		}
		_, err = check()
		expect(t, err, haltsql.ErrClosed)
	}
}

func TestACheckEndsBeforeWhatItUsesIsCollected(t *testing.T) {
	// Nobody else holds what is made here: the tag haltsql_gc collects inside each call.
	for range 20 {
		policy, err := haltsql.LoadPolicyFile(policyFile)
		if err != nil {
			t.Fatal(err)
		}
		verdict, err := policy.Check(string([]byte(allowed)), haltsql.Context{"tenant_id": string([]byte("acme"))})
		if err != nil || !verdict.Allowed() {
			t.Fatalf("%s %v", verdict.JSON(), err)
		}
		caller, err := func() (*haltsql.Caller, error) {
			policy, err := haltsql.LoadPolicyFile(policyFile)
			if err != nil {
				return nil, err
			}
			return policy.ForContext(acme)
		}()
		if err != nil {
			t.Fatal(err)
		}
		if verdict, err := caller.Check(string([]byte(denied))); err != nil || verdict.Allowed() {
			t.Fatalf("%s %v", verdict.JSON(), err)
		}
		policy, err = haltsql.LoadPolicyFile(policyFile)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := policy.Describe(); err != nil || text == "" {
			t.Fatal(err)
		}
	}
}
