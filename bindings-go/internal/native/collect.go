//go:build !haltsql_gc

package native

// collect does nothing; see the build with the tag haltsql_gc.
func collect() {}
