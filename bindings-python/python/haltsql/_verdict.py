"""The verdict: what HaltSQL decided about a text, a policy and a context (docs/verdict.md)."""

from __future__ import annotations

import json as _json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

from haltsql._errors import ArgumentError, VerdictError
from haltsql._load import native

if TYPE_CHECKING:
    from haltsql._codes import ReasonCode

__all__ = ["BindParam", "PolicyRef", "Reason", "StatementKind", "Text", "Verdict", "verdict_of"]

Text: TypeAlias = str | bytes
"""SQL. A ``str`` stands for its UTF-8; ``bytes`` are taken as they are."""

StatementKind: TypeAlias = Literal["select", "insert", "update", "delete"]
"""The kinds of statement that can be allowed."""


@dataclass(frozen=True)
class Reason:
    """One reason why a text was denied."""

    code: ReasonCode
    """Stable: programs match on it alone."""
    message: str
    """What is wrong, in one line."""
    rule: str
    """The rule that found it, such as ``tenancy.predicate``."""
    loc: int | None
    """Where in the SQL: the offset in bytes of its UTF-8, from 0."""
    hint: str | None
    """One instruction that mends it."""


@dataclass(frozen=True)
class PolicyRef:
    """Which policy a verdict was made under."""

    name: str
    """The policy's ``metadata.name``."""
    version: str
    """``sha256:`` and the digest of the normalised policy."""
    search_path: tuple[str, ...]
    """The schemas that names were looked up in. The verdict holds only in a session that has this search_path."""


@dataclass(frozen=True)
class BindParam:
    """What has to be bound to one parameter of an allowed text."""

    param: int
    """The ``n`` of ``$n``."""
    value: str | tuple[str, ...]
    """A tuple where the comparison is ``= ANY($n)``, else one string."""
    type: str
    """``text``, ``uuid`` or ``integer``, with ``[]`` behind it for a tuple."""


@dataclass(frozen=True)
class _Parts:
    """The fields of a verdict, read from its JSON when one of them is first asked for."""

    reasons: tuple[Reason, ...]
    shadow_reasons: tuple[Reason, ...]
    policy: PolicyRef
    statement_kind: StatementKind | None
    tables: tuple[str, ...]
    columns: tuple[str, ...]
    bind_params: tuple[BindParam, ...]
    fingerprint: str | None
    sql_sha256: str
    elapsed_us: int


class Verdict:
    """What was decided. Immutable; it comes from ``Policy.check`` or ``Verdict.from_json``.

    Two verdicts are equal where their JSON is, ``elapsed_us`` aside. A verdict has no truth value: ask for ``.allowed``.
    It can be pickled; the SQL goes along.
    """

    __slots__ = ("_json", "_parts", "_sql")
    _json: str
    _sql: Text | None
    _parts: _Parts | None

    def __init__(self) -> None:
        raise ArgumentError("a verdict comes from `Policy.check` or `Verdict.from_json`")

    @classmethod
    def from_json(cls, json: Text, sql: Text | None = None) -> Verdict:
        """A verdict that was spelt as JSON, perhaps elsewhere.

        Args:
            json: its JSON, exactly as ``Verdict.json`` gave it.
            sql: the text that it was given for, if ``for_agent`` is to show it.

        Raises:
            VerdictError: this is not the JSON of a verdict.
        """
        try:
            text = json.decode() if isinstance(json, bytes) else json
            parts = _parts_of(text)
            verdict = verdict_of(text, sql)
            _ = verdict.allowed
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            raise VerdictError("this is not the JSON of a verdict") from None
        verdict._parts = parts
        return verdict

    @property
    def json(self) -> str:
        """The verdict as every language spells it: ``json.encode()`` are the exact bytes."""
        return self._json

    @property
    def allowed(self) -> bool:
        """Whether the caller may run this exact text. In shadow mode always true: a shadow verdict protects nothing."""
        # The first field of the one spelling that there is (docs/verdict.md); whatever else begins so is no verdict.
        if self._json.startswith('{"allowed":true,'):
            return True
        if self._json.startswith('{"allowed":false,'):
            return False
        raise VerdictError("this is not the JSON of a verdict")

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why it was denied, all of it, in the order of the text; empty when allowed."""
        return self._read().reasons

    @property
    def shadow_reasons(self) -> tuple[Reason, ...]:
        """Shadow mode only: what enforce mode would have had as ``reasons``."""
        return self._read().shadow_reasons

    @property
    def policy(self) -> PolicyRef:
        """The policy that it was made under."""
        return self._read().policy

    @property
    def statement_kind(self) -> StatementKind | None:
        """The kind of the statement; ``None`` where it is no single statement of these kinds."""
        return self._read().statement_kind

    @property
    def tables(self) -> tuple[str, ...]:
        """Listed relations that are read or written, ``schema.table``, sorted bytewise. Can be partial when denied."""
        return self._read().tables

    @property
    def columns(self) -> tuple[str, ...]:
        """Listed columns that are read, ``schema.table.column``, sorted bytewise. Can be partial when denied."""
        return self._read().columns

    @property
    def bind_params(self) -> tuple[BindParam, ...]:
        """What to bind to each ``$n``, by ascending number. Every entry has to be bound; empty when denied."""
        return self._read().bind_params

    @property
    def fingerprint(self) -> str | None:
        """Equal for texts that differ only in literals; ``None`` where the SQL did not parse."""
        return self._read().fingerprint

    @property
    def sql_sha256(self) -> str:
        """SHA-256 of the exact bytes, in lower-case hex."""
        return self._read().sql_sha256

    @property
    def elapsed_us(self) -> int:
        """Microseconds spent verifying: the only field that differs from run to run."""
        return self._read().elapsed_us

    def for_agent(self, sql: Text | None = None) -> str:
        """The verdict for a language model: reasons, their repairs, and the SQL with the places marked.

        Args:
            sql: the text that the verdict was given for; needed only where the verdict does not have it.

        Raises:
            VerdictError: the verdict was given for another text, or by a version with other codes.
            ArgumentError: there is no text.
        """
        text = self._sql if sql is None else sql
        if text is None:
            raise ArgumentError("this verdict came without its text: give `for_agent` the SQL")
        return native.for_agent(self._json, text)

    def _read(self) -> _Parts:
        parts = self._parts
        if parts is None:
            # Two threads may both do this, and get equal parts.
            parts = self._parts = _parts_of(self._json)
        return parts

    def _same(self) -> str:
        return self._json.rpartition(',"elapsed_us":')[0]

    def __bool__(self) -> NoReturn:
        raise ArgumentError("a verdict has no truth value: ask for `.allowed`")

    def __eq__(self, other: object) -> bool:
        return self._same() == other._same() if isinstance(other, Verdict) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._same())

    def __repr__(self) -> str:
        # Codes alone: messages quote the SQL, and reprs end up in logs.
        codes = [reason.code for reason in self.reasons or self.shadow_reasons]
        return f"<Verdict allowed={self.allowed} codes={codes} policy={self.policy.name!r} sql_sha256={self.sql_sha256[:12]}…>"

    def __copy__(self) -> Verdict:
        return self

    def __deepcopy__(self, memo: object) -> Verdict:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return Verdict.from_json, (self._json, self._sql)


def verdict_of(json: str, sql: Text | None) -> Verdict:
    """A verdict over JSON that the extension module made."""
    verdict = object.__new__(Verdict)
    verdict._json = json  # pyright: ignore[reportPrivateUsage]
    verdict._sql = sql  # pyright: ignore[reportPrivateUsage]
    verdict._parts = None  # pyright: ignore[reportPrivateUsage]
    return verdict


def _parts_of(json: str) -> _Parts:
    # Fields that a newer version added are left aside.
    spelt = _json.loads(json)
    policy = spelt["policy"]
    return _Parts(
        reasons=tuple(map(_reason_of, spelt["reasons"])),
        shadow_reasons=tuple(map(_reason_of, spelt["shadow_reasons"])),
        policy=PolicyRef(policy["name"], policy["version"], tuple(policy["search_path"])),
        statement_kind=spelt["statement_kind"],
        tables=tuple(spelt["tables"]),
        columns=tuple(spelt["columns"]),
        bind_params=tuple(map(_bind_param_of, spelt["bind_params"])),
        fingerprint=spelt["fingerprint"],
        sql_sha256=spelt["sql_sha256"],
        elapsed_us=spelt["elapsed_us"],
    )


def _reason_of(spelt: dict[str, Any]) -> Reason:
    return Reason(spelt["code"], spelt["message"], spelt["rule"], spelt.get("loc"), spelt.get("hint"))


def _bind_param_of(spelt: dict[str, Any]) -> BindParam:
    value: str | list[str] = spelt["value"]
    return BindParam(spelt["param"], value if isinstance(value, str) else tuple(value), spelt["type"])
