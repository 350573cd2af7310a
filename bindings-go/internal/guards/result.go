package guards

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/internal/native"
)

// Statement is a verified text that may be sent.
type Statement struct {
	native *native.Statement
	// Verdict is its verdict.
	Verdict haltsql.Verdict
	// Run is what to send.
	Run *Run
}

// Run is what to send for a statement.
type Run struct {
	Text    string  `json:"text"`
	Gate    *string `json:"gate"`
	Command string  `json:"command"`
	Params  []struct {
		Value *string `json:"value"`
		OID   uint32  `json:"oid"`
	} `json:"params"`
}

// Answer is what a driver got for a statement.
type Answer struct {
	Columns  []Column
	Texts    [][]*string
	Values   [][]any
	Problem  error
	Affected int64
	Elapsed  time.Duration
}

// Column is a column of a result.
type Column struct {
	// Name is what the server said. Names may repeat.
	Name string `json:"name"`
	// OID is the number of its type: pg_type.oid.
	OID uint32 `json:"oid"`
}

// Rows is what one statement gave back.
type Rows struct {
	// Columns are in order.
	Columns []Column
	// Texts are the rows as PostgreSQL's own text, nil for NULL: nothing is rounded.
	Texts [][]*string
	// RowCount is the rows of a read, or those that a write touched.
	RowCount int64
	// Truncated says that there were more than the policy's max_rows or max_result_bytes.
	Truncated bool
	// Verdict is what let it run.
	Verdict haltsql.Verdict

	values  [][]any
	problem error
}

// Result is what one statement of a guard's own transaction gave back, and its receipt.
type Result struct {
	Rows
	// Receipt is of this very run.
	Receipt Receipt
}

// Receipt says what ran, for whom, and what came back, made by the same execution (docs/receipts.md). It comes from a guard and from
// nothing else; an empty one is none.
type Receipt struct {
	json string
	// Read when somebody asks.
	read func() fields
}

type fields struct {
	SQL          string          `json:"sql"`
	Seal         string          `json:"seal"`
	Role         string          `json:"role"`
	StartedAt    string          `json:"started_at"`
	ResultSHA256 string          `json:"result_sha256"`
	Signature    json.RawMessage `json:"signature"`
}

// Values returns the rows as the driver's own values. The error is the driver's, where it cannot hold a value that PostgreSQL can:
// Texts has it all the same.
func (r *Rows) Values() ([][]any, error) { return r.values, r.problem }

// String shows counts and no values: it ends up in logs.
func (r *Rows) String() string {
	return fmt.Sprintf("%d rows, %d columns, truncated=%t", r.RowCount, len(r.Columns), r.Truncated)
}

// JSON returns the exact text, as haltsql receipt verify reads it.
func (r Receipt) JSON() string { return r.json }

// SQL returns the text that was verified and ran.
func (r Receipt) SQL() string { return r.fields().SQL }

// Seal returns the second wall that stood behind the verdict: signed, login, bare or none.
func (r Receipt) Seal() string { return r.fields().Seal }

// Role returns current_user in the transaction.
func (r Receipt) Role() string { return r.fields().Role }

// StartedAt returns when the transaction began by the server's clock, in RFC 3339.
func (r Receipt) StartedAt() string { return r.fields().StartedAt }

// ResultSHA256 returns the digest of columns and rows, the same from every language for the same result.
func (r Receipt) ResultSHA256() string { return r.fields().ResultSHA256 }

// Signed says that it carries a signature. Whether that is good, haltsql receipt verify says.
func (r Receipt) Signed() bool { return len(r.fields().Signature) > 0 }

// MarshalJSON returns JSON. Note that encoding/json escapes some characters anew: JSON has the exact bytes.
func (r Receipt) MarshalJSON() ([]byte, error) {
	if r.json == "" {
		return nil, &haltsql.Error{Code: haltsql.ErrArgument, Message: "this receipt is empty"}
	}
	return []byte(r.json), nil
}

// String shows the digest and the seal.
func (r Receipt) String() string {
	return fmt.Sprintf("receipt{result_sha256=%s seal=%s}", r.ResultSHA256(), r.Seal())
}

// GoString is String, so that %#v shows no rows either.
func (r Receipt) GoString() string { return r.String() }

// Single is what a statement in its caller's own transaction gave back, within these caps.
func Single(statement *Statement, answer *Answer, maxRows, maxBytes int) *Rows {
	kept := 0
	for _, row := range answer.Texts {
		maxBytes -= Bytes(row)
		if kept == maxRows || maxBytes < 0 {
			break
		}
		kept++
	}
	count := int64(kept)
	if statement.Run.Gate != nil {
		count = answer.Affected
	}
	rows := rowsOf(statement, answer, kept, count, kept < len(answer.Texts))
	return &rows
}

// Bytes is what a row counts for max_result_bytes.
func Bytes(row []*string) (bytes int) {
	for _, text := range row {
		if text != nil {
			bytes += len(*text)
		}
	}
	return bytes
}

func rowsOf(statement *Statement, answer *Answer, kept int, count int64, truncated bool) Rows {
	return Rows{
		Columns: answer.Columns, Texts: answer.Texts[:kept], RowCount: count, Truncated: truncated, Verdict: statement.Verdict,
		values: answer.Values[:min(kept, len(answer.Values))], problem: answer.Problem,
	}
}

func receiptOf(text string) Receipt {
	return Receipt{text, sync.OnceValue(func() (told fields) {
		// The library wrote it.
		_ = json.Unmarshal([]byte(text), &told)
		return told
	})}
}

func (r Receipt) fields() fields {
	if r.read == nil {
		return fields{}
	}
	return r.read()
}
