package guard

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestTheExampleRuns(t *testing.T) {
	server := common(t)
	folder := t.TempDir()
	program, file := filepath.Join(folder, "guard"), filepath.Join(folder, "policy.yaml")
	if said, err := exec.Command("go", "build", "-o", program, filepath.Join(root, "examples", "go", "guard", "main.go")).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, said)
	}
	document := `
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: shop }
spec:
  search_path: [app]
  tenancy: { keys: [{ column: tenant_id, context: tenant_id, type: text }] }
  tables:
    app.orders: { columns: [id, tenant_id, note], hidden: [mood], complete: true }
`
	if err := os.WriteFile(file, []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	dsn := server.dsn("shop", "postgres")
	said, err := exec.Command(program, dsn, file, "acme", own).CombinedOutput()
	digests := regexp.MustCompile(`result_sha256=(\w{64}) `).FindAllStringSubmatch(string(said), -1)
	if err != nil || strings.Count(string(said), "  2  n2\n  4  n4\n") != 2 || len(digests) != 2 || digests[0][1] != digests[1][1] {
		t.Errorf("%v %s", err, said)
	}
	command := exec.Command(program, dsn, file, "acme", "SELECT mood FROM orders")
	said, _ = command.CombinedOutput()
	if command.ProcessState.ExitCode() != 1 || !strings.Contains(string(said), "denied:") {
		t.Errorf("%v %s", command.ProcessState, said)
	}
}
