package pgxguard

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/internal/guards"
)

// Source is where a transaction runs: a pool, or a connection on which nothing was begun.
type Source interface {
	*pgx.Conn | *pgxpool.Conn | *pgxpool.Pool
}

// Conn is a connection on which the caller has a transaction. Of a pgx.Tx it is what Conn() returns.
type Conn interface{ *pgx.Conn | *pgxpool.Conn }

// GuardedQueryTx verifies a text that reads and runs it in a read-only transaction of its own, which is always rolled back.
//
// It returns a [*haltsql.DeniedError], and sends nothing, where the verdict says no; a [*haltsql.DatabaseError], redacted, where PostgreSQL
// did; a [*haltsql.ConnectionError] where there is no connection or the context ended, which cancels on the server; and a
// [*haltsql.Error]: ErrSeal where session or database are not what the policy describes, ErrContext, ErrArgument. After any of them the
// connection has no transaction, or is closed.
func GuardedQueryTx[S Source](ctx context.Context, guard *Guard, source S, who haltsql.Context, sql string) (*Result, error) {
	return transact(ctx, guard, source, who, sql, false, nil)
}

// GuardedExecTx is [GuardedQueryTx] for a text that may write, in a transaction that is committed. The policy has to open writes.
func GuardedExecTx[S Source](ctx context.Context, guard *Guard, source S, who haltsql.Context, sql string) (*Result, error) {
	return transact(ctx, guard, source, who, sql, true, nil)
}

// GuardedQueryTxFunc is [GuardedQueryTx] with a callback for each row, as pgx's own values, before the transaction ends. Its error ends
// the call. The callback must not use the connection.
func GuardedQueryTxFunc[S Source](ctx context.Context, guard *Guard, source S, who haltsql.Context, sql string, each func(row []any) error) (*Result, error) {
	return transact(ctx, guard, source, who, sql, false, each)
}

// GuardedExecTxFunc is [GuardedExecTx] with a callback for each returned row, before COMMIT: where it returns an error, nothing is written.
func GuardedExecTxFunc[S Source](ctx context.Context, guard *Guard, source S, who haltsql.Context, sql string, each func(row []any) error) (*Result, error) {
	return transact(ctx, guard, source, who, sql, true, each)
}

// GuardedQuery verifies a text that reads and runs it in the caller's own transaction, for callers who own theirs.
//
// Nothing is pinned: that search_path and the other settings are what the policy says is the caller's to see to, and there is no
// receipt. [GuardedQueryTx] does both. The errors are the same.
func GuardedQuery[C Conn](ctx context.Context, guard *Guard, conn C, who haltsql.Context, sql string) (*Rows, error) {
	return single(ctx, guard, own(conn), who, sql, false)
}

// GuardedExec is [GuardedQuery] for a text that may write. The caller commits; nothing is pinned.
func GuardedExec[C Conn](ctx context.Context, guard *Guard, conn C, who haltsql.Context, sql string) (*Rows, error) {
	return single(ctx, guard, own(conn), who, sql, true)
}

func transact[S Source](ctx context.Context, guard *Guard, source S, who haltsql.Context, sql string, writable bool, each func([]any) error) (*Result, error) {
	session, statement, err := judged(guard, who, sql, writable)
	if err != nil {
		return nil, err
	}
	conn := own(source)
	if pool, ok := any(source).(*pgxpool.Pool); ok && pool != nil {
		acquired, err := pool.Acquire(ctx)
		if err != nil {
			return nil, guard.translated(ctx, err)
		}
		// A connection that is closed, busy or in a transaction is not kept by the pool.
		defer acquired.Release()
		conn = acquired.Conn()
	}
	if conn == nil {
		return nil, misuse("there is no connection: it is nil")
	}
	flow := &flow{guard: guard, session: session, statement: statement, conn: conn, each: each}
	return flow.run(ctx)
}

func judged(guard *Guard, who haltsql.Context, sql string, writable bool) (*guards.Session, *guards.Statement, error) {
	if guard == nil || guard.core == nil {
		return nil, nil, misuse("there is no guard: one comes from New")
	}
	session, err := guard.core.Session(who, writable)
	if err != nil {
		return nil, nil, err
	}
	statement, err := session.Statement(sql)
	return session, statement, err
}

func single(ctx context.Context, guard *Guard, conn *pgx.Conn, who haltsql.Context, sql string, writable bool) (*Rows, error) {
	if guard == nil || guard.core == nil {
		return nil, misuse("there is no guard: one comes from New")
	}
	session, err := guard.core.Session(who, writable)
	if err != nil {
		return nil, err
	}
	statement, err := guard.core.Statement(who, writable, sql)
	if err != nil {
		return nil, err
	}
	if err := usable(conn); err != nil {
		return nil, err
	}
	caps := session.Steps
	wire := &wire{conn, caps.MaxRows, caps.MaxResultBytes}
	answers, err := wire.send(ctx, statementOf(statement))
	if err != nil {
		return nil, guard.translated(ctx, err)
	}
	if err := answers[len(answers)-1].is(statement.Run.Command); err != nil {
		return nil, err
	}
	return guards.Single(statement, &answers[len(answers)-1].Answer, caps.MaxRows, caps.MaxResultBytes), nil
}

// own is the connection behind what was given; nil for a pool.
func own(source any) *pgx.Conn {
	switch source := source.(type) {
	case *pgx.Conn:
		return source
	case *pgxpool.Conn:
		if source != nil {
			return source.Conn()
		}
	}
	return nil
}

func misuse(message string) error { return &haltsql.Error{Code: haltsql.ErrArgument, Message: message} }
