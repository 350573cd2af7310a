"""One face for the guards of all drivers, so that each test is written once: awaited drivers run in a loop of the desk's own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

import psycopg
import psycopg_pool
import sqlalchemy
import sqlalchemy.ext.asyncio
from servers import Server

import haltsql.asyncpg
import haltsql.psycopg
import haltsql.sqlalchemy
from haltsql import Policy, Result, Rows

# It has no types.
asyncpg: Any = haltsql.asyncpg.asyncpg

DRIVERS = ["psycopg", "psycopg-async", "asyncpg", "sqlalchemy", "sqlalchemy-psycopg-async", "sqlalchemy-asyncpg"]
_T = TypeVar("_T")
_MODULES: dict[str, Any] = {"psycopg": haltsql.psycopg, "asyncpg": haltsql.asyncpg, "sqlalchemy": haltsql.sqlalchemy}


class Desk:
    """A guard with one connection, or with a pool of ``pool`` of them."""

    def __init__(
        self,
        driver: str,
        server: Server,
        policy: Policy,
        *,
        pool: int = 0,
        user: str = "postgres",
        wait: float = 10,
        **options: Any,
    ) -> None:
        self.driver, self.is_async = driver, driver not in ("psycopg", "sqlalchemy")
        self.module = _MODULES[driver.partition("-")[0]]
        self.guard = self.module.Guard(policy, **options)
        self.loop = asyncio.new_event_loop() if self.is_async else None
        self._engine: Any = None
        self.connection: Any = self.wait(self._opened(server, user, pool, wait))

    def _opened(self, server: Server, user: str, pool: int, wait: float) -> Any:
        dsn = server.dsn(user=user)
        if self.driver == "psycopg":
            if pool:
                return psycopg_pool.ConnectionPool(dsn, min_size=pool, max_size=pool, timeout=wait, open=True)
            return psycopg.connect(dsn)
        if self.driver == "psycopg-async":
            return _psycopg_pool(dsn, pool, wait) if pool else psycopg.AsyncConnection.connect(dsn)
        if self.driver == "asyncpg":
            where = {"host": str(server.socket), "database": "shop", "user": user}
            if pool:
                return _asyncpg_pool(where, pool, wait)
            return asyncpg.connect(**where, statement_cache_size=0)
        url = server.url("asyncpg" if self.driver == "sqlalchemy-asyncpg" else "psycopg", user=user)
        sizes = {"pool_size": max(pool, 1), "max_overflow": 0, "pool_timeout": wait}
        if self.is_async:
            self._engine = sqlalchemy.ext.asyncio.create_async_engine(url, **sizes)
        else:
            self._engine = sqlalchemy.create_engine(url, **sizes)
        return self._engine if pool else self._engine.connect()

    def transaction(self, context: Any, *, writable: bool = False) -> Tx:
        return Tx(self, self.guard.transaction(self.connection, context, writable=writable))

    def run(self, context: Any, sql: str, *, writable: bool = False) -> Result:
        """One statement in a transaction of its own."""
        with self.transaction(context, writable=writable) as tx:
            return tx.query(sql)

    def single(self, context: Any, sql: str, *, writable: bool = False) -> Rows:
        name = "guarded_execute" if writable else "guarded_query"
        return self.wait(getattr(self.module, name)(self.connection, self.guard, context, sql))

    @property
    def below(self) -> Any:
        """The driver's connection."""
        if self._engine is None:
            return self.connection
        raw = self.wait(self.connection.get_raw_connection()) if self.is_async else self.connection.connection
        return raw.driver_connection

    def raw(self, script: str) -> None:
        """Sends what somebody left on the session."""
        below = self.below
        if hasattr(below, "set_autocommit") and not below.autocommit:
            self.wait(below.set_autocommit(True))
        self.wait(below.execute(script))

    def wait(self, value: Any) -> Any:
        if self.loop is None or not hasattr(value, "__await__"):
            return value
        return self.loop.run_until_complete(_awaited(value))

    def close(self) -> None:
        closing = self.connection if self._engine is None else None
        if self._engine is not None:
            if self.connection is not self._engine:
                self.wait(self.connection.close())
            self.wait(self._engine.dispose())
        elif closing is not None:
            self.wait(closing.close())
        if self.loop is not None:
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
            self.loop.close()

    def __enter__(self) -> Desk:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Tx:
    """A guard's transaction, waited for."""

    def __init__(self, desk: Desk, tx: Any) -> None:
        self._desk, self._tx = desk, tx

    def query(self, sql: str) -> Result:
        return self._desk.wait(self._tx.query(sql))

    def execute(self, sql: str) -> Result:
        return self._desk.wait(self._tx.execute(sql))

    def __enter__(self) -> Tx:
        self._desk.wait(self._tx.__aenter__() if self._desk.is_async else self._tx.__enter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._desk.wait(
            self._tx.__aexit__(kind, error, trace) if self._desk.is_async else self._tx.__exit__(kind, error, trace)
        )


async def _awaited(value: Coroutine[Any, Any, _T]) -> _T:
    return await value


async def _psycopg_pool(dsn: str, size: int, wait: float) -> psycopg_pool.AsyncConnectionPool[Any]:
    pool: psycopg_pool.AsyncConnectionPool[Any] = psycopg_pool.AsyncConnectionPool(
        dsn, min_size=size, max_size=size, timeout=wait, open=False
    )
    await pool.open()
    return pool


async def _asyncpg_pool(where: dict[str, Any], size: int, wait: float) -> Any:
    return await asyncpg.create_pool(**where, min_size=size, max_size=size, statement_cache_size=0)
