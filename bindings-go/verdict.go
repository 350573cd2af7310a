package haltsql

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/haltsql/haltsql-go/internal/native"
)

// Verdict is what was decided about a text, a policy and a context. It comes from Check, or from [ParseVerdict]; an empty one allows
// nothing, and has nothing else to say.
//
// It is a value, for any number of goroutines. Allowed and JSON are there; each of the other methods reads the JSON whenever it is
// called, in about a microsecond, or in twenty where a string in it is spelt with escapes: keep what a loop needs. What a method returns
// is the caller's own: changing it changes no verdict.
type Verdict struct {
	allowed bool
	json    string
	sql     string
}

// Reason is one reason why a text was denied.
type Reason struct {
	// Code is stable. Programs match on it alone.
	Code ReasonCode
	// Message is what is wrong, in one line. It may quote the text.
	Message string
	// Rule is the rule that found it, such as tenancy.predicate.
	Rule string
	// Loc is where in the text: an offset in bytes from 0, as Go's own offsets; -1 where there is no such place.
	Loc int
	// Hint is one instruction that mends it. Empty where there is none.
	Hint string
}

// PolicyRef is the policy of a verdict.
type PolicyRef struct {
	// Name is the policy's metadata.name.
	Name string
	// Version is sha256: and the digest of the normalised policy.
	Version string
	// SearchPath is the schemas that names were looked up in. The verdict holds only in a session that has this search_path.
	SearchPath []string
}

// BindParam is what has to be bound to one parameter of an allowed text.
type BindParam struct {
	// Param is the n of $n.
	Param int
	// Value is a string, or a []string where the comparison is = ANY($n): then bind an array, also of one element.
	Value any
	// Type is text, uuid or integer (a bigint), with [] behind it for an array.
	Type string
}

// StatementKind is a kind of statement that can be allowed.
type StatementKind string

// The kinds of statements.
const (
	StatementSelect StatementKind = "select"
	StatementInsert StatementKind = "insert"
	StatementUpdate StatementKind = "update"
	StatementDelete StatementKind = "delete"
)

// ParseVerdict reads a verdict that was spelt as JSON, perhaps elsewhere: exactly as [Verdict.JSON] had it. The text is the one that it
// was given for, and is needed for ForAgent alone. Fields that this version doesn't know are left aside.
//
// It returns an [*Error], [ErrVerdict], where this is not the JSON of a verdict.
func ParseVerdict(json, sql string) (Verdict, error) {
	read, err := decode(json)
	if err != nil {
		return Verdict{}, err
	}
	return Verdict{read.allowed, json, sql}, nil
}

// Allowed says that the caller may run this exact text. Under [ModeShadow] it is always true, and protects nothing.
func (v Verdict) Allowed() bool { return v.allowed }

// JSON returns the verdict as every language spells it, byte for byte.
func (v Verdict) JSON() string { return v.json }

// Reasons returns why it was denied: all of it, in the order of the text. Empty when allowed.
func (v Verdict) Reasons() []Reason { return v.read().reasons }

// ShadowReasons returns what [ModeEnforce] would have had as Reasons. Empty in that mode.
func (v Verdict) ShadowReasons() []Reason { return v.read().shadowReasons }

// Policy returns the policy that it was made under.
func (v Verdict) Policy() PolicyRef { return v.read().policy }

// StatementKind returns what the text does. Empty where it is nothing that can be allowed.
func (v Verdict) StatementKind() StatementKind { return v.read().statementKind }

// Tables returns those that are read or written, as schema.table, sorted. May be partial when denied.
func (v Verdict) Tables() []string { return v.read().tables }

// Columns returns those that are read, as schema.table.column, sorted. May be partial when denied.
func (v Verdict) Columns() []string { return v.read().columns }

// BindParams returns what to bind to the text's parameters, by ascending number. Empty when denied.
func (v Verdict) BindParams() []BindParam { return v.read().bindParams }

// Fingerprint returns what is equal for texts that differ in constants alone. Empty where the text did not parse.
func (v Verdict) Fingerprint() string { return v.read().fingerprint }

// SQLSHA256 returns the digest of the exact text, in lower-case hex.
func (v Verdict) SQLSHA256() string { return v.read().sqlSHA256 }

// Elapsed returns how long it took. It alone may differ from run to run.
func (v Verdict) Elapsed() time.Duration { return v.read().elapsed }

// ForAgent returns the verdict as text for a language model: reasons, their repairs, and the SQL with the places marked.
//
// It returns an [*Error]: [ErrVerdict] where the verdict is empty, or was given for another text than it came with.
func (v Verdict) ForAgent() (string, error) {
	if err := compatible(); err != nil {
		return "", err
	}
	text, failure := native.ForAgent(v.json, v.sql)
	if failure != nil {
		return "", errorOf(failure, "verdict")
	}
	return text, nil
}

// Codes returns the codes of Reasons, or under ModeShadow those of ShadowReasons: what to log, and to count.
func (v Verdict) Codes() []ReasonCode { return v.read().codes() }

// Equal says whether two verdicts are the same, Elapsed aside. With == those of two checks differ where they took another time.
func (v Verdict) Equal(other Verdict) bool { return constant(v.json) == constant(other.json) }

// MarshalJSON returns JSON. Note that encoding/json escapes some characters anew: [Verdict.JSON] has the exact bytes.
func (v Verdict) MarshalJSON() ([]byte, error) {
	if v.json == "" {
		return nil, newError(ErrVerdict, "this verdict is empty")
	}
	return []byte(v.json), nil
}

// UnmarshalJSON is [ParseVerdict], without a text.
func (v *Verdict) UnmarshalJSON(json []byte) error {
	verdict, err := ParseVerdict(string(json), "")
	if err == nil {
		*v = verdict
	}
	return err
}

// LogValue is what belongs into a log: no SQL, and no message that quotes it.
func (v Verdict) LogValue() slog.Value {
	read := v.read()
	return slog.GroupValue(
		slog.Bool("allowed", v.allowed),
		slog.Any("codes", read.codes()),
		slog.String("policy_version", read.policy.Version),
		slog.String("fingerprint", read.fingerprint),
		slog.String("sql_sha256", read.sqlSHA256),
	)
}

// String shows what LogValue has: codes, and no SQL.
func (v Verdict) String() string {
	read := v.read()
	return fmt.Sprintf("haltsql.Verdict{allowed=%t codes=%v policy=%s fingerprint=%s sql_sha256=%s}",
		v.allowed, read.codes(), read.policy.Version, read.fingerprint, read.sqlSHA256)
}

// GoString is String, so that %#v shows no SQL either.
func (v Verdict) GoString() string { return v.String() }

// constant is the part of a verdict's JSON that is the same on every run.
func constant(json string) string {
	if at := strings.LastIndex(json, `,"elapsed_us":`); at >= 0 {
		return json[:at]
	}
	return json
}

func verdictOf(answer native.Answer, failure *native.Failure, sql, what string) (Verdict, error) {
	if failure != nil {
		return Verdict{}, errorOf(failure, what)
	}
	allows, verdict := begins(answer.JSON)
	if !verdict {
		return Verdict{}, newError(ErrInternal, "no verdict: what the library answered is none")
	}
	if allows != answer.Allowed {
		return Verdict{}, newError(ErrInternal, "no verdict: what the library answered contradicts itself")
	}
	return Verdict{allows, answer.JSON, sql}, nil
}
