#!/usr/bin/env bash
# Coverage-guided fuzzing with cargo-fuzz, from the corpus on. Ends with 1 at the first input that breaks what has to hold.
#
#   scripts/fuzz.sh [SECONDS [TARGET…]]    by default 60 seconds for each of sql, policy, context, batch
#
# What it finds interesting stays in .build/fuzz-corpus/, and the next run goes on from there.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

seconds=${1:-60}
shift $(($# > 0))
[ $# -gt 0 ] || set -- sql policy context batch

command -v c++ >/dev/null || {
    echo "fuzz: error: libFuzzer is C++ and there is no c++: install g++ (on Debian and Ubuntu: apt-get install build-essential)" >&2
    exit 2
}
version=0.13.2
tool=.build/cargo-fuzz-$version/bin/cargo-fuzz
if [ ! -x "$tool" ]; then
    echo "fuzz: installing cargo-fuzz $version under .build/"
    cargo install --quiet --locked --root "${tool%/bin/*}" "cargo-fuzz@$version"
fi

# The stable compiler has the flags for coverage and AddressSanitizer too; it takes them only when told so. Without thin LTO and
# with more units than one the build takes minutes instead of a quarter of an hour.
export RUSTC_BOOTSTRAP=1 CARGO_PROFILE_RELEASE_LTO=off
options=(--fuzz-dir fuzz --features libfuzzer --codegen-units 16 --target-dir .build/fuzz)
"$tool" build "${options[@]}"
for target in "$@"; do
    corpus=.build/fuzz-corpus/$target
    env -u RUSTC_BOOTSTRAP -u CARGO_PROFILE_RELEASE_LTO \
        cargo run --quiet --profile checked --locked -p haltsql-fuzz --bin seeds -- "$target" "$corpus"
    echo "== $target: $seconds seconds"
    "$tool" run "${options[@]}" "$target" "$corpus" -- -max_total_time="$seconds" -max_len=4096 -timeout=10 \
        -dict=fuzz/words.dict -artifact_prefix=".build/fuzz-found-$target-" -print_final_stats=1
done
