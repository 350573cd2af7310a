package pgxguard

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/haltsql/haltsql-go/internal/guards"
)

const textOID = pgtype.TextOID

// message is a text for the extended protocol, as an unnamed statement.
type message struct {
	sql    string
	values [][]byte
	oids   []uint32
	// parse: it is parsed, and not run.
	parse bool
}

// textual is a text whose parameters are declared as text.
func textual(sql string, params ...string) message {
	sent := message{sql: sql}
	for _, param := range params {
		sent.values = append(sent.values, []byte(param))
		sent.oids = append(sent.oids, textOID)
	}
	return sent
}

// statementOf is a statement behind its gate.
func statementOf(statement *guards.Statement) []message {
	run := statement.Run
	sent := message{sql: run.Text}
	for _, param := range run.Params {
		var value []byte
		if param.Value != nil {
			value = []byte(*param.Value)
		}
		sent.values, sent.oids = append(sent.values, value), append(sent.oids, param.OID)
	}
	if run.Gate == nil {
		return []message{sent}
	}
	return []message{{sql: *run.Gate, oids: sent.oids, parse: true}, sent}
}

// answer is what came for a message.
type answer struct {
	guards.Answer
	tag string
}

// is says whether the server did what the verdict's kind is.
func (a *answer) is(command string) error {
	if word, _, _ := strings.Cut(a.tag, " "); word == command {
		return nil
	}
	return guards.Broken("another command came back than " + command)
}

// wire is a connection, and how much of a result is kept of it.
type wire struct {
	conn     *pgx.Conn
	maxRows  int
	maxBytes int
}

// all is send for the guard's own questions: their whole answer is kept.
func (w *wire) all(ctx context.Context, messages []message) ([]*answer, error) {
	return (&wire{w.conn, math.MaxInt - 1, math.MaxInt}).send(ctx, messages)
}

// send sends texts together with one Sync at their end, and returns an answer for each; or the first error, which stopped those
// behind it. pgx closes the connection, and cancels on the server, where the context ends.
func (w *wire) send(ctx context.Context, messages []message) (answers []*answer, err error) {
	started := time.Now()
	pipeline := w.conn.PgConn().StartPipeline(ctx)
	// Reads on to the end of what was sent, however this is left.
	defer func() {
		if closed := pipeline.Close(); err == nil {
			err = closed
		}
	}()
	for _, sent := range messages {
		if sent.parse {
			pipeline.SendPrepare("", sent.sql, sent.oids)
		} else {
			pipeline.SendQueryParams(sent.sql, sent.values, sent.oids, nil, nil)
		}
	}
	if err := pipeline.Sync(); err != nil {
		return nil, err
	}
	for range messages {
		result, err := pipeline.GetResults()
		if err != nil {
			return nil, err
		}
		switch result := result.(type) {
		case *pgconn.StatementDescription:
			answers = append(answers, &answer{})
		case *pgconn.ResultReader:
			got, err := w.read(result)
			if err != nil {
				return nil, err
			}
			got.Elapsed = time.Since(started)
			answers = append(answers, got)
		default:
			return nil, errors.New("the server ended before it had answered")
		}
	}
	return answers, nil
}

// read is a result. Of more rows or bytes than are kept, one row too many is: it says that there were more.
func (w *wire) read(reader *pgconn.ResultReader) (*answer, error) {
	got := &answer{}
	for _, field := range reader.FieldDescriptions() {
		got.Columns = append(got.Columns, guards.Column{Name: field.Name, OID: field.DataTypeOID})
	}
	left := w.maxBytes
	for reader.NextRow() {
		if left < 0 || len(got.Texts) > w.maxRows {
			continue
		}
		row, texts := make([]any, len(got.Columns)), make([]*string, len(got.Columns))
		for at, bytes := range reader.Values() {
			if bytes == nil {
				continue
			}
			text := string(bytes)
			texts[at] = &text
			value, err := w.value(got.Columns[at].OID, bytes)
			if err != nil && got.Problem == nil {
				got.Problem = err
			}
			row[at] = value
		}
		left -= guards.Bytes(texts)
		got.Texts, got.Values = append(got.Texts, texts), append(got.Values, row)
	}
	tag, err := reader.Close()
	got.tag, got.Affected = tag.String(), tag.RowsAffected()
	return got, err
}

// value is pgx's own value for a text.
func (w *wire) value(oid uint32, text []byte) (any, error) {
	types := w.conn.TypeMap()
	if known, ok := types.TypeForOID(oid); ok {
		return known.Codec.DecodeValue(types, oid, pgtype.TextFormatCode, append([]byte(nil), text...))
	}
	return string(text), nil
}
