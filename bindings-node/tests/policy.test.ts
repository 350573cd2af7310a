/** Loading a policy in every way, its errors, contexts, and what a policy and a caller do as values of JavaScript. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { createContext, runInContext } from "node:vm";
import {
    ArgumentError,
    Caller,
    ClosedError,
    type Context,
    ContextError,
    EncodingError,
    HaltSQLError,
    POSTGRES_VERSION,
    Policy,
    PolicyError,
} from "@haltsql/core";
import { expect, test } from "vitest";

import { ACME, ALLOWED, DENIED, POLICY_FILE, run, same, scratch } from "./support.js";

const DOCUMENT = {
    apiVersion: "haltsql.dev/v1",
    kind: "Policy",
    metadata: { name: "p" },
    spec: { search_path: ["app"], tables: { "app.t": { columns: ["a", { name: "b", description: "the b" }] } } },
};
const YAML = `\
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: p }
spec:
  search_path: [app]
  tables:
    app.t: { columns: [b, a] }
`;
const policy = Policy.fromFile(POLICY_FILE);
const codes = (context: unknown) => policy.check(ALLOWED, context as Context).reasons.map((reason) => reason.code);

/** A class of somebody's own. */
class Policyholder {}

function caught(work: () => unknown): unknown {
    try {
        work();
    } catch (problem) {
        return problem;
    }
    throw new Error("nothing was thrown");
}

test("the same policy however it is loaded", () => {
    const folder = scratch();
    const [yaml, json] = [join(folder, "p.yaml"), join(folder, "p ü.json")];
    writeFileSync(yaml, YAML);
    writeFileSync(json, JSON.stringify(DOCUMENT));
    const loaded = [
        Policy.fromFile(yaml),
        Policy.fromFile(json),
        Policy.fromFile(pathToFileURL(json)),
        Policy.fromFile(json, { format: "json" }),
        Policy.fromString(YAML),
        Policy.fromString(Buffer.from(YAML), { format: "yaml", name: "p.yaml" }),
        Policy.fromString(JSON.stringify(DOCUMENT)),
        Policy.fromObject(DOCUMENT),
        Policy.fromObject(Object.assign(Object.create(null), DOCUMENT, { status: undefined })),
    ];
    expect(new Set(loaded.map((one) => one.version)).size).toBe(1);
    for (const one of loaded) {
        expect([one.name, one.mode, one.searchPathValue()]).toEqual(["p", "enforce", '"app", pg_temp']);
        expect(one.check("SELECT a FROM t", {}).allowed).toBe(true);
    }
});

test("what may be asked", () => {
    const text = Policy.fromObject(DOCUMENT).describe();
    expect(text).toContain("app.t");
    expect(text).toContain("the b");
    expect(policy.describe()).toContain("app.customers");
    expect(Object.keys(JSON.parse(policy.describeJson())).length).toBeGreaterThan(2);
    expect(POSTGRES_VERSION).toMatch(/^18\./);
});

test("every problem has its place", () => {
    const document = YAML.replace("search_path", "serch_path").replace("[b, a]", "[b, A]");
    const error = caught(() => Policy.fromString(document, { name: "some/p.yaml" })) as PolicyError;
    expect(error).toBeInstanceOf(PolicyError);
    expect(error.problems.map(({ path }) => path)).toEqual(["spec.serch_path", 'spec.tables["app.t"].columns[1]']);
    expect(error.problems[0]).toMatchObject({
        ...{ line: 5, column: 3, offset: YAML.indexOf("search_path"), snippet: "  serch_path: [app]" },
        help: "did you mean `search_path`?",
    });
    expect(error.message).toContain("some/p.yaml");
    expect(error.message).toContain("line 5, column 3");
    expect(error.message).toContain("line 7");
    expect(Object.isFrozen(error.problems) && Object.isFrozen(error.problems[0])).toBe(true);
});

test.each(["", "a: b", "[]", "{", Buffer.from([0xff]), "a: &x 1", "\0"])(
    "a bad document is one error: %j",
    (document) => {
        const error = caught(() => Policy.fromString(document)) as PolicyError;
        expect([error.code, error.number, error.problems.length > 0]).toEqual(["policy", 3, true]);
    },
);

test("an object that JSON would bend is refused", () => {
    const circle: Record<string, unknown> = {};
    circle.a = circle;
    const parts = [
        ...[
            new Date(0),
            new Map([["name", "p"]]),
            { name: Number.NaN },
            { name: 1.5 },
            { name: 2 ** 60 },
            { name: 1n },
        ],
        ...[{ name: () => "p" }, { name: Symbol("p") }, { name: new String("p") }, { name: [undefined] }, circle],
    ];
    for (const metadata of parts) {
        expect(() => Policy.fromObject({ ...DOCUMENT, metadata }), inspect(metadata)).toThrow(/no form in JSON/);
    }
    // An object's own `toJSON` has no say.
    expect(() => Policy.fromObject({ ...DOCUMENT, metadata: { name: "p", toJSON: () => ({ name: "q" }) } })).toThrow(
        PolicyError,
    );
    expect(() => Policy.fromObject({ ...DOCUMENT, metadata: { name: "p", ["__proto__"]: "q" } })).toThrow(
        /unknown key/,
    );
    for (const document of [[DOCUMENT], null, "spec", 5, new Map()]) {
        expect(() => Policy.fromObject(document as object)).toThrow(/give an object/);
    }
    expect(() => Policy.fromObject({ ...DOCUMENT, metadata: { name: "\ud800" } })).toThrow(PolicyError);
});

test("arguments of another kind are refused", () => {
    for (const format of ["toml", "", null, 1]) {
        expect(() => Policy.fromString(YAML, { format: format as "yaml" })).toThrow(/`auto`, `yaml`, `json`/);
    }
    expect(() => Policy.fromString(5 as unknown as string)).toThrow(/give a string or a Uint8Array/);
    expect(() => Policy.fromString(YAML, { name: 5 as unknown as string })).toThrow(ArgumentError);
    expect(() => Policy.fromString(YAML, { name: "\ud800" })).toThrow(EncodingError);
    expect(() => Policy.fromString("a: \ud800")).toThrow(EncodingError);
    for (const path of [5, null, undefined, {}, new URL("https://example.org/p.yaml")]) {
        expect(() => Policy.fromFile(path as string)).toThrow(ArgumentError);
    }
    expect(caught(() => Policy.fromFile("/nonexistent/p.yaml"))).toMatchObject({ code: "ENOENT" });
    for (const kind of [Policy, Caller] as unknown as (new () => unknown)[]) {
        expect(() => new kind()).toThrow(/comes from/);
    }
});

test("nothing of a policy can be set", () => {
    for (const name of ["name", "version", "mode"]) {
        expect(() => {
            (policy as unknown as Record<string, unknown>)[name] = "x";
        }).toThrow(TypeError);
    }
    expect(inspect(policy)).toMatch(/^Policy \{\s+name: 'bound',\s+mode: 'enforce',\s+version: 'sha256:/);
    const caller = policy.forContext({ tenant_id: "secret_tenant" });
    expect(inspect(caller)).toMatch(/^Caller of Policy \{/);
    expect(inspect(caller, { showHidden: true, depth: 9 })).not.toContain("secret_tenant");
});

test("a caller reads its context once", () => {
    const context: Record<string, string> = { ...ACME };
    const caller = policy.forContext(context);
    context.tenant_id = "globex";
    expect(caller.policy).toBe(policy);
    expect(same(caller.check(ALLOWED).json)).toBe(same(policy.check(ALLOWED, ACME).json));
});

test("many texts in their order", async () => {
    const texts = Array.from({ length: 700 }, () => [ALLOWED, Buffer.from(DENIED), "", "SELECT"]).flat();
    const caller = policy.forContext(ACME);
    const one = texts.map((text) => same(policy.check(text, ACME).json));
    const spelt = (verdicts: { json: string }[]) => verdicts.map(({ json }) => same(json));
    expect(spelt(policy.checkMany(texts, ACME))).toEqual(one);
    expect(spelt(policy.checkMany(texts.values(), ACME, { threads: 3 }))).toEqual(one);
    expect(spelt(caller.checkMany(new Set(texts.slice(0, 2)), { threads: 8 }))).toEqual(one.slice(0, 2));
    expect(spelt(await policy.checkManyAsync(texts, ACME))).toEqual(one);
    expect(spelt(await caller.checkManyAsync(texts, { threads: 2 }))).toEqual(one);
    expect(same((await caller.checkAsync(DENIED)).json)).toBe(one[1]);
    expect(same((await policy.checkAsync(DENIED, ACME)).json)).toBe(one[1]);
    expect([policy.checkMany([], ACME), await caller.checkManyAsync([])]).toEqual([[], []]);
    const [, denied] = await policy.checkManyAsync([ALLOWED, DENIED], ACME);
    expect(denied?.forAgent()).toBe(policy.check(DENIED, ACME).forAgent());
});

test("many texts are a list of texts", async () => {
    for (const texts of ["SELECT 1", Buffer.from("SELECT 1"), 5, null, {}]) {
        expect(() => policy.checkMany(texts as string[], ACME)).toThrow(/there is `check`/);
        await expect(policy.checkManyAsync(texts as string[], ACME)).rejects.toThrow(/there is `check`/);
    }
    expect(() => policy.checkMany([ALLOWED, null as unknown as string], ACME)).toThrow(/a text is `null`/);
    for (const threads of [0, -1, true, 1.5, "2", Number.NaN, null]) {
        expect(() => policy.checkMany([ALLOWED], ACME, { threads: threads as number })).toThrow(/threads/);
    }
    expect(policy.checkMany([ALLOWED, DENIED], ACME, { threads: 2 ** 40 }).length).toBe(2);
});

test("an asynchronous call never throws at once", async () => {
    const bad = "\ud800";
    const caller = policy.forContext(ACME);
    const calls = [
        policy.checkAsync(bad, ACME),
        policy.checkAsync(5 as unknown as string, ACME),
        policy.checkAsync(ALLOWED, 5 as unknown as Context),
        policy.checkAsync(ALLOWED, "["),
        policy.checkManyAsync([bad], ACME),
        caller.checkAsync(bad),
        caller.checkManyAsync([bad], { threads: 0 }),
        caller.checkAsync(ALLOWED, { signal: new AbortController() as unknown as AbortSignal }),
        caller.checkAsync(ALLOWED, { signal: {} as AbortSignal }),
    ];
    const settled = await Promise.allSettled(calls);
    expect(settled.map((one) => one.status === "rejected" && one.reason instanceof HaltSQLError)).toEqual(
        calls.map(() => true),
    );
    const none = null as unknown as undefined;
    expect((await policy.checkAsync(ALLOWED, ACME, none)).allowed).toBe(true);
    expect((await caller.checkAsync(ALLOWED, { signal: none })).allowed).toBe(true);
});

test("a context is an object, a Map or JSON", () => {
    const contexts = [
        { tenant_id: "acme", absent: undefined, other: 5 },
        '{"tenant_id":"acme"}',
        Buffer.from('{"tenant_id": "acme"}'),
        new Map([["tenant_id", "acme"]]),
        Object.assign(Object.create(null), ACME),
        runInContext('({ tenant_id: "acme" })', createContext()),
        Object.assign(new Policyholder(), ACME),
    ];
    for (const context of contexts as Context[]) {
        expect(same(policy.check(ALLOWED, context).json)).toBe(same(policy.check(ALLOWED, ACME).json));
    }
});

test("a value reaches the verdict as it is", () => {
    for (const tenant_id of ['a"\\\n\u2028🐘', "__proto__", "\ufffd", "5"]) {
        expect(policy.check(ALLOWED, { tenant_id }).bindParams).toEqual([{ param: 1, value: tenant_id, type: "text" }]);
    }
    // What an object inherits is not its own.
    expect(codes(Object.create({ tenant_id: "acme" }))).toEqual(["E_CONTEXT_MISSING"]);
    expect(codes(JSON.parse('{"__proto__": {"tenant_id": "acme"}}'))).toEqual(["E_CONTEXT_MISSING"]);
});

test("a value that cannot be used is a denial", () => {
    for (const value of [null, undefined, 5, 1.5, true, { a: "b" }, [], [1], ["a", null], "", "\0", [[]], new Set()]) {
        expect(codes({ tenant_id: value }), inspect(value)).toEqual(["E_CONTEXT_MISSING"]);
    }
});

test("what is no context is an error", async () => {
    const circle: unknown[] = [];
    circle.push(circle);
    const json = ["", "[]", '{"a":1,"a":2}', Buffer.from([0xff]), "{'a':1}", "null", '{"tenant_id":"\\ud800"}'];
    const objects = [
        ...[new Map([[1, "a"]]), { a: new Date(0) }, { a: Number.POSITIVE_INFINITY }, { a: Number.NaN }, { a: 1n }],
        ...[
            { a: { b: Buffer.from("x") } },
            { a: new Set([Symbol("x")]) },
            { a: [undefined] },
            { a: () => "x" },
            { a: circle },
        ],
        { a: new String("acme") },
    ];
    for (const context of [...json, ...objects] as Context[]) {
        const error = caught(() => policy.check(ALLOWED, context)) as ContextError;
        expect(error, inspect(context)).toBeInstanceOf(ContextError);
        expect(error.number).toBe(4);
        expect(() => policy.checkMany([], context)).toThrow(ContextError);
        await expect(policy.checkAsync(ALLOWED, context)).rejects.toThrow(ContextError);
    }
});

test("a context of another kind is an error", () => {
    for (const context of [
        null,
        undefined,
        5,
        ["tenant_id"],
        Promise.resolve(ACME),
        new Set(["tenant_id"]),
        new Date(0),
    ]) {
        expect(() => policy.check(ALLOWED, context as unknown as Context)).toThrow(ArgumentError);
    }
    for (const context of [{ tenant_id: "\ud800" }, { "\ud800": "a" }, '{"a":"\ud800"}', { tenant_id: ["\udfff"] }]) {
        expect(() => policy.check(ALLOWED, context as Context)).toThrow(EncodingError);
    }
});

test("a shadow policy allows and tells", () => {
    const shadow = Policy.fromObject({ ...DOCUMENT, spec: { ...DOCUMENT.spec, mode: "shadow" } });
    const verdict = shadow.check("SELECT c FROM t", {});
    expect([shadow.mode, verdict.allowed, verdict.reasons.length]).toEqual(["shadow", true, 0]);
    expect(verdict.shadowReasons.map(({ code }) => code)).toContain("E_COLUMN_DENIED");
    expect(inspect(verdict)).toContain("E_COLUMN_DENIED");
});

test("closed twice, and used afterwards", async () => {
    const own = Policy.fromFile(POLICY_FILE);
    const [caller, other] = [own.forContext(ACME), own.forContext(ACME)];
    caller.close();
    caller.close();
    for (const call of [() => caller.check(ALLOWED), () => caller.checkMany([]), () => caller.checkMany([ALLOWED])]) {
        expect(call).toThrow(ClosedError);
    }
    await expect(caller.checkAsync(ALLOWED)).rejects.toThrow(/the caller was closed/);
    await expect(caller.checkManyAsync([])).rejects.toThrow(ClosedError);
    own[Symbol.dispose]();
    own.close();
    const calls = [
        ...[() => own.name, () => own.version, () => own.mode, () => own.describe(), () => own.describeJson()],
        ...[() => own.searchPathValue(), () => own.check(ALLOWED, ACME), () => own.forContext(ACME)],
        () => own.checkMany([], ACME),
    ];
    for (const call of calls) {
        expect(caught(call)).toMatchObject({ code: "closed", number: 6, message: "the policy was closed" });
    }
    await expect(own.checkAsync(ALLOWED, ACME)).rejects.toThrow(ClosedError);
    expect(inspect(own)).toBe("Policy (closed)");
    // A caller holds what it needs by itself.
    expect(other.check(ALLOWED).allowed).toBe(true);
    other[Symbol.dispose]();
    expect(() => other.check(ALLOWED)).toThrow(ClosedError);
});

test("closed during a thousand checks", async () => {
    const own = Policy.fromFile(POLICY_FILE);
    const caller = own.forContext(ACME);
    const expected = same(policy.check(DENIED, ACME).json);
    const started = Array.from({ length: 1000 }, (_, at) =>
        at % 2 ? caller.checkAsync(DENIED) : own.checkAsync(DENIED, ACME),
    );
    const many = caller.checkManyAsync(Array.from({ length: 2000 }, () => DENIED));
    setImmediate(() => own.close());
    setImmediate(() => caller.close());
    const settled = await Promise.all(started);
    expect(settled.every((verdict) => same(verdict.json) === expected)).toBe(true);
    expect(new Set((await many).map(({ json }) => same(json)))).toEqual(new Set([expected]));
    await expect(caller.checkAsync(DENIED)).rejects.toThrow(ClosedError);
});

test("the JSON is the same in every process", () => {
    const sql = "SELECT nope, name, x.y FROM app.customers c, app.orders, nowhere WHERE c.tenant_id = ANY ($1)";
    const program = `
        import { Policy } from "@haltsql/core";
        const policy = Policy.fromFile(${JSON.stringify(POLICY_FILE)});
        const context = { tenant_id: new Set(["acme", "initech", "globex", "hooli"]) };
        console.log(policy.check(${JSON.stringify(sql)}, context).json);`;
    const seen = new Set(
        Array.from({ length: 6 }, (_, seed) => same(run(program, { flags: [`--hash-seed=${seed + 1}`] }))),
    );
    expect(seen.size).toBe(1);
    expect([...seen][0]).toContain("E_TABLE_DENIED");
});
