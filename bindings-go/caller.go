package haltsql

import (
	"sync"
	"sync/atomic"

	"github.com/haltsql/haltsql-go/internal/native"
)

// Caller is a policy and the context of one caller, read once for many checks. It never changes, and any number of goroutines may
// use one.
type Caller struct {
	native *native.Caller
	policy *Policy
}

// ManyOptions are how [Caller.CheckMany] works.
type ManyOptions struct {
	// Parallel is how many texts are checked at the same time; 0 and 1: one after another. The verdicts are the same.
	Parallel int
}

// Policy returns the policy, which may have been closed.
func (c *Caller) Policy() *Policy { return c.policy }

// Check returns the verdict on exactly this text, as [Policy.Check] does.
func (c *Caller) Check(sql string) (Verdict, error) {
	if c == nil || c.native == nil {
		return Verdict{}, newError(ErrArgument, "there is no caller: one comes from Policy.ForContext")
	}
	answer, failure := c.native.Check(sql)
	return verdictOf(answer, failure, sql, "caller")
}

// CheckMany returns the verdicts on many texts, in their order. No options are the same as nil.
//
// It returns an [*Error] and no verdicts where a text could not be checked: [ErrClosed]; [ErrArgument] where Parallel is negative.
func (c *Caller) CheckMany(texts []string, options *ManyOptions) ([]Verdict, error) {
	parallel := 1
	if options != nil {
		parallel = max(options.Parallel, 1)
		if options.Parallel < 0 {
			return nil, newError(ErrArgument, "Parallel is %d, and at least 0", options.Parallel)
		}
	}
	verdicts := make([]Verdict, len(texts))
	var next atomic.Int64
	var failed atomic.Pointer[error]
	work := func() {
		for failed.Load() == nil {
			at := int(next.Add(1)) - 1
			if at >= len(texts) {
				return
			}
			verdict, err := c.Check(texts[at])
			if err != nil {
				failed.CompareAndSwap(nil, &err)
				return
			}
			verdicts[at] = verdict
		}
	}
	var others sync.WaitGroup
	for range min(parallel, len(texts)) - 1 {
		others.Add(1)
		go func() {
			defer others.Done()
			work()
		}()
	}
	work()
	others.Wait()
	if err := failed.Load(); err != nil {
		return nil, *err
	}
	return verdicts, nil
}

// Close frees the caller's memory, after the checks that are under way. Later calls end with [ErrClosed]. It may be called at any
// time, more than once, or never: then the garbage collector does it. It returns nil.
func (c *Caller) Close() error {
	if c != nil && c.native != nil {
		c.native.Close()
	}
	return nil
}

// String returns the policy's, for logs. It doesn't show the context.
func (c *Caller) String() string {
	if c == nil || c.native == nil {
		return "haltsql.Caller{}"
	}
	return "haltsql.Caller{" + c.policy.String() + "}"
}
