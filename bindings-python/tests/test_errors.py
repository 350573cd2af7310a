"""One tree of errors, in step with the list that every language shares; and no panic that gets out of it."""

from __future__ import annotations

import json
import os
import pathlib
import pickle
import re
from typing import get_args

import haltsql
from haltsql import HaltSQLError, ReasonCode
from support import POLICY_FILE, ROOT, doctored, run

KINDS: list[type[HaltSQLError]] = [
    kind for kind in vars(haltsql).values() if isinstance(kind, type) and issubclass(kind, BaseException)
]  # pyright: ignore[reportAssignmentType]

DOCUMENTS = ["ffi.md", "guards.md"]


def test_every_error_derives_from_one_exception() -> None:
    assert len(KINDS) == 12
    for kind in KINDS:
        assert issubclass(kind, HaltSQLError) and issubclass(kind, Exception), kind.__mro__
        assert kind.__doc__
    assert HaltSQLError.__mro__ == (HaltSQLError, Exception, BaseException, object)


def test_numbers_and_names_are_those_of_every_language() -> None:
    rows = [
        re.findall(r"^\| (\d+) \| (\w+) \|", (ROOT / "docs" / name).read_text(), re.MULTILINE) for name in DOCUMENTS
    ]
    table = dict(rows[0])
    # Those of guards alone have numbers of their own; the others are the same in both documents.
    guards = dict(rows[1])
    assert {number: name for number, name in guards.items() if int(number) < 100}.items() <= table.items()
    table |= guards
    # Nothing in Python is closed, so that nothing can be used afterwards.
    assert table.pop("6") == "closed"
    assert {str(kind.code): kind.name for kind in KINDS} == table


def test_the_reason_codes_are_those_of_the_core() -> None:
    from haltsql import _native

    assert list(get_args(ReasonCode)) == [entry["code"] for entry in json.loads(_native.reason_codes())]


def test_errors_can_be_pickled() -> None:
    for kind in KINDS:
        error = pickle.loads(pickle.dumps(kind("a sentence")))
        assert (type(error), str(error), error.code, error.name) == (kind, "a sentence", kind.code, kind.name)


PANICS = f"""
import haltsql, sys
policy = haltsql.Policy.from_file({str(POLICY_FILE)!r})
good, context = "SELECT name FROM app.customers WHERE tenant_id = $1", {{"tenant_id": "acme"}}
marker = sys.argv[1] + ": panic in "
for place in ("stages", "answer"):
    for check in (policy.check, lambda sql, context: policy.check_many([good, sql], context, threads=2)[1]):
        verdict = check(good + " /* " + marker + place + " */", context)
        assert not verdict.allowed and [reason.code for reason in verdict.reasons] == ["E_INTERNAL"], verdict
        assert verdict.for_agent()
        assert policy.check(good, context).allowed
def internal(call):
    try:
        call()
    except Exception as error:  # what PyO3 raises for a panic is none
        assert type(error) is haltsql.InternalError and error.code == 1, error
    else:
        raise AssertionError("no error")
document = {{"apiVersion": "haltsql.dev/v1", "kind": "Policy", "metadata": {{"name": "p"}}, "spec": {{}}}}
internal(lambda: haltsql.Policy.from_dict({{**document, "metadata": {{"name": "p", "description": marker + "load"}}}}))
def noisy(place):
    return haltsql.Policy.from_dict({{**document, "metadata": {{"name": "p", "description": marker + place}}}})
internal(noisy("describe").describe)
internal(noisy("describe").describe_json)
internal(lambda: noisy("name").name)  # only the fence of the binding is left there
internal(lambda: repr(noisy("name")))
assert policy.check(good, context).allowed
print("all denied")
"""


def weakened() -> pathlib.Path:
    """The module over the core in which texts can ask for a panic (docs/ffi.md): built by scripts/bindings/python-build."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return ROOT / target / "checked" / "libhaltsql_python_weakened.so"


def test_a_panic_is_a_denial_or_an_error(tmp_path: pathlib.Path) -> None:
    package = doctored(tmp_path)
    (package / "_native.abi3.so").write_bytes(weakened().read_bytes())
    assert run(PANICS, "HALTSQL_" + "WEAKENED", package=package) == "all denied"


def test_the_marker_of_that_core_is_in_nothing_that_ships() -> None:
    marker = b"HALTSQL_" + b"WEAKENED"
    assert marker in weakened().read_bytes()
    installed = pathlib.Path(haltsql.__file__).parent
    files = [file for file in installed.rglob("*") if file.is_file()]
    assert any(file.suffix == ".so" for file in files)
    assert not [file for file in files if marker in file.read_bytes()]
