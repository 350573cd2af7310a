package guard

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The examples run against the demo's shop, as `haltsql demo` makes it.
func TestTheExamplesRun(t *testing.T) {
	server := common(t)
	server.run(t, "postgres", "CREATE ROLE agent LOGIN")
	server.run(t, "postgres", "CREATE DATABASE demo")
	server.run(t, "demo", read(t, root, "cli", "src", "demo", "schema.sql"))
	for _, name := range []string{"guard_pgx", "guard_sql"} {
		program := filepath.Join(t.TempDir(), name)
		source := filepath.Join(root, "examples", "go", name, "main.go")
		if said, err := exec.Command("go", "build", "-o", program, source).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, said)
		}
		said, err := exec.Command(program, server.dsn("demo", "agent")).CombinedOutput()
		if err != nil || !strings.Contains(string(said), "E_COLUMN_DENIED") || !strings.Contains(string(said), "[[Ann Archer] [Bo Baker] [Cleo Cook] [Dan Dyer]], as receipt ") {
			t.Errorf("%s: %v %s", name, err, said)
		}
	}
}
