/**
 * The hostile suite (conformance/hostile) through the guards: nothing is sent that the verifier did not allow, and what runs shows
 * nothing. `make hostile` runs all of it (HALTSQL_HOSTILE=all), a test run the part that is quick.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { DeniedError, Guard, HaltSQLError, Policy } from "@haltsql/core";
import { afterAll, expect, test } from "vitest";

import { Server } from "./servers.js";
import { type Desk, DRIVERS, type Driver, desk, one } from "./shop.js";
import { ROOT } from "./support.js";

interface Case {
    readonly id: string;
    readonly scenario: string;
    readonly sql: string;
    readonly session?: readonly string[];
    readonly writable?: boolean;
    readonly expect: Record<string, { readonly guard: readonly string[] }>;
}

interface Seal {
    readonly execution: object;
    readonly user: string;
    readonly pin_key?: string;
}

const FOLDER = join(ROOT, "conformance", "hostile");
const read = (name: string) => readFileSync(join(FOLDER, name), "utf8");
const CASES = read("statements.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Case);
const SEALS = JSON.parse(read("seals.json")) as Record<string, Seal>;
const HALTSQL = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "checked", "haltsql");
const OWN = "SELECT name FROM app.customers WHERE tenant_id = $1";

const ALL = process.env.HALTSQL_HOSTILE === "all";
const RUNS = DRIVERS.flatMap((driver) =>
    ([18, 16] as const).flatMap((version) => Object.keys(SEALS).map((seal) => [driver, version, seal] as const)),
).filter(
    ([driver, version, seal]) => ALL || (version === 18 && (seal === "signed" || (seal === "none" && driver === "pg"))),
);

/** It has a value that this tenant must not see. */
function isForeign(said: string, tenant: string): boolean {
    const markers = said.match(/ACME_|GLOBEX_|INITECH_|SSN_|KEY_/g) ?? [];
    return markers.some((marker) => marker !== `${tenant.toUpperCase()}_`);
}

async function outcome(at: Desk, guard: Guard, { sql, writable }: Case): Promise<string> {
    try {
        const { texts } = await one(at, guard, { tenant_id: "acme" }, sql, writable);
        return isForeign(JSON.stringify(texts), "acme") ? "leak" : "harmless";
    } catch (error) {
        if (error instanceof DeniedError) {
            return "denied";
        }
        expect(error).toBeInstanceOf(HaltSQLError);
        // The suite's guard shows errors whole: what they say counts.
        return isForeign(inspect({ error, ...(error as object) }), "acme") ? "leak" : "refused";
    }
}

/** Another tenant's turn on the connection: wrong, refused, or as it should be. */
async function nextTurn(at: Desk, guard: Guard, tenant: string): Promise<string | undefined> {
    try {
        const { texts } = await one(at, guard, { tenant_id: tenant }, OWN);
        return texts.length !== 4 || isForeign(JSON.stringify(texts), tenant) ? "next" : undefined;
    } catch (error) {
        expect(error).toBeInstanceOf(HaltSQLError);
        return "next_refused";
    }
}

/** What `haltsql policy harden` prints for the policy. */
function harden(document: string, { pin_key }: Seal): string {
    const folder = mkdtempSync(join(tmpdir(), "haltsql-hostile-"));
    try {
        writeFileSync(join(folder, "policy.yaml"), document);
        writeFileSync(join(folder, "pin.key"), pin_key ?? "");
        const key = pin_key === undefined ? [] : ["--key-file", join(folder, "pin.key")];
        const given = ["policy", "harden", join(folder, "policy.yaml"), "--optional", ...key];
        const { status, stdout, stderr } = spawnSync(HALTSQL, given, { encoding: "utf8" });
        expect(status, stderr).toBe(0);
        return stdout;
    } finally {
        rmSync(folder, { recursive: true });
    }
}

async function sealed(version: 16 | 18, name: string, seal: Seal, document: string): Promise<Server> {
    const server = await Server.start(version);
    await server.run("CREATE DATABASE shop", "postgres");
    await server.run(read("database.sql"));
    await server.run(read("rows.sql"));
    if (name === "login") {
        await server.run("CREATE ROLE t_acme LOGIN; CREATE ROLE t_globex LOGIN");
    }
    if (name !== "none") {
        await server.run(harden(document, seal));
    }
    if (name === "bare") {
        await server.run("GRANT app_agent TO app_login");
    }
    return server;
}

const tally = { passed: 0, failed: 0, scenarios: new Map<string, number>() };
afterAll(() => {
    const statements = (name: string) => CASES.filter(({ scenario }) => scenario === name).length;
    for (const [name, outcomes] of [...tally.scenarios].sort()) {
        const spelt = name.replaceAll(" ", "-");
        console.log(`hostile name=node scenario=${spelt} statements=${statements(name)} outcomes=${outcomes}`);
    }
    console.log(`hostile name=node passed=${tally.passed} failed=${tally.failed}`);
});

test.each(RUNS)("nothing shows, and the next turn is right: %s, PostgreSQL %i, %s", async (driver, version, name) => {
    expect(CASES.length).toBeGreaterThanOrEqual(250);
    const seal = SEALS[name] as Seal;
    const document = `${read("policy.yaml")}  execution: ${JSON.stringify(seal.execution)}\n`;
    const server = await sealed(version, name, seal, document);
    const guard = new Guard(Policy.fromString(document), { showErrors: true, pinKey: seal.pin_key });
    const more = { user: seal.user };
    const opened = (kind: Driver) => desk(kind, server, 1, more);
    // Where each tenant logs in by itself, the next is the same.
    const tenant = name === "login" ? "acme" : "globex";
    const seen = new Map<string, number>();
    const problems: string[] = [];
    const pooled = opened(driver);
    try {
        for (const one of CASES) {
            // What somebody left on a session is on a connection of its own.
            const left = one.session ?? [];
            const at = left.length > 0 ? opened(driver) : pooled;
            for (const text of left) {
                await at.raw(text).catch(() => undefined);
            }
            const came = await outcome(at, guard, one);
            const then = await nextTurn(at, guard, tenant);
            if (at !== pooled) {
                await at.close();
            }
            seen.set(then ?? came, (seen.get(then ?? came) ?? 0) + 1);
            tally.scenarios.set(one.scenario, (tally.scenarios.get(one.scenario) ?? 0) + 1);
            // The expected outcome is that of connections which the guard made.
            const expected =
                left.length > 0 ? ["denied", "harmless", "refused", "next_refused"] : (one.expect[name]?.guard ?? []);
            if (came === "leak" || !expected.includes(then ?? came)) {
                problems.push(`${one.id}: ${came}, then ${then}, and not ${expected}: ${one.sql}`);
            }
            if (came === "harmless" && one.writable === true) {
                await server.run(read("rows.sql"));
            }
        }
    } finally {
        await pooled.close();
        await server.stop();
    }
    tally.passed += CASES.length - problems.length;
    tally.failed += problems.length;
    console.log(`${driver} on PostgreSQL ${version}, seal ${name}: ${JSON.stringify(Object.fromEntries(seen))}`);
    expect(problems.join("\n")).toBe("");
});
