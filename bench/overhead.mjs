// What a check costs from Node.js (bench/README.md has the contract). A verdict's JSON and `allowed` are both read.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Policy } from "@haltsql/core";

const FOLDER = process.env.HALTSQL_BENCH_DIR;
const [BATCHES, BATCH, THROUGHPUT] = [300, 10, 4_000];

const [, ...rows] = readFileSync(join(FOLDER, "bench.tsv"), "utf8").trimEnd().split("\n");
const texts = rows.map((row) => {
    const [, name, policy, context, sql] = row.split("\t");
    const caller = Policy.fromFile(join(FOLDER, "policies", `${policy}.yaml`)).forContext(Buffer.from(context, "hex"));
    return { caller, name, sql: Buffer.from(sql, "hex").toString() };
});

/** Nanoseconds of one batch, and those of them on the core's own clock. */
function batch({ caller, sql }) {
    const spelt = [];
    const started = process.hrtime.bigint();
    for (let at = 0; at < BATCH; at += 1) {
        const verdict = caller.check(sql);
        if (!verdict.allowed) {
            throw new Error(`not allowed: ${sql}`);
        }
        spelt.push(verdict.json);
    }
    const took = Number(process.hrtime.bigint() - started);
    const core = spelt.map((json) => 1_000 * Number(json.slice(json.lastIndexOf(":") + 1, -1)));
    return { took, core: core.reduce((sum, one) => sum + one, 0) };
}

function checks() {
    const [{ caller, sql }] = texts;
    for (let at = 0; at < THROUGHPUT; at += 1) {
        caller.check(sql);
    }
}

/** Checks a second on so many threads: workers that are ready, and begin together. */
async function throughput(count) {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const workers = Array.from({ length: count }, () => new Worker(new URL(import.meta.url), { workerData: gate }));
    const told = (worker) => new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    await Promise.all(workers.map(told));
    const done = Promise.all(workers.map(told));
    const started = process.hrtime.bigint();
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    await done;
    return (count * THROUGHPUT) / (Number(process.hrtime.bigint() - started) / 1e9);
}

if (isMainThread) {
    for (const text of texts) {
        const batches = Array.from({ length: BATCHES }, () => batch(text));
        const least = Math.min(...batches.map(({ took }) => took)) / BATCH;
        const beside = Math.min(...batches.map(({ took, core }) => took - core)) / BATCH;
        console.log(`overhead name=node text=${text.name} ns=${least.toFixed(0)} beside_ns=${beside.toFixed(0)}`);
    }
    for (const count of [1, 2]) {
        console.log(`throughput name=node threads=${count} per_s=${(await throughput(count)).toFixed(0)}`);
    }
} else {
    checks();
    parentPort.postMessage("ready");
    Atomics.wait(workerData, 0, 0);
    checks();
    parentPort.postMessage("done");
}
