/** Texts that programs hand over: SQL, documents, JSON. */

import { isUint8Array } from "node:util/types";

import { ArgumentError, EncodingError } from "./errors.js";

/** SQL, or a document. A string stands for its UTF-8; bytes are taken as they are at the time of the call. */
export type Text = string | Uint8Array;

/**
 * The text, if it is one: bytes as a copy, so that the text that was checked is the text that is kept.
 *
 * @throws {ArgumentError} it is something else.
 */
export function textOf(what: string, value: unknown): Text {
    if (typeof value === "string") {
        return value;
    }
    if (isUint8Array(value)) {
        try {
            return new Uint8Array(value);
        } catch {
            throw new ArgumentError(`${what} is a Uint8Array whose buffer was handed to another thread`);
        }
    }
    throw new ArgumentError(`${what} is \`${kindOf(value)}\`: give a string or a Uint8Array`);
}

/** From this length on, and up to a third of the scratch memory, a string is handed over as bytes. */
const LONG = 512;
const SCRATCH = new Uint8Array(12_288);
const ENCODER = new TextEncoder();

/**
 * The text as the addon takes it fastest, for use at once. Node-API gives a string's UTF-8 in memory that is cleared first, and such
 * an allocation takes microseconds just after a check, whose many small ones have to be tidied up for it. What has no UTF-8 stays a
 * string: the addon refuses it.
 */
export function handed(text: Text): Text {
    if (typeof text !== "string" || text.length < LONG || text.length * 3 > SCRATCH.length || !text.isWellFormed()) {
        return text;
    }
    return SCRATCH.subarray(0, ENCODER.encodeInto(text, SCRATCH).written);
}

/** What kind of value it is, for messages. */
export function kindOf(value: unknown): string {
    return value !== null && typeof value === "object"
        ? Object.prototype.toString.call(value).slice("[object ".length, -1)
        : value === null
          ? "null"
          : typeof value;
}

/**
 * The index into a string for a place in its UTF-8: where `loc` of a reason points to in the SQL as JavaScript counts it.
 *
 * @param sql - The text that was checked. For bytes, the index is into what `TextDecoder` makes of them.
 * @param offset - A number of bytes, from 0 to the length of the text's UTF-8.
 * @returns A number of UTF-16 code units, for `sql.slice`, editors and the language server protocol.
 * @throws {ArgumentError} no character of the text begins or ends there.
 * @throws {EncodingError} the text has no UTF-8 up to there.
 */
export function utf16Offset(sql: Text, offset: number): number {
    const text = textOf("the SQL", sql);
    if (!Number.isSafeInteger(offset) || offset < 0) {
        throw new ArgumentError("the offset is a whole number of bytes, from 0");
    }
    if (typeof text !== "string") {
        return utf16LengthOf(text.subarray(0, offset), offset);
    }
    let bytes = 0;
    let at = 0;
    while (bytes < offset && at < text.length) {
        const point = text.codePointAt(at) as number;
        if (point >= 0xd800 && point <= 0xdfff) {
            throw new EncodingError("the SQL holds half of a surrogate pair, so that no bytes are exactly its text");
        }
        bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        at += point < 0x10000 ? 1 : 2;
    }
    if (bytes !== offset) {
        throw new ArgumentError("no character of the SQL begins at this offset");
    }
    return at;
}

function utf16LengthOf(head: Uint8Array, offset: number): number {
    if (head.length !== offset) {
        throw new ArgumentError("no character of the SQL begins at this offset");
    }
    try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(head).length;
    } catch {
        throw new EncodingError("the SQL is not UTF-8 up to this offset, or no character begins there");
    }
}
