// Package haltsql decides, before anything is sent to PostgreSQL, whether an exact SQL text may run: under a policy, for the
// person who is asking. It is made for SQL that a language model writes.
//
//	policy, err := haltsql.LoadPolicyFile("policy.yaml")
//	if err != nil { … }
//	verdict, err := policy.Check(sql, haltsql.Context{"tenant_id": "acme"})
//	if err != nil { … } // no check happened: treat it as a denial
//	if !verdict.Allowed() {
//		text, err := verdict.ForAgent() // give this back to the agent
//		…
//	}
//	// Run exactly sql, with every entry of verdict.BindParams() bound, where search_path is policy.SearchPathValue().
//
// Whatever a text of SQL holds, it gets a [Verdict]. An error, always an [*Error] with an [ErrorCode], means that no check
// happened. Everything here may be used by any number of goroutines at the same time.
//
// A [Context] says who is asking, and has nothing to do with [context.Context]: a check takes no longer than the policy's limits
// let it, and nothing cancels it.
package haltsql
