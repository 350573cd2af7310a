//go:build !race && !asan

// Under a sanitizer memory is kept on purpose; there its own report of leaks counts.

package tests

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	haltsql "github.com/haltsql/haltsql-go"
)

// resident is the memory of this process, in KiB, after everything that Go no longer needs is gone.
func resident(t *testing.T) int {
	t.Helper()
	for range 3 {
		debug.FreeOSMemory()
	}
	pages, err := strconv.Atoi(strings.Fields(read(t, "/proc/self/statm"))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize() / 1024
}

func TestMemoryDoesNotGrow(t *testing.T) {
	policy := shop(t)
	texts := []string{allowed, denied, "SELECT '" + strings.Repeat("x", 4000), "SELECT " + strings.Repeat("1+", 150) + "1"}
	work := func(rounds int) {
		for range rounds {
			verdicts, err := policy.CheckMany(texts, acme, &haltsql.ManyOptions{Parallel: 2})
			if err != nil {
				t.Fatal(err)
			}
			for _, verdict := range verdicts {
				if _, err := verdict.ForAgent(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := policy.CheckJSON("", "["); err == nil {
				t.Fatal("no error")
			}
		}
	}
	// Neither is closed: that is for the collector.
	abandon := func(count int) {
		for one := range count {
			policy, err := haltsql.LoadPolicyFile(policyFile)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := policy.ForContext(acme); err != nil {
				t.Fatal(err)
			}
			if one%50 == 0 {
				runtime.GC()
			}
		}
	}
	work(300)
	abandon(100)
	before := resident(t)
	work(2000)
	abandon(400)
	grown := resident(t) - before
	t.Logf("grown by %d KiB", grown)
	// 10,000 calls: 300 bytes leaked in each would be 2,900 KiB. 400 policies that nobody frees: 19,000.
	if grown > 2500 {
		t.Errorf("grown by %d KiB", grown)
	}
}
