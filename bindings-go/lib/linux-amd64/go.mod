module github.com/haltsql/haltsql-go/lib/linux-amd64

go 1.24.0
