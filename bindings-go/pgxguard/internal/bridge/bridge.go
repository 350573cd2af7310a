// Package bridge lets sqlguard lend connections in its own way. Package pgxguard fills it in when it starts.
package bridge

import (
	"context"

	"github.com/jackc/pgx/v5"

	haltsql "github.com/haltsql/haltsql-go"
	"github.com/haltsql/haltsql-go/internal/guards"
)

// Lend lends a connection for one piece of work. Its own error counts where the work was not begun.
type Lend = func(ctx context.Context, work func(*pgx.Conn)) error

var (
	// Transact runs a text in a transaction of its own. The guard is a *pgxguard.Guard.
	Transact func(ctx context.Context, guard any, lend Lend, who haltsql.Context, sql string, writable bool, each func([]any) error) (*guards.Result, error)
	// Single runs a text in its caller's transaction. The guard is a *pgxguard.Guard.
	Single func(ctx context.Context, guard any, lend Lend, who haltsql.Context, sql string, writable bool) (*guards.Rows, error)
)
