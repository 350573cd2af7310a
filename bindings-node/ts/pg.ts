/**
 * Guards for connections of `pg`, version 8.23 or newer.
 *
 * Sends its own messages through the driver's interface for queries (`submit`, as pg-cursor does): unnamed, extended, with the types of
 * parameters declared, and with the text of results.
 */

import type { Context } from "./context.js";
import { ArgumentError } from "./errors.js";
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

/** What of a `Client` of pg is needed, or of a pool's client. */
export interface PgClient {
    /** `I`, `T`, `E`, or nothing before it is connected. */
    getTransactionStatus(): string | null;
    /** The parser of a type. */
    getTypeParser(oid: number, format?: "text"): unknown;
    /** Takes a query of one's own. */
    query<T extends { submit(connection: never): void }>(query: T): T;
}

/** What of a `Pool` of pg is needed. */
export interface PgPool {
    /** Lends a client. */
    connect(): Promise<PgClient & { release(error?: Error | boolean): void }>;
    /** Tells a pool from a client. */
    readonly totalCount: number;
}

/**
 * Opens a transaction, does the work in it, and ends it: reads by ROLLBACK, writes by COMMIT.
 *
 * @param pool - Or a client that is connected and on which nothing has begun.
 * @param guard - Or a policy, for a guard with no options.
 * @param context - Who is asking: from the login, never from the agent.
 * @returns What the work returns, after the transaction has ended.
 * @throws What the work throws, and the errors of `GuardedTransaction.query`.
 */
export async function guardedTransaction<T>(
    pool: PgPool | PgClient,
    guard: Guard | Policy,
    context: Context,
    work: (tx: GuardedTransaction) => Promise<T>,
    options?: TransactionOptions,
): Promise<T> {
    return await runTransaction(new PgExecutor(pool, true), guard, context, work, options);
}

/**
 * Verifies a text that reads and runs it in the caller's own transaction. Nothing is pinned: that `search_path` and the other settings
 * are what the policy says is the caller's to see to, and there is no receipt. {@link guardedTransaction} does both.
 */
export async function guardedQuery(
    client: PgClient,
    guard: Guard | Policy,
    context: Context,
    sql: Text,
    options?: StatementOptions,
): Promise<GuardedRows> {
    return await runStatement(new PgExecutor(client, false), guard, context, sql, { ...options, writable: false });
}

/** As {@link guardedQuery}, for a text that may write. The caller commits; nothing is pinned. */
export async function guardedExecute(
    client: PgClient,
    guard: Guard | Policy,
    context: Context,
    sql: Text,
    options?: StatementOptions,
): Promise<GuardedRows> {
    return await runStatement(new PgExecutor(client, false), guard, context, sql, { ...options, writable: true });
}

/** What of the driver's client is used beyond its types. */
interface Client extends PgClient {
    readonly processID: number | null;
    readonly readyForQuery: boolean;
    readonly pipeline?: boolean;
    readonly connection?: Connection;
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
    readonly password: unknown;
    readonly ssl: unknown;
    readonly constructor: new (settings: object) => Client & { connect(): Promise<void>; end(): Promise<void> };
    query(query: never): never;
    on(event: "error" | "end", listener: () => void): void;
    removeListener(event: "error" | "end", listener: () => void): void;
    release?(error?: Error | boolean): void;
}

interface Connection {
    readonly stream: { cork?(): void; uncork?(): void; destroy(): void };
    parse(message: { text: string; name: string; types: number[] }): void;
    bind(message: { portal: string; statement: string; values: (string | null)[]; binary: false }): void;
    describe(message: { type: "P"; name: string }): void;
    execute(message: { portal: string; rows: number }): void;
    sync(): void;
    sendCopyFail(message: string): void;
}

/** How long a second connection has to cancel, before the first is broken. */
const CANCEL_MS = 5_000;

class PgExecutor implements Executor {
    readonly #given: PgPool | PgClient;
    readonly #owned: boolean;
    #client: Client | undefined;
    #running = false;
    #closed = false;
    readonly #close = () => {
        this.#closed = true;
    };

    constructor(given: PgPool | PgClient, owned: boolean) {
        if (!isClient(given) && !(owned && isPool(given))) {
            throw new ArgumentError(
                owned
                    ? `\`${kindOf(given)}\` is not what this guard drives: give a Pool or a Client of pg 8.23 or newer`
                    : "give the client of pg 8.23 or newer that the transaction is on, not a pool: or use `guardedTransaction`",
            );
        }
        this.#given = given;
        this.#owned = owned;
    }

    async acquire(): Promise<object> {
        const client = (isClient(this.#given) ? this.#given : await this.#given.connect()) as Client;
        try {
            needUsable(client, this.#owned);
        } catch (problem) {
            if (client !== this.#given) {
                client.release?.(true);
            }
            throw problem;
        }
        this.#client = client;
        // A client that is lent has no listener: without one, a connection that breaks would end the process.
        client.on("error", this.#close);
        client.on("end", this.#close);
        return client;
    }

    async run(text: string, params: readonly ExecutorParam[]): Promise<Answer> {
        return await this.#sent(text, params, true);
    }

    async parse(text: string, params: readonly ExecutorParam[]): Promise<void> {
        await this.#sent(text, params, false);
    }

    status(): ExecutorStatus {
        if (this.#closed || this.#client === undefined) {
            return "closed";
        }
        const status = this.#client.getTransactionStatus();
        return status === "T" ? "transaction" : status === "I" ? "idle" : "failed";
    }

    async cancel(): Promise<void> {
        const client = this.#client;
        if (client === undefined || !this.#running) {
            return;
        }
        const { host, port, user, database, password, ssl } = client;
        const settings = { host, port, user, database, password, ssl, connectionTimeoutMillis: CANCEL_MS };
        try {
            const other = new client.constructor({ ...settings, query_timeout: CANCEL_MS });
            other.on("error", () => undefined);
            await other.connect();
            try {
                const text = "SELECT pg_catalog.pg_cancel_backend($1)";
                const param = { value: String(client.processID), oid: 23 };
                await new Promise((resolve, reject) => {
                    other.query(new Message(text, [param], true, other, resolve, reject) as never);
                });
            } finally {
                await other.end();
            }
        } catch {
            this.#closed = true;
            client.connection?.stream.destroy();
        }
    }

    async release(clean: boolean): Promise<void> {
        const client = this.#client;
        if (client === undefined) {
            return;
        }
        this.#client = undefined;
        const usable = clean && !this.#closed;
        if (client !== this.#given) {
            client.release?.(!usable);
        } else if (!usable) {
            client.connection?.stream.destroy();
        }
        if (usable) {
            // A client that is closed keeps them: what breaks is told a moment later.
            client.removeListener("error", this.#close);
            client.removeListener("end", this.#close);
        }
    }

    spelt(error: unknown): SpeltError | undefined {
        if (!(error instanceof Error)) {
            return undefined;
        }
        const told = error as Error & { code?: unknown; severity?: unknown; detail?: string; hint?: string };
        if (typeof told.code === "string" && typeof told.severity === "string") {
            const { code, message, detail, hint } = told;
            return { sqlstate: code, message, detail, hint };
        }
        // Everything else that a driver throws between acquire and release: the connection, or its pool.
        const driver =
            this.#closed || this.#client === undefined || /connection|not queryable|timeout/i.test(told.message);
        return driver || typeof told.code === "string" ? { sqlstate: "", message: line(told) } : undefined;
    }

    #sent(text: string, params: readonly ExecutorParam[], executed: boolean): Promise<Answer> {
        const client = this.#client as Client;
        this.#running = true;
        const sent = new Promise<Answer>((resolve, reject) => {
            client.query(new Message(text, params, executed, client, resolve, reject) as never);
        });
        return sent.finally(() => {
            this.#running = false;
        });
    }
}

/** One text on its way: what pg calls with what the server says. */
class Message {
    readonly name = "";
    callback: unknown;
    readonly #text: string;
    readonly #params: readonly ExecutorParam[];
    readonly #executed: boolean;
    readonly #client: Client;
    readonly #resolve: (answer: Answer) => void;
    readonly #reject: (error: unknown) => void;
    #columns: { name: string; oid: number }[] = [];
    readonly #texts: (string | null)[][] = [];
    #tag = "";

    constructor(
        text: string,
        params: readonly ExecutorParam[],
        executed: boolean,
        client: Client,
        resolve: (answer: Answer) => void,
        reject: (error: unknown) => void,
    ) {
        this.#text = text;
        this.#params = params;
        this.#executed = executed;
        this.#client = client;
        this.#resolve = resolve;
        this.#reject = reject;
    }

    submit(connection: Connection): void {
        const { stream } = connection;
        stream.cork?.();
        try {
            connection.parse({ text: this.#text, name: "", types: this.#params.map(({ oid }) => oid) });
            if (this.#executed) {
                const values = this.#params.map(({ value }) => value);
                connection.bind({ portal: "", statement: "", values, binary: false });
                connection.describe({ type: "P", name: "" });
                connection.execute({ portal: "", rows: 0 });
            }
            connection.sync();
        } finally {
            stream.uncork?.();
        }
    }

    handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
        this.#columns = fields.map(({ name, dataTypeID }) => ({ name, oid: dataTypeID }));
    }

    handleDataRow({ fields }: { fields: (string | null)[] }): void {
        this.#texts.push(fields);
    }

    handleCommandComplete({ text }: { text: string }): void {
        this.#tag = text;
    }

    handleEmptyQuery(): void {}

    handlePortalSuspended(): void {}

    handleCopyInResponse(connection: Connection): void {
        connection.sendCopyFail("a guard copies nothing");
    }

    handleCopyData(): void {}

    handleError(error: unknown): void {
        this.#reject(error);
    }

    handleReadyForQuery(): void {
        const columns = this.#columns;
        const value = (text: string, column: number) => {
            const parser = this.#client.getTypeParser(columns[column]?.oid ?? 0, "text");
            return typeof parser === "function" ? (parser(text) as unknown) : text;
        };
        this.#resolve({ columns, texts: this.#texts, value, tag: this.#tag });
    }
}

function isClient(given: unknown): given is PgClient {
    const client = given as Partial<Client> | null | undefined;
    // The one of pg-native has no connection whose messages could be chosen.
    return typeof client?.getTransactionStatus === "function" && client.connection !== undefined;
}

function isPool(given: unknown): given is PgPool {
    const pool = given as Partial<PgPool> | null | undefined;
    return typeof pool?.connect === "function" && typeof pool.totalCount === "number";
}

function needUsable(client: Client, owned: boolean): void {
    if (!isClient(client)) {
        throw new ArgumentError(
            "the pool's clients are not what this guard drives: use pg 8.23 or newer, without pg-native",
        );
    }
    if (client.pipeline === true) {
        throw new ArgumentError(
            "the client is in pipeline mode, where one text does not wait for another: connect without it",
        );
    }
    const status = client.getTransactionStatus();
    if (status === null) {
        throw new ArgumentError("the client is not connected: await `client.connect()` before");
    }
    if (owned && (status !== "I" || client.readyForQuery === false)) {
        throw new ArgumentError(
            "a transaction is open on the client, or a query runs: end it before, or use `guardedQuery` for a statement in one's own",
        );
    }
}

function line(error: Error): string {
    return error.message.split(/\s+/).join(" ").trim() || error.name;
}
