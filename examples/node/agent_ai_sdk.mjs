// An agent of the Vercel AI SDK that asks a database: rows for the model, their receipt for the program.
//
//     npm install @haltsql/core pg ai
//     PGHOST=/run/postgresql PGDATABASE=shop node agent_ai_sdk.mjs
//
// The database is the demo's shop (cli/src/demo/schema.sql). The model is one of the SDK's that says what it is told to; put your
// provider's in its place.

import { Guard, Policy } from "@haltsql/core";
import { sqlTool } from "@haltsql/core/ai";
import { guardedTransaction } from "@haltsql/core/pg";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import pg from "pg";

const POLICY = `
apiVersion: haltsql.dev/v1
kind: Policy
metadata:
  name: analytics-agent
spec:
  search_path: [app]
  tenancy:
    keys:
      - { column: tenant_id, context: tenant_id }
  tables:
    app.customers:
      columns: [id, tenant_id, name, region]
      hidden: [email, ssn]
`;

const pool = new pg.Pool();
const runSql = sqlTool({
    guard: new Guard(Policy.fromString(POLICY)),
    transaction: (...given) => guardedTransaction(pool, ...given),
    // From the login of this request, never from the model.
    context: { tenant_id: "acme" },
});

const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };
const asks = (id, sql) => ({
    content: [{ type: "tool-call", toolCallId: id, toolName: "runSql", input: JSON.stringify({ sql }) }],
    finishReason: { unified: "tool-calls" },
    usage,
    warnings: [],
});
const model = new MockLanguageModelV3({
    doGenerate: [
        asks("1", "SELECT count(*) FROM customers"),
        // It has read what to mend.
        asks("2", "SELECT count(*) FROM customers WHERE tenant_id = $1"),
        { content: [{ type: "text", text: "Done." }], finishReason: { unified: "stop" }, usage, warnings: [] },
    ],
});

const { text, steps } = await generateText({
    model,
    tools: { runSql },
    prompt: "How many customers have we?",
    stopWhen: stepCountIs(5),
});
for (const { output } of steps.flatMap(({ toolResults }) => toolResults)) {
    console.log(output.ran ? `${output.text}\nreceipt ${output.receipt.result_sha256}` : `${output.text}\n`);
}
console.log(text);
await pool.end();
