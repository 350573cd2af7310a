package tests

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	haltsql "github.com/haltsql/haltsql-go"
)

const shown = 10

var formats = map[string]haltsql.Format{
	"auto": haltsql.FormatAuto, "yaml": haltsql.FormatYAML, "json": haltsql.FormatJSON,
}

// The row of Go: every input of every set, byte for byte (conformance/RUNNERS.md).
func TestConformance(t *testing.T) {
	folder := os.Getenv("HALTSQL_CONFORMANCE_DIR")
	if folder == "" {
		folder = filepath.Join(root, ".build", "conformance")
	}
	sets, _ := filepath.Glob(filepath.Join(folder, "*.tsv"))
	if len(sets) == 0 {
		t.Fatalf("%s holds no set: run `haltsql-conformance prepare`", folder)
	}
	runner := runner{t, folder, map[string]*haltsql.Policy{}}
	different := 0
	for _, set := range sets {
		lines := strings.Split(strings.TrimSuffix(read(t, set), "\n"), "\n")
		header := strings.Split(lines[0], "\t")
		if len(header) != 5 || header[0] != "haltsql-conformance" || header[1] != "1" {
			t.Fatalf("%s begins with %q", set, lines[0])
		}
		cases, identical := 0, 0
		for _, line := range lines[1:] {
			row := strings.Split(line, "\t")
			cases++
			if got := runner.answer(row); got == row[5] {
				identical++
			} else if different++; different <= shown {
				fmt.Fprintf(os.Stderr, "%s\n  expected %s\n  answered %s\n", row[1], row[5], got)
			}
		}
		fmt.Printf("conformance name=go set=%s cases=%d identical=%d uncarried=0 digest=%s\n", header[2], cases, identical, header[4])
		if strconv.Itoa(cases) != header[3] || cases == 0 {
			t.Errorf("%s has %d rows, and says that it has %s", set, cases, header[3])
		}
	}
	if different > 0 {
		t.Errorf("%d rows differ", different)
	}
}

type runner struct {
	t        *testing.T
	folder   string
	policies map[string]*haltsql.Policy
}

func (r *runner) answer(row []string) string {
	kind, subject, first, second := row[0], row[2], r.unhex(row[3]), r.unhex(row[4])
	switch kind {
	case "load":
		policy, err := haltsql.LoadPolicy([]byte(second), &haltsql.LoadOptions{Format: formats[subject], Name: first})
		if err != nil {
			return r.number(err)
		}
		defer policy.Close()
		return policy.Version()
	case "check":
		verdict, err := r.policy(subject).CheckJSON(second, first)
		if err != nil {
			return r.number(err)
		}
		// Whatever is in the JSON is what the verdict says, read in either way.
		if again, err := haltsql.ParseVerdict(verdict.JSON(), second); err != nil || again != verdict {
			r.t.Errorf("%s: its JSON is another verdict: %v", row[1], err)
		}
		if !reflect.DeepEqual(said(otherwise(r.t, verdict)), said(verdict)) {
			r.t.Errorf("%s: it does not say what its JSON does", row[1])
		}
		json, _, _ := strings.Cut(verdict.JSON(), `,"elapsed_us":`)
		return json
	default:
		r.t.Fatalf("rows of kind %q are not known", kind)
		return ""
	}
}

// policy is the one of that name: loaded once, as programs do.
func (r *runner) policy(name string) *haltsql.Policy {
	if r.policies[name] == nil {
		policy, err := haltsql.LoadPolicyFile(filepath.Join(r.folder, "policies", name+".yaml"))
		if err != nil {
			r.t.Fatal(err)
		}
		r.t.Cleanup(func() { policy.Close() })
		r.policies[name] = policy
	}
	return r.policies[name]
}

func (r *runner) number(err error) string {
	var whole *haltsql.Error
	if !errors.As(err, &whole) {
		r.t.Fatal(err)
	}
	return fmt.Sprintf("error %d", whole.Code)
}

func (r *runner) unhex(text string) string {
	bytes, err := hex.DecodeString(text)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(bytes)
}
