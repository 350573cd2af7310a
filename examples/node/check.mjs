// What an agent writes, judged before anything is sent to PostgreSQL, and what the agent is told.
//
//     npm install @haltsql/core
//     node check.mjs

import { HaltSQLError, Policy } from "@haltsql/core";

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
      hidden: [email]
      complete: true
`;

// Of the agent, one after another: each answer shows it what to mend.
const QUERIES = [
    "SELECT name FROM customers WHERE tenant_id = $1",
    "SELECT name, email FROM customers",
    "SELECT region, count(*) FROM customers WHERE tenant_id = $1 GROUP BY region",
    "DROP TABLE customers",
];

const policy = Policy.fromString(POLICY);
// From the login, never from the agent.
const caller = policy.forContext({ tenant_id: "acme" });

for (const sql of QUERIES) {
    try {
        const verdict = await caller.checkAsync(sql, { signal: AbortSignal.timeout(10_000) });
        if (verdict.allowed) {
            const values = verdict.bindParams.map(({ value }) => value);
            console.log(`allowed: ${sql}`);
            console.log(`  bind ${JSON.stringify(values)}, with search_path ${policy.searchPathValue()}\n`);
        } else {
            console.log(`${verdict.forAgent()}\n`);
        }
    } catch (error) {
        if (!(error instanceof HaltSQLError)) throw error;
        console.log(`no check happened, so nothing runs: ${error.message}`);
    }
}
