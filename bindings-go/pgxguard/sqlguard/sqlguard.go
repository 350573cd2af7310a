// Package sqlguard is pgxguard for database/sql with pgx/stdlib as its driver: guards, results and errors are the same.
//
// Statements never go through database/sql's own calls, which hand arguments to the driver untouched: the driver's connection is
// borrowed by [sql.Conn.Raw].
package sqlguard

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
	"github.com/haltsql/haltsql-go/pgxguard/internal/bridge"
)

// Source is where a transaction runs: a pool, or a connection on which nothing was begun.
type Source interface{ *sql.DB | *sql.Conn }

// GuardedQueryTx is [pgxguard.GuardedQueryTx].
func GuardedQueryTx[S Source](ctx context.Context, guard *pgxguard.Guard, source S, who haltsql.Context, query string) (*pgxguard.Result, error) {
	return bridge.Transact(ctx, guard, lend(source), who, query, false, nil)
}

// GuardedExecTx is [pgxguard.GuardedExecTx].
func GuardedExecTx[S Source](ctx context.Context, guard *pgxguard.Guard, source S, who haltsql.Context, query string) (*pgxguard.Result, error) {
	return bridge.Transact(ctx, guard, lend(source), who, query, true, nil)
}

// GuardedQueryTxFunc is [pgxguard.GuardedQueryTxFunc].
func GuardedQueryTxFunc[S Source](ctx context.Context, guard *pgxguard.Guard, source S, who haltsql.Context, query string, each func(row []any) error) (*pgxguard.Result, error) {
	return bridge.Transact(ctx, guard, lend(source), who, query, false, each)
}

// GuardedExecTxFunc is [pgxguard.GuardedExecTxFunc].
func GuardedExecTxFunc[S Source](ctx context.Context, guard *pgxguard.Guard, source S, who haltsql.Context, query string, each func(row []any) error) (*pgxguard.Result, error) {
	return bridge.Transact(ctx, guard, lend(source), who, query, true, each)
}

// GuardedQuery is [pgxguard.GuardedQuery]: nothing is pinned. The transaction is the caller's, begun on the connection that it has from
// [sql.DB.Conn].
func GuardedQuery(ctx context.Context, guard *pgxguard.Guard, conn *sql.Conn, who haltsql.Context, query string) (*pgxguard.Rows, error) {
	return bridge.Single(ctx, guard, lend(conn), who, query, false)
}

// GuardedExec is [pgxguard.GuardedExec]: nothing is pinned, and the caller commits.
func GuardedExec(ctx context.Context, guard *pgxguard.Guard, conn *sql.Conn, who haltsql.Context, query string) (*pgxguard.Rows, error) {
	return bridge.Single(ctx, guard, lend(conn), who, query, true)
}

// lend lends the driver's own connection. database/sql keeps none that was closed.
func lend[S Source](source S) bridge.Lend {
	return func(ctx context.Context, work func(*pgx.Conn)) error {
		conn, _ := any(source).(*sql.Conn)
		if pool, ok := any(source).(*sql.DB); ok && pool != nil {
			taken, err := pool.Conn(ctx)
			if err != nil {
				return err
			}
			defer taken.Close()
			conn = taken
		}
		if conn == nil {
			work(nil)
			return nil
		}
		err := conn.Raw(func(driven any) error {
			own, ok := driven.(*stdlib.Conn)
			if !ok {
				return &haltsql.Error{Code: haltsql.ErrArgument, Message: "the driver is not pgx/stdlib: open the database with it"}
			}
			work(own.Conn())
			if own.Conn().IsClosed() {
				return driver.ErrBadConn
			}
			return nil
		})
		if errors.Is(err, sql.ErrConnDone) {
			return &haltsql.ConnectionError{Message: "the connection was given back"}
		}
		return err
	}
}
