package haltsql_test

import (
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"

	haltsql "github.com/haltsql/haltsql-go"
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
      hidden: [email]
      complete: true
`

func load() *haltsql.Policy {
	policy, err := haltsql.LoadPolicy([]byte(document), &haltsql.LoadOptions{Name: "policy.yaml"})
	if err != nil {
		log.Fatal(err)
	}
	return policy
}

func ExamplePolicy_Check() {
	policy := load()
	sql := "SELECT name FROM customers WHERE tenant_id = $1" // what the agent wrote
	verdict, err := policy.Check(sql, haltsql.Context{"tenant_id": "acme"})
	if err != nil {
		log.Fatal(err) // no check happened: treat it as a denial
	}
	fmt.Println(verdict.Allowed())
	for _, param := range verdict.BindParams() {
		fmt.Printf("bind %q to $%d as %s\n", param.Value, param.Param, param.Type)
	}
	fmt.Println("search_path:", policy.SearchPathValue())
	// Output:
	// true
	// bind "acme" to $1 as text
	// search_path: "app", pg_temp
}

func ExampleVerdict_ForAgent() {
	verdict, err := load().Check("SELECT name FROM customers", haltsql.Context{"tenant_id": "acme"})
	if err != nil {
		log.Fatal(err)
	}
	text, err := verdict.ForAgent()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output:
	// denied: this statement was not run; mend every point and send it again
	//
	// SELECT name FROM ⟦1⟧customers
	//
	// 1. E_TENANT_MISSING: nothing in its scope holds `customers.tenant_id` of `app.customers` to the caller's value
	//    fix: add `customers.tenant_id = $1` with AND to the WHERE clause
}

func ExampleVerdict_Codes() {
	verdict, err := load().Check("SELECT email FROM customers", haltsql.Context{"tenant_id": "acme"})
	if err != nil {
		log.Fatal(err)
	}
	for _, reason := range verdict.Reasons() {
		switch reason.Code {
		case haltsql.ReasonTenantMissing:
			fmt.Println("of every tenant:", reason.Hint)
		default:
			fmt.Println(reason.Code)
		}
	}
	// Output:
	// E_COLUMN_DENIED
	// of every tenant: add `customers.tenant_id = $1` with AND to the WHERE clause
}

func ExampleVerdict_LogValue() {
	verdict, err := load().Check("SELECT 'secret' FROM nowhere", haltsql.Context{"tenant_id": "acme"})
	if err != nil {
		log.Fatal(err)
	}
	// Without the time, for the sake of the example.
	options := &slog.HandlerOptions{ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
		if attr.Key == slog.TimeKey || attr.Key == "policy_version" || attr.Key == "sql_sha256" {
			return slog.Attr{}
		}
		return attr
	}}
	slog.New(slog.NewTextHandler(os.Stdout, options)).Info("checked", "verdict", verdict)
	// Output:
	// level=INFO msg=checked verdict.allowed=false verdict.codes=[E_TABLE_DENIED] verdict.fingerprint=34ec953de6e6fbf4
}

func ExamplePolicy_ForContext() {
	// Once for each login, and then for each of its texts.
	caller, err := load().ForContext(haltsql.Context{"tenant_id": "acme"})
	if err != nil {
		log.Fatal(err)
	}
	defer caller.Close()
	texts := []string{"SELECT count(*) FROM customers WHERE tenant_id = $1", "DROP TABLE customers"}
	verdicts, err := caller.CheckMany(texts, &haltsql.ManyOptions{Parallel: 2})
	if err != nil {
		log.Fatal(err)
	}
	for at, verdict := range verdicts {
		fmt.Println(verdict.Allowed(), texts[at])
	}
	// Output:
	// true SELECT count(*) FROM customers WHERE tenant_id = $1
	// false DROP TABLE customers
}

func ExampleError() {
	_, err := haltsql.LoadPolicy([]byte("apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata: { name: p }\nspec: { serch_path: [app] }\n"), nil)
	var problem *haltsql.Error
	if errors.Is(err, haltsql.ErrPolicy) && errors.As(err, &problem) {
		first := problem.Problems[0]
		fmt.Printf("line %d, column %d: %s\n", first.Line, first.Column, first.Help)
	}
	// Output:
	// line 4, column 9: did you mean `search_path`?
}
