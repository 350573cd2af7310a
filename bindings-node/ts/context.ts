/**
 * The JSON of a context.
 *
 * Receives an object, a Map or JSON, returns JSON. Must never convert a value: a number goes on as a number, and the verdict is a
 * denial, because `String(5)` under a key of type text would be a guess. What JSON cannot hold is an error here.
 */

import { isMap, isSet } from "node:util/types";

import { ArgumentError, ContextError, EncodingError } from "./errors.js";
import { kindOf, type Text, textOf } from "./text.js";

/** The values of one key: one string, or a set of them. */
export type ContextValue = string | readonly string[] | ReadonlySet<string>;

/** Who is asking: keys with one string or a set of strings, or the JSON of such an object. */
export type Context = { readonly [key: string]: ContextValue } | ReadonlyMap<string, ContextValue> | Text;

/** Deeper, nothing is read: no context that can be used has more than two levels. */
const DEEPEST = 32;

/**
 * The context as JSON. A key whose value is `undefined` is absent, as for `JSON.stringify`.
 *
 * @throws {ArgumentError} it is nothing that could be a context.
 * @throws {ContextError} a value has no form in JSON.
 * @throws {EncodingError} a text holds half of a surrogate pair.
 */
export function jsonOf(context: unknown): Text {
    if (isMap(context)) {
        return objectOf([...context], 0);
    }
    if (isObject(context)) {
        return objectOf(Object.entries(context), 0);
    }
    if (typeof context === "string" || ArrayBuffer.isView(context)) {
        return textOf("the context", context);
    }
    throw new ArgumentError(`the context is \`${kindOf(context)}\`: give an object, a Map, or JSON`);
}

function isObject(value: unknown): value is object {
    return kindOf(value) === "Object";
}

function objectOf(entries: readonly (readonly [unknown, unknown])[], depth: number): string {
    const members: string[] = [];
    for (const [key, value] of entries) {
        if (typeof key !== "string") {
            throw new ContextError(`a key of the context is \`${kindOf(key)}\` and not a string`);
        }
        if (value !== undefined) {
            members.push(`${quoted(key)}:${written(value, depth + 1)}`);
        }
    }
    return `{${members.join(",")}}`;
}

function written(value: unknown, depth: number): string {
    if (typeof value === "string") {
        return quoted(value);
    }
    if (value === null || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) {
        return String(value);
    }
    if (depth > DEEPEST) {
        throw new ContextError("a value of the context is nested too deeply");
    }
    if (Array.isArray(value) || isSet(value)) {
        return `[${Array.from(value, (one: unknown) => written(one, depth + 1)).join(",")}]`;
    }
    if (isObject(value)) {
        return objectOf(Object.entries(value), depth);
    }
    throw new ContextError(
        `a value of the context is \`${kindOf(value)}\`: give a string, as in String(value), or an array of strings`,
    );
}

function quoted(text: string): string {
    // JSON.stringify would write half of a pair as an escape, which is no error yet.
    if (!text.isWellFormed()) {
        throw new EncodingError("the context holds half of a surrogate pair, so that no bytes are exactly its text");
    }
    return JSON.stringify(text);
}
