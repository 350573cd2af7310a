package guard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
)

const (
	long    = "SELECT pg_sleep(30)"
	asleep  = "SELECT count(*)::int FROM pg_stat_activity WHERE " + sleeps
	sleeps  = "datname = current_database() AND wait_event = 'PgSleep'"
	opened  = "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'"
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

// whenAsleep does something once a statement sleeps on the server, and says when that was done.
func whenAsleep(t testing.TB, server *server, act func()) (done func()) {
	var acting sync.WaitGroup
	acting.Go(func() {
		waitFor(t, server, asleep, 1)
		act()
	})
	return acting.Wait
}

// patient is a policy under which sleepers are not woken by its own timeout.
func patient(t testing.TB) *haltsql.Policy { return policy(t, "statement_timeout_ms: 60000") }

func TestTimeoutsOfThePolicyAndCancelsFromOutsideLeaveTheConnection(t *testing.T) {
	server := common(t)
	// All at the same time, and long enough for a busy machine: what follows has to end within it.
	short := desks(t, server, guardOf(t, policy(t, "statement_timeout_ms: 1500"), nil))
	late := make([]error, len(short))
	var waiting sync.WaitGroup
	for at, desk := range short {
		waiting.Go(func() { _, late[at] = desk.query(acme, long) })
	}
	waiting.Wait()
	for at, desk := range desks(t, server, guardOf(t, patient(t), nil)) {
		done := whenAsleep(t, server, func() {
			server.ask(t, "SELECT count(pg_cancel_backend(pid))::int FROM pg_stat_activity WHERE "+sleeps)
		})
		_, cancelled := desk.query(acme, long)
		done()
		for _, err := range []error{cancelled, late[at]} {
			if said := new(haltsql.DatabaseError); !errors.As(err, &said) || said.SQLState != "57014" {
				t.Error(desk.name, err)
			}
		}
		if _, err := desk.query(acme, own); err != nil {
			t.Error(desk.name, err)
		}
		if _, err := short[at].query(acme, own); err != nil {
			t.Error(desk.name, err)
		}
	}
	waitFor(t, server, opened, 0)
}

func TestAKilledBackendIsAnErrorAndPoolsGoOn(t *testing.T) {
	server := common(t)
	for _, desk := range desks(t, server, guardOf(t, patient(t), nil)) {
		done := whenAsleep(t, server, func() {
			server.ask(t, "SELECT count(pg_terminate_backend(pid))::int FROM pg_stat_activity WHERE "+sleeps)
		})
		_, err := desk.query(acme, long)
		done()
		said, lost := new(haltsql.DatabaseError), new(haltsql.ConnectionError)
		if !(errors.As(err, &said) && said.SQLState == "57P01") && !errors.As(err, &lost) {
			t.Error(desk.name, err)
		}
		waitFor(t, server, asleep, 0)
		if _, err = desk.query(acme, own); desk.pools == errors.As(err, &lost) {
			t.Error(desk.name, err)
		}
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
