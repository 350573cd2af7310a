package pgxguard_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
)

const document = `
apiVersion: haltsql.dev/v1
kind: Policy
metadata:
  name: shop
spec:
  search_path: [app]
  tenancy:
    keys:
      - { column: tenant_id, context: tenant_id }
  statements: [select, update]
  tables:
    app.orders:
      columns: [id, tenant_id, note]
      hidden: [margin]
      write: { update: [note] }
`

var (
	ctx   = context.Background()
	guard = load()
	pool  *pgxpool.Pool
	conn  *pgx.Conn
	// From the login, never from the agent.
	who = haltsql.Context{"tenant_id": "acme"}
)

func load() *pgxguard.Guard {
	policy, err := haltsql.LoadPolicy([]byte(document), nil)
	if err != nil {
		log.Fatal(err)
	}
	guard, err := pgxguard.New(policy, nil)
	if err != nil {
		log.Fatal(err)
	}
	return guard
}

// A text that is denied needs no server: nothing is sent.
func ExampleGuardedQueryTx_denied() {
	_, err := pgxguard.GuardedQueryTx(ctx, guard, pool, who, "SELECT margin FROM orders WHERE tenant_id = $1")
	var denied *haltsql.DeniedError
	if errors.As(err, &denied) {
		fmt.Println(denied)
		fmt.Println(denied.Verdict.Reasons()[0].Hint) // ForAgent has all of it, for the agent
	}
	// Output:
	// haltsql: denied: E_COLUMN_DENIED
	// read only these columns of `orders`: `id`, `note`, `tenant_id`
}

func ExampleNew() {
	policy, err := haltsql.LoadPolicyFile("policy.yaml")
	if err != nil {
		log.Fatal(err)
	}
	guard, err := pgxguard.New(policy, &pgxguard.Options{
		OnVerdict: func(verdict haltsql.Verdict, meta pgxguard.Meta) error {
			log.Println(meta.Policy, verdict.Codes()) // without the SQL
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(guard)
}

func ExampleGuardedQueryTx() {
	result, err := pgxguard.GuardedQueryTx(ctx, guard, pool, who, "SELECT id, note FROM orders WHERE tenant_id = $1")
	if err != nil {
		log.Fatal(err)
	}
	rows, err := result.Values()
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range rows {
		fmt.Println(row...)
	}
	fmt.Println(result.Receipt.JSON())
}

func ExampleGuardedExecTx() {
	result, err := pgxguard.GuardedExecTx(ctx, guard, pool, who, "UPDATE app.orders SET note = 'paid' WHERE tenant_id = $1 AND id = 7")
	var lost *haltsql.ConnectionError
	if errors.As(err, &lost) && lost.InDoubt {
		log.Fatal("look whether it was written before you write again")
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.RowCount)
}

func ExampleGuardedExecTxFunc() {
	const most = 3
	changed := 0
	_, err := pgxguard.GuardedExecTxFunc(ctx, guard, pool, who,
		"UPDATE app.orders SET note = 'paid' WHERE tenant_id = $1 AND note = 'open' RETURNING id",
		func([]any) error {
			if changed++; changed > most {
				return errors.New("more orders than an agent may close at a time") // nothing is written
			}
			return nil
		})
	if err != nil {
		log.Fatal(err)
	}
}

// In a transaction of one's own: nothing is pinned, so that search_path is for the caller to set.
func ExampleGuardedQuery() {
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_catalog.set_config('search_path', $1, true)", guard.Policy().SearchPathValue()); err != nil {
			return err
		}
		rows, err := pgxguard.GuardedQuery(ctx, guard, tx.Conn(), who, "SELECT id FROM orders WHERE tenant_id = $1")
		if err != nil {
			return err
		}
		fmt.Println(rows.RowCount)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
}
