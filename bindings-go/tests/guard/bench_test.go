package guard

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/haltsql/haltsql-go/internal/guards"
	"github.com/haltsql/haltsql-go/pgxguard"
)

// BenchmarkGuard is what the guard costs: a select through it, against the same steps done by hand with pgx and against a bare
// transaction. They take turns in the same run, and of each the fastest batch counts. Run it with -benchtime 1x.
func BenchmarkGuard(b *testing.B) {
	const runs, batches = 50, 40
	ctx := context.Background()
	server := common(b)
	policy := policy(b)
	guard := guardOf(b, policy, nil)
	core, err := guards.New(policy, nil)
	if err != nil {
		b.Fatal(err)
	}
	conn := connect(b, server.dsn("shop", "postgres", "default_query_exec_mode=exec"))
	exec := func(sql string, arguments ...any) {
		rows, err := conn.Query(ctx, sql, arguments...)
		if err == nil {
			_, err = pgx.CollectRows(rows, pgx.RowToMap)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	verified := func() (*guards.Session, *guards.Statement) {
		session, err := core.Session(acme, false)
		if err != nil {
			b.Fatal(err)
		}
		statement, err := session.Statement(own)
		if err != nil {
			b.Fatal(err)
		}
		return session, statement
	}
	bare := func() {
		exec("BEGIN READ ONLY")
		exec(own, "acme")
		exec("ROLLBACK")
	}
	byHand := func() {
		session, statement := verified()
		pin, err := session.Pin("")
		if err != nil {
			b.Fatal(err)
		}
		arguments := make([]any, len(pin.Params))
		for at, value := range pin.Params {
			arguments[at] = value
		}
		exec(session.Steps.Begin)
		exec(pin.SQL, arguments...)
		exec(statement.Run.Text, "acme")
		exec("ROLLBACK")
	}
	guarded := func() {
		if result, err := pgxguard.GuardedQueryTx(ctx, guard, conn, acme, own); err != nil || result.RowCount != 2 {
			b.Fatal(result, err)
		}
	}
	for b.Loop() {
		best := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
		for range batches {
			for at, work := range []func(){bare, byHand, guarded} {
				started := time.Now()
				for range runs {
					work()
				}
				best[at] = min(best[at], float64(time.Since(started).Microseconds())/runs)
			}
		}
		fmt.Printf("| guard, Go: same steps by hand, one after the other | %.0f µs | %.0f µs, a bare transaction | %.2f |\n", best[1], best[0], best[1]/best[0])
		fmt.Printf("| guard, Go: guarded | %.0f µs | %.0f µs, same steps by hand, one after the other | %.2f |\n", best[2], best[1], best[2]/best[1])
	}
}
