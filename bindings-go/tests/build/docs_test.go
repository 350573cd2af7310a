package build

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// blocks are a document's pieces of code in a language.
func blocks(t testing.TB, language string) (all []string) {
	t.Helper()
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(read(t, root, "bindings-go", "README.md"), -1) {
		all = append(all, block[1])
	}
	return all
}

func TestTheProgramsOfTheReadmeRun(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "policy.yaml"), blocks(t, "yaml")[0])
	programs := blocks(t, "go")
	expected := []string{"bind \"acme\" to $1 as text\n", "line 4, column 9: did you mean `search_path`?\n"}
	if len(programs) != len(expected) {
		t.Fatalf("the README has %d programs", len(programs))
	}
	for at, program := range programs {
		source, built := filepath.Join(folder, "program.go"), filepath.Join(folder, "program")
		write(t, source, program)
		if said, err := goTool(t, ".", nil, "build", "-o", built, source); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		if said, err := goTool(t, ".", nil, "vet", source); err != nil {
			t.Errorf("%v\n%s", err, said)
		}
		command := exec.Command(built)
		command.Dir = folder
		if said, err := command.CombinedOutput(); err != nil || string(said) != expected[at] {
			t.Errorf("%v\n%s", err, said)
		}
	}
}

func TestTheExampleRuns(t *testing.T) {
	said := built(t, ".", nil, "run", filepath.Join(root, "examples", "go", "check.go"))
	found := regexp.MustCompile(`(?m)^(allowed|denied): `).FindAllString(said, -1)
	if strings.Join(found, "") != "allowed: denied: allowed: denied: " {
		t.Error(said)
	}
}

// The package of a folder, as go doc shows it.
func documented(t testing.TB, path, folder string, least int) *doc.Package {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	sources, err := filepath.Glob(filepath.Join(root, "bindings-go", folder, "*.go"))
	if err != nil || len(sources) < least {
		t.Fatal(sources, err)
	}
	for _, source := range sources {
		file, err := parser.ParseFile(files, source, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	described, err := doc.NewFromFiles(files, parsed, path)
	if err != nil {
		t.Fatal(err)
	}
	return described
}

func TestEverythingPublicIsDocumentedAndInTheReadme(t *testing.T) {
	readme := read(t, root, "bindings-go", "README.md")
	described := documented(t, module, ".", 8)
	say := func(name, text string) {
		if text == "" {
			t.Errorf("%s is not documented", name)
		}
	}
	say("the package", described.Doc)
	names := 0
	function := func(of string, function *doc.Func) {
		names++
		say(of+function.Name, function.Doc)
		// What Go's own interfaces ask for is no part of a first look.
		goOwn := map[string]bool{"Error": true, "Unwrap": true, "String": true, "GoString": true, "MarshalJSON": true, "UnmarshalJSON": true}
		if !goOwn[function.Name] && !regexp.MustCompile(`\b`+function.Name+`\b`).MatchString(readme) {
			t.Errorf("%s%s is not in the README", of, function.Name)
		}
	}
	for _, kind := range described.Types {
		say(kind.Name, kind.Doc)
		for _, own := range append(kind.Funcs, kind.Methods...) {
			function(kind.Name+".", own)
		}
		if structure, ok := kind.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType); ok {
			for _, field := range structure.Fields.List {
				if field.Names[0].IsExported() {
					say(kind.Name+"."+field.Names[0].Name, field.Doc.Text())
				}
			}
		}
	}
	for _, own := range described.Funcs {
		function("", own)
	}
	if names < 25 {
		t.Errorf("only %d functions were looked at", names)
	}
	for _, kind := range kinds {
		name := strings.ToUpper(kind.Name()[:1]) + kind.Name()[1:]
		if !strings.Contains(readme, "| `Err"+name+"` |") {
			t.Errorf("Err%s is not in the README's table", name)
		}
	}
}

// What a guard's types have is shown where they are named: they are aliases, of which go doc shows no more than the comment.
func TestTheGuardsAreDocumentedAndInTheReadme(t *testing.T) {
	readme := read(t, root, "bindings-go", "README.md")
	pgx, sql := documented(t, guard, "pgxguard", 5), documented(t, guard+"/sqlguard", "pgxguard/sqlguard", 1)
	for _, described := range []*doc.Package{pgx, sql} {
		if described.Doc == "" || len(functions(described)) < 6 {
			t.Errorf("%s: %d functions", described.Name, len(functions(described)))
		}
		for _, function := range functions(described) {
			if function.Doc == "" || !strings.Contains(readme, function.Name) {
				t.Errorf("%s.%s has no comment or is not in the README", described.Name, function.Name)
			}
		}
	}
	said := map[string]string{}
	for _, kind := range pgx.Types {
		said[kind.Name] = kind.Doc
	}
	internal := documented(t, module+"/internal/guards", "internal/guards", 3)
	for _, kind := range internal.Types {
		text, shown := said[kind.Name]
		if !shown || kind.Name == "Guard" {
			continue
		}
		var names []string
		if structure, ok := kind.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType); ok {
			for _, field := range structure.Fields.List {
				if len(field.Names) > 0 && field.Names[0].IsExported() {
					names = append(names, field.Names[0].Name)
				}
			}
		}
		for _, method := range kind.Methods {
			if name := method.Name; name != "String" && name != "GoString" && name != "MarshalJSON" {
				names = append(names, name)
			}
		}
		for _, name := range names {
			if !strings.Contains(text, name) {
				t.Errorf("the comment of %s does not name %s", kind.Name, name)
			}
		}
		if len(names) == 0 {
			t.Errorf("%s has nothing", kind.Name)
		}
	}
	for _, name := range []string{"GuardedQueryTx", "GuardedExecTx", "GuardedExecTxFunc", "GuardedQuery", "New"} {
		found := false
		for _, function := range functions(pgx) {
			found = found || function.Name == name && len(function.Examples) > 0
		}
		if !found {
			t.Errorf("%s has no example", name)
		}
	}
}

// functions are all of a package: go doc sorts some under the type that they return.
func functions(described *doc.Package) []*doc.Func {
	all := slices.Clone(described.Funcs)
	for _, kind := range described.Types {
		all = append(all, kind.Funcs...)
	}
	return all
}

func TestTheMainCallsHaveExamples(t *testing.T) {
	examples := map[string]bool{}
	described := documented(t, module, ".", 8)
	for _, kind := range described.Types {
		for range kind.Examples {
			examples[kind.Name] = true
		}
		for _, method := range kind.Methods {
			for _, example := range method.Examples {
				examples[kind.Name+"."+method.Name] = example.Output != ""
			}
		}
	}
	for _, name := range []string{"Error", "Policy.Check", "Policy.ForContext", "Verdict.Codes", "Verdict.ForAgent", "Verdict.LogValue"} {
		if !examples[name] {
			t.Errorf("%s has no example with its output", name)
		}
	}
}
