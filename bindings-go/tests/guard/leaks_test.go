package guard

import (
	"context"
	"errors"
	"math/rand"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
)

// transactions is how many the test below runs: 10,000 in `make hostile`.
func transactions(t testing.TB) int {
	t.Helper()
	text := os.Getenv("HALTSQL_TEST_TRANSACTIONS")
	if text == "" {
		return 1000
	}
	count, err := strconv.Atoi(text)
	if err != nil || count < 100 {
		t.Fatalf("HALTSQL_TEST_TRANSACTIONS is %q: a number from 100 on", text)
	}
	return count
}

// Two tenants take turns on four connections, by eight goroutines. Each sees its own rows, and nothing stays with a connection.
func TestManyTransactionsLeaveNothingBehind(t *testing.T) {
	server := shop(t)
	pool := pool(t, server, 4)
	guard := guardOf(t, policy(t, "settings: { app.owner: '{context.tenant_id}' }"), nil)
	tenants := []string{"acme", "globex"}
	contexts := map[string]haltsql.Context{}
	for _, tenant := range tenants {
		contexts[tenant] = haltsql.Context{"tenant_id": tenant, "account": "7", "teams": []string{"00000000-0000-0000-0000-000000000001"}}
	}
	state := func(tenant string) string {
		result, err := pgxguard.GuardedQueryTx(context.Background(), guard, pool, contexts[tenant], stateOf)
		if err != nil {
			t.Error(err)
			return err.Error()
		}
		return *result.Texts[0][0]
	}
	before := map[string]string{}
	for _, tenant := range tenants {
		before[tenant] = state(tenant)
	}
	if before["acme"] == before["globex"] {
		t.Error("the state does not show whose it is:", before)
	}
	reads := []string{
		"SELECT tenant_id, id FROM app.orders WHERE tenant_id = $1", "SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1",
		"SELECT id FROM app.orders", "SELECT tenant_id, mood FROM app.orders WHERE tenant_id = $1 AND id < 5",
	}
	const write = "UPDATE app.orders SET note = note WHERE tenant_id = $1 AND id < 5 RETURNING tenant_id"
	var workers sync.WaitGroup
	const goroutines = 8
	outcomes := make([]map[string]int, goroutines)
	for first, count := 0, transactions(t); first < goroutines; first++ {
		outcomes[first] = map[string]int{}
		workers.Go(func() {
			for number := first; number < count; number += goroutines {
				tenant := tenants[rand.Intn(2)]
				ctx, cancel := context.WithCancel(context.Background())
				if number%50 == first {
					// Somewhere: before, in the middle or after.
					time.AfterFunc(time.Duration(rand.Intn(5000))*time.Microsecond, cancel)
				}
				var result *pgxguard.Result
				var err error
				if number%5 == 4 {
					result, err = pgxguard.GuardedExecTx(ctx, guard, pool, contexts[tenant], write)
				} else {
					result, err = pgxguard.GuardedQueryTx(ctx, guard, pool, contexts[tenant], reads[number%4])
				}
				cancel()
				outcomes[first][sortOf(t, result, err, tenant)]++
			}
		})
	}
	workers.Wait()
	for _, kind := range []string{"rows", "denied", "database"} {
		sum := 0
		for _, counted := range outcomes {
			sum += counted[kind]
		}
		if sum < 20 {
			t.Errorf("%d times %s: the test shows little", sum, kind)
		}
	}
	for range 8 {
		for _, tenant := range tenants {
			if after := state(tenant); after != before[tenant] {
				t.Errorf("before: %s\nafter: %s", before[tenant], after)
			}
		}
	}
	waitFor(t, server, opened, 0)
	conn, err := pool.Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	var owner, path string
	err = conn.QueryRow(context.Background(), "SELECT coalesce(current_setting('app.owner', true), ''), current_setting('search_path')", pgx.QueryExecModeExec).Scan(&owner, &path)
	if err != nil || owner != "" || path != `"$user", public` {
		t.Error(owner, path, err)
	}
}

// sortOf says how a transaction ended, and fails where it has another tenant's rows or an error that it should not have.
func sortOf(t testing.TB, result *pgxguard.Result, err error, tenant string) string {
	said, denied := new(haltsql.DatabaseError), new(haltsql.DeniedError)
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.As(err, &denied):
		return "denied"
	case errors.As(err, &said):
		if said.SQLState != "22012" {
			t.Error(err)
		}
		return "database"
	case err != nil:
		t.Error(err)
		return "another"
	}
	if len(result.Texts) == 0 {
		t.Error("no rows of", tenant)
	}
	for _, row := range result.Texts {
		if *row[0] != tenant {
			t.Errorf("%s got a row of %s", tenant, *row[0])
		}
	}
	return "rows"
}
