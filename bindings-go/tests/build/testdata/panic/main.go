// Linked with the weakened core, which panics where a text asks for it: a denial or an error, and the next call works.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"

	haltsql "github.com/haltsql/haltsql-go"
)

const (
	good   = "SELECT name FROM app.customers WHERE tenant_id = $1"
	marker = "HALTSQL_" + "WEAKENED: panic in "
)

var acme = haltsql.Context{"tenant_id": "acme"}

func main() {
	log.SetFlags(log.Lshortfile)
	policy, err := haltsql.LoadPolicyFile(os.Args[1])
	must(err == nil, err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { checks(policy) })
	}
	all.Wait()

	internal(load("load"))
	noisy, err := load("describe")
	must(err == nil, err)
	_, err = noisy.Describe()
	internal(nil, err)
	_, err = noisy.DescribeJSON()
	internal(nil, err)
	must(noisy.Name() == "p" && noisy.Close() == nil, noisy)
	// Here only the fence of the C ABI is left.
	internal(load("name"))
	checks(policy)
	fmt.Println("all denied")
}

func checks(policy *haltsql.Policy) {
	for _, place := range []string{"stages", "answer"} {
		sql := good + " /* " + marker + place + " */"
		verdict, err := policy.Check(sql, acme)
		must(err == nil && !verdict.Allowed() && len(verdict.Reasons()) == 1 && verdict.Reasons()[0].Code == haltsql.ReasonInternal, verdict, err)
		text, err := verdict.ForAgent()
		must(err == nil && strings.Contains(text, "E_INTERNAL"), text, err)
		many, err := policy.CheckMany([]string{good, sql, good}, acme, &haltsql.ManyOptions{Parallel: 2})
		must(err == nil && many[0].Allowed() && !many[1].Allowed() && many[2].Allowed(), many, err)
	}
}

func load(place string) (*haltsql.Policy, error) {
	document := fmt.Sprintf("apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata: { name: p, description: %q }\nspec: {}\n", marker+place)
	return haltsql.LoadPolicy([]byte(document), nil)
}

func internal(policy *haltsql.Policy, err error) {
	must(policy == nil && errors.Is(err, haltsql.ErrInternal), err)
}

func must(holds bool, said ...any) {
	if !holds {
		log.Output(2, fmt.Sprint(said...))
		os.Exit(1)
	}
}
