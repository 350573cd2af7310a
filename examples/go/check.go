// What an agent writes, judged before anything is sent to PostgreSQL, and what the agent is told.
//
//	go mod init example && go get github.com/haltsql/haltsql-go
//	go run check.go
package main

import (
	"fmt"
	"log"

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

// Of the agent, one after another: each answer shows it what to mend.
var queries = []string{
	"SELECT name FROM customers WHERE tenant_id = $1",
	"SELECT name, email FROM customers",
	"SELECT region, count(*) FROM customers WHERE tenant_id = $1 GROUP BY region",
	"DROP TABLE customers",
}

func main() {
	policy, err := haltsql.LoadPolicy([]byte(document), nil)
	if err != nil {
		log.Fatal(err)
	}
	// From the login, never from the agent.
	caller, err := policy.ForContext(haltsql.Context{"tenant_id": "acme"})
	if err != nil {
		log.Fatal(err)
	}
	for _, sql := range queries {
		verdict, err := caller.Check(sql)
		if err != nil {
			log.Printf("no check happened, so nothing runs: %v", err)
			continue
		}
		if !verdict.Allowed() {
			text, err := verdict.ForAgent()
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(text)
			continue
		}
		fmt.Println("allowed:", sql)
		for _, param := range verdict.BindParams() {
			fmt.Printf("  bind %q to $%d as %s\n", param.Value, param.Param, param.Type)
		}
		fmt.Printf("  in a transaction with search_path %s\n\n", policy.SearchPathValue())
	}
}
