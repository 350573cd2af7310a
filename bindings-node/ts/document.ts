/**
 * The JSON of a policy that was made as an object.
 *
 * Receives an object, returns JSON in which every line is short, because places in errors are those of the JSON. Must never let
 * `JSON.stringify` turn a value into another one: a `Date` into a string, `NaN` into null, a `Map` into `{}`.
 */

import { ArgumentError, PolicyError } from "./errors.js";
import { kindOf } from "./text.js";

/** Deeper, nothing is read: no policy has half as many levels. */
const DEEPEST = 64;

/**
 * The document. A key whose value is `undefined` is absent.
 *
 * @throws {PolicyError} a value has no form in a policy.
 */
export function documentOf(document: unknown): string {
    if (kindOf(document) !== "Object") {
        throw new ArgumentError(`the policy is \`${kindOf(document)}\`: give an object`);
    }
    return JSON.stringify(plain(document, 0), null, 1);
}

/** The value without anything that could have a form of its own, such as `toJSON`. */
function plain(value: unknown, depth: number): unknown {
    if (depth > DEEPEST) {
        throw noForm("it is nested too deeply");
    }
    if (Array.isArray(value)) {
        return Array.from(value, (one: unknown) => plain(one, depth + 1));
    }
    if (kindOf(value) === "Object") {
        const copy: Record<string, unknown> = Object.create(null);
        for (const [key, member] of Object.entries(value as object)) {
            if (member !== undefined) {
                copy[key] = plain(member, depth + 1);
            }
        }
        return copy;
    }
    if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value)) {
        return value;
    }
    throw noForm(typeof value === "number" ? `${value} is no whole number` : `a value is \`${kindOf(value)}\``);
}

function noForm(problem: string): PolicyError {
    return new PolicyError(`the policy has no form in JSON: ${problem}`);
}
