package guards

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/haltsql/haltsql-go/internal/bridge"
	"github.com/haltsql/haltsql-go/internal/native"
)

// Session is one transaction of a guard.
type Session struct {
	native   *native.Session
	guard    *Guard
	writable bool
	// Steps is what it sends besides its statements.
	Steps Steps
	// Seal is what a new connection is asked before. nil: nothing.
	Seal *SealCheck
}

// Steps are the texts of a transaction, and its caps.
type Steps struct {
	Begin          string `json:"begin"`
	Hello          string `json:"hello"`
	Commit         string `json:"commit"`
	Rollback       string `json:"rollback"`
	TypeNames      string `json:"type_names"`
	MaxRows        int    `json:"max_rows"`
	MaxResultBytes int    `json:"max_result_bytes"`
}

// SealCheck is what a new connection is asked, in this order.
type SealCheck struct {
	Begin  string   `json:"begin"`
	Pin    string   `json:"pin"`
	SQL    string   `json:"sql"`
	Params []string `json:"params"`
	End    string   `json:"end"`
}

// Query is a text with its parameters, each declared as text.
type Query struct {
	SQL    string   `json:"sql"`
	Params []string `json:"params"`
}

// Pinned is what the pin said of its transaction.
type Pinned struct {
	Role      string `json:"role"`
	StartedAt string `json:"started_at"`
}

// NeedsDatabase says that the pin names the database, which a connection is asked for once.
func (s *Session) NeedsDatabase() bool { return s.guard.signs }

// Pin is what follows BEGIN.
func (s *Session) Pin(database string) (pin Query, err error) {
	values := spell(struct {
		Database string `json:"database"`
		Now      int64  `json:"now"`
	}{database, time.Now().Unix()})
	text, failure := s.native.Pin(values)
	err = read(text, failure, &pin)
	return pin, err
}

// ReadPin reads what the pin returned. ErrSeal: anything but what it should.
func (s *Session) ReadPin(rows [][]*string) (pinned Pinned, err error) {
	row := []*string{}
	if len(rows) == 1 {
		row = rows[0]
	}
	text, failure := s.native.ReadPin(spell(row))
	err = read(text, failure, &pinned)
	return pinned, err
}

// ReadSeal reads what the seal check returned. ErrSeal: the database is not sealed as the policy says.
func (s *Session) ReadSeal(rows [][]*string) error {
	if rows == nil {
		rows = [][]*string{}
	}
	if failure := s.native.ReadSeal(spell(rows)); failure != nil {
		return bridge.Error(failure)
	}
	return nil
}

// Statement verifies a text. A *haltsql.DeniedError: nothing may be sent.
func (s *Session) Statement(sql string) (*Statement, error) {
	verified, failure := s.native.Statement(sql)
	if failure != nil {
		return nil, bridge.Error(failure)
	}
	return s.guard.judged(verified, sql, s.writable)
}

// Result is the result of a run in the session, or the types that have no name yet, as the parameter of Steps.TypeNames.
func (s *Session) Result(statement *Statement, pinned Pinned, answer *Answer, names [][]*string) (result *Result, unnamed string, err error) {
	execution := execution{
		Role: pinned.Role, StartedAt: pinned.StartedAt, ElapsedUS: max(answer.Elapsed.Microseconds(), 0),
		Columns: answer.Columns, Rows: answer.Texts, TypeNames: [][3]any{},
	}
	if execution.Rows == nil {
		execution.Rows = [][]*string{}
	}
	if execution.Columns == nil {
		execution.Columns = []Column{}
	}
	if statement.Run.Gate != nil {
		execution.Affected = &answer.Affected
	}
	for _, name := range names {
		if len(name) == 3 && name[0] != nil && name[1] != nil && name[2] != nil {
			execution.TypeNames = append(execution.TypeNames, [3]any{json.Number(*name[0]), *name[1], *name[2]})
		}
	}
	var told struct {
		UnnamedTypes string `json:"unnamed_types"`
		Rows         int    `json:"rows"`
		RowCount     int64  `json:"row_count"`
		Truncated    bool   `json:"truncated"`
	}
	text, failure := statement.native.Receipt(spell(execution))
	// The receipt is the last field, and its bytes are what is signed: they are kept as they came.
	head, receipt, done := strings.Cut(text, `,"receipt":`)
	if done {
		head += "}"
	}
	if err := read(head, failure, &told); err != nil || told.UnnamedTypes != "" {
		return nil, told.UnnamedTypes, err
	}
	return &Result{rowsOf(statement, answer, told.Rows, told.RowCount, told.Truncated), receiptOf(strings.TrimSuffix(receipt, "}"))}, "", nil
}

type execution struct {
	Role      string      `json:"role"`
	StartedAt string      `json:"started_at"`
	ElapsedUS int64       `json:"elapsed_us"`
	Columns   []Column    `json:"columns"`
	TypeNames [][3]any    `json:"type_names"`
	Rows      [][]*string `json:"rows"`
	Affected  *int64      `json:"affected"`
}
