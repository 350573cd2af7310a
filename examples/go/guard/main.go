// What an agent writes, run under a guard: rows with a receipt, or what the agent is told.
//
//	go mod init example && go get github.com/haltsql/haltsql-go/pgxguard
//	go run main.go DSN POLICY TENANT SQL
//
// The policy's tenancy key is tenant_id. Exit code 0: it ran; 1: denied, and nothing was sent; 2: anything else.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/pgxguard"
	"github.com/haltsql/haltsql-go/pgxguard/sqlguard"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: main DSN POLICY TENANT SQL")
		os.Exit(2)
	}
	// Ctrl-C cancels on the server.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	var denied *haltsql.DeniedError
	switch {
	case errors.As(err, &denied):
		fmt.Println(denied.Verdict.ForAgent()) // give this back to the agent
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func run(ctx context.Context, dsn, file, tenant, query string) error {
	policy, err := haltsql.LoadPolicyFile(file)
	if err != nil {
		return err
	}
	guard, err := pgxguard.New(policy, nil)
	if err != nil {
		return err
	}
	// From the login, never from the agent.
	who := haltsql.Context{"tenant_id": tenant}

	// pgx: a pool, or a connection.
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	result, err := pgxguard.GuardedQueryTx(ctx, guard, pool, who, query)
	if err != nil {
		return err
	}
	show("pgx", result)

	// database/sql over pgx: the same.
	database, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	defer database.Close()
	if result, err = sqlguard.GuardedQueryTx(ctx, guard, database, who, query); err != nil {
		return err
	}
	show("database/sql", result)
	return nil
}

func show(driver string, result *pgxguard.Result) {
	fmt.Printf("%s: %s\n", driver, result)
	for _, row := range result.Texts {
		for _, text := range row {
			if text == nil {
				fmt.Print("  NULL")
			} else {
				fmt.Print("  ", *text)
			}
		}
		fmt.Println()
	}
	fmt.Println("receipt:", result.Receipt)
}
