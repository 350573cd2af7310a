// In one program with another Rust library, all of it: both unwind by their own means, and each has its own panic hook.
package main

// #cgo LDFLAGS: -Wl,--whole-archive ${SRCDIR}/libother.a -Wl,--no-whole-archive
// #include <stdbool.h>
// #include <stdint.h>
// extern int32_t other(bool panics);
import "C"

import (
	"fmt"
	"log"
	"os"

	haltsql "github.com/haltsql/haltsql-go"
)

func main() {
	policy, err := haltsql.LoadPolicyFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for range 10 {
		if C.other(false) != 1 || C.other(true) != 2 {
			log.Fatal("the other library does not catch its panics")
		}
		verdict, err := policy.Check("SELECT name FROM app.customers WHERE tenant_id = $1", haltsql.Context{"tenant_id": "acme"})
		if err != nil || !verdict.Allowed() {
			log.Fatal(verdict, err)
		}
	}
	fmt.Println("rust")
}
