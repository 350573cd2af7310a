"""Texts that come as Arrow data, verdicts that go as Arrow data, by the Arrow PyCapsule interface.

Receives anything that exports a stream or an array (pyarrow, Polars, DuckDB, pandas …), batch by batch; returns a table that
exports a stream. The memory is handled by the package ``nanoarrow``, which is imported when it is first needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Protocol

from haltsql._errors import ArgumentError, EncodingError
from haltsql._verdict import verdict_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from haltsql._load import native

__all__ = ["ArrowArray", "ArrowStream", "ArrowVerdicts", "check_arrow"]

# Between two batches of ours, and so between two looks for an interrupt.
_ROWS_AT_ONCE = 1024
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

    __slots__ = ("_batches", "_rows")
    _batches: list[Any]
    _rows: int

    def __init__(self) -> None:
        raise ArgumentError("verdicts come from `check_many`")

    def __len__(self) -> int:
        """How many rows there are."""
        return self._rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The stream, in the schema that it has; a consumer casts if it asked for another."""
        stream: Any = importlib.import_module("nanoarrow.c_array_stream").CArrayStream
        return stream.from_c_arrays(self._batches, _schema()).__arrow_c_stream__()

    def __arrow_c_schema__(self) -> object:
        """The schema."""
        return _schema().__arrow_c_schema__()

    def __repr__(self) -> str:
        return f"<ArrowVerdicts of {self._rows} texts>"


def check_arrow(caller: native.Caller, texts: object, threads: int) -> ArrowVerdicts:
    """The verdicts on a stream's texts.

    Raises:
        ArgumentError: nanoarrow is not installed, or the data has no column of texts.
        EncodingError: a string is not UTF-8.
    """
    result = object.__new__(ArrowVerdicts)
    result._batches = []  # pyright: ignore[reportPrivateUsage]
    result._rows = 0  # pyright: ignore[reportPrivateUsage]
    for batch in _batches_of(texts):
        for start in range(0, len(batch), _ROWS_AT_ONCE):
            rows = batch[start : start + _ROWS_AT_ONCE]
            result._batches.append(_checked(caller, rows, threads))  # pyright: ignore[reportPrivateUsage]
            result._rows += len(rows)  # pyright: ignore[reportPrivateUsage]
    return result


def _checked(caller: native.Caller, rows: list[str | bytes | None], threads: int) -> object:
    nanoarrow = _nanoarrow()
    verdicts = iter(caller.check_many([text for text in rows if text is not None], threads))
    spelt = [None if text is None else next(verdicts) for text in rows]
    allowed = [None if json is None else verdict_of(json, None).allowed for json in spelt]
    columns = [nanoarrow.c_array(allowed, nanoarrow.bool_()), nanoarrow.c_array(spelt, nanoarrow.large_string())]
    return nanoarrow.c_array_from_buffers(_schema(), len(rows), [None], children=columns)


def _batches_of(texts: object) -> Iterator[list[str | bytes | None]]:
    """The texts, as lists of the stream's own sizes."""
    stream: Any = _nanoarrow().ArrayStream(texts)
    column = _column_of(stream.schema)
    try:
        for batch in stream.iter_chunks():
            if column is None:
                yield list(batch.iter_py())
            elif batch.offset == 0 and batch.buffers[0].size_bytes == 0:
                # A batch of a table: its rows are those of its columns.
                yield list(batch.child(column).iter_py())[: len(batch)]
            else:
                # An array of structs, which may begin later than its children and has nulls of its own.
                name = stream.schema.field(column).name
                yield [None if row is None else row[name] for row in batch.iter_py()]
    except UnicodeDecodeError:
        raise EncodingError("a text of the Arrow data is not UTF-8: give it as binary to have it judged") from None


def _column_of(schema: Any) -> int | None:
    """Which column holds the texts; ``None`` where there are no columns but one array."""
    types = _nanoarrow().Type
    if schema.type != types.STRUCT:
        _need_texts(schema)
        return None
    fields: list[Any] = list(schema.fields)
    found = [at for at, field in enumerate(fields) if field.name == _TEXT_COLUMN]
    if len(fields) == 1:
        found = [0]
    if len(found) != 1:
        raise ArgumentError(f"the Arrow data has {len(fields)} columns: name the one with the texts `{_TEXT_COLUMN}`, once")
    _need_texts(fields[found[0]])
    return found[0]


def _need_texts(field: Any) -> None:
    types = _nanoarrow().Type
    texts = (types.STRING, types.LARGE_STRING, types.STRING_VIEW, types.BINARY, types.LARGE_BINARY, types.BINARY_VIEW, types.NULL)
    kind = field.value_type.type if field.type == types.DICTIONARY else field.type
    if kind not in texts:
        raise ArgumentError(f"the Arrow data holds {kind.name.lower()} and not strings")


def _schema() -> Any:
    nanoarrow = _nanoarrow()
    return nanoarrow.c_schema(nanoarrow.struct({"allowed": nanoarrow.bool_(), "verdict": nanoarrow.large_string()}))


def _nanoarrow() -> Any:
    try:
        return importlib.import_module("nanoarrow")
    except ImportError as problem:
        raise ArgumentError("checking Arrow data needs nanoarrow: pip install 'haltsql[arrow]'") from problem
