/** The guards of pg and postgres.js on a real server: results, denials, writes, errors, sessions. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
    ArgumentError,
    ContextError,
    DatabaseError,
    DeniedError,
    Guard,
    HaltSQLError,
    type Verdict,
} from "@haltsql/core";
import * as pgGuard from "@haltsql/core/pg";
import * as postgresGuard from "@haltsql/core/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Server } from "./servers.js";
import { ACME, type Desk, DRIVERS, desk, OPEN, OWN, one, openShop, shopPolicy } from "./shop.js";
import { ROOT } from "./support.js";

let server: Server;
const policy = shopPolicy();
beforeAll(async () => {
    server = await openShop();
});
afterAll(async () => {
    await server.stop();
});

const INSERT = (id: number) => `INSERT INTO app.orders (id, tenant_id, note) VALUES (${id}, $1, 'new') RETURNING id`;
const count = async (where: string) => Number(await server.ask(`SELECT count(*) FROM app.orders WHERE ${where}`));
describe.each(DRIVERS)("%s", (driver) => {
    let at: Desk;
    beforeAll(() => {
        at = desk(driver, server);
    });
    afterAll(async () => {
        await at.close();
        expect(await server.ask(OPEN)).toBe("0");
    });

    test("a result has rows, texts, a verdict and a receipt that says the same", async () => {
        const result = await one(at, policy, ACME, OWN);
        expect(result.rows).toEqual([[2], [4], [6], [8], [10]]);
        expect(result.texts).toEqual([["2"], ["4"], ["6"], ["8"], ["10"]]);
        expect([result.rowCount, result.truncated, result.allowed]).toEqual([5, true, true]);
        expect(result.columns).toEqual([{ name: "id", oid: 23 }]);
        expect(result.verdict.allowed).toBe(true);
        const { fields } = result.receipt;
        expect([fields.sql, fields.rows, fields.seal, fields.role]).toEqual([OWN, result.texts, "none", "postgres"]);
        const digest = createHash("sha256").update(JSON.stringify({ columns: fields.columns, rows: fields.rows }));
        expect(result.receipt.resultSha256).toBe(digest.digest("hex"));
        expect(JSON.stringify(result.receipt)).toBe(result.receipt.json);
    });

    test("columns of one name, types of one's own, integers, sets, nulls", async () => {
        const twice = await one(
            at,
            policy,
            ACME,
            "SELECT id AS n, note AS n, NULL::text AS n, mood FROM app.orders WHERE tenant_id = $1 AND id = 2",
        );
        expect(twice.rows).toEqual([[2, "n2", null, "sad"]]);
        expect(twice.receipt.fields.columns.at(-1)).toEqual({ name: "mood", type: 'app."Mood"' });
        const accounts = await one(
            at,
            policy,
            ACME,
            "SELECT name FROM app.accounts WHERE account = $1 AND team = ANY($2)",
        );
        expect(accounts.texts).toEqual([["one"]]);
        expect((await one(at, policy, ACME, "SELECT ARRAY[1, 2] AS a")).rows).toEqual([[[1, 2]]]);
    });

    test("a denial sends nothing, has no rows, and leaves the transaction usable", async () => {
        const told: [Verdict, boolean][] = [];
        const guard = new Guard(policy, { onVerdict: (verdict, meta) => told.push([verdict, meta.writable]) });
        await at.transaction(guard, ACME, async (tx) => {
            const denied = await tx.query("SELECT id FROM app.orders").catch((error: unknown) => error);
            expect(denied).toBeInstanceOf(DeniedError);
            expect((denied as DeniedError).verdict?.allowed).toBe(false);
            expect((denied as DeniedError).forAgent()).toContain("E_TENANT_MISSING");
            const refusal = await tx.attempt("SELECT 1; SELECT 2");
            expect([refusal.allowed, "rows" in refusal]).toEqual([false, false]);
            await expect(tx.query(INSERT(900))).rejects.toThrow(DeniedError);
            const ran = await tx.attempt(OWN);
            expect(ran.allowed && ran.rowCount).toBe(5);
        });
        expect(told.map(([verdict]) => verdict.allowed)).toEqual([false, false, false, true]);
        expect(told.every(([, writable]) => !writable)).toBe(true);
        expect(await count("id = 900")).toBe(0);
        // Where there is no database, nothing but a denial comes: nothing was sent.
        const nowhere = desk(driver, server, 1, { database: "no_such_database" });
        await expect(one(nowhere, policy, ACME, "DROP TABLE app.orders")).rejects.toThrow(DeniedError);
        await expect(one(nowhere, policy, ACME, "SELECT 1")).rejects.toThrow(HaltSQLError);
        await nowhere.close();
    });

    test("writes commit together, and not where the work fails, hides an error, or one is aborted", async () => {
        const written = await at.transaction(
            policy,
            ACME,
            async (tx) => {
                await tx.query(INSERT(101));
                expect((await tx.query(OWN)).rowCount).toBe(5);
                return await tx.query("UPDATE app.orders SET note = 'x' WHERE tenant_id = $1 AND id IN (101, 2)");
            },
            { writable: true },
        );
        expect([written.rowCount, written.rows, written.receipt.fields.row_count]).toEqual([2, [], 2]);
        expect(await count("note = 'x'")).toBe(2);
        const failing = at.transaction(
            policy,
            ACME,
            async (tx) => {
                await tx.query(INSERT(102));
                throw new RangeError("of the work");
            },
            { writable: true },
        );
        await expect(failing).rejects.toThrow(RangeError);
        const hidden = at.transaction(
            policy,
            ACME,
            async (tx) => {
                await tx.query(INSERT(102));
                await tx.query(INSERT(102)).catch(() => undefined);
            },
            { writable: true },
        );
        await expect(hidden).rejects.toThrow(DatabaseError);
        const aborted = new AbortController();
        const late = at.transaction(
            policy,
            ACME,
            async (tx) => {
                await tx.query(INSERT(102));
                aborted.abort(new RangeError("enough"));
            },
            { writable: true, signal: aborted.signal },
        );
        await expect(late).rejects.toThrow("enough");
        expect(await count("id = 102")).toBe(0);
        await at.transaction(
            policy,
            ACME,
            (tx) => tx.query("DELETE FROM app.orders WHERE tenant_id = $1 AND id = 101"),
            { writable: true },
        );
        expect(await count("id = 101")).toBe(0);
        await server.run("UPDATE app.orders SET note = 'n2' WHERE id = 2");
    });

    test("the database's errors say no more than they may", async () => {
        const told = async (guard: Guard, sql: string, writable = false) =>
            (await one(at, guard, ACME, sql, writable).catch((error: unknown) => error)) as DatabaseError;
        const quiet = new Guard(policy);
        const division = await told(quiet, "SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1");
        expect(division).toBeInstanceOf(DatabaseError);
        expect([division.sqlstate, division.detail, division.cause]).toEqual(["22012", undefined, undefined]);
        const key = await told(quiet, INSERT(4), true);
        expect([key.sqlstate, key.message.includes("(4)"), key.detail]).toEqual(["23505", false, undefined]);
        const loud = await told(new Guard(policy, { showErrors: true }), INSERT(4), true);
        expect(loud.detail).toContain("(4)");
        expect(loud.cause).toBeInstanceOf(Error);
    });

    test("statements that are asked for together wait for each other; none comes after the end", async () => {
        let kept: { query(sql: string): Promise<unknown> } | undefined;
        const results = await at.transaction(policy, ACME, (tx) => {
            kept = tx;
            return Promise.all([tx.query("SELECT 1 AS a"), tx.query("SELECT 2 AS a"), tx.query("SELECT 3 AS a")]);
        });
        expect(results.map(({ texts }) => texts[0]?.[0])).toEqual(["1", "2", "3"]);
        await expect(kept?.query("SELECT 1")).rejects.toThrow(ArgumentError);
    });

    test("arguments that are none are refused before anything is sent", async () => {
        const nothing = async () => undefined;
        await expect(at.transaction({} as never, ACME, nothing)).rejects.toThrow(ArgumentError);
        await expect(at.transaction(policy, ACME, undefined as never)).rejects.toThrow(ArgumentError);
        await expect(at.transaction(policy, 5 as never, nothing)).rejects.toThrow(ArgumentError);
        await expect(at.transaction(policy, ACME, nothing, { signal: 5 as never })).rejects.toThrow(ArgumentError);
        const setting = shopPolicy("settings: { app.owner: '{context.owner}' }");
        await expect(at.transaction(setting, ACME, nothing)).rejects.toThrow(ContextError);
        expect(() => new Guard(policy, { receiptKey: "no key" })).toThrow(ArgumentError);
    });

    test("a hostile session is pinned, and is as it was afterwards", async () => {
        const single = desk(driver, server, 1);
        try {
            await single.raw("SET search_path = pg_catalog");
            await single.raw("SET standard_conforming_strings = off");
            await single.raw("SET DateStyle = 'German'");
            await single.raw(
                "CREATE TEMP TABLE orders AS SELECT 1 AS id, 'acme'::text AS tenant_id, 'FAKE'::text AS note",
            );
            const result = await one(
                single,
                policy,
                ACME,
                "SELECT note, date '2026-01-02' AS d, 'a\\b' AS b FROM orders WHERE tenant_id = $1 AND id = 2",
            );
            expect(result.texts).toEqual([["n2", "2026-01-02", "a\\b"]]);
            expect(JSON.stringify(await single.raw("SHOW DateStyle"))).toContain("German");
        } finally {
            await single.close();
        }
    });

    test("a connection on which somebody began a transaction is not used", async () => {
        const single = desk(driver, server, 1);
        try {
            // One that ran a text, one that did not, and one that failed, which the pool of pg takes away itself.
            const failed = driver === "pg" ? [] : [["BEGIN", "SELECT 1 / 0"]];
            for (const left of [["BEGIN", "SELECT 1"], ["BEGIN"], ...failed]) {
                for (const text of left) {
                    await single.raw(text).catch(() => undefined);
                }
                await expect(one(single, policy, ACME, "SELECT 1")).rejects.toThrow(ArgumentError);
                expect((await one(single, policy, ACME, "SELECT 1")).texts).toEqual([["1"]]);
            }
        } finally {
            await single.close();
        }
    });

    test("the text and the digest of every type are those of every language", async () => {
        const table = JSON.parse(readFileSync(join(ROOT, "conformance", "receipts", "types.json"), "utf8")) as {
            timezone: string;
            values: { sql: string; type: string; text: string | null; result_sha256: string }[];
        };
        expect(table.values.length).toBeGreaterThanOrEqual(50);
        const guard = new Guard(shopPolicy(`timezone: ${table.timezone}`));
        for (const { sql, type, text, result_sha256 } of table.values) {
            const result = await one(at, guard, ACME, sql);
            expect(result.texts, sql).toEqual([[text]]);
            expect(result.receipt.fields.columns, sql).toEqual([{ name: "v", type }]);
            expect(result.receipt.resultSha256, sql).toBe(result_sha256);
        }
    });
});

test("in one's own transaction: rows and no receipt", async () => {
    const pool = server.pool();
    const client = await pool.connect();
    await client.query("BEGIN");
    const rows = await pgGuard.guardedQuery(client, policy, ACME, OWN);
    expect([rows.rows, rows.truncated, "receipt" in rows]).toEqual([[[2], [4], [6], [8], [10]], true, false]);
    await expect(pgGuard.guardedQuery(client, policy, ACME, INSERT(301))).rejects.toThrow(DeniedError);
    expect((await pgGuard.guardedExecute(client, policy, ACME, INSERT(301))).rows).toEqual([[301]]);
    await client.query("ROLLBACK");
    client.release();
    await expect(pgGuard.guardedQuery(pool as never, policy, ACME, OWN)).rejects.toThrow(ArgumentError);
    await pool.end();
    const sql = server.sql();
    const error = await sql
        .begin(async (own) => {
            const rows = await postgresGuard.guardedQuery(own, policy, ACME, OWN);
            expect([rows.rows, rows.truncated, "receipt" in rows]).toEqual([[[2], [4], [6], [8], [10]], true, false]);
            await expect(postgresGuard.guardedQuery(own, policy, ACME, INSERT(301))).rejects.toThrow(DeniedError);
            expect((await postgresGuard.guardedExecute(own, policy, ACME, INSERT(301))).rows).toEqual([[301]]);
            throw new RangeError("back");
        })
        .catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(RangeError);
    await expect(postgresGuard.guardedQuery(sql, policy, ACME, OWN)).rejects.toThrow(ArgumentError);
    await sql.end();
    expect(await count("id = 301")).toBe(0);
});

test("what the guards do not drive is refused", async () => {
    const nothing = async () => undefined;
    for (const wrong of [undefined, null, {}, "postgres://", { connect() {} }]) {
        await expect(pgGuard.guardedTransaction(wrong as never, policy, ACME, nothing)).rejects.toThrow(ArgumentError);
        await expect(postgresGuard.guardedTransaction(wrong as never, policy, ACME, nothing)).rejects.toThrow(
            ArgumentError,
        );
    }
    const sql = server.sql("shop", { transform: { column: { from: (name: string) => name.toUpperCase() } } });
    await expect(postgresGuard.guardedTransaction(sql, policy, ACME, nothing)).rejects.toThrow(ArgumentError);
    await sql.end();
    const nowhere = server.pool("no_such_database");
    await expect(pgGuard.guardedTransaction(nowhere, policy, ACME, (tx) => tx.query("SELECT 1"))).rejects.toThrow(
        /database|connection/i,
    );
    await nowhere.end();
});
