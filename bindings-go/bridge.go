package haltsql

import (
	"github.com/haltsql/haltsql-go/internal/bridge"
	"github.com/haltsql/haltsql-go/internal/native"
)

func init() {
	bridge.Policy = func(policy any) (*native.Policy, error) {
		own, _ := policy.(*Policy)
		if err := own.loaded(); err != nil {
			return nil, err
		}
		return own.native, nil
	}
	bridge.Context = func(context any) (string, error) {
		own, _ := context.(Context)
		return own.json()
	}
	bridge.Verdict = func(answer native.Answer, sql string) (any, error) { return verdictOf(answer, nil, sql, "statement") }
	bridge.Error = func(failure *native.Failure) error { return errorOf(failure, "policy") }
}
