/** What a guard returns. There is no way to it but a statement that ran, so that rows of a denial cannot be read. */

import type { Answer, ExecutorColumn } from "./executor.js";
import type { AllowedVerdict, Verdict } from "./verdict.js";

/** Rows of a statement in its caller's own transaction. Nothing was pinned, so there is no receipt. */
export interface GuardedRows {
    /** The statement ran. */
    readonly allowed: true;
    /** Columns by place: name, and number of the type. */
    readonly columns: readonly ExecutorColumn[];
    /** The driver's own values, by place. */
    readonly rows: readonly (readonly unknown[])[];
    /** PostgreSQL's text of each value, or `null`. */
    readonly texts: readonly (readonly (string | null)[])[];
    /** Rows of a read; rows that a write touched. */
    readonly rowCount: number;
    /** There were more than the policy's `max_rows` or `max_result_bytes`. */
    readonly truncated: boolean;
    /** Why it could run. */
    readonly verdict: AllowedVerdict;
}

/** Rows of a statement in a guard's transaction, with their receipt. */
export interface GuardedResult extends GuardedRows {
    /** Proof of the run (docs/receipts.md). */
    readonly receipt: Receipt;
}

/** What came instead of a result: nothing was sent, and there are no rows. */
export interface Refusal {
    /** The statement did not run. */
    readonly allowed: false;
    /** Why. Allowed where the policy is in shadow mode and the text cannot run. */
    readonly verdict: Verdict;
    /** The verdict for a language model. */
    forAgent(): string;
}

/** The receipt of a run. */
export interface Receipt {
    /** Its exact JSON: store and send this. */
    readonly json: string;
    /** The digest of columns and rows, the same from every language. */
    readonly resultSha256: string;
    /** All of it. */
    readonly fields: ReceiptFields;
    /** The fields, so that `JSON.stringify(receipt)` is the receipt's JSON. */
    toJSON(): ReceiptFields;
}

/** The fields of a receipt, by the names that they have in its JSON (docs/receipts.md). */
export interface ReceiptFields {
    readonly receipt_version: number;
    readonly haltsql_version: string;
    readonly profiles_sha256: string;
    readonly sql: string;
    readonly sql_sha256: string;
    readonly fingerprint: string;
    readonly policy: { readonly name: string; readonly version: string; readonly search_path: readonly string[] };
    readonly context_sha256: string;
    readonly seal: "signed" | "login" | "bare" | "none";
    readonly role: string;
    readonly row_count: number;
    readonly truncated: boolean;
    readonly columns: readonly { readonly name: string; readonly type: string }[];
    readonly rows: readonly (readonly (string | null)[])[];
    readonly result_sha256: string;
    readonly started_at: string;
    readonly elapsed_us: number;
    readonly verdict: unknown;
    readonly signature?: { readonly algorithm: string; readonly public_key: string; readonly value: string };
}

/** A receipt over the JSON that the native addon made. */
export function receiptOf(json: string): Receipt {
    const read = (): ReceiptFields => JSON.parse(json) as ReceiptFields;
    return Object.freeze({
        json,
        get resultSha256() {
            return read().result_sha256;
        },
        get fields() {
            return read();
        },
        toJSON: read,
    });
}

/** The rows that the caller gets of an answer. */
export function rowsOf(
    verdict: Verdict,
    answer: Answer,
    kept: number,
    rowCount: number,
    truncated: boolean,
): GuardedRows {
    const texts = answer.texts.slice(0, kept);
    let own: unknown[][] | undefined;
    return {
        allowed: true,
        columns: answer.columns,
        // When they are asked for: what a value cannot be made of does not take the rest, and the transaction, with it.
        get rows() {
            own ??= texts.map((row) => row.map((text, at) => (text === null ? null : answer.value(text, at))));
            return own;
        },
        texts,
        rowCount,
        truncated,
        verdict: verdict as AllowedVerdict,
    };
}
