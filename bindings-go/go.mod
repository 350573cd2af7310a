module github.com/haltsql/haltsql-go

go 1.24.0

require github.com/haltsql/haltsql-go/lib/linux-amd64 v0.1.0
