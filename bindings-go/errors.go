package haltsql

import (
	"encoding/json"
	"fmt"

	"github.com/haltsql/haltsql-go/internal/native"
)

// Error is why no check happened. Treat it as a denial. Ask for its kind with errors.Is(err, haltsql.ErrPolicy), for the rest
// with errors.As.
type Error struct {
	// Code is the kind of the error.
	Code ErrorCode
	// Message is for a person: one line, and for a policy every problem with its place and a snippet. It never quotes SQL or a
	// context's values.
	Message string
	// Problems is everything that is wrong with a policy, sorted by place. Empty for every other kind.
	Problems []Problem
	// Unlisted is how many problems there are beyond those.
	Unlisted int
}

// Problem is one thing that is wrong with a policy document.
type Problem struct {
	// Line counts from 1.
	Line int `json:"line"`
	// Column counts characters from 1.
	Column int `json:"column"`
	// Offset counts bytes from 0.
	Offset int `json:"offset"`
	// Path is where in the document, as in spec.tables["app.orders"].columns[2]. Empty for syntax errors.
	Path string `json:"path"`
	// Message is what is wrong, in one line.
	Message string `json:"message"`
	// Help is how to mend it. Empty where that is not known.
	Help string `json:"help"`
	// Snippet is the line of the document, cut where it is long.
	Snippet string `json:"snippet"`
}

// ErrorCode is a kind of error, with the same number in every language. It is an error itself, so that errors.Is finds it.
type ErrorCode uint32

// The kinds of errors.
const (
	// ErrInternal is a bug of HaltSQL. Please report it, without the SQL if that is confidential.
	ErrInternal ErrorCode = 1
	// ErrArgument is a call that its documentation rules out.
	ErrArgument ErrorCode = 2
	// ErrPolicy is a policy document that is not valid.
	ErrPolicy ErrorCode = 3
	// ErrContext is a context that is not an object of JSON with unique keys, or cannot become one.
	ErrContext ErrorCode = 4
	// ErrVerdict is what was given as a verdict and is none of this version, or was given for another text.
	ErrVerdict ErrorCode = 5
	// ErrClosed is the use of a policy or caller after Close.
	ErrClosed ErrorCode = 6
	// ErrVersion is a library of another version than this package.
	ErrVersion ErrorCode = 7
	// ErrEncoding is a string of a context that is not UTF-8, so that no JSON is exactly it.
	ErrEncoding ErrorCode = 8
	// ErrSeal is of guards: the session or the database is not what the policy describes. No check returns it.
	ErrSeal ErrorCode = 9
)

var errorNames = [...]string{
	ErrInternal: "internal", ErrArgument: "argument", ErrPolicy: "policy", ErrContext: "context",
	ErrVerdict: "verdict", ErrClosed: "closed", ErrVersion: "version", ErrEncoding: "encoding",
	ErrSeal: "seal",
}

// Name returns the kind's stable name, the same in every language.
func (c ErrorCode) Name() string {
	if c > 0 && int(c) < len(errorNames) {
		return errorNames[c]
	}
	return fmt.Sprintf("%d", uint32(c))
}

// Error returns the kind as a sentence.
func (c ErrorCode) Error() string { return "haltsql: error " + c.Name() }

// Error returns the message.
func (e *Error) Error() string { return "haltsql: " + e.Message }

// Unwrap returns the Code, for errors.Is.
func (e *Error) Unwrap() error { return e.Code }

func newError(code ErrorCode, format string, arguments ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, arguments...)}
}

// errorOf is the error for what the library said. what names the thing that may have been closed.
func errorOf(failure *native.Failure, what string) *Error {
	code := ErrorCode(failure.Status)
	if code == ErrClosed {
		return newError(ErrClosed, "the %s was closed", what)
	}
	var spelt struct {
		Message  string    `json:"message"`
		Problems []Problem `json:"problems"`
		Unlisted int       `json:"unlisted"`
	}
	if err := json.Unmarshal([]byte(failure.JSON), &spelt); err != nil || spelt.Message == "" {
		return newError(code, "no check happened: the library ended with status %d", failure.Status)
	}
	if len(spelt.Problems) == 0 {
		spelt.Problems = nil
	}
	return &Error{Code: code, Message: spelt.Message, Problems: spelt.Problems, Unlisted: spelt.Unlisted}
}
