package build

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goTool runs Go in a folder, with these variables beside the usual ones, and returns what it said.
func goTool(t testing.TB, folder string, variables []string, arguments ...string) (string, error) {
	t.Helper()
	command := exec.Command("go", arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), variables...)
	said, err := command.CombinedOutput()
	return string(said), err
}

// built is goTool for what has to succeed.
func built(t testing.TB, folder string, variables []string, arguments ...string) string {
	t.Helper()
	said, err := goTool(t, folder, variables, arguments...)
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(arguments, " "), err, said)
	}
	return said
}

// run is what a program prints. It has to end well.
func run(t testing.TB, program string, arguments ...string) string {
	t.Helper()
	said, err := exec.Command(program, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, said)
	}
	return string(said)
}

// script runs a script of the checkout.
func script(t testing.TB, name string, arguments ...string) {
	t.Helper()
	command := exec.Command(filepath.Join(root, name), arguments...)
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, said)
	}
}

// workspace is a file of go work with the package as it is and with the library of a folder, so that programs of testdata can be
// linked with another library than the usual one.
func workspace(t testing.TB, library string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "go.work")
	here := filepath.Join(root, "bindings-go")
	text := fmt.Sprintf("go 1.26.0\n\nuse (\n\t%s\n\t%s\n\t%s\n)\n\nreplace github.com/haltsql/haltsql-go/lib/linux-amd64 v0.1.0 => %s\n",
		here, filepath.Join(here, "tests"), library, library)
	write(t, file, text)
	return "GOWORK=" + file
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// linked is a program of testdata, built.
func linked(t testing.TB, name string, variables ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	built(t, ".", variables, "build", "-o", program, "./"+filepath.Join("testdata", name))
	return program
}
