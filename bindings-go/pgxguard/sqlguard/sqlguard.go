// Package sqlguard is pgxguard for database/sql with pgx/stdlib as its driver: guards, results and errors are the same.
//
// It never goes through database/sql's own calls, which hand arguments to the driver untouched.
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
)

// Source is where a transaction runs: a pool, or a connection on which nothing was begun.
type Source interface{ *sql.DB | *sql.Conn }

// GuardedQueryTx is [pgxguard.GuardedQueryTx].
func GuardedQueryTx[S Source](ctx context.Context, guard *pgxguard.Guard, source S, who haltsql.Context, query string) (*pgxguard.Result, error) {
	return raw(ctx, source, func(conn *pgx.Conn) (*pgxguard.Result, error) {
		return pgxguard.GuardedQueryTx(ctx, guard, conn, who, query)
	})
}

// GuardedExecTx is [pgxguard.GuardedExecTx].
func GuardedExecTx[S Source](ctx context.Context, guard *pgxguard.Guard, source S, who haltsql.Context, query string) (*pgxguard.Result, error) {
	return raw(ctx, source, func(conn *pgx.Conn) (*pgxguard.Result, error) {
		return pgxguard.GuardedExecTx(ctx, guard, conn, who, query)
	})
}

// GuardedQueryTxFunc is [pgxguard.GuardedQueryTxFunc].
func GuardedQueryTxFunc[S Source](ctx context.Context, guard *pgxguard.Guard, source S, who haltsql.Context, query string, each func(row []any) error) (*pgxguard.Result, error) {
	return raw(ctx, source, func(conn *pgx.Conn) (*pgxguard.Result, error) {
		return pgxguard.GuardedQueryTxFunc(ctx, guard, conn, who, query, each)
	})
}

// GuardedExecTxFunc is [pgxguard.GuardedExecTxFunc].
func GuardedExecTxFunc[S Source](ctx context.Context, guard *pgxguard.Guard, source S, who haltsql.Context, query string, each func(row []any) error) (*pgxguard.Result, error) {
	return raw(ctx, source, func(conn *pgx.Conn) (*pgxguard.Result, error) {
		return pgxguard.GuardedExecTxFunc(ctx, guard, conn, who, query, each)
	})
}

// GuardedQuery is [pgxguard.GuardedQuery]: nothing is pinned. The transaction is the caller's, begun on the connection that it has from
// DB.Conn.
func GuardedQuery(ctx context.Context, guard *pgxguard.Guard, conn *sql.Conn, who haltsql.Context, query string) (*pgxguard.Rows, error) {
	return raw(ctx, conn, func(conn *pgx.Conn) (*pgxguard.Rows, error) {
		return pgxguard.GuardedQuery(ctx, guard, conn, who, query)
	})
}

// GuardedExec is [pgxguard.GuardedExec]: nothing is pinned, and the caller commits.
func GuardedExec(ctx context.Context, guard *pgxguard.Guard, conn *sql.Conn, who haltsql.Context, query string) (*pgxguard.Rows, error) {
	return raw(ctx, conn, func(conn *pgx.Conn) (*pgxguard.Rows, error) {
		return pgxguard.GuardedExec(ctx, guard, conn, who, query)
	})
}

// raw runs something on the driver's own connection. database/sql keeps none that was closed.
func raw[R any](ctx context.Context, source any, work func(*pgx.Conn) (*R, error)) (result *R, err error) {
	conn, _ := source.(*sql.Conn)
	if pool, ok := source.(*sql.DB); ok && pool != nil {
		if conn, err = pool.Conn(ctx); err != nil {
			return nil, lost(ctx)
		}
		defer conn.Close()
	}
	if conn == nil {
		return nil, &haltsql.Error{Code: haltsql.ErrArgument, Message: "there is no connection: it is nil"}
	}
	ran := false
	outside := conn.Raw(func(held any) error {
		ran = true
		own, ok := held.(*stdlib.Conn)
		if !ok {
			err = &haltsql.Error{Code: haltsql.ErrArgument, Message: "the driver is not pgx/stdlib: open the database with it"}
			return nil
		}
		result, err = work(own.Conn())
		if own.Conn().IsClosed() {
			return driver.ErrBadConn
		}
		return nil
	})
	if !ran && outside != nil {
		if errors.Is(outside, sql.ErrConnDone) {
			return nil, &haltsql.ConnectionError{Message: "the connection was given back"}
		}
		return nil, lost(ctx)
	}
	return result, err
}

func lost(ctx context.Context) error {
	if cancelled := ctx.Err(); cancelled != nil {
		return &haltsql.ConnectionError{Message: "the context ended before there was a connection: " + cancelled.Error(), Cause: cancelled}
	}
	return &haltsql.ConnectionError{Message: "the pool has no connection"}
}
