// What a guard costs from Node.js: a select of ten rows through it, against the same steps by hand on the same driver.
//
// By hand: the texts that the guard sends, taken from the core once, with the verdict that a program could not do without either.
// Run by scripts/bindings/node-bench.

import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [, , packages, prefix] = process.argv;
const root = join(import.meta.dirname, "..");
const load = createRequire(join(packages, "index.js"));
const { Guard, Policy } = load("@haltsql/core");
const onPg = load("@haltsql/core/pg");
const onPostgres = load("@haltsql/core/postgres");
const addon = load("@haltsql/core-linux-x64-gnu");
const drivers = createRequire(join(root, "bindings-node", "package.json"));

const SQL = "SELECT id, note FROM app.orders WHERE tenant_id = $1 ORDER BY id LIMIT 10";
const ACME = { tenant_id: "t7" };
const SETUP = `CREATE SCHEMA app; CREATE TABLE app.orders (id int PRIMARY KEY, tenant_id text NOT NULL, note text);
INSERT INTO app.orders SELECT n, 't' || n % 50, 'note ' || n FROM generate_series(1, 5000) AS n; ANALYZE app.orders`;
const DOCUMENT = `
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: bench }
spec:
  search_path: [app]
  tenancy: { mode: bound, keys: [{ column: tenant_id, context: tenant_id }] }
  tables: { app.orders: { columns: [id, tenant_id, note], complete: true } }
`;
const POLICY = Policy.fromString(DOCUMENT);
const GUARD = new Guard(POLICY);
const [RUNS, BATCHES] = [50, 20];

/** Microseconds of each; they take turns, and of each the fastest batch counts. */
async function fastest(...calls) {
    const best = calls.map(() => Number.POSITIVE_INFINITY);
    for (let batch = 0; batch < BATCHES; batch += 1) {
        for (const [at, call] of calls.entries()) {
            const started = process.hrtime.bigint();
            for (let run = 0; run < RUNS; run += 1) {
                if ((await call()) !== 10) {
                    throw new Error("rows are missing");
                }
            }
            best[at] = Math.min(best[at], Number(process.hrtime.bigint() - started) / RUNS / 1e3);
        }
    }
    return best;
}

function report(driver, [guarded, byHand]) {
    const [one, other] = [guarded, byHand].map((time) => `${time.toFixed(0)} µs`);
    const ratio = (guarded / byHand).toFixed(2);
    console.log(`| guard: Node.js, ${driver} | ${one} | ${other}, same steps by hand | ${ratio} |`);
}

/** BEGIN, the pin with its values, and the statement, as the core has them. */
function texts() {
    const policy = addon.Policy.load(DOCUMENT, 1, "bench");
    const session = addon.Guard.of(policy, "{}", undefined, undefined).session(JSON.stringify(ACME), "{}");
    const { begin, rollback } = JSON.parse(session.steps());
    const pin = JSON.parse(session.pin(JSON.stringify({ database: "shop", now: 0 })));
    return { begin, rollback, pin, capped: JSON.parse(session.statement(SQL).run()).text };
}

function expectAllowed() {
    if (!POLICY.check(SQL, ACME).allowed) {
        throw new Error("denied");
    }
}

async function pg(settings) {
    const { Pool } = drivers("pg");
    const pool = new Pool({ ...settings, max: 1 });
    const { begin, rollback, pin, capped } = texts();
    const byHand = async () => {
        expectAllowed();
        const client = await pool.connect();
        const send = (text, values = []) => client.query({ text, values, queryMode: "extended", rowMode: "array" });
        await send(begin);
        await send(pin.sql, pin.params);
        const { rows } = await send(capped, [ACME.tenant_id]);
        await send(rollback);
        client.release();
        return rows.length;
    };
    const guarded = () =>
        onPg.guardedTransaction(pool, GUARD, ACME, async (tx) => (await tx.query(SQL)).rows.length);
    report("pg", await fastest(guarded, byHand));
    await pool.end();
}

async function postgres(settings) {
    const sql = drivers("postgres")({ ...settings, max: 1 });
    const { begin, rollback, pin, capped } = texts();
    const byHand = async () => {
        expectAllowed();
        const connection = await sql.reserve();
        const send = (text, values = []) =>
            connection.unsafe(text, values, { prepare: false, simple: false }).values();
        await send(begin);
        await send(
            pin.sql,
            pin.params.map((value) => sql.typed(value, 25)),
        );
        const rows = await send(capped, [sql.typed(ACME.tenant_id, 25)]);
        await send(rollback);
        connection.release();
        return rows.length;
    };
    const guarded = () =>
        onPostgres.guardedTransaction(sql, GUARD, ACME, async (tx) => (await tx.query(SQL)).rows.length);
    report("postgres.js", await fastest(guarded, byHand));
    await sql.end();
}

const folder = mkdtempSync("/tmp/haltsql-ts-");
chmodSync(folder, 0o755);
const supervise = readFileSync(join(root, "pgtemp", "src", "supervise.sh"), "utf8");
const server = spawn("sh", ["-c", supervise, "supervise", folder, `${prefix}/bin`], {
    stdio: ["pipe", "pipe", "inherit"],
});
const said = await new Promise((resolve) => server.stdout.once("data", (some) => resolve(String(some).trim())));
if (said !== "ready") {
    throw new Error(`the server did not start: ${said}`);
}
const settings = { host: join(folder, "socket"), user: "postgres" };
const { Client } = drivers("pg");
for (const [database, script] of [
    ["postgres", "CREATE DATABASE shop"],
    ["shop", SETUP],
]) {
    const client = new Client({ ...settings, database });
    await client.connect();
    await client.query(script);
    await client.end();
}
await pg({ ...settings, database: "shop" });
await postgres({ ...settings, database: "shop" });
server.stdin.end();
