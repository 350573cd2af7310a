// What an agent writes, run through the guard on database/sql with pgx as its driver: rows with a receipt, or what to mend.
//
//	go mod init example && go get github.com/haltsql/haltsql-go/pgxguard
//	go run main.go "host=/run/postgresql dbname=shop"
//
// The database is the demo's shop (cli/src/demo/schema.sql).
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"

	_ "github.com/jackc/pgx/v5/stdlib"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
	"github.com/haltsql/haltsql-go/pgxguard/sqlguard"
)

const document = `
apiVersion: haltsql.dev/v1
kind: Policy
metadata:
  name: analytics-agent
spec:
  search_path: [app]
  tenancy:
    keys:
      - { column: tenant_id, context: tenant_id }
  tables:
    app.customers:
      columns: [id, tenant_id, name, region]
      hidden: [email, ssn]
`

// Of the agent, one after another: each answer shows it what to mend.
var queries = []string{
	"SELECT name, email FROM customers",
	"SELECT name FROM customers WHERE tenant_id = $1 ORDER BY name",
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: guard_sql DSN")
	}
	// Ctrl-C cancels on the server.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dsn string) error {
	policy, err := haltsql.LoadPolicy([]byte(document), nil)
	if err != nil {
		return err
	}
	guard, err := pgxguard.New(policy, nil)
	if err != nil {
		return err
	}
	database, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	defer database.Close()

	// The context comes from the login, never from the agent.
	who := haltsql.Context{"tenant_id": "acme"}
	for _, query := range queries {
		// A *sql.Conn does in the pool's place.
		result, err := sqlguard.GuardedQueryTx(ctx, guard, database, who, query)
		var denied *haltsql.DeniedError
		if errors.As(err, &denied) {
			text, err := denied.Verdict.ForAgent()
			if err != nil {
				return err
			}
			fmt.Println(text)
			continue
		}
		if err != nil {
			return err
		}
		rows, err := result.Values()
		if err != nil {
			return err
		}
		fmt.Printf("%v, as receipt %.12s says\n", rows, result.Receipt.ResultSHA256())
	}
	return nil
}
