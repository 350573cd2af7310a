#!/usr/bin/env bash
# Every benchmark, then one table: what each thing costs, what the parser alone costs in the same run, and the ratio.
# Arguments: the languages whose own cost is measured; none: all that there are.
# Ends with 1 where a bound of docs/performance.md is missed.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0
run() { cargo bench --locked "$@" 2>&1 | tee -a "$output" || failed=1; }
run -p haltsql --bench verdict
run -p haltsql --bench memory
run -p haltsql-cli --bench batch
run -p haltsql --bench bounds

cargo run --release --locked -p haltsql-bench -- "$@" || failed=1

printf '\n| what | measured | floor of the same run | ratio |\n|---|---|---|---|\n'
grep '^| ' "$output"
grep '^missed: ' "$output"
exit $failed
