"""The guard for asyncpg: connections and pools. ``pip install 'haltsql[asyncpg]'``.

    from haltsql import Policy
    from haltsql.asyncpg import Guard

    guard = Guard(Policy.from_file("policy.yaml"))
    async with guard.transaction(pool, {"tenant_id": "acme"}) as tx:
        result = await tx.query("SELECT name FROM customers WHERE tenant_id = $1")

asyncpg reads values in binary: each column is followed by its text, rendered by the server (docs/guards.md). It has a Sync of
its own for each message, so BEGIN and pin are answered before a statement is sent.
"""

from __future__ import annotations

import decimal
import importlib
import json
import time
from typing import TYPE_CHECKING, Any

from haltsql._errors import ArgumentError, ConnectionLost, SealBroken
from haltsql._guard import AsyncTransaction, BaseGuard, VerdictHook, single
from haltsql._policy import Context, Policy
from haltsql._result import Column, Receipt, Result, Rows
from haltsql._verdict import Text
from haltsql._wire import Answer, Steps, Wire, awaited

if TYPE_CHECKING:
    from haltsql._load import native

try:
    # It has no types.
    asyncpg: Any = importlib.import_module("asyncpg")
except ImportError as problem:
    raise ImportError("haltsql.asyncpg needs asyncpg: pip install 'haltsql[asyncpg]'") from problem

__all__ = [
    "AsyncTransaction",
    "AsyncpgWire",
    "Column",
    "Guard",
    "Receipt",
    "Result",
    "Rows",
    "VerdictHook",
    "guarded_execute",
    "guarded_query",
]


class Guard(BaseGuard):
    """Runs verified SQL in transactions that it owns (docs/guards.md)."""

    __slots__ = ()

    def transaction(self, connection: object, context: Context, *, writable: bool = False) -> AsyncTransaction:
        """A transaction, on a connection that is idle or on one of a pool. BEGIN is sent with the first statement that may run.

        Args:
            connection: ``asyncpg.Connection`` or ``asyncpg.Pool``.
            context: who is asking: from the login, never from the agent.
            writable: it may write, and commits where the ``with`` block ends without an error. Reads are always rolled back.

        Raises:
            ArgumentError: ``connection`` is something else or in a transaction; ``writable`` where the policy opens no write.
            ContextError: the context lacks what ``execution`` needs.
        """
        wire = AsyncpgWire(connection)
        wire.refuse()
        return AsyncTransaction(self, wire, context, writable)


async def guarded_query(connection: object, guard: Guard | Policy, context: Context, sql: Text) -> Rows:
    """Verifies a text that reads and runs it in the caller's own transaction, for callers who own theirs.

    Nothing is pinned: that ``search_path`` and the other settings are what the policy says is the caller's to see to, and
    there is no receipt. ``Guard.transaction`` does both.
    """
    return await _single(connection, guard, context, sql, False)


async def guarded_execute(connection: object, guard: Guard | Policy, context: Context, sql: Text) -> Rows:
    """As ``guarded_query``, for a text that may write. The caller commits; nothing is pinned."""
    return await _single(connection, guard, context, sql, True)


async def _single(connection: object, guard: Guard | Policy, context: Context, sql: Text, writable: bool) -> Rows:
    wire = AsyncpgWire(connection)
    if wire.is_pool:
        raise ArgumentError("give the connection that the transaction is on, not a pool: or use `Guard.transaction`")
    return await awaited(single(guard, Guard, wire, context, sql, writable))


class AsyncpgWire(Wire[Any]):
    """One connection of asyncpg."""

    def __init__(self, given: Any) -> None:
        self.is_pool = isinstance(given, asyncpg.Pool)
        # What a pool hands out passes for a Connection too.
        if not self.is_pool and not isinstance(given, asyncpg.Connection):
            raise ArgumentError(
                f"`{type(given).__module__}.{type(given).__qualname__}` is not what this guard drives: give a connection or a "
                "pool of asyncpg; haltsql.psycopg takes psycopg 3's, haltsql.sqlalchemy engines and connections"
            )
        self._given = given
        self._connection: Any = None if self.is_pool else given
        # What asyncpg says of a transaction is as old as the server's last answer, which who was cancelled did not wait for.
        self._begun = False

    def refuse(self) -> None:
        """Raises what can be said before anything is sent."""
        if not self.is_pool:
            _need_idle(self._given)

    def given(self) -> Any:
        return None if self.is_pool else self.physical()

    def take(self) -> Steps[None]:
        if self.is_pool:
            self._connection = yield self._given.acquire
        _need_idle(self._connection)

    def begin(self, begin: str, pin: dict[str, Any], run: dict[str, Any]) -> Steps[tuple[list[Any], Answer | None]]:
        (_, rows) = yield from self.ask([(begin, None), (pin["sql"], pin["params"])])
        return (rows[0] if len(rows) == 1 else []), None

    def run(self, statement: native.Statement, run: dict[str, Any]) -> Steps[Answer]:
        if run["gate"] is not None:
            yield from self._prepared(run["gate"])
        described = yield from self._prepared(run["text"])
        columns = [(attribute.name, attribute.type.oid) for attribute in described.get_attributes()]
        writes = run["gate"] is not None
        command: str = run["command"]
        if writes and not columns:
            prepared, told = described, command
        else:
            # A write's rows are read from a WITH around it.
            prepared = yield from self._prepared(json.loads(statement.rendered(len(columns)))["text"])
            told = "SELECT"
        values = [_value(param, type_) for param, type_ in zip(run["params"], prepared.get_parameters())]
        started = time.perf_counter_ns()
        records = yield lambda: prepared.fetch(*values)
        elapsed = (time.perf_counter_ns() - started) // 1000
        tag: str = prepared.get_statusmsg() or ""
        if not tag.startswith(told):
            raise SealBroken(f"`{tag}` came back, and not {told}")
        if told != command:
            tag = f"{command} {len(records)}"
        texts = [list(record)[1::2] for record in records]
        rows = [tuple(record)[0::2] for record in records]
        return Answer(columns, texts, rows, None, tag, elapsed)

    def ask(self, texts: list[tuple[str, list[str] | None]]) -> Steps[list[list[list[str | None]]]]:
        answers: list[list[list[str | None]]] = []
        self._begun = True
        for text, values in texts:
            records: list[Any] = []
            if values is None:
                # The core's own words, and no values: these alone go by the simple protocol.
                yield lambda text=text: self._connection.execute(text)
            else:
                prepared = yield from self._prepared(text)
                records = yield lambda prepared=prepared, values=values: prepared.fetch(*values)
            answers.append([list(record) for record in records])
        self._begun = self._connection.is_in_transaction()
        return answers

    def physical(self) -> Any:
        # What a pool lends out is a new object each time.
        return getattr(self._connection, "_con", self._connection)

    def end(self, end: str) -> Steps[str]:
        # As in `ask`.
        tag: str = yield lambda: self._connection.execute(end)
        self._begun = self._connection.is_in_transaction()
        return tag

    def in_transaction(self) -> bool:
        return not self.gone() and self._connection.is_in_transaction()

    def clean(self) -> bool:
        return self.gone() or not (self._begun or self._connection.is_in_transaction())

    def gone(self) -> bool:
        try:
            return self._connection.is_closed()
        except asyncpg.InterfaceError:
            # Its pool has taken it back: it broke.
            return True

    def discard(self) -> None:
        if not self.gone():
            self._connection.terminate()

    def give_back(self) -> Steps[None]:
        if self.is_pool and self._connection is not None:
            connection, self._connection = self._connection, None
            yield lambda: self._given.release(connection)

    def spelt(self, error: BaseException) -> dict[str, str | None] | None:
        if isinstance(error, asyncpg.PostgresError):
            told: Any = error
            message = " ".join(str(told.args[0] if told.args else "").split()) or type(error).__name__
            sqlstate = told.sqlstate or ""
            # Class 08 is the driver's own word for a connection that is gone.
            sqlstate = "" if sqlstate.startswith("08") else sqlstate
            return {"sqlstate": sqlstate, "message": message, "detail": told.detail, "hint": told.hint}
        if isinstance(error, (asyncpg.exceptions.DataError, asyncpg.exceptions.UnsupportedClientFeatureError)):
            return {"sqlstate": "22000", "message": ""}
        if isinstance(error, (asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)):
            return {"sqlstate": "", "message": " ".join(str(error).split()) or type(error).__name__}
        return None

    def _prepared(self, text: str) -> Steps[Any]:
        """Parses one statement, under no name: names outlive ROLLBACK."""
        return (yield lambda: self._connection.prepare(text, name=False))


# The driver lets the server infer a parameter's type, and takes values of one Python type for it.
_INTEGERS = {"int2", "int4", "int8", "oid"}


def _value(param: dict[str, Any], inferred: Any) -> Any:
    kind = inferred.name.removesuffix("[]").removeprefix("_")
    elements: list[str] | None = param.get("elements")
    if elements is not None:
        return [_scalar(element, kind) for element in elements]
    value: str | None = param["value"]
    return None if value is None else _scalar(value, kind)


def _scalar(value: str, kind: str) -> Any:
    if kind in _INTEGERS:
        return int(value)
    return decimal.Decimal(value) if kind == "numeric" else value


def _need_idle(connection: Any) -> None:
    if connection.is_closed():
        raise ConnectionLost("the connection is closed")
    if connection.is_in_transaction():
        raise ArgumentError(
            "a transaction is open on the connection: end it before, or use `guarded_query` for a statement in one's own"
        )
    encoding = str(getattr(connection.get_settings(), "client_encoding", "UTF8"))
    if encoding.upper().replace("-", "") != "UTF8":
        raise ArgumentError("the connection's client_encoding is not UTF8: connect with client_encoding=utf8")
