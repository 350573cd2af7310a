package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
)

// sleepy makes the COMMIT of some rows last.
const sleepy = `
CREATE FUNCTION app.sleep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(30); RETURN NULL; END';
CREATE CONSTRAINT TRIGGER sleep AFTER INSERT ON app.orders DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.note = 'asleep') EXECUTE FUNCTION app.sleep();`

const (
	asleepAtCommit = "INSERT INTO app.orders (id, tenant_id, note) VALUES (100, $1, 'asleep') RETURNING id"
	written        = "SELECT count(*)::int FROM app.orders WHERE id = 100"
)

// phase is a part of a transaction in which its context ends.
type phase struct {
	name  string
	query string
	// inCallback: the caller's own code ends it. Else somebody does while the server sleeps.
	inCallback bool
	inDoubt    bool
}

var phases = []phase{
	{name: "while the statement runs", query: long},
	{name: "before COMMIT", query: "INSERT INTO app.orders (id, tenant_id, note) VALUES (100, $1, 'x') RETURNING id", inCallback: true},
	{name: "at COMMIT", query: asleepAtCommit, inDoubt: true},
}

func TestAContextThatEndsCancelsOnTheServerInEveryPhase(t *testing.T) {
	server := shop(t)
	server.run(t, "shop", sleepy)
	guard := guardOf(t, patient(t), nil)
	for _, phase := range phases {
		for _, desk := range desks(t, server, guard) {
			what := desk.name + " " + phase.name
			ctx, cancel := context.WithCancel(context.Background())
			done := func() {}
			var each func([]any) error
			if phase.inCallback {
				each = func([]any) error { cancel(); return nil }
			} else {
				done = whenAsleep(t, server, cancel)
			}
			_, err := desk.run(ctx, acme, phase.query, phase.query != long, each)
			done()
			lost := new(haltsql.ConnectionError)
			if !errors.As(err, &lost) || !errors.Is(err, context.Canceled) || lost.InDoubt != phase.inDoubt {
				t.Error(what, err)
			}
			waitFor(t, server, asleep, 0)
			waitFor(t, server, opened, 0)
			if server.ask(t, written) != 0 {
				t.Error(what, "was written")
			}
			// Pools have another connection; one that was held is clean or closed.
			if _, err = desk.query(acme, own); err != nil && (desk.pools || !errors.As(err, &lost)) {
				t.Error(what, err)
			}
		}
	}
}

func TestADeadlineIsAContextsEndToo(t *testing.T) {
	server := shop(t)
	server.run(t, "shop", sleepy)
	for _, query := range []string{long, asleepAtCommit} {
		for _, desk := range desks(t, server, guardOf(t, patient(t), nil)) {
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			_, err := desk.run(ctx, acme, query, query != long, nil)
			cancel()
			if lost := new(haltsql.ConnectionError); !errors.As(err, &lost) || !errors.Is(err, context.DeadlineExceeded) {
				t.Error(desk.name, query, err)
			}
		}
	}
	waitFor(t, server, asleep, 0)
	waitFor(t, server, opened, 0)
	if server.ask(t, written) != 0 {
		t.Error("was written")
	}
}

func TestAContextThatHasEndedBeforeSendsNothing(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	var log trace
	for _, desk := range desks(t, common(t), guardOf(t, policy(t), nil), log.into) {
		log.clear()
		for _, ended := range []context.Context{over, late} {
			_, err := desk.run(ended, acme, own, false, nil)
			if lost := new(haltsql.ConnectionError); !errors.As(err, &lost) || !errors.Is(err, ended.Err()) {
				t.Error(desk.name, err)
			}
		}
		if sent := log.sent(); len(sent) > 0 {
			t.Error(desk.name, sent)
		}
		if _, err := desk.query(acme, own); err != nil {
			t.Error(desk.name, err)
		}
	}
}

// Where the program has set pgx up to cancel on the server and to keep the connection, it stays, and is clean.
func TestAConnectionThatPgxKeepsIsRolledBack(t *testing.T) {
	server := shop(t)
	server.run(t, "shop", sleepy)
	keeping := func(config *pgx.ConnConfig) {
		config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
			return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: 10 * time.Second}
		}
	}
	for _, desk := range desks(t, server, guardOf(t, patient(t), nil), keeping) {
		for _, phase := range phases {
			if phase.inCallback {
				continue
			}
			ctx, cancel := context.WithCancel(context.Background())
			done := whenAsleep(t, server, cancel)
			_, err := desk.run(ctx, acme, phase.query, phase.query != long, nil)
			done()
			if said := new(haltsql.DatabaseError); !errors.As(err, &said) || said.SQLState != "57014" || !errors.Is(err, context.Canceled) {
				t.Error(desk.name, phase.name, err)
			}
			if _, err := desk.query(acme, own); err != nil || server.ask(t, opened) != 0 || server.ask(t, written) != 0 {
				t.Error(desk.name, phase.name, err)
			}
		}
	}
}

// deaf is a connection to a server that does COMMIT, and whose answer is lost.
type deaf struct {
	net.Conn
	lost bool
}

func (d *deaf) Write(bytes []byte) (int, error) {
	d.lost = d.lost || strings.Contains(string(bytes), "\x00COMMIT\x00")
	return d.Conn.Write(bytes)
}

func (d *deaf) Read(bytes []byte) (int, error) {
	count, err := d.Conn.Read(bytes)
	if d.lost {
		_ = d.Close()
		return 0, net.ErrClosed
	}
	return count, err
}

func TestACommitWithoutAnAnswerIsInDoubt(t *testing.T) {
	server := shop(t)
	guard := guardOf(t, policy(t), nil)
	cut := func(config *pgx.ConnConfig) {
		dial := config.DialFunc
		config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			return &deaf{Conn: conn}, err
		}
	}
	for at, desk := range desks(t, server, guard, cut) {
		_, err := desk.exec(acme, fmt.Sprintf("INSERT INTO app.orders (id, tenant_id, note) VALUES (%d, $1, 'x')", 100+at))
		lost := new(haltsql.ConnectionError)
		if !errors.As(err, &lost) || !lost.InDoubt || !strings.Contains(err.Error(), "not known") {
			t.Error(desk.name, err)
		}
		// It was written, this time.
		waitFor(t, server, fmt.Sprintf("SELECT count(*)::int FROM app.orders WHERE id = %d", 100+at), 1)
	}
	// So is a write outside of a transaction, which the server commits by itself: here with its last answer lost.
	config, err := pgx.ParseConfig(server.dsn("shop", "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	var conn *deaf
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		plain, err := dial(ctx, network, address)
		conn = &deaf{Conn: plain}
		return conn, err
	}
	single, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	conn.lost = true
	_, err = pgxguard.GuardedExec(context.Background(), guard, single, acme, "INSERT INTO app.orders (id, tenant_id, note) VALUES (200, $1, 'x')")
	if lost := new(haltsql.ConnectionError); !errors.As(err, &lost) || !lost.InDoubt {
		t.Error(err)
	}
}
