"""Texts that come as Arrow data, verdicts that go as Arrow data, by the Arrow PyCapsule interface.

Receives anything that exports a stream or an array (pyarrow, Polars, DuckDB, pandas …), batch by batch; returns a table that
exports a stream. The package ``arro3-core`` handles the memory; it is imported when it is first needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from haltsql._errors import ArgumentError
from haltsql._verdict import verdict_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from arro3.core import Array, DataType, Field, RecordBatch, Schema, Table

    from haltsql._load import native

__all__ = ["ArrowArray", "ArrowStream", "ArrowVerdicts", "check_arrow"]

_ROWS_AT_ONCE = 1024
"""Between two batches of the answer."""
_TEXT_COLUMN = "sql"


class ArrowStream(Protocol):
    """Whatever exports an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object: ...


class ArrowArray(Protocol):
    """Whatever exports an Arrow array."""

    def __arrow_c_array__(self, requested_schema: object | None = None, /) -> tuple[object, object]: ...


class ArrowVerdicts:
    """A table with a row for each text, as an Arrow stream: ``pyarrow.table(verdicts)``, ``polars.DataFrame(verdicts)``.

    ``allowed`` is a boolean, ``verdict`` the verdict's JSON as a large string: both null where the text was null. Immutable;
    it can be read more than once.
    """

    __slots__ = ("_table",)
    _table: Table

    def __init__(self) -> None:
        raise ArgumentError("verdicts come from `check_many`")

    def __len__(self) -> int:
        """How many rows there are."""
        return self._table.num_rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The stream."""
        return self._table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """The schema."""
        return self._table.__arrow_c_schema__()

    def __repr__(self) -> str:
        return f"<ArrowVerdicts of {len(self)} texts>"


def check_arrow(caller: native.Caller, texts: ArrowStream | ArrowArray, threads: int) -> ArrowVerdicts:
    """The verdicts on a stream's texts.

    Raises:
        ArgumentError: arro3-core is not installed, or the data has no column of texts.
    """
    arro3 = _arro3()
    schema = _schema()
    batches = [
        _checked(caller, batch[start : start + _ROWS_AT_ONCE], threads, schema)
        for batch in _batches_of(texts)
        for start in range(0, len(batch), _ROWS_AT_ONCE)
    ]
    result = object.__new__(ArrowVerdicts)
    result._table = arro3.Table.from_batches(batches, schema=schema)  # pyright: ignore[reportPrivateUsage]
    return result


def _checked(caller: native.Caller, rows: list[bytes | None], threads: int, schema: Schema) -> RecordBatch:
    arro3 = _arro3()
    verdicts = iter(caller.check_many([text for text in rows if text is not None], threads))
    spelt = [None if text is None else next(verdicts) for text in rows]
    allowed = [None if json is None else verdict_of(json, None).allowed for json in spelt]
    columns = [arro3.Array(values, field.type) for values, field in zip((allowed, spelt), schema)]
    return arro3.RecordBatch.from_arrays(columns, schema=schema)


def _batches_of(texts: ArrowStream | ArrowArray) -> Iterator[list[bytes | None]]:
    """The texts' bytes, as lists of the stream's own sizes."""
    arro3 = _arro3()
    try:
        stream = arro3.ArrayReader.from_arrow(texts)
    except Exception as problem:
        raise ArgumentError(f"the Arrow data cannot be read: {problem}") from problem
    column = _column_of(stream.field)
    for batch in stream:
        # By position: names may be doubled.
        found = _bytes_of(batch if column is None else arro3.struct_field(batch, column))
        if column is not None and batch.null_count:
            # An array of structs, and not a table: a struct can be null whatever its fields are.
            found = [None if row is None else text for row, text in zip(batch.to_pylist(), found)]
        yield found


def _bytes_of(texts: Array) -> list[bytes | None]:
    # As bytes, because nobody has looked yet whether a string is UTF-8: that is for the verdict to say.
    return texts.cast(_arro3().DataType.large_binary()).to_pylist()


def _column_of(field: Field) -> int | None:
    """Which column holds the texts; ``None`` where there are no columns but one array."""
    types = _arro3().DataType
    if not types.is_struct(field.type):
        _need_texts(field.type)
        return None
    columns: list[Field] = field.type.fields
    found = [0] if len(columns) == 1 else [at for at, column in enumerate(columns) if column.name == _TEXT_COLUMN]
    if len(found) != 1:
        raise ArgumentError(f"the Arrow data has {len(columns)} columns: name the one with the texts `{_TEXT_COLUMN}`, once")
    _need_texts(columns[found[0]].type)
    return found[0]


def _need_texts(kind: DataType) -> None:
    types = _arro3().DataType
    inner = kind.value_type if types.is_dictionary(kind) else kind
    is_texts = (
        *(types.is_string, types.is_large_string, types.is_string_view),
        *(types.is_binary, types.is_large_binary, types.is_binary_view, types.is_null),
    )
    if inner is None or not any(is_one(inner) for is_one in is_texts):
        raise ArgumentError("the Arrow data has no strings where the texts should be")


def _schema() -> Schema:
    arro3 = _arro3()
    fields = [arro3.Field("allowed", arro3.DataType.bool(), nullable=True)]
    fields.append(arro3.Field("verdict", arro3.DataType.large_utf8(), nullable=True))
    return arro3.Schema(fields)


def _arro3() -> ModuleType:
    try:
        import arro3.core
    except ImportError as problem:
        raise ArgumentError("checking Arrow data needs arro3-core: pip install 'haltsql[arrow]'") from problem
    return arro3.core
