-- Idioms that language models reach for: every clause of SELECT in the form in which they like to write it.

-- name: star-of-one-side-and-a-rank
WITH ranked AS (
    SELECT o.*, RANK() OVER (PARTITION BY o.status ORDER BY o.total DESC) AS rnk
    FROM orders o
    WHERE o.tenant_id = $1
)
SELECT id, status, total FROM ranked WHERE rnk <= 2;

-- name: base-cte-deferred-once
WITH base AS (SELECT o.*, c.name AS customer_name FROM orders o JOIN customers c ON c.id = o.customer_id AND c.tenant_id = o.tenant_id)
SELECT customer_name, SUM(total) AS spent FROM base WHERE tenant_id = $1 GROUP BY customer_name ORDER BY spent DESC LIMIT 10;

-- name: right-join
SELECT c.name, COUNT(o.id) FROM orders o RIGHT JOIN customers c ON o.customer_id = c.id AND o.tenant_id = c.tenant_id WHERE c.tenant_id = $1 GROUP BY c.name ORDER BY 2 DESC;

-- name: full-join-using-the-tenant
SELECT COALESCE(s.customer_id, t.customer_id) AS customer_id, COUNT(DISTINCT s.id) AS subscriptions, COUNT(DISTINCT t.id) AS tickets
FROM subscriptions s FULL OUTER JOIN tickets t USING (tenant_id, customer_id)
WHERE tenant_id = $1
GROUP BY COALESCE(s.customer_id, t.customer_id);

-- name: full-join-with-coalesced-tenant
-- refused: E_TENANT_MISSING: COALESCE proves nothing; FULL JOIN … USING (tenant_id) with a condition on the merged column is allowed
SELECT COALESCE(s.customer_id, t.customer_id) AS customer_id, s.plan, t.subject
FROM subscriptions s FULL OUTER JOIN tickets t ON t.customer_id = s.customer_id AND t.tenant_id = s.tenant_id
WHERE COALESCE(s.tenant_id, t.tenant_id) = $1;

-- name: natural-join-of-complete-tables
SELECT DISTINCT customer_id FROM (SELECT tenant_id, customer_id FROM orders WHERE tenant_id = $1) o NATURAL JOIN (SELECT tenant_id, customer_id FROM subscriptions WHERE tenant_id = $1) s;

-- name: tenant-casts
SELECT COUNT(*) FROM orders WHERE tenant_id::text = CAST($1 AS text) AND 1 = 1;

-- name: value-first
SELECT COUNT(*) FROM orders WHERE $1 = tenant_id;

-- name: in-of-one
SELECT COUNT(*) FROM orders WHERE tenant_id IN ($1);

-- name: exists-with-star
SELECT c.name FROM customers c WHERE c.tenant_id = $1 AND EXISTS (SELECT * FROM orders o WHERE o.customer_id = c.id AND o.tenant_id = c.tenant_id AND o.status = 'paid');

-- name: not-in-and-greater-all
SELECT p.name FROM products p WHERE p.tenant_id = $1 AND p.id NOT IN (SELECT oi.product_id FROM order_items oi WHERE oi.tenant_id = $1 AND oi.quantity > 3) AND p.price > ALL (SELECT AVG(price) FROM products WHERE tenant_id = $1 GROUP BY category_id);

-- name: scalar-ratio
SELECT (SELECT COUNT(*) FROM orders WHERE tenant_id = $1 AND status = 'refunded')::float / NULLIF((SELECT COUNT(*) FROM orders WHERE tenant_id = $1), 0) AS refund_rate;

-- name: from-less-date-arithmetic
SELECT CURRENT_DATE AS today, (DATE_TRUNC('month', CURRENT_DATE) - INTERVAL '1 day')::date AS last_day, DATE_TRUNC('quarter', NOW()) AS quarter, EXTRACT(WEEK FROM CURRENT_DATE) AS week, MAKE_DATE(2024, 2, 29) + 1 AS next, AGE(TIMESTAMP '2024-03-01', TIMESTAMP '2024-01-15'), TO_DATE('05 Dec 2000', 'DD Mon YYYY'), LOCALTIMESTAMP(0), CURRENT_TIME IS NOT NULL;

-- name: cross-join-grid-of-distinct-values
SELECT d.day, s.status, COUNT(o.id) AS n
FROM (SELECT day FROM calendar WHERE day BETWEEN '2024-01-01' AND '2024-01-07') d
CROSS JOIN (SELECT DISTINCT status FROM orders WHERE tenant_id = $1) s
LEFT JOIN orders o ON o.placed_at::date = d.day AND o.status = s.status AND o.tenant_id = $1
GROUP BY d.day, s.status ORDER BY d.day, s.status;

-- name: calendar-cross-join-one-row-totals
SELECT c.day, t.total FROM calendar c CROSS JOIN (SELECT SUM(total) AS total FROM orders WHERE tenant_id = $1) t WHERE c.year = 2024 AND c.month = 1 ORDER BY c.day;

-- name: calendar-and-countries-grid
SELECT c.month, k.region, COUNT(*) FROM calendar c CROSS JOIN (SELECT DISTINCT region FROM countries) k GROUP BY 1, 2 ORDER BY 1, 2;

-- name: unnest-with-ordinality-and-two-arrays
SELECT u.label, u.lo, u.n FROM UNNEST(ARRAY['a', 'b', 'c'], ARRAY[0, 100, 300]) WITH ORDINALITY AS u(label, lo, n) WHERE EXISTS (SELECT 1 FROM orders WHERE tenant_id = $1 AND total >= u.lo);

-- name: price-bands-by-join
SELECT b.label, COUNT(o.id) FROM (VALUES ('small', 0, 100), ('medium', 100, 300), ('large', 300, 100000)) AS b(label, lo, hi) LEFT JOIN orders o ON o.total >= b.lo AND o.total < b.hi AND o.tenant_id = $1 GROUP BY b.label, b.lo ORDER BY b.lo;

-- name: nested-lateral
SELECT c.name, last_order.id, biggest.product_id
FROM customers c
LEFT JOIN LATERAL (SELECT o.id, o.tenant_id FROM orders o WHERE o.customer_id = c.id AND o.tenant_id = c.tenant_id ORDER BY o.placed_at DESC LIMIT 1) last_order ON true
LEFT JOIN LATERAL (SELECT i.product_id FROM order_items i WHERE i.order_id = last_order.id AND i.tenant_id = c.tenant_id ORDER BY i.quantity * i.unit_price DESC LIMIT 1) biggest ON true
WHERE c.tenant_id = $1 ORDER BY c.name;

-- name: lateral-json-elements-on-true
SELECT o.id, i.item FROM orders o LEFT JOIN LATERAL jsonb_array_elements(o.details -> 'items') AS i(item) ON true WHERE o.tenant_id = $1 ORDER BY o.id LIMIT 10;

-- name: json-edits
SELECT id, jsonb_set(details, '{channel}', '"x"'), details - 'gift', details || '{"a": 1}'::jsonb, jsonb_typeof(details->'items'), jsonb_array_length(details->'items'), jsonb_pretty(details), jsonb_strip_nulls(details), to_jsonb(total), (details->'items')->-1, details #>> '{items,0}', details['channel'] FROM orders WHERE tenant_id = $1 LIMIT 3;

-- name: json-of-derived-row
SELECT to_jsonb(t) || jsonb_build_object('n', 1) AS doc, jsonb_build_object('order', t) FROM (SELECT id, status FROM orders WHERE tenant_id = $1 LIMIT 3) t;

-- name: json-keys-and-aggregate
SELECT k, COUNT(*) FROM orders o, jsonb_object_keys(o.details) AS k WHERE o.tenant_id = $1 GROUP BY k HAVING COUNT(*) > 1 ORDER BY k;

-- name: window-frames-of-every-kind
SELECT placed_at::date AS d, total,
  SUM(total) OVER (ORDER BY placed_at ROWS 2 PRECEDING) AS a,
  AVG(total) OVER (ORDER BY placed_at GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) AS b,
  COUNT(*) OVER (PARTITION BY status ORDER BY placed_at RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c,
  COUNT(*) FILTER (WHERE status = 'paid') OVER (ORDER BY placed_at) AS paid_so_far,
  PERCENT_RANK() OVER w, CUME_DIST() OVER w, LEAD(total, 1, 0.0) OVER w
FROM orders WHERE tenant_id = $1 WINDOW w AS (ORDER BY total) ORDER BY placed_at LIMIT 20;

-- name: ordered-set-and-hypothetical-aggregates
SELECT status, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY placed_at) AS median_day, RANK(100.0) WITHIN GROUP (ORDER BY total) AS would_rank, STRING_AGG(DISTINCT currency, '/' ORDER BY currency) AS currencies, BIT_OR(id) FROM orders WHERE tenant_id = $1 GROUP BY status;

-- name: enum-comparisons
SELECT id, subject FROM tickets WHERE tenant_id = $1 AND priority = ANY(ARRAY['high', 'urgent']::public.priority[]) AND priority <> 'low' ORDER BY CASE priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 ELSE 2 END, id LIMIT 20;

-- name: group-by-expression-alias-and-ordinal
SELECT DATE_TRUNC('month', placed_at) AS month, status, COUNT(*) FROM orders WHERE tenant_id = $1 GROUP BY month, 2 HAVING COUNT(*) > 1 ORDER BY month DESC, 3;

-- name: having-with-subquery
SELECT customer_id, SUM(total) AS spent FROM orders WHERE tenant_id = $1 GROUP BY customer_id HAVING SUM(total) > (SELECT AVG(s) FROM (SELECT SUM(total) AS s FROM orders WHERE tenant_id = $1 GROUP BY customer_id) x) ORDER BY spent DESC;

-- name: tenant-in-group-and-having
SELECT tenant_id, COUNT(*) FROM orders GROUP BY tenant_id HAVING tenant_id = $1;

-- name: select-distinct-with-expressions
SELECT DISTINCT UPPER(LEFT(name, 1)) AS initial, country IS NULL AS unknown FROM customers WHERE tenant_id = $1 ORDER BY initial, unknown;

-- name: intersect-and-union-all-with-order
(SELECT customer_id FROM orders WHERE tenant_id = $1 AND status = 'paid' LIMIT 50) UNION ALL (SELECT customer_id FROM subscriptions WHERE tenant_id = $1 ORDER BY started_on DESC LIMIT 5) ORDER BY 1 LIMIT 20 OFFSET 2;

-- name: union-of-metrics
SELECT 'customers' AS metric, COUNT(*)::numeric AS value FROM customers WHERE tenant_id = $1
UNION ALL SELECT 'orders', COUNT(*) FROM orders WHERE tenant_id = $1
UNION ALL SELECT 'revenue', SUM(total) FROM orders WHERE tenant_id = $1
UNION ALL SELECT 'open tickets', COUNT(*) FROM tickets WHERE tenant_id = $1 AND status = 'open';

-- name: row-comparison-and-between-symmetric
SELECT id FROM orders WHERE tenant_id = $1 AND (customer_id, status) = (3, 'paid') OR tenant_id = $1 AND total BETWEEN SYMMETRIC 50 AND 20 ORDER BY id;

-- name: nullif-greatest-coalesce-chain
SELECT id, COALESCE(NULLIF(TRIM(coupon), ''), currency, 'n/a') AS label, GREATEST(total, 10, LEAST(total * 2, 500)) AS clamped, SIGN(total - 100), MOD(id, 7), TRUNC(total, 1), CEIL(total), POWER(total, 2), SQRT(total), LN(total + 1), LOG(10, total + 1), total::money IS NOT NULL FROM orders WHERE tenant_id = $1 LIMIT 5;

-- name: interval-arithmetic
SELECT id, placed_at + INTERVAL '1 month' * 3 AS renewal, (shipped_at - placed_at) AS lead, EXTRACT(DAY FROM shipped_at - placed_at) AS days, JUSTIFY_HOURS(shipped_at - placed_at), TO_CHAR(shipped_at - placed_at, 'DD"d" HH24"h"'), placed_at AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo', placed_at::time, placed_at::date - DATE '2024-01-01' FROM orders WHERE tenant_id = $1 AND shipped_at IS NOT NULL AND shipped_at - placed_at < INTERVAL '10' DAY LIMIT 5;

-- name: business-days-between
SELECT o.id, (SELECT COUNT(*) FROM generate_series(o.placed_at::date, o.shipped_at::date, INTERVAL '1 day') g(d) WHERE EXTRACT(ISODOW FROM g.d) < 6) AS business_days FROM orders o WHERE o.tenant_id = $1 AND o.shipped_at IS NOT NULL LIMIT 10;

-- name: business-days-from-the-calendar
SELECT o.id, COUNT(c.day) AS business_days FROM orders o JOIN calendar c ON c.day >= o.placed_at::date AND c.day < o.shipped_at::date AND NOT c.is_weekend AND NOT c.is_holiday WHERE o.tenant_id = $1 GROUP BY o.id ORDER BY o.id LIMIT 10;

-- name: fiscal-quarter-by-case
SELECT CASE WHEN EXTRACT(MONTH FROM placed_at) BETWEEN 1 AND 3 THEN 'Q4' WHEN EXTRACT(MONTH FROM placed_at) <= 6 THEN 'Q1' ELSE 'Q2+' END AS fiscal_quarter, SUM(total) FROM orders WHERE tenant_id = $1 GROUP BY CASE WHEN EXTRACT(MONTH FROM placed_at) BETWEEN 1 AND 3 THEN 'Q4' WHEN EXTRACT(MONTH FROM placed_at) <= 6 THEN 'Q1' ELSE 'Q2+' END;

-- name: consecutive-streaks-with-two-row-numbers
SELECT status, MIN(placed_at) AS since, COUNT(*) AS streak FROM (SELECT status, placed_at, ROW_NUMBER() OVER (ORDER BY placed_at) - ROW_NUMBER() OVER (PARTITION BY status ORDER BY placed_at) AS grp FROM orders WHERE tenant_id = $1) s GROUP BY status, grp ORDER BY streak DESC LIMIT 5;

-- name: carry-last-known-value-with-correlated-limit
SELECT c.day, (SELECT r.rate FROM rates r WHERE r.currency = 'USD' AND r.day <= c.day ORDER BY r.day DESC LIMIT 1) AS usd FROM calendar c WHERE c.month = 1 ORDER BY c.day;

-- name: as-of-join-lateral
SELECT o.id, o.total * r.rate AS eur FROM orders o CROSS JOIN LATERAL (SELECT rate FROM rates WHERE rates.currency = o.currency AND rates.day <= o.placed_at::date ORDER BY rates.day DESC LIMIT 1) r WHERE o.tenant_id = $1 ORDER BY o.id LIMIT 5;

-- name: similarity-free-fuzzy-search
SELECT id, name FROM customers WHERE tenant_id = $1 AND (name ILIKE '%omer%' OR email ILIKE '%mail%' OR COALESCE(city, '') ILIKE 'city%') ORDER BY CASE WHEN name ILIKE 'cust%' THEN 0 ELSE 1 END, LENGTH(name), name LIMIT 10;

-- name: subquery-without-alias
SELECT COUNT(*) FROM (SELECT DISTINCT customer_id FROM orders WHERE tenant_id = $1);

-- name: tenant-of-the-other-side
SELECT COUNT(*) FROM customers c INNER JOIN orders o ON o.customer_id = c.id AND o.tenant_id = c.tenant_id INNER JOIN order_items i ON i.order_id = o.id AND i.tenant_id = o.tenant_id INNER JOIN products p ON p.id = i.product_id AND p.tenant_id = i.tenant_id WHERE p.tenant_id = $1 AND p.tags @> ARRAY['new'];

-- name: five-table-join-each-pinned
SELECT u.name, COUNT(DISTINCT o.id) AS orders, SUM(i.quantity) AS units FROM users u JOIN teams t ON t.id = u.team_id AND t.tenant_id = $1 JOIN orders o ON o.user_id = u.id AND o.tenant_id = $1 JOIN order_items i ON i.order_id = o.id AND i.tenant_id = $1 JOIN products p ON p.id = i.product_id AND p.tenant_id = $1 WHERE u.tenant_id = $1 AND t.name LIKE 'team%' GROUP BY u.name ORDER BY units DESC;

-- name: where-in-cte-of-filters
WITH params AS (SELECT DATE '2024-01-01' AS from_day, DATE '2024-03-01' AS to_day, 50 AS min_total)
SELECT o.id, o.total FROM orders o, params p WHERE o.tenant_id = $1 AND o.placed_at >= p.from_day AND o.placed_at < p.to_day AND o.total >= p.min_total ORDER BY o.id;

-- name: tenant-from-a-params-cte
WITH params AS (SELECT $1::text AS tenant)
SELECT o.status, COUNT(*) FROM orders o JOIN params p ON o.tenant_id = p.tenant GROUP BY o.status;

-- name: tenant-from-its-own-row
SELECT o.status, COUNT(*) FROM orders o WHERE o.tenant_id = (SELECT t.id FROM tenants t WHERE t.id = $1) GROUP BY o.status;

-- name: recursive-manager-chain-upwards
WITH RECURSIVE chain AS (
  SELECT id, manager_id, name, 0 AS up FROM employees WHERE tenant_id = $1 AND id = 15
  UNION ALL
  SELECT m.id, m.manager_id, m.name, chain.up + 1 FROM employees m JOIN chain ON m.id = chain.manager_id AND m.tenant_id = $1
)
SELECT name, up FROM chain ORDER BY up;

-- name: headcount-by-manager-with-path-array
WITH RECURSIVE r AS (
  SELECT id, ARRAY[id] AS path FROM employees WHERE tenant_id = $1 AND manager_id IS NULL
  UNION ALL SELECT e.id, r.path || e.id FROM employees e JOIN r ON e.manager_id = r.id WHERE e.tenant_id = $1
)
SELECT boss.name, COUNT(*) - 1 AS reports FROM employees boss JOIN r ON boss.id = ANY(r.path) WHERE boss.tenant_id = $1 GROUP BY boss.name ORDER BY reports DESC;

-- name: text-histogram-with-rpad
SELECT status, RPAD('', LEAST(COUNT(*), 40)::int, '*') AS bar, COUNT(*) FROM orders WHERE tenant_id = $1 GROUP BY status;

-- name: series-from-the-data-range
SELECT d::date AS day, COUNT(o.id) AS n FROM (SELECT MIN(placed_at)::date AS lo, MAX(placed_at)::date AS hi FROM orders WHERE tenant_id = $1) r CROSS JOIN LATERAL generate_series(r.lo, r.hi, INTERVAL '1 day') AS d LEFT JOIN orders o ON o.placed_at::date = d::date AND o.tenant_id = $1 GROUP BY d ORDER BY d LIMIT 30;

-- name: series-with-scalar-bounds
SELECT w::date FROM generate_series((SELECT DATE_TRUNC('week', MIN(placed_at)) FROM orders WHERE tenant_id = $1), (SELECT MAX(placed_at) FROM orders WHERE tenant_id = $1), '1 week') AS w;

-- name: integers-from-series-as-quantity-rows
SELECT i.id, n FROM order_items i, generate_series(1, i.quantity) AS n WHERE i.tenant_id = $1 AND i.id <= 3;

-- name: digits-and-formats
SELECT TO_CHAR(SUM(total), 'FM999,999,990.00') AS total, TO_CHAR(NOW(), 'YYYY-MM-DD"T"HH24:MI:SS') AS at, '$' || ROUND(AVG(total), 2)::text AS avg, CHR(10) || ASCII('a')::text, ENCODE(SHA256('x'::bytea), 'hex'), MD5('x'), QUOTE_LITERAL('x'), TRANSLATE('abc', 'a', 'x'), REVERSE('abc'), STRPOS('abc', 'b'), STARTS_WITH('abc', 'a'), TO_HEX(255), BTRIM('  x  ') FROM orders WHERE tenant_id = $1;
