"""Interrupted anywhere: after each step of a transaction its connection is clean or closed, the pool goes on, and no error or
interruption of anybody else is swallowed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
import sqlalchemy
from desks import DRIVERS, Desk
from servers import Server
from shop import ACME, GLOBEX, policy, stock

import haltsql._guard
import haltsql.psycopg
import haltsql.sqlalchemy
from haltsql import ArgumentError, ConnectionLost, DatabaseError, HaltSQLError, SealBroken

OPEN = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
RUNNING = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()"
WRITTEN = "SELECT count(*) FROM app.orders WHERE id = 500"
INSERT = "INSERT INTO orders (id, tenant_id) VALUES (500, $1)"
AWAITED = [driver for driver in DRIVERS if driver not in ("psycopg", "sqlalchemy")]
BLOCKING = ["psycopg", "sqlalchemy"]


@pytest.fixture(scope="module")
def shop() -> Iterator[Server]:
    """A server of its own: what runs on it is counted, and it is brought down."""
    with Server(18) as server:
        yield stock(server)


def wait_for(server: Server, query: str, count: int) -> None:
    for _ in range(600):
        if server.ask(query) == count:
            return
        time.sleep(0.02)
    raise AssertionError(f"{query} is {server.ask(query)}, and should be {count}")


class Phases:
    """Counts the calls of a guard, and does something at one of them."""

    def __init__(self, at: int, then: Any, *, after: bool) -> None:
        self.at, self.then, self.after, self.seen = at, then, after, 0

    def steps(self, steps: Any) -> Any:
        try:
            call = next(steps)
            while True:
                self.seen += 1
                try:
                    if self.seen == self.at and not self.after:
                        self.then()
                    value = yield call
                    if self.seen == self.at and self.after:
                        self.then()
                except BaseException as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(value)
        except StopIteration as done:
            return done.value


@pytest.mark.parametrize(
    "sql",
    ["SELECT id FROM orders WHERE tenant_id = $1", INSERT, "SELECT 1 / (id - id) FROM orders WHERE tenant_id = $1"],
)
@pytest.mark.parametrize(
    ("driver", "pool"), [*((driver, 1) for driver in AWAITED), ("psycopg-async", 0), ("asyncpg", 0)]
)
def test_a_task_cancelled_in_any_phase(
    driver: str, pool: int, sql: str, shop: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = haltsql._guard.awaited

    async def run(desk: Desk, phases: Phases) -> None:
        monkeypatch.setattr(haltsql._guard, "awaited", lambda steps: real(phases.steps(steps)))
        async with desk.guard.transaction(desk.connection, ACME, writable=True) as tx:
            await tx.query(sql)

    phase = 0
    for phase in range(1, 50):
        with Desk(driver, shop, policy(), pool=pool) as desk:
            assert desk.loop is not None
            loop, tasks = desk.loop, list[Any]()
            # Once the call waits.
            phases = Phases(phase, lambda: loop.call_soon(tasks[0].cancel), after=False)  # noqa: B023
            tasks.append(loop.create_task(run(desk, phases)))
            with contextlib.suppress(asyncio.CancelledError, DatabaseError):
                loop.run_until_complete(tasks[0])
            # What did not end as cancelled was not asked to be before it ended.
            assert tasks[0].cancelled() or tasks[0].cancelling() == 0, phase
            monkeypatch.setattr(haltsql._guard, "awaited", real)
            # A connection of the caller's is clean, or closed.
            with contextlib.nullcontext() if pool else contextlib.suppress(ConnectionLost):
                loop.run_until_complete(asyncio.wait_for(one(desk.guard.transaction(desk.connection, ACME)), 10))
            wait_for(shop, OPEN, 0)
            # All or nothing, and unknown where COMMIT was cancelled.
            assert shop.ask(WRITTEN) in (0, 1)
            shop.run("DELETE FROM app.orders WHERE id = 500")
            if phases.seen < phase:
                break
    assert 4 < phase < 49


async def one(transaction: Any) -> None:
    async with transaction as tx:
        assert (await tx.query("SELECT 1")).rows == [(1,)]


@pytest.mark.parametrize("sql", ["SELECT id FROM orders WHERE tenant_id = $1", INSERT])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("driver", BLOCKING)
def test_ctrl_c_in_any_phase(driver: str, after: bool, sql: str, shop: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    real = haltsql._guard.blocking

    def interrupt() -> None:
        raise KeyboardInterrupt

    phase = 0
    for phase in range(1, 50):
        with Desk(driver, shop, policy()) as desk:
            phases = Phases(phase, interrupt, after=after)
            monkeypatch.setattr(haltsql._guard, "blocking", lambda steps: real(phases.steps(steps)))  # noqa: B023
            interrupted = False
            try:
                desk.run(ACME, sql, writable=True)
            except KeyboardInterrupt:
                interrupted = True
            monkeypatch.setattr(haltsql._guard, "blocking", real)
            assert interrupted is (phases.seen >= phase)
            # Clean, or closed.
            with contextlib.suppress(ConnectionLost):
                assert desk.run(ACME, "SELECT 1").rows == [(1,)]
            wait_for(shop, OPEN, 0)
            shop.run("DELETE FROM app.orders WHERE id = 500")
            if not interrupted:
                break
    assert 4 < phase < 49


@pytest.mark.parametrize("driver", DRIVERS)
def test_what_ended_a_block_is_not_hidden_by_a_dead_connection(driver: str, shop: Server) -> None:
    with Desk(driver, shop, policy(), pool=1) as desk:

        def dies(sql: str, then: type[Exception] | None) -> None:
            with desk.transaction(ACME, writable=True) as tx:
                tx.query(sql)
                shop.ask(OPEN.replace("count(*)", "count(pg_terminate_backend(pid))"))
                wait_for(shop, OPEN, 0)
                if then is not None:
                    raise then

        with pytest.raises(ZeroDivisionError):
            dies("SELECT 1", ZeroDivisionError)
        # A commit that failed is told of.
        with pytest.raises((ConnectionLost, DatabaseError)):
            dies(INSERT, None)
        assert desk.run(ACME, WRITTEN_BY_ACME).rows == []


WRITTEN_BY_ACME = "SELECT id FROM orders WHERE tenant_id = $1 AND id = 500"


@pytest.mark.parametrize("driver", DRIVERS)
def test_two_transactions_at_once_need_two_connections(driver: str, shop: Server) -> None:
    sql = "SELECT id FROM orders WHERE tenant_id = $1 ORDER BY id LIMIT 1"
    with Desk(driver, shop, policy()) as desk:
        came: list[Any] = []
        if desk.is_async:

            async def turn(context: Any) -> Any:
                async with desk.guard.transaction(desk.connection, context) as tx:
                    return (await tx.query(sql)).rows

            async def both() -> list[Any]:
                return list(await asyncio.gather(turn(ACME), turn(GLOBEX), return_exceptions=True))

            came = desk.wait(both())
        else:
            first = desk.guard.transaction(desk.connection, ACME)
            second = desk.guard.transaction(desk.connection, GLOBEX)
            with first, second:
                came.append(first.query(sql).rows)
                try:
                    second.query(sql)
                except ArgumentError as refused:
                    came.append(refused)
        assert came[0] == [(2,)]
        assert isinstance(came[1], ArgumentError) and "a transaction of a guard is on the connection" in str(
            came[1]
        ).replace("another", "a")
        assert desk.run(GLOBEX, sql).rows == [(1,)]


@pytest.mark.parametrize("driver", ["psycopg", "asyncpg", "sqlalchemy"])
def test_a_server_that_restarts_is_an_error_and_nothing_runs_twice(driver: str, shop: Server) -> None:
    """A backend that dies by SIGKILL takes the whole server through recovery: every connection breaks, as in a restart."""
    # The tests' servers leave their log in memory: what was set up has to be there afterwards.
    shop.run("CHECKPOINT")
    told: list[str] = []

    def hook(verdict: haltsql.Verdict, about: Any) -> None:
        told.append(about["sql"])

    with Desk(driver, shop, policy("statement_timeout_ms: 60000"), pool=2, on_verdict=hook) as desk:

        def kill() -> None:
            wait_for(shop, RUNNING, 1)
            os.kill(shop.ask(RUNNING.replace("count(*)", "min(pid)")), signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        with desk.transaction(ACME, writable=True) as tx:
            tx.query(INSERT)
            with pytest.raises((ConnectionLost, DatabaseError)):
                tx.query("SELECT pg_sleep(30)")
        thread.join()
        assert len(told) == 2
        # While the server recovers it takes no connections.
        for attempt in range(600):
            try:
                assert desk.run(ACME, WRITTEN_BY_ACME).rows == []
                break
            except (ConnectionLost, DatabaseError):
                if attempt == 599:
                    raise
                time.sleep(0.05)
        assert shop.ask(WRITTEN) == 0
        desk.run(ACME, INSERT, writable=True)
        assert shop.ask(WRITTEN) == 1
        shop.run("DELETE FROM app.orders WHERE id = 500")


def test_a_closed_connection_is_a_lost_one(shop: Server) -> None:
    connection = psycopg.connect(shop.dsn())
    connection.close()
    with pytest.raises(ConnectionLost):
        haltsql.psycopg.Guard(policy()).transaction(connection, ACME)
    engine = sqlalchemy.create_engine(shop.url("psycopg"))
    with engine.connect() as gone:
        pass
    with pytest.raises(ConnectionLost), haltsql.sqlalchemy.Guard(policy()).transaction(gone, ACME) as tx:
        tx.query("SELECT 1")
    engine.dispose()


@pytest.mark.parametrize("driver", DRIVERS)
def test_no_value_of_a_context_is_cut(driver: str, shop: Server) -> None:
    """libpq would take `acme` out of `acme`, NUL and something more."""
    with Desk(driver, shop, policy()) as desk, pytest.raises(HaltSQLError):
        desk.run({**ACME, "tenant_id": "acme\0globex"}, "SELECT id FROM orders WHERE tenant_id = $1")
    owned = policy("settings: { app.owner: '{context.tenant_id}' }")
    with Desk(driver, shop, owned) as desk, pytest.raises(HaltSQLError) as refused:
        desk.run({**ACME, "tenant_id": "acme\0globex"}, "SELECT 1")
    assert not isinstance(refused.value, SealBroken) or driver
