package guard

import (
	"context"
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
	"github.com/haltsql/haltsql-go/pgxguard/sqlguard"
)

// desk is one face for the guards of all drivers, so that each test is written once.
type desk struct {
	name string
	run  func(ctx context.Context, who haltsql.Context, query string, writable bool, each func([]any) error) (*pgxguard.Result, error)
}

// desks are a connection and a pool of pgx, and both of database/sql. Each has one connection.
func desks(t testing.TB, server *server, guard *pgxguard.Guard) []desk {
	t.Helper()
	conn := connect(t, server.dsn("shop", "postgres"))
	pool := pool(t, server, 1)
	database := sql.OpenDB(stdlib.GetConnector(*conn.Config()))
	database.SetMaxOpenConns(1)
	t.Cleanup(func() { database.Close() })
	other := sql.OpenDB(stdlib.GetConnector(*conn.Config()))
	t.Cleanup(func() { other.Close() })
	held, err := other.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return []desk{
		{"pgx.Conn", pgxDesk(guard, conn)}, {"pgxpool.Pool", pgxDesk(guard, pool)},
		{"sql.DB", sqlDesk(guard, database)}, {"sql.Conn", sqlDesk(guard, held)},
	}
}

type running = func(context.Context, haltsql.Context, string, bool, func([]any) error) (*pgxguard.Result, error)

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
