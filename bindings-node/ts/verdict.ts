/** The verdict: what HaltSQL decided about a text, a policy and a context (docs/verdict.md). */

import { inspect } from "node:util";

import type { ReasonCode } from "./codes.js";
import { ArgumentError, fromNative, VerdictError } from "./errors.js";
import { native } from "./load.js";
import { type Parts, read } from "./parts.js";
import { type Text, textOf } from "./text.js";

/** The kinds of statement that can be allowed. */
export type StatementKind = "select" | "insert" | "update" | "delete";

/** One reason why a text was denied. */
export interface Reason {
    /** Stable: programs match on it alone. */
    readonly code: ReasonCode;
    /** What is wrong, in one line. */
    readonly message: string;
    /** The rule that found it, such as `tenancy.predicate`. */
    readonly rule: string;
    /** Where in the SQL: the offset in bytes of its UTF-8, from 0. `utf16Offset(sql, loc)` gives the index into the string. */
    readonly loc?: number;
    /** One instruction that mends it. */
    readonly hint?: string;
}

/** Which policy a verdict was made under. */
export interface PolicyRef {
    /** The policy's `metadata.name`. */
    readonly name: string;
    /** `sha256:` and the digest of the normalised policy. */
    readonly version: string;
    /** The schemas that names were looked up in. The verdict holds only in a session that has this `search_path`. */
    readonly searchPath: readonly string[];
}

/** What has to be bound to one parameter of an allowed text. */
export interface Bind<Value, Type> {
    /** The `n` of `$n`. */
    readonly param: number;
    /** One string; an array where the comparison is `= ANY($n)`. */
    readonly value: Value;
    /** The type to declare to PostgreSQL, where the driver can. */
    readonly type: Type;
}

/** One of them: `type` tells what `value` is. */
export type BindParam =
    | Bind<string, "text">
    | Bind<string, "uuid">
    | Bind<string, "integer">
    | Bind<readonly string[], "text[]">
    | Bind<readonly string[], "uuid[]">
    | Bind<readonly string[], "integer[]">;

/** What every verdict has. */
export interface CommonVerdict {
    /** The exact JSON, as every language spells it. */
    readonly json: string;
    /** The policy that it was made under. */
    readonly policy: PolicyRef;
    /** The kind of the statement; `null` where it is no single statement of these kinds. */
    readonly statementKind: StatementKind | null;
    /** Listed relations that are read or written, `schema.table`, sorted bytewise. Can be partial when denied. */
    readonly tables: readonly string[];
    /** Listed columns that are read, `schema.table.column`, sorted bytewise. Can be partial when denied. */
    readonly columns: readonly string[];
    /** Equal for texts that differ only in literals; `null` where the SQL did not parse. */
    readonly fingerprint: string | null;
    /** SHA-256 of the exact bytes, in lower-case hex. */
    readonly sqlSha256: string;
    /** Microseconds spent verifying: the only field that differs from run to run. */
    readonly elapsedUs: number;

    /**
     * The verdict for a language model: reasons, their repairs, and the SQL with the places marked.
     *
     * @param sql - The text that the verdict was given for; needed only where the verdict does not have it.
     * @throws {VerdictError} the verdict was given for another text, or by a version with other codes.
     * @throws {ArgumentError} there is no text.
     */
    forAgent(sql?: Text): string;
    /** The fields as in the JSON, so that `JSON.stringify(verdict)` is the verdict's JSON. */
    toJSON(): unknown;
}

/** The caller may run this exact text. In shadow mode every verdict is one: a shadow verdict protects nothing. */
export interface AllowedVerdict extends CommonVerdict {
    /** It may run. */
    readonly allowed: true;
    /** None. */
    readonly reasons: readonly [];
    /** Shadow mode only: what enforce mode would have had as `reasons`. */
    readonly shadowReasons: readonly Reason[];
    /** What to bind to each `$n`, by ascending number. Every entry has to be bound. */
    readonly bindParams: readonly BindParam[];
}

/** The caller may not run this text. */
export interface DeniedVerdict extends CommonVerdict {
    /** It may not run. */
    readonly allowed: false;
    /** Why, all of it, in the order of the text. */
    readonly reasons: readonly [Reason, ...Reason[]];
    /** None: this is no verdict of shadow mode. */
    readonly shadowReasons: readonly [];
    /** Nothing is to be bound. */
    readonly bindParams: readonly [];
}

/** What was decided, frozen. `allowed` tells the two apart; a verdict itself is always truthy. */
export type Verdict = AllowedVerdict | DeniedVerdict;

/** The class of verdicts, for `instanceof`. They come from `Policy.check` or `Verdict.fromJson`. */
export type VerdictClass = (abstract new (
    ours: never,
) => Verdict) & {
    readonly prototype: Verdict;

    /**
     * A verdict that was spelt as JSON, perhaps elsewhere.
     *
     * @param json - Its JSON, exactly as `verdict.json` has it.
     * @param sql - The text that it was given for, if `forAgent` is to show it.
     * @throws {VerdictError} this is not the JSON of a verdict.
     */
    fromJson(json: Text, sql?: Text): Verdict;
};

/** Who may make one. */
const OURS = Symbol("haltsql");

class Made {
    // Properties of its own, so that a comparison, a spread or a structured clone has what matters.
    readonly allowed: boolean;
    readonly json: string;
    readonly #sql: Text | undefined;
    #parts: Parts | undefined;

    constructor(ours: symbol, json: string, sql: Text | undefined) {
        if (ours !== OURS) {
            throw new ArgumentError("a verdict comes from `Policy.check` or `Verdict.fromJson`");
        }
        // The first field of the one spelling that there is (docs/verdict.md); whatever else begins so is no verdict.
        if (json.startsWith('{"allowed":true,')) {
            this.allowed = true;
        } else if (json.startsWith('{"allowed":false,')) {
            this.allowed = false;
        } else {
            throw new VerdictError("this is not the JSON of a verdict");
        }
        this.json = json;
        this.#sql = sql;
        Object.freeze(this);
    }

    static fromJson(json: Text, sql?: Text): Verdict {
        const spelt = textOf("the verdict", json);
        const text = sql === undefined ? undefined : textOf("the SQL", sql);
        let decoded: string;
        try {
            decoded =
                typeof spelt === "string"
                    ? spelt
                    : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(spelt);
        } catch {
            throw new VerdictError("this is not the JSON of a verdict");
        }
        const verdict = new Made(OURS, decoded, text);
        verdict.#read();
        return verdict as unknown as Verdict;
    }

    get reasons(): readonly Reason[] {
        return this.#read().reasons;
    }

    get shadowReasons(): readonly Reason[] {
        return this.#read().shadowReasons;
    }

    get policy(): PolicyRef {
        return this.#read().policy;
    }

    get statementKind(): StatementKind | null {
        return this.#read().statementKind;
    }

    get tables(): readonly string[] {
        return this.#read().tables;
    }

    get columns(): readonly string[] {
        return this.#read().columns;
    }

    get bindParams(): readonly BindParam[] {
        return this.#read().bindParams;
    }

    get fingerprint(): string | null {
        return this.#read().fingerprint;
    }

    get sqlSha256(): string {
        return this.#read().sqlSha256;
    }

    get elapsedUs(): number {
        return this.#read().elapsedUs;
    }

    forAgent(sql?: Text): string {
        const text = sql === undefined ? this.#sql : textOf("the SQL", sql);
        if (text === undefined) {
            throw new ArgumentError("this verdict came without its text: give `forAgent` the SQL");
        }
        try {
            return native.forAgent(this.json, text);
        } catch (problem) {
            throw fromNative(problem);
        }
    }

    toJSON(): unknown {
        return JSON.parse(this.json);
    }

    /** Codes alone: messages quote the SQL, and what is inspected ends up in logs. */
    [inspect.custom](_depth: number, options: object): string {
        const reasons = this.reasons.length > 0 ? this.reasons : this.shadowReasons;
        const shown = {
            allowed: this.allowed,
            codes: reasons.map((reason) => reason.code),
            policy: this.policy.name,
            sqlSha256: `${this.sqlSha256.slice(0, 12)}…`,
        };
        return `Verdict ${inspect(shown, options)}`;
    }

    #read(): Parts {
        this.#parts ??= read(this.json, this.allowed);
        return this.#parts;
    }
}
Object.defineProperty(Made, "name", { value: "Verdict" });

/** The class of verdicts: {@link VerdictClass}. */
export const Verdict = Made as unknown as VerdictClass;

/** A verdict over JSON that the native addon made. */
export function verdictOf(json: string, sql: Text): Verdict {
    return new Made(OURS, json, sql) as unknown as Verdict;
}
