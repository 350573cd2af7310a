"""The row of Python: every input of every set, byte for byte (conformance/RUNNERS.md)."""

from __future__ import annotations

import os
import pathlib
import sys

from haltsql import HaltSQLError, Policy
from support import ROOT, same

FOLDER = pathlib.Path(os.environ.get("HALTSQL_CONFORMANCE_DIR", ROOT / ".build" / "conformance"))
FORMATS = {"auto": "auto", "yaml": "yaml", "json": "json"}
SHOWN = 10


def answer(policies: dict[str, Policy], fields: list[str]) -> str:
    kind, _, subject, first, second, _ = fields
    one, two = bytes.fromhex(first), bytes.fromhex(second)
    try:
        if kind == "load":
            name = one.decode("utf-8", "replace")
            return Policy.from_str(two, format=FORMATS[subject], name=name).version  # pyright: ignore[reportArgumentType]
        assert kind == "check", kind
        if subject not in policies:
            policies[subject] = Policy.from_file(FOLDER / "policies" / f"{subject}.yaml")
        verdict = policies[subject].check(_as_given(two), _as_given(one))
        return same(verdict.json)
    except HaltSQLError as error:
        return f"error {error.code}"


def _as_given(text: bytes) -> str | bytes:
    """What is Unicode as ``str``, as programs have it; the rest as bytes."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text


def test_every_row_of_every_set() -> None:
    files = sorted(FOLDER.glob("*.tsv"))
    assert files, f"{FOLDER} holds no set: run `haltsql-conformance prepare`"
    policies: dict[str, Policy] = {}
    different = 0
    for file in files:
        header, *rows = file.read_bytes().decode().removesuffix("\n").split("\n")
        magic, version, name, count, digest = header.split("\t")
        assert (magic, version) == ("haltsql-conformance", "1")
        identical = 0
        for row in rows:
            fields = row.split("\t")
            got = answer(policies, fields)
            if got == fields[5]:
                identical += 1
            else:
                different += 1
                if different <= SHOWN:
                    print(f"{fields[1]}\n  expected {fields[5]}\n  answered {got}", file=sys.stderr)
        print(
            f"\nconformance name=python set={name} cases={len(rows)} identical={identical} uncarried=0 digest={digest}"
        )
        assert len(rows) == int(count) > 0
    assert different == 0
