package pgxguard

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	haltsql "github.com/haltsql/haltsql-go"
)

// callbackError is an error of the caller's own, which goes back as it is.
type callbackError struct{ error }

// doubtError is that of a COMMIT which was sent, and which the server did not answer.
type doubtError struct{ error }

// isUnanswered says whether a COMMIT that ended with this error may have been done: it was sent, and no error of the server's came that
// aborts it. One that ends the session, too, may come after the log was written.
func isUnanswered(problem error) bool {
	var said *pgconn.PgError
	if errors.As(problem, &said) {
		return said.SeverityUnlocalized != "ERROR"
	}
	return !pgconn.SafeToRetry(problem)
}

// translated is what the caller gets for an error.
func (g *Guard) translated(ctx context.Context, problem error) error {
	var callback *callbackError
	if errors.As(problem, &callback) {
		return callback.error
	}
	var ours *haltsql.Error
	var known *haltsql.ConnectionError
	if errors.As(problem, &ours) || errors.As(problem, &known) {
		return problem
	}
	cancelled := ctx.Err()
	var doubt *doubtError
	if errors.As(problem, &doubt) {
		return g.lost("COMMIT was sent and not answered: whether it was written is not known", cancelled, doubt.error, true)
	}
	var said *pgconn.PgError
	if errors.As(problem, &said) {
		redacted := g.core.Redacted(said.Code, said.Message, said.Detail, said.Hint)
		var database *haltsql.DatabaseError
		if errors.As(redacted, &database) {
			if g.core.ShowErrors() {
				database.Cause = problem
			}
			if cancelled != nil && said.Code == "57014" {
				database.Cause = cancelled
			}
		}
		return redacted
	}
	if cancelled != nil {
		return g.lost("the context ended before the transaction did: "+cancelled.Error(), cancelled, problem, false)
	}
	return g.lost("there is no connection, or it broke", nil, problem, false)
}

// lost is the error of a connection. The context's, where that ended the call, is for everybody; the driver's for operators.
func (g *Guard) lost(message string, cancelled, problem error, inDoubt bool) error {
	lost := &haltsql.ConnectionError{Message: message, InDoubt: inDoubt, Cause: cancelled}
	if cancelled == nil && g.core.ShowErrors() {
		lost.Cause = problem
	}
	return lost
}

// usable says whether something can be sent at all.
func usable(conn *pgx.Conn) error {
	switch {
	case conn == nil:
		return misuse("there is no connection: it is nil")
	case conn.IsClosed():
		return &haltsql.ConnectionError{Message: "the connection is closed"}
	case conn.PgConn().IsBusy():
		return misuse("the connection is busy: close what is being read from it")
	case conn.PgConn().ParameterStatus("client_encoding") != "UTF8":
		return misuse("the connection's client_encoding is not UTF8: connect with client_encoding=UTF8")
	}
	return nil
}
