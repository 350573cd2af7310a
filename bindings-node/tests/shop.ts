/** The shop of the guards' tests: a database, its policy, and both drivers behind one face. */

import {
    type Context,
    type Guard,
    type GuardedResult,
    type GuardedTransaction,
    Policy,
    type TransactionOptions,
} from "@haltsql/core";
import * as pgGuard from "@haltsql/core/pg";
import * as postgresGuard from "@haltsql/core/postgres";

import { Server } from "./servers.js";

export const ACME = {
    tenant_id: "acme",
    account: "7",
    teams: ["00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000009"],
};
/** How many transactions somebody left open, or that run. */
export const OPEN =
    "SELECT count(*) FROM pg_stat_activity WHERE datname = 'shop' AND pid <> pg_backend_pid() AND state <> 'idle'";
export const OWN = "SELECT id FROM app.orders WHERE tenant_id = $1 ORDER BY id";

const DATABASE = `
CREATE SCHEMA app; CREATE TYPE app."Mood" AS ENUM ('glad', 'sad');
CREATE TABLE app.orders (id int PRIMARY KEY, tenant_id text NOT NULL, note text, mood app."Mood");
INSERT INTO app.orders SELECT n, CASE n % 2 WHEN 0 THEN 'acme' ELSE 'globex' END, 'n' || n, 'sad' FROM generate_series(1, 40) AS n;
CREATE TABLE app.accounts (id int PRIMARY KEY, account bigint NOT NULL, team uuid NOT NULL, name text);
INSERT INTO app.accounts VALUES (1, 7, '00000000-0000-0000-0000-000000000001', 'one'),
    (2, 8, '00000000-0000-0000-0000-000000000002', 'two');
-- What a session can keep, as one text. A view, so that the guard's own connections can be asked.
CREATE VIEW app.session_state AS SELECT
    (SELECT string_agg(name || '=' || setting, ', ' ORDER BY name) FROM pg_settings WHERE source = 'session') || '; ' ||
    coalesce((SELECT string_agg(statement, ', ' ORDER BY statement) FROM pg_prepared_statements WHERE name <> ''), 'nothing prepared') || '; ' ||
    (SELECT count(*) FROM pg_cursors WHERE name <> '') || ' ' ||
    (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') || ' ' ||
    (SELECT count(*) FROM pg_listening_channels()) || ' ' || (pg_my_temp_schema() <> 0) AS state;
`;

export function shopPolicy(...execution: string[]): Policy {
    return Policy.fromString(`
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: shop }
spec:
  search_path: [app]
  tenancy:
    mode: bound
    keys:
      - { column: tenant_id, context: tenant_id, type: text }
      - { column: account, context: account, type: integer }
      - { column: team, context: teams, type: uuid }
  statements: [select, insert, update, delete]
  functions: { profiles: [core, text-search], allow: [pg_sleep] }
  tables:
    app.session_state: { columns: [state], shared: true }
    app.accounts: { columns: [id, account, team, name], complete: true, tenant: { tenant_id: none } }
    app.orders:
      columns: [id, tenant_id, note, mood]
      complete: true
      tenant: { account: none, team: none }
      write: { insert: [id, tenant_id, note], update: [note], delete: true }
  limits: { max_generated: 100000000, cartesian: allow }
  execution:
    max_rows: 5
${execution.map((line) => `    ${line}\n`).join("")}`);
}

export async function openShop(): Promise<Server> {
    const server = await Server.start(18);
    await server.run("CREATE DATABASE shop", "postgres");
    await server.run(DATABASE);
    return server;
}

/** A pool of one driver, and its guards. */
export interface Desk {
    transaction<T>(
        guard: Guard | Policy,
        context: Context,
        work: (tx: GuardedTransaction) => Promise<T>,
        options?: TransactionOptions,
    ): Promise<T>;
    /** A statement that nobody verified, on a connection of the pool. */
    raw(text: string): Promise<unknown>;
    close(): Promise<void>;
}

export type Driver = "pg" | "postgres";
export const DRIVERS: readonly Driver[] = ["pg", "postgres"];

export function desk(driver: Driver, server: Server, max = 4, more: object = {}): Desk {
    if (driver === "pg") {
        const pool = server.pool("shop", { max, ...more });
        return {
            transaction: (...given) => pgGuard.guardedTransaction(pool, ...given),
            raw: (text) => pool.query(text),
            close: () => pool.end(),
        };
    }
    const sql = server.sql("shop", { max, ...more });
    return {
        transaction: (...given) => postgresGuard.guardedTransaction(sql, ...given),
        raw: async (text) => await sql.unsafe(text),
        close: () => sql.end({ timeout: 1 }),
    };
}

/** One statement in a transaction of its own. */
export async function one(
    at: Desk,
    guard: Guard | Policy,
    context: Context,
    sql: string,
    writable = false,
): Promise<GuardedResult> {
    return await at.transaction(guard, context, (tx) => tx.query(sql), { writable });
}
