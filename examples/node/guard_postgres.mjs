// What an agent writes, run through the guard on a pool of postgres.js: rows with a receipt, or what to mend.
//
//     npm install @haltsql/core postgres
//     PGHOST=/run/postgresql PGDATABASE=shop node guard_postgres.mjs
//
// The database is the demo's shop (cli/src/demo/schema.sql).

import { Guard, Policy } from "@haltsql/core";
import { guardedTransaction } from "@haltsql/core/postgres";
import postgres from "postgres";

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

// Of the agent, one after another: each answer shows it what to mend.
const QUERIES = [
    "SELECT name, email FROM customers",
    "SELECT name FROM customers WHERE tenant_id = $1 ORDER BY name",
];

const guard = new Guard(Policy.fromString(POLICY));
const pool = postgres();

// The context comes from the login, never from the agent.
await guardedTransaction(pool, guard, { tenant_id: "acme" }, async (tx) => {
    for (const sql of QUERIES) {
        const result = await tx.attempt(sql);
        if (result.allowed) {
            const names = result.rows.map(([name]) => name);
            console.log(`${names.join(", ")}, as receipt ${result.receipt.resultSha256.slice(0, 12)} says`);
        } else {
            console.log(`${result.forAgent()}\n`);
        }
    }
});
await pool.end();
