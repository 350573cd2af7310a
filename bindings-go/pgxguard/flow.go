package pgxguard

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/internal/guards"
)

// The states of a connection, as the server says them.
const (
	idle = 'I'
	open = 'T'
)

// endWithin is how long ROLLBACK may take after the caller's context has ended.
const endWithin = 10 * time.Second

// flow is one transaction: begin, pin and statement in one round trip, and always an end.
type flow struct {
	guard     *Guard
	session   *guards.Session
	statement *guards.Statement
	conn      *pgx.Conn
	each      func([]any) error
}

func (f *flow) run(ctx context.Context) (*Result, error) {
	if err := usable(f.conn); err != nil {
		return nil, err
	}
	if f.conn.PgConn().TxStatus() != idle {
		return nil, misuse("a transaction is open on the connection: end it before, or use GuardedQuery for a statement in one's own")
	}
	result, err := f.begun(ctx)
	if err != nil {
		return nil, f.guard.translated(ctx, err)
	}
	return result, nil
}

// begun runs the transaction. However it is left, by a panic of a callback too, no transaction stays open.
func (f *flow) begun(ctx context.Context) (result *Result, err error) {
	ended := false
	defer func() {
		if !ended {
			f.rollBack(ctx, err)
		}
	}()
	wire := &wire{f.conn, f.session.Steps.MaxRows, f.session.Steps.MaxResultBytes}
	if err := f.checkSeal(ctx, wire); err != nil {
		return nil, err
	}
	database, err := f.database(ctx, wire)
	if err != nil {
		return nil, err
	}
	pin, err := f.session.Pin(database)
	if err != nil {
		return nil, err
	}
	// One Sync ends all of it: where one of them fails, the server passes over those behind it.
	messages := append([]message{{sql: f.session.Steps.Begin}, textual(pin.SQL, pin.Params...)}, statementOf(f.statement)...)
	answers, err := wire.send(ctx, messages)
	if err != nil {
		return nil, err
	}
	pinned, err := f.session.ReadPin(answers[1].Texts)
	if err != nil {
		return nil, err
	}
	answer := answers[len(answers)-1]
	if err := answer.is(f.statement.Run.Command); err != nil {
		return nil, err
	}
	if err := f.isOpen(); err != nil {
		return nil, err
	}
	if result, err = f.result(ctx, wire, pinned, answer); err != nil {
		return nil, err
	}
	if f.each != nil {
		rows, err := result.Values()
		if err != nil {
			return nil, &callbackError{err}
		}
		for _, row := range rows {
			if err := f.each(row); err != nil {
				return nil, &callbackError{err}
			}
		}
	}
	// A callback may have used the connection all the same.
	if err := f.isOpen(); err != nil {
		return nil, err
	}
	end := f.session.Steps.Rollback
	if f.statement.Run.Gate != nil {
		end = f.session.Steps.Commit
	}
	answers, err = wire.send(ctx, []message{{sql: end}})
	if err != nil {
		if f.statement.Run.Gate != nil && isUnanswered(err) {
			err = &doubtError{err}
		}
		return nil, err
	}
	if err := answers[0].is(end); err != nil || f.conn.PgConn().TxStatus() != idle {
		return nil, guards.Broken(end + " did not end the transaction: nothing was written")
	}
	ended = true
	return result, nil
}

// isOpen says whether the transaction is still the one that was begun.
func (f *flow) isOpen() error {
	if f.conn.PgConn().TxStatus() != open {
		return guards.Broken("the transaction was ended from inside")
	}
	return nil
}

func (f *flow) result(ctx context.Context, wire *wire, pinned guards.Pinned, answer *answer) (*Result, error) {
	result, unnamed, err := f.session.Result(f.statement, pinned, &answer.Answer, nil)
	if err != nil || unnamed == "" {
		return result, err
	}
	answers, err := wire.all(ctx, []message{textual(f.session.Steps.TypeNames, unnamed)})
	if err != nil {
		return nil, err
	}
	result, unnamed, err = f.session.Result(f.statement, pinned, &answer.Answer, answers[0].Texts)
	if err == nil && unnamed != "" {
		err = guards.Broken("the server does not know the types of its own result")
	}
	return result, err
}

// known is what was found out about a connection, kept with it.
type known string

// checkSeal asks once on each connection whether the database is sealed as the policy says.
func (f *flow) checkSeal(ctx context.Context, wire *wire) error {
	check := f.session.Seal
	if check == nil {
		return nil
	}
	key := "haltsql seal " + strings.Join(check.Params, " ") + " " + f.guard.Policy().Version()
	if _, done := f.conn.PgConn().CustomData()[key].(known); done {
		return nil
	}
	answers, err := wire.all(ctx, []message{{sql: check.Begin}, {sql: check.Pin}, textual(check.SQL, check.Params...), {sql: check.End}})
	if err != nil {
		return err
	}
	if err := f.session.ReadSeal(answers[2].Texts); err != nil {
		return err
	}
	f.conn.PgConn().CustomData()[key] = known("sealed")
	return nil
}

// database is the name that a signed pin has in it.
func (f *flow) database(ctx context.Context, wire *wire) (string, error) {
	const key = "haltsql database"
	if !f.session.NeedsDatabase() {
		return "", nil
	}
	if name, ok := f.conn.PgConn().CustomData()[key].(known); ok {
		return string(name), nil
	}
	answers, err := wire.all(ctx, []message{{sql: f.session.Steps.Hello}})
	if err != nil {
		return "", err
	}
	rows := answers[0].Texts
	if len(rows) != 1 || len(rows[0]) != 1 || rows[0][0] == nil {
		return "", guards.Broken("the server does not say which database this is")
	}
	f.conn.PgConn().CustomData()[key] = known(*rows[0][0])
	return *rows[0][0], nil
}

// rollBack leaves a connection without a transaction, or closes it: where even ROLLBACK fails, or the session is not to be trusted.
func (f *flow) rollBack(ctx context.Context, problem error) {
	server := f.conn.PgConn()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	if f.isBroken(problem) {
		_ = f.conn.Close(ctx)
	}
	if server.IsClosed() {
		return
	}
	// What was sent along was passed over, so the status says what there is to end.
	if server.TxStatus() != idle && !server.IsBusy() {
		_, _ = (&wire{conn: f.conn}).all(ctx, []message{{sql: f.session.Steps.Rollback}})
	}
	if server.IsBusy() || server.TxStatus() != idle {
		_ = f.conn.Close(ctx)
	}
}

// isBroken says whether an error means that the session is not what the policy describes.
func (f *flow) isBroken(problem error) bool {
	var said *pgconn.PgError
	if errors.As(problem, &said) {
		problem = f.guard.core.Redacted(said.Code, said.Message, said.Detail, said.Hint)
	}
	return errors.Is(problem, haltsql.ErrSeal)
}
