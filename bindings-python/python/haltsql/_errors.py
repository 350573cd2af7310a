"""Why no check happened: one tree of exceptions below ``HaltSQLError``.

An error is never a verdict, and is to be treated as a denial. What a text of SQL does is never an error but a verdict.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from haltsql._verdict import Verdict

__all__ = [
    "ArgumentError",
    "ConnectionLost",
    "ContextError",
    "DatabaseError",
    "Denied",
    "EncodingError",
    "HaltSQLError",
    "InternalError",
    "PolicyError",
    "Problem",
    "SealBroken",
    "VerdictError",
    "VersionError",
]


class HaltSQLError(Exception):
    """No check happened. The root of every error of HaltSQL.

    ``code`` is the number of the kind and ``name`` its stable name, the same in every language (docs/ffi.md).
    """

    code: ClassVar[int] = 1
    name: ClassVar[str] = "internal"


class InternalError(HaltSQLError):
    """A bug of HaltSQL. Please report it, without the SQL if that is confidential."""


class ArgumentError(HaltSQLError, TypeError):
    """A function was called in a way that its documentation rules out."""

    code: ClassVar[int] = 2
    name: ClassVar[str] = "argument"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a policy document."""

    line: int
    """From 1."""
    column: int
    """In characters, from 1."""
    offset: int
    """In bytes, from 0."""
    path: str
    """Where in the document, as in ``spec.tables["app.orders"].columns[2]``; empty for syntax errors."""
    message: str
    """What is wrong, in one line."""
    help: str | None
    """How to repair it, where that is known."""
    snippet: str
    """The line of the document, cut where it is long."""


class PolicyError(HaltSQLError):
    """The policy document is not valid. As text: every problem with its place, a snippet and the repair."""

    code: ClassVar[int] = 3
    name: ClassVar[str] = "policy"
    problems: tuple[Problem, ...] = ()
    """Everything that is wrong, sorted by place."""

    @property
    def line(self) -> int | None:
        """The line of the first problem, from 1."""
        return self.problems[0].line if self.problems else None

    @property
    def column(self) -> int | None:
        """The column of the first problem in characters, from 1."""
        return self.problems[0].column if self.problems else None

    @property
    def snippet(self) -> str | None:
        """The line of the document with the first problem."""
        return self.problems[0].snippet if self.problems else None


class ContextError(HaltSQLError):
    """The context is not a JSON object with unique keys, or not a mapping that could be one."""

    code: ClassVar[int] = 4
    name: ClassVar[str] = "context"


class VerdictError(HaltSQLError):
    """What was given as a verdict is none of this version, or was given for another text."""

    code: ClassVar[int] = 5
    name: ClassVar[str] = "verdict"


class VersionError(HaltSQLError, ImportError):
    """The extension module cannot be loaded here, or is of another version than the package."""

    # ImportError has a `name` of its own for each exception: the module that was not found.
    code: ClassVar[int] = 7
    name: ClassVar[str] = "version"  # pyright: ignore[reportIncompatibleVariableOverride]


class EncodingError(HaltSQLError, ValueError):
    """A ``str`` holds half of a surrogate pair, so that no bytes are exactly its text."""

    code: ClassVar[int] = 8
    name: ClassVar[str] = "encoding"


class SealBroken(HaltSQLError):
    """The session or the database is not what the policy describes: nothing was run in it."""

    code: ClassVar[int] = 9
    name: ClassVar[str] = "seal"


class Denied(HaltSQLError):
    """A guard's verifier said no, or this transaction cannot run the text. Nothing was sent; the transaction stays usable."""

    code: ClassVar[int] = 101
    name: ClassVar[str] = "denied"
    verdict: Verdict | None = None
    """Why not. ``None`` only in an error that no guard raised."""

    def for_agent(self) -> str:
        """The verdict for a language model: ``Verdict.for_agent``."""
        return str(self) if self.verdict is None else self.verdict.for_agent()


class DatabaseError(HaltSQLError):
    """PostgreSQL's own error in a guard's transaction, without what could quote rows (docs/guards.md). It was rolled back."""

    code: ClassVar[int] = 102
    name: ClassVar[str] = "database"
    sqlstate: str = ""
    """Five characters; empty where the driver alone objected."""
    detail: str | None = None
    """With ``show_errors``, or where it quotes nothing."""
    hint: str | None = None
    """With ``show_errors``, or where it names nothing hidden."""


class ConnectionLost(HaltSQLError):
    """A guard got no connection, or it broke. A write may have been committed where COMMIT was not answered."""

    code: ClassVar[int] = 103
    name: ClassVar[str] = "connection"


_KINDS: dict[int, type[HaltSQLError]] = {
    kind.code: kind
    for kind in (
        InternalError,
        ArgumentError,
        PolicyError,
        ContextError,
        VerdictError,
        VersionError,
        EncodingError,
        SealBroken,
    )
}


def from_native(text: str) -> HaltSQLError:
    """The exception for an error that the extension module spells as JSON."""
    spelt = json.loads(text)
    error = _KINDS.get(spelt["code"], InternalError)(spelt["message"])
    if isinstance(error, PolicyError):
        error.problems = tuple(
            Problem(
                line=problem["line"],
                column=problem["column"],
                offset=problem["offset"],
                path=problem["path"],
                message=problem["message"],
                help=problem.get("help"),
                snippet=problem["snippet"],
            )
            for problem in spelt["problems"]
        )
    return error
