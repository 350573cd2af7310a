package guard

import (
	"context"
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
	"github.com/haltsql/haltsql-go/pgxguard/sqlguard"
)

// desk is one face for the guards of all drivers, so that each test is written once.
type desk struct {
	name string
	// pools says that it is one, which has another connection where one was closed.
	pools bool
	run   running
}

type running = func(ctx context.Context, who haltsql.Context, query string, writable bool, each func([]any) error) (*pgxguard.Result, error)

// desks are every source: a connection, a pool and a connection of it, of pgx and of database/sql. Each has one connection.
func desks(t testing.TB, server *server, guard *pgxguard.Guard, change ...func(*pgx.ConnConfig)) []desk {
	t.Helper()
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(server.dsn("shop", "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range change {
		change(config.ConnConfig)
	}
	config.MaxConns = 1
	pools := func() (*pgxpool.Pool, *sql.DB) {
		pool, err := pgxpool.NewWithConfig(ctx, config)
		if err != nil {
			t.Fatal(err)
		}
		database := sql.OpenDB(stdlib.GetConnector(*config.ConnConfig))
		database.SetMaxOpenConns(1)
		t.Cleanup(func() { pool.Close(); database.Close() })
		return pool, database
	}
	pool, database := pools()
	lender, other := pools()
	lent, err := lender.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lent.Release)
	held, err := other.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(ctx) })
	return []desk{
		{"pgx.Conn", false, pgxDesk(guard, conn)}, {"pgxpool.Conn", false, pgxDesk(guard, lent)}, {"pgxpool.Pool", true, pgxDesk(guard, pool)},
		{"sql.Conn", false, sqlDesk(guard, held)}, {"sql.DB", true, sqlDesk(guard, database)},
	}
}

func pgxDesk[S pgxguard.Source](guard *pgxguard.Guard, source S) running {
	return func(ctx context.Context, who haltsql.Context, query string, writable bool, each func([]any) error) (*pgxguard.Result, error) {
		switch {
		case each != nil && writable:
			return pgxguard.GuardedExecTxFunc(ctx, guard, source, who, query, each)
		case each != nil:
			return pgxguard.GuardedQueryTxFunc(ctx, guard, source, who, query, each)
		case writable:
			return pgxguard.GuardedExecTx(ctx, guard, source, who, query)
		default:
			return pgxguard.GuardedQueryTx(ctx, guard, source, who, query)
		}
	}
}

func sqlDesk[S sqlguard.Source](guard *pgxguard.Guard, source S) running {
	return func(ctx context.Context, who haltsql.Context, query string, writable bool, each func([]any) error) (*pgxguard.Result, error) {
		switch {
		case each != nil && writable:
			return sqlguard.GuardedExecTxFunc(ctx, guard, source, who, query, each)
		case each != nil:
			return sqlguard.GuardedQueryTxFunc(ctx, guard, source, who, query, each)
		case writable:
			return sqlguard.GuardedExecTx(ctx, guard, source, who, query)
		default:
			return sqlguard.GuardedQueryTx(ctx, guard, source, who, query)
		}
	}
}

func (d desk) query(who haltsql.Context, query string) (*pgxguard.Result, error) {
	return d.run(context.Background(), who, query, false, nil)
}

func (d desk) exec(who haltsql.Context, query string) (*pgxguard.Result, error) {
	return d.run(context.Background(), who, query, true, nil)
}

func guardOf(t testing.TB, policy *haltsql.Policy, options *pgxguard.Options) *pgxguard.Guard {
	t.Helper()
	guard, err := pgxguard.New(policy, options)
	if err != nil {
		t.Fatal(err)
	}
	return guard
}

func pool(t testing.TB, server *server, size int32) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(server.dsn("shop", "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = size
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// texts are a result's rows, a NULL as <null>.
func texts(rows [][]*string) (all [][]string) {
	for _, row := range rows {
		var one []string
		for _, text := range row {
			if text == nil {
				one = append(one, "<null>")
			} else {
				one = append(one, *text)
			}
		}
		all = append(all, one)
	}
	return all
}

func sqlConn(t testing.TB, server *server) *sql.Conn {
	t.Helper()
	database, err := sql.Open("pgx", server.dsn("shop", "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { database.Close() })
	conn, err := database.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
