/** The guards of `postgres` for `import`: the same objects as for `require`. */

export type { PostgresConnection, PostgresPool } from "./postgres.js";
export { guardedExecute, guardedQuery, guardedTransaction } from "./postgres.js";
