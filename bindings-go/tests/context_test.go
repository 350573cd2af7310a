package tests

import (
	"encoding/json"
	"math"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	haltsql "github.com/haltsql/haltsql-go"
)

type tenant string

func TestAContextIsReadAsItIs(t *testing.T) {
	policy := shop(t)
	for _, value := range []any{
		"acme", tenant("acme"), []string{"acme"}, []tenant{"acme"}, []any{"acme"}, [1]string{"acme"}, any("acme"),
	} {
		verdict, err := policy.Check(allowed, haltsql.Context{"tenant_id": value, "other": 5})
		if err != nil || !verdict.Allowed() {
			t.Errorf("%T: %s %v", value, verdict.JSON(), err)
		}
	}
	claims := `{"tenant_id":"acme","exp":1.5e9,"admin":true,"none":null,"groups":["a","b"],"realm":{"roles":["x"]}}`
	var context haltsql.Context
	if err := json.Unmarshal([]byte(claims), &context); err != nil {
		t.Fatal(err)
	}
	verdict, err := policy.Check(allowed, context)
	same, errJSON := policy.CheckJSON(allowed, claims)
	if err != nil || errJSON != nil || !verdict.Allowed() || !same.Equal(verdict) {
		t.Errorf("%s %v %v", verdict.JSON(), err, errJSON)
	}
}

func TestAStringArrivesAsItIs(t *testing.T) {
	policy := shop(t)
	for _, value := range []string{
		`a"\` + "\n\u2028\x01\x7f🐘", "<&>", strings.Repeat("x", 1000), "\u00e9", "e\u0301", `\u0041`, "\ufffd", " acme ",
	} {
		verdict, err := policy.Check(allowed, haltsql.Context{"tenant_id": value})
		if err != nil || !reflect.DeepEqual(verdict.BindParams(), []haltsql.BindParam{{Param: 1, Value: value, Type: "text"}}) {
			t.Errorf("%q: %s %v", value, verdict.JSON(), err)
		}
		many, err := policy.Check("SELECT name FROM app.customers WHERE tenant_id = ANY ($1)", haltsql.Context{"tenant_id": []string{value, "zz"}})
		if params := many.BindParams(); err != nil || len(params) != 1 || !slices.Contains(params[0].Value.([]string), value) {
			t.Errorf("%q: %s %v", value, many.JSON(), err)
		}
	}
}

func TestAValueThatCannotBeUsedIsADenial(t *testing.T) {
	policy := shop(t)
	for _, value := range []any{
		nil, 5, int64(-5), uint8(5), 1.5, float32(1), true, json.Number("5"), map[string]any{"a": "b"}, map[string]string{},
		[]string{}, []string(nil), []any{1}, []any{"a", nil}, []any{[]string{}}, "", "ac\x00me",
	} {
		verdict, err := policy.Check(allowed, haltsql.Context{"tenant_id": value})
		if err != nil || !slices.Equal(verdict.Codes(), []haltsql.ReasonCode{haltsql.ReasonContextMissing}) {
			t.Errorf("%T %v: %s %v", value, value, verdict.JSON(), err)
		}
	}
	for _, context := range []haltsql.Context{nil, {}, {"Tenant_id": "acme"}} {
		if codes := mustCheck(t, policy, context).Codes(); !slices.Equal(codes, []haltsql.ReasonCode{haltsql.ReasonContextMissing}) {
			t.Errorf("%v: %v", context, codes)
		}
	}
}

func mustCheck(t *testing.T, policy *haltsql.Policy, context haltsql.Context) haltsql.Verdict {
	t.Helper()
	verdict, err := policy.Check(allowed, context)
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}

func TestAValueWithoutAFormIsAnError(t *testing.T) {
	policy := shop(t)
	around := map[string]any{}
	around["a"] = around
	for _, value := range []any{
		// What has a text of its own, and what JSON would bend.
		time.Now(), netip.MustParseAddr("::1"), json.RawMessage(`"acme"`), []byte("acme"), [16]byte{}, struct{ A string }{"acme"},
		&struct{}{}, new(string), math.NaN(), math.Inf(1), 1i, func() {}, make(chan int), map[int]string{1: "a"}, around,
		json.Number("x"), json.Number(""), []any{time.Now()}, map[string]any{"a": []byte{}},
	} {
		verdict, err := policy.Check(allowed, haltsql.Context{"tenant_id": "acme", "other": value})
		if expect(t, err, haltsql.ErrContext); verdict.Allowed() {
			t.Errorf("%T is allowed", value)
		}
		_, err = policy.ForContext(haltsql.Context{"other": value})
		expect(t, err, haltsql.ErrContext)
	}
	for _, context := range []haltsql.Context{
		{"tenant_id": "\xff"}, {"\xff": "acme"}, {"tenant_id": []string{"a", "\xed\xa0\x80"}}, {"tenant_id": tenant("\xc0\x80")},
		{"a": []any{"\xff"}}, {"a": map[string]any{"\xff": 1}},
	} {
		_, err := policy.Check(allowed, context)
		expect(t, err, haltsql.ErrEncoding)
	}
}

func TestAContextOfJSONIsAnObjectWithUniqueKeys(t *testing.T) {
	policy := shop(t)
	for _, context := range []string{"", "[]", `{"a":1,"a":2}`, "\xff", "{'a':1}", "null", `{"a":"\ud800"}`, `{"a":1}x`} {
		_, err := policy.CheckJSON(allowed, context)
		expect(t, err, haltsql.ErrContext)
		_, err = policy.ForContextJSON(context)
		expect(t, err, haltsql.ErrContext)
	}
}

func TestAnErrorDoesNotQuoteTheContext(t *testing.T) {
	policy := shop(t)
	_, byValue := policy.Check(allowed, haltsql.Context{"a": []byte("a_secret")})
	_, byJSON := policy.CheckJSON(allowed, `{"a":"a_secret","a":"a_secret"`)
	for _, err := range []error{byValue, byJSON} {
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	}
}
