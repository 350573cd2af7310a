/** One tree of errors, in step with the list that every language shares; and no panic that gets out of it. */

import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { inspect } from "node:util";
import { HaltSQLError, REASON_CODES } from "@haltsql/core";
import { expect, test } from "vitest";

import { ALLOWED, addon, doctored, INSTALLED, KINDS, MARKER, POLICY_FILE, ROOT, ran } from "./support.js";

test("every error derives from one class, which is an Error", () => {
    expect(KINDS.length).toBe(12);
    expect(Object.getPrototypeOf(HaltSQLError)).toBe(Error);
    for (const kind of KINDS) {
        const error = new kind("a sentence", { cause: 5 });
        expect(error).toBeInstanceOf(HaltSQLError);
        expect(Object.getPrototypeOf(kind)).toBe(HaltSQLError);
        expect(error.name).toBe(kind.name);
        expect(String(error)).toBe(`${kind.name}: a sentence`);
        expect(error.stack).toContain(`${kind.name}: a sentence`);
        expect([error.cause, error.problems]).toEqual([5, []]);
        expect(inspect(error)).toContain(`code: '${error.code}'`);
    }
});

test("numbers and names are those of every language", () => {
    const table = readFileSync(join(ROOT, "docs", "ffi.md"), "utf8").matchAll(/^\| (\d+) \| (\w+) \|/gm);
    const expected = Object.fromEntries(Array.from(table, ([, number, name]) => [number, name]));
    // From 101 on they are of guards, which the boundary does not know.
    const all = KINDS.map((kind) => new kind(""));
    const own = all.filter(({ number }) => number < 100).map(({ number, code }) => [String(number), code]);
    expect(Object.fromEntries(own)).toEqual(expected);
    expect(own.length).toBe(9);
});

test("the reason codes are those of the core", () => {
    const core = JSON.parse(addon.reasonCodes()) as { code: string }[];
    expect(REASON_CODES).toEqual(core.map(({ code }) => code));
});

test("what the addon exports is what the package declares", () => {
    const declared = readFileSync(join(ROOT, "bindings-node", "ts", "native.ts"), "utf8");
    const members = (name: string) => {
        const body = declared.split(`export interface ${name} {`)[1]?.split("\n}")[0] ?? "";
        return Array.from(body.matchAll(/^ {4}(?:readonly )?(\w+)[(:]/gm), ([, member]) => member).sort();
    };
    const prototype = (kind: unknown) =>
        Object.getOwnPropertyNames((kind as { prototype: object }).prototype)
            .filter((name) => name !== "constructor")
            .sort();
    expect(members("Native")).toEqual(Object.keys(addon).sort());
    expect(members("NativePolicy")).toEqual(prototype(addon.Policy));
    expect(members("NativeCaller")).toEqual(prototype(addon.Caller));
    expect(members("NativeStop")).toEqual(prototype(addon.Stop));
    expect(members("NativeGuard")).toEqual(prototype(addon.Guard));
    expect(members("NativeSession")).toEqual(prototype(addon.Session));
    expect(members("NativeStatement")).toEqual(prototype(addon.Statement));
    expect(members("NativePolicy").length).toBeGreaterThan(8);
});

test("a method of the addon refuses another receiver", () => {
    const policy = addon.Policy.load(readFileSync(POLICY_FILE), 0, "");
    const caller = policy.forContext("{}");
    for (const receiver of [caller, {}, null, new addon.Stop()]) {
        expect(() => policy.name.call(receiver as never)).toThrow();
    }
});

/** The addon over the core in which texts can ask for a panic (docs/ffi.md): built by scripts/bindings/node-build. */
const TWIN = join(resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target"), "checked", "libhaltsql_node_weakened.so");

/** A folder whose packages have that addon. */
function weakened(): string {
    const folder = doctored();
    copyFileSync(TWIN, join(folder, "node_modules", "@haltsql", "core-linux-x64-gnu", "haltsql.node"));
    return folder;
}

const PANICS = `
import assert from "node:assert/strict";
import { InternalError, Policy } from "@haltsql/core";
const policy = Policy.fromFile(${JSON.stringify(POLICY_FILE)});
const [good, context] = [${JSON.stringify(ALLOWED)}, { tenant_id: "acme" }];
const asking = (place) => process.argv.at(-1) + ": panic in " + place;
const bad = (place) => good + " /* " + asking(place) + " */";
const caller = policy.forContext(context);
for (const place of ["stages", "answer"]) {
    const verdicts = [
        policy.check(bad(place), context),
        caller.check(bad(place)),
        policy.checkMany([good, bad(place)], context, { threads: 2 })[1],
        await policy.checkAsync(bad(place), context),
        (await caller.checkManyAsync([good, bad(place)], { threads: 2 }))[1],
    ];
    for (const verdict of verdicts) {
        assert.equal(verdict.allowed, false);
        assert.deepEqual(verdict.reasons.map(({ code }) => code), ["E_INTERNAL"]);
        assert.ok(verdict.forAgent());
    }
    assert.ok(policy.check(good, context).allowed);
}
const internal = (error) => {
    assert.ok(error instanceof InternalError && error.number === 1, String(error));
    assert.equal(error.message, "no check happened: this is a bug of HaltSQL");
    assert.equal(error.cause, undefined);
    return true;
};
const noisy = (place) =>
    Policy.fromObject({ apiVersion: "haltsql.dev/v1", kind: "Policy", metadata: { name: "p", description: asking(place) }, spec: {} });
assert.throws(() => noisy("load"), internal);
assert.throws(() => noisy("describe").describe(), internal);
assert.throws(() => noisy("describe").describeJson(), internal);
// There no fence of the core's is left, only that of the addon: in a call, and on a thread of Node's pool.
assert.throws(() => noisy("name").name, internal);
await assert.rejects(policy.checkAsync(bad("task"), context), internal);
await assert.rejects(caller.checkManyAsync([good, bad("task")], { threads: 2 }), internal);
assert.throws(() => caller.checkMany([bad("task")]), internal);
const many = await Promise.allSettled(Array.from({ length: 200 }, (_, at) => caller.checkAsync(at % 2 ? good : bad("task"))));
assert.deepEqual([...new Set(many.map(({ status }, at) => at % 2 + status))].sort(), ["0rejected", "1fulfilled"]);
assert.ok(policy.check(good, context).allowed && (await policy.checkAsync(good, context)).allowed);
console.log("all denied");
`;

test("a panic is a denial or an error, at once and later", () => {
    const { stdout, stderr } = ran(PANICS, { folder: weakened(), arguments: [MARKER] });
    expect(stdout.trim()).toBe("all denied");
    // The line of Rust's own hook, which is left alone.
    expect(stderr).toContain("a panic was asked for in task");
});

const QUEUED = `
import assert from "node:assert/strict";
import { pbkdf2 } from "node:crypto";
import { Policy } from "@haltsql/core";
const policy = Policy.fromFile(${JSON.stringify(POLICY_FILE)});
const sql = ${JSON.stringify(ALLOWED)} + " /* " + process.argv.at(-1) + ": panic in task */";
let free = false;
const busy = new Promise((resolve) => pbkdf2("p", "s", 1_000_000, 64, "sha512", () => resolve(free = true)));
const controller = new AbortController();
const queued = policy.checkAsync(sql, {}, { signal: controller.signal });
const because = new Error("nobody waits");
if (process.argv.at(-2) === "abort") {
    controller.abort(because);
    await assert.rejects(queued, (reason) => reason === because);
} else {
    await assert.rejects(queued, { name: "InternalError" });
}
console.log(free);
await busy;
// Behind it in the queue of the only thread.
assert.equal((await policy.checkAsync("SELECT 1", { tenant_id: "acme" })).allowed, true);
`;

test("what was aborted in the queue never begins", () => {
    const options = { folder: weakened(), environment: { UV_THREADPOOL_SIZE: "1" } };
    const begun = ran(QUEUED, { ...options, arguments: ["wait", MARKER] });
    expect([begun.stdout.trim(), begun.stderr.includes("asked for in task")]).toEqual(["true", true]);
    const aborted = ran(QUEUED, { ...options, arguments: ["abort", MARKER] });
    expect([aborted.stdout.trim(), aborted.stderr]).toEqual(["false", ""]);
});

test("the marker of that core is in nothing that ships", () => {
    const marker = Buffer.from(MARKER);
    expect(readFileSync(TWIN).includes(marker)).toBe(true);
    const folder = join(INSTALLED, "node_modules", "@haltsql");
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.some(({ name }) => name === "haltsql.node")).toBe(true);
    expect(
        files
            .map(({ parentPath, name }) => join(parentPath, name))
            .filter((file) => readFileSync(file).includes(marker)),
    ).toEqual([]);
});
