/** Faults and leaks: what is aborted, killed or exhausted gives a clear error and a usable pool, and nothing stays behind. */

import { ConnectionError, DatabaseError, DeniedError } from "@haltsql/core";
import * as postgresGuard from "@haltsql/core/postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import type { Server } from "./servers.js";
import { ACME, type Desk, DRIVERS, desk, OPEN, OWN, one, openShop, shopPolicy } from "./shop.js";

const policy = shopPolicy("statement_timeout_ms: 60000");
const owned = shopPolicy("settings: { app.owner: '{context.tenant_id}' }");
const LONG = "SELECT pg_sleep(600)";
const SLEEPING = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND pid <> pg_backend_pid()";
const OTHERS = "FROM pg_stat_activity WHERE datname = 'shop' AND pid <> pg_backend_pid()";
const NEW = (id: number) => `INSERT INTO app.orders (id, tenant_id, note) VALUES (${id}, $1, 'new')`;
/** `make hostile` takes the time. */
const MANY = process.env.HALTSQL_HOSTILE === "all" ? 10_000 : 500;
const LOST = /57P01|connection|terminat/i;

let server: Server;
beforeAll(async () => {
    server = await openShop();
});
afterAll(async () => {
    await server.stop();
});
const number = async (query: string) => Number(await server.ask(query));
async function until(query: string, wanted: number): Promise<void> {
    const end = Date.now() + 20_000;
    for (let is = await number(query); is !== wanted; is = await number(query)) {
        expect(Date.now(), `${query} is ${is}, and should be ${wanted}`).toBeLessThan(end);
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(DRIVERS)("%s", (driver) => {
    let single: Desk;
    beforeEach(() => {
        single = desk(driver, server, 1);
    });
    afterEach(async () => {
        await single.close();
        await until(OPEN, 0);
    });
    const works = async (at = single) => expect((await one(at, policy, ACME, "SELECT 1")).texts).toEqual([["1"]]);

    test("an abort cancels on the server, and the connection goes on", async () => {
        await works();
        const before = await number(`SELECT pid ${OTHERS}`);
        for (const sql of [LONG, "SELECT pg_sleep(600), id FROM app.orders WHERE tenant_id = $1"]) {
            const stop = new AbortController();
            const running = single.transaction(policy, ACME, (tx) => tx.query(sql), { signal: stop.signal });
            const ended = expect(running).rejects.toThrow("enough");
            await until(`SELECT count(*) ${SLEEPING}`, 1);
            stop.abort(new Error("enough"));
            await ended;
            expect(await number(OPEN)).toBe(0);
            await works();
        }
        expect(await number(`SELECT pid ${OTHERS}`)).toBe(before);
    });

    test("an abort in any phase leaves no transaction, nothing written, and a pool that works", async () => {
        const writes = async (signal: AbortSignal) =>
            await single.transaction(
                policy,
                ACME,
                async (tx) => {
                    await tx.query(NEW(500));
                    await tx.query(OWN);
                    await pause(0);
                    await tx.query("SELECT 1");
                },
                { writable: true, signal },
            );
        const started = performance.now();
        await writes(new AbortController().signal);
        const whole = performance.now() - started;
        await server.run("DELETE FROM app.orders WHERE id = 500");
        // Each a little later than the one before, from before the first byte until about its end.
        let aborted = 0;
        for (let turn = 0; turn < 24; turn += 1) {
            const stop = new AbortController();
            const end = performance.now() + (whole * turn) / 24;
            const abort = (): void => {
                performance.now() < end ? setImmediate(abort) : stop.abort(new Error("enough"));
            };
            abort();
            const came = await writes(stop.signal).then(
                () => "committed",
                (error: Error) => error.message,
            );
            expect(["committed", "enough"]).toContain(came);
            // Who waited for a connection waits no longer: it is given back when it comes.
            await until(OPEN, 0);
            const written = await number(
                "WITH gone AS (DELETE FROM app.orders WHERE id = 500 RETURNING 1) SELECT count(*) FROM gone",
            );
            expect(written).toBe(came === "committed" ? 1 : 0);
            aborted += 1 - written;
        }
        expect(aborted).toBeGreaterThan(5);
        await works();
    });

    test("a backend that is killed in a statement or between two is an error, not a hang, and the pool goes on", async () => {
        for (let time = 0; time < 3; time += 1) {
            const ended = expect(one(single, policy, ACME, LONG)).rejects.toThrow(LOST);
            await until(`SELECT count(pg_terminate_backend(pid)) ${SLEEPING}`, 1);
            await ended;
            await works();
        }
        const between = single.transaction(
            policy,
            ACME,
            async (tx) => {
                await tx.query(NEW(501));
                await until(`SELECT count(pg_terminate_backend(pid)) ${OTHERS} AND state = 'idle in transaction'`, 1);
                await pause(100);
                await tx.query("SELECT 2");
            },
            { writable: true },
        );
        await expect(between).rejects.toThrow(LOST);
        expect(await number("SELECT count(*) FROM app.orders WHERE id = 501")).toBe(0);
        await works();
        // While nobody uses it.
        await server.run(`SELECT pg_terminate_backend(pid) ${OTHERS}`);
        await until(`SELECT count(*) ${OTHERS}`, 0);
        await pause(50);
        await works();
    });

    test("a server that crashes and recovers is an error, and nothing runs twice", async () => {
        const pool = desk(driver, server, 3);
        const write = () => one(pool, policy, ACME, NEW(502), true);
        await server.run("CHECKPOINT");
        const running = Array.from({ length: 3 }, () =>
            pool.transaction(
                policy,
                ACME,
                async (tx) => {
                    await tx.query("UPDATE app.orders SET note = 'lost' WHERE tenant_id = $1 AND id = 999");
                    await tx.query(LONG);
                },
                { writable: true },
            ),
        );
        const ended = Promise.allSettled(running);
        await until(`SELECT count(*) ${SLEEPING}`, 3);
        process.kill(await number(`SELECT min(pid) ${SLEEPING}`), "SIGKILL");
        for (const { status } of await ended) {
            expect(status).toBe("rejected");
        }
        let written = false;
        for (const end = Date.now() + 30_000; !written; await pause(50)) {
            expect(Date.now()).toBeLessThan(end);
            written = await write().then(
                () => true,
                (error: unknown) => {
                    expect([ConnectionError, DatabaseError].some((kind) => error instanceof kind)).toBe(true);
                    return false;
                },
            );
        }
        expect(await number("SELECT count(*) FROM app.orders WHERE id = 502 OR note = 'lost'")).toBe(1);
        // All of its places are usable, and none is lost.
        const pids = await Promise.all(
            Array.from({ length: 3 }, () => pool.transaction(policy, ACME, (tx) => tx.query("SELECT pg_sleep(0.2)"))),
        );
        expect(pids.map(({ rowCount }) => rowCount)).toEqual([1, 1, 1]);
        await server.run("DELETE FROM app.orders WHERE id = 502");
        await pool.close();
    });

    test("who waits for an exhausted pool can stop waiting, and gets a connection when there is one", async () => {
        let free = (): void => undefined;
        const held = single.transaction(policy, ACME, async (tx) => {
            await tx.query("SELECT 1");
            await new Promise<void>((resolve) => {
                free = resolve;
            });
            await server.run(`SELECT pg_terminate_backend(pid) ${OTHERS}`);
            await pause(50);
        });
        await until(OPEN, 1);
        const stop = new AbortController();
        const given_up = [1, 2, 3].map(() =>
            single.transaction(policy, ACME, (tx) => tx.query("SELECT 1"), { signal: stop.signal }),
        );
        const waiting = Array.from({ length: 10 }, (_, n) => one(single, policy, ACME, `SELECT ${n} AS n`));
        const stopped = Promise.allSettled(given_up);
        await pause(20);
        stop.abort(new Error("enough"));
        for (const one of await stopped) {
            expect(one).toMatchObject({ status: "rejected", reason: { message: "enough" } });
        }
        // The connection that they wait for is killed, and another takes its place.
        free();
        await expect(held).rejects.toThrow(LOST);
        const came = await Promise.allSettled(waiting);
        const texts = came.map((one) => (one.status === "fulfilled" ? one.value.texts[0]?.[0] : String(one.reason)));
        expect(texts).toEqual(Array.from({ length: 10 }, (_, n) => String(n)));
    });

    test("many transactions of two tenants leave nothing behind in the sessions of their pool", async () => {
        // Without what postgres.js itself prepares on each connection.
        const pool = desk(driver, server, 4, { fetch_types: false });
        const state = async () => (await one(pool, owned, ACME, "SELECT state FROM app.session_state")).texts[0]?.[0];
        const before = await state();
        expect(before).toContain("nothing prepared; 0 0 0 false");
        let [refused, denied, aborted] = [0, 0, 0];
        const work = async (n: number) => {
            const tenant = n % 2 === 0 ? "acme" : "globex";
            const stop = new AbortController();
            const done = pool.transaction(
                owned,
                { ...ACME, tenant_id: tenant },
                async (tx) => {
                    const { texts } = await tx.query(
                        "SELECT DISTINCT tenant_id FROM app.orders WHERE tenant_id = $1 AND id <= 40",
                    );
                    expect(texts).toEqual([[tenant]]);
                    if (n % 5 === 1) {
                        await tx.query("SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1");
                    } else if (n % 5 === 2) {
                        await tx.query("UPDATE app.orders SET note = note WHERE tenant_id = $1 AND id <= 2");
                    } else if (n % 5 === 3) {
                        await tx.query("SELECT id FROM app.orders");
                    }
                },
                { writable: n % 5 === 2, signal: stop.signal },
            );
            if (n % 50 === 4) {
                setTimeout(() => stop.abort(new RangeError("enough")), n % 7);
            }
            await done.catch((error: unknown) => {
                denied += error instanceof DeniedError ? 1 : 0;
                refused += error instanceof DatabaseError ? 1 : 0;
                aborted += error instanceof RangeError ? 1 : 0;
                expect(
                    [DeniedError, DatabaseError, RangeError].some((kind) => error instanceof kind),
                    `${error}`,
                ).toBe(true);
            });
        };
        // More at a time than there are connections.
        const queue = Array.from({ length: MANY }, (_, n) => n);
        await Promise.all(
            Array.from({ length: 8 }, async () => {
                for (let n = queue.pop(); n !== undefined; n = queue.pop()) {
                    await work(n);
                }
            }),
        );
        expect([refused, denied]).toEqual([MANY / 5, MANY / 5]);
        expect(aborted).toBeLessThanOrEqual(MANY / 50);
        expect(new Set(await Promise.all(Array.from({ length: 8 }, state)))).toEqual(new Set([before]));
        expect(await number(`SELECT count(*) ${OTHERS}`)).toBe(4);
        await pool.close();
    });
});

describe("what postgres.js does behind the back", () => {
    test("its pool may be ended in the midst of a transaction, which comes to its end", async () => {
        const sql = server.sql("shop", { max: 1 });
        const result = await postgresGuard.guardedTransaction(sql, policy, ACME, async (tx) => {
            await tx.query("SELECT 1");
            const ended = sql.end();
            const last = await tx.query("SELECT 2");
            return { last, ended };
        });
        expect(result.last.texts).toEqual([["2"]]);
        await result.ended;
        await expect(postgresGuard.guardedTransaction(sql, policy, ACME, (tx) => tx.query(OWN))).rejects.toThrow(
            ConnectionError,
        );
        await until(`SELECT count(*) ${OTHERS}`, 0);
    });

    test("its own transactions, its reserved connections and the guard's share one pool", async () => {
        const sql = server.sql("shop", { max: 2 });
        const own = async (n: number) => {
            const [row] = await sql.begin(async (tx) => await tx.unsafe(`SELECT ${n} AS n`));
            expect(row).toEqual({ n });
        };
        const busy = async () => expect((await sql`SELECT pg_sleep(0.005)`).length).toBe(1);
        const guarded = async (n: number) => {
            const { texts } = await postgresGuard.guardedTransaction(sql, policy, ACME, (tx) =>
                tx.query(`SELECT ${n} AS n, id FROM app.orders WHERE tenant_id = $1 AND id = 2`),
            );
            expect(texts).toEqual([[String(n), "2"]]);
        };
        const kinds = [own, busy, guarded];
        await Promise.all(Array.from({ length: 120 }, (_, n) => kinds[n % 3]?.(n)));
        const held = await sql.reserve();
        await Promise.all([guarded(1), guarded(2), held`SELECT 1`]);
        held.release();
        await sql.end();
        expect(await number(OPEN)).toBe(0);
    });

    test("a driver with another inside is refused, and one that names no connection is not asked for ever", async () => {
        let asked = 0;
        const driver = (tell: boolean) => ({
            options: {},
            reserve: () => undefined,
            typed: () => undefined,
            unsafe: (_text: string, _args: unknown[], { onexecute }: { onexecute(connection: object): boolean }) => {
                asked += 1;
                if (tell) {
                    onexecute({ execute: () => undefined });
                }
                const rows = Promise.resolve([]);
                return Object.assign(rows, { raw: () => rows });
            },
        });
        const run = (tell: boolean) =>
            postgresGuard.guardedTransaction(driver(tell) as never, policy, ACME, (tx) => tx.query("SELECT 1"));
        await expect(run(true)).rejects.toThrow(/has no `connection.terminate`: use 3.4.9/);
        expect(asked).toBe(1);
        await expect(run(false)).rejects.toThrow(ConnectionError);
    });

    test("types of the program's own never change a parameter", async () => {
        const types = { shout: { to: 25, from: [25], serialize: (x: string) => `${x}!`, parse: (x: string) => x } };
        const sql = server.sql("shop", { max: 1, types });
        await expect(postgresGuard.guardedTransaction(sql, policy, ACME, (tx) => tx.query(OWN))).rejects.toThrow(
            /type of its own for 25/,
        );
        await sql.end();
    });
});
