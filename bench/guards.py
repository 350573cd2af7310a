"""What a guard costs from Python: a select of ten rows through it, against the same steps by hand on the same driver.

By hand: the texts that the guard sends, taken from the core once, with the verdict that a program could not do without either.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
from servers import Server

import haltsql.asyncpg
import haltsql.psycopg
from haltsql import Policy

SQL = "SELECT id, note FROM app.orders WHERE tenant_id = $1 ORDER BY id LIMIT 10"
ACME = {"tenant_id": "t7"}
SETUP = """CREATE SCHEMA app; CREATE TABLE app.orders (id int PRIMARY KEY, tenant_id text NOT NULL, note text);
INSERT INTO app.orders SELECT n, 't' || n % 50, 'note ' || n FROM generate_series(1, 5000) AS n; ANALYZE app.orders"""
POLICY = Policy.from_str("""
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: bench }
spec:
  search_path: [app]
  tenancy: { mode: bound, keys: [{ column: tenant_id, context: tenant_id }] }
  tables: { app.orders: { columns: [id, tenant_id, note], complete: true } }
""")
RUNS, BATCHES = 50, 20


def fastest(*calls: Callable[[], object]) -> list[float]:
    """Microseconds of each; they take turns, and of each the fastest batch counts."""
    best = [float("inf")] * len(calls)
    for _ in range(BATCHES):
        for at, call in enumerate(calls):
            started = time.perf_counter_ns()
            for _ in range(RUNS):
                call()
            best[at] = min(best[at], (time.perf_counter_ns() - started) / RUNS / 1e3)
    return best


def report(driver: str, guarded: float, by_hand: float) -> None:
    print(
        f"| guard: Python, {driver} | {guarded:.0f} µs | {by_hand:.0f} µs, same steps by hand | {guarded / by_hand:.2f} |"
    )


def texts() -> tuple[str, str, list[str], Any]:
    """BEGIN, the pin with its values, and the statement, as the core has them."""
    session = haltsql.psycopg.Guard(POLICY).session(ACME, False)
    pin = json.loads(session.pin(json.dumps({"database": "shop", "now": 0})))
    return json.loads(session.steps())["begin"], pin["sql"], pin["params"], session.statement(SQL)


def blocking(server: Server) -> None:
    guard = haltsql.psycopg.Guard(POLICY)
    begin, pin, params, statement = texts()
    capped = json.loads(statement.run())["text"]
    with psycopg.connect(server.dsn(), autocommit=True) as connection:

        def by_hand() -> None:
            if not POLICY.check(SQL, ACME).allowed:
                raise SystemExit("denied")
            cursors = [psycopg.RawCursor(connection) for _ in range(3)]
            with connection.pipeline():
                cursors[0].execute(begin.encode(), prepare=False)
                cursors[1].execute(pin.encode(), params, prepare=False)
                cursors[2].execute(capped.encode(), ["t7"], prepare=False)
            if len(cursors[2].fetchall()) != 10:
                raise SystemExit("rows are missing")
            connection.execute("ROLLBACK", prepare=False)

        def guarded() -> None:
            with guard.transaction(connection, ACME) as tx:
                if len(tx.query(SQL).rows) != 10:
                    raise SystemExit("rows are missing")

        report("psycopg", *fastest(guarded, by_hand))


async def awaited(server: Server) -> None:
    guard = haltsql.asyncpg.Guard(POLICY)
    begin, pin, params, statement = texts()
    rendered = json.loads(statement.rendered(2))["text"]
    capped = json.loads(statement.run())["text"]
    driver: Any = haltsql.asyncpg.asyncpg
    connection = await driver.connect(host=str(server.socket), database="shop", user="postgres", statement_cache_size=0)

    async def by_hand() -> None:
        if not POLICY.check(SQL, ACME).allowed:
            raise SystemExit("denied")
        await connection.execute(begin)
        await (await connection.prepare(pin, name=False)).fetch(*params)
        await connection.prepare(capped, name=False)
        if len(await (await connection.prepare(rendered, name=False)).fetch("t7")) != 10:
            raise SystemExit("rows are missing")
        await connection.execute("ROLLBACK")

    async def guarded() -> None:
        async with guard.transaction(connection, ACME) as tx:
            if len((await tx.query(SQL)).rows) != 10:
                raise SystemExit("rows are missing")

    best = [float("inf"), float("inf")]
    calls: list[Callable[[], Awaitable[None]]] = [guarded, by_hand]
    for _ in range(BATCHES):
        for at, call in enumerate(calls):
            started = time.perf_counter_ns()
            for _ in range(RUNS):
                await call()
            best[at] = min(best[at], (time.perf_counter_ns() - started) / RUNS / 1e3)
    report("asyncpg", *best)
    await connection.close()


def main() -> None:
    with Server(18) as server:
        server.run("CREATE DATABASE shop", "postgres")
        server.run(SETUP)
        blocking(server)
        asyncio.run(awaited(server))


if __name__ == "__main__":
    main()
