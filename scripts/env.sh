# shellcheck shell=sh
# Sourced by the scripts and the Makefile, from the root of the checkout: where `make setup` put things.
# A variable that is set already wins, so that other servers and another libclang can be used.

if [ -z "${LIBCLANG_PATH:-}" ] && [ -f .build/libclang/libclang.so ]; then
    LIBCLANG_PATH=$PWD/.build/libclang
    # That libclang comes without a compiler's own headers (stddef.h …); gcc's will do.
    BINDGEN_EXTRA_CLANG_ARGS="-isystem $(cc -print-file-name=include)${BINDGEN_EXTRA_CLANG_ARGS:+ $BINDGEN_EXTRA_CLANG_ARGS}"
    export LIBCLANG_PATH BINDGEN_EXTRA_CLANG_ARGS
fi

export HALTSQL_PG_BIN="${HALTSQL_PG_BIN:-$PWD/.build/postgres-demo/bin}"
export HALTSQL_TEST_PG="${HALTSQL_TEST_PG:-$PWD/.build/postgres-18}"
export HALTSQL_TEST_PG16="${HALTSQL_TEST_PG16:-$PWD/.build/postgres-16}"
export HALTSQL_TEST_PG17="${HALTSQL_TEST_PG17:-$PWD/.build/postgres-17}"
export HALTSQL_TEST_PG15="${HALTSQL_TEST_PG15:-$PWD/.build/postgres-15}"
export HALTSQL_TEST_PG14="${HALTSQL_TEST_PG14:-$PWD/.build/postgres-14}"
