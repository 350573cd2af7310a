// Package bridge hands the guards what package haltsql keeps to itself. That package fills it in when it starts.
//
// It must never be anything that a program can reach: with it, a receipt could be made without a run.
package bridge

import "github.com/haltsql/haltsql-go/internal/native"

var (
	// Policy is the library's policy behind a *haltsql.Policy.
	Policy func(policy any) (*native.Policy, error)
	// Context is the JSON of a haltsql.Context.
	Context func(context any) (string, error)
	// Verdict is a haltsql.Verdict, from what the library answered for a text.
	Verdict func(answer native.Answer, sql string) (any, error)
	// Error is a *haltsql.Error.
	Error func(failure *native.Failure) error
)
