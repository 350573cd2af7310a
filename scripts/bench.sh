#!/usr/bin/env bash
# Every benchmark, then one table: what each thing costs, what the parser alone costs in the same run, and the ratio.
# Ends with 1 where a bound of docs/performance.md is missed. Arguments: the languages to measure, all by default.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0
run() { "$@" 2>&1 | tee -a "$output" || failed=1; }
bench() { run cargo bench --locked "$@"; }
bench -p haltsql --bench verdict
bench -p haltsql --bench memory
bench -p haltsql-cli --bench batch
bench -p haltsql --bench bounds
bench -p haltsql-guard --bench guard
run scripts/bindings/python-bench
run scripts/bindings/java-bench
run scripts/bindings/node-bench
{ scripts/bindings/go-setup && scripts/bindings/go-build --profile release; } || failed=1
run go -C bindings-go/tests test -count=1 -run '^$' -bench Guard -benchtime 1x ./guard
run cargo run --release --locked -p haltsql-bench -- "$@"

printf '\n| what | measured | floor of the same run | ratio |\n|---|---|---|---|\n'
grep '^| ' "$output"
grep '^missed: ' "$output"
exit $failed
