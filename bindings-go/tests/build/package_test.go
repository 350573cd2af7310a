package build

import (
	"archive/zip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	haltsql "github.com/haltsql/haltsql-go"
)

const (
	module  = "github.com/haltsql/haltsql-go"
	library = module + "/lib/linux-amd64"
	guard   = module + "/pgxguard"
)

// shipped is what scripts/bindings/go-pack makes, with the library of the tests.
var shipped = sync.OnceValues(func() (string, error) {
	folder := filepath.Join(root, ".build", "go", "shipped-checked")
	command := exec.Command(filepath.Join(root, "scripts", "bindings", "go-pack"), "--profile", "checked", folder)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	return folder, command.Run()
})

func proxy(t testing.TB) string {
	t.Helper()
	folder, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "proxy")
}

// contents are the files in a module's zip, by their names there.
func contents(t testing.TB, path string) map[string]string {
	t.Helper()
	version := "v" + haltsql.Version
	archive, err := zip.OpenReader(filepath.Join(proxy(t), path, "@v", version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := map[string]string{}
	for _, file := range archive.File {
		reader, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reader)
		name, inside := strings.CutPrefix(file.Name, path+"@"+version+"/")
		if err != nil || !inside {
			t.Fatal(file.Name, err)
		}
		files[name] = string(text)
	}
	return files
}

func TestTheModulesHoldWhatTheyNeedAndTheLicences(t *testing.T) {
	lib := contents(t, library)
	for name, source := range map[string]string{
		"libhaltsql.a": archive,
		"lib.go":       filepath.Join(root, "bindings-go", "lib", "linux-amd64", "lib.go"),
		"go.mod":       filepath.Join(root, "bindings-go", "lib", "linux-amd64", "go.mod"),
		"digest.go":    filepath.Join(root, "bindings-go", "lib", "linux-amd64", "digest.go"),
		"LICENSE-MIT":  filepath.Join(root, "LICENSE-MIT"), "LICENSE-APACHE": filepath.Join(root, "LICENSE-APACHE"),
		"LICENSE-THIRD-PARTY": filepath.Join(root, "LICENSE-THIRD-PARTY"),
	} {
		if lib[name] == "" || lib[name] != read(t, source) {
			t.Errorf("%s is not %s", name, source)
		}
		delete(lib, name)
	}
	if len(lib) > 0 {
		t.Errorf("more than that: %d files", len(lib))
	}
	main := contents(t, module)
	for _, name := range []string{"go.mod", "README.md", "policy.go", "example_test.go", "internal/native/native.go", "internal/native/haltsql.h", "internal/bridge/bridge.go", "internal/guards/guards.go"} {
		if main[name] == "" || main[name] != read(t, root, "bindings-go", name) {
			t.Errorf("%s is not that of the checkout", name)
		}
	}
	for _, name := range []string{"LICENSE-MIT", "LICENSE-APACHE"} {
		if main[name] != read(t, root, name) {
			t.Errorf("%s is not that of the checkout", name)
		}
	}
	guards := contents(t, guard)
	for _, name := range []string{"go.mod", "guard.go", "flow.go", "example_test.go", "internal/bridge/bridge.go", "sqlguard/sqlguard.go"} {
		if guards[name] == "" || guards[name] != read(t, root, "bindings-go", "pgxguard", name) {
			t.Errorf("pgxguard/%s is not that of the checkout", name)
		}
	}
	if sums := guards["go.sum"]; !strings.Contains(sums, module+" v"+haltsql.Version+" h1:") || !strings.Contains(sums, "github.com/jackc/pgx/v5 ") {
		t.Errorf("the go.sum of pgxguard: %s", sums)
	}
	for name := range main {
		if strings.HasPrefix(name, "tests/") || strings.HasPrefix(name, "lib/") || strings.HasPrefix(name, "pgxguard/") || strings.HasPrefix(name, "go.work") {
			t.Errorf("%s ships", name)
		}
	}
}

// elsewhere is a machine of somebody else's: an empty folder, Go and a compiler of C, no Rust, no checkout, no cache of modules.
func elsewhere(t testing.TB) (folder string, start func(arguments ...string) string) {
	t.Helper()
	folder = t.TempDir()
	path := filepath.Join(t.TempDir(), "bin")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"go", "cc", "gcc", "as", "ld"} {
		found, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(found, filepath.Join(path, tool)); err != nil {
			t.Fatal(err)
		}
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(t.TempDir(), "modules")
	// The cache of builds is lent, because compiling Go's own library again would show nothing.
	variables := []string{
		"PATH=" + path, "HOME=" + folder, "GOCACHE=" + strings.TrimSpace(string(cache)), "GOMODCACHE=" + modules, "GOENV=off", "GOWORK=off",
		"GOPROXY=file://" + proxy(t), "GOSUMDB=off", "GOTOOLCHAIN=local", "GOFLAGS=-modcacherw -buildvcs=false", "CGO_ENABLED=1",
	}
	return folder, func(arguments ...string) string {
		t.Helper()
		command := exec.Command(filepath.Join(path, "go"), arguments...)
		command.Dir, command.Env = folder, variables
		if arguments[0] == "./program" {
			command = exec.Command(filepath.Join(folder, "program"))
			command.Dir, command.Env = folder, []string{"PATH=/nonexistent"}
		}
		said, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(arguments, " "), err, said)
		}
		return string(said)
	}
}

func TestGoGetAndRunWithoutRust(t *testing.T) {
	folder, start := elsewhere(t)
	start("mod", "init", "example.com/program")
	write(t, filepath.Join(folder, "check.go"), read(t, root, "examples", "go", "check.go"))
	start("get", module)
	start("mod", "tidy")
	start("mod", "verify")
	// The first that a person does, then what CI does.
	for _, build := range [][]string{
		{"build", "-o", "program", "."},
		{"build", "-trimpath", "-buildmode=pie", "-ldflags=-s -w", "-o", "program", "."},
	} {
		start(build...)
		if said := start("./program"); strings.Count(said, "allowed: ") != 2 || strings.Count(said, "denied: ") != 2 {
			t.Error(said)
		}
	}
	oldEnough(t, filepath.Join(folder, "program"))
	start("vet", ".")
	// The package's own tests and examples run there too.
	if said := start("test", module); !strings.HasPrefix(said, "ok ") {
		t.Error(said)
	}
	required := read(t, folder, "go.mod")
	for _, path := range []string{module, library} {
		if !strings.Contains(required, path+" v"+haltsql.Version) {
			t.Errorf("%s is not in %s", path, required)
		}
	}
	if sums := read(t, folder, "go.sum"); strings.Count(sums, "\n") != 4 {
		t.Errorf("more is needed than two modules:\n%s", sums)
	}
	// What the package shipped as its own go.sum is true.
	for _, line := range strings.Split(strings.TrimSpace(contents(t, module)["go.sum"]), "\n") {
		if !slices.Contains(strings.Split(read(t, folder, "go.sum"), "\n"), line) {
			t.Errorf("%s is in no go.sum of a user", line)
		}
	}
}

// oldEnough fails where a program takes more of glibc than the README says.
func oldEnough(t testing.TB, program string) {
	t.Helper()
	said, err := exec.Command("readelf", "-V", program).Output()
	versions := regexp.MustCompile(`GLIBC_2\.(\d+)`).FindAllStringSubmatch(string(said), -1)
	if err != nil || len(versions) == 0 {
		t.Fatal(err)
	}
	for _, version := range versions {
		if minor, err := strconv.Atoi(version[1]); err != nil || minor > 34 {
			t.Errorf("the program needs %s", version[0])
		}
	}
	if !strings.Contains(read(t, root, "bindings-go", "README.md"), "glibc 2.34 or newer") {
		t.Error("the README says something else")
	}
}

// The guards with pgx from this machine's cache of modules, as a proxy has it.
func TestTheGuardsBuildElsewhere(t *testing.T) {
	folder := t.TempDir()
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	variables := []string{
		"GOMODCACHE=" + filepath.Join(t.TempDir(), "modules"), "GOENV=off", "GOWORK=off", "GOSUMDB=off", "GOTOOLCHAIN=local",
		"GOPROXY=file://" + proxy(t) + ",file://" + filepath.Join(strings.TrimSpace(string(cache)), "cache", "download"),
		"GOFLAGS=-modcacherw -buildvcs=false",
	}
	built(t, folder, variables, "mod", "init", "example.com/program")
	for _, name := range []string{"guard_pgx", "guard_sql"} {
		write(t, filepath.Join(folder, name, "main.go"), read(t, root, "examples", "go", name, "main.go"))
	}
	built(t, folder, variables, "get", guard+"@v"+haltsql.Version)
	built(t, folder, variables, "build", "-o", "programs/", "./...")
	for _, name := range []string{"guard_pgx", "guard_sql"} {
		// Nobody is there, and the guard says so: it is linked, and whole.
		said, err := exec.Command(filepath.Join(folder, "programs", name), "host="+folder+" user=agent").CombinedOutput()
		if err == nil || !strings.Contains(string(said), "E_COLUMN_DENIED") || !strings.Contains(string(said), "there is no connection") {
			t.Errorf("%s: %v %s", name, err, said)
		}
	}
	// The digests in the go.sum that ships are those of the proxy.
	sums := read(t, folder, "go.sum")
	for _, line := range strings.Split(strings.TrimSpace(contents(t, guard)["go.sum"]), "\n") {
		if strings.Contains(line, module) && !strings.Contains(sums, line) {
			t.Errorf("%s is in no go.sum of a user", line)
		}
	}
	if said := built(t, folder, variables, "test", guard, guard+"/sqlguard"); !strings.HasPrefix(said, "ok ") {
		t.Error(said)
	}
}

func TestAVendoredProgramBuilds(t *testing.T) {
	folder, start := elsewhere(t)
	start("mod", "init", "example.com/program")
	write(t, filepath.Join(folder, "check.go"), read(t, root, "examples", "go", "check.go"))
	start("get", module)
	start("mod", "tidy")
	start("mod", "vendor")
	if _, err := os.Stat(filepath.Join(folder, "vendor", library, "libhaltsql.a")); err != nil {
		t.Fatal(err)
	}
	start("clean", "-modcache")
	start("build", "-mod=vendor", "-o", "program", ".")
	if said := start("./program"); strings.Count(said, "allowed: ") != 2 {
		t.Error(said)
	}
}
