"""The hostile suite (``conformance/hostile``) through the guards: nothing is sent that the verifier did not allow."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
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
HALTSQL = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "checked" / "haltsql"

# Both wires under every seal; what stands on them under the strongest.
RUNS = [(driver, version, seal) for driver in ("psycopg", "asyncpg") for version in (18, 16) for seal in SEALS]
RUNS += [(driver, 18, "signed") for driver in DRIVERS if driver not in ("psycopg", "asyncpg")]
if os.environ.get("HALTSQL_HOSTILE") != "all":
    # What a run of all tests has the time for; `make hostile` does the rest.
    RUNS = [("psycopg", 18, "signed"), ("asyncpg", 16, "signed"), ("psycopg", 16, "bare"), ("asyncpg", 18, "none")]


def is_foreign(text: str, tenant: str) -> bool:
    """It has a value that this tenant must not see."""
    return bool(set(re.findall("ACME_|GLOBEX_|INITECH_|SSN_|KEY_", text)) - {f"{tenant.upper()}_"})


def outcome(desk: Desk, case: dict[str, Any]) -> str:
    try:
        result = desk.run({"tenant_id": "acme"}, case["sql"], writable=case.get("writable", False))
    except Denied:
        return "denied"
    except HaltSQLError as error:
        # The suite's guard shows errors whole: what they say counts.
        return "leak" if is_foreign(f"{error} {vars(error)}", "acme") else "refused"
    return "leak" if is_foreign(str(result.texts), "acme") else "harmless"


def next_turn(desk: Desk, tenant: str) -> str | None:
    """Another tenant's turn on the connection: wrong, refused, or as it should be."""
    try:
        own = desk.run({"tenant_id": tenant}, OWN)
    except HaltSQLError:
        return "next_refused"
    return "next" if len(own.texts) != 4 or is_foreign(str(own.texts), tenant) else None


def harden(policy: str, seal: dict[str, Any], folder: pathlib.Path) -> str:
    """What `haltsql policy harden` prints for the policy."""
    (folder / "policy.yaml").write_text(policy)
    options = ["--optional"]
    if "pin_key" in seal:
        (folder / "pin.key").write_text(seal["pin_key"])
        options += ["--key-file", str(folder / "pin.key")]
    command = [HALTSQL, "policy", "harden", folder / "policy.yaml", *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Tally:
    """What the runner says at its end (conformance/hostile/README.md)."""

    def __init__(self) -> None:
        self.passed = self.failed = 0
        self.scenarios: Counter[str] = Counter()


@pytest.fixture(scope="module")
def tally() -> Iterator[Tally]:
    tally = Tally()
    yield tally
    statements = Counter(case["scenario"].replace(" ", "-") for case in CASES)
    print()
    for scenario, outcomes in sorted(tally.scenarios.items()):
        print(f"hostile name=python scenario={scenario} statements={statements[scenario]} outcomes={outcomes}")
    print(f"hostile name=python passed={tally.passed} failed={tally.failed}")


@pytest.mark.parametrize(("driver", "version", "name"), RUNS)
def test_nothing_shows_and_the_next_turn_is_right(
    driver: str, version: int, name: str, tmp_path: pathlib.Path, tally: Tally
) -> None:
    assert len(CASES) >= 250
    seal, rows = SEALS[name], (FOLDER / "rows.sql").read_text()
    document = (FOLDER / "policy.yaml").read_text() + f"  execution: {json.dumps(seal['execution'])}\n"
    options: dict[str, Any] = {"show_errors": True, "user": seal["user"]}
    if "pin_key" in seal:
        options["pin_key"] = seal["pin_key"]
    # Where each tenant logs in by itself, the next is the same.
    tenant = "acme" if name == "login" else "globex"
    with Server(version) as server:
        server.run("CREATE DATABASE shop", "postgres")
        server.run((FOLDER / "database.sql").read_text())
        server.run(rows)
        if name == "login":
            server.run("CREATE ROLE t_acme LOGIN; CREATE ROLE t_globex LOGIN")
        if name != "none":
            server.run(harden(document, seal, tmp_path))
        if name == "bare":
            server.run("GRANT app_agent TO app_login")
        seen: Counter[str] = Counter()
        problems: list[str] = []
        policy = Policy.from_str(document)
        with Desk(driver, server, policy, pool=1, **options) as pooled:
            for case in CASES:
                # What somebody left on a session is on the caller's own connection.
                left = case.get("session", [])
                with Desk(driver, server, policy, **options) if left else contextlib.nullcontext(pooled) as desk:
                    for statement in left:
                        with contextlib.suppress(Exception):
                            desk.raw(statement)
                    came = outcome(desk, case)
                    then = next_turn(desk, tenant)
                seen[then or came] += 1
                # The expected outcome is that of connections which the guard made.
                expected = ["denied", "harmless", "refused", "next_refused"] if left else case["expect"][name]["guard"]
                if came == "leak" or (then or came) not in expected:
                    problems.append(f"{case['id']}: {came}, then {then}, and not {expected}: {case['sql']}")
                if came == "harmless" and case.get("writable"):
                    server.run(rows)
    tally.passed, tally.failed = tally.passed + len(CASES) - len(problems), tally.failed + len(problems)
    tally.scenarios.update(case["scenario"].replace(" ", "-") for case in CASES)
    print(f"\n{driver} on PostgreSQL {version}, seal {name}: {dict(sorted(seen.items()))}")
    assert not problems, "\n".join(problems)
