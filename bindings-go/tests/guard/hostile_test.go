package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// The hostile suite through the guard, without a seal: nothing is sent that the verifier did not allow, and the next turn is right.
func TestTheHostileSuite(t *testing.T) {
	folder := []string{root, "conformance", "hostile"}
	var cases []hostile
	for _, line := range strings.Split(strings.TrimSpace(read(t, append(folder, "statements.jsonl")...)), "\n") {
		var one hostile
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, one)
	}
	if len(cases) < 250 {
		t.Fatal(len(cases))
	}
	var seals map[string]struct {
		Execution json.RawMessage
		User      string
	}
	if err := json.Unmarshal([]byte(read(t, append(folder, "seals.json")...)), &seals); err != nil {
		t.Fatal(err)
	}
	policy := policyOf(t, read(t, append(folder, "policy.yaml")...)+"  execution: "+string(seals["none"].Execution)+"\n")
	guard := guardOf(t, policy, &pgxguard.Options{ShowErrors: true})
	rows := read(t, append(folder, "rows.sql")...)
	passed, failed := 0, 0
	statements, outcomes := map[string]int{}, map[string]map[string]bool{}
	for _, variable := range []string{"HALTSQL_TEST_PG", "HALTSQL_TEST_PG16"} {
		server, stop := start(t, variable)
		server.run(t, "postgres", "CREATE DATABASE shop")
		server.run(t, "shop", read(t, append(folder, "database.sql")...))
		server.run(t, "shop", rows)
		conn := connect(t, server.dsn("shop", seals["none"].User))
		for _, one := range cases {
			if one.Session != nil {
				// What somebody else left behind, on a connection that is given up afterwards.
				_ = conn.Close(context.Background())
				conn = connect(t, server.dsn("shop", seals["none"].User))
				for _, before := range one.Session {
					// Some of it takes more rights than this user has.
					_, _ = conn.PgConn().Exec(context.Background(), before).ReadAll()
				}
			}
			came, problem := attempt(t, guard, conn, one)
			if expected := one.Expect["none"]["guard"]; came == "leak" || (expected != nil && !slices.Contains(expected, came)) {
				problem = fmt.Sprintf("%s, and not %v", came, expected)
			}
			if problem != "" {
				failed++
				t.Errorf("%s %s: %s: %s", variable, one.ID, problem, one.SQL)
			} else {
				passed++
			}
			statements[one.Scenario]++
			if outcomes[one.Scenario] == nil {
				outcomes[one.Scenario] = map[string]bool{}
			}
			outcomes[one.Scenario][came] = true
			if came == "harmless" && one.Writable {
				server.run(t, "shop", rows)
			}
			if one.Session != nil || conn.IsClosed() {
				_ = conn.Close(context.Background())
				conn = connect(t, server.dsn("shop", seals["none"].User))
			}
		}
		conn.Close(context.Background())
		stop()
	}
	for scenario, count := range statements {
		fmt.Printf("hostile name=go scenario=%s statements=%d outcomes=%d\n", scenario, count, len(outcomes[scenario]))
	}
	fmt.Printf("hostile name=go passed=%d failed=%d\n", passed, failed)
}

// attempt makes one statement, and then another tenant's turn on the same connection.
func attempt(t *testing.T, guard *pgxguard.Guard, conn *pgx.Conn, one hostile) (came, problem string) {
	t.Helper()
	ctx := context.Background()
	run := pgxguard.GuardedQueryTx[*pgx.Conn]
	if one.Writable {
		run = pgxguard.GuardedExecTx[*pgx.Conn]
	}
	came = outcome(run(ctx, guard, conn, haltsql.Context{"tenant_id": "acme"}, one.SQL))
	next, err := pgxguard.GuardedQueryTx(ctx, guard, conn, haltsql.Context{"tenant_id": "globex"}, "SELECT name FROM app.customers WHERE tenant_id = $1")
	refused := errors.Is(err, haltsql.ErrSeal) || errors.Is(err, haltsql.ErrArgument) || conn.IsClosed()
	switch {
	case err != nil && !(one.Session != nil && refused):
		problem = "the next turn ended with " + err.Error()
	case err == nil && (len(next.Texts) != 4 || isForeign(fmt.Sprint(texts(next.Texts)), "GLOBEX")):
		problem = fmt.Sprintf("the next turn saw %v", texts(next.Texts))
	}
	return came, problem
}
