package haltsql

import (
	"reflect"
	"strings"
	"testing"
)

const testPolicy = `
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: näme }
spec:
  mode: MODE
  search_path: [app]
  tenancy: { keys: [{ column: tenant_id, context: tenant_id }] }
  tables:
    app.customers: { columns: [id, tenant_id, name], complete: true }
    app."Größe": { columns: [id, '"we""ird"'], complete: true, shared: true }
`

var testTexts = []string{
	"", "SELECT", "SELECT 1", "SELECT name FROM customers", "SELECT nope, \"\\\t\", 'ü🐘' FROM customers, nowhere /* \x01 */",
	"SELECT name FROM customers WHERE tenant_id = $1", "SELECT name FROM customers WHERE tenant_id = ANY ($1)",
	"SELECT c.id, g.\"we\"\"ird\" FROM customers c, \"Größe\" g WHERE c.tenant_id = $2 AND c.id = g.id", "DROP TABLE customers",
	"SELECT 1; SELECT 2", "\xff", "SELECT '\x00'", "SELECT \"a\x7f\u2028\\\"\"\" FROM customers",
}

// verdicts are such as the core spells, of every shape.
func verdicts(t testing.TB) (all []string) {
	for _, mode := range []string{"enforce", "shadow"} {
		policy, err := LoadPolicy([]byte(strings.Replace(testPolicy, "MODE", mode, 1)), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range testTexts {
			for _, context := range []Context{{}, {"tenant_id": "acme"}, {"tenant_id": []string{"a\"\\\n", "b"}}} {
				verdict, err := policy.Check(sql, context)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, verdict.JSON())
			}
		}
	}
	return all
}

func TestTheSpellingIsReadAsAnyJSONIs(t *testing.T) {
	all, read := verdicts(t), 0
	for _, text := range all {
		quick, ok := readSpelling(text)
		if ok == strings.Contains(text, `\`) {
			t.Errorf("read quickly: %t: %s", ok, text)
		}
		if !ok {
			continue
		}
		read++
		if slow, err := decode(text); err != nil || !reflect.DeepEqual(quick, slow) {
			t.Errorf("%s\n%#v\n%#v %v", text, quick, slow, err)
		}
	}
	// Both kinds are there, and the other one is the exception.
	if read == len(all) || read < len(all)/2 {
		t.Errorf("%d of %d were read quickly", read, len(all))
	}
}

func TestAnyOtherSpellingIsLeftToDecode(t *testing.T) {
	for _, text := range verdicts(t) {
		for at := range len(text) {
			// Cut short, or with a blank more: where that is the same verdict, decode has to be asked.
			if _, ok := readSpelling(text[:at]); ok {
				t.Fatalf("read: %s", text[:at])
			}
		}
		for _, other := range []string{
			" " + text, text + " ", strings.Replace(text, ":", ": ", 1), strings.Replace(text, `"elapsed_us"`, `"new":1,"elapsed_us"`, 1),
			strings.Replace(text, `"]`, `",]`, 1), strings.Replace(text, `"]`, `"`, 1),
			// More than an int holds everywhere.
			strings.Replace(text, `"elapsed_us":`, `"elapsed_us":1234567890`, 1),
		} {
			if _, ok := readSpelling(other); ok {
				t.Errorf("read: %s", other)
			}
		}
	}
}

func TestWhatIsAppendedToOneListIsInNoOther(t *testing.T) {
	for _, text := range verdicts(t) {
		read, ok := readSpelling(text)
		if !ok {
			continue
		}
		for _, list := range [][]string{read.policy.SearchPath, read.tables, read.columns} {
			_ = append(list, "another")
		}
		if again, _ := readSpelling(text); !reflect.DeepEqual(read, again) {
			t.Errorf("%+v\n%+v", read, again)
		}
	}
}

// What is read quickly and slowly has the same fields: go test -fuzz FuzzSpelling.
func FuzzSpelling(f *testing.F) {
	for _, text := range verdicts(f) {
		f.Add(text)
		f.Add(strings.Replace(text, `"value":"acme"`, `"value":[]`, 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		quick, ok := readSpelling(text)
		slow, err := decode(text)
		if ok && err == nil && !reflect.DeepEqual(quick, slow) {
			t.Errorf("%s\n%#v\n%#v", text, quick, slow)
		}
	})
}

func BenchmarkReadSpelling(b *testing.B) {
	texts := verdicts(b)
	b.Run("spelling", func(b *testing.B) {
		for n := range b.N {
			readSpelling(texts[n%len(texts)])
		}
	})
	b.Run("encoding_json", func(b *testing.B) {
		for n := range b.N {
			_, _ = decode(texts[n%len(texts)])
		}
	})
}
