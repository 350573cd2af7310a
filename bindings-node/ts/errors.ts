/**
 * Why no check happened: one tree of errors below {@link HaltSQLError}.
 *
 * An error is never a verdict, and is to be treated as a denial. What a text of SQL does is never an error but a verdict.
 */

import type { Verdict } from "./verdict.js";

/** The stable name of each kind of error, the same in every language (docs/ffi.md). */
export type ErrorCode =
    | "internal"
    | "argument"
    | "policy"
    | "context"
    | "verdict"
    | "closed"
    | "version"
    | "encoding"
    | "seal"
    | "denied"
    | "database"
    | "connection";

/** One thing that is wrong with a policy document. */
export interface Problem {
    /** From 1. */
    readonly line: number;
    /** In characters (code points), from 1. */
    readonly column: number;
    /** In bytes of the document's UTF-8, from 0. */
    readonly offset: number;
    /** Where in the document, as in `spec.tables["app.orders"].columns[2]`; empty for syntax errors. */
    readonly path: string;
    /** What is wrong, in one line. */
    readonly message: string;
    /** How to repair it, where that is known. */
    readonly help?: string;
    /** The line of the document, cut where it is long. */
    readonly snippet: string;
}

/** No check happened. The root of every error of HaltSQL; treat it as a denial. */
export abstract class HaltSQLError extends Error {
    /** The stable name of the kind: match on this or on the class, never on the message. */
    abstract readonly code: ErrorCode;
    /** The number of the kind, the same in every language. */
    abstract readonly number: number;
    /** What is wrong with a policy, sorted by place; empty for every other kind. */
    readonly problems: readonly Problem[] = [];
}

/** A bug of HaltSQL. Please report it, without the SQL if that is confidential. */
export class InternalError extends HaltSQLError {
    readonly code = "internal";
    readonly number = 1;
}

/** A function was called in a way that its documentation rules out. */
export class ArgumentError extends HaltSQLError {
    readonly code = "argument";
    readonly number = 2;
}

/** The policy document is not valid. The message has every problem with its place, a snippet and the repair. */
export class PolicyError extends HaltSQLError {
    readonly code = "policy";
    readonly number = 3;
    /** Everything that is wrong, sorted by place. */
    override readonly problems: readonly Problem[];

    constructor(message: string, options?: ErrorOptions & { readonly problems?: readonly Problem[] }) {
        super(message, options);
        this.problems = options?.problems ?? [];
    }
}

/** The context is not a JSON object with unique keys, or nothing that could be one. */
export class ContextError extends HaltSQLError {
    readonly code = "context";
    readonly number = 4;
}

/** What was given as a verdict is none of this version, or was given for another text. */
export class VerdictError extends HaltSQLError {
    readonly code = "verdict";
    readonly number = 5;
}

/** The policy or the caller was closed. */
export class ClosedError extends HaltSQLError {
    readonly code = "closed";
    readonly number = 6;
}

/** The native addon cannot be loaded here, or is of another version than the package. */
export class VersionError extends HaltSQLError {
    readonly code = "version";
    readonly number = 7;
}

/** A string holds half of a surrogate pair, so that no bytes are exactly its text. */
export class EncodingError extends HaltSQLError {
    readonly code = "encoding";
    readonly number = 8;
}

/** Of guards: the session or the database is not what the policy describes. The connection is not to be used again. */
export class SealError extends HaltSQLError {
    readonly code = "seal";
    readonly number = 9;
}

/** A guard's verifier said no, or this transaction cannot run the text. Nothing was sent; the transaction stays usable. */
export class DeniedError extends HaltSQLError {
    readonly code = "denied";
    readonly number = 101;
    /** Why not; `undefined` only in an error that no guard threw. Allowed where the policy is in shadow mode and the text cannot run. */
    readonly verdict: Verdict | undefined;

    constructor(message: string, options?: ErrorOptions & { readonly verdict?: Verdict }) {
        super(message, options);
        // Not listed where the error is shown: messages of a verdict quote the SQL, and what is shown ends up in logs.
        Object.defineProperty(this, "verdict", { value: options?.verdict, enumerable: false });
    }

    /** The verdict for a language model: `verdict.forAgent()`. */
    forAgent(): string {
        return this.verdict === undefined ? this.message : this.verdict.forAgent();
    }
}

/** PostgreSQL's own error in a guard's transaction, without what could quote rows (docs/guards.md). It was rolled back. */
export class DatabaseError extends HaltSQLError {
    readonly code = "database";
    readonly number = 102;
    /** Five characters, from PostgreSQL's list. */
    readonly sqlstate: string;
    /** With `showErrors`, or where it quotes nothing. */
    readonly detail: string | undefined;
    /** With `showErrors`, or where it names nothing hidden. */
    readonly hint: string | undefined;

    constructor(
        message: string,
        options?: ErrorOptions & { readonly sqlstate?: string; readonly detail?: string; readonly hint?: string },
    ) {
        super(message, options);
        this.sqlstate = options?.sqlstate ?? "";
        this.detail = options?.detail;
        this.hint = options?.hint;
    }
}

/** A guard got no connection, or it broke. A write may have been committed where COMMIT was not answered. */
export class ConnectionError extends HaltSQLError {
    readonly code = "connection";
    readonly number = 103;
}

const KINDS = {
    InternalError,
    ArgumentError,
    PolicyError,
    ContextError,
    VerdictError,
    ClosedError,
    VersionError,
    EncodingError,
    SealError,
    DeniedError,
    DatabaseError,
    ConnectionError,
};
const BY_NUMBER = new Map<number, new (message: string) => HaltSQLError>();
for (const [name, kind] of Object.entries<new (message: string) => HaltSQLError>(KINDS)) {
    // On the prototype, as the language's own errors have it; not `constructor.name`, which a bundler may shorten.
    Object.defineProperty(kind.prototype, "name", { value: name, configurable: true, writable: true });
    BY_NUMBER.set(new kind("").number, kind);
}

/** What the message of an exception of the addon begins with that carries an error of ours (src/ours.rs). */
const MARK = "haltsql:";

/** The error for whatever the native addon threw: ours by its kind, anything else (a panic) as a bug. */
export function fromNative(thrown: unknown): HaltSQLError {
    const message = thrown instanceof Error ? thrown.message : "";
    if (!message.startsWith(MARK)) {
        // Without the addon's own message, and not as a cause: that of a panic can quote SQL.
        return new InternalError("no check happened: this is a bug of HaltSQL");
    }
    const spelt = JSON.parse(message.slice(MARK.length)) as {
        code: number;
        message: string;
        problems: Problem[];
    };
    if (spelt.code === 3) {
        return new PolicyError(spelt.message, {
            problems: Object.freeze(spelt.problems.map((one) => Object.freeze(one))),
        });
    }
    return new (BY_NUMBER.get(spelt.code) ?? InternalError)(spelt.message);
}

/** What the native addon answers. */
export function asked<T>(work: () => T): T {
    try {
        return work();
    } catch (problem) {
        throw fromNative(problem);
    }
}
