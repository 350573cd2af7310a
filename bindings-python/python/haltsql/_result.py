"""What a guard returns: the rows of one statement, and the receipt of the same run (docs/receipts.md)."""

from __future__ import annotations

import json as _json
from dataclasses import dataclass
from typing import Any, Literal, cast

from haltsql._errors import ArgumentError
from haltsql._verdict import Verdict

__all__ = ["Column", "Receipt", "Result", "Rows", "receipt_of"]


@dataclass(frozen=True)
class Column:
    """A column of a result."""

    name: str
    """Its name, as the server said it; names may repeat."""
    oid: int
    """The number of its type, ``pg_type.oid``."""


class Rows:
    """What one statement gave back. Guards make it.

    Rows are tuples of the driver's own values, in the order of ``columns``.
    """

    __slots__ = ("_problem", "_rows", "columns", "row_count", "texts", "truncated", "verdict")
    columns: tuple[Column, ...]
    """The columns, in order."""
    texts: tuple[tuple[str | None, ...], ...]
    """The rows as PostgreSQL's own text, ``None`` for NULL: nothing is rounded."""
    row_count: int
    """The rows of a read; the rows that a write touched."""
    truncated: bool
    """There were more than the policy's ``max_rows`` or ``max_result_bytes``."""
    verdict: Verdict
    """The verdict that let it run."""
    _rows: list[tuple[Any, ...]]
    _problem: Exception | None

    def __init__(self) -> None:
        raise ArgumentError("results come from guards")

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows as the driver's own values.

        Raises:
            Exception: the driver's, where it cannot hold a value that PostgreSQL can, such as the date ``infinity``; ``texts``
                has it all the same.
        """
        if self._problem is not None:
            raise self._problem
        return self._rows

    def __repr__(self) -> str:
        # No values: reprs end up in logs.
        return (
            f"<{type(self).__name__} of {self.row_count} rows, {len(self.columns)} columns, truncated={self.truncated}>"
        )


class Result(Rows):
    """What one statement of a guard's own transaction gave back, and its receipt."""

    __slots__ = ("receipt",)
    receipt: Receipt
    """Of this very run."""


class Receipt:
    """What ran, for whom, and what came back, made by the same execution. It comes from a guard and from nothing else."""

    __slots__ = ("_json", "_read")
    _json: str
    _read: dict[str, Any] | None

    def __init__(self) -> None:
        raise ArgumentError("a receipt comes from a run: `Result.receipt`")

    @property
    def json(self) -> str:
        """Its JSON in one line: ``json.encode()`` are the exact bytes, as ``haltsql receipt verify`` reads them."""
        return self._json

    @property
    def result_sha256(self) -> str:
        """The digest of columns and rows, the same from every language for the same result."""
        return cast("str", self._fields()["result_sha256"])

    @property
    def sql(self) -> str:
        """The text that was verified and ran."""
        return cast("str", self._fields()["sql"])

    @property
    def seal(self) -> Literal["signed", "login", "bare", "none"]:
        """The second wall that stood behind the verdict."""
        return self._fields()["seal"]

    @property
    def role(self) -> str:
        """``current_user`` in the transaction."""
        return cast("str", self._fields()["role"])

    @property
    def started_at(self) -> str:
        """When the transaction began by the server's clock: RFC 3339, UTC, microseconds."""
        return cast("str", self._fields()["started_at"])

    @property
    def signed(self) -> bool:
        """It carries a signature. Whether that is good, ``haltsql receipt verify`` says."""
        return "signature" in self._fields()

    def to_dict(self) -> dict[str, Any]:
        """All fields, as docs/receipts.md lists them; a new dictionary each time."""
        return cast("dict[str, Any]", _json.loads(self._json))

    def _fields(self) -> dict[str, Any]:
        if self._read is None:
            self._read = self.to_dict()
        return self._read

    def __eq__(self, other: object) -> bool:
        return self._json == other._json if isinstance(other, Receipt) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._json)

    def __repr__(self) -> str:
        return f"<Receipt result_sha256={self.result_sha256[:12]}… seal={self.seal}>"


def receipt_of(json: str) -> Receipt:
    """A receipt over JSON that the extension module made."""
    receipt = object.__new__(Receipt)
    receipt._json = json  # pyright: ignore[reportPrivateUsage]
    receipt._read = None  # pyright: ignore[reportPrivateUsage]
    return receipt
