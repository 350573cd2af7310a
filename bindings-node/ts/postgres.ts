/**
 * Guards for connections of postgres.js, version 3.4.9.
 *
 * The driver has no public way to hold one connection that survives faults: who waits in its `reserve` can wait for ever (docs/adr/0018).
 * So a connection is held as its own `begin` holds one, through the option `onexecute`, and goes back when the driver itself has seen
 * that it is idle. Where a transaction stands is not told, and the server is asked instead.
 */

import type { Context } from "./context.js";
import { ArgumentError, ConnectionError } from "./errors.js";
import type { Answer, Executor, ExecutorParam, ExecutorStatus, SpeltError } from "./executor.js";
import type { Guard } from "./guard.js";
import type { Policy } from "./policy.js";
import { EXTENDED, Hold, type Query, type Rows, type Sql } from "./postgres-hold.js";
import type { GuardedRows } from "./result.js";
import { kindOf, type Text } from "./text.js";
import {
    type GuardedTransaction,
    runStatement,
    runTransaction,
    type StatementOptions,
    type TransactionOptions,
} from "./transaction.js";

/** What of a `TransactionSql` or `ReservedSql` of postgres.js is needed. */
export interface PostgresConnection {
    /** Sends a text. */
    unsafe(text: string, args?: never[], options?: object): unknown;
    /** Declares a parameter's type. */
    typed: unknown;
}

/** What of a `Sql` of postgres.js is needed. */
export interface PostgresPool extends PostgresConnection {
    /** Its settings. */
    readonly options: object;
    /** Tells a pool from a connection. */
    reserve(): Promise<PostgresConnection & { release(): void }>;
}

/**
 * Opens a transaction on a connection of the pool, does the work in it, and ends it: reads by ROLLBACK, writes by COMMIT.
 *
 * @param sql - What `postgres(…)` returned.
 * @param guard - Or a policy, for a guard with no options.
 * @param context - Who is asking: from the login, never from the agent.
 * @returns What the work returns, after the transaction has ended.
 * @throws What the work throws, and the errors of `GuardedTransaction.query`.
 */
export async function guardedTransaction<T>(
    sql: PostgresPool,
    guard: Guard | Policy,
    context: Context,
    work: (tx: GuardedTransaction) => Promise<T>,
    options?: TransactionOptions,
): Promise<T> {
    if (typeof sql?.unsafe !== "function" || typeof sql.reserve !== "function") {
        throw new ArgumentError(
            `\`${kindOf(sql)}\` is not what this guard drives: give what \`postgres(…)\` of postgres.js returned, not the \`sql\` of a transaction`,
        );
    }
    return await runTransaction(new PostgresExecutor(sql, true), guard, context, work, options);
}

/**
 * Verifies a text that reads and runs it in the caller's own transaction: that of `sql.begin`, or on a reserved connection. Nothing is
 * pinned: that `search_path` and the other settings are what the policy says is the caller's to see to, and there is no receipt.
 * {@link guardedTransaction} does both.
 */
export async function guardedQuery(
    sql: PostgresConnection,
    guard: Guard | Policy,
    context: Context,
    text: Text,
    options?: StatementOptions,
): Promise<GuardedRows> {
    return await runStatement(inOwn(sql), guard, context, text, { ...options, writable: false });
}

/** As {@link guardedQuery}, for a text that may write. The caller commits; nothing is pinned. */
export async function guardedExecute(
    sql: PostgresConnection,
    guard: Guard | Policy,
    context: Context,
    text: Text,
    options?: StatementOptions,
): Promise<GuardedRows> {
    return await runStatement(inOwn(sql), guard, context, text, { ...options, writable: true });
}

function inOwn(sql: PostgresConnection): Executor {
    if (typeof sql?.unsafe !== "function" || typeof (sql as Partial<PostgresPool>).reserve === "function") {
        throw new ArgumentError(
            "give the `sql` that `sql.begin` or `sql.reserve` of postgres.js gave, not a pool: or use `guardedTransaction`",
        );
    }
    return new PostgresExecutor(sql, false);
}

/** How long the server has to be told of a cancellation, before the connection is closed. */
const CANCEL_MS = 5_000;

class PostgresExecutor implements Executor {
    readonly #sql: Sql;
    readonly #owned: boolean;
    #hold: Hold | undefined;
    #running: Query | undefined;

    constructor(given: PostgresConnection, owned: boolean) {
        this.#sql = given as unknown as Sql;
        this.#owned = owned;
        const { column, row, value } = this.#sql.options?.transform ?? {};
        if (column?.from || row?.from || value?.from) {
            throw new ArgumentError(
                "the connection transforms what it receives, and a receipt has what the server sent: use one without `transform`",
            );
        }
    }

    async acquire(): Promise<object> {
        if (!this.#owned) {
            return this.#sql;
        }
        this.#hold = await Hold.of(this.#sql);
        return this.#hold.identity;
    }

    async run(text: string, params: readonly ExecutorParam[], last = false): Promise<Answer> {
        const query = this.#query(text, params);
        if (last) {
            this.#hold?.last();
        }
        const rows = await this.#waited(query.raw());
        if (!Array.isArray(rows)) {
            this.#hold?.close();
            throw new ConnectionError("the server began to copy: the connection is closed");
        }
        return answerOf(rows);
    }

    async parse(text: string, params: readonly ExecutorParam[]): Promise<void> {
        const query = this.#query(text, params).describe();
        // `describe` asks for a named statement, which would stay.
        query.options.prepare = false;
        await this.#waited(query);
    }

    status(): ExecutorStatus {
        return this.#owned ? (this.#hold?.status() ?? "closed") : "hidden";
    }

    async cancel(): Promise<void> {
        const query = this.#running;
        if (query === undefined) {
            return;
        }
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise((_, reject) => {
            timer = setTimeout(reject, CANCEL_MS);
        });
        try {
            // `query.cancel()` does not say when the server was told.
            await Promise.race([query.canceller?.(query), late]);
        } catch {
            this.#hold?.close();
        } finally {
            clearTimeout(timer);
        }
    }

    async release(clean: boolean): Promise<void> {
        const hold = this.#hold;
        this.#hold = undefined;
        await hold?.release(clean);
    }

    spelt(error: unknown): SpeltError | undefined {
        if (!(error instanceof Error)) {
            return undefined;
        }
        const told = error as Error & { code?: unknown; detail?: string; hint?: string };
        if (typeof told.code !== "string") {
            return undefined;
        }
        const { code, message, detail, hint } = told;
        return told.name === "PostgresError"
            ? { sqlstate: code, message, detail, hint }
            : { sqlstate: "", message: message.split(/\s+/).join(" ").trim() || code };
    }

    #query(text: string, params: readonly ExecutorParam[]): Query {
        const serializers = this.#sql.options?.serializers;
        const args = params.map(({ value, oid }) => {
            // Types of the program's own apply to parameters too: they may not change what was verified.
            if (value !== null && serializers?.[oid] !== undefined && serializers[oid](value) !== value) {
                throw new ArgumentError(
                    `the connection has a type of its own for ${oid} that changes texts: use one without`,
                );
            }
            return this.#sql.typed(value, oid);
        });
        const query = this.#sql.unsafe(text, args, { ...EXTENDED });
        return this.#owned ? this.#held().aimed(query) : query;
    }

    #held(): Hold {
        if (this.#hold === undefined || this.#hold.status() === "closed") {
            throw new ConnectionError("the connection is closed");
        }
        return this.#hold;
    }

    async #waited(query: Query): Promise<Rows> {
        this.#running = query;
        try {
            return await query;
        } catch (error) {
            const { name, severity } = error as { name?: unknown; severity?: unknown };
            // After these the server closes the connection.
            if (name !== "PostgresError" || severity === "FATAL" || severity === "PANIC") {
                this.#hold?.close();
            }
            throw error;
        } finally {
            this.#running = undefined;
        }
    }
}

function answerOf(rows: Rows): Answer {
    const columns = rows.columns ?? [];
    const texts = rows.map((row) => row.map((one) => (one === null ? null : Buffer.from(one).toString("utf8"))));
    const value = (one: string, at: number) => {
        const parser = columns[at]?.parser;
        return parser === undefined ? one : parser(parser.array === true ? one.slice(1) : one);
    };
    const tag = rows.count === null ? rows.command : `${rows.command} ${rows.count}`;
    return { columns: columns.map(({ name, type }) => ({ name, oid: type })), texts, value, tag };
}
