/** Living in a host: its event loop, its workers, its signals, its memory. No test here looks at a clock. */

import { getEventListeners } from "node:events";
import { HaltSQLError, Policy } from "@haltsql/core";
import { expect, test } from "vitest";

import { ACME, ALLOWED, DENIED, LARGE, POLICY_FILE, run, same } from "./support.js";

const policy = Policy.fromFile(POLICY_FILE);
const caller = policy.forContext(ACME);

/** How often a timer of 5 ms fires meanwhile. */
async function ticks(work: () => unknown): Promise<number> {
    let count = 0;
    const timer = setInterval(() => {
        count += 1;
    }, 5);
    await work();
    clearInterval(timer);
    return count;
}

test("the event loop turns while a large check is awaited", async () => {
    const texts = Array.from({ length: 100 }, () => LARGE);
    // At once, no timer fires: the same work would be noticed.
    expect(await ticks(() => caller.checkMany(texts))).toBe(0);
    expect(await ticks(() => caller.checkManyAsync(texts))).toBeGreaterThan(3);
    const one = `SELECT ${Array.from({ length: 300 }, () => "'x' || 'y'").join(", ")}`;
    let fired = 0;
    for (let attempt = 0; attempt < 200 && fired === 0; attempt += 1) {
        setImmediate(() => {
            fired += 1;
        });
        const pending = policy.checkAsync(one, ACME);
        expect(fired).toBe(0);
        await pending;
    }
    expect(fired).toBeGreaterThan(0);
});

test("the event loop turns between parts of a long list", async () => {
    const texts = Array.from({ length: 20_000 }, () => "");
    let turns = 0;
    const turn = () => {
        turns += 1;
        again = setImmediate(turn);
    };
    let again = setImmediate(turn);
    expect((await caller.checkManyAsync(texts)).length).toBe(20_000);
    clearImmediate(again);
    expect(turns).toBeGreaterThan(20);
});

test("four checks run at the same time", () => {
    // Where one waited for another, the four threads of Node's pool would never be inside together.
    const program = `
        import { Policy } from "@haltsql/core";
        import { readdirSync, readFileSync } from "node:fs";
        const caller = Policy.fromFile(${JSON.stringify(POLICY_FILE)}).forContext({ tenant_id: "acme" });
        const texts = Array.from({ length: 250 }, () => ${JSON.stringify(LARGE)});
        const times = () => readdirSync("/proc/self/task").map((id) => {
            const fields = readFileSync("/proc/self/task/" + id + "/stat", "utf8").split(") ")[1].split(" ");
            return [id, Number(fields[11]) + Number(fields[12])];
        });
        const before = new Map(times());
        let done = 0;
        const pending = [1, 2, 3, 4].map(async () => { await caller.checkManyAsync(texts); done += 1; });
        let most = 0;
        while (done === 0) {
            await new Promise((resolve) => setTimeout(resolve, 10));
            if (done === 0) {
                const worked = times().filter(([id, time]) => Number(id) !== process.pid && time > (before.get(id) ?? 0));
                most = Math.max(most, worked.length);
            }
        }
        await Promise.all(pending);
        console.log(most >= 4);`;
    expect(run(program)).toBe("true");
});

test("an aborted signal ends the wait with its reason", async () => {
    const because = new Error("the user went away");
    const texts = Array.from({ length: 1_000_000 }, () => ALLOWED);
    for (const call of [
        (signal: AbortSignal) => policy.checkAsync(LARGE, ACME, { signal }),
        (signal: AbortSignal) => caller.checkAsync(LARGE, { signal }),
        (signal: AbortSignal) => caller.checkManyAsync([LARGE, LARGE], { signal, threads: 2 }),
        // To its end, this list would outlast the test's time many times.
        (signal: AbortSignal) => policy.checkManyAsync(texts, ACME, { signal }),
    ]) {
        const controller = new AbortController();
        const pending = call(controller.signal);
        setImmediate(() => controller.abort(because));
        await expect(pending).rejects.toBe(because);
        expect(getEventListeners(controller.signal, "abort")).toEqual([]);
        // From the start.
        await expect(call(controller.signal)).rejects.toBe(because);
    }
    await expect(caller.checkManyAsync([], { signal: AbortSignal.abort(because) })).rejects.toBe(because);
    const usual = caller.checkAsync(ALLOWED, { signal: AbortSignal.abort() });
    await expect(usual).rejects.toMatchObject({ name: "AbortError" });
    await expect(usual).rejects.not.toBeInstanceOf(HaltSQLError);
});

test("many wait for one signal", async () => {
    const controller = new AbortController();
    const calls = Array.from({ length: 200 }, () => caller.checkManyAsync([LARGE], { signal: controller.signal }));
    setImmediate(() => controller.abort("enough"));
    const settled = await Promise.allSettled(calls);
    expect(settled.every((one) => one.status === "fulfilled" || one.reason === "enough")).toBe(true);
    expect(settled.at(-1)?.status).toBe("rejected");
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("a signal that is not aborted changes nothing", async () => {
    const { signal } = new AbortController();
    let heard = 0;
    signal.onabort = () => {
        heard += 1;
    };
    const own = signal.onabort;
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on("warning", warned);
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => caller.checkAsync(DENIED, { signal })));
    expect(new Set(verdicts.map(({ json }) => same(json)))).toEqual(new Set([same(policy.check(DENIED, ACME).json)]));
    await expect(caller.checkAsync("\ud800", { signal })).rejects.toBeInstanceOf(HaltSQLError);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", warned);
    expect(warnings).toEqual([]);
    expect([signal.onabort === own, heard, getEventListeners(signal, "abort").length]).toEqual([true, 0, 1]);
});

const WORKERS = `
const { Worker } = require("node:worker_threads");
const program = \`
    const { Policy } = require("@haltsql/core");
    const { parentPort } = require("node:worker_threads");
    const policy = Policy.fromFile(${JSON.stringify(POLICY_FILE)});
    policy.checkAsync(${JSON.stringify(ALLOWED)}, { tenant_id: "acme" }).then(({ allowed, sqlSha256 }) => {
        const { json } = policy.check(${JSON.stringify(DENIED)}, { tenant_id: "acme" });
        parentPort.postMessage(allowed + json.slice(0, json.lastIndexOf(",")));
    });\`;
(async () => {
    const seen = new Set();
    let ended = 0;
    for (let round = 0; round < 5; round += 1) {
        await Promise.all(Array.from({ length: 10 }, () => new Promise((resolve, reject) => {
            const worker = new Worker(program, { eval: true });
            worker.on("message", (message) => seen.add(message));
            worker.on("error", reject);
            worker.on("exit", (code) => code === 0 ? resolve(ended += 1) : reject(new Error("exit code " + code)));
        })));
    }
    console.log(ended, seen.size, [...seen][0].startsWith('true{"allowed":false'));
})();
`;

test("fifty workers load it, check and end, in a process that never loads it", () => {
    expect(run(WORKERS, { type: "commonjs" })).toBe("50 1 true");
});

const TERMINATED = `
const { Worker } = require("node:worker_threads");
const program = \`
    const { Policy } = require("@haltsql/core");
    const caller = Policy.fromFile(${JSON.stringify(POLICY_FILE)}).forContext({ tenant_id: "acme" });
    for (let at = 0; at < 6; at += 1) caller.checkManyAsync(Array.from({ length: 20 }, () => ${JSON.stringify(LARGE)}), { threads: 2 });
    require("node:worker_threads").parentPort.postMessage("busy");\`;
(async () => {
    const codes = [];
    for (let round = 0; round < 8; round += 1) {
        const worker = new Worker(program, { eval: true });
        await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
        codes.push(await worker.terminate());
    }
    const { Policy } = require("@haltsql/core");
    console.log(codes.length, Policy.fromFile(${JSON.stringify(POLICY_FILE)}).check("SELECT 1", { tenant_id: "acme" }).allowed);
})();
`;

test("a worker that is terminated during checks takes nothing along", () => {
    expect(run(TERMINATED, { type: "commonjs" })).toBe("8 true");
});

test("a process ends that has nothing else to do, and in the midst of checks", () => {
    const program = (end: string) => `
        import { Policy } from "@haltsql/core";
        const caller = Policy.fromFile(${JSON.stringify(POLICY_FILE)}).forContext({ tenant_id: "acme" });
        caller.checkManyAsync(Array.from({ length: 100 }, () => ${JSON.stringify(LARGE)}), { threads: 2 });
        ${end}
        console.log("end");`;
    expect(run(program(""))).toBe("end");
    expect(run(program("setImmediate(() => process.exit(0));"))).toBe("end");
});

test("a small stack gives the same verdict", () => {
    const program = `
        const { Worker, isMainThread, parentPort } = require("node:worker_threads");
        const texts = [...[10, 100, 500, 1000].map((count) => "SELECT " + "1+".repeat(count) + "1"),
            "SELECT " + "(".repeat(900) + "1" + ")".repeat(900), ${JSON.stringify(LARGE)}];
        const checked = \`
            const { Policy } = require("@haltsql/core");
            const caller = Policy.fromFile(${JSON.stringify(POLICY_FILE)}).forContext({ tenant_id: "acme" });
            const spelt = \${JSON.stringify(texts)}.map((text) => caller.check(text).json.replace(/,"elapsed_us":.*/, ""));\`;
        const here = new Function("require", checked + "return spelt;")(require);
        const worker = new Worker(checked + 'require("node:worker_threads").parentPort.postMessage(spelt);',
            { eval: true, resourceLimits: { stackSizeMb: 0.5 } });
        worker.on("message", (there) => console.log(there.length, JSON.stringify(there) === JSON.stringify(here)));`;
    expect(run(program, { type: "commonjs" })).toBe("6 true");
});

const MEMORY = `
import { ContextError, Policy } from "@haltsql/core";
import { Worker } from "node:worker_threads";
const file = ${JSON.stringify(POLICY_FILE)};
const policy = Policy.fromFile(file);
const context = { tenant_id: "acme" };
const texts = [${JSON.stringify(ALLOWED)}, ${JSON.stringify(DENIED)}, "SELECT '" + "x".repeat(4000), "SELECT " + "1+".repeat(150) + "1"];
async function checks(rounds) {
    for (let round = 0; round < rounds; round += 1) {
        for (const text of texts) {
            const verdict = policy.check(text, context);
            verdict.reasons.length + verdict.forAgent().length;
            await policy.checkAsync(Buffer.from(text), context);
        }
        try { policy.check("", "["); } catch (error) { if (!(error instanceof ContextError)) throw error; }
        policy.checkMany(texts, context);
        await policy.checkManyAsync(texts, context, { threads: 2, signal: new AbortController().signal });
        // Left to the garbage collector, on purpose.
        policy.forContext(context);
        Policy.fromFile(file);
    }
    for (let at = 0; at < 5; at += 1) { gc(); await new Promise((resolve) => setImmediate(resolve)); }
}
await checks(300);
const before = process.memoryUsage.rss();
await checks(900);
console.log(Math.round((process.memoryUsage.rss() - before) / 1024));
`;

test("memory does not grow with checks, threads and objects", () => {
    // 14,400 checks, 900 policies: a leak of 300 bytes for each check would be 4,200 KiB, one of each policy as much again.
    const grown = Number(run(MEMORY, { flags: ["--expose-gc", "--max-semi-space-size=1"] }));
    expect(grown).toBeLessThan(4_000);
});
