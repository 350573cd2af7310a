#!/usr/bin/env bash
# Looks for what stays behind: memory that grows over many checks and threads, and memory that nobody holds at the end.
#
#   scripts/soak.sh [CHECKS [THREADS]]    by default a million and 10,000
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

checks=${1:-1000000}
threads=${2:-10000}
nice -n 10 cargo build --profile checked --locked -p haltsql-fuzz --bin soak
soak=${CARGO_TARGET_DIR:-target}/checked/soak

echo "== memory"
# One store for all threads: glibc keeps up to eight for each processor, which fill one after another.
MALLOC_ARENA_MAX=1 "$soak" memory "$checks" "$threads"

echo "== leaks (the sanitizer keeps what was freed for a while: that memory grows means nothing here)"
# AddressSanitizer's runtime brings LeakSanitizer along. It replaces malloc from outside, so that the parser's C code and
# Rust's are both watched, in the very program that ran above.
runtime=$(cc -print-file-name=libasan.so)
[ -e "$runtime" ] || runtime=$(cc -print-file-name=libclang_rt.asan-"$(uname -m)".so)
if [ ! -e "$runtime" ]; then
    echo "soak: error: the C compiler has no AddressSanitizer runtime: install gcc with its libasan" >&2
    exit 2
fi
watched() { LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=1 "$soak" "$@"; }
if watched control >/dev/null 2>&1; then
    echo "soak: error: LeakSanitizer does not see a leak made on purpose; it may lack the right to look into threads (ptrace)" >&2
    exit 2
fi
watched leaks $((checks / 20)) $((threads / 10))
echo "no leaks"
