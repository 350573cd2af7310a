package tests

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	haltsql "github.com/haltsql/haltsql-go"
)

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestAnAllowedVerdictHasEveryField(t *testing.T) {
	policy := shop(t)
	verdict := check(t, policy, allowed)
	expected := map[string]any{
		"Allowed":       true,
		"Reasons":       []haltsql.Reason(nil),
		"ShadowReasons": []haltsql.Reason(nil),
		"Codes":         []haltsql.ReasonCode(nil),
		"Policy":        haltsql.PolicyRef{Name: "bound", Version: policy.Version(), SearchPath: []string{"app", "pub"}},
		"StatementKind": haltsql.StatementSelect,
		"Tables":        []string{"app.customers"},
		"Columns":       []string{"app.customers.name", "app.customers.tenant_id"},
		"BindParams":    []haltsql.BindParam{{Param: 1, Value: "acme", Type: "text"}},
		"SQLSHA256":     digest(allowed),
		"Fingerprint":   verdict.Fingerprint(),
		"Elapsed":       verdict.Elapsed(),
	}
	if fingerprint, err := hex.DecodeString(verdict.Fingerprint()); err != nil || len(fingerprint) != 8 || verdict.Elapsed() < 0 {
		t.Errorf("fingerprint %q, elapsed %v", verdict.Fingerprint(), verdict.Elapsed())
	}
	if got := said(verdict); !reflect.DeepEqual(got, expected) {
		t.Errorf("%v", got)
	}
}

func TestASetOfValuesIsASlice(t *testing.T) {
	policy := shop(t)
	verdict, err := policy.Check("SELECT name FROM app.customers WHERE tenant_id = ANY ($1)",
		haltsql.Context{"tenant_id": []string{"initech", "acme"}})
	expected := []haltsql.BindParam{{Param: 1, Value: []string{"acme", "initech"}, Type: "text[]"}}
	if err != nil || !reflect.DeepEqual(verdict.BindParams(), expected) {
		t.Errorf("%v %v", verdict.BindParams(), err)
	}
}

func TestADeniedVerdictTellsWhy(t *testing.T) {
	verdict := check(t, shop(t), denied)
	reasons := verdict.Reasons()
	at := slices.IndexFunc(reasons, func(r haltsql.Reason) bool { return r.Code == haltsql.ReasonTenantMissing })
	if verdict.Allowed() || at < 0 || verdict.BindParams() != nil {
		t.Fatalf("%s", verdict.JSON())
	}
	reason := reasons[at]
	if reason.Rule != "tenancy.predicate" || reason.Loc != strings.Index(denied, "app.customers") || reason.Message == "" || reason.Hint == "" {
		t.Errorf("%+v", reason)
	}
}

func TestPlacesAreGosOwnOffsets(t *testing.T) {
	sql := "SELECT 'ü🐘' AS x, nowhere FROM app.customers WHERE tenant_id = $1"
	one := check(t, shop(t), sql).Reasons()
	if len(one) != 1 || one[0].Code != haltsql.ReasonColumnDenied || one[0].Loc != strings.Index(sql, "nowhere") {
		t.Errorf("%+v", one)
	}
	if none := check(t, shop(t), "").Reasons(); len(none) != 1 || none[0].Loc != -1 {
		t.Errorf("an empty text has no place: %+v", none)
	}
}

func TestWhatAStringCanHoldIsJudged(t *testing.T) {
	policy := shop(t)
	caller, err := policy.ForContext(acme)
	if err != nil {
		t.Fatal(err)
	}
	around := "garbage; " + allowed + " garbage"
	for _, text := range []struct {
		sql   string
		codes []haltsql.ReasonCode
	}{
		{"", []haltsql.ReasonCode{haltsql.ReasonEmpty}},
		{"\x00", []haltsql.ReasonCode{haltsql.ReasonParse}},
		{"SELECT '\x00'", []haltsql.ReasonCode{haltsql.ReasonParse}},
		{allowed + "\x00", []haltsql.ReasonCode{haltsql.ReasonParse}},
		{"SELECT '\xff'", []haltsql.ReasonCode{haltsql.ReasonParse}},
		{"SELECT '\xed\xa0\x80'", []haltsql.ReasonCode{haltsql.ReasonParse}},
		{"-- nothing", []haltsql.ReasonCode{haltsql.ReasonEmpty}},
		{"SELECT 1 " + strings.Repeat(" ", 100_000), []haltsql.ReasonCode{haltsql.ReasonTooLarge}},
		// A part of a longer string: nothing before or behind it may be seen.
		{around[9 : 9+len(allowed)], nil},
		{around[9 : 9+len(denied)], []haltsql.ReasonCode{haltsql.ReasonTenantMissing}},
		{around[:0], []haltsql.ReasonCode{haltsql.ReasonEmpty}},
		{around[len(around):], []haltsql.ReasonCode{haltsql.ReasonEmpty}},
		{string([]byte(allowed)), nil},
	} {
		verdict := check(t, policy, text.sql)
		if !slices.Equal(verdict.Codes(), text.codes) || verdict.SQLSHA256() != digest(text.sql) || verdict.Allowed() != (text.codes == nil) {
			t.Errorf("%.30q: %s", text.sql, verdict.JSON())
		}
		if prepared, err := caller.Check(text.sql); err != nil || !prepared.Equal(verdict) {
			t.Errorf("%.30q: %s", text.sql, prepared.JSON())
		}
		if !json.Valid([]byte(verdict.JSON())) {
			t.Errorf("%.30q: not whole: %s", text.sql, verdict.JSON())
		}
	}
}

func TestAnEmptyVerdictAllowsNothing(t *testing.T) {
	var verdict haltsql.Verdict
	for name, value := range said(verdict) {
		if !reflect.ValueOf(value).IsZero() {
			t.Errorf("%s is %v", name, value)
		}
	}
	if verdict.JSON() != "" || verdict.String() == "" {
		t.Errorf("%q %s", verdict.JSON(), verdict)
	}
	_, err := verdict.ForAgent()
	expect(t, err, haltsql.ErrVerdict)
	_, err = json.Marshal(verdict)
	expect(t, err, haltsql.ErrVerdict)
}

func TestChangingWhatAVerdictReturnsChangesNoVerdict(t *testing.T) {
	policy := shop(t)
	set, err := policy.Check("SELECT name FROM app.customers WHERE tenant_id = ANY ($1)", haltsql.Context{"tenant_id": []string{"b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, verdict := range []haltsql.Verdict{set, check(t, policy, denied), otherwise(t, set), otherwise(t, check(t, policy, denied))} {
		before, same := said(verdict), verdict
		scrub(reflect.ValueOf(said(verdict)))
		if after := said(verdict); !reflect.DeepEqual(after, before) || verdict != same {
			t.Errorf("%v\n%v", before, after)
		}
	}
}

// scrub empties every element of every list.
func scrub(value reflect.Value) {
	switch value.Kind() {
	case reflect.Interface:
		scrub(value.Elem())
	case reflect.Map:
		for _, key := range value.MapKeys() {
			scrub(value.MapIndex(key))
		}
	case reflect.Struct:
		for at := range value.NumField() {
			scrub(value.Field(at))
		}
	case reflect.Slice:
		for at := range value.Len() {
			scrub(value.Index(at))
			value.Index(at).SetZero()
		}
	}
}

func TestTheRenderingForAnAgent(t *testing.T) {
	policy := shop(t)
	verdict := check(t, policy, denied)
	text, err := verdict.ForAgent()
	if err != nil || !strings.Contains(text, "E_TENANT_MISSING") || !strings.Contains(text, "denied") {
		t.Fatalf("%q %v", text, err)
	}
	elsewhere, err := haltsql.ParseVerdict(verdict.JSON(), denied)
	if err != nil || elsewhere != verdict {
		t.Fatalf("%+v %v", elsewhere, err)
	}
	if again, err := elsewhere.ForAgent(); again != text || err != nil {
		t.Errorf("%q %v", again, err)
	}
	other, err := haltsql.ParseVerdict(verdict.JSON(), allowed)
	if err != nil {
		t.Fatal(err)
	}
	_, err = other.ForAgent()
	if problem := expect(t, err, haltsql.ErrVerdict); !strings.Contains(problem.Message, "another text") {
		t.Error(problem)
	}
}

func TestWhatIsNoVerdictIsRefused(t *testing.T) {
	known := check(t, shop(t), allowed)
	good := known.JSON()
	denial := check(t, shop(t), denied).JSON()
	for _, bad := range []string{
		"", "null", "[]", "{}", `{"allowed":true}`, good[:len(good)-1], " " + good, good + "x", good + good, "\xff",
		strings.Replace(good, `"tables"`, `"t"`, 1),
		strings.Replace(good, `"allowed":true`, `"allowed":1`, 1),
		strings.Replace(good, `"elapsed_us":`, `"elapsed_us":-`, 1) + "}",
		strings.Replace(good, `"value":"acme"`, `"value":5`, 1),
		strings.Replace(good, `"value":"acme",`, ``, 1),
		strings.Replace(good, `"acme"`, "\"\xff\"", 1),
		strings.Replace(good, `"acme"`, "\"\n\"", 1),
		strings.Replace(denial, `"code":`, `"c":`, 1),
		strings.Replace(denial, `"loc":`, `"loc":"x`, 1),
		// Another value of a field that was there already.
		strings.Replace(denial, `"elapsed_us"`, `"allowed":true,"elapsed_us"`, 1),
		strings.Replace(denial, `"elapsed_us"`, `"Allowed":true,"elapsed_us"`, 1),
	} {
		if bad == good || bad == denial {
			t.Fatal("nothing was changed")
		}
		if _, err := haltsql.ParseVerdict(bad, allowed); err == nil {
			t.Errorf("taken for a verdict: %s", bad)
		} else {
			expect(t, err, haltsql.ErrVerdict)
		}
	}
	newer := strings.Replace(good, `"elapsed_us"`, `"of_a_newer_version":[1],"elapsed_us"`, 1)
	verdict, err := haltsql.ParseVerdict(newer, allowed)
	if err != nil || !reflect.DeepEqual(said(verdict), said(known)) {
		t.Errorf("%v %v", said(verdict), err)
	}
}

func TestAVerdictTravelsAsItsJSON(t *testing.T) {
	for _, sql := range []string{allowed, denied, "SELECT 1 < 2 /* <&> */, nope", ""} {
		verdict := check(t, shop(t), sql)
		spelt, err := json.Marshal(map[string]any{"verdict": verdict})
		if err != nil {
			t.Fatal(err)
		}
		var back struct{ Verdict haltsql.Verdict }
		if err := json.Unmarshal(spelt, &back); err != nil || !slices.Equal(back.Verdict.Codes(), verdict.Codes()) {
			t.Errorf("%s: %v", spelt, err)
		}
		if !strings.Contains(verdict.JSON(), "<") && !back.Verdict.Equal(verdict) {
			t.Errorf("%s became %s", verdict.JSON(), back.Verdict.JSON())
		}
	}
	var verdict haltsql.Verdict
	expect(t, json.Unmarshal([]byte(`{"allowed":true}`), &verdict), haltsql.ErrVerdict)
	if verdict.Allowed() {
		t.Error("what failed to be read allows")
	}
}

func TestEqualWhereAllButTheTimeIs(t *testing.T) {
	policy := shop(t)
	one, again, other := check(t, policy, denied), check(t, policy, denied), check(t, policy, allowed)
	if !one.Equal(again) || one.Equal(other) || one.Equal(haltsql.Verdict{}) {
		t.Error("equal is not equal")
	}
}

func TestLogsShowCodesAndNoSQL(t *testing.T) {
	verdict := check(t, shop(t), "SELECT secret_word FROM app.customers WHERE tenant_id = 'another_word'")
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("checked", "verdict", verdict)
	shown := log.String() + fmt.Sprintf("%v %+v %#v %s", verdict, verdict, verdict, verdict)
	if strings.Contains(shown, "_word") {
		t.Errorf("SQL in a log: %s", shown)
	}
	for _, part := range []string{`"allowed":false`, `"E_COLUMN_DENIED"`, verdict.SQLSHA256(), verdict.Policy().Version, verdict.Fingerprint()} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("%s is not in %s", part, log.String())
		}
	}
}

func TestAShadowPolicyAllowsAndTells(t *testing.T) {
	document := strings.Replace(read(t, policyFile), "spec:\n", "spec:\n  mode: shadow\n", 1)
	policy, err := haltsql.LoadPolicy([]byte(document), nil)
	if err != nil {
		t.Fatal(err)
	}
	verdict := check(t, policy, denied)
	if policy.Mode() != haltsql.ModeShadow || !verdict.Allowed() || verdict.Reasons() != nil {
		t.Errorf("%s", verdict.JSON())
	}
	if !slices.Contains(verdict.Codes(), haltsql.ReasonTenantMissing) || len(verdict.ShadowReasons()) != len(verdict.Codes()) {
		t.Errorf("%v", verdict.Codes())
	}
}
