// What a check costs from Go (bench/README.md has the contract). A verdict's JSON and Allowed are both read.
package main

import (
	"encoding/hex"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	haltsql "github.com/haltsql/haltsql-go"
)

const (
	batches    = 300
	size       = 10
	throughput = 4_000
)

type text struct {
	name, sql string
	caller    *haltsql.Caller
}

func main() {
	folder := os.Getenv("HALTSQL_BENCH_DIR")
	file, err := os.ReadFile(filepath.Join(folder, "bench.tsv"))
	must(err)
	var texts []text
	for _, line := range strings.Split(strings.TrimSuffix(string(file), "\n"), "\n")[1:] {
		row := strings.Split(line, "\t")
		policy, err := haltsql.LoadPolicyFile(filepath.Join(folder, "policies", row[2]+".yaml"))
		must(err)
		context, err := hex.DecodeString(row[3])
		must(err)
		sql, err := hex.DecodeString(row[4])
		must(err)
		caller, err := policy.ForContextJSON(string(context))
		must(err)
		texts = append(texts, text{row[1], string(sql), caller})
	}
	for _, text := range texts {
		least, leastBeside := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
		for range batches {
			took, beside := batch(text)
			least, leastBeside = min(least, took), min(leastBeside, beside)
		}
		fmt.Printf("overhead name=go text=%s ns=%d beside_ns=%d\n", text.name, least.Nanoseconds()/size, leastBeside.Nanoseconds()/size)
	}
	for _, threads := range []int{1, 2} {
		fmt.Printf("throughput name=go threads=%d per_s=%.0f\n", threads, perSecond(texts[0], threads))
	}
}

// batch is how long one takes, and how much of that is not on the core's own clock.
func batch(text text) (took, beside time.Duration) {
	var verdicts [size]haltsql.Verdict
	started := time.Now()
	for at := range verdicts {
		verdict, err := text.caller.Check(text.sql)
		if err != nil || !verdict.Allowed() || verdict.JSON() == "" {
			log.Fatalf("%s: not allowed: %v", text.sql, err)
		}
		verdicts[at] = verdict
	}
	took = time.Since(started)
	beside = took
	for _, verdict := range verdicts {
		beside -= verdict.Elapsed()
	}
	return took, beside
}

// perSecond is how many checks so many goroutines make.
func perSecond(text text, threads int) float64 {
	var all sync.WaitGroup
	started := time.Now()
	for range threads {
		all.Go(func() {
			for range throughput {
				_, err := text.caller.Check(text.sql)
				must(err)
			}
		})
	}
	all.Wait()
	return float64(threads*throughput) / time.Since(started).Seconds()
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
