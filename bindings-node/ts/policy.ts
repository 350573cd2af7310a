/// <reference lib="esnext.disposable" preserve="true" />
/** A policy: everything that is asked of HaltSQL starts here. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";

import { Caller, type CheckAsyncOptions, type CheckManyAsyncOptions, type CheckManyOptions } from "./caller.js";
import { type Context, jsonOf } from "./context.js";
import { documentOf } from "./document.js";
import { ArgumentError, asked, fromNative } from "./errors.js";
import { native } from "./load.js";
import type { NativePolicy } from "./native.js";
import { handed, kindOf, type Text, textOf } from "./text.js";
import { type Verdict, verdictOf } from "./verdict.js";

/** `auto`: JSON where the name ends in `.json`, or where it has no such ending and the document begins with `{`. */
export type DocumentFormat = "auto" | "yaml" | "json";

/** How a document is read. */
export interface LoadOptions {
    /** Its language. */
    readonly format?: DocumentFormat | undefined;
}

/** How a document is read that comes without a file. */
export interface LoadStringOptions extends LoadOptions {
    /** Stands in errors, such as a path; its ending can decide the format. */
    readonly name?: string | undefined;
}

const FORMATS = new Map<unknown, number>([
    ["auto", 0],
    ["yaml", 1],
    ["json", 2],
]);
/** Who may make one. */
const OURS = Symbol("haltsql");

/** A loaded policy. Immutable, until it is closed; without that, it goes with the garbage. */
export class Policy {
    readonly #native: NativePolicy;

    private constructor(ours: symbol, loaded: NativePolicy) {
        if (ours !== OURS) {
            throw new ArgumentError(
                "a policy comes from `Policy.fromFile`, `Policy.fromString` or `Policy.fromObject`",
            );
        }
        this.#native = loaded;
    }

    /**
     * Reads and loads a document.
     *
     * @param path - A path, or a `file:` URL.
     * @throws the file system's own error, where the file cannot be read.
     * @throws {PolicyError} the document is not valid.
     */
    static fromFile(path: string | { readonly href: string }, options?: LoadOptions): Policy {
        const file = fileOf(path);
        return Policy.#load(readFileSync(file), file.toWellFormed(), options?.format);
    }

    /**
     * Loads a document from its text, in YAML or JSON (docs/policy.md).
     *
     * @throws {PolicyError} the document is not valid.
     */
    static fromString(document: Text, options?: LoadStringOptions): Policy {
        return Policy.#load(textOf("the policy", document), options?.name, options?.format);
    }

    /**
     * Loads a document that was read or made already: objects, arrays, strings, whole numbers and booleans.
     *
     * @throws {PolicyError} the document is not valid, or no document. Places are those of its JSON.
     */
    static fromObject(document: object, options?: { readonly name?: string | undefined }): Policy {
        return Policy.#load(documentOf(document), options?.name, "json");
    }

    static #load(document: Text, name: unknown = "", format: unknown = "auto"): Policy {
        const number = FORMATS.get(format);
        if (number === undefined) {
            throw new ArgumentError("format is one of `auto`, `yaml`, `json`");
        }
        if (typeof name !== "string") {
            throw new ArgumentError(`the policy's name is \`${kindOf(name)}\`: give a string`);
        }
        return new Policy(
            OURS,
            asked(() => native.Policy.load(document, number, name)),
        );
    }

    /** The policy's `metadata.name`. */
    get name(): string {
        return asked(() => this.#native.name());
    }

    /** `sha256:` and the digest of the normalised policy, as verdicts carry it: equal where nothing that decides differs. */
    get version(): string {
        return asked(() => this.#native.version());
    }

    /** Under `shadow` everything is allowed: such verdicts protect nothing. */
    get mode(): "enforce" | "shadow" {
        return asked(() => this.#native.mode());
    }

    /**
     * The verdict on a text, at once: tens of microseconds for what people write.
     *
     * @param sql - The exact text that is to run.
     * @param context - Who is asking: from the login, never from the agent.
     * @throws {ContextError} the context is not a JSON object with unique keys.
     * @throws {EncodingError} a string holds half of a surrogate pair.
     * @throws {ArgumentError} an argument is of another type.
     * @throws {ClosedError} the policy was closed.
     */
    check(sql: Text, context: Context): Verdict {
        const text = textOf("the SQL", sql);
        const json = jsonOf(context);
        try {
            return verdictOf(this.#native.check(handed(text), json), text);
        } catch (problem) {
            throw fromNative(problem);
        }
    }

    /** The verdict on a text, made off the event loop: {@link Caller.checkAsync}. */
    async checkAsync(sql: Text, context: Context, options?: CheckAsyncOptions): Promise<Verdict> {
        const caller = this.forContext(context);
        try {
            return await caller.checkAsync(sql, options);
        } finally {
            caller.close();
        }
    }

    /** The verdicts on many texts of one caller, in their order: {@link Caller.checkMany}. */
    checkMany(texts: Iterable<Text>, context: Context, options?: CheckManyOptions): Verdict[] {
        const caller = this.forContext(context);
        try {
            return caller.checkMany(texts, options);
        } finally {
            caller.close();
        }
    }

    /** The same, made off the event loop: {@link Caller.checkManyAsync}. */
    async checkManyAsync(texts: Iterable<Text>, context: Context, options?: CheckManyAsyncOptions): Promise<Verdict[]> {
        const caller = this.forContext(context);
        try {
            return await caller.checkManyAsync(texts, options);
        } finally {
            caller.close();
        }
    }

    /**
     * Reads a context once, for many checks.
     *
     * @returns A caller that stays open when the policy is closed.
     * @throws {ContextError | EncodingError | ArgumentError | ClosedError} as {@link Policy.check}.
     */
    forContext(context: Context): Caller {
        const json = jsonOf(context);
        return Caller.of(
            this,
            asked(() => this.#native.forContext(json)),
        );
    }

    /** What may be asked, as text for a prompt. */
    describe(): string {
        return asked(() => this.#native.describeText());
    }

    /** What may be asked, as one line of JSON (docs/policy.md). */
    describeJson(): string {
        return asked(() => this.#native.describeJson());
    }

    /** The value for `pg_catalog.set_config('search_path', …, true)` in the transaction that runs what was checked. */
    searchPathValue(): string {
        return asked(() => this.#native.searchPathValue());
    }

    /** @internal */
    static native(policy: Policy): NativePolicy {
        return policy.#native;
    }

    /** Gives the memory back now. Checks that have begun end as usual; closing twice is harmless. */
    close(): void {
        this.#native.close();
    }

    /** {@link Policy.close}, for `using`. */
    [Symbol.dispose](): void {
        this.close();
    }

    /** Name, mode and version. @internal */
    [inspect.custom](_depth: number, options: object): string {
        try {
            return `Policy ${inspect({ name: this.name, mode: this.mode, version: this.version }, options)}`;
        } catch {
            return "Policy (closed)";
        }
    }
}

function fileOf(path: unknown): string {
    if (typeof path === "string") {
        return path;
    }
    const href = (path as { href?: unknown } | null | undefined)?.href;
    if (typeof href !== "string" || !href.startsWith("file:")) {
        throw new ArgumentError("the path of a policy is a string or a `file:` URL");
    }
    return fileURLToPath(href);
}
