package guard

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
	"github.com/haltsql/haltsql-go/pgxguard/sqlguard"
)

// trace is what goes over connections, message by message: pgx writes a line for each, `F` from it and `B` from the server.
type trace struct {
	lock sync.Mutex
	text strings.Builder
}

func (t *trace) Write(bytes []byte) (int, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.text.Write(bytes)
}

// into has the connections of a configuration traced.
func (t *trace) into(config *pgx.ConnConfig) {
	config.BuildFrontend = func(from io.Reader, to io.Writer) *pgproto3.Frontend {
		frontend := pgproto3.NewFrontend(from, to)
		frontend.Trace(t, pgproto3.TracerOptions{SuppressTimestamps: true})
		return frontend
	}
}

func (t *trace) clear() {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.text.Reset()
}

// lines are the fields of each message.
func (t *trace) lines() (all [][]string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	for line := range strings.Lines(t.text.String()) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) >= 3 {
			all = append(all, fields)
		}
	}
	return all
}

// sent are the messages to the server.
func (t *trace) sent() (all []string) {
	for _, fields := range t.lines() {
		if fields[0] == "F" {
			all = append(all, fields[1])
		}
	}
	return all
}

// roundTrips counts how often the server was waited for: what is sent before it is heard again is one.
func (t *trace) roundTrips() (count int) {
	from := "B"
	for _, fields := range t.lines() {
		if from == "B" && fields[0] == "F" {
			count++
		}
		from = fields[0]
	}
	return count
}

// BEGIN, pin, gate and statement are one round trip with one Sync, and the end is one, for reads and for writes.
func TestATransactionIsTwoRoundTrips(t *testing.T) {
	var log trace
	for _, desk := range desks(t, common(t), guardOf(t, policy(t), nil), log.into) {
		// database/sql asks a connection whether it is there before its second use, and after a second of rest.
		for range 2 {
			if _, err := desk.query(acme, own); err != nil {
				t.Fatal(desk.name, err)
			}
		}
		for _, one := range []struct {
			query    string
			writable bool
			trips    int
			parsed   []string
		}{
			{own, false, 2, []string{"BEGIN ISOLATION LEVEL", "SELECT ", "SELECT * FROM (", "ROLLBACK"}},
			{"UPDATE app.orders SET note = note WHERE tenant_id = $1", true, 2, []string{"BEGIN ISOLATION LEVEL", "SELECT ", "WITH haltsql_gate AS", "UPDATE app.orders", "COMMIT"}},
			// The name of a type that is not PostgreSQL's own is asked for.
			{"SELECT mood FROM app.orders WHERE tenant_id = $1", false, 3, []string{"BEGIN ISOLATION LEVEL", "SELECT ", "SELECT * FROM (", "SELECT ", "ROLLBACK"}},
			{"SELECT note FROM app.orders", false, 0, nil},
		} {
			log.clear()
			_, err := desk.run(context.Background(), acme, one.query, one.writable, nil)
			if denied := one.trips == 0; denied == (err == nil) {
				t.Error(desk.name, one.query, err)
			}
			if trips := log.roundTrips(); trips != one.trips {
				t.Errorf("%s: %s: %d round trips: %v", desk.name, one.query, trips, log.sent())
			}
			checkMessages(t, desk.name, &log, one.trips, one.parsed)
		}
	}
}

// checkMessages fails where a Sync is too many, the simple protocol or a named statement is used, or other texts are sent than these.
func checkMessages(t testing.TB, name string, log *trace, syncs int, begins []string) {
	t.Helper()
	var parsed []string
	for _, fields := range log.lines() {
		switch {
		case fields[0] == "F" && fields[1] == "Parse":
			unnamed, text, _ := strings.Cut(strings.TrimSpace(fields[3]), " ")
			if unnamed != `""` {
				t.Errorf("%s: a named statement: %v", name, fields)
			}
			parsed = append(parsed, strings.TrimPrefix(text, `"`))
		case fields[0] == "F" && fields[1] == "Sync", fields[0] == "B" && fields[1] == "ReadyForQuery":
			if fields[0] == "F" {
				syncs--
			}
		case fields[0] == "F" && (fields[1] == "Query" || fields[1] == "FunctionCall"):
			t.Errorf("%s: the simple protocol: %v", name, fields)
		}
	}
	if syncs != 0 || len(parsed) != len(begins) {
		t.Errorf("%s: %d Syncs are missing; parsed: %q", name, syncs, parsed)
		return
	}
	for at, begin := range begins {
		if !strings.HasPrefix(parsed[at], begin) {
			t.Errorf("%s: %q does not begin with %q", name, parsed[at], begin)
		}
	}
}

// Whatever a program hands over, pgx cannot take it for an option or a rewriter of the text.
func TestNoArgumentReachesTheDriver(t *testing.T) {
	functions := []any{
		pgxguard.GuardedQueryTx[*pgx.Conn], pgxguard.GuardedExecTx[*pgxpool.Pool], pgxguard.GuardedQueryTxFunc[*pgx.Conn],
		pgxguard.GuardedExecTxFunc[*pgxpool.Conn], pgxguard.GuardedQuery[*pgx.Conn], pgxguard.GuardedExec[*pgx.Conn],
		sqlguard.GuardedQuery, sqlguard.GuardedExec,
	}
	for _, function := range functions {
		kind := reflect.TypeOf(function)
		if kind.IsVariadic() || kind.NumIn() > 6 || kind.In(3) != reflect.TypeFor[haltsql.Context]() || kind.In(4).Kind() != reflect.String {
			t.Error(kind)
		}
	}
	var log trace
	for _, desk := range desks(t, common(t), guardOf(t, policy(t), nil), log.into) {
		log.clear()
		for _, value := range []any{
			pgx.QueryExecModeSimpleProtocol, pgx.QueryResultFormats{1}, pgx.NamedArgs{"tenant_id": "acme"}, pgx.StrictNamedArgs{"a": 1}, rewriter{},
		} {
			if result, err := desk.query(haltsql.Context{"tenant_id": value}, own); err == nil {
				t.Error(desk.name, fmt.Sprintf("%T", value), result)
			}
		}
		if sent := log.sent(); len(sent) > 0 {
			t.Error(desk.name, sent)
		}
	}
}

// rewriter is what pgx lets change a text after it was verified.
type rewriter struct{}

func (rewriter) RewriteQuery(context.Context, *pgx.Conn, string, []any) (string, []any, error) {
	return "SELECT 1", nil, nil
}
