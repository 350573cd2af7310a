/** What the tests share: where things are, and programs that run in a process of their own. */

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as haltsql from "@haltsql/core";
import { onTestFinished } from "vitest";

import type { Native } from "../ts/native.js";

export const HERE = resolve(import.meta.dirname, "..");
export const ROOT = resolve(HERE, "..");
/** Where scripts/bindings/node-build installed the two tarballs. */
export const INSTALLED = join(ROOT, ".build", "node", "installed");
export const POLICY_FILE = join(ROOT, "conformance", "policies", "bound.yaml");
export const ACME = { tenant_id: "acme" };
export const ALLOWED = "SELECT name FROM app.customers WHERE tenant_id = $1";
export const DENIED = "SELECT name FROM app.customers";
/** Costs some milliseconds, so that others get the time to show that they may run. */
export const LARGE = `SELECT name FROM app.customers WHERE tenant_id = $1 AND (${Array.from({ length: 500 }, (_, n) => `id = ${n}`).join(" OR ")})`;
/** What the weakened core looks for. In halves, so that this file does not hold it. */
export const MARKER = ["HALTSQL", "WEAKENED"].join("_");

/** The installed addon. */
export const addon = createRequire(join(INSTALLED, "index.js"))("@haltsql/core-linux-x64-gnu") as Native;

type Kind = (new (message: string, options?: ErrorOptions) => haltsql.HaltSQLError) & { readonly name: string };
/** Every class of errors but the root. */
export const KINDS = (Object.values(haltsql) as unknown[]).filter(
    (value): value is Kind => typeof value === "function" && value.prototype instanceof haltsql.HaltSQLError,
);

/** The part of a verdict's JSON that is the same on every run. */
export function same(verdict: string): string {
    return verdict.slice(0, verdict.lastIndexOf(',"elapsed_us":'));
}

/** An empty folder, for as long as the test runs. */
export function scratch(): string {
    const folder = mkdtempSync(join(tmpdir(), "haltsql-node-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
}

/** A folder with a copy of the installed packages, to put something else into them. */
export function doctored(): string {
    const folder = scratch();
    cpSync(join(INSTALLED, "node_modules"), join(folder, "node_modules"), { recursive: true });
    return folder;
}

/** How a program is run. */
export interface Run {
    readonly folder?: string;
    readonly type?: "module" | "commonjs";
    readonly flags?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
    readonly arguments?: readonly string[];
}

/** What a program prints that runs by itself in a folder with the packages. It has to end well, and soon. */
export function run(program: string, options: Run = {}): string {
    return ran(program, options).stdout.trim();
}

/** The same, with what it prints on standard error. */
export function ran(program: string, options: Run = {}): { readonly stdout: string; readonly stderr: string } {
    const { folder = INSTALLED, type = "module", flags = [], environment = {}, arguments: given = [] } = options;
    const done = spawnSync(
        process.execPath,
        ["--unhandled-rejections=strict", ...flags, `--input-type=${type}`, "-e", program, "--", ...given],
        {
            cwd: folder,
            env: { PATH: process.env.PATH, ...environment },
            encoding: "utf8",
            timeout: 240_000,
            stdio: ["ignore", "pipe", "pipe"],
        },
    );
    if (done.status !== 0) {
        throw new Error(`ended with ${done.status ?? done.signal}\n${done.stdout}\n${done.stderr}`);
    }
    return done;
}
