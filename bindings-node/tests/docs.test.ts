/** What the documents show runs, and says what they say. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as haltsql from "@haltsql/core";
import { expect, test } from "vitest";

import { doctored, HERE, KINDS, ROOT, run } from "./support.js";

const README = readFileSync(join(HERE, "README.md"), "utf8");

function blocks(language: string): string[] {
    return Array.from(README.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs")), ([, block]) => block ?? "");
}

test("the programs of the README run", () => {
    const folder = doctored();
    const [policy, ...more] = blocks("yaml");
    expect(more).toEqual([]);
    writeFileSync(join(folder, "policy.yaml"), policy ?? "");
    expect(blocks("js").map((program) => run(program, { folder }))).toEqual([
        "bind acme to $1 as text",
        expect.stringMatching(/^E_COLUMN_DENIED at 22: /),
        "",
        "[ true, false ]",
    ]);
});

test("the example runs", () => {
    const said = run(readFileSync(join(ROOT, "examples", "node", "check.mjs"), "utf8"));
    expect(said.match(/^(allowed|denied)/gm)).toEqual(["allowed", "denied", "allowed", "denied"]);
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
        "executor.d.ts",
        "guard.d.ts",
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
