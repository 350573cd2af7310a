package guard

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/internal/guards"
	"github.com/haltsql/haltsql-go/pgxguard"
)

const (
	// maxRatio bounds the guard, without verification, over the same steps by hand.
	maxRatio = 1.10
	// A bound is missed when it is missed so many times in a row.
	attempts = 3
	ten      = "SELECT id, note FROM app.orders WHERE tenant_id = $1 ORDER BY id LIMIT 10"
)

// BenchmarkGuard is what the guard costs: a select of ten rows through it, against the same steps by hand and against a bare
// transaction, on a real server in the same run. It fails where the guard costs more than a tenth over the same steps.
//
// Verification is on both sides and left out of the comparison: what it takes, proofs included, is measured beside it and taken off.
// Run it with -benchtime 1x.
func BenchmarkGuard(b *testing.B) {
	bench := benchOf(b)
	for b.Loop() {
		ratio := math.Inf(1)
		for attempt := 0; attempt < attempts && ratio > maxRatio; attempt++ {
			ratio = bench.measure()
		}
		if ratio > maxRatio {
			fmt.Printf("missed: the Go guard over the same steps by hand: %.2f, and should be %.2f\n", ratio, maxRatio)
			b.Fail()
		}
	}
}

type bench struct {
	b       *testing.B
	guard   *pgxguard.Guard
	session *guards.Session
	conn    *pgx.Conn
}

func benchOf(b *testing.B) *bench {
	server := shop(b)
	server.run(b, "shop", "INSERT INTO app.orders SELECT n, 't' || n % 50, 'note ' || n FROM generate_series(1001, 6000) AS n; ANALYZE app.orders")
	policy := policyOf(b, benchPolicy)
	core, err := guards.New(policy, nil)
	if err != nil {
		b.Fatal(err)
	}
	session, err := core.Session(t7, false)
	if err != nil {
		b.Fatal(err)
	}
	return &bench{b, guardOf(b, policy, nil), session, connect(b, server.dsn("shop", "postgres", "default_query_exec_mode=exec"))}
}

// benchPolicy is that of the other languages' benchmarks.
const benchPolicy = `
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: bench }
spec:
  search_path: [app]
  tenancy: { mode: bound, keys: [{ column: tenant_id, context: tenant_id }] }
  tables: { app.orders: { columns: [id, tenant_id, note], hidden: [mood], complete: true } }
`

var t7 = haltsql.Context{"tenant_id": "t7"}

// measure prints what each costs, and returns the ratio that is bounded.
func (b *bench) measure() float64 {
	const runs, batches = 50, 60
	works := []func(){b.bare, b.apart, b.together, b.guarded, func() { b.verified() }}
	best := make([]float64, len(works))
	for batch := range batches {
		for at, work := range works {
			started := time.Now()
			for range runs {
				work()
			}
			if took := float64(time.Since(started).Nanoseconds()) / 1e3 / runs; batch == 0 || took < best[at] {
				best[at] = took
			}
		}
	}
	bare, verified := best[0], best[4]
	apart, together, guarded := best[1]-verified, best[2]-verified, best[3]-verified
	row := func(what string, measured, floor float64, of string) {
		fmt.Printf("| guard: Go, %s | %.0f µs | %.0f µs, %s | %.2f |\n", what, measured, floor, of, measured/floor)
	}
	row("same steps by hand, one after the other", apart, bare, "a bare transaction")
	row("same steps by hand, sent together", together, bare, "a bare transaction")
	row("guarded", guarded, together, "same steps by hand, sent together")
	row("verification, in none of the above", verified, bare, "a bare transaction")
	return guarded / together
}

// bare is what a program without a guard does.
func (b *bench) bare() {
	b.exec(0, "BEGIN READ ONLY")
	b.exec(10, ten, "t7")
	b.exec(0, "ROLLBACK")
}

// apart is what the guard sends, with a round trip for each.
func (b *bench) apart() {
	text, pin := b.verified()
	values := make([]any, len(pin.Params))
	for at, value := range pin.Params {
		values[at] = value
	}
	b.exec(0, b.session.Steps.Begin)
	b.exec(1, pin.SQL, values...)
	b.exec(10, text, "t7")
	b.exec(0, b.session.Steps.Rollback)
}

// together is what the guard sends, as it sends it, by the driver alone.
func (b *bench) together() {
	text, pin := b.verified()
	values, oids := make([][]byte, len(pin.Params)), make([]uint32, len(pin.Params))
	for at, value := range pin.Params {
		values[at], oids[at] = []byte(value), pgtype.TextOID
	}
	b.pipeline(func(pipeline *pgconn.Pipeline) {
		pipeline.SendQueryParams(b.session.Steps.Begin, nil, nil, nil, nil)
		pipeline.SendQueryParams(pin.SQL, values, oids, nil, nil)
		pipeline.SendQueryParams(text, [][]byte{[]byte("t7")}, []uint32{pgtype.TextOID}, nil, nil)
	}, 0, 1, 10)
	b.pipeline(func(pipeline *pgconn.Pipeline) {
		pipeline.SendQueryParams(b.session.Steps.Rollback, nil, nil, nil, nil)
	}, 0)
}

// guarded is the guard.
func (b *bench) guarded() {
	result, err := pgxguard.GuardedQueryTx(context.Background(), b.guard, b.conn, t7, ten)
	if err != nil || result.RowCount != 10 {
		b.b.Fatal(result, err)
	}
}

// verified is the text to send, verified and proven, and the pin.
func (b *bench) verified() (string, guards.Query) {
	statement, err := b.session.Statement(ten)
	if err != nil {
		b.b.Fatal(err)
	}
	pin, err := b.session.Pin("")
	if err != nil {
		b.b.Fatal(err)
	}
	return statement.Run.Text, pin
}

// exec runs a text by pgx's own call, and wants so many rows.
func (b *bench) exec(rows int, sql string, arguments ...any) {
	answer, err := b.conn.Query(context.Background(), sql, arguments...)
	count := 0
	if err == nil {
		for answer.Next() {
			if _, err = answer.Values(); err != nil {
				break
			}
			count++
		}
		err = answer.Err()
	}
	if err != nil || count != rows {
		b.b.Fatal(sql, count, err)
	}
}

// pipeline sends texts with one Sync, and wants so many rows of each.
func (b *bench) pipeline(send func(*pgconn.Pipeline), rows ...int) {
	pipeline := b.conn.PgConn().StartPipeline(context.Background())
	send(pipeline)
	err := pipeline.Sync()
	for _, wanted := range rows {
		var result any
		if result, err = pipeline.GetResults(); err != nil {
			b.b.Fatal(err)
		}
		reader, ok := result.(*pgconn.ResultReader)
		if !ok {
			b.b.Fatalf("%T", result)
		}
		if got := b.texts(reader); len(got) != wanted {
			b.b.Fatal(got)
		}
	}
	if closed := pipeline.Close(); err != nil || closed != nil {
		b.b.Fatal(err, closed)
	}
}

// texts are a result's rows as texts and as pgx's own values, which are what a program wants.
func (b *bench) texts(reader *pgconn.ResultReader) (rows [][]string) {
	fields := reader.FieldDescriptions()
	types := b.conn.TypeMap()
	for reader.NextRow() {
		var row []string
		for at, bytes := range reader.Values() {
			if known, ok := types.TypeForOID(fields[at].DataTypeOID); ok && bytes != nil {
				if _, err := known.Codec.DecodeValue(types, known.OID, pgtype.TextFormatCode, bytes); err != nil {
					b.b.Fatal(err)
				}
			}
			row = append(row, string(bytes))
		}
		rows = append(rows, row)
	}
	if _, err := reader.Close(); err != nil {
		b.b.Fatal(err)
	}
	return rows
}
