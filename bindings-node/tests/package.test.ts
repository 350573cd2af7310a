/** The tarballs: what is in them, where they install, and what the package says where it cannot work. */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import * as haltsql from "@haltsql/core";
import { beforeAll, expect, test } from "vitest";

import { doctored, HERE, INSTALLED, ROOT, run, scratch } from "./support.js";

const TARBALLS = join(ROOT, ".build", "node", "tarballs");
const [CORE, NATIVE] = ["haltsql-core-0.1.0.tgz", "haltsql-core-linux-x64-gnu-0.1.0.tgz"].map((name) =>
    join(TARBALLS, name),
) as [string, string];
const LICENCES = ["LICENSE-APACHE", "LICENSE-MIT", "LICENSE-THIRD-PARTY"];
const installed = (name: string, ...path: string[]) => join(INSTALLED, "node_modules", "@haltsql", name, ...path);
const manifest = (name: string) => JSON.parse(readFileSync(installed(name, "package.json"), "utf8"));
let npmCli = "";

beforeAll(() => {
    // The file behind the command, so that it can be run with nothing else on the path.
    const found = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "npm"));
    for (const file of found) {
        try {
            npmCli = realpathSync(file);
            break;
        } catch {
            // Not there; the next one.
        }
    }
    expect(npmCli).toMatch(/npm-cli\.js$/);
});

/** npm with nothing but itself: no network, no settings, no tools on its path. */
function npm(folder: string, ...given: string[]) {
    const done = spawnSync(process.execPath, [npmCli, ...given, "--offline", "--no-audit", "--no-fund"], {
        cwd: folder,
        env: { PATH: "/nonexistent", HOME: folder, npm_config_registry: "http://127.0.0.1:9/" },
        encoding: "utf8",
        timeout: 120_000,
    });
    return { status: done.status, said: done.stdout + done.stderr };
}

function listed(tarball: string): string[] {
    const { stdout } = spawnSync("tar", ["tzf", tarball], { encoding: "utf8" });
    return stdout.trim().split("\n").sort();
}

test("they hold what is needed, and the licences", () => {
    const sources = readdirSync(join(HERE, "ts"));
    const built = sources.flatMap((name) =>
        name.endsWith(".mts")
            ? [name.replace(".mts", ".mjs"), name.replace(".mts", ".d.mts")]
            : [name.replace(".ts", ".js"), name.replace(".ts", ".d.ts")],
    );
    const common = ["package.json", "README.md", ...LICENCES];
    const inside = (names: string[]) => names.map((name) => `package/${name}`).sort();
    expect(listed(CORE)).toEqual(inside([...common, ...built.map((name) => `dist/${name}`)]));
    expect(listed(NATIVE)).toEqual(inside([...common, "haltsql.node"]));
    for (const licence of LICENCES) {
        const own = readFileSync(join(ROOT, licence));
        for (const file of [
            join(HERE, licence),
            installed("core", licence),
            installed("core-linux-x64-gnu", licence),
        ]) {
            expect(readFileSync(file).equals(own), file).toBe(true);
        }
    }
});

test("nothing of them runs at install, and nothing else is needed", () => {
    const [core, native] = [manifest("core"), manifest("core-linux-x64-gnu")];
    for (const one of [core, native]) {
        const allowed = [
            ...[
                "name",
                "version",
                "description",
                "keywords",
                "license",
                "author",
                "repository",
                "type",
                "main",
                "types",
            ],
            ...[
                "exports",
                "files",
                "engines",
                "optionalDependencies",
                "peerDependencies",
                "peerDependenciesMeta",
                "os",
                "cpu",
                "libc",
            ],
        ];
        expect(Object.keys(one).filter((key) => !allowed.includes(key))).toEqual([]);
    }
    expect(core.optionalDependencies).toEqual({ [native.name]: native.version });
    expect(Object.keys(core.peerDependencies)).toEqual(["ai", "pg", "postgres"]);
    expect(core.peerDependenciesMeta).toEqual({
        ai: { optional: true },
        pg: { optional: true },
        postgres: { optional: true },
    });
    expect([native.os, native.cpu, native.libc]).toEqual([["linux"], ["x64"], ["glibc"]]);
    expect(core.engines).toEqual(native.engines);
    const lock = readFileSync(join(HERE, "package-lock.json"), "utf8");
    expect(lock).not.toMatch(/"resolved"/);
    const { devDependencies } = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
    for (const version of Object.values(devDependencies)) {
        expect(version).toMatch(/^(npm:\w+@)?\d+\.\d+\.\d+$/);
    }
});

test("there is one version", () => {
    const version = readFileSync(join(ROOT, "Cargo.toml"), "utf8").match(/^version = "(.*)"$/m)?.[1];
    expect(haltsql.VERSION).toBe(version);
    expect([manifest("core").version, manifest("core-linux-x64-gnu").version]).toEqual([version, version]);
});

test("what is tested is what is in the tarballs", () => {
    for (const [name, tarball] of [
        ["core", CORE],
        ["core-linux-x64-gnu", NATIVE],
    ] as const) {
        for (const entry of listed(tarball)) {
            const packed = spawnSync("tar", ["xzOf", tarball, entry], { maxBuffer: 2 ** 28 }).stdout;
            expect(readFileSync(installed(name, entry.slice("package/".length))).equals(packed), entry).toBe(true);
        }
    }
    expect(realpathSync(join(HERE, "node_modules", "@haltsql", "core"))).toBe(installed("core"));
});

test("the addon shows one symbol, stays loaded, and needs glibc alone", () => {
    const file = installed("core-linux-x64-gnu", "haltsql.node");
    const said = (...command: [string, ...string[]]) =>
        spawnSync(command[0], command.slice(1), { encoding: "utf8" }).stdout;
    expect(said("nm", "-D", "--defined-only", file).trim().split(/\s+/).slice(2)).toEqual(["napi_register_module_v1"]);
    const dynamic = said("readelf", "-d", file);
    expect(dynamic).toMatch(/NODELETE/);
    const known = /^(libc\.so\.6|libm\.so\.6|libgcc_s\.so\.1|libpthread\.so\.0|libdl\.so\.2|ld-linux-x86-64\.so\.2)$/;
    const needed = Array.from(dynamic.matchAll(/NEEDED.*\[(.*)\]/g), ([, name]) => name ?? "");
    expect(needed).toContain("libc.so.6");
    expect(needed.filter((name) => !known.test(name))).toEqual([]);
    const glibc = Array.from(said("objdump", "-T", file).matchAll(/GLIBC_2\.(\d+)/g), ([, minor]) => Number(minor));
    // What the README says.
    expect(Math.max(...glibc)).toBeLessThanOrEqual(34);
    const nodeApi = said("nm", "-D", "--undefined-only", file).match(/\bnapi_\w+|\buv_\w+/g) ?? [];
    expect(nodeApi.length).toBeGreaterThan(10);
});

const PROGRAM = `
const policy = Policy.fromObject({ apiVersion: "haltsql.dev/v1", kind: "Policy", metadata: { name: "p" }, spec: {} });
policy.checkAsync("SELECT 1", {}).then((later) => console.log(policy.check("SELECT 1", {}).allowed, later.allowed));`;

test("an empty folder without a network, tools or settings is enough", () => {
    const folder = scratch();
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    const { status, said } = npm(folder, "install", CORE, NATIVE);
    expect(status, said).toBe(0);
    expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["@haltsql"]);
    expect(readFileSync(join(folder, "package-lock.json"), "utf8")).not.toMatch(/https?:/);
    const clean = { folder, environment: { PATH: "/nonexistent" } };
    expect(run(`import { Policy } from "@haltsql/core";${PROGRAM}`, clean)).toBe("true true");
    expect(run(`const { Policy } = require("@haltsql/core");${PROGRAM}`, { ...clean, type: "commonjs" })).toBe(
        "true true",
    );
    expect(run(readFileSync(join(ROOT, "examples", "node", "check.mjs"), "utf8"), clean)).toContain("E_TENANT_MISSING");
});

test("import and require give the same", () => {
    const program = `
        import assert from "node:assert/strict";
        import { createRequire } from "node:module";
        import * as imported from "@haltsql/core";
        const required = createRequire(process.cwd() + "/x.js")("@haltsql/core");
        assert.deepEqual(Object.keys(imported).sort(), Object.keys(required).sort());
        for (const name of Object.keys(imported)) assert.equal(imported[name], required[name]);
        console.log(Object.keys(imported).length);`;
    expect(Number(run(program))).toBe(Object.keys(haltsql).length);
});

test.each([
    ["--cpu=arm64", "--os=linux", "--libc=glibc"],
    ["--cpu=x64", "--os=darwin"],
    ["--cpu=x64", "--os=linux", "--libc=musl"],
])("elsewhere npm takes no addon, and the package says so: %s %s", (...where) => {
    const folder = scratch();
    const optionalDependencies = { "@haltsql/core-linux-x64-gnu": `file:${NATIVE}` };
    const dependencies = { "@haltsql/core": `file:${CORE}` };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies, optionalDependencies }));
    const { status, said } = npm(folder, "install", ...where.filter((one) => one !== undefined));
    expect(status, said).toBe(0);
    expect(readdirSync(join(folder, "node_modules", "@haltsql"))).toEqual(["core"]);
    expect(refusal(folder)).toContain("the package @haltsql/core-linux-x64-gnu is missing");
});

const REFUSAL = `
const [platform, arch, glibc] = process.argv.slice(-3);
if (glibc !== "here") {
    Object.defineProperty(process, "platform", { value: platform });
    Object.defineProperty(process, "arch", { value: arch });
    process.report.getReport = () => ({ header: glibc === "musl" ? {} : { glibcVersionRuntime: glibc } });
}
try {
    require("@haltsql/core");
    console.log("loaded");
} catch (error) {
    console.log([error.name, error.code, error.number, error instanceof Error].join(" ") + ": " + error.message);
}`;

function refusal(folder: string, ...here: string[]): string {
    const given = here.length > 0 ? here : ["", "", "here"];
    const said = run(REFUSAL, { folder, type: "commonjs", arguments: given });
    expect(said).toMatch(/^VersionError version 7 true: [^\n]*$/);
    return said.replace(/^.*?: /, "");
}

test("an addon of another version is refused, whatever else it says", () => {
    const folder = doctored();
    const native = join(folder, "node_modules", "@haltsql", "core-linux-x64-gnu");
    expect(run(REFUSAL, { folder, type: "commonjs", arguments: ["", "", "here"] })).toBe("loaded");
    writeFileSync(
        join(native, "fake.js"),
        "module.exports = JSON.parse(require('node:fs').readFileSync(__dirname + '/fake.json'));",
    );
    const file = join(native, "package.json");
    writeFileSync(file, readFileSync(file, "utf8").replace("haltsql.node", "fake.js"));
    for (const [numbers, said] of [
        [
            { VERSION: "0.0.9", ABI_VERSION: 1 },
            "is of HaltSQL 0.0.9 (ABI 1), and the package @haltsql/core of 0.1.0 (ABI 1)",
        ],
        [{ VERSION: haltsql.VERSION, ABI_VERSION: 2 }, "(ABI 2)"],
        [{ VERSION: haltsql.VERSION, ABI_VERSION: "1" }, "(ABI 1)"],
        [{}, "of HaltSQL undefined (ABI undefined)"],
    ] as const) {
        writeFileSync(join(native, "fake.json"), JSON.stringify(numbers));
        const answer = refusal(folder);
        expect(answer).toContain(said);
        expect(answer).toContain("install @haltsql/core again");
    }
});

test("an addon that is missing or broken is explained", () => {
    const folder = doctored();
    const native = join(folder, "node_modules", "@haltsql", "core-linux-x64-gnu");
    writeFileSync(join(native, "haltsql.node"), "\x7fELF");
    expect(refusal(folder)).toMatch(
        /^the native addon of @haltsql\/core cannot be loaded \(.*\): install @haltsql\/core 0\.1\.0 again$/,
    );
    rmSync(native, { recursive: true });
    expect(refusal(folder)).toContain(
        "the package @haltsql/core-linux-x64-gnu is missing: install @haltsql/core 0.1.0 again",
    );
    for (const [here, said] of [
        [["darwin", "arm64", "musl"], "darwin, arm64, no glibc"],
        [["linux", "arm64", "2.36"], "linux, arm64, glibc"],
        [["linux", "x64", "musl"], "linux, x64, another C library"],
        [["win32", "x64", "2.36"], "win32, x64, no glibc"],
    ] as const) {
        expect(refusal(folder, ...here)).toBe(
            `@haltsql/core ships for Linux on x86-64 with glibc, and this is ${said}`,
        );
    }
});
