// Package guards is what every guard for Go has, whatever its driver: the core's steps with Go's types, results and receipts.
//
// It receives options, contexts, SQL and what a driver returned; it returns what to send and how the answer reads. It must never know
// a driver, and never make a receipt of anything but a run.
package guards

import (
	"encoding/json"
	"os"
	"sync/atomic"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/internal/bridge"
	"github.com/haltsql/haltsql-go/internal/native"
)

// Options are what a guard is built with. None are the same as nil.
type Options struct {
	// PinKey is the text of the key of signed pins. Empty: it is read where the policy's execution.pin_key says.
	PinKey string
	// ReceiptKey signs receipts: an Ed25519 key in PEM, or the 64 hex digits of its seed. Empty: they are not signed.
	ReceiptKey string
	// AllowShadow runs under a shadow policy too, which protects nothing.
	AllowShadow bool
	// ShowErrors hands on the database's errors whole. They can quote rows and name hidden columns: for operators.
	ShowErrors bool
	// OnVerdict is told of every verdict before anything is sent: for an audit log. What it returns stops the statement.
	OnVerdict func(haltsql.Verdict, Meta) error
}

// Meta is what else OnVerdict is told.
type Meta struct {
	// SQL is the text that was verified.
	SQL string
	// Writable says that the text may write.
	Writable bool
	// Policy is the policy's name.
	Policy string
}

// Guard is a policy with the options and keys of one guard.
type Guard struct {
	native  *native.Guard
	policy  *haltsql.Policy
	options Options
	signs   bool
	// Of transactions that read, and of those that may write.
	steps [2]kept[Steps]
	seal  kept[*SealCheck]
}

// kept is what the library answered last, and what it reads as: most transactions of a guard are told the same.
type kept[T any] struct{ last atomic.Pointer[answered[T]] }

type answered[T any] struct {
	text  string
	value T
}

func (k *kept[T]) read(text string, failure *native.Failure) (value T, err error) {
	if last := k.last.Load(); failure == nil && last != nil && last.text == text {
		return last.value, nil
	}
	if err = read(text, failure, &value); err == nil {
		k.last.Store(&answered[T]{text, value})
	}
	return value, err
}

// New returns a guard. It keeps what it needs of the policy.
func New(policy *haltsql.Policy, options *Options) (*Guard, error) {
	if options == nil {
		options = &Options{}
	}
	own, err := bridge.Policy(policy)
	if err != nil {
		return nil, err
	}
	place, failure := own.PinKeyPlace()
	if failure != nil {
		return nil, bridge.Error(failure)
	}
	key, signs := options.PinKey, place != "null"
	if key == "" && signs {
		if key, err = keyAt(place); err != nil {
			return nil, err
		}
	}
	spelt := spell(map[string]bool{"allow_shadow": options.AllowShadow, "show_errors": options.ShowErrors})
	made, failure := own.Guard(spelt, key, options.ReceiptKey)
	if failure != nil {
		return nil, bridge.Error(failure)
	}
	return &Guard{native: made, policy: policy, options: *options, signs: signs}, nil
}

// Policy is the policy.
func (g *Guard) Policy() *haltsql.Policy { return g.policy }

// ShowErrors is the option.
func (g *Guard) ShowErrors() bool { return g.options.ShowErrors }

// Session is a transaction of the guard.
func (g *Guard) Session(who haltsql.Context, writable bool) (*Session, error) {
	context, err := bridge.Context(who)
	if err != nil {
		return nil, err
	}
	opened, failure := g.native.Session(context, spell(map[string]bool{"writable": writable}))
	if failure != nil {
		return nil, bridge.Error(failure)
	}
	session := &Session{native: opened, guard: g, writable: writable}
	kind := 0
	if writable {
		kind = 1
	}
	if session.Steps, err = g.steps[kind].read(opened.Steps()); err != nil {
		return nil, err
	}
	session.Seal, err = g.seal.read(opened.SealCheck())
	return session, err
}

// Statement is a text for its caller's own transaction, and the caps of its result. A *haltsql.DeniedError: nothing may be sent.
func (g *Guard) Statement(who haltsql.Context, writable bool, sql string) (*Statement, error) {
	context, err := bridge.Context(who)
	if err != nil {
		return nil, err
	}
	verified, failure := g.native.Statement(context, spell(map[string]bool{"writable": writable}), sql)
	if failure != nil {
		return nil, bridge.Error(failure)
	}
	return g.judged(verified, sql, writable)
}

// Redacted is what goes on of a database's error.
func (g *Guard) Redacted(sqlstate, message, detail, hint string) error {
	var left struct{ Kind, SQLState, Message, Detail, Hint string }
	text, failure := g.native.Redact(spell(map[string]string{"sqlstate": sqlstate, "message": message, "detail": detail, "hint": hint}))
	if err := read(text, failure, &left); err != nil {
		return err
	}
	if left.Kind == "seal" {
		return Broken(left.Message)
	}
	return &haltsql.DatabaseError{SQLState: left.SQLState, Message: left.Message, Detail: left.Detail, Hint: left.Hint}
}

func (g *Guard) judged(verified *native.Statement, sql string, writable bool) (*Statement, error) {
	answer, failure := verified.Verdict()
	if failure != nil {
		return nil, bridge.Error(failure)
	}
	given, err := bridge.Verdict(answer, sql)
	if err != nil {
		return nil, err
	}
	statement := &Statement{native: verified}
	statement.Verdict, _ = given.(haltsql.Verdict)
	if hook := g.options.OnVerdict; hook != nil {
		if err := hook(statement.Verdict, Meta{sql, writable, g.policy.Name()}); err != nil {
			return nil, err
		}
	}
	run, failure := verified.Run()
	if err := read(run, failure, &statement.Run); err != nil {
		return nil, err
	}
	if statement.Run == nil {
		return nil, &haltsql.DeniedError{Verdict: statement.Verdict}
	}
	return statement, nil
}

// Broken is the error of a session or database that is not what the policy describes.
func Broken(message string) error { return &haltsql.Error{Code: haltsql.ErrSeal, Message: message} }

// keyAt reads the key of signed pins.
func keyAt(place string) (string, error) {
	var at struct{ Env, File string }
	if err := read(place, nil, &at); err != nil {
		return "", err
	}
	if at.File != "" {
		key, err := os.ReadFile(at.File)
		return string(key), err
	}
	key := os.Getenv(at.Env)
	if key == "" {
		return "", &haltsql.Error{Code: haltsql.ErrArgument, Message: "the policy's pin key is in the environment variable `" + at.Env + "`, which is not set"}
	}
	return key, nil
}

// spell is JSON of what always has one.
func spell(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// read reads what the library answered.
func read(text string, failure *native.Failure, into any) error {
	if failure != nil {
		return bridge.Error(failure)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return &haltsql.Error{Code: haltsql.ErrInternal, Message: "what the library answered cannot be read"}
	}
	return nil
}
