/**
 * HaltSQL decides, before anything is sent to PostgreSQL, whether an exact SQL text may run.
 *
 * ```ts
 * const policy = Policy.fromFile("policy.yaml");
 * const verdict = policy.check("SELECT name FROM customers WHERE tenant_id = $1", { tenant_id: "acme" });
 * if (verdict.allowed) {
 *     // run exactly this text, and bind every entry of verdict.bindParams
 * } else {
 *     // give verdict.forAgent() back to the agent
 * }
 * ```
 *
 * Every error is a {@link HaltSQLError}, means that no check happened, and is to be treated as a denial.
 */

import { native } from "./load.js";

export type { AbortSignalLike } from "./abort.js";
export {
    Caller,
    type CheckAsyncOptions,
    type CheckManyAsyncOptions,
    type CheckManyOptions,
} from "./caller.js";
export { REASON_CODES, type ReasonCode } from "./codes.js";
export type { Context, ContextValue } from "./context.js";
export {
    ArgumentError,
    ClosedError,
    ConnectionError,
    ContextError,
    DatabaseError,
    DeniedError,
    EncodingError,
    type ErrorCode,
    HaltSQLError,
    InternalError,
    PolicyError,
    type Problem,
    SealError,
    VerdictError,
    VersionError,
} from "./errors.js";
export type {
    Answer,
    Executor,
    ExecutorColumn,
    ExecutorParam,
    ExecutorStatus,
    SpeltError,
} from "./executor.js";
export { Guard, type GuardOptions, type VerdictMeta } from "./guard.js";
export { type DocumentFormat, type LoadOptions, type LoadStringOptions, Policy } from "./policy.js";
export type { GuardedResult, GuardedRows, Receipt, ReceiptFields, Refusal } from "./result.js";
export { type Text, utf16Offset } from "./text.js";
export {
    type GuardedTransaction,
    runStatement,
    runTransaction,
    type StatementOptions,
    type TransactionOptions,
} from "./transaction.js";
export {
    type AllowedVerdict,
    type Bind,
    type BindParam,
    type CommonVerdict,
    type DeniedVerdict,
    type PolicyRef,
    type Reason,
    type StatementKind,
    Verdict,
    type VerdictClass,
} from "./verdict.js";
export { VERSION } from "./version.js";

/** The version of the PostgreSQL whose parser reads the SQL. */
export const POSTGRES_VERSION: string = native.POSTGRES_VERSION;
