/**
 * Guards for connections of postgres.js, version 3.4 or newer.
 *
 * A connection is reserved for the time of a transaction. The driver hides where a transaction stands, so that the server is asked; and it
 * uses a connection that broke for others without a word, so that it is looked at before each text.
 */

import type { Context } from "./context.js";
import { ArgumentError, ConnectionError } from "./errors.js";
import type { Answer, Executor, ExecutorParam, ExecutorStatus, SpeltError } from "./executor.js";
import type { Guard } from "./guard.js";
import type { Policy } from "./policy.js";
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
    /** Lends a connection. */
    reserve(): Promise<PostgresConnection & { release(): void }>;
}

/**
 * Opens a transaction on a connection of its own, does the work in it, and ends it: reads by ROLLBACK, writes by COMMIT.
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

/** What of the driver is used beyond its types. */
interface Sql {
    unsafe(text: string, args: unknown[], options: object): Query;
    typed(value: string | null, oid: number): unknown;
    reserve?(): Promise<Sql>;
    release?(): void;
    readonly options?: { readonly transform?: Record<string, { readonly from?: unknown }> };
}

interface Query extends Promise<Rows> {
    raw(): Query;
    describe(): Promise<{ readonly name: string }>;
    readonly canceller?: ((query: Query) => Promise<void>) | null;
}

interface Rows extends Array<(Uint8Array | null)[]> {
    readonly columns?: readonly Column[] | null;
    readonly command: string;
    readonly count: number | null;
    readonly state: object;
}

interface Column {
    readonly name: string;
    readonly type: number;
    readonly parser?: ((text: string) => unknown) & { readonly array?: boolean };
}

/** A connection of the driver's pool: `reserved` is what it is reserved by. */
interface Connection {
    readonly reserved: unknown;
    /** Closes it; the pool makes another in its place. */
    terminate(): void;
}

class PostgresExecutor implements Executor {
    readonly #given: Sql;
    readonly #owned: boolean;
    #sql: Sql | undefined;
    #connection: Connection | undefined;
    #reservation: unknown;
    #state: object | undefined;
    #running: Query | undefined;
    #broken = false;

    constructor(given: PostgresConnection, owned: boolean) {
        const sql = given as unknown as Sql;
        const { column, row, value } = sql.options?.transform ?? {};
        if (column?.from || row?.from || value?.from) {
            throw new ArgumentError(
                "the connection transforms what it receives, and a receipt has what the server sent: use one without `transform`",
            );
        }
        this.#given = sql;
        this.#owned = owned;
    }

    async acquire(): Promise<object> {
        if (!this.#owned) {
            this.#sql = this.#given;
            return this.#given;
        }
        const sql = (await this.#given.reserve?.()) as Sql;
        this.#sql = sql;
        let connection: Connection | undefined;
        const onexecute = (used: Connection) => {
            connection = used;
            return true;
        };
        // A query, after which BEGIN with an isolation level fails where a transaction is open.
        const asked = sql.unsafe("SELECT 1", [], { prepare: false, simple: false, onexecute }).raw();
        const { state } = await asked.catch(async (error: { code?: unknown }) => {
            if (error.code !== "25P02") {
                throw error;
            }
            [this.#connection, this.#reservation] = [connection, connection?.reserved];
            await this.release(false);
            throw new ArgumentError("a transaction is open on the connection: end it before it goes back to the pool");
        });
        if (connection === undefined || typeof state !== "object") {
            sql.release?.();
            throw new ArgumentError("this version of postgres.js does not say which connection it uses: use 3.4.9");
        }
        [this.#connection, this.#reservation, this.#state] = [connection, connection.reserved, state];
        return state;
    }

    async run(text: string, params: readonly ExecutorParam[]): Promise<Answer> {
        const sql = this.#usable();
        const args = params.map(({ value, oid }) => sql.typed(value, oid));
        const query = sql.unsafe(text, args, { prepare: false, simple: false }).raw();
        const rows = await this.#waited(query, query);
        const columns = rows.columns ?? [];
        const texts = rows.map((row) => row.map((one) => (one === null ? null : Buffer.from(one).toString("utf8"))));
        const value = (one: string, at: number) => {
            const parser = columns[at]?.parser;
            return parser === undefined ? one : parser(parser.array === true ? one.slice(1) : one);
        };
        const tag = rows.count === null ? rows.command : `${rows.command} ${rows.count}`;
        if (this.#state !== undefined && rows.state !== this.#state) {
            this.#broken = true;
            throw new ConnectionError("the connection was replaced by another");
        }
        return { columns: columns.map(({ name, type }) => ({ name, oid: type })), texts, value, tag };
    }

    async parse(text: string, params: readonly ExecutorParam[]): Promise<void> {
        const sql = this.#usable();
        const args = params.map(({ value, oid }) => sql.typed(value, oid));
        const query = sql.unsafe(text, args, { prepare: false, simple: false });
        const { name } = await this.#waited(query, query.describe());
        if (name) {
            // The driver describes named statements alone, and this one would stay.
            await this.run(`DEALLOCATE "${name.replaceAll('"', '""')}"`, []);
        }
    }

    status(): ExecutorStatus {
        const lost = this.#owned && this.#connection?.reserved !== this.#reservation;
        return this.#broken || this.#sql === undefined || lost ? "closed" : "hidden";
    }

    async cancel(): Promise<void> {
        const query = this.#running;
        try {
            // `query.cancel()` does not say when the server was told.
            await query?.canceller?.(query);
        } catch {
            // The server cannot be told; the statement's timeout ends it.
        }
    }

    async release(clean: boolean): Promise<void> {
        const sql = this.#sql;
        if (!this.#owned || sql === undefined) {
            return;
        }
        if (this.status() === "closed") {
            // It goes back to the pool by itself.
            this.#sql = undefined;
            await this.#closed();
            return;
        }
        if (clean) {
            this.#sql = undefined;
            sql.release?.();
            return;
        }
        this.#connection?.terminate();
        this.#sql = undefined;
        await this.#closed();
    }

    /** Waits until the driver has seen that the connection is closed: whoever asks for one before may wait for ever. */
    async #closed(): Promise<void> {
        for (let left = 400; left > 0 && this.#connection?.reserved === this.#reservation; left -= 1) {
            await new Promise((resolve) => setTimeout(resolve, 5));
        }
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

    #usable(): Sql {
        if (this.#sql === undefined || this.status() === "closed") {
            throw new ConnectionError("the connection is closed");
        }
        return this.#sql;
    }

    async #waited<T>(query: Query, answer: Promise<T>): Promise<T> {
        this.#running = query;
        try {
            return await answer;
        } catch (error) {
            const { name, severity } = error as { name?: unknown; severity?: unknown };
            // After these the server closes the connection.
            if (name !== "PostgresError" || severity === "FATAL" || severity === "PANIC") {
                this.#broken = true;
            }
            throw error;
        } finally {
            this.#running = undefined;
        }
    }
}
