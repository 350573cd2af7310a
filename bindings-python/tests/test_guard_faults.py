"""Faults and leaks: what is cancelled, killed or exhausted gives a clear error and a usable pool, and nothing stays behind."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg_pool
import pytest
from desks import DRIVERS, Desk, asyncpg
from servers import Server
from shop import ACME, GLOBEX, policy, stock

import haltsql.asyncpg
import haltsql.psycopg
from haltsql import ConnectionLost, DatabaseError, HaltSQLError, Result

LONG = "SELECT pg_sleep(30)"
RUNNING = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()"
OPEN = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
# The others are blocked: Ctrl-C is for them.
AWAITED = [driver for driver in DRIVERS if driver not in ("psycopg", "sqlalchemy")]
SLOW = policy("statement_timeout_ms: 60000")


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    """A server of its own: what runs on it is counted."""
    with Server(18) as server:
        yield stock(server)


def wait_for(server: Server, query: str, count: int) -> None:
    for _ in range(600):
        if server.ask(query) == count:
            return
        time.sleep(0.05)
    raise AssertionError(f"{query} is {server.ask(query)}, and should be {count}")


def when_running(server: Server, then: str) -> threading.Thread:
    """Does something to the server once the long statement runs there."""

    def act() -> None:
        wait_for(server, RUNNING, 1)
        server.ask(RUNNING.replace("SELECT count(*)", f"SELECT count({then})"))

    thread = threading.Thread(target=act)
    thread.start()
    return thread


@pytest.mark.parametrize("pool", [0, 1])
@pytest.mark.parametrize("driver", AWAITED)
def test_a_cancelled_task_cancels_on_the_server(driver: str, pool: int, shop: Server) -> None:
    with Desk(driver, shop, SLOW, pool=pool) as desk:

        async def cancelled() -> None:
            async def long() -> None:
                async with desk.guard.transaction(desk.connection, ACME) as tx:
                    await tx.query(LONG)

            task = asyncio.create_task(long())
            await asyncio.to_thread(wait_for, shop, RUNNING, 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        desk.wait(cancelled())
        wait_for(shop, RUNNING, 0)
        wait_for(shop, OPEN, 0)
        if pool:
            assert desk.run(ACME, "SELECT 1").rows == [(1,)]
        else:
            # Clean, or closed.
            with contextlib.suppress(ConnectionLost):
                assert desk.run(ACME, "SELECT 1").rows == [(1,)]


INTERRUPTED = """
import signal, sys
sys.path.insert(0, sys.argv[2])
import psycopg, haltsql.psycopg, shop
# Where the tests run in the background, a shell has the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
guard = haltsql.psycopg.Guard(shop.policy("statement_timeout_ms: 60000"))
with psycopg.connect(sys.argv[1]) as connection:
    try:
        with guard.transaction(connection, shop.ACME) as tx:
            print("running", flush=True)
            tx.query("SELECT pg_sleep(30)")
    except KeyboardInterrupt:
        state = "closed" if connection.closed else connection.info.transaction_status.name
        print(f"interrupted {state}", flush=True)
"""


def test_ctrl_c_cancels_on_the_server(shop: Server) -> None:
    tests = os.path.dirname(__file__)
    command = [sys.executable, "-c", INTERRUPTED, shop.dsn(), tests]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        wait_for(shop, RUNNING, 1)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() in ("interrupted IDLE\n", "interrupted closed\n")
    wait_for(shop, RUNNING, 0)
    wait_for(shop, OPEN, 0)


def test_a_timeout_of_the_policy_ends_a_query(driver: str, shop: Server) -> None:
    with Desk(driver, shop, policy("statement_timeout_ms: 200")) as desk:
        with pytest.raises(DatabaseError) as caught:
            desk.run(ACME, LONG)
        assert caught.value.sqlstate == "57014"
        assert desk.run(ACME, "SELECT 1").rows == [(1,)]
    assert shop.ask(OPEN) == 0


def test_a_cancelled_backend_is_an_error_and_the_connection_goes_on(driver: str, shop: Server) -> None:
    with Desk(driver, shop, SLOW) as desk:
        thread = when_running(shop, "pg_cancel_backend(pid)")
        with pytest.raises(DatabaseError) as caught:
            desk.run(ACME, LONG)
        thread.join()
        assert caught.value.sqlstate == "57014"
        assert desk.run(ACME, "SELECT 1").rows == [(1,)]


def test_a_killed_backend_is_an_error_and_the_pool_goes_on(driver: str, shop: Server) -> None:
    with Desk(driver, shop, SLOW, pool=1) as desk:
        thread = when_running(shop, "pg_terminate_backend(pid)")
        with pytest.raises((DatabaseError, ConnectionLost)) as caught:
            desk.run(ACME, LONG)
        thread.join()
        if isinstance(caught.value, DatabaseError):
            assert caught.value.sqlstate == "57P01"
        assert desk.run(ACME, "SELECT 1").rows == [(1,)]


def test_connections_that_died_while_idle_are_an_error_and_replaced(driver: str, shop: Server) -> None:
    with Desk(driver, shop, policy(), pool=1) as desk:
        assert desk.run(ACME, "SELECT 1").rows == [(1,)]
        shop.ask(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = 'shop' AND pid <> pg_backend_pid()"
        )
        wait_for(shop, "SELECT count(*) FROM pg_stat_activity WHERE datname = 'shop' AND pid <> pg_backend_pid()", 0)
        for attempt in range(3):
            try:
                assert desk.run(ACME, "SELECT 1").rows == [(1,)]
                break
            except (ConnectionLost, DatabaseError):
                assert attempt < 2
                time.sleep(0.2)


@pytest.mark.parametrize("driver", [driver for driver in DRIVERS if driver != "asyncpg"])
def test_an_exhausted_pool_says_so(driver: str, shop: Server) -> None:
    with Desk(driver, shop, policy(), pool=1, wait=0.2) as desk:
        with desk.transaction(ACME) as tx:
            tx.query("SELECT 1")
            with pytest.raises(ConnectionLost, match="pool has no connection"):
                desk.run(ACME, "SELECT 1")
        assert desk.run(ACME, "SELECT 1").rows == [(1,)]


def test_who_waits_for_a_connection_of_asyncpg_can_stop_waiting(shop: Server) -> None:
    with Desk("asyncpg", shop, policy(), pool=1) as desk:

        async def waits() -> None:
            async with desk.guard.transaction(desk.connection, ACME) as tx:
                await tx.query("SELECT 1")
                with pytest.raises(asyncio.TimeoutError):
                    async with desk.guard.transaction(desk.connection, ACME) as other:
                        await asyncio.wait_for(other.query("SELECT 1"), 0.2)

        desk.wait(waits())
        assert desk.run(ACME, "SELECT 1").rows == [(1,)]


class Unhurried(psycopg_pool.AsyncConnectionPool[Any]):
    """Takes its time to take a connection back: the task may be cancelled meanwhile."""

    async def putconn(self, conn: Any) -> None:
        self.returning = True
        await asyncio.sleep(0.2)
        await super().putconn(conn)

    returning = False


@pytest.mark.parametrize("sql", ["SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1", "SELECT 1"])
def test_who_is_cancelled_while_a_connection_is_given_back_does_not_lose_it(sql: str, shop: Server) -> None:
    guard = haltsql.psycopg.Guard(policy())

    async def of(pool: Unhurried) -> None:
        async with guard.transaction(pool, ACME) as tx:
            await tx.query(sql)

    async def all_of_it() -> None:
        async with Unhurried(shop.dsn(), min_size=1, max_size=1, timeout=5, open=False) as pool:
            for _ in range(3):
                pool.returning = False
                task = asyncio.create_task(of(pool))
                while not pool.returning and not task.done():
                    await asyncio.sleep(0.01)
                # More than once, as a server that shuts down does.
                for _ in range(2):
                    task.cancel()
                    await asyncio.sleep(0.01)
                with pytest.raises(asyncio.CancelledError):
                    await task

    asyncio.run(all_of_it())
    assert shop.ask(OPEN) == 0


def test_abandoned_transactions_give_their_connections_back(driver: str, shop: Server) -> None:
    with Desk(driver, shop, policy(), pool=1) as desk:
        for _ in range(3):
            with contextlib.suppress(ZeroDivisionError), desk.transaction(ACME) as tx:
                tx.query("SELECT 1")
                raise ZeroDivisionError
            with desk.transaction(ACME):
                pass
    assert shop.ask(OPEN) == 0


STATEMENTS = [
    "SELECT id FROM app.orders WHERE tenant_id = $1",
    "SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1",
    "SELECT id FROM app.orders",
    "SELECT mood FROM app.orders WHERE tenant_id = $1 AND id < 5",
]
OWNED = policy("settings: { app.owner: '{context.tenant_id}' }")
STATE = "SELECT state FROM app.session_state"
# `make hostile` runs ten thousand.
MANY = int(os.environ.get("HALTSQL_TEST_TRANSACTIONS", "1000"))


def turn_of(number: int) -> tuple[dict[str, Any], str]:
    """Two tenants take turns on the connections, each with every statement."""
    return (ACME, GLOBEX)[number // 4 % 2], STATEMENTS[number % 4]


def need_own(result: Result, context: dict[str, Any]) -> None:
    """All rows of the first statement are the caller's: even numbers, or odd ones."""
    if result.columns[0].name == "id":
        assert {row[0] % 2 for row in result.rows} == {0 if context is ACME else 1}
        assert len(result.rows) == 5


def test_thousands_of_transactions_leave_nothing_behind(shop: Server) -> None:
    guard = haltsql.psycopg.Guard(OWNED)
    with psycopg_pool.ConnectionPool(shop.dsn(), min_size=4, max_size=4, open=True) as pool:

        def state() -> str:
            with guard.transaction(pool, ACME) as tx:
                return tx.query(STATE).rows[0][0]

        def round_(number: int) -> None:
            context, sql = turn_of(number)
            try:
                with guard.transaction(pool, context, writable=number % 10 == 0) as tx:
                    need_own(tx.query(sql), context)
            except HaltSQLError:
                assert number % 4 in (1, 2)

        before = state()
        assert before.endswith("false acme") and "nothing prepared" in before, before
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            list(threads.map(round_, range(MANY)))
        assert {state() for _ in range(8)} == {before}
        with pool.connection() as connection:
            assert connection.autocommit is False
            row = connection.execute(
                "SELECT current_setting('app.owner', true), current_setting('search_path')"
            ).fetchone()
            assert row in ((None, '"$user", public'), ("", '"$user", public'))
    assert shop.ask(OPEN) == 0


@pytest.mark.parametrize("kind", ["psycopg", "asyncpg"])
def test_thousands_of_awaited_transactions_leave_nothing_behind(kind: str, shop: Server) -> None:
    module = haltsql.psycopg if kind == "psycopg" else haltsql.asyncpg
    guard = module.Guard(OWNED)

    async def all_of_it() -> None:
        if kind == "psycopg":
            pool = psycopg_pool.AsyncConnectionPool(shop.dsn(), min_size=4, max_size=4, open=False)
            await pool.open()
        else:
            pool = await asyncpg.create_pool(
                host=str(shop.socket), database="shop", user="postgres", min_size=4, max_size=4, statement_cache_size=0
            )

        async def state() -> str:
            async with guard.transaction(pool, ACME) as tx:
                return (await tx.query(STATE)).rows[0][0]

        async def worker(first: int) -> None:
            for number in range(first, MANY, 8):
                context, sql = turn_of(number)
                try:
                    async with guard.transaction(pool, context, writable=number % 10 == 0) as tx:
                        running = asyncio.create_task(tx.query(sql))
                        if number % 50 == first:
                            # Cancelled somewhere: before, in the middle or after.
                            await asyncio.sleep(0.001 * (number % 7))
                            running.cancel()
                        need_own(await running, context)
                except (HaltSQLError, asyncio.CancelledError):
                    assert number % 4 in (1, 2) or number % 50 == first

        before = await state()
        assert before.endswith("false acme") and "nothing prepared" in before, before
        await asyncio.gather(*(worker(first) for first in range(8)))
        assert {await state() for _ in range(8)} == {before}
        await pool.close()

    asyncio.run(all_of_it())
    assert shop.ask(OPEN) == 0
