/**
 * One connection of a pool of postgres.js, held: out of all of the pool's queues, until the driver has seen that it is idle.
 *
 * What of the driver is used beyond its documents is all here: the option `onexecute`, and of a connection `execute`, `terminate`,
 * `queue` and `reserved`. Must never give back a connection that is not idle, or send anything on one that it does not hold.
 */

import { ArgumentError, ConnectionError } from "./errors.js";
import type { ExecutorStatus } from "./executor.js";
import { BEGAN } from "./transaction.js";

/** What `postgres(…)` returned, beyond its types. */
export interface Sql {
    unsafe(text: string, args: unknown[], options: object): Query;
    typed(value: string | null, oid: number): unknown;
    readonly options?: {
        readonly max?: number;
        readonly transform?: Record<string, { readonly from?: unknown }>;
        readonly serializers?: Record<number, ((value: string) => unknown) | undefined>;
    };
}

/** A text that is sent when somebody waits for it, by its `handler`. */
export interface Query extends Promise<Rows> {
    raw(): Query;
    describe(): Query;
    readonly options: { prepare: boolean };
    handler: (query: Query) => unknown;
    readonly canceller?: ((query: Query) => Promise<void>) | null;
}

/** Rows of bytes, with what the server said of them. */
export interface Rows extends Array<(Uint8Array | null)[]> {
    readonly columns?: readonly Column[] | null;
    readonly command: string;
    readonly count: number | null;
    /** Of the connection: the same object for all of its life, in which these change when it connects again. */
    readonly state: { readonly pid: number; readonly secret: number };
}

interface Column {
    readonly name: string;
    readonly type: number;
    readonly parser?: ((text: string) => unknown) & { readonly array?: boolean };
}

/** A place in the driver's pool. Where the server closed it, the driver connects it again for whoever is next. */
interface Connection {
    /** Sends a text. */
    execute(query: Query): unknown;
    /** Closes it; the pool makes another in its place. */
    terminate(): void;
    /** The queue of the pool that it is in. */
    queue: { remove(connection: Connection): unknown };
    /**
     * Called whenever the server is ready, in place of giving the connection to the next. Without `release`, a server that is ready and
     * in no transaction ends that, and the connection goes back. The driver clears it when the connection is closed.
     */
    reserved: (((this: void) => void) & { release?: boolean }) | null;
}

/** In place of a queue of the pool, where nobody finds it. */
const NOWHERE = { remove: () => null };
const NOTHING = "SELECT 1";
/** Every text as the unnamed statement of the extended protocol. */
export const EXTENDED = { prepare: false, simple: false };
/** What the server closes a connection with. */
const ENDED = ["57P01", "57P02", "57P04", "57P05", "25P03", "25P04"];
const IN_FAILED_TRANSACTION = "25P02";
/** How often a busy driver may answer without a word on which connection. */
const ATTEMPTS = 100;
/** What physical connections are known by. */
const KNOWN = new WeakMap<Connection, Rows["state"]>();

export class Hold {
    readonly #sql: Sql;
    readonly #connection: Connection;
    readonly #keep: () => void;
    #last = false;
    #closed = false;
    #identity: object = this;

    private constructor(sql: Sql, connection: Connection) {
        this.#sql = sql;
        this.#connection = connection;
        this.#keep = Object.assign(
            () => {
                connection.queue.remove(connection);
                connection.queue = NOWHERE;
            },
            { release: true },
        );
        connection.reserved = this.#keep;
    }

    /**
     * A connection of the pool, as soon as there is one.
     *
     * @throws {ArgumentError} a transaction is open on it, and it was closed; this is another version of the driver.
     */
    static async of(sql: Sql): Promise<Hold> {
        // A connection that was ended in the midst of a text keeps the error for whoever is next, who was not even sent.
        let stale = (sql.options?.max ?? 10) + 1;
        for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
            let hold: Hold | undefined;
            let again: Promise<Rows> | undefined;
            let missing = "";
            const onexecute = (connection: Connection) => {
                missing = missingOf(connection);
                if (missing === "") {
                    hold = new Hold(sql, connection);
                    again = hold.aimed(began(sql)).raw();
                    again.catch(() => undefined);
                }
                // False: nothing of anybody's is to be sent behind it.
                return missing !== "";
            };
            // Without parameters: with them `onexecute` is not asked.
            const [first, problem] = await settled(began(sql, { onexecute }).raw());
            const held = hold as Hold | undefined;
            if (held === undefined) {
                if (missing !== "") {
                    throw new ArgumentError(`this version of postgres.js has no ${missing}: use 3.4.9`);
                }
                if (problem !== undefined && !(ENDED.includes(String(problem.code)) && stale > 0)) {
                    throw problem;
                }
                stale -= problem === undefined ? 0 : 1;
                continue;
            }
            const [second] = await settled(again as unknown as Promise<Rows>);
            // The last: where rows were on their way when a connection broke, it goes on counting from there.
            const [one, other] = [first?.at(-1)?.[0], second?.at(-1)?.[0]];
            // Each has a transaction of its own, and a time of its own, unless one is open.
            if (first !== undefined && one && other && Buffer.compare(one, other) !== 0) {
                held.#identity = identityOf(held.#connection, first.state);
                return held;
            }
            const open = problem?.code === IN_FAILED_TRANSACTION || (one && other);
            await held.release(false);
            throw open
                ? new ArgumentError("a transaction is open on the connection: end it before it goes back to the pool")
                : (problem ?? new ConnectionError("the connection is closed"));
        }
        throw new ConnectionError("the pool does not say which connection it lends: it is too busy");
    }

    /** The same object for as long as the physical connection lives. */
    get identity(): object {
        return this.#identity;
    }

    /** The query, on this connection and no other. */
    aimed(query: Query): Query {
        query.handler = (one) => this.#connection.execute(one);
        return query;
    }

    /** The next text ends the transaction: where the server is idle then, the driver gives the connection to the next. */
    last(): void {
        this.#last = true;
        Object.assign(this.#keep, { release: false });
    }

    status(): ExecutorStatus {
        if (this.#closed) {
            return "closed";
        }
        const held = this.#connection.reserved === this.#keep;
        return held ? "hidden" : this.#last ? "idle" : "closed";
    }

    /** It is not to be used again: the driver closes it, and connects another in its place. */
    close(): void {
        if (this.status() === "hidden") {
            this.#connection.terminate();
        }
        this.#closed = true;
    }

    /** Gives it back, which has happened where its last text left it idle. */
    async release(clean: boolean): Promise<void> {
        if (clean && !this.#last && this.status() === "hidden") {
            this.last();
            try {
                await this.aimed(this.#sql.unsafe(NOTHING, [], { ...EXTENDED }));
            } catch {
                // It stays held then.
            }
        }
        if (this.status() === "hidden") {
            this.close();
        }
    }
}

function began(sql: Sql, more: object = {}): Query {
    return sql.unsafe(BEGAN, [], { ...EXTENDED, ...more });
}

async function settled(rows: Promise<Rows>): Promise<[Rows | undefined, { readonly code?: unknown } | undefined]> {
    try {
        return [await rows, undefined];
    } catch (problem) {
        return [undefined, problem as { readonly code?: unknown }];
    }
}

/** What the connection lacks of what is used; nothing where all is there. */
function missingOf(connection: Connection): string {
    const { execute, terminate, queue } = connection;
    const methods = { execute, terminate, "queue.remove": queue?.remove };
    const [missing] = Object.entries(methods).find(([, one]) => typeof one !== "function") ?? [];
    return missing === undefined ? "" : `\`connection.${missing}\``;
}

function identityOf(connection: Connection, { pid, secret }: Rows["state"]): object {
    const known = KNOWN.get(connection);
    if (known?.pid === pid && known.secret === secret) {
        return known;
    }
    const fresh = { pid, secret };
    KNOWN.set(connection, fresh);
    return fresh;
}
