#!/usr/bin/env bash
# Everything that has to hold before a change is merged: form, lints, and every test. Runs all steps even when one
# fails, ends with one line per step, and exits 1 when one of them failed.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

steps=()
failed=0

step() {
    local title=$1 started=$SECONDS result=ok
    shift
    printf '\n== %s: %s\n' "$title" "$*"
    "$@" </dev/null || { result=FAILED && failed=1; }
    steps+=("$(printf '%-6s  %-11s %5d s' "$result" "$title" $((SECONDS - started)))")
}

# The lints of another compiler than ours are shown and deny nothing: a new release's new lints must not break a clone.
ours=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
deny=(-D warnings)
case $(rustc --version) in
    "rustc $ours."*) ;;
    *) deny=() && echo "lints and formatting are those of Rust $ours; this is $(rustc --version): findings are shown and not counted" ;;
esac
form() { cargo fmt --all --check || [ ${#deny[@]} = 0 ]; }
lints() { cargo clippy --workspace --exclude haltsql-weakened --all-targets --profile checked --locked -- "${deny[@]}" || [ ${#deny[@]} = 0 ]; }
# The parser takes minutes to compile: whatever is built has to share one build of it (Cargo.toml, `regex` and `syn`).
started=$(mktemp)
trap 'rm -f "$started"' EXIT
builds() {
    local ran
    ran=$(find "${CARGO_TARGET_DIR:-target}/checked/build" -path '*/pg_query-*/output' -newer "$started")
    [ "$(grep -c . <<<"$ran")" -le 1 ] || { printf 'the parser was built for different choices of packages:\n%s\n' "$ran" >&2 && return 1; }
}

step form form
# What was compared, and after how many queries each rule that is left out shows, is part of the result.
step tests cargo test --workspace --profile checked --locked --no-fail-fast -- --show-output
step java scripts/bindings/java-test
step python scripts/bindings/python-test
step go scripts/bindings/go-test
step node scripts/bindings/node-test
step conformance scripts/conformance/run
# Built with the tests, as all examples are.
step golden "${CARGO_TARGET_DIR:-target}/checked/examples/golden" --check
step lints lints
step builds builds

printf '\n== summary\n'
printf '%s\n' "${steps[@]}"
if [ $failed = 0 ]; then
    echo "all checks passed"
else
    echo "some checks failed: see above"
fi
exit $failed
