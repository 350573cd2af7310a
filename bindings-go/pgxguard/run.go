package pgxguard

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/internal/guards"
	"github.com/haltsql/haltsql-go/pgxguard/internal/bridge"
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
	return singleOn(ctx, guard, held(conn), who, sql, false)
}

// GuardedExec is [GuardedQuery] for a text that may write. The caller commits; nothing is pinned.
func GuardedExec[C Conn](ctx context.Context, guard *Guard, conn C, who haltsql.Context, sql string) (*Rows, error) {
	return singleOn(ctx, guard, held(conn), who, sql, true)
}

// lend lends the connection behind a source for one piece of work. Its own error counts where the work was not begun.
type lend = bridge.Lend

func init() {
	bridge.Transact = func(ctx context.Context, guard any, lend lend, who haltsql.Context, sql string, writable bool, each func([]any) error) (*Result, error) {
		own, _ := guard.(*Guard)
		return transactOn(ctx, own, lend, who, sql, writable, each)
	}
	bridge.Single = func(ctx context.Context, guard any, lend lend, who haltsql.Context, sql string, writable bool) (*Rows, error) {
		own, _ := guard.(*Guard)
		return singleOn(ctx, own, lend, who, sql, writable)
	}
}

func transact[S Source](ctx context.Context, guard *Guard, source S, who haltsql.Context, sql string, writable bool, each func([]any) error) (*Result, error) {
	return transactOn(ctx, guard, func(ctx context.Context, work func(*pgx.Conn)) error {
		conn := own(source)
		if pool, ok := any(source).(*pgxpool.Pool); ok && pool != nil {
			acquired, err := pool.Acquire(ctx)
			if err != nil {
				return err
			}
			// A connection that is closed, busy or in a transaction is not kept by the pool.
			defer acquired.Release()
			conn = acquired.Conn()
		}
		work(conn)
		return nil
	}, who, sql, writable, each)
}

// transactOn verifies before it asks for a connection: for a denied text nobody has to be there.
func transactOn(ctx context.Context, guard *Guard, lend lend, who haltsql.Context, sql string, writable bool, each func([]any) error) (result *Result, err error) {
	if guard == nil || guard.core == nil {
		return nil, misuse("there is no guard: one comes from New")
	}
	session, err := guard.core.Session(who, writable)
	if err != nil {
		return nil, err
	}
	statement, err := session.Statement(sql)
	if err != nil {
		return nil, err
	}
	if problem := guard.with(ctx, lend, func(conn *pgx.Conn) {
		result, err = (&flow{guard: guard, session: session, statement: statement, conn: conn, each: each}).run(ctx)
	}); problem != nil {
		return nil, problem
	}
	return result, err
}

// with does work on a connection that is lent. An error: it was not begun.
func (g *Guard) with(ctx context.Context, lend lend, work func(*pgx.Conn)) error {
	begun := false
	problem := lend(ctx, func(conn *pgx.Conn) {
		begun = true
		work(conn)
	})
	if begun || problem == nil {
		return nil
	}
	return g.translated(ctx, problem)
}

func singleOn(ctx context.Context, guard *Guard, lend lend, who haltsql.Context, sql string, writable bool) (rows *Rows, err error) {
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
	if problem := guard.with(ctx, lend, func(conn *pgx.Conn) {
		rows, err = single(ctx, guard, conn, session.Steps, statement)
	}); problem != nil {
		return nil, problem
	}
	return rows, err
}

func single(ctx context.Context, guard *Guard, conn *pgx.Conn, caps guards.Steps, statement *guards.Statement) (*Rows, error) {
	if err := usable(conn); err != nil {
		return nil, err
	}
	before := conn.PgConn().TxStatus()
	wire := &wire{conn, caps.MaxRows, caps.MaxResultBytes}
	answers, err := wire.send(ctx, statementOf(statement))
	if err != nil {
		// Without a transaction of the caller's, the server commits a statement by itself.
		if before == idle && statement.Run.Gate != nil && isUnanswered(err) {
			err = &doubtError{err}
		}
		return nil, guard.translated(ctx, err)
	}
	answer := answers[len(answers)-1]
	err = answer.is(statement.Run.Command)
	if err == nil && conn.PgConn().TxStatus() != before {
		err = guards.Broken("the transaction was ended from inside")
	}
	if err != nil {
		_ = conn.Close(ctx)
		return nil, err
	}
	return guards.Single(statement, &answer.Answer, caps.MaxRows, caps.MaxResultBytes), nil
}

// held lends a connection that the caller has.
func held[C Conn](conn C) lend {
	return func(_ context.Context, work func(*pgx.Conn)) error {
		work(own(conn))
		return nil
	}
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
