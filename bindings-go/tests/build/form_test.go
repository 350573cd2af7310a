package build

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// programs are what `./...` leaves out.
var programs = []string{"./build/testdata/panic", "./build/testdata/version"}

func TestTheFormIsThatOfGofmt(t *testing.T) {
	folders := []string{"bindings-go", "examples/go", "bench/overhead.go"}
	command := exec.Command("gofmt", append([]string{"-l", "-s"}, folders...)...)
	command.Dir = root
	if said, err := command.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestVetAndStaticcheckFindNothing(t *testing.T) {
	here := filepath.Join(root, "bindings-go")
	examples := filepath.Join(root, "examples", "go", "check.go")
	pool, database := filepath.Join(root, "examples", "go", "guard_pgx", "main.go"), filepath.Join(root, "examples", "go", "guard_sql", "main.go")
	for _, what := range []struct {
		folder   string
		patterns []string
	}{
		{here, []string{"./..."}}, {filepath.Join(here, "pgxguard"), []string{"./..."}}, {filepath.Join(here, "tests"), append([]string{"./..."}, programs...)},
		{here, []string{examples}}, {filepath.Join(here, "tests"), []string{pool}}, {filepath.Join(here, "tests"), []string{database}},
	} {
		built(t, what.folder, nil, append([]string{"vet"}, what.patterns...)...)
		built(t, what.folder, nil, append([]string{"tool", "staticcheck", "-checks", "all"}, what.patterns...)...)
	}
	// Both are awake: a program with a defect for each.
	folder := t.TempDir()
	source := filepath.Join(folder, "defects.go")
	write(t, source, `package main

import (
	"fmt"
	"strings"
)

func main() {
	fmt.Printf("%d", "x")
	strings.Replace("a", "b", "c", -1)
}
`)
	for _, tool := range [][]string{{"vet", source}, {"tool", "staticcheck", source}} {
		if said, err := goTool(t, ".", nil, tool...); err == nil || !strings.Contains(said, "defects.go") {
			t.Errorf("%v: %s", tool, said)
		}
	}
}

// A test of the binding's memory that cannot fail would show nothing: here each has to find a defect that is put in.
func TestDefectsOfMemoryAreNoticed(t *testing.T) {
	const one, thousand = "^TestACheckEndsBeforeWhatItUsesIsCollected$", "^TestClosingWhileThousandChecksRun$"
	for _, defect := range []struct {
		name, file, old, new string
		arguments            []string
		report               string
	}{
		{"nothing keeps the policy alive", "native.go", `defer runtime\.KeepAlive\(.\)`, "",
			[]string{"-tags", "haltsql_gc", "-run", one}, "the policy was closed"},
		{"a verdict is not freed", "native.go", `(C\.haltsql_go_verdict_free\(.*\))`, `if json == "" { $1 }`,
			[]string{"-asan", "-run", one}, "LeakSanitizer"},
		{"a policy is freed while checks use it", "handle.go", `h\.users\.Or\(closed\) == 0`, "h.users.Or(closed) >= 0",
			[]string{"-asan", "-run", thousand}, "AddressSanitizer"},
	} {
		source := filepath.Join(root, "bindings-go", "internal", "native", defect.file)
		text := read(t, source)
		changed := regexp.MustCompile(defect.old).ReplaceAllString(text, defect.new)
		if changed == text {
			t.Fatalf("%s: nothing was changed", defect.name)
		}
		folder := t.TempDir()
		write(t, filepath.Join(folder, defect.file), changed)
		overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{source: filepath.Join(folder, defect.file)}})
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "overlay.json"), string(overlay))
		arguments := append([]string{"test", "-count=1", "-overlay", filepath.Join(folder, "overlay.json")}, defect.arguments...)
		said, err := goTool(t, filepath.Join(root, "bindings-go", "tests"), os.Environ(), append(arguments, ".")...)
		if err == nil || !strings.Contains(said, defect.report) {
			t.Errorf("%s: not noticed: %v\n%s", defect.name, err, said)
		}
	}
}
