"""The hostile suite through the guards (``conformance/hostile``): nothing is sent that the verifier did not allow, and nothing shows."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest
from desks import DRIVERS, Desk
from servers import Server

from haltsql import Denied, HaltSQLError, Policy
from support import ROOT

FOLDER = ROOT / "conformance" / "hostile"
CASES: list[dict[str, Any]] = [json.loads(line) for line in (FOLDER / "statements.jsonl").read_text().splitlines()]
SEALS = json.loads((FOLDER / "seals.json").read_text())
OWN = "SELECT name FROM app.customers WHERE tenant_id = $1"
CONTEXT = {"tenant_id": "acme"}


def is_foreign(text: str, tenant: str) -> bool:
    """It has a value that this tenant must not see."""
    return bool(set(re.findall("ACME_|GLOBEX_|INITECH_|SSN_|KEY_", text)) - {f"{tenant.upper()}_"})


def outcome(desk: Desk, case: dict[str, Any]) -> str:
    try:
        result = desk.run(CONTEXT, case["sql"], writable=case.get("writable", False))
    except Denied:
        return "denied"
    except HaltSQLError as error:
        # The suite's guard shows errors whole: what they say counts.
        return "leak" if is_foreign(f"{error} {vars(error)}", "acme") else "refused"
    return "leak" if is_foreign(str(result.texts), "acme") else "harmless"


@pytest.mark.parametrize("version", [18, 16])
@pytest.mark.parametrize("driver", DRIVERS)
def test_nothing_shows_and_the_next_turn_is_right(driver: str, version: int) -> None:
    assert len(CASES) >= 250
    seal = SEALS["none"]
    policy = Policy.from_str((FOLDER / "policy.yaml").read_text() + f"  execution: {json.dumps(seal['execution'])}\n")
    rows = (FOLDER / "rows.sql").read_text()
    with Server(version) as server:
        server.run("CREATE DATABASE shop", "postgres")
        server.run((FOLDER / "database.sql").read_text())
        server.run(rows)
        seen: Counter[str] = Counter()
        problems: list[str] = []
        with Desk(driver, server, policy, pool=1, user=seal["user"], show_errors=True) as desk:
            for case in CASES:
                came = outcome(desk, case)
                seen[came] += 1
                expected = case.get("expect", {}).get("none", {}).get("guard")
                if came == "leak" or (expected is not None and came not in expected):
                    problems.append(f"{case['id']}: {came}, and not {expected}: {case['sql']}")
                own = desk.run({"tenant_id": "globex"}, OWN)
                if len(own.texts) != 4 or is_foreign(str(own.texts), "globex"):
                    problems.append(f"{case['id']}: the next turn saw {len(own.texts)} rows: {case['sql']}")
                if came == "harmless" and case.get("writable"):
                    server.run(rows)
    counts = " ".join(f"{name}={count}" for name, count in sorted(seen.items()))
    print(
        f"hostile name=python driver={driver} version={version} seal=none passed={len(CASES) - len(problems)} failed={len(problems)} {counts}"
    )
    assert not problems, "\n".join(problems)
    assert seen["denied"] >= 200 and seen["harmless"] >= 1
