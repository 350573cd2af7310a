/** Form and types: Biome; the compiler over everything here and over a program that uses the packages; what others resolve. */

import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { doctored, HERE, INSTALLED, ROOT, scratch } from "./support.js";

const TARBALLS = readdirSync(join(ROOT, ".build", "node", "tarballs")).map((name) =>
    join(ROOT, ".build", "node", "tarballs", name),
);
const MODULES = join(HERE, "node_modules");
const NEWEST = join(MODULES, "typescript", "bin", "tsc");
const OLDEST = join(MODULES, "typescript-oldest", "bin", "tsc");

function tool(
    script: string,
    given: readonly string[],
    cwd = HERE,
): { readonly status: number | null; readonly said: string } {
    const done = spawnSync(process.execPath, [script, ...given], {
        cwd,
        encoding: "utf8",
        env: { ...process.env, NO_COLOR: "1" },
    });
    return { status: done.status, said: done.stdout + done.stderr };
}

function bin(name: string, program: string): string {
    const { bin } = JSON.parse(readFileSync(join(MODULES, name, "package.json"), "utf8")) as {
        bin: Record<string, string>;
    };
    return join(MODULES, name, bin[program] ?? "");
}

test("package, tests, benchmark and example have one form", () => {
    const folders = [
        ".",
        join(ROOT, "bench", "guards.mjs"),
        join(ROOT, "bench", "overhead.mjs"),
        join(ROOT, "examples", "node"),
    ];
    const biome = (...more: string[]) =>
        tool(bin("@biomejs/biome", "biome"), ["check", "--error-on-warnings", `--config-path=${HERE}`, ...more]);
    const { status, said } = biome(...folders);
    expect(said).toMatch(/Checked (4[5-9]|[5-9]\d) files/);
    expect(status, said).toBe(0);
    const bad = join(scratch(), "bad.ts");
    writeFileSync(bad, "const  a = 1");
    expect(biome(bad).status).not.toBe(0);
});

test("the compiler accepts package and tests", () => {
    expect(tool(NEWEST, ["-p", "tests"])).toEqual({ status: 0, said: "" });
});

const PROGRAM = readFileSync(join(HERE, "tests", "programs", "typed.ts.txt"), "utf8");
const WRONG = PROGRAM.split("\n").flatMap((line, at) => (line.trim() === "// wrong" ? [at + 2] : []));

/** The lines of the program that the compiler finds errors in. */
function compiled(compiler: string, file: string, options: Record<string, unknown>): number[] {
    const folder = scratch();
    symlinkSync(join(INSTALLED, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, file), PROGRAM);
    const compilerOptions = {
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        types: [],
        target: "es2022",
        lib: ["es2022"],
        ...options,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
    const { said } = tool(compiler, ["-p", ".", "--pretty", "false"], folder);
    const places = said.split("\n").filter((line) => /^\S/.test(line));
    const lines = places.map((line) => Number(line.match(/^program\.\w+\((\d+),/)?.[1] ?? Number.NaN));
    return [...new Set(lines)].sort((one, other) => one - other);
}

test.each([
    ["the newest compiler, import", NEWEST, "program.mts", { module: "nodenext" }],
    ["the newest compiler, require", NEWEST, "program.cts", { module: "nodenext", exactOptionalPropertyTypes: true }],
    ["the newest compiler, for a bundler", NEWEST, "program.ts", { module: "esnext", moduleResolution: "bundler" }],
    ["the oldest compiler, import", OLDEST, "program.mts", { module: "node16" }],
    ["the oldest compiler, require", OLDEST, "program.cts", { module: "node16" }],
])("a program is typed without any other types: %s", (_, compiler, file, options) => {
    expect(WRONG.length).toBeGreaterThan(15);
    expect(compiled(compiler, file, options)).toEqual(WRONG);
});

test("publint has nothing to say", () => {
    const publint = join(MODULES, "publint", "src", "cli.js");
    for (const tarball of TARBALLS) {
        const { status, said } = tool(publint, ["run", tarball, "--strict"]);
        expect(said).toContain("All good!");
        expect(status).toBe(0);
    }
    const folder = join(doctored(), "node_modules", "@haltsql", "core");
    rmSync(join(folder, "dist", "index.d.mts"));
    expect(tool(publint, ["run", folder, "--strict", "--pack=false"]).status).not.toBe(0);
});

test("types are resolved as the runtime resolves", () => {
    const attw = bin("@arethetypeswrong/cli", "attw");
    const core = TARBALLS.find((name) => /core-\d/.test(name)) ?? "";
    const { status, said } = tool(attw, [core, "--format", "json", "--profile", "node16"]);
    expect(status, said).toBe(0);
    const report = JSON.parse(said) as {
        analysis: { entrypoints: Record<string, unknown>; types: unknown };
        problems?: object;
    };
    expect(Object.keys(report.analysis.entrypoints)).toEqual([".", "./pg", "./postgres", "./ai", "./package.json"]);
    expect(report.analysis.types).toMatchObject({ kind: "included" });
    const broken = join(scratch(), "package");
    cpSync(join(INSTALLED, "node_modules", "@haltsql", "core"), broken, { recursive: true });
    rmSync(join(broken, "dist", "index.d.mts"));
    expect(tool(attw, ["--pack", broken], broken).status).not.toBe(0);
});
