/**
 * A policy with the options and keys of one guard: what every guard has, whatever its driver.
 *
 * Receives SQL from anyone; decides with the core what may be sent, and what of an error may go on. Must never show a key.
 */

import { readFileSync } from "node:fs";
import { inspect } from "node:util";

import { type Context, jsonOf } from "./context.js";
import {
    ArgumentError,
    asked,
    ConnectionError,
    DatabaseError,
    DeniedError,
    HaltSQLError,
    SealError,
} from "./errors.js";
import type { Executor, ExecutorParam } from "./executor.js";
import { native } from "./load.js";
import type { NativeGuard, NativeSession, NativeStatement } from "./native.js";
import { Policy } from "./policy.js";
import { handed, kindOf, type Text, textOf } from "./text.js";
import { type Verdict, verdictOf } from "./verdict.js";

/** What the hook of an audit log is told beside the verdict. */
export interface VerdictMeta {
    /** The text that was judged. */
    readonly sql: Text;
    /** Whether the transaction may write. */
    readonly writable: boolean;
    /** The policy's name. */
    readonly policy: string;
}

/** What a guard is made with. */
export interface GuardOptions {
    /** The text of the key of signed pins; where none is given, it is read where the policy's `execution.pin_key` says. */
    readonly pinKey?: Text | undefined;
    /** Signs receipts: an Ed25519 key in PEM, or the 64 hex digits of its seed. */
    readonly receiptKey?: Text | undefined;
    /** Runs under a shadow policy too, which protects nothing. */
    readonly allowShadow?: boolean | undefined;
    /** Hands on the database's errors whole. They can quote rows and name hidden columns: for operators. */
    readonly showErrors?: boolean | undefined;
    /** Is told of every verdict before anything is sent; what it throws stops the statement. */
    readonly onVerdict?: ((verdict: Verdict, meta: VerdictMeta) => void) | undefined;
}

/** What is sent for a verified text. @internal */
export interface Run {
    readonly text: string;
    readonly gate: string | null;
    readonly command: string;
    readonly params: readonly ExecutorParam[];
}

/** A policy with the options and keys of one guard. Immutable; make one, and use it for every transaction. */
export class Guard {
    readonly #native: NativeGuard;
    readonly #options: GuardOptions;
    readonly #signsPins: boolean;
    /** The policy. */
    readonly policy: Policy;

    /**
     * A guard.
     *
     * @throws {ArgumentError} a key is none, or is not where the policy says.
     */
    constructor(policy: Policy, options: GuardOptions = {}) {
        if (!(policy instanceof Policy)) {
            throw new ArgumentError(`the policy is \`${kindOf(policy)}\`: give a Policy`);
        }
        const { pinKey, receiptKey, allowShadow, showErrors, onVerdict } = options;
        if (onVerdict !== undefined && typeof onVerdict !== "function") {
            throw new ArgumentError(`onVerdict is \`${kindOf(onVerdict)}\`: give a function`);
        }
        const loaded = Policy.native(policy);
        const place = JSON.parse(asked(() => loaded.pinKeyPlace())) as { env?: string; file?: string } | null;
        const pin = pinKey === undefined ? place && keyFrom(place) : textOf("the pin key", pinKey);
        const receipt = receiptKey === undefined ? undefined : textOf("the receipt key", receiptKey);
        const spelt = JSON.stringify({ allow_shadow: allowShadow === true, show_errors: showErrors === true });
        this.#native = asked(() => native.Guard.of(loaded, spelt, pin ?? undefined, receipt));
        this.#options = { showErrors, onVerdict };
        this.#signsPins = place !== null;
        this.policy = policy;
        Object.freeze(this);
    }

    /** The guard of a policy, with the options that guards have by themselves. @internal */
    static of(guard: Guard | Policy): Guard {
        if (guard instanceof Policy) {
            return new Guard(guard);
        }
        if (!(guard instanceof Guard)) {
            throw new ArgumentError(`the guard is \`${kindOf(guard)}\`: give a Guard or a Policy`);
        }
        return guard;
    }

    /** The pin names the database, which a connection is asked for. @internal */
    static signsPins(guard: Guard): boolean {
        return guard.#signsPins;
    }

    /** The database's errors go on whole. @internal */
    static showsErrors(guard: Guard): boolean {
        return guard.#options.showErrors === true;
    }

    /** The core's session. @internal */
    static session(guard: Guard, context: Context, writable: boolean): NativeSession {
        const json = jsonOf(context);
        return asked(() => guard.#native.session(json, JSON.stringify({ writable })));
    }

    /** The core's statement for a transaction of the caller's. @internal */
    static statement(guard: Guard, context: Context, writable: boolean, sql: Text): NativeStatement {
        const json = jsonOf(context);
        return asked(() => guard.#native.statement(json, JSON.stringify({ writable }), handed(sql)));
    }

    /** The verdict, and what to send. @throws {DeniedError} nothing. @internal */
    static judged(guard: Guard, statement: NativeStatement, sql: Text, writable: boolean): [Verdict, Run] {
        const verdict = verdictOf(
            asked(() => statement.verdict()),
            sql,
        );
        guard.#options.onVerdict?.(verdict, { sql, writable, policy: guard.policy.name });
        const run = JSON.parse(asked(() => statement.run())) as Run | null;
        if (run === null) {
            const reasons = verdict.reasons.length > 0 ? verdict.reasons : verdict.shadowReasons;
            const codes = reasons.map(({ code }) => code).join(", ");
            throw new DeniedError(`denied: ${codes || "it cannot be run"}`, { verdict });
        }
        return [verdict, run];
    }

    /** What goes on to the caller in place of an error: a database's, redacted; everything else as it is. @internal */
    static translated(guard: Guard, error: unknown, executor: Executor): unknown {
        const spelt = error instanceof HaltSQLError ? undefined : executor.spelt(error);
        if (spelt === undefined) {
            return error;
        }
        const cause = guard.#options.showErrors === true ? { cause: error } : {};
        if (spelt.sqlstate === "") {
            return new ConnectionError(spelt.message, cause);
        }
        const left = JSON.parse(asked(() => guard.#native.redact(JSON.stringify(spelt)))) as {
            kind: "database" | "seal";
            sqlstate: string;
            message: string;
            detail?: string;
            hint?: string;
        };
        const { kind, message, ...more } = left;
        return kind === "seal"
            ? new SealError(message)
            : new DatabaseError(`${message} (SQLSTATE ${more.sqlstate})`, { ...more, ...cause });
    }

    /** The policy. @internal */
    [inspect.custom](_depth: number, options: object): string {
        return `Guard of ${inspect(this.policy, options)}`;
    }
}

function keyFrom(place: { readonly env?: string; readonly file?: string }): Text {
    if (place.env !== undefined) {
        const value = process.env[place.env];
        if (value === undefined) {
            throw new ArgumentError(
                `the policy's pin key is to be in the environment variable \`${place.env}\`, which is not set`,
            );
        }
        return value;
    }
    try {
        return readFileSync(place.file ?? "");
    } catch (problem) {
        const why = (problem as NodeJS.ErrnoException).code ?? "it cannot be read";
        throw new ArgumentError(`the policy's pin key is to be in the file \`${place.file}\`: ${why}`);
    }
}
