"""Texts that come as Arrow data, by the Arrow PyCapsule interface. The package ``arro3-core`` handles the memory.

Receives anything that exports a stream or an array (pyarrow, Polars, DuckDB, pandas …), batch by batch; returns a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from arro3.core import Array, ArrayReader, DataType, Field, RecordBatch, Schema, Table, struct_field

from haltsql._arrow import ArrowVerdicts, verdicts_of
from haltsql._errors import ArgumentError
from haltsql._verdict import verdict_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from haltsql._arrow import ArrowArray, ArrowStream
    from haltsql._load import native

__all__ = ["check_arrow"]

# Between two batches of the answer.
_ROWS_AT_ONCE = 1024
_TEXT_COLUMN = "sql"
_ANSWER = Schema(
    [Field("allowed", DataType.bool(), nullable=True), Field("verdict", DataType.large_utf8(), nullable=True)]
)


def check_arrow(caller: native.Caller, texts: ArrowStream | ArrowArray, threads: int) -> ArrowVerdicts:
    """The verdicts on a stream's texts.

    Raises:
        ArgumentError: the data has no column of texts.
    """
    batches = [
        _checked(caller, batch[start : start + _ROWS_AT_ONCE], threads)
        for batch in _batches_of(texts)
        for start in range(0, len(batch), _ROWS_AT_ONCE)
    ]
    return verdicts_of(Table.from_batches(batches, schema=_ANSWER))


def _checked(caller: native.Caller, rows: list[bytes | None], threads: int) -> RecordBatch:
    verdicts = iter(caller.check_many([text for text in rows if text is not None], threads))
    spelt = [None if text is None else next(verdicts) for text in rows]
    allowed = [None if json is None else verdict_of(json, None).allowed for json in spelt]
    columns = [Array(allowed, DataType.bool()), Array(spelt, DataType.large_utf8())]
    return RecordBatch.from_arrays(columns, schema=_ANSWER)  # pyright: ignore[reportUnknownMemberType]


def _batches_of(texts: ArrowStream | ArrowArray) -> Iterator[list[bytes | None]]:
    """The texts' bytes, as lists of the stream's own sizes."""
    try:
        stream = ArrayReader.from_arrow(texts)  # pyright: ignore[reportArgumentType]
    except Exception as problem:
        raise ArgumentError(f"the Arrow data cannot be read: {problem}") from problem
    column = _column_of(stream.field)
    for batch in stream:
        # By position: names may be doubled.
        found = _bytes_of(batch if column is None else struct_field(batch, column))
        if column is not None and batch.null_count:
            # An array of structs, and not a table: a struct can be null whatever its fields are.
            found = [None if row is None else text for row, text in zip(_list_of(batch), found)]
        yield found


def _bytes_of(texts: Array) -> list[bytes | None]:
    # As bytes, because nobody has looked yet whether a string is UTF-8: that is for the verdict to say.
    return _list_of(texts.cast(DataType.large_binary()))


def _list_of(array: Array) -> list[Any]:
    return cast("list[Any]", array.to_pylist())  # pyright: ignore[reportUnknownMemberType]


def _column_of(field: Field) -> int | None:
    """Which column holds the texts; ``None`` where there are no columns but one array."""
    if not DataType.is_struct(field.type):
        _need_texts(field.type)
        return None
    columns = list(field.type.fields)
    found = [0] if len(columns) == 1 else [at for at, column in enumerate(columns) if column.name == _TEXT_COLUMN]
    if len(found) != 1:
        raise ArgumentError(
            f"the Arrow data has {len(columns)} columns: name the one with the texts `{_TEXT_COLUMN}`, once"
        )
    _need_texts(columns[found[0]].type)
    return found[0]


def _need_texts(kind: DataType) -> None:
    inner = kind.value_type if DataType.is_dictionary(kind) else kind
    is_texts = (
        *(DataType.is_string, DataType.is_large_string, DataType.is_string_view),
        *(DataType.is_binary, DataType.is_large_binary, DataType.is_binary_view, DataType.is_null),
    )
    if inner is None or not any(is_one(inner) for is_one in is_texts):
        raise ArgumentError("the Arrow data has no strings where the texts should be")
