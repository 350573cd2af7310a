-- GORM and its kin (sqlx, Ent, Bun, Drizzle, Knex, TypeORM, ActiveRecord, Ecto, Doctrine): preload lists, count wrappers, "t0" aliases.

-- name: gorm-first
SELECT * FROM "orders" WHERE tenant_id = $1 AND "orders"."id" = 10 ORDER BY "orders"."id" LIMIT 1

-- name: gorm-preload
SELECT * FROM "order_items" WHERE "order_items"."order_id" IN (1,2,3) AND tenant_id = $1

-- name: gorm-joins
SELECT "orders"."id","orders"."total","Customer"."id" AS "Customer__id","Customer"."name" AS "Customer__name" FROM "orders" LEFT JOIN "customers" "Customer" ON "orders"."customer_id" = "Customer"."id" AND "orders"."tenant_id" = "Customer"."tenant_id" WHERE "orders"."tenant_id" = $1 AND ("orders"."coupon" IS NULL OR "orders"."coupon" = 'SPRING')

-- name: gorm-count
SELECT count(*) FROM "orders" WHERE tenant_id = $1 AND status <> 'cancelled'

-- name: gorm-group-having
SELECT status, sum(total) as total FROM "orders" WHERE tenant_id = $1 GROUP BY "status" HAVING sum(total) > 10

-- name: gorm-subquery-in-from
SELECT * FROM (SELECT id, name, country FROM "customers" WHERE tenant_id = $1) as u WHERE country = 'DE'

-- name: ent-with-edges
SELECT "t1"."id", "t1"."name" FROM "teams" AS "t1" JOIN (SELECT "users"."team_id" FROM "users" WHERE "users"."role" = 'admin' AND "users"."tenant_id" = $1) AS "t2" ON "t1"."id" = "t2"."team_id" WHERE "t1"."tenant_id" = $1 LIMIT 5

-- name: ent-has-neighbours
SELECT DISTINCT "users"."id", "users"."name" FROM "users" WHERE "users"."tenant_id" = $1 AND "users"."id" IN (SELECT "tickets"."assignee_id" FROM "tickets" WHERE "tickets"."assignee_id" IS NOT NULL AND "tickets"."tenant_id" = $1)

-- name: bun-with-values
WITH "_data" ("id") AS (VALUES (1::integer), (2::integer), (3::integer)) SELECT "o"."id", "o"."status" FROM "orders" AS "o" JOIN "_data" ON "_data"."id" = "o"."id" WHERE "o"."tenant_id" = $1

-- name: drizzle-relational
select "orders"."id", "orders"."status", "orders_items"."data" as "items" from "orders" "orders" left join lateral (select coalesce(json_agg(json_build_array("orders_items"."id", "orders_items"."quantity")), '[]'::json) as "data" from "order_items" "orders_items" where "orders_items"."order_id" = "orders"."id" and "orders_items"."tenant_id" = "orders"."tenant_id") "orders_items" on true where "orders"."tenant_id" = $1 limit 10

-- name: knex-paginate
select "o"."id", "c"."name", count(*) over () as "full_count" from "orders" as "o" inner join "customers" as "c" on "c"."id" = "o"."customer_id" and "c"."tenant_id" = "o"."tenant_id" where "o"."tenant_id" = $1 order by "o"."placed_at" desc limit 10

-- name: typeorm-take-skip
SELECT DISTINCT "distinctAlias"."order_id" AS "ids_order_id", "distinctAlias"."order_placed_at" FROM (SELECT "order"."id" AS "order_id", "order"."placed_at" AS "order_placed_at", "items"."id" AS "items_id" FROM "orders" "order" LEFT JOIN "order_items" "items" ON "items"."order_id"="order"."id" AND "items"."tenant_id"="order"."tenant_id" WHERE "order"."tenant_id" = $1) "distinctAlias" ORDER BY "distinctAlias"."order_placed_at" DESC, "order_id" ASC LIMIT 10

-- name: active-record-includes
SELECT "orders"."id" AS t0_r0, "orders"."status" AS t0_r1, "order_items"."id" AS t1_r0, "order_items"."quantity" AS t1_r1 FROM "orders" LEFT OUTER JOIN "order_items" ON "order_items"."order_id" = "orders"."id" AND "order_items"."tenant_id" = "orders"."tenant_id" WHERE "orders"."tenant_id" = $1 AND "orders"."status" = 'paid'

-- name: active-record-calculation
SELECT COUNT(*) AS "count_all", DATE_TRUNC('day', "orders"."placed_at"::timestamptz AT TIME ZONE 'Etc/UTC')::date AS "date_trunc_day" FROM "orders" WHERE "orders"."tenant_id" = $1 AND ("orders"."placed_at" >= '2024-01-01 00:00:00') GROUP BY DATE_TRUNC('day', "orders"."placed_at"::timestamptz AT TIME ZONE 'Etc/UTC')::date

-- name: active-record-exists-one
SELECT 1 AS one FROM "users" WHERE "users"."tenant_id" = $1 AND "users"."email" = 'u1@acme.example' LIMIT 1

-- name: active-record-missing-association
SELECT "customers"."id" FROM "customers" LEFT OUTER JOIN "orders" ON "orders"."customer_id" = "customers"."id" AND "orders"."tenant_id" = "customers"."tenant_id" WHERE "customers"."tenant_id" = $1 AND "orders"."id" IS NULL

-- name: ecto-preload-and-fragment
SELECT o0."id", o0."status", date_part('isodow', o0."placed_at"), c1."name" FROM "orders" AS o0 INNER JOIN "customers" AS c1 ON (c1."id" = o0."customer_id") AND (c1."tenant_id" = o0."tenant_id") WHERE (o0."tenant_id" = $1) AND (o0."id" = ANY('{1,2,3}'))

-- name: ecto-subquery-select-merge
SELECT s0."customer_id", s0."n", rank() OVER "w" FROM (SELECT so0."customer_id" AS "customer_id", count(so0."id") AS "n" FROM "orders" AS so0 WHERE (so0."tenant_id" = $1) GROUP BY so0."customer_id") AS s0 WINDOW "w" AS (ORDER BY s0."n" DESC)

-- name: doctrine-paginator
SELECT DISTINCT id_0, placed_at_1 FROM (SELECT o0_.id AS id_0, o0_.placed_at AS placed_at_1, i1_.id AS id_2 FROM orders o0_ LEFT JOIN order_items i1_ ON o0_.id = i1_.order_id AND o0_.tenant_id = i1_.tenant_id WHERE o0_.tenant_id = $1) dctrn_result ORDER BY placed_at_1 DESC, id_0 ASC LIMIT 10

-- name: entity-framework-split
-- refused: E_TENANT_MISSING: `t` proves its tenant inside, so its column is a fact, and a fact is not carried into another subquery (rule 9)
SELECT t.id, t.name, o0.id, o0.total FROM (SELECT c.id, c.name, c.tenant_id FROM customers AS c WHERE c.tenant_id = $1 ORDER BY c.name LIMIT 5 OFFSET 0) AS t LEFT JOIN (SELECT o.id, o.total, o.customer_id, o.tenant_id FROM orders AS o WHERE o.total > 20.0) AS o0 ON t.id = o0.customer_id AND t.tenant_id = o0.tenant_id ORDER BY t.name, t.id

-- name: entity-framework-row-number-take
-- refused: E_TENANT_MISSING: `t` proves its tenant inside, so its column is a fact, and a fact is not carried through a window (rule 9): the inner query would compute over every tenant
SELECT t.customer_id, t0.id FROM (SELECT o.customer_id, o.tenant_id FROM orders AS o WHERE o.tenant_id = $1 GROUP BY o.customer_id, o.tenant_id) AS t LEFT JOIN (SELECT t1.id, t1.customer_id, t1.tenant_id FROM (SELECT o0.id, o0.customer_id, o0.tenant_id, ROW_NUMBER() OVER(PARTITION BY o0.customer_id, o0.tenant_id ORDER BY o0.placed_at DESC) AS "row" FROM orders AS o0) AS t1 WHERE t1."row" <= 1) AS t0 ON t.customer_id = t0.customer_id AND t.tenant_id = t0.tenant_id

-- name: jooq-multiset
select "c"."id", (select coalesce(jsonb_agg(jsonb_build_array("v0", "v1")), jsonb_build_array()) from (select "o"."id" as "v0", "o"."total" as "v1" from "public"."orders" as "o" where ("o"."customer_id" = "c"."id" and "o"."tenant_id" = "c"."tenant_id")) as "t") as "orders" from "public"."customers" as "c" where "c"."tenant_id" = $1

-- name: postgrest-embed
WITH pgrst_source AS ( SELECT "public"."orders"."id", row_to_json("orders_customers_1".*)::jsonb AS "customers" FROM "public"."orders" LEFT JOIN LATERAL ( SELECT "customers_1"."id", "customers_1"."name" FROM "public"."customers" AS "customers_1" WHERE "customers_1"."id" = "public"."orders"."customer_id" AND "customers_1"."tenant_id" = "public"."orders"."tenant_id" ) AS "orders_customers_1" ON TRUE WHERE "public"."orders"."tenant_id" = $1 LIMIT 10 OFFSET 0 ) SELECT pg_catalog.count(_postgrest_t) AS page_total, coalesce(json_agg(_postgrest_t), '[]') AS body FROM ( SELECT * FROM pgrst_source ) _postgrest_t

-- name: hasura-list-over-hidden-columns
-- refused: E_COLUMN_DENIED: the star reads `tax_number`, which the policy hides; Hasura writes it where its own metadata don't narrow the columns
SELECT coalesce(json_agg("root"), '[]') AS "root" FROM ( SELECT row_to_json( ( SELECT "_e" FROM ( SELECT "_root.base"."id" AS "id", "_root.base"."name" AS "name", "_root.ar.root.orders"."orders" AS "orders" ) AS "_e" ) ) AS "root" FROM ( SELECT * FROM "public"."customers" WHERE ("public"."customers"."tenant_id") = ($1) LIMIT 10 ) AS "_root.base" LEFT OUTER JOIN LATERAL ( SELECT coalesce(json_agg("orders"), '[]') AS "orders" FROM ( SELECT row_to_json( ( SELECT "_e" FROM ( SELECT "_root.ar.root.orders.base"."id" AS "id", "_root.ar.root.orders.base"."total" AS "total" ) AS "_e" ) ) AS "orders" FROM ( SELECT * FROM "public"."orders" WHERE (("_root.base"."id") = ("customer_id") AND ("_root.base"."tenant_id") = ("tenant_id")) ) AS "_root.ar.root.orders.base" ) AS "_root.ar.root.orders" ) AS "_root.ar.root.orders" ON ('true') ) AS "_root"

-- name: hasura-list
SELECT coalesce(json_agg("root"), '[]') AS "root" FROM ( SELECT row_to_json( ( SELECT "_e" FROM ( SELECT "_root.base"."id" AS "id", "_root.base"."name" AS "name", "_root.ar.root.orders"."orders" AS "orders" ) AS "_e" ) ) AS "root" FROM ( SELECT * FROM "public"."categories" WHERE ("public"."categories"."tenant_id") = ($1) LIMIT 10 ) AS "_root.base" LEFT OUTER JOIN LATERAL ( SELECT coalesce(json_agg("orders"), '[]') AS "orders" FROM ( SELECT row_to_json( ( SELECT "_e" FROM ( SELECT "_root.ar.root.orders.base"."id" AS "id", "_root.ar.root.orders.base"."price" AS "total" ) AS "_e" ) ) AS "orders" FROM ( SELECT * FROM "public"."products" WHERE (("_root.base"."id") = ("category_id") AND ("_root.base"."tenant_id") = ("tenant_id")) ) AS "_root.ar.root.orders.base" ) AS "_root.ar.root.orders" ) AS "_root.ar.root.orders" ON ('true') ) AS "_root"
