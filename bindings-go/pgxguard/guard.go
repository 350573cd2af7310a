// Package pgxguard runs SQL that HaltSQL allowed, on pgx v5: in a transaction that the guard owns, with the database made what the
// verdict assumes. Rows come with a receipt of the same run. What is promised, and why in this order: docs/guards.md.
//
//	guard, err := pgxguard.New(policy, nil)
//	if err != nil { … }
//	result, err := pgxguard.GuardedQueryTx(ctx, guard, pool, haltsql.Context{"tenant_id": "acme"}, sql)
//	var denied *haltsql.DeniedError
//	if errors.As(err, &denied) {
//		text, err := denied.Verdict.ForAgent() // give this back to the agent; nothing was sent
//		…
//	}
//
// No function takes arguments for the SQL: what its parameters are is the verdict's to say, and pgx would take some values for options
// or for a rewriter of the text. Nothing goes through pgx's caches of statements or the simple protocol, whatever a connection is
// set up for. For database/sql see package sqlguard.
package pgxguard

import (
	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/internal/guards"
)

// Options are what a guard is built with. None are the same as nil.
//
//	PinKey      string  the key of signed pins; empty: from where the policy's execution.pin_key says
//	ReceiptKey  string  signs receipts: an Ed25519 key in PEM, or the 64 hex digits of its seed; empty: they are not signed
//	AllowShadow bool    runs under a shadow policy too, which protects nothing
//	ShowErrors  bool    hands on the database's errors whole, which can quote rows and name hidden columns: for operators
//	OnVerdict   func(haltsql.Verdict, Meta) error  is told of every verdict before anything is sent; its error stops the statement
type Options = guards.Options

// Meta is what Options.OnVerdict is told beside the verdict: SQL, the text; Writable, whether it may write; Policy, its name.
type Meta = guards.Meta

// Result is what one statement of a guard's own transaction gave back: [Rows], and the Receipt of this very run.
type Result = guards.Result

// Rows is what one statement gave back.
//
//	Columns   []Column
//	Texts     [][]*string      the rows as PostgreSQL's own text, nil for NULL: nothing is rounded
//	Values()  ([][]any, error) the same as pgx's own values; the error is pgx's, where Go's types cannot hold one
//	RowCount  int64            the rows of a read, or those that a write touched
//	Truncated bool             there were more than the policy's max_rows or max_result_bytes
//	Verdict   haltsql.Verdict  what let it run
type Rows = guards.Rows

// Column is a column of a result: Name, as the server said it (names may repeat), and OID, the number of its type.
type Column = guards.Column

// Receipt says what ran, for whom, and what came back, made by the same execution (docs/receipts.md). It has no constructor.
//
//	JSON()         string  the exact text, as haltsql receipt verify reads it
//	SQL()          string  the text that was verified and ran
//	Seal()         string  the second wall behind the verdict: signed, login, bare or none
//	Role()         string  current_user in the transaction
//	StartedAt()    string  when the transaction began by the server's clock, in RFC 3339
//	ResultSHA256() string  the digest of columns and rows, the same from every language
//	Signed()       bool    whether it carries a signature; whether that is good, haltsql receipt verify says
type Receipt = guards.Receipt

// Guard is a policy with the options and keys of one guard. It never changes, and any number of goroutines may use one.
type Guard struct{ core *guards.Guard }

// New returns a guard, which keeps what it needs of the policy.
//
// It returns a [*haltsql.Error], ErrArgument, where a key is none or is missing, or the policy's seal cannot hold what it promises; and
// the error of os.ReadFile, where the policy says that its key is in a file.
func New(policy *haltsql.Policy, options *Options) (*Guard, error) {
	core, err := guards.New(policy, options)
	if err != nil {
		return nil, err
	}
	return &Guard{core}, nil
}

// Policy returns the policy.
func (g *Guard) Policy() *haltsql.Policy { return g.core.Policy() }

// String returns the policy's, for logs. It doesn't show keys.
func (g *Guard) String() string { return "pgxguard.Guard{" + g.core.Policy().String() + "}" }

// GoString is String, so that %#v shows no keys either.
func (g *Guard) GoString() string { return g.String() }
