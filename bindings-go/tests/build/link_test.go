package build

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	haltsql "github.com/haltsql/haltsql-go"
)

// archive is what the tests are linked with.
var archive = filepath.Join(root, "bindings-go", "lib", "linux-amd64", "libhaltsql.a")

// weakened is a module of the library over the core in which texts can ask for a panic (docs/ffi.md).
func weakened(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	script(t, "scripts/bindings/go-build", "--crate", "haltsql-c-weakened", folder)
	return folder
}

func TestAPanicIsADenialOrAnError(t *testing.T) {
	library := weakened(t)
	program := linked(t, "panic", workspace(t, library))
	if said := run(t, program, policyFile); !strings.HasSuffix(said, "all denied\n") {
		t.Error(said)
	}
	marker := []byte("HALTSQL_" + "WEAKENED")
	for file, there := range map[string]bool{filepath.Join(library, "libhaltsql.a"): true, archive: false} {
		content, err := os.ReadFile(file)
		if err != nil || bytes.Contains(content, marker) != there {
			t.Errorf("%s: the marker of that core is there: %t %v", file, !there, err)
		}
	}
}

// declared are the functions of the header.
func declared(t testing.TB) (names []string) {
	t.Helper()
	header := read(t, root, "ffi-c", "include", "haltsql.h")
	for _, name := range regexp.MustCompile(`(?m)^[a-z].*[ *](haltsql_[a-z_]+)\(`).FindAllStringSubmatch(header, -1) {
		names = append(names, name[1])
	}
	return names
}

func TestTheArchiveShowsTheHeadersNamesAndNothingElse(t *testing.T) {
	wanted := map[string]bool{}
	for _, name := range declared(t) {
		wanted[name] = true
	}
	said, err := exec.Command("nm", "-g", "--defined-only", archive).Output()
	if err != nil || len(wanted) < 15 {
		t.Fatal(len(wanted), err)
	}
	found := 0
	for _, line := range regexp.MustCompile(`(?m)^\S+ \S (\S+)$`).FindAllStringSubmatch(string(said), -1) {
		if found++; !wanted[line[1]] {
			t.Errorf("%s is shown", line[1])
		}
	}
	if found != len(wanted) {
		t.Errorf("%d names are shown, and %d are in the header", found, len(wanted))
	}
}

func TestBesideAnotherLibpgQuery(t *testing.T) {
	// Without optimisation: it compiles in a third of the time.
	program := linked(t, "beside", "CGO_CFLAGS=-O0 -w")
	if said := run(t, program, policyFile); said != "beside\n" {
		t.Error(said)
	}
}

func TestBesideAnotherRustLibrary(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "other.rs"), `#[unsafe(no_mangle)] pub extern "C" fn other(panics: bool) -> i32 {
		std::panic::set_hook(Box::new(|_| ()));
		std::panic::catch_unwind(|| if panics { panic!() } else { 1 }).unwrap_or(2)
	}`)
	program := filepath.Join("testdata", "rust")
	write(t, filepath.Join(folder, "main.go"), read(t, program, "main.go"))
	archive, source := filepath.Join(folder, "libother.a"), filepath.Join(folder, "other.rs")
	compile := exec.Command("rustc", "--edition=2024", "--crate-type=staticlib", "-o", archive, source)
	if said, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	linked := filepath.Join(folder, "rust")
	whole := []string{"CGO_LDFLAGS_ALLOW=-Wl,--(no-)?whole-archive"}
	built(t, ".", whole, "build", "-o", linked, filepath.Join(folder, "main.go"))
	if said := run(t, linked, policyFile); said != "rust\n" {
		t.Error(said)
	}
}

func TestALibraryOfOnesOwn(t *testing.T) {
	// As on platforms that have no module: the tag, and where the library is. Here the shared one.
	folder := filepath.Join(target(), "checked", "haltsql-c", "lib")
	variables := []string{"CGO_LDFLAGS=-L" + folder + " -Wl,-rpath," + folder}
	program := filepath.Join(t.TempDir(), "check")
	built(t, ".", variables, "build", "-tags", "haltsql_use_lib", "-o", program, filepath.Join(root, "examples", "go", "check.go"))
	if said := run(t, program); !strings.Contains(said, "allowed: ") {
		t.Error(said)
	}
	needed, err := exec.Command("readelf", "-d", program).Output()
	if err != nil || !strings.Contains(string(needed), "[libhaltsql.so.1]") {
		t.Errorf("%v\n%s", err, needed)
	}
}

func target() string {
	if folder := os.Getenv("CARGO_TARGET_DIR"); filepath.IsAbs(folder) {
		return folder
	} else if folder != "" {
		return filepath.Join(root, folder)
	}
	return filepath.Join(root, "target")
}

func TestALibraryOfAnotherVersionIsRefused(t *testing.T) {
	for _, other := range []struct {
		version string
		abi     int
	}{{"0.0.9", 1}, {haltsql.Version, 2}} {
		folder := t.TempDir()
		for _, file := range []string{"go.mod", "lib.go"} {
			write(t, filepath.Join(folder, file), read(t, root, "bindings-go", "lib", "linux-amd64", file))
		}
		// Whoever calls anything else of it gets what it deserves.
		source := fmt.Sprintf("#include <stdlib.h>\nconst char *haltsql_version(void) { return %q; }\n", other.version) +
			fmt.Sprintf("unsigned haltsql_abi_version(void) { return %d; }\n", other.abi)
		for _, name := range declared(t) {
			if name != "haltsql_version" && name != "haltsql_abi_version" {
				source += "void " + name + "(void) { abort(); }\n"
			}
		}
		write(t, filepath.Join(folder, "other", "other.c"), source)
		object := filepath.Join(folder, "other", "other.o")
		run(t, "cc", "-c", "-o", object, filepath.Join(folder, "other", "other.c"))
		run(t, "ar", "cr", filepath.Join(folder, "libhaltsql.a"), object)
		said := run(t, linked(t, "version", workspace(t, folder)), policyFile)
		expected := fmt.Sprintf("the library is of HaltSQL %s (ABI %d), and the package of %s (ABI 1)", other.version, other.abi, haltsql.Version)
		if strings.Count(said, expected) != 2 {
			t.Error(said)
		}
	}
}

func TestElsewhereTheCompilerSaysWhatIsMissing(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Fatalf("these tests are for linux/amd64, and this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	goRoot := strings.TrimSpace(built(t, ".", nil, "env", "GOROOT"))
	const onlyLinux = "undefined: haltsql_ships_for_linux_amd64_alone__elsewhere_build_libhaltsql_and_use_the_tag_haltsql_use_lib"
	for _, elsewhere := range []struct{ variables, pattern, expected string }{
		{"CGO_ENABLED=0", ".", "undefined: haltsql_needs_cgo__install_a_C_compiler_and_set_CGO_ENABLED_to_1"},
		{"CGO_ENABLED=1 PATH=" + filepath.Join(goRoot, "bin"), ".", "cgo: C compiler"},
		{"CGO_ENABLED=1 GOOS=darwin GOARCH=arm64", "./internal/native", onlyLinux},
		{"CGO_ENABLED=1 GOOS=linux GOARCH=arm64", "./internal/native", onlyLinux},
	} {
		said, err := goTool(t, filepath.Join(root, "bindings-go"), strings.Fields(elsewhere.variables), "build", elsewhere.pattern)
		// One sentence, and not a list of everything that follows from it.
		if err == nil || !strings.Contains(said, elsewhere.expected) || strings.Count(said, "\n") > 3 {
			t.Errorf("%s: %v\n%s", elsewhere.variables, err, said)
		}
	}
}
