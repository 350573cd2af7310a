/** What the documents show runs, and says what they say. */

import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as haltsql from "@haltsql/core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { Server } from "./servers.js";
import { doctored, HERE, KINDS, ROOT, run } from "./support.js";

// The demo's shop, as `haltsql demo` makes it.
let demo: Server;
beforeAll(async () => {
    demo = await Server.start(18);
    await demo.run("CREATE DATABASE shop", "postgres");
    await demo.run("CREATE ROLE agent LOGIN", "postgres");
    await demo.run(readFileSync(join(ROOT, "cli", "src", "demo", "schema.sql"), "utf8"));
});
afterAll(async () => {
    await demo.stop();
});

/** Packages of others, beside ours. */
function withDrivers(folder: string): string {
    for (const name of ["pg", "postgres", "ai"]) {
        symlinkSync(join(HERE, "node_modules", name), join(folder, "node_modules", name));
    }
    return folder;
}

/** What a program prints that is told where the demo's database is. */
function ranOnDemo(program: string, folder = withDrivers(doctored())): string {
    return run(program, { folder, environment: { PGHOST: demo.socket, PGUSER: "postgres", PGDATABASE: "shop" } });
}

const README = readFileSync(join(HERE, "README.md"), "utf8");

function blocks(language: string): string[] {
    return Array.from(README.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs")), ([, block]) => block ?? "");
}

test("the programs of the README run", () => {
    const folder = doctored();
    const [policy, ...more] = blocks("yaml");
    expect(more).toEqual([]);
    writeFileSync(join(folder, "policy.yaml"), policy ?? "");
    withDrivers(folder);
    expect(blocks("js").map((program) => ranOnDemo(program, folder))).toEqual([
        "bind acme to $1 as text",
        expect.stringMatching(/^E_COLUMN_DENIED at 22: /),
        "",
        expect.stringMatching(/^\d+ rows, with receipt [0-9a-f]{64}$/),
        "[ true, false ]",
    ]);
});

test("the example runs", () => {
    const said = run(readFileSync(join(ROOT, "examples", "node", "check.mjs"), "utf8"));
    expect(said.match(/^(allowed|denied)/gm)).toEqual(["allowed", "denied", "allowed", "denied"]);
});

test.each(["guard_pg", "guard_postgres"])("the example of the guard runs: %s", (name) => {
    const said = ranOnDemo(readFileSync(join(ROOT, "examples", "node", `${name}.mjs`), "utf8"));
    expect(said).toContain("E_COLUMN_DENIED");
    expect(said).toMatch(/^Ann Archer, .*, as receipt [0-9a-f]{12} says$/m);
});

test("the example of the agent runs", () => {
    const said = ranOnDemo(readFileSync(join(ROOT, "examples", "node", "agent_ai_sdk.mjs"), "utf8"));
    expect(said).toContain("E_TENANT_MISSING");
    expect(said).toMatch(/"row_count":1,"rows_shown":1,"rows":\[\["\d+"\]\]\}\nreceipt [0-9a-f]{64}\nDone\.$/);
});

test("the README names every export, every method and what a policy has", () => {
    for (const name of Object.keys(haltsql)) {
        expect(README, name).toContain(`\`${name}`);
    }
    const usual = ["length", "name", "prototype", "constructor", "of", "toJSON", "native"];
    for (const kind of [haltsql.Policy, haltsql.Caller, haltsql.Verdict]) {
        const members = {
            ...Object.getOwnPropertyDescriptors(kind.prototype),
            ...Object.getOwnPropertyDescriptors(kind),
        };
        const own = Object.entries(members).filter(
            ([name, { get }]) => !usual.includes(name) && (get === undefined || kind !== (haltsql.Verdict as unknown)),
        );
        expect(own.length).toBeGreaterThan(1);
        for (const [name] of own) {
            expect(README).toMatch(new RegExp(`[.\`]${name}\\b`));
        }
    }
});

test("numbers and codes of errors are those of the README", () => {
    expect(KINDS.length).toBe(12);
    for (const kind of KINDS) {
        const { name, code, number } = new kind("");
        expect(README).toContain(`| \`${name}\` | \`${code}\`, ${number} |`);
    }
});

test("everything public is documented", () => {
    const files = [
        "policy.d.ts",
        "caller.d.ts",
        "verdict.d.ts",
        "errors.d.ts",
        "text.d.ts",
        "context.d.ts",
        "abort.d.ts",
        "ai.d.ts",
        "executor.d.ts",
        "guard.d.ts",
        "pg.d.ts",
        "postgres.d.ts",
        "transaction.d.ts",
    ];
    let members = 0;
    for (const file of files) {
        const lines = readFileSync(join(HERE, "node_modules", "@haltsql", "core", "dist", file), "utf8").split("\n");
        lines.forEach((line, at) => {
            const inner =
                /^ {4}(?!private|#|readonly code|readonly number|constructor|readonly prototype|readonly \[key|\[Symbol.hasI|\* )(?:\w|\[)/.test(
                    line,
                );
            const outer = /^export (?!\{|declare const)/.test(line);
            if ((inner && !/^ {4}[|}]/.test(line)) || outer) {
                members += 1;
                const before = lines[at - 1]?.trim() ?? "";
                expect(before.endsWith("*/"), `${file}:${at + 1}: ${line}`).toBe(true);
            }
        });
    }
    expect(members).toBeGreaterThan(60);
});
