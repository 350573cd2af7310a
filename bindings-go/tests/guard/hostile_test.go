package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
)

// hostile is a statement of conformance/hostile.
type hostile struct {
	ID, Scenario, SQL string
	Writable          bool
	Session           []string
	Expect            map[string]map[string][]string
}

var marker = regexp.MustCompile("ACME_|GLOBEX_|INITECH_|SSN_|KEY_")

// isForeign says whether a text has a value that this tenant must not see.
func isForeign(text, tenant string) bool {
	return slices.ContainsFunc(marker.FindAllString(text, -1), func(found string) bool { return found != tenant+"_" })
}

func outcome(result *pgxguard.Result, err error) string {
	var denied *haltsql.DeniedError
	switch {
	case errors.As(err, &denied):
		return "denied"
	case err != nil:
		// The suite's guard shows errors whole: what they say counts.
		var said *haltsql.DatabaseError
		text := err.Error()
		if errors.As(err, &said) {
			text += said.Detail + said.Hint + fmt.Sprint(said.Cause)
		}
		if isForeign(text, "ACME") {
			return "leak"
		}
		return "refused"
	case isForeign(fmt.Sprint(texts(result.Texts)), "ACME"):
		return "leak"
	default:
		return "harmless"
	}
}

// seal is an `execution` of the suite's policy, and who connects.
type seal struct {
	Execution json.RawMessage
	User      string
	PinKey    string `json:"pin_key"`
}

var folder = filepath.Join(root, "conformance", "hostile")

// The hostile suite through the guard, under every seal: nothing is sent that the verifier did not allow, and the next turn on the
// connection is right.
func TestTheHostileSuite(t *testing.T) {
	var cases []hostile
	statements, outcomes := map[string]int{}, map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(read(t, folder, "statements.jsonl")), "\n") {
		var one hostile
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, one)
		statements[one.Scenario]++
	}
	var seals map[string]seal
	if err := json.Unmarshal([]byte(read(t, folder, "seals.json")), &seals); err != nil || len(seals) != 4 || len(cases) < 250 {
		t.Fatal(err, len(seals), len(cases))
	}
	passed, failed := 0, 0
	for _, variable := range []string{"HALTSQL_TEST_PG", "HALTSQL_TEST_PG16"} {
		for name, seal := range seals {
			// A run of all tests tries `signed` on one server and `bare` on the other; `make hostile` all of them on both.
			sample := map[string]string{"HALTSQL_TEST_PG": "signed", "HALTSQL_TEST_PG16": "bare"}[variable]
			if os.Getenv("HALTSQL_HOSTILE") != "all" && name != sample {
				continue
			}
			for _, one := range cases {
				outcomes[one.Scenario]++
			}
			problems := suite(t, variable, name, seal, cases)
			for _, problem := range problems {
				t.Errorf("%s %s: %s", variable, name, problem)
			}
			failed += len(problems)
			passed += len(cases) - len(problems)
		}
	}
	for scenario, count := range statements {
		fmt.Printf("hostile name=go scenario=%s statements=%d outcomes=%d\n", strings.ReplaceAll(scenario, " ", "-"), count, outcomes[scenario])
	}
	fmt.Printf("hostile name=go passed=%d failed=%d\n", passed, failed)
}

// suite is all of it on one server under one seal. It returns what is not as the data says.
func suite(t *testing.T, variable, name string, seal seal, cases []hostile) (problems []string) {
	t.Helper()
	server, stop := start(t, variable)
	defer stop()
	document := read(t, folder, "policy.yaml") + "  execution: " + string(seal.Execution) + "\n"
	rows := read(t, folder, "rows.sql")
	server.run(t, "postgres", "CREATE DATABASE shop")
	server.run(t, "shop", read(t, folder, "database.sql"))
	server.run(t, "shop", rows)
	// Where each tenant logs in by itself, the next is the same.
	tenant := "globex"
	if name == "login" {
		tenant = "acme"
		server.run(t, "shop", "CREATE ROLE t_acme LOGIN; CREATE ROLE t_globex LOGIN")
	}
	if name != "none" {
		server.run(t, "shop", hardened(t, document, seal))
	}
	if name == "bare" {
		server.run(t, "shop", "GRANT app_agent TO app_login")
	}
	guard := guardOf(t, policyOf(t, document), &pgxguard.Options{ShowErrors: true, PinKey: seal.PinKey})
	var conn *pgx.Conn
	for _, one := range cases {
		left := len(one.Session) > 0
		if conn == nil || left || conn.IsClosed() {
			conn = connect(t, server.dsn("shop", seal.User))
		}
		for _, before := range one.Session {
			// Some of it takes more rights than this user has.
			_, _ = conn.PgConn().Exec(context.Background(), before).ReadAll()
		}
		came, then := attempt(guard, conn, one, tenant)
		expected := one.Expect[name]["guard"]
		if left {
			// The data's is that of connections which a guard made; on a caller's own, what was left may be refused.
			expected = []string{"denied", "harmless", "refused", "next_refused"}
			_ = conn.Close(context.Background())
		}
		if came == "leak" || !slices.Contains(expected, then) {
			problems = append(problems, fmt.Sprintf("%s: %s, then %s, and not %v: %s", one.ID, came, then, expected, one.SQL))
		}
		if came == "harmless" && one.Writable {
			server.run(t, "shop", rows)
		}
	}
	_ = conn.Close(context.Background())
	return problems
}

// hardened is what `haltsql policy harden` prints for a policy.
func hardened(t *testing.T, document string, seal seal) string {
	t.Helper()
	at := t.TempDir()
	policy, key := filepath.Join(at, "policy.yaml"), filepath.Join(at, "pin.key")
	arguments := []string{"policy", "harden", policy, "--optional"}
	err := os.WriteFile(policy, []byte(document), 0o600)
	if err == nil && seal.PinKey != "" {
		err = os.WriteFile(key, []byte(seal.PinKey), 0o600)
		arguments = append(arguments, "--key-file", key)
	}
	if err != nil {
		t.Fatal(err)
	}
	target := os.Getenv("CARGO_TARGET_DIR")
	if target == "" {
		target = filepath.Join(root, "target")
	}
	// scripts/bindings/go-build builds it beside the library.
	script, err := exec.Command(filepath.Join(target, "checked", "haltsql"), arguments...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// attempt makes one statement, and then another tenant's turn on the same connection, which says more where it is not as it should be.
func attempt(guard *pgxguard.Guard, conn *pgx.Conn, one hostile, tenant string) (came, then string) {
	ctx := context.Background()
	run := pgxguard.GuardedQueryTx[*pgx.Conn]
	if one.Writable {
		run = pgxguard.GuardedExecTx[*pgx.Conn]
	}
	came = outcome(run(ctx, guard, conn, haltsql.Context{"tenant_id": "acme"}, one.SQL))
	next, err := pgxguard.GuardedQueryTx(ctx, guard, conn, haltsql.Context{"tenant_id": tenant}, "SELECT name FROM app.customers WHERE tenant_id = $1")
	switch {
	case err != nil:
		return came, "next_refused"
	case len(next.Texts) != 4 || isForeign(fmt.Sprint(texts(next.Texts)), strings.ToUpper(tenant)):
		return came, "next"
	default:
		return came, came
	}
}
