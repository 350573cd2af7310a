/** The guards of `pg` for `import`: the same objects as for `require`. */

export type { PgClient, PgPool } from "./pg.js";
export { guardedExecute, guardedQuery, guardedTransaction } from "./pg.js";
