/** The verdict: its fields as docs/verdict.md has them, and what it does as a value of JavaScript. */

import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { createContext, runInContext } from "node:vm";
import { ArgumentError, EncodingError, Policy, type Text, utf16Offset, Verdict, VerdictError } from "@haltsql/core";
import { expect, test } from "vitest";

import { ACME, ALLOWED, DENIED, POLICY_FILE, same } from "./support.js";

const policy = Policy.fromFile(POLICY_FILE);
const latin = (text: string) => Buffer.from(text, "latin1");
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

test("an allowed verdict has every field", () => {
    const verdict = policy.check(ALLOWED, ACME);
    expect(verdict.allowed).toBe(true);
    expect(verdict.reasons).toEqual([]);
    expect(verdict.shadowReasons).toEqual([]);
    expect(verdict.policy).toEqual({ name: "bound", version: policy.version, searchPath: ["app", "pub"] });
    expect(verdict.statementKind).toBe("select");
    expect(verdict.tables).toEqual(["app.customers"]);
    expect(verdict.columns).toEqual(["app.customers.name", "app.customers.tenant_id"]);
    expect(verdict.bindParams).toEqual([{ param: 1, value: "acme", type: "text" }]);
    expect(verdict.fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(verdict.sqlSha256).toBe(sha256(ALLOWED));
    expect(verdict.elapsedUs).toBeGreaterThanOrEqual(0);
});

test("a set of values is an array", () => {
    const sql = "SELECT name FROM app.customers WHERE tenant_id = ANY ($1)";
    for (const tenant_id of [["initech", "acme"], new Set(["acme", "initech"])]) {
        expect(policy.check(sql, { tenant_id }).bindParams).toEqual([
            { param: 1, value: ["acme", "initech"], type: "text[]" },
        ]);
    }
});

test("a denied verdict tells why", () => {
    const verdict = policy.check(DENIED, ACME);
    expect(verdict.allowed).toBe(false);
    const reason = verdict.reasons.find(({ code }) => code === "E_TENANT_MISSING");
    expect(reason).toMatchObject({ rule: "tenancy.predicate", loc: DENIED.indexOf("app.customers") });
    expect(reason?.message).toMatch(/^[^\n]+$/);
    expect(reason?.hint).toMatch(/^[^\n]+$/);
    expect(verdict.bindParams).toEqual([]);
});

test("what is unknown is absent, and never null", () => {
    const [reason] = policy.check("", ACME).reasons;
    expect(Object.keys(reason ?? {})).toEqual(
        ["code", "message", "rule", "hint"].filter((key) => key in (reason ?? {})),
    );
    expect(reason).not.toHaveProperty("loc");
});

test("places count bytes, and there is a helper for JavaScript's", () => {
    const sql = "SELECT 'ü🐘' AS x, nowhere FROM app.customers WHERE tenant_id = $1";
    const [reason] = policy.check(sql, ACME).reasons;
    expect(reason?.code).toBe("E_COLUMN_DENIED");
    expect(reason?.loc).toBe(Buffer.from(sql).indexOf("nowhere"));
    expect(reason?.loc).not.toBe(sql.indexOf("nowhere"));
    expect(utf16Offset(sql, reason?.loc ?? -1)).toBe(sql.indexOf("nowhere"));
    expect(utf16Offset(Buffer.from(sql), reason?.loc ?? -1)).toBe(sql.indexOf("nowhere"));
});

test("the helper knows every character and nothing between them", () => {
    const text = "a\0é߿ࠀ\uffff\u{10000}\u{10ffff}\ufeffz";
    let [bytes, units] = [0, 0];
    const starts = new Map<number, number>();
    for (const letter of text) {
        starts.set(bytes, units);
        bytes += Buffer.byteLength(letter);
        units += letter.length;
    }
    starts.set(bytes, units);
    for (let offset = 0; offset <= bytes; offset += 1) {
        const expected = starts.get(offset);
        for (const given of [text, Buffer.from(text)] as Text[]) {
            if (expected === undefined) {
                expect(() => utf16Offset(given, offset), `${offset}`).toThrow(/character/);
            } else {
                expect(utf16Offset(given, offset), `${offset}`).toBe(expected);
            }
        }
    }
    for (const offset of [-1, 0.5, Number.NaN, bytes + 1, 2 ** 60]) {
        expect(() => utf16Offset(text, offset)).toThrow(ArgumentError);
        expect(() => utf16Offset(Buffer.from(text), offset)).toThrow(ArgumentError);
    }
    expect(() => utf16Offset("a\ud800b", 4)).toThrow(EncodingError);
    expect(() => utf16Offset(latin("a\xffb"), 3)).toThrow(EncodingError);
    // Everything before the place of a text that is no UTF-8 is UTF-8.
    const broken = Buffer.concat([Buffer.from("SELECT 'é"), latin("\xff'")]);
    expect(utf16Offset(broken, policy.check(broken, ACME).reasons[0]?.loc ?? -1)).toBe("SELECT 'é".length);
});

test("the JSON has the same fields, and is what JSON.stringify gives", () => {
    const texts = [ALLOWED, DENIED, "", "SELECT", "SELECT 1; SELECT 2", 'SELECT "\u2028\x7f🐘\\"" FROM "\u0001"'];
    for (const sql of texts) {
        const verdict = policy.check(sql, ACME);
        const spelt = JSON.parse(verdict.json);
        expect(Object.keys(spelt)).toEqual([
            ...["allowed", "reasons", "shadow_reasons", "policy", "statement_kind", "tables", "columns"],
            ...["bind_params", "fingerprint", "sql_sha256", "elapsed_us"],
        ]);
        expect(spelt.allowed).toBe(verdict.allowed);
        expect(spelt.reasons).toEqual(verdict.reasons);
        expect(spelt.bind_params).toEqual(verdict.bindParams);
        expect([spelt.statement_kind, spelt.fingerprint]).toEqual([verdict.statementKind, verdict.fingerprint]);
        expect([spelt.sql_sha256, spelt.elapsed_us]).toEqual([verdict.sqlSha256, verdict.elapsedUs]);
        expect(JSON.stringify(verdict)).toBe(verdict.json);
    }
});

test("nothing of a verdict can be set", () => {
    const verdict = policy.check(DENIED, ACME) as unknown as Record<string, unknown>;
    const names = ["allowed", "json", ...Object.getOwnPropertyNames(Verdict.prototype), "anything"];
    expect(names).toContain("bindParams");
    for (const name of names) {
        expect(() => {
            verdict[name] = true;
        }, name).toThrow(TypeError);
        expect(() => Object.defineProperty(verdict, name, { value: true }), name).toThrow(TypeError);
    }
    for (const part of ["reasons", "shadowReasons", "policy", "tables", "columns", "bindParams"]) {
        expect(Object.isFrozen(verdict[part]), part).toBe(true);
    }
    expect(Object.isFrozen((verdict.reasons as object[])[0])).toBe(true);
    const [param] = policy.check("SELECT name FROM app.customers WHERE tenant_id = ANY ($1)", {
        tenant_id: ["a"],
    }).bindParams;
    expect(Object.isFrozen(param)).toBe(true);
    expect(Object.isFrozen(param?.value)).toBe(true);
    const make = Verdict as unknown as new (...given: unknown[]) => unknown;
    expect(() => new make()).toThrow(/comes from/);
    expect(() => new make(Symbol("haltsql"), '{"allowed":true,', "")).toThrow(ArgumentError);
});

test("comparisons, copies and clones have what matters", () => {
    const [allowed, denied] = [policy.check(ALLOWED, ACME), policy.check(DENIED, ACME)];
    expect(allowed).not.toEqual(denied);
    expect({ ...denied }).toEqual({ allowed: false, json: denied.json });
    expect(structuredClone(denied)).toEqual({ allowed: false, json: denied.json });
    expect(allowed instanceof Verdict).toBe(true);
    expect({ ...allowed } instanceof Verdict).toBe(false);
    expect(same(policy.check(DENIED, ACME).json)).toBe(same(denied.json));
});

test("what is inspected shows codes and no SQL", () => {
    const verdict = policy.check("SELECT secret_word FROM app.customers WHERE tenant_id = 'another_word'", ACME);
    const shown = `${inspect(verdict, { depth: 9, showHidden: false })} ${inspect([{ verdict }])}`;
    expect(shown).toContain("allowed: false");
    expect(shown).toContain("E_COLUMN_DENIED");
    expect(shown).not.toContain("_word");
});

test("the rendering for an agent", () => {
    const verdict = policy.check(DENIED, ACME);
    const text = verdict.forAgent();
    expect(text).toMatch(/^denied/);
    expect(text).toContain("E_TENANT_MISSING");
    const elsewhere = Verdict.fromJson(Buffer.from(verdict.json));
    expect(elsewhere.json).toBe(verdict.json);
    expect(elsewhere.forAgent(DENIED)).toBe(text);
    expect(elsewhere.forAgent(Buffer.from(DENIED))).toBe(text);
    expect(Verdict.fromJson(verdict.json, DENIED).forAgent()).toBe(text);
    expect(() => elsewhere.forAgent()).toThrow(/came without its text/);
    expect(() => elsewhere.forAgent(ALLOWED)).toThrow(/another text/);
    expect(() => elsewhere.forAgent(ALLOWED)).toThrow(VerdictError);
    expect(() => elsewhere.forAgent(5 as unknown as string)).toThrow(ArgumentError);
});

test("what is no verdict is refused", () => {
    const good = policy.check(ALLOWED, ACME).json;
    const denied = policy.check(DENIED, ACME).json;
    const bad: Text[] = [
        ...["", "null", "[]", "{}", '{"allowed":true}', '{"allowed":true,"reasons":[]}', good.slice(0, -1), ` ${good}`],
        latin("\xff"),
        good.replace('"tables"', '"t"'),
        good.replace('"allowed":true', '"allowed":1'),
        good.replace('"allowed":true', '"allowed":true,"allowed":false'),
        good.replace('"tables":[', '"tables":[1,'),
        good.replace('"elapsed_us":', '"elapsed_us":-'),
        good.replace('"type":"text"', '"type":"text[]"'),
        good.replace('"name":"bound"', '"name":null'),
        // A denial that says that it is none, and the other way round.
        denied.replace('"allowed":false', '"allowed":true'),
        good.replace('"allowed":true', '"allowed":false'),
    ];
    for (const json of bad) {
        expect(() => Verdict.fromJson(json), String(json)).toThrow(VerdictError);
    }
    expect(() => Verdict.fromJson(5 as unknown as string)).toThrow(ArgumentError);
    const newer = good.replace('"elapsed_us"', '"of_a_newer_version":1,"elapsed_us"');
    expect(Verdict.fromJson(newer).tables).toEqual(["app.customers"]);
});

test("what bytes can hold is judged", () => {
    const texts: [Text, string][] = [
        [latin("SELECT '\xff'"), "E_PARSE"],
        [latin("SELECT 1 \xed\xa0\x80"), "E_PARSE"],
        ["SELECT '\0'", "E_PARSE"],
        [latin("SELECT '\0'"), "E_PARSE"],
        ["", "E_EMPTY"],
        [new Uint8Array(0), "E_EMPTY"],
        ["-- nothing", "E_EMPTY"],
        [`SELECT 1 ${" ".repeat(100_000)}`, "E_TOO_LARGE"],
    ];
    for (const [sql, code] of texts) {
        const verdict = policy.check(sql, ACME);
        expect(verdict.reasons.map((reason) => reason.code)).toEqual([code]);
        expect(verdict.forAgent()).toContain(code);
    }
    expect(same(policy.check(Buffer.from(ALLOWED), ACME).json)).toBe(same(policy.check(ALLOWED, ACME).json));
});

test("a message with a NUL is whole", () => {
    const verdict = policy.check("SELECT 1 \0 AND MORE", ACME);
    expect(verdict.sqlSha256).toBe(sha256("SELECT 1 \0 AND MORE"));
    expect(verdict.json.endsWith("}")).toBe(true);
});

test("half a surrogate pair is refused, and never replaced", async () => {
    const caller = policy.forContext(ACME);
    for (const sql of ["SELECT '\ud83d'", "\udc18", "SELECT '\udc18\ud83d'"]) {
        expect(() => policy.check(sql, ACME)).toThrow(EncodingError);
        expect(() => caller.check(sql)).toThrow(/surrogate/);
        expect(() => policy.checkMany([ALLOWED, sql], ACME)).toThrow(EncodingError);
        await expect(policy.checkAsync(sql, ACME)).rejects.toThrow(EncodingError);
        await expect(caller.checkManyAsync([ALLOWED, sql])).rejects.toThrow(EncodingError);
        expect(() => Verdict.fromJson(caller.check(ALLOWED).json, sql).forAgent()).toThrow(EncodingError);
    }
    // The character that would stand in its place is one like any other.
    expect(policy.check("SELECT '\ufffd'", ACME).allowed).toBe(true);
    expect(policy.check("SELECT '\ud83d\udc18'", ACME).allowed).toBe(true);
});

test("texts of every length and alphabet are those that were given", () => {
    const caller = policy.forContext(ACME);
    for (const letter of ["x", "é", "\ufffd", "🐘", "\0"]) {
        for (const count of [0, 1, 255, 256, 511, 512, 513, 1000, 2000, 4095, 4096, 4097, 12_288, 20_000]) {
            const sql = `SELECT '${letter.repeat(count)}'`;
            for (const verdict of [policy.check(sql, ACME), caller.check(sql), policy.checkMany([sql], ACME)[0]]) {
                expect(verdict?.sqlSha256, `${count}`).toBe(sha256(sql));
            }
            expect(() => caller.check(`${sql}\ud83d`)).toThrow(EncodingError);
            expect(() => caller.check(`\udc18${sql}`)).toThrow(EncodingError);
        }
    }
});

test("only strings and Uint8Arrays are texts", () => {
    const others = [
        null,
        undefined,
        1,
        1n,
        true,
        Symbol("x"),
        {},
        ["SELECT 1"],
        new Uint16Array(2),
        new ArrayBuffer(2),
    ];
    for (const sql of [...others, new DataView(new ArrayBuffer(1)), new Uint8ClampedArray(1), new String("SELECT 1")]) {
        expect(() => policy.check(sql as string, ACME)).toThrow(/give a string or a Uint8Array/);
    }
    // One of another realm is one, too.
    const foreign = runInContext("new Uint8Array([83, 69, 76, 69, 67, 84, 32, 49])", createContext()) as Uint8Array;
    expect(policy.check(foreign, ACME).json).toContain(sha256("SELECT 1"));
    const given = new Uint8Array(4);
    structuredClone(given.buffer, { transfer: [given.buffer] });
    expect(() => policy.check(given, ACME)).toThrow(ArgumentError);
});

test("bytes are those of the time of the call", async () => {
    for (const memory of [new ArrayBuffer(DENIED.length), new SharedArrayBuffer(DENIED.length)]) {
        const sql = new Uint8Array(memory);
        sql.set(Buffer.from(DENIED));
        const [now, later] = [policy.check(sql, ACME), policy.checkAsync(sql, ACME)];
        sql.fill(0x20);
        for (const verdict of [now, await later]) {
            expect(verdict.sqlSha256).toBe(sha256(DENIED));
            expect(verdict.forAgent()).toBe(policy.check(DENIED, ACME).forAgent());
        }
    }
});
