#!/usr/bin/env bash
# The hostile suite (conformance/hostile) through every language that has a runner: statements that try to leave their tenant, under each
# seal, on real servers. Prints scenario by language, and ends with `N passed, 0 failed`. Arguments: the languages, all by default.
set -uo pipefail
cd "$(dirname "$0")/.."

output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0
for runner in conformance/hostile/runners/*; do
    name=$(basename "$runner")
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    echo "== $name"
    "$runner" </dev/null 2>&1 | tee -a "$output" | grep -v '^hostile ' || true
    [ "${PIPESTATUS[0]}" = 0 ] || failed=1
done
python3 - "$output" <<'EOF' || failed=1
import re
import sys

rows, passed, failed, names = {}, 0, 0, []
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    # Maven sets colours before what a test prints.
    line = re.sub(r"\x1b\[[0-9;]*m", "", line)
    if line.startswith("hostile "):
        said = dict(word.split("=", 1) for word in line.split()[1:])
        if "scenario" in said:
            rows.setdefault(said["scenario"], {})[said["name"]] = said["outcomes"]
        else:
            names.append(said["name"])
            passed, failed = passed + int(said["passed"]), failed + int(said["failed"])
print(f"{'scenario':18}", *(f"{name:>10}" for name in names))
for scenario in sorted(rows):
    print(f"{scenario:18}", *(f"{rows[scenario].get(name, '-'):>10}" for name in names))
print(f"{passed} passed, {failed} failed")
sys.exit(passed == 0 or failed > 0)
EOF
exit $failed
