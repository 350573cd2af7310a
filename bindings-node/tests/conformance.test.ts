/** The row of Node.js: every input of every set, byte for byte (conformance/RUNNERS.md). */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DocumentFormat, HaltSQLError, Policy, type Text } from "@haltsql/core";
import { expect, test } from "vitest";

import { ROOT, same } from "./support.js";

const FOLDER = process.env.HALTSQL_CONFORMANCE_DIR ?? join(ROOT, ".build", "conformance");
const SHOWN = 10;
const policies = new Map<string, Policy>();

/** What is Unicode as a string, as programs have it; the rest as bytes. */
function asGiven(hex: string): Text {
    const bytes = Buffer.from(hex, "hex");
    const text = bytes.toString("utf8");
    return Buffer.from(text, "utf8").equals(bytes) ? text : bytes;
}

function answer(fields: readonly string[]): string {
    const [kind, , subject = "", first = "", second = ""] = fields;
    try {
        if (kind === "load") {
            const name = Buffer.from(first, "hex").toString("utf8");
            return Policy.fromString(Buffer.from(second, "hex"), { format: subject as DocumentFormat, name }).version;
        }
        expect(kind).toBe("check");
        const policy = policies.get(subject) ?? Policy.fromFile(join(FOLDER, "policies", `${subject}.yaml`));
        policies.set(subject, policy);
        return same(policy.check(asGiven(second), asGiven(first)).json);
    } catch (error) {
        if (error instanceof HaltSQLError) {
            return `error ${error.number}`;
        }
        throw error;
    }
}

test("every row of every set", () => {
    const files = readdirSync(FOLDER)
        .filter((name) => name.endsWith(".tsv"))
        .sort();
    expect(files.length, `${FOLDER} holds no set: run \`haltsql-conformance prepare\``).toBeGreaterThan(0);
    let different = 0;
    for (const file of files) {
        const [header = "", ...rows] = readFileSync(join(FOLDER, file), "utf8").replace(/\n$/, "").split("\n");
        const [magic, version, set, count, digest] = header.split("\t");
        expect([magic, version]).toEqual(["haltsql-conformance", "1"]);
        let identical = 0;
        for (const row of rows) {
            const fields = row.split("\t");
            const got = answer(fields);
            if (got === fields[5]) {
                identical += 1;
            } else {
                different += 1;
                if (different <= SHOWN) {
                    process.stderr.write(`${fields[1]}\n  expected ${fields[5]}\n  answered ${got}\n`);
                }
            }
        }
        process.stdout.write(
            `\nconformance name=node set=${set} cases=${rows.length} identical=${identical} uncarried=0 digest=${digest}\n`,
        );
        expect(rows.length).toBe(Number(count));
        expect(rows.length).toBeGreaterThan(0);
    }
    expect(different).toBe(0);
});
