-- Spellings and corners that generators produce: quoting, parentheses, casts, series, limits, types.

-- name: quoted-with-database-free-names-and-odd-aliases
SELECT "o"."id" AS "Order: #", "o"."total" AS "sum(total) [€]", "c"."name" AS "客户" FROM "public"."orders" AS "o", "public"."customers" AS "c" WHERE "c"."id" = "o"."customer_id" AND "c"."tenant_id" = "o"."tenant_id" AND "o"."tenant_id" = $1 ORDER BY "sum(total) [€]" DESC LIMIT 5

-- name: unaliased-schema-qualified-columns
SELECT public.orders.id, public.customers.name FROM public.orders JOIN public.customers ON public.customers.id = public.orders.customer_id AND public.customers.tenant_id = public.orders.tenant_id WHERE public.orders.tenant_id = $1 LIMIT 5

-- name: casts-in-three-spellings
SELECT CAST(total AS integer), total::float8::numeric(10, 1), int4 '7', CAST(placed_at AS date), placed_at::timestamp(0), status::varchar(3), status::char(10), DATE '2024-01-01', TIMESTAMP WITH TIME ZONE '2024-01-01 00:00:00+00', total::text::numeric, CAST(id AS bigint)::smallint, '1'::bit(3), E'a\nb', U&'\0041', $$dollar$$, N'national', 1e3, 0xff, 1_000 FROM orders WHERE tenant_id = $1 LIMIT 1

-- name: negative-limit-spellings
SELECT id FROM orders WHERE tenant_id = $1 ORDER BY id OFFSET 3 ROWS FETCH NEXT 2 ROWS ONLY

-- name: limit-all
SELECT id FROM tags WHERE tenant_id = $1 ORDER BY id LIMIT ALL OFFSET 0

-- name: limit-by-expression
SELECT id FROM orders WHERE tenant_id = $1 ORDER BY id LIMIT (5 * 2)

-- name: order-by-nulls-and-expressions
SELECT id FROM orders WHERE tenant_id = $1 ORDER BY shipped_at DESC NULLS LAST, (total > 100), status COLLATE "C", RIGHT(status, 2) LIMIT 5

-- name: series-of-integers-as-page-numbers
SELECT n, (SELECT COUNT(*) FROM orders WHERE tenant_id = $1 AND id % 10 = n) FROM generate_series(0, 9) AS n

-- name: series-in-select-list
SELECT generate_series(1, 3) AS n, (SELECT COUNT(*) FROM orders WHERE tenant_id = $1) AS orders

-- name: series-of-weeks-backwards
SELECT w::date FROM generate_series(DATE '2024-03-31', DATE '2024-03-01', INTERVAL '-1 week') AS w

-- name: series-of-hours-as-date-plus-integers
SELECT DATE '2024-01-01' + i AS day, COUNT(o.id) FROM generate_series(0, 30) AS i LEFT JOIN orders o ON o.placed_at::date = DATE '2024-01-01' + i AND o.tenant_id = $1 GROUP BY i ORDER BY i

-- name: series-short-intervals
SELECT COUNT(*) FROM generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-02', '1h') AS h

-- name: series-clock-interval
SELECT COUNT(*) FROM generate_series(TIMESTAMPTZ '2024-01-01', TIMESTAMPTZ '2024-01-02', INTERVAL '00:30:00') AS h

-- name: series-from-now-minus-interval
SELECT g::date AS day, COALESCE(SUM(o.total), 0) FROM generate_series(CURRENT_DATE - INTERVAL '29 days', CURRENT_DATE, INTERVAL '1 day') g LEFT JOIN orders o ON o.placed_at::date = g::date AND o.tenant_id = $1 GROUP BY 1 ORDER BY 1

-- name: two-series-grid
SELECT h.h, d.d, COUNT(o.id) FROM generate_series(0, 23) h(h) CROSS JOIN generate_series(1, 7) d(d) LEFT JOIN orders o ON EXTRACT(HOUR FROM o.placed_at) = h.h AND EXTRACT(ISODOW FROM o.placed_at) = d.d AND o.tenant_id = $1 GROUP BY 1, 2 ORDER BY 2, 1

-- name: lpad-and-repeat-of-columns
SELECT LPAD(id::text, 8, '0'), RPAD(status, 12), REPEAT('*', quantity_class), FORMAT('%-10s|%5s', status, id) FROM (SELECT id, status, (id % 5) + 1 AS quantity_class FROM orders WHERE tenant_id = $1 LIMIT 3) x

-- name: array-construction
SELECT ARRAY[1, 2] || 3, ARRAY_APPEND(ARRAY[1], 2), ARRAY_FILL(0, ARRAY[3]), ARRAY_CAT(ARRAY[1], ARRAY[2]), ARRAY_REMOVE(tags, 'new'), STRING_TO_ARRAY('a,b', ','), (ARRAY_AGG(id) OVER ())[1], tags <@ ARRAY['new', 't1', 't2', 't0'], ARRAY_LENGTH(ARRAY[[1, 2], [3, 4]], 2), 'new' <> ALL (tags) FROM products WHERE tenant_id = $1 LIMIT 1

-- name: money-uuid-inet-and-other-types
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid, '10.0.0.1'::inet << '10.0.0.0/8'::cidr, '{"a":1}'::json ->> 'a', '[1,5)'::int4range @> 3, INT4RANGE(1, 5) * INT4RANGE(3, 9), POINT(1, 2) IS NOT NULL, B'101' & B'110', '\x00ff'::bytea IS NOT NULL, TRUE AND NOT FALSE

-- name: statistics-and-bits
SELECT VARIANCE(total), STDDEV(total), COVAR_POP(total, id), REGR_R2(total, id), BIT_AND(id), BOOL_AND(total > 0), (ARRAY_AGG(id ORDER BY id))[1:2], JSONB_AGG(status), JSON_OBJECT_AGG(id, total), MAX(placed_at) - MIN(placed_at), ANY_VALUE(status) FROM orders WHERE tenant_id = $1

-- name: boolean-columns-in-every-form
SELECT COUNT(*) FROM users WHERE tenant_id = $1 AND is_active AND is_active IS TRUE AND NOT is_active IS FALSE AND is_active = true AND (is_active OR role = 'admin') AND is_active IS NOT UNKNOWN AND 't'::boolean

-- name: like-with-escapes-and-regex-classes
SELECT COUNT(*) FROM customers WHERE tenant_id = $1 AND (name LIKE 'Cust\_%' OR name LIKE 'Cust!_%' ESCAPE '!' OR name ~ '^Customer\s\d+$' OR name !~* 'foo|bar' OR name SIMILAR TO 'C(ust)+%' OR REGEXP_COUNT(name, 'o') > 1 OR REGEXP_LIKE(name, 'c', 'i'))

-- name: between-dates-and-overlaps
SELECT COUNT(*) FROM subscriptions WHERE tenant_id = $1 AND started_on NOT BETWEEN '2023-01-01' AND '2023-12-31' AND (started_on, COALESCE(cancelled_on, CURRENT_DATE)) OVERLAPS (DATE '2024-01-01', INTERVAL '90 days')

-- name: ratio-with-guards
SELECT status, ROUND(SUM(total) / NULLIF(COUNT(DISTINCT customer_id), 0), 2) AS per_customer, ROUND((100 * COUNT(*) FILTER (WHERE coupon IS NOT NULL))::numeric / COUNT(*), 1) || '%' AS with_coupon FROM orders WHERE tenant_id = $1 GROUP BY status

-- name: row-values-and-tuples
SELECT id FROM orders WHERE tenant_id = $1 AND (status, currency) IN (('paid', 'EUR'), ('shipped', 'USD')) AND ROW(id, total) > ROW(3, 10) AND (id, status) IS NOT NULL ORDER BY id LIMIT 5

-- name: is-json-and-json-constructors
SELECT JSON_OBJECT('id': id, 'status': status ABSENT ON NULL), JSON_ARRAY(id, status), '{"a":1}' IS JSON OBJECT, JSON_ARRAYAGG(id) OVER (PARTITION BY status), JSON_SCALAR(id), JSON('{"a": 1}') FROM orders WHERE tenant_id = $1 LIMIT 2

-- name: xml-free-html-report
SELECT STRING_AGG('<li>' || REPLACE(REPLACE(name, '&', '&amp;'), '<', '&lt;') || '</li>', '' ORDER BY name) FROM tags WHERE tenant_id = $1

-- name: time-zones-by-name-and-offset
SELECT placed_at AT TIME ZONE 'America/Los_Angeles', TIMEZONE('UTC', placed_at), placed_at AT TIME ZONE INTERVAL '-03:00', DATE_TRUNC('day', placed_at, 'Asia/Tokyo'), EXTRACT(TIMEZONE_HOUR FROM placed_at), placed_at AT LOCAL FROM orders WHERE tenant_id = $1 LIMIT 1

-- name: current-values
SELECT CURRENT_DATE > DATE '2020-01-01', CURRENT_TIMESTAMP(3) > '2020-01-01' AND CLOCK_TIMESTAMP() > '2020-01-01', LOCALTIME IS NOT NULL, NOW() AT TIME ZONE 'UTC' = LOCALTIMESTAMP, STATEMENT_TIMESTAMP() >= TRANSACTION_TIMESTAMP(), DATE_PART('epoch', NOW()) > 0

-- name: values-list-as-query
SELECT v.code, c.name FROM (VALUES ('DE'), ('FR')) AS v(code) LEFT JOIN countries c ON c.code = v.code

-- name: bare-values
VALUES (1, 'one'), (2, 'two') ORDER BY 1 DESC

-- name: ping
SELECT 1

-- name: ping-with-alias-and-semicolon
SELECT 1 AS "test";

-- name: comments-everywhere
-- generated by a tool
/* {"app": "dash", "card": 12} */ SELECT /* columns */ COUNT(*) /* n */ FROM public.orders -- facts
WHERE tenant_id = $1 /* scope */ AND status = 'paid' -- done
/* end */

-- name: upper-case-everything
SELECT COUNT(*) FROM PUBLIC.ORDERS O WHERE O.TENANT_ID = $1 AND O.STATUS = 'paid'

-- name: series-mixed-interval
SELECT COUNT(*) FROM generate_series(TIMESTAMPTZ '2024-01-01', TIMESTAMPTZ '2024-01-02', '1 hour 30 minutes') AS h

-- name: series-of-iso-months
SELECT m::date FROM generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-12-01', 'P1M') AS m

-- name: series-of-multiplied-interval
SELECT w::date FROM generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-03-01', INTERVAL '1 day' * 7) AS w

-- name: series-of-made-interval
SELECT w::date FROM generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-03-01', make_interval(weeks => 1)) AS w
