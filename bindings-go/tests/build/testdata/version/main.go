// Linked with a library of another version: every way in is an error, and nothing of it is called.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"

	haltsql "github.com/haltsql/haltsql-go"
)

func main() {
	_, err := haltsql.LoadPolicyFile(os.Args[1])
	_, errForAgent := haltsql.Verdict{}.ForAgent()
	for _, err := range []error{err, errForAgent} {
		if !errors.Is(err, haltsql.ErrVersion) {
			log.Fatal(err)
		}
		fmt.Println(err)
	}
}
