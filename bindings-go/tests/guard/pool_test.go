package guard

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
	"github.com/haltsql/haltsql-go/pgxguard/sqlguard"
)

func TestAnExhaustedPoolSaysSo(t *testing.T) {
	server := common(t)
	guard := guardOf(t, policy(t), nil)
	ctx := context.Background()
	pool, database := pool(t, server, 1), databaseOf(t, server.dsn("shop", "postgres"))
	database.SetMaxOpenConns(1)
	held, err := pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	taken, err := database.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	run := func(ctx context.Context) (errs [2]error) {
		_, errs[0] = pgxguard.GuardedQueryTx(ctx, guard, pool, acme, own)
		_, errs[1] = sqlguard.GuardedQueryTx(ctx, guard, database, acme, own)
		return errs
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	for _, err := range run(short) {
		if lost := new(haltsql.ConnectionError); !errors.As(err, &lost) || !errors.Is(err, context.DeadlineExceeded) || lost.InDoubt {
			t.Error(err)
		}
	}
	held.Release()
	if err := taken.Close(); err != nil {
		t.Error(err)
	}
	for _, err := range run(ctx) {
		if err != nil {
			t.Error(err)
		}
	}
	if stat := pool.Stat(); stat.AcquiredConns() != 0 || database.Stats().InUse != 0 {
		t.Error("a connection was not given back")
	}
}

// A source without a server: errors are those of every guard, and for a denied text nobody has to be there.
func TestAServerThatIsNotThereIsAnError(t *testing.T) {
	server := common(t)
	guard := guardOf(t, policy(t), nil)
	ctx := context.Background()
	for dsn, expect := range map[string]func(error) bool{
		server.dsn("nowhere", "postgres"): func(err error) bool {
			said := new(haltsql.DatabaseError)
			return errors.As(err, &said) && said.SQLState == "3D000"
		},
		"user=postgres dbname=shop host=" + filepath.Join(t.TempDir(), "nobody"): func(err error) bool {
			lost := new(haltsql.ConnectionError)
			return errors.As(err, &lost) && !lost.InDoubt && lost.Cause == nil
		},
	} {
		pool, err := pgxpool.New(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		database := databaseOf(t, dsn)
		for _, desk := range []desk{{"pgxpool.Pool", true, pgxDesk(guard, pool)}, {"sql.DB", true, sqlDesk(guard, database)}} {
			if _, err := desk.query(acme, own); !expect(err) {
				t.Error(desk.name, err)
			}
			if _, err := desk.query(acme, "SELECT note FROM app.orders"); !errors.As(err, new(*haltsql.DeniedError)) {
				t.Error(desk.name, err)
			}
		}
	}
	shown := guardOf(t, policy(t), &pgxguard.Options{ShowErrors: true})
	lost := new(haltsql.ConnectionError)
	if _, err := sqlguard.GuardedQueryTx(ctx, shown, databaseOf(t, "host=/nowhere user=postgres"), acme, own); !errors.As(err, &lost) || lost.Cause == nil {
		t.Error(err)
	}
}

func TestConnectionsThatDiedWhileIdleAreReplaced(t *testing.T) {
	server := shop(t)
	all := desks(t, server, guardOf(t, policy(t), nil))
	for _, desk := range all {
		if _, err := desk.query(acme, own); err != nil {
			t.Fatal(desk.name, err)
		}
	}
	const others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
	server.ask(t, "SELECT count(pg_terminate_backend(pid))::int "+others)
	waitFor(t, server, "SELECT count(*)::int "+others, 0)
	for _, desk := range all {
		said, lost := new(haltsql.DatabaseError), new(haltsql.ConnectionError)
		// It is found out at the first use, unless the pool asked before; then there is another.
		if _, err := desk.query(acme, own); err != nil && !errors.As(err, &lost) && !(errors.As(err, &said) && said.SQLState == "57P01") {
			t.Error(desk.name, err)
		}
		if _, err := desk.query(acme, own); desk.pools == (err != nil) {
			t.Error(desk.name, err)
		}
	}
}

func TestWhatCannotBeUsedIsRefused(t *testing.T) {
	server := common(t)
	guard := guardOf(t, policy(t), nil)
	ctx := context.Background()
	argument := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, haltsql.ErrArgument) {
			t.Error(what, err)
		}
	}
	_, err := sqlguard.GuardedQueryTx(ctx, guard, sql.OpenDB(other{}), acme, own)
	argument("another driver", err)
	_, err = sqlguard.GuardedQueryTx(ctx, guard, (*sql.DB)(nil), acme, own)
	argument("nil", err)
	_, err = sqlguard.GuardedQuery(ctx, guard, nil, acme, own)
	argument("nil", err)
	_, err = sqlguard.GuardedQueryTx(ctx, nil, databaseOf(t, server.dsn("shop", "postgres")), acme, own)
	argument("no guard", err)
	_, err = pgxguard.GuardedQuery(ctx, &pgxguard.Guard{}, (*pgx.Conn)(nil), acme, own)
	argument("no guard", err)
	_, err = pgxguard.GuardedQueryTx(ctx, guard, (*pgxpool.Pool)(nil), acme, own)
	argument("nil", err)
	_, err = pgxguard.GuardedQueryTx(ctx, guard, (*pgxpool.Conn)(nil), acme, own)
	argument("nil", err)

	conn := connect(t, server.dsn("shop", "postgres"))
	rows, err := conn.Query(ctx, "SELECT generate_series(1, 10)")
	if err != nil {
		t.Fatal(err)
	}
	_, err = pgxguard.GuardedQueryTx(ctx, guard, conn, acme, own)
	argument("busy", err)
	rows.Close()
	if _, err = pgxguard.GuardedQueryTx(ctx, guard, conn, acme, own); err != nil {
		t.Error(err)
	}
	// A callback that ends the transaction behind the guard's back gets no result, and no connection.
	_, err = pgxguard.GuardedExecTxFunc(ctx, guard, conn, acme, "UPDATE app.orders SET note = note WHERE tenant_id = $1 AND id = 2 RETURNING id", func([]any) error {
		_, err := conn.Exec(ctx, "ROLLBACK")
		return err
	})
	if !errors.Is(err, haltsql.ErrSeal) || !conn.IsClosed() {
		t.Error(err)
	}

	given := sqlConn(t, server)
	if err := given.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = sqlguard.GuardedQueryTx(ctx, guard, given, acme, own)
	if lost := new(haltsql.ConnectionError); !errors.As(err, &lost) {
		t.Error(err)
	}
}

func databaseOf(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	database, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { database.Close() })
	return database
}

// other is a driver that is not pgx's.
type other struct{}

func (o other) Connect(context.Context) (driver.Conn, error) { return o, nil }
func (o other) Driver() driver.Driver                        { return o }
func (o other) Open(string) (driver.Conn, error)             { return o, nil }
func (o other) Prepare(string) (driver.Stmt, error)          { return nil, io.EOF }
func (o other) Begin() (driver.Tx, error)                    { return nil, io.EOF }
func (o other) Close() error                                 { return nil }
