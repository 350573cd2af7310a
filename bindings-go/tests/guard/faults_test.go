package guard

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
)

const (
	long    = "SELECT pg_sleep(30)"
	asleep  = "SELECT count(*)::int FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()"
	opened  = "SELECT count(*)::int FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
	stateOf = "SELECT state FROM app.session_state"
)

// waitFor waits until a query's number is what it should be.
func waitFor(t testing.TB, server *server, query string, number int) {
	t.Helper()
	for range 600 {
		if server.ask(t, query) == number {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%s is never %d", query, number)
}

func TestACancelledContextCancelsOnTheServer(t *testing.T) {
	server := common(t)
	for _, desk := range desks(t, server, guardOf(t, policy(t, "statement_timeout_ms: 60000"), nil)) {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			waitFor(t, server, asleep, 1)
			cancel()
		}()
		_, err := desk.run(ctx, acme, long, false, nil)
		if lost := new(haltsql.ConnectionError); !errors.As(err, &lost) || !errors.Is(err, context.Canceled) {
			t.Error(desk.name, err)
		}
		waitFor(t, server, asleep, 0)
		waitFor(t, server, opened, 0)
		// Pools have another connection; one that was held is clean or closed.
		_, err = desk.query(acme, own)
		if lost := new(haltsql.ConnectionError); err != nil && (desk.name == "pgxpool.Pool" || desk.name == "sql.DB" || !errors.As(err, &lost)) {
			t.Error(desk.name, err)
		}
	}
	// It had ended before anything began, which leaves the connection as it was.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, desk := range desks(t, server, guardOf(t, policy(t), nil)) {
		if _, err := desk.run(ctx, acme, own, false, nil); !errors.Is(err, context.Canceled) {
			t.Error(desk.name, err)
		}
		if _, err := desk.query(acme, own); err != nil {
			t.Error(desk.name, err)
		}
	}
}

func TestTimeoutsOfThePolicyAndCancelsFromOutsideLeaveTheConnection(t *testing.T) {
	server := common(t)
	for _, desk := range desks(t, server, guardOf(t, policy(t, "statement_timeout_ms: 200"), nil)) {
		_, err := desk.query(acme, long)
		if said := new(haltsql.DatabaseError); !errors.As(err, &said) || said.SQLState != "57014" {
			t.Error(desk.name, err)
		}
		if _, err := desk.query(acme, own); err != nil {
			t.Error(desk.name, err)
		}
	}
}

func TestAKilledBackendIsAnErrorAndPoolsGoOn(t *testing.T) {
	server := common(t)
	for _, desk := range desks(t, server, guardOf(t, policy(t, "statement_timeout_ms: 60000"), nil)) {
		go func() {
			waitFor(t, server, asleep, 1)
			server.ask(t, "SELECT count(pg_terminate_backend(pid))::int FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()")
		}()
		_, err := desk.query(acme, long)
		said, lost := new(haltsql.DatabaseError), new(haltsql.ConnectionError)
		if !(errors.As(err, &said) && said.SQLState == "57P01") && !errors.As(err, &lost) {
			t.Error(desk.name, err)
		}
		waitFor(t, server, asleep, 0)
		_, err = desk.query(acme, own)
		if held := desk.name == "pgx.Conn" || desk.name == "sql.Conn"; held != errors.As(err, &lost) {
			t.Error(desk.name, err)
		}
	}
}

func TestAnExhaustedPoolSaysSo(t *testing.T) {
	pool := pool(t, common(t), 1)
	held, err := pool.Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	guard := guardOf(t, policy(t), nil)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = pgxguard.GuardedQueryTx(ctx, guard, pool, acme, own)
	if lost := new(haltsql.ConnectionError); !errors.As(err, &lost) || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	held.Release()
	if _, err := pgxguard.GuardedQueryTx(context.Background(), guard, pool, acme, own); err != nil {
		t.Error(err)
	}
}

// What another has done to the session before cannot change what a verified text means.
func TestAHostileSessionIsPinnedOrRefused(t *testing.T) {
	server := shop(t)
	guard := guardOf(t, policy(t), nil)
	ctx := context.Background()
	for _, before := range []string{
		"CREATE TEMP TABLE orders (id int, tenant_id text, note text); INSERT INTO orders VALUES (2, 'acme', 'forged'), (4, 'acme', 'forged')",
		"SET search_path = pg_temp, public", "SET standard_conforming_strings = off", "SET default_transaction_isolation = 'serializable'",
		"SET default_transaction_read_only = on", "SET DateStyle = 'SQL, DMY'", "SET row_security = off", "SET statement_timeout = 1000000",
		"PREPARE s AS SELECT 1; DECLARE c CURSOR WITH HOLD FOR SELECT 1", "SET transform_null_equals = on", "SET quote_all_identifiers = on",
	} {
		conn := connect(t, server.dsn("shop", "postgres"))
		if _, err := conn.PgConn().Exec(ctx, before).ReadAll(); err != nil {
			t.Fatal(before, err)
		}
		result, err := pgxguard.GuardedQueryTx(ctx, guard, conn, acme, "SELECT id, note FROM orders WHERE tenant_id = $1 ORDER BY id LIMIT 2")
		if err != nil || fmt.Sprint(texts(result.Texts)) != "[[2 n2] [4 n4]]" {
			t.Error(before, result, err)
		}
		if _, err := pgxguard.GuardedExecTx(ctx, guard, conn, acme, "UPDATE app.orders SET note = note WHERE tenant_id = $1"); err != nil {
			t.Error(before, err)
		}
	}
	// The transaction of a simple-protocol mode is refused or pinned all the same: nothing here goes through pgx's modes.
	simple := connect(t, server.dsn("shop", "postgres", "default_query_exec_mode=simple_protocol"))
	if result, err := pgxguard.GuardedQueryTx(ctx, guard, simple, acme, own); err != nil || result.RowCount != 2 {
		t.Error(result, err)
	}
	// pgx looks a text up among the names of prepared statements first. Guards do not.
	named := connect(t, server.dsn("shop", "postgres"))
	if _, err := named.Prepare(ctx, own, "SELECT 0 AS id, 'forged' AS note"); err != nil {
		t.Fatal(err)
	}
	if result, err := pgxguard.GuardedQueryTx(ctx, guard, named, acme, own); err != nil || fmt.Sprint(texts(result.Texts)) != "[[2 n2] [4 n4]]" {
		t.Error(result, err)
	}
}

func TestAMissingSchemaIsABrokenSealAndClosesTheConnection(t *testing.T) {
	server := shop(t)
	server.run(t, "shop", "CREATE ROLE nobody LOGIN; REVOKE ALL ON SCHEMA app FROM PUBLIC")
	conn := connect(t, server.dsn("shop", "nobody"))
	_, err := pgxguard.GuardedQueryTx(context.Background(), guardOf(t, policy(t), nil), conn, acme, own)
	if !errors.Is(err, haltsql.ErrSeal) || !conn.IsClosed() {
		t.Error(err, conn.IsClosed())
	}
}

func TestAThousandTransactionsLeaveNothingBehind(t *testing.T) {
	server := shop(t)
	pool := pool(t, server, 4)
	guard := guardOf(t, policy(t, "settings: { app.owner: '{context.tenant_id}' }"), nil)
	state := func() string {
		result, err := pgxguard.GuardedQueryTx(context.Background(), guard, pool, acme, stateOf)
		if err != nil {
			t.Error(err)
			return err.Error()
		}
		return *result.Texts[0][0]
	}
	before := state()
	texts := []string{
		own, "SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1", "SELECT id FROM app.orders",
		"SELECT mood FROM app.orders WHERE tenant_id = $1 AND id < 5", "UPDATE app.orders SET note = note WHERE tenant_id = $1 AND id = 2",
	}
	var workers sync.WaitGroup
	for first := range 8 {
		workers.Go(func() {
			for number := first; number < 1000; number += 8 {
				ctx, cancel := context.WithCancel(context.Background())
				if number%50 == first {
					// Somewhere: before, in the middle or after.
					time.AfterFunc(time.Duration(rand.Intn(5000))*time.Microsecond, cancel)
				}
				var err error
				if number%5 == 4 {
					_, err = pgxguard.GuardedExecTx(ctx, guard, pool, acme, texts[4])
				} else {
					_, err = pgxguard.GuardedQueryTx(ctx, guard, pool, acme, texts[number%4])
				}
				cancel()
				said, denied := new(haltsql.DatabaseError), new(haltsql.DeniedError)
				if err != nil && !errors.As(err, &said) && !errors.As(err, &denied) && !errors.Is(err, context.Canceled) {
					t.Error(number, err)
				}
			}
		})
	}
	workers.Wait()
	for range 8 {
		if after := state(); after != before {
			t.Errorf("before: %s\nafter: %s", before, after)
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
