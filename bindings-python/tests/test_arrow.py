"""Arrow in, Arrow out, by the PyCapsule interface alone."""

from __future__ import annotations

from typing import Any

import pyarrow
import pytest

from haltsql import ArgumentError, Policy, Verdict
from support import ACME, ALLOWED, DENIED, POLICY_FILE, run

pa: Any = pyarrow
TEXTS = [ALLOWED, None, DENIED, "SELECT", "SELECT 'längerer Text 🐘'"]


class Exporter:
    """Nothing but the stream of something."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.source.__arrow_c_stream__(requested_schema)


def expected(policy: Policy, texts: list[Any]) -> list[tuple[bool | None, Verdict | None]]:
    verdicts = [None if text is None else policy.check(text, ACME) for text in texts]
    return [(None, None) if verdict is None else (verdict.allowed, verdict) for verdict in verdicts]


def rows(answer: Any) -> list[tuple[bool | None, Verdict | None]]:
    table = pa.table(answer)
    assert table.schema.equals(pa.schema([("allowed", pa.bool_()), ("verdict", pa.large_string())]))
    table.validate(full=True)
    return [
        (row["allowed"], None if row["verdict"] is None else Verdict.from_json(row["verdict"]))
        for row in table.to_pylist()
    ]


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"])
def test_every_type_of_texts(policy: Policy, kind: str) -> None:
    array = pa.array(TEXTS, pa.string()).cast(getattr(pa, kind)())
    for source in (
        array,
        pa.chunked_array([array, array.slice(1, 3)]),
        pa.table({"sql": array}),
        Exporter(pa.table({"x": array})),
    ):
        texts = TEXTS + TEXTS[1:4] if isinstance(source, pa.ChunkedArray) else TEXTS
        assert rows(policy.check_many(source, ACME)) == expected(policy, texts)


def test_dictionaries_and_nulls(policy: Policy) -> None:
    assert rows(policy.check_many(pa.array(TEXTS).dictionary_encode(), ACME)) == expected(policy, TEXTS)
    assert rows(policy.check_many(pa.nulls(3), ACME)) == [(None, None)] * 3
    answer = policy.check_many(pa.table({"sql": pa.array([], pa.string())}), ACME)
    assert len(answer) == 0 and rows(answer) == []


def test_the_column_of_many_is_found_by_its_name(policy: Policy) -> None:
    table = pa.table({"id": range(5), "sql": TEXTS, "note": ["x"] * 5})
    assert rows(policy.check_many(table, ACME)) == expected(policy, TEXTS)
    for bad in (
        pa.table({"a": TEXTS, "b": TEXTS}),
        pa.Table.from_arrays([pa.array(TEXTS)] * 2, names=["sql", "sql"]),
        pa.table({}),
    ):
        with pytest.raises(ArgumentError, match="`sql`, once"):
            policy.check_many(bad, ACME)
    for bad in (pa.table({"sql": [1]}), pa.array([1.5]), pa.array([1, 2]).dictionary_encode(), pa.array([["a"]])):
        with pytest.raises(ArgumentError, match="no strings"):
            policy.check_many(bad, ACME)


def test_slices_are_read_from_where_they_begin(policy: Policy) -> None:
    table = pa.table({"id": range(5), "sql": TEXTS})
    for start, length in ((0, 2), (1, 3), (2, 3), (4, 1), (5, 0)):
        texts = TEXTS[start : start + length]
        assert rows(policy.check_many(table.slice(start, length), ACME)) == expected(policy, texts)
        assert rows(policy.check_many(table.to_batches()[0].slice(start, length), ACME)) == expected(policy, texts)
        structs = pa.StructArray.from_arrays(
            [pa.array(TEXTS), pa.array(range(5))], ["sql", "id"], mask=pa.array([False, False, False, True, False])
        ).slice(start, length)
        masked = [None if start + at == 3 else text for at, text in enumerate(texts)]
        assert rows(policy.check_many(structs, ACME)) == expected(policy, masked)
        assert rows(policy.check_many(pa.chunked_array([structs]), ACME)) == expected(policy, masked)


def test_many_batches_in_their_order(policy: Policy) -> None:
    texts = [f"SELECT {number}" for number in range(5000)]
    table = pa.table({"sql": pa.chunked_array([texts[:10], texts[10:3000], [], texts[3000:]])})
    answer = policy.check_many(Exporter(table), ACME, threads=2)
    assert len(answer) == 5000
    first = pa.table(answer).column("verdict").to_pylist()
    assert [Verdict.from_json(json) for json in first] == policy.check_many(texts, ACME)
    assert pa.table(answer).column("verdict").to_pylist() == first
    assert pa.schema(answer).names == ["allowed", "verdict"]
    assert policy.for_context(ACME).check_many(table).__len__() == 5000


def test_hostile_bytes_are_judged(policy: Policy) -> None:
    texts = [b"SELECT '\xff'", b"\0", b""]
    assert rows(policy.check_many(pa.array(texts, pa.binary()), ACME)) == expected(policy, texts)
    # What calls itself a string, and is none.
    false = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")])
    assert rows(policy.check_many(false, ACME)) == expected(policy, [b"\xff\xfe"])


def test_without_arro3_it_says_what_to_install() -> None:
    program = (
        "import sys, haltsql\n"
        "sys.modules['arro3.core'] = None\n"
        f"policy = haltsql.Policy.from_file({str(POLICY_FILE)!r})\n"
        "class Stream:\n"
        "    def __arrow_c_stream__(self, requested_schema=None): ...\n"
        "try:\n"
        "    policy.check_many(Stream(), {})\n"
        "except haltsql.ArgumentError as error:\n"
        "    print(error)\n"
    )
    assert run(program) == "checking Arrow data needs arro3-core: pip install 'haltsql[arrow]'"


def test_arro3_is_imported_when_it_is_needed() -> None:
    assert run("import sys, haltsql; print('arro3' in sys.modules)") == "False"


def test_a_stream_that_fails_is_an_error(policy: Policy) -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return None

    with pytest.raises(ArgumentError, match="cannot be read"):
        policy.check_many(Broken(), ACME)
