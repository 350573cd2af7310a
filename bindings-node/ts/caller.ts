/// <reference lib="esnext.disposable" preserve="true" />
/** A policy and one caller's context, read once. */

import { inspect } from "node:util";

import { type AbortSignalLike, unlessAborted } from "./abort.js";
import { ArgumentError, asked, fromNative } from "./errors.js";
import { native } from "./load.js";
import type { NativeCaller, NativeStop } from "./native.js";
import type { Policy } from "./policy.js";
import { handed, kindOf, type Text, textOf } from "./text.js";
import { type Verdict, verdictOf } from "./verdict.js";

/** How a check off the event loop is made. */
export interface CheckAsyncOptions {
    /** Ends the wait: the promise is rejected with `signal.reason`, and what has not begun does not begin. */
    readonly signal?: AbortSignalLike | undefined;
}

/** How many texts are checked. */
export interface CheckManyOptions {
    /** How many threads check at the same time, at least 1: one without it. The others than this one end before the answer. */
    readonly threads?: number | undefined;
}

/** How many texts are checked off the event loop. */
export interface CheckManyAsyncOptions extends CheckAsyncOptions, CheckManyOptions {}

/** Texts, a thread, between two turns of the event loop: some milliseconds of work. */
const TEXTS_AT_ONCE = 256;
/** More threads than this help nobody, and would be made. */
const MOST_THREADS = 1024;
/** Who may make one. */
const OURS = Symbol("haltsql");

/** A policy with a context that was read once. Immutable, until it is closed; without that, it goes with the garbage. */
export class Caller {
    readonly #native: NativeCaller;
    readonly #policy: Policy;

    private constructor(ours: symbol, policy: Policy, prepared: NativeCaller) {
        if (ours !== OURS) {
            throw new ArgumentError("a caller comes from `Policy.forContext`");
        }
        this.#policy = policy;
        this.#native = prepared;
    }

    /** @internal */
    static of(policy: Policy, prepared: NativeCaller): Caller {
        return new Caller(OURS, policy, prepared);
    }

    /** The policy. */
    get policy(): Policy {
        return this.#policy;
    }

    /** The verdict on a text: `Policy.check`. */
    check(sql: Text): Verdict {
        const text = textOf("the SQL", sql);
        try {
            return verdictOf(this.#native.check(handed(text)), text);
        } catch (problem) {
            throw fromNative(problem);
        }
    }

    /**
     * The verdict on a text, made on a thread of Node's pool while the event loop turns.
     *
     * @returns A promise that is rejected with the errors of `Policy.check`; where the signal is aborted, with its reason.
     */
    async checkAsync(sql: Text, options?: CheckAsyncOptions): Promise<Verdict> {
        const text = textOf("the SQL", sql);
        const [verdict] = await this.#off([text], 1, options?.signal);
        return verdict as Verdict;
    }

    /**
     * The verdicts on many texts, in their order.
     *
     * @throws {ArgumentError} something is no text.
     * @throws {EncodingError} a string holds half of a surrogate pair.
     */
    checkMany(texts: Iterable<Text>, options?: CheckManyOptions): Verdict[] {
        const [listed, threads] = [listOf(texts), threadsOf(options?.threads)];
        return verdictsOf(
            asked(() => this.#native.checkMany(listed, threads)),
            listed,
        );
    }

    /**
     * The same on threads of Node's pool while the event loop turns.
     *
     * @returns A promise that is rejected with the errors of {@link Caller.checkMany}; where the signal is aborted, with its reason.
     */
    async checkManyAsync(texts: Iterable<Text>, options?: CheckManyAsyncOptions): Promise<Verdict[]> {
        const [listed, threads] = [listOf(texts), threadsOf(options?.threads)];
        return await this.#off(listed, threads, options?.signal);
    }

    async #off(texts: readonly Text[], threads: number, signal: AbortSignalLike | undefined): Promise<Verdict[]> {
        // A handle of its own, so that closing the caller meanwhile changes nothing for the rest of the texts.
        const held = asked(() => this.#native.again());
        try {
            const verdicts: Verdict[] = [];
            const step = TEXTS_AT_ONCE * threads;
            // One step for an empty list as well: an aborted signal is told even so.
            for (let at = 0; at === 0 || at < texts.length; at += step) {
                const some = texts.slice(at, at + step);
                const spelt = await answer(signal, (stop) => held.checkManyAsync(some, threads, stop));
                for (const verdict of verdictsOf(spelt, some)) {
                    verdicts.push(verdict);
                }
            }
            return verdicts;
        } finally {
            held.close();
        }
    }

    /** Gives the memory back now. Checks that have begun end as usual; closing twice is harmless. */
    close(): void {
        this.#native.close();
    }

    /** {@link Caller.close}, for `using`. */
    [Symbol.dispose](): void {
        this.close();
    }

    /** The policy. The context is not shown: what is inspected ends up in logs. @internal */
    [inspect.custom](_depth: number, options: object): string {
        return `Caller of ${inspect(this.#policy, options)}`;
    }
}

/** What the addon answers, or the signal's reason. */
async function answer(
    signal: AbortSignalLike | undefined,
    ask: (stop: NativeStop | undefined) => Promise<string[]>,
): Promise<string[]> {
    const asking = async (stop?: NativeStop) => {
        try {
            return await ask(stop);
        } catch (problem) {
            throw fromNative(problem);
        }
    };
    if (signal === undefined || signal === null) {
        return await asking();
    }
    if (typeof signal.addEventListener !== "function" || typeof signal.aborted !== "boolean") {
        throw new ArgumentError(`the signal is \`${kindOf(signal)}\`: give an AbortSignal`);
    }
    const stop = new native.Stop();
    return await unlessAborted(
        signal,
        () => asking(stop),
        () => stop.stop(),
    );
}

function verdictsOf(spelt: readonly string[], texts: readonly Text[]): Verdict[] {
    return spelt.map((json, at) => verdictOf(json, texts[at] as Text));
}

function listOf(texts: unknown): Text[] {
    const iterable = typeof texts === "object" && texts !== null && Symbol.iterator in texts;
    if (!iterable || ArrayBuffer.isView(texts)) {
        throw new ArgumentError("give a list of texts: for one text there is `check`");
    }
    return Array.from(texts as Iterable<unknown>, (text) => textOf("a text", text));
}

function threadsOf(threads: unknown = 1): number {
    if (!Number.isSafeInteger(threads) || (threads as number) < 1) {
        throw new ArgumentError(`threads is a whole number of at least 1, and not \`${kindOf(threads)}\``);
    }
    return Math.min(threads as number, MOST_THREADS);
}
