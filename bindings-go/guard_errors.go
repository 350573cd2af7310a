package haltsql

import (
	"fmt"
	"strings"
)

// DeniedError is of guards: the verdict said no, and nothing was sent.
type DeniedError struct {
	// Verdict says why; its ForAgent is what to tell the agent.
	Verdict Verdict
}

// DatabaseError is of guards: what PostgreSQL said, redacted as docs/guards.md describes. It was rolled back.
type DatabaseError struct {
	// SQLState is the code, such as 57014.
	SQLState string
	// Message is for whoever wrote the SQL. It quotes no values of rows.
	Message string
	// Detail is empty unless it may be shown.
	Detail string
	// Hint is empty unless it may be shown.
	Hint string
	// Cause is the driver's error where the guard shows errors, else nil.
	Cause error
}

// ConnectionError is of guards: there is no connection, or it broke, or the context ended.
type ConnectionError struct {
	// Message is one line.
	Message string
	// InDoubt says that COMMIT was sent and not answered: whether it was written is not known. Without it nothing was.
	InDoubt bool
	// Cause is the context's error where that ended the call; the driver's where the guard shows errors; else nil.
	Cause error
}

// Error returns the codes, and no SQL.
func (e *DeniedError) Error() string {
	codes := e.Verdict.Codes()
	if len(codes) == 0 {
		return "haltsql: denied: it cannot be run"
	}
	names := make([]string, len(codes))
	for at, code := range codes {
		names[at] = string(code)
	}
	return "haltsql: denied: " + strings.Join(names, ", ")
}

// Error returns the message and the SQLSTATE.
func (e *DatabaseError) Error() string {
	return fmt.Sprintf("haltsql: %s (SQLSTATE %s)", e.Message, e.SQLState)
}

// Unwrap returns the Cause.
func (e *DatabaseError) Unwrap() error { return e.Cause }

// Error returns the message.
func (e *ConnectionError) Error() string { return "haltsql: " + e.Message }

// Unwrap returns the Cause.
func (e *ConnectionError) Unwrap() error { return e.Cause }
