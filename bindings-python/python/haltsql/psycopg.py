"""The guard for psycopg 3: connections and pools, blocking and awaited. ``pip install 'haltsql[psycopg]'``.

from haltsql import Policy
from haltsql.psycopg import Guard

guard = Guard(Policy.from_file("policy.yaml"))
with guard.transaction(pool, {"tenant_id": "acme"}) as tx:
    result = tx.query("SELECT name FROM customers WHERE tenant_id = $1")
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, overload

try:
    import psycopg
    from psycopg.adapt import Dumper
    from psycopg.errors import error_from_result
    from psycopg.generators import execute as _sent
    from psycopg.pq import ExecStatus, PipelineStatus, TransactionStatus
    from psycopg.rows import tuple_row
except ImportError as problem:
    raise ImportError("haltsql.psycopg needs psycopg 3.2 or newer: pip install 'haltsql[psycopg]'") from problem

from haltsql._errors import ArgumentError, ConnectionLost
from haltsql._guard import AsyncTransaction, BaseGuard, Transaction, VerdictHook, single
from haltsql._policy import Context, Policy
from haltsql._result import Column, Receipt, Result, Rows
from haltsql._verdict import Text
from haltsql._wire import Answer, Steps, Wire, awaited, blocking

if TYPE_CHECKING:
    from psycopg_pool import AsyncConnectionPool, ConnectionPool

    from haltsql._load import native

__all__ = [
    "AsyncTransaction",
    "Column",
    "Guard",
    "PsycopgWire",
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
        self, connection: psycopg.Connection[Any] | ConnectionPool[Any], context: Context, *, writable: bool = False
    ) -> Transaction: ...
    @overload
    def transaction(
        self,
        connection: psycopg.AsyncConnection[Any] | AsyncConnectionPool[Any],
        context: Context,
        *,
        writable: bool = False,
    ) -> AsyncTransaction: ...
    def transaction(
        self, connection: Any, context: Context, *, writable: bool = False
    ) -> Transaction | AsyncTransaction:
        """A transaction, on a connection that is idle or on one of a pool. BEGIN is sent with the first statement that may run.

        Args:
            connection: of psycopg or psycopg_pool. Its autocommit is on for the transaction's time, and then as it was.
            context: who is asking: from the login, never from the agent.
            writable: it may write, and commits where the ``with`` block ends without an error. Reads are always rolled back.

        Raises:
            ArgumentError: ``connection`` is something else or in a transaction; ``writable`` where the policy opens no write.
            ContextError: the context lacks what ``execution`` needs.
        """
        wire = PsycopgWire(connection)
        wire.refuse()
        kind = AsyncTransaction if wire.is_async else Transaction
        return kind(self, wire, context, writable)


@overload
def guarded_query(connection: psycopg.Connection[Any], guard: Guard | Policy, context: Context, sql: Text) -> Rows: ...
@overload
def guarded_query(
    connection: psycopg.AsyncConnection[Any], guard: Guard | Policy, context: Context, sql: Text
) -> Awaitable[Rows]: ...
def guarded_query(connection: Any, guard: Guard | Policy, context: Context, sql: Text) -> Rows | Awaitable[Rows]:
    """Verifies a text that reads and runs it in the caller's own transaction, for callers who own theirs.

    Nothing is pinned: that ``search_path`` and the other settings are what the policy says is the caller's to see to, and
    there is no receipt. ``Guard.transaction`` does both.
    """
    return _single(connection, guard, context, sql, False)


@overload
def guarded_execute(
    connection: psycopg.Connection[Any], guard: Guard | Policy, context: Context, sql: Text
) -> Rows: ...
@overload
def guarded_execute(
    connection: psycopg.AsyncConnection[Any], guard: Guard | Policy, context: Context, sql: Text
) -> Awaitable[Rows]: ...
def guarded_execute(connection: Any, guard: Guard | Policy, context: Context, sql: Text) -> Rows | Awaitable[Rows]:
    """As ``guarded_query``, for a text that may write. The caller commits; nothing is pinned."""
    return _single(connection, guard, context, sql, True)


def _single(
    connection: Any, guard: Guard | Policy, context: Context, sql: Text, writable: bool
) -> Rows | Awaitable[Rows]:
    wire = PsycopgWire(connection)
    if wire.is_pool:
        raise ArgumentError("give the connection that the transaction is on, not a pool: or use `Guard.transaction`")
    steps = single(guard, Guard, wire, context, sql, writable)
    return awaited(steps) if wire.is_async else blocking(steps)


# What psycopg would choose by value (the smallest integer, an unknown text) is declared: one class for each type of a parameter.
class _Param:
    __slots__ = ("value",)

    def __init__(self, value: str | None) -> None:
        self.value = value


class _Declared(Dumper):
    def dump(self, obj: _Param) -> bytes | None:
        return None if obj.value is None else obj.value.encode()


_TEXT = 25
_PARAMS: dict[int, type[_Param]] = {}
_DUMPERS: dict[type[_Param], type[_Declared]] = {}
for _oid in (_TEXT, 2950, 20, 1009, 2951, 1016):  # text, uuid, int8, and their arrays
    _PARAMS[_oid] = type(f"_Param{_oid}", (_Param,), {"__slots__": ()})
    _DUMPERS[_PARAMS[_oid]] = type(f"_Declared{_oid}", (_Declared,), {"oid": _oid})


class PsycopgWire(Wire[Any]):
    """One connection of psycopg."""

    def __init__(self, given: Any) -> None:
        pool = sys.modules.get("psycopg_pool")
        sync: tuple[type, ...] = (psycopg.Connection,)
        asynchronous: tuple[type, ...] = (psycopg.AsyncConnection,)
        pools: tuple[type, ...] = ()
        if pool is not None:
            pools = (pool.ConnectionPool, pool.AsyncConnectionPool)
            sync, asynchronous = (*sync, pools[0]), (*asynchronous, pools[1])
        if not isinstance(given, (*sync, *asynchronous)):
            raise ArgumentError(
                f"`{type(given).__module__}.{type(given).__qualname__}` is not what this guard drives: give a connection of "
                "psycopg 3 or a pool of psycopg_pool; haltsql.asyncpg takes asyncpg's, haltsql.sqlalchemy engines and connections"
            )
        self.is_async = isinstance(given, asynchronous)
        self.is_pool = isinstance(given, pools)
        self._given = given
        self._autocommit: bool | None = None
        self._connection: Any = None if self.is_pool else given

    def refuse(self) -> None:
        """Raises what can be said before anything is sent."""
        if not self.is_pool:
            _need_usable(self._given)
            _need_idle(self._given)

    def given(self) -> Any:
        return None if self.is_pool else self._given

    def take(self) -> Steps[None]:
        if self.is_pool:
            self._connection = yield self._given.getconn
        connection = self._connection
        _need_usable(connection)
        _need_idle(connection)
        self._autocommit = connection.autocommit
        yield lambda: connection.set_autocommit(True)

    def begin(self, begin: str, pin: dict[str, Any], run: dict[str, Any]) -> Steps[tuple[list[Any], Answer | None]]:
        values = [_PARAMS[_TEXT](value) for value in pin["params"]]
        texts: list[tuple[str, list[_Param] | None]] = [(begin, None), (pin["sql"], values)]
        if run["gate"] is None:
            texts.append((run["text"], _bound(run)))
        started = time.perf_counter_ns()
        cursors = yield from self._piped(texts)
        answer = (yield from _answer(cursors[2], started)) if run["gate"] is None else None
        rows = _texts(cursors[1])
        return (rows[0] if len(rows) == 1 else []), answer

    def run(self, statement: native.Statement, run: dict[str, Any]) -> Steps[Answer]:
        _need_usable(self._connection)
        if run["gate"] is not None:
            yield from self._parsed(run["gate"], [param["oid"] for param in run["params"]])
        started = time.perf_counter_ns()
        (cursor,) = yield from self._piped([(run["text"], _bound(run))])
        return (yield from _answer(cursor, started))

    def ask(self, texts: list[tuple[str, list[str] | None]]) -> Steps[list[list[list[str | None]]]]:
        declared = [
            (text, None if values is None else [_PARAMS[_TEXT](value) for value in values]) for text, values in texts
        ]
        cursors = yield from self._piped(declared)
        return [_texts(cursor) for cursor in cursors]

    def physical(self) -> Any:
        return self._connection

    def end(self, end: str) -> Steps[str]:
        _need_usable(self._connection)
        cursor = _cursor(self._connection, self.is_async)
        # The core's own word, and no values: this alone goes by the simple protocol.
        yield lambda: cursor.execute(end.encode(), prepare=False)
        return cursor.statusmessage or ""

    def in_transaction(self) -> bool:
        return self._status() is TransactionStatus.INTRANS

    def clean(self) -> bool:
        # A connection that was closed is what a broken one becomes.
        connection = self._connection
        return connection.closed or (
            self._status() is TransactionStatus.IDLE and connection.pgconn.pipeline_status == PipelineStatus.OFF
        )

    def gone(self) -> bool:
        return self._connection.closed

    def discard(self) -> None:
        self._connection.pgconn.finish()

    def give_back(self) -> Steps[None]:
        connection, autocommit = self._connection, self._autocommit
        if autocommit is False and not connection.closed:
            yield lambda: connection.set_autocommit(False)
        if self.is_pool and connection is not None:
            self._connection = None
            yield lambda: self._given.putconn(connection)

    def spelt(self, error: BaseException) -> dict[str, str | None] | None:
        pool = sys.modules.get("psycopg_pool")
        if pool is not None and isinstance(error, (pool.PoolTimeout, pool.PoolClosed, pool.TooManyRequests)):
            return {"sqlstate": "", "message": f"the pool has no connection: {_line(error)}"}
        if not isinstance(error, psycopg.Error):
            return None
        if isinstance(error, psycopg.errors.PipelineAborted):
            # The error that ended the pipeline may have come before.
            before = error.__context__
            while before is not None and not (isinstance(before, psycopg.Error) and before.sqlstate):
                before = before.__context__
            error = before if isinstance(before, psycopg.Error) else error
        if error.sqlstate is None:
            return {"sqlstate": "", "message": _line(error)}
        told = error.diag
        message = told.message_primary or type(error).__name__
        return {
            "sqlstate": error.sqlstate,
            "message": message,
            "detail": told.message_detail,
            "hint": told.message_hint,
        }

    def _status(self) -> TransactionStatus:
        return TransactionStatus(self._connection.pgconn.transaction_status)

    def _piped(self, texts: list[tuple[str, list[_Param] | None]]) -> Steps[list[Any]]:
        """Sends texts through the extended protocol, with one Sync at the end: one that fails stops those behind it."""
        connection = self._connection
        cursors: list[Any] = []
        pipeline = connection.pipeline()
        yield pipeline.__aenter__ if self.is_async else pipeline.__enter__
        leave = pipeline.__aexit__ if self.is_async else pipeline.__exit__
        failure: BaseException | None = None
        try:
            for text, values in texts:
                cursor = _cursor(connection, self.is_async, values)
                cursors.append(cursor)
                yield lambda cursor=cursor, text=text, values=values: cursor.execute(
                    text.encode(), values, prepare=False
                )
        except BaseException as error:
            failure = error
        try:
            yield lambda: leave(type(failure) if failure else None, failure, None)
        except BaseException as error:
            failure = _first(failure or error)
        if failure is not None:
            raise failure
        return cursors

    def _parsed(self, text: str, oids: list[int]) -> Steps[None]:
        """Parses a text and runs nothing of it. The unnamed statement is gone with the next."""
        connection = self._connection
        connection.pgconn.send_prepare(b"", text.encode(), param_types=oids)
        results = yield lambda: connection.wait(_sent(connection.pgconn))
        for result in results:
            if result.status == ExecStatus.FATAL_ERROR:
                raise error_from_result(result)


def _cursor(connection: Any, is_async: bool, values: list[_Param] | None = None) -> Any:
    """A cursor that sends texts untouched and declares its parameters' types, whatever the connection was set up for."""
    kind = psycopg.AsyncRawCursor if is_async else psycopg.RawCursor
    cursor = kind(connection, row_factory=tuple_row)
    for param in set(map(type, values or ())):
        cursor.adapters.register_dumper(param, _DUMPERS[param])
    return cursor


def _bound(run: dict[str, Any]) -> list[_Param]:
    return [_PARAMS[param["oid"]](param["value"]) for param in run["params"]]


def _answer(cursor: Any, started: int) -> Steps[Answer]:
    elapsed = (time.perf_counter_ns() - started) // 1000
    result = cursor.pgresult
    rows: list[tuple[Any, ...]] = []
    problem: Exception | None = None
    if result.status == ExecStatus.TUPLES_OK:
        try:
            rows = yield cursor.fetchall
        except Exception as error:
            problem = error
    columns = [(result.fname(at).decode(), result.ftype(at)) for at in range(result.nfields)]
    return Answer(columns, _texts(cursor), rows, problem, cursor.statusmessage or "", elapsed)


def _texts(cursor: Any) -> list[list[str | None]]:
    result = cursor.pgresult
    columns = range(result.nfields)
    rows = ([result.get_value(row, column) for column in columns] for row in range(result.ntuples))
    return [[None if value is None else value.decode() for value in row] for row in rows]


def _need_usable(connection: Any) -> None:
    if connection.closed:
        raise ConnectionLost("the connection is closed")
    if connection.pgconn.pipeline_status != PipelineStatus.OFF:
        raise ArgumentError("the connection is in pipeline mode: leave it before")
    if connection.info.encoding != "utf-8":
        raise ArgumentError("the connection's client_encoding is not UTF8: connect with client_encoding=utf8")


def _need_idle(connection: Any) -> None:
    if connection.info.transaction_status != TransactionStatus.IDLE:
        raise ArgumentError(
            "a transaction is open on the connection: end it before, or use `guarded_query` for a statement in one's own"
        )


def _first(error: BaseException) -> BaseException:
    """An interruption that a later error hides, else the error."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, (KeyboardInterrupt, SystemExit, asyncio.CancelledError)):
            return found
        found = found.__context__
    return error


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
