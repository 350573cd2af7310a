package guard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	haltsql "github.com/haltsql/haltsql-go"
)

// A backend that dies by SIGKILL takes the whole server through recovery: every connection breaks, as in a restart.
func TestAServerThatRestartsIsAnErrorAndNothingRunsTwice(t *testing.T) {
	server := alone(t)
	server.run(t, "shop", sleepy)
	// The tests' servers leave their log in memory: what was set up has to be there afterwards.
	server.run(t, "shop", "CHECKPOINT")
	guard := guardOf(t, patient(t), nil)
	writers, readers, idlers := desks(t, server, guard), desks(t, server, guard), desks(t, server, guard)
	for _, desk := range idlers {
		if _, err := desk.query(acme, own); err != nil {
			t.Fatal(desk.name, err)
		}
	}

	var running sync.WaitGroup
	for at, desk := range writers {
		running.Go(func() {
			// It sleeps in COMMIT.
			_, err := desk.exec(acme, fmt.Sprintf("INSERT INTO app.orders (id, tenant_id, note) VALUES (%d, $1, 'asleep')", 100+at))
			if lost := new(haltsql.ConnectionError); !errors.As(err, &lost) || !lost.InDoubt {
				t.Error(desk.name, err)
			}
		})
	}
	for _, desk := range readers {
		running.Go(func() {
			_, err := desk.query(acme, long)
			said, lost := new(haltsql.DatabaseError), new(haltsql.ConnectionError)
			if !errors.As(err, &said) && (!errors.As(err, &lost) || lost.InDoubt) {
				t.Error(desk.name, err)
			}
		})
	}
	waitFor(t, server, asleep, len(writers)+len(readers))
	if err := syscall.Kill(server.ask(t, "SELECT min(pid) FROM pg_stat_activity WHERE "+sleeps), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	running.Wait()
	recovered(t, server)

	const once = "SELECT count(*)::int FROM app.orders WHERE tenant_id = 'acme' AND id >= 100"
	if count := server.ask(t, once); count != 0 {
		t.Errorf("%d rows of transactions that broke off", count)
	}
	for at, desk := range append(append(writers, readers...), idlers...) {
		insert := fmt.Sprintf("INSERT INTO app.orders (id, tenant_id, note) VALUES (%d, $1, 'once')", 200+at)
		_, err := desk.exec(acme, insert)
		lost := new(haltsql.ConnectionError)
		// What broke while it lay idle is found out when it is used.
		if desk.pools && at >= len(writers)+len(readers) && errors.As(err, &lost) {
			_, err = desk.exec(acme, insert)
		}
		count := server.ask(t, fmt.Sprintf("SELECT count(*)::int FROM app.orders WHERE id = %d", 200+at))
		switch {
		case desk.pools && (err != nil || count != 1):
			t.Error(desk.name, count, err)
		case !desk.pools && (!errors.As(err, &lost) || count != 0):
			t.Error(desk.name, count, err)
		}
	}
}

// recovered waits until the server takes connections again.
func recovered(t testing.TB, server *server) {
	t.Helper()
	var last error
	for range 600 {
		conn, err := pgx.Connect(context.Background(), server.dsn("shop", "postgres"))
		if err == nil {
			_ = conn.Close(context.Background())
			return
		}
		last = err
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the server does not come back: ", last)
}
