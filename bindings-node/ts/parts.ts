/**
 * The fields of a verdict, from its JSON.
 *
 * Receives JSON that may come from anywhere, returns what the types of `verdict.ts` promise, frozen, or throws a
 * {@link VerdictError}. Fields that a newer version added are left aside.
 */

import type { ReasonCode } from "./codes.js";
import { VerdictError } from "./errors.js";
import type { BindParam, PolicyRef, Reason, StatementKind } from "./verdict.js";

/** Everything but `allowed` and the JSON itself. */
export interface Parts {
    readonly reasons: readonly Reason[];
    readonly shadowReasons: readonly Reason[];
    readonly policy: PolicyRef;
    readonly statementKind: StatementKind | null;
    readonly tables: readonly string[];
    readonly columns: readonly string[];
    readonly bindParams: readonly BindParam[];
    readonly fingerprint: string | null;
    readonly sqlSha256: string;
    readonly elapsedUs: number;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields.
 *
 * @param allowed - What the JSON begins with.
 * @throws {VerdictError} this is not the JSON of a verdict, or says two things about `allowed`.
 */
export function read(json: string, allowed: boolean): Parts {
    let spelt: unknown;
    try {
        spelt = JSON.parse(json);
    } catch {
        throw noVerdict();
    }
    const fields = objectOf(spelt);
    const policy = objectOf(fields.policy);
    const parts: Parts = {
        reasons: listOf(fields.reasons, reasonOf),
        shadowReasons: listOf(fields.shadow_reasons, reasonOf),
        policy: Object.freeze({
            name: stringOf(policy.name),
            version: stringOf(policy.version),
            searchPath: listOf(policy.search_path, stringOf),
        }),
        statementKind: orNull(fields.statement_kind, stringOf) as StatementKind | null,
        tables: listOf(fields.tables, stringOf),
        columns: listOf(fields.columns, stringOf),
        bindParams: listOf(fields.bind_params, bindParamOf),
        fingerprint: orNull(fields.fingerprint, stringOf),
        sqlSha256: stringOf(fields.sql_sha256),
        elapsedUs: countOf(fields.elapsed_us),
    };
    const denials = parts.reasons.length;
    const fits = allowed ? denials === 0 : denials > 0 && parts.shadowReasons.length + parts.bindParams.length === 0;
    if (fields.allowed !== allowed || !fits) {
        throw noVerdict();
    }
    return parts;
}

function reasonOf(value: unknown): Reason {
    const spelt = objectOf(value);
    return Object.freeze({
        code: stringOf(spelt.code) as ReasonCode,
        message: stringOf(spelt.message),
        rule: stringOf(spelt.rule),
        ...(spelt.loc === undefined ? {} : { loc: countOf(spelt.loc) }),
        ...(spelt.hint === undefined ? {} : { hint: stringOf(spelt.hint) }),
    });
}

function bindParamOf(value: unknown): BindParam {
    const spelt = objectOf(value);
    const [param, type] = [countOf(spelt.param), stringOf(spelt.type)];
    const many = Array.isArray(spelt.value);
    if (many !== type.endsWith("[]")) {
        throw noVerdict();
    }
    return Object.freeze({
        param,
        value: many ? listOf(spelt.value, stringOf) : stringOf(spelt.value),
        type,
    }) as BindParam;
}

function objectOf(value: unknown): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw noVerdict();
    }
    return value as Fields;
}

function listOf<T>(value: unknown, read: (value: unknown) => T): readonly T[] {
    if (!Array.isArray(value)) {
        throw noVerdict();
    }
    return Object.freeze(value.map((one: unknown) => read(one)));
}

function stringOf(value: unknown): string {
    if (typeof value !== "string") {
        throw noVerdict();
    }
    return value;
}

function countOf(value: unknown): number {
    if (!Number.isSafeInteger(value) || (value as number) < 0) {
        throw noVerdict();
    }
    return value as number;
}

function orNull<T>(value: unknown, read: (value: unknown) => T): T | null {
    return value === null ? null : read(value);
}

function noVerdict(): VerdictError {
    return new VerdictError("this is not the JSON of a verdict");
}
