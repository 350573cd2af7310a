/**
 * The transaction of a guard: begin and pin, statements, and always an end (docs/guards.md).
 *
 * Receives SQL from anyone; sends what the core's session says through the executor of a driver. Must never send a text that the core
 * did not hand out for it, or give back a connection that is not clean.
 */

import { type AbortSignalLike, unlessAborted } from "./abort.js";
import type { Context } from "./context.js";
import { ArgumentError, asked, ConnectionError, DeniedError, SealError } from "./errors.js";
import type { Answer, Executor, ExecutorParam } from "./executor.js";
import { Guard, type Run } from "./guard.js";
import type { NativeSession, NativeStatement } from "./native.js";
import type { Policy } from "./policy.js";
import { type GuardedResult, type GuardedRows, type Refusal, receiptOf, rowsOf } from "./result.js";
import { handed, kindOf, type Text, textOf } from "./text.js";
import type { Verdict } from "./verdict.js";

/** How one statement is run in a transaction of the caller's. */
export interface StatementOptions {
    /** Cancels on the server; the promise is rejected with `signal.reason`. */
    readonly signal?: AbortSignalLike | undefined;
}

/** How a transaction is opened. */
export interface TransactionOptions extends StatementOptions {
    /** It may write, and commits where the work ends without an error. Without it everything is rolled back. */
    readonly writable?: boolean | undefined;
}

/** A transaction of a guard, for the time of the work. */
export interface GuardedTransaction {
    /**
     * Verifies a text and runs it. A denial leaves the transaction usable; every other error ends it, rolled back.
     *
     * @throws {DeniedError} the verdict said no, or this transaction cannot run it. Nothing was sent.
     * @throws {DatabaseError | SealError | ConnectionError | ArgumentError} docs/guards.md says when.
     */
    query(sql: Text): Promise<GuardedResult>;
    /** The same with a denial as a value, which has no rows: ask `allowed` before. */
    attempt(sql: Text): Promise<GuardedResult | Refusal>;
}

interface Steps {
    readonly begin: string;
    readonly hello: string;
    readonly commit: string;
    readonly rollback: string;
    readonly type_names: string;
    readonly max_rows: number;
    readonly max_result_bytes: number;
}

interface SealCheck {
    readonly begin: string;
    readonly pin: string;
    readonly sql: string;
    readonly params: readonly string[];
    readonly end: string;
}

const TEXT = 25;
/** When the connection's transaction began, as the pin says it. Outside a transaction: now. @internal */
export const BEGAN =
    "SELECT pg_catalog.to_char(pg_catalog.timezone('UTC', pg_catalog.transaction_timestamp()), 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";
/** What connections were found to be sealed for. */
const SEALED = new WeakMap<object, Set<string>>();

/**
 * Opens a transaction on a connection of any driver, and does the work in it.
 *
 * @param executor - Of a connection on which nothing has begun; used once.
 * @param guard - Or a policy, for a guard with no options.
 * @param context - Who is asking: from the login, never from the agent.
 * @returns What the work returns, after the transaction has ended.
 * @throws What the work throws, and the errors of {@link GuardedTransaction.query}.
 */
export async function runTransaction<T>(
    executor: Executor,
    guard: Guard | Policy,
    context: Context,
    work: (tx: GuardedTransaction) => Promise<T>,
    options: TransactionOptions = {},
): Promise<T> {
    if (typeof work !== "function") {
        throw new ArgumentError(`the work is \`${kindOf(work)}\`: give a function that takes the transaction`);
    }
    const flow = new Flow(executor, Guard.of(guard), context, options);
    const tx: GuardedTransaction = Object.freeze({
        query: (sql: Text) => flow.query(sql),
        async attempt(sql: Text) {
            try {
                return await flow.query(sql);
            } catch (error) {
                if (error instanceof DeniedError && error.verdict !== undefined) {
                    const verdict = error.verdict;
                    return Object.freeze({ allowed: false as const, verdict, forAgent: () => verdict.forAgent() });
                }
                throw error;
            }
        },
    });
    let done: T;
    try {
        done = await work(tx);
    } catch (error) {
        await flow.end(false);
        throw error;
    }
    await flow.end(true);
    return done;
}

/**
 * Verifies a text and runs it on a connection of any driver, in the caller's own transaction. Nothing is pinned: that `search_path` and
 * the other settings are what the policy says is the caller's to see to, and there is no receipt.
 *
 * @throws The errors of {@link GuardedTransaction.query}.
 */
export async function runStatement(
    executor: Executor,
    guard: Guard | Policy,
    context: Context,
    sql: Text,
    options: TransactionOptions = {},
): Promise<GuardedRows> {
    const [own, text, writable] = [Guard.of(guard), textOf("the SQL", sql), options.writable === true];
    const statement = Guard.statement(own, context, writable, text);
    const [verdict, run] = Guard.judged(own, statement, text, writable);
    const session = Guard.session(own, context, writable);
    const steps = JSON.parse(asked(() => session.steps())) as Steps;
    try {
        await executor.acquire();
        const answer = await cancelled(executor, options.signal, async () => {
            if (run.gate !== null) {
                await executor.parse(run.gate, run.params);
            }
            return await executor.run(run.text, run.params);
        });
        expectCommand(answer, run);
        const kept = keptOf(answer, steps);
        const count = run.gate === null ? kept : (countOf(answer.tag) ?? 0);
        return Object.freeze(rowsOf(verdict, answer, kept, count, kept < answer.texts.length));
    } catch (error) {
        throw options.signal?.aborted === true ? error : Guard.translated(own, error, executor);
    } finally {
        await executor.release(true);
    }
}

/** One transaction. Its statements wait for each other. */
class Flow {
    readonly #executor: Executor;
    readonly #guard: Guard;
    readonly #writable: boolean;
    readonly #signal: AbortSignalLike | undefined;
    readonly #session: NativeSession;
    readonly #steps: Steps;
    #last: Promise<unknown> = Promise.resolve();
    #pinned: { readonly role: string; readonly started_at: string } | undefined;
    #began = "";
    #wrote = false;
    #over = false;
    /** What ended it before its end: its writes are gone, which the work may have kept to itself. */
    #failure: unknown;

    constructor(executor: Executor, guard: Guard, context: Context, options: TransactionOptions) {
        this.#executor = executor;
        this.#guard = guard;
        this.#writable = options.writable === true;
        this.#signal = signalOf(options.signal);
        this.#session = Guard.session(guard, context, this.#writable);
        this.#steps = JSON.parse(asked(() => this.#session.steps())) as Steps;
    }

    query(sql: Text): Promise<GuardedResult> {
        return this.#next(() => this.#query(sql));
    }

    /** The end, after everything that was asked for. */
    end(commit: boolean): Promise<void> {
        return this.#next(() => this.#end(commit));
    }

    #next<T>(work: () => Promise<T>): Promise<T> {
        const next = this.#last.then(work);
        this.#last = next.catch(() => undefined);
        return next;
    }

    async #query(sql: Text): Promise<GuardedResult> {
        if (this.#over) {
            throw new ArgumentError("the transaction has ended: begin another");
        }
        const text = textOf("the SQL", sql);
        const statement = asked(() => this.#session.statement(handed(text)));
        const [verdict, run] = Guard.judged(this.#guard, statement, text, this.#writable);
        const executor = this.#executor;
        this.#over = true;
        const connection = this.#pinned === undefined ? await this.#acquired() : undefined;
        try {
            const result = await cancelled(executor, this.#signal, async () => {
                if (connection !== undefined) {
                    await this.#begin(connection);
                } else {
                    await this.#expectOpen();
                }
                const started = process.hrtime.bigint();
                if (run.gate !== null) {
                    await executor.parse(run.gate, run.params);
                }
                if (this.#signal?.aborted === true) {
                    throw this.#signal.reason;
                }
                const answer = await executor.run(run.text, run.params);
                const elapsed = Number((process.hrtime.bigint() - started) / 1000n);
                this.#expectStatus();
                expectCommand(answer, run);
                return await this.#result(statement, verdict, run, answer, elapsed);
            });
            this.#wrote ||= run.gate !== null;
            this.#over = false;
            return result;
        } catch (error) {
            this.#failure = await this.#rolledBack(error);
            throw this.#failure;
        }
    }

    /** Sends one text, unless nobody waits for it any more. */
    async #send(sent: string, params: readonly string[] = []): Promise<Answer> {
        if (this.#signal?.aborted === true) {
            throw this.#signal.reason;
        }
        return await this.#executor.run(sent, params.map(declared));
    }

    async #acquired(): Promise<object> {
        const executor = this.#executor;
        if (this.#signal === undefined) {
            try {
                return await executor.acquire();
            } catch (error) {
                throw Guard.translated(this.#guard, error, executor);
            }
        }
        let gone = false;
        const acquire = async () => {
            const connection = await executor.acquire();
            if (gone) {
                await executor.release(executor.status() !== "closed");
            }
            return connection;
        };
        try {
            return await unlessAborted(this.#signal, acquire, () => {
                gone = true;
            });
        } catch (error) {
            throw gone ? error : Guard.translated(this.#guard, error, executor);
        }
    }

    async #begin(connection: object): Promise<void> {
        await this.#expectSealed(connection);
        const hello = Guard.signsPins(this.#guard) ? await this.#send(this.#steps.hello) : undefined;
        await this.#send(this.#steps.begin);
        const input = { database: hello?.texts[0]?.[0] ?? "", now: Math.floor(Date.now() / 1000) };
        const pin = JSON.parse(asked(() => this.#session.pin(JSON.stringify(input)))) as {
            sql: string;
            params: string[];
        };
        const { texts } = await this.#send(pin.sql, pin.params);
        const row = texts.length === 1 ? texts[0] : [];
        this.#pinned = JSON.parse(asked(() => this.#session.readPin(JSON.stringify(row))));
        this.#began = row?.[2] ?? "";
        this.#expectStatus();
    }

    async #expectSealed(connection: object): Promise<void> {
        const spelt = asked(() => this.#session.sealCheck());
        const check = JSON.parse(spelt) as SealCheck | null;
        const sealed = SEALED.get(connection) ?? new Set();
        if (check === null || sealed.has(spelt)) {
            return;
        }
        await this.#send(check.begin);
        await this.#send(check.pin);
        const { texts } = await this.#send(check.sql, check.params);
        await this.#send(check.end);
        asked(() => this.#session.readSeal(JSON.stringify(texts)));
        SEALED.set(connection, sealed.add(spelt));
    }

    #expectStatus(): void {
        const status = this.#executor.status();
        if (status === "closed") {
            throw new ConnectionError("the connection is closed");
        }
        if (status !== "transaction" && status !== "hidden") {
            throw new SealError("the transaction was ended from inside");
        }
    }

    /** Before anything is sent into a transaction that was left alone for a while. */
    async #expectOpen(): Promise<void> {
        this.#expectStatus();
        if (this.#executor.status() === "hidden") {
            const { texts } = await this.#executor.run(BEGAN, []);
            if (texts[0]?.[0] !== this.#began) {
                throw new SealError("the transaction was ended from inside");
            }
        }
    }

    async #result(
        statement: NativeStatement,
        verdict: Verdict,
        run: Run,
        answer: Answer,
        elapsed: number,
    ): Promise<GuardedResult> {
        const execution: Record<string, unknown> = {
            ...this.#pinned,
            elapsed_us: elapsed,
            columns: answer.columns.map(({ name, oid }) => ({ name, oid })),
            rows: answer.texts,
            affected: run.gate === null ? null : (countOf(answer.tag) ?? 0),
        };
        let spelt = asked(() => statement.receipt(JSON.stringify(execution)));
        if (spelt.startsWith('{"unnamed_types":')) {
            const { unnamed_types } = JSON.parse(spelt) as { unnamed_types: string };
            const names = await this.#send(this.#steps.type_names, [unnamed_types]);
            execution.type_names = names.texts.map(([oid, schema, name]) => [Number(oid), schema, name]);
            spelt = asked(() => statement.receipt(JSON.stringify(execution)));
        }
        // The receipt is the last field, and its bytes are what is signed.
        const at = spelt.indexOf(',"receipt":');
        const told = JSON.parse(`${spelt.slice(0, at)}}`) as { rows: number; row_count: number; truncated: boolean };
        const receipt = receiptOf(spelt.slice(at + ',"receipt":'.length, -1));
        const rows = rowsOf(verdict, answer, told.rows, told.row_count, told.truncated);
        return Object.freeze(
            Object.defineProperty(rows, "receipt", { value: receipt, enumerable: true }),
        ) as GuardedResult;
    }

    async #end(commit: boolean): Promise<void> {
        const ended = this.#over || this.#pinned === undefined;
        this.#over = true;
        if (ended) {
            if (commit && this.#writable && this.#failure !== undefined) {
                throw this.#failure;
            }
            return;
        }
        const executor = this.#executor;
        const end = commit && this.#wrote ? "commit" : "rollback";
        try {
            if (end === "commit" && this.#signal?.aborted === true) {
                throw this.#signal.reason;
            }
            await this.#expectOpen();
            const { tag } = await executor.run(this.#steps[end], [], true);
            if (tag !== end.toUpperCase()) {
                throw new SealError(`${end.toUpperCase()} was answered by \`${tag}\`: nothing was written`);
            }
        } catch (error) {
            const told = await this.#rolledBack(error);
            if (commit) {
                throw told;
            }
            return;
        }
        await executor.release(true);
    }

    /** After an error: ROLLBACK, or close where even that fails or the session is not to be trusted. What to tell the caller. */
    async #rolledBack(error: unknown): Promise<unknown> {
        const executor = this.#executor;
        const aborted = this.#signal?.aborted === true && error === this.#signal.reason;
        const told = aborted ? error : Guard.translated(this.#guard, error, executor);
        let clean = !(told instanceof SealError || told instanceof ConnectionError);
        if (clean && executor.status() !== "idle") {
            try {
                await executor.run(this.#steps.rollback, [], true);
            } catch {
                clean = false;
            }
        }
        const status = executor.status();
        await executor.release(clean && (status === "idle" || status === "hidden"));
        return told;
    }
}

/** Does the work; a signal cancels it on the server. */
async function cancelled<T>(
    executor: Executor,
    given: AbortSignalLike | undefined,
    work: () => Promise<T>,
): Promise<T> {
    const signal = signalOf(given);
    if (signal === undefined) {
        return await work();
    }
    let cancelling: Promise<void> | undefined;
    let aborted = signal.aborted;
    const abort = () => {
        aborted = true;
        cancelling ??= executor.cancel();
    };
    if (aborted) {
        throw signal.reason;
    }
    signal.addEventListener("abort", abort);
    try {
        return await work();
    } finally {
        signal.removeEventListener("abort", abort);
        await cancelling;
        if (aborted) {
            // biome-ignore lint/correctness/noUnsafeFinally: whatever came of it, nobody waits for it any more
            throw signal.reason;
        }
    }
}

function signalOf(signal: AbortSignalLike | undefined): AbortSignalLike | undefined {
    if (signal === undefined || signal === null) {
        return undefined;
    }
    if (typeof signal.addEventListener !== "function" || typeof signal.aborted !== "boolean") {
        throw new ArgumentError(`the signal is \`${kindOf(signal)}\`: give an AbortSignal`);
    }
    return signal;
}

function expectCommand({ tag }: Answer, { command }: Run): void {
    if (tag !== command && !tag.startsWith(`${command} `)) {
        throw new SealError(`\`${tag.split(" ", 1)[0]}\` came back, and not ${command}`);
    }
}

function declared(value: string): ExecutorParam {
    return { value, oid: TEXT };
}

/** The number in a command tag. */
function countOf(tag: string): number | undefined {
    const last = tag.slice(tag.lastIndexOf(" ") + 1);
    return /^\d+$/.test(last) ? Number(last) : undefined;
}

/** How many rows are within the policy's caps. */
function keptOf({ texts }: Answer, { max_rows, max_result_bytes }: Steps): number {
    let left = max_result_bytes;
    const most = Math.min(max_rows, texts.length);
    for (let at = 0; at < most; at += 1) {
        for (const one of texts[at] ?? []) {
            left -= one === null ? 0 : Buffer.byteLength(one);
        }
        if (left < 0) {
            return at;
        }
    }
    return most;
}
