"""The guard for SQLAlchemy 2 on psycopg or asyncpg. ``pip install 'haltsql[sqlalchemy]'``, and a driver.

    from haltsql import Policy
    from haltsql.sqlalchemy import Guard

    guard = Guard(Policy.from_file("policy.yaml"))
    with guard.transaction(engine, {"tenant_id": "acme"}) as tx:
        result = tx.query("SELECT name FROM customers WHERE tenant_id = $1")

SQLAlchemy would read ``:x`` and ``%`` in a text as parameters. The guard drives the driver's own connection, below it.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, overload

try:
    from sqlalchemy.engine import Connection, Engine
    from sqlalchemy.exc import DBAPIError, ResourceClosedError
    from sqlalchemy.exc import TimeoutError as PoolTimeout
except ImportError as problem:
    raise ImportError("haltsql.sqlalchemy needs SQLAlchemy 2: pip install 'haltsql[sqlalchemy]'") from problem

from haltsql._errors import ArgumentError
from haltsql._guard import AsyncTransaction, BaseGuard, Transaction, VerdictHook, single
from haltsql._policy import Context, Policy
from haltsql._result import Column, Receipt, Result, Rows
from haltsql._verdict import Text
from haltsql._wire import Answer, Steps, Wire, awaited, blocking

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from haltsql._load import native

__all__ = [
    "AsyncTransaction",
    "Column",
    "Guard",
    "Receipt",
    "Result",
    "Rows",
    "Transaction",
    "VerdictHook",
    "guarded_execute",
    "guarded_query",
]


class Guard(BaseGuard):
    """Runs verified SQL in transactions that it owns (docs/guards.md)."""

    __slots__ = ()

    @overload
    def transaction(
        self, connection: Engine | Connection, context: Context, *, writable: bool = False
    ) -> Transaction: ...
    @overload
    def transaction(
        self, connection: AsyncEngine | AsyncConnection, context: Context, *, writable: bool = False
    ) -> AsyncTransaction: ...
    def transaction(
        self, connection: Any, context: Context, *, writable: bool = False
    ) -> Transaction | AsyncTransaction:
        """A transaction, on a connection that is idle or on one of an engine's pool.

        Args:
            connection: ``Engine``, ``Connection``, ``AsyncEngine`` or ``AsyncConnection``, on psycopg 3 or asyncpg.
            context: who is asking: from the login, never from the agent.
            writable: it may write, and commits where the ``with`` block ends without an error. Reads are always rolled back.

        Raises:
            ArgumentError: ``connection`` is something else or in a transaction; ``writable`` where the policy opens no write.
            ContextError: the context lacks what ``execution`` needs.
        """
        wire = _SqlalchemyWire(connection)
        wire.refuse()
        kind = AsyncTransaction if wire.is_async else Transaction
        return kind(self, wire, context, writable)


@overload
def guarded_query(connection: Connection, guard: Guard | Policy, context: Context, sql: Text) -> Rows: ...
@overload
def guarded_query(
    connection: AsyncConnection, guard: Guard | Policy, context: Context, sql: Text
) -> Awaitable[Rows]: ...
def guarded_query(connection: Any, guard: Guard | Policy, context: Context, sql: Text) -> Rows | Awaitable[Rows]:
    """Verifies a text that reads and runs it in the caller's own transaction, for callers who own theirs.

    Nothing is pinned: that ``search_path`` and the other settings are what the policy says is the caller's to see to, and
    there is no receipt. ``Guard.transaction`` does both.
    """
    return _single(connection, guard, context, sql, False)


@overload
def guarded_execute(connection: Connection, guard: Guard | Policy, context: Context, sql: Text) -> Rows: ...
@overload
def guarded_execute(
    connection: AsyncConnection, guard: Guard | Policy, context: Context, sql: Text
) -> Awaitable[Rows]: ...
def guarded_execute(connection: Any, guard: Guard | Policy, context: Context, sql: Text) -> Rows | Awaitable[Rows]:
    """As ``guarded_query``, for a text that may write. The caller commits; nothing is pinned."""
    return _single(connection, guard, context, sql, True)


def _single(
    connection: Any, guard: Guard | Policy, context: Context, sql: Text, writable: bool
) -> Rows | Awaitable[Rows]:
    wire = _SqlalchemyWire(connection)
    if wire.is_engine:
        raise ArgumentError("give the connection that the transaction is on, not an engine: or use `Guard.transaction`")
    steps = single(guard, Guard, wire, context, sql, writable)
    return awaited(steps) if wire.is_async else blocking(steps)


def _wire_of(driver: Any) -> Wire[Any]:
    """The wire of the driver below."""
    module = type(driver).__module__.partition(".")[0]
    if module == "psycopg":
        from haltsql.psycopg import PsycopgWire

        return PsycopgWire(driver)
    if module == "asyncpg":
        from haltsql.asyncpg import AsyncpgWire

        return AsyncpgWire(driver)
    raise ArgumentError(
        f"the engine's driver is `{module}`, which this guard does not drive: make it with postgresql+psycopg:// (psycopg 3) "
        "or postgresql+asyncpg://"
    )


class _SqlalchemyWire(Wire[Any]):
    """The driver's connection below one of SQLAlchemy's."""

    def __init__(self, given: Any) -> None:
        # It needs greenlet: whoever has an engine of it has imported it.
        extension = sys.modules.get("sqlalchemy.ext.asyncio")
        awaited_kinds = () if extension is None else (extension.AsyncEngine, extension.AsyncConnection)
        if not isinstance(given, (Engine, Connection, *awaited_kinds)):
            raise ArgumentError(
                f"`{type(given).__module__}.{type(given).__qualname__}` is not what this guard drives: give an Engine, "
                "Connection, AsyncEngine or AsyncConnection of SQLAlchemy; for a Session its `.connection()`"
            )
        self.is_async = isinstance(given, awaited_kinds)
        self.is_engine = isinstance(given, (Engine, *awaited_kinds[:1]))
        self._given: Any = given
        # What the engine lent, until it is given back.
        self._lent: Any = None
        self._below: Wire[Any] | None = None

    def refuse(self) -> None:
        """Raises what can be said before anything is sent."""
        if self.is_engine:
            name = self._given.dialect.driver
            if self._given.dialect.name != "postgresql" or name not in ("psycopg", "psycopg_async", "asyncpg"):
                raise ArgumentError(
                    f"the engine's driver is `{name}`, which this guard does not drive: make it with postgresql+psycopg:// "
                    "(psycopg 3) or postgresql+asyncpg://"
                )
        elif self._given.in_transaction():
            raise ArgumentError(
                "a transaction is open on the connection: end it before, or use `guarded_query` for a statement in one's own"
            )

    def given(self) -> Any:
        return None if self.is_engine else self._given

    def take(self) -> Steps[None]:
        if self.is_engine:
            self._lent = yield self._given.connect
        yield from self._reach()
        yield from self._wire.take()

    def begin(self, begin: str, pin: dict[str, Any], run: dict[str, Any]) -> Steps[tuple[list[Any], Answer | None]]:
        return (yield from self._wire.begin(begin, pin, run))

    def run(self, statement: native.Statement, run: dict[str, Any]) -> Steps[Answer]:
        if self._below is None:
            yield from self._reach()
        return (yield from self._wire.run(statement, run))

    def ask(self, texts: list[tuple[str, list[str] | None]]) -> Steps[list[list[list[str | None]]]]:
        return (yield from self._wire.ask(texts))

    def physical(self) -> Any:
        return self._wire.physical()

    def end(self, end: str) -> Steps[str]:
        return (yield from self._wire.end(end))

    def in_transaction(self) -> bool:
        return self._wire.in_transaction()

    def clean(self) -> bool:
        return self._wire.clean()

    def gone(self) -> bool:
        return self._wire.gone()

    def discard(self) -> None:
        self._wire.discard()

    def give_back(self) -> Steps[None]:
        if self._below is not None:
            gone = self._below.gone()
            yield from self._below.give_back()
            if gone:
                # SQLAlchemy does not know yet.
                connection = self._given if self._lent is None else self._lent
                yield connection.invalidate
        if self._lent is not None:
            lent, self._lent = self._lent, None
            yield lent.close

    def spelt(self, error: BaseException) -> dict[str, str | None] | None:
        if isinstance(error, PoolTimeout):
            return {"sqlstate": "", "message": "the engine's pool has no connection"}
        if isinstance(error, ResourceClosedError):
            return {"sqlstate": "", "message": "the connection is closed"}
        if isinstance(error, DBAPIError):
            # Connecting alone goes through SQLAlchemy.
            return {"sqlstate": "", "message": " ".join(str(error.orig).split())}
        return None if self._below is None else self._wire.spelt(error)

    @property
    def _wire(self) -> Wire[Any]:
        if self._below is None:
            raise ArgumentError("nothing was begun on the connection")
        return self._below

    def _reach(self) -> Steps[None]:
        connection = self._given if self._lent is None else self._lent
        if self.is_async:
            raw = yield connection.get_raw_connection
        else:
            raw = connection.connection
        self._below = _wire_of(raw.driver_connection)
