"""What Arrow data is to this package, and the verdicts on it. Imports nothing of Arrow: ``_arro3`` does, when it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from haltsql._errors import ArgumentError

if TYPE_CHECKING:
    from arro3.core import Table

__all__ = ["ArrowArray", "ArrowStream", "ArrowVerdicts", "verdicts_of"]


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

    def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object:
        """The stream."""
        return self._table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """The schema."""
        return self._table.__arrow_c_schema__()

    def __repr__(self) -> str:
        return f"<ArrowVerdicts of {len(self)} texts>"


def verdicts_of(table: Table) -> ArrowVerdicts:
    """The verdicts that a table holds."""
    verdicts = object.__new__(ArrowVerdicts)
    verdicts._table = table  # pyright: ignore[reportPrivateUsage]
    return verdicts
