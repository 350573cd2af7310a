// In one program with another libpg_query, of another version: each does its own work, in turn and at the same time.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"
	"sync"

	haltsql "github.com/haltsql/haltsql-go"
	pg_query "github.com/pganalyze/pg_query_go/v6"
)

func main() {
	policy, err := haltsql.LoadPolicyFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				both(policy)
			}
		})
	}
	all.Wait()
	fmt.Println("beside")
}

func both(policy *haltsql.Policy) {
	const sql = "SELECT name FROM app.customers WHERE tenant_id = $1"
	tree, err := pg_query.ParseToJSON(sql)
	if err != nil || !strings.Contains(tree, `"relname":"customers"`) {
		log.Fatal(tree, err)
	}
	verdict, err := policy.Check(sql, haltsql.Context{"tenant_id": "acme"})
	if err != nil || !verdict.Allowed() {
		log.Fatal(verdict, err)
	}
	if _, err := pg_query.Parse("SELECT 1 +"); err == nil {
		log.Fatal("the other parser takes what is no SQL")
	}
	verdict, err = policy.Check("SELECT 1 +", nil)
	if err != nil || verdict.Allowed() || verdict.Reasons()[0].Code != haltsql.ReasonParse {
		log.Fatal(verdict, err)
	}
}
