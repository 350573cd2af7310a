package haltsql

import "github.com/haltsql/haltsql-go/internal/native"

// Version is the version of HaltSQL that this package was made for. The library's has to be the same.
const Version = "0.1.0"

// PostgresVersion returns the version of the PostgreSQL whose parser reads the SQL.
func PostgresVersion() string { return native.PostgresVersion() }
