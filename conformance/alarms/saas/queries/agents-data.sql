-- What language models write about hierarchies, documents, JSON, arrays, text, sensors and lists.

-- name: org-chart-with-path
WITH RECURSIVE org AS (
    SELECT id, name, manager_id, tenant_id, 1 AS level, ARRAY[id] AS path
    FROM employees
    WHERE manager_id IS NULL AND tenant_id = $1
    UNION ALL
    SELECT e.id, e.name, e.manager_id, e.tenant_id, o.level + 1, o.path || e.id
    FROM employees e
    JOIN org o ON e.manager_id = o.id AND e.tenant_id = o.tenant_id
)
SELECT id, REPEAT('  ', level - 1) || name AS name, level, path FROM org ORDER BY path;

-- name: org-chart-with-cycle-guard
WITH RECURSIVE org AS (
    SELECT id, name, manager_id, 0 AS depth, ARRAY[id] AS seen FROM employees WHERE tenant_id = $1 AND id = 1
    UNION ALL
    SELECT e.id, e.name, e.manager_id, o.depth + 1, o.seen || e.id
    FROM employees e INNER JOIN org o ON e.manager_id = o.id
    WHERE e.tenant_id = $1 AND NOT e.id = ANY(o.seen) AND o.depth < 20
)
SELECT depth, COUNT(*) AS people, STRING_AGG(name, ', ' ORDER BY name) AS names FROM org GROUP BY depth ORDER BY depth;

-- name: category-breadcrumbs
WITH RECURSIVE crumbs(id, tenant_id, parent_id, breadcrumb) AS (
    SELECT id, tenant_id, parent_id, name::text FROM categories WHERE parent_id IS NULL AND tenant_id = $1
    UNION ALL
    SELECT c.id, c.tenant_id, c.parent_id, b.breadcrumb || ' > ' || c.name
    FROM categories c JOIN crumbs b ON c.parent_id = b.id AND c.tenant_id = b.tenant_id
)
SELECT crumbs.breadcrumb, COUNT(p.id) AS products
FROM crumbs LEFT JOIN products p ON p.category_id = crumbs.id AND p.tenant_id = crumbs.tenant_id
GROUP BY crumbs.breadcrumb ORDER BY 1;

-- name: subtree-total
WITH RECURSIVE sub AS (
    SELECT id FROM categories WHERE id = 1 AND tenant_id = $1
    UNION
    SELECT c.id FROM categories c JOIN sub ON c.parent_id = sub.id WHERE c.tenant_id = $1
)
SELECT SUM(p.price) FROM products p WHERE p.tenant_id = $1 AND p.category_id IN (SELECT id FROM sub);

-- name: search-and-cycle-clauses
WITH RECURSIVE t AS (
    SELECT id, parent_id, name FROM teams WHERE parent_id IS NULL AND tenant_id = $1
    UNION ALL
    SELECT c.id, c.parent_id, c.name FROM teams c JOIN t ON c.parent_id = t.id WHERE c.tenant_id = $1
) SEARCH DEPTH FIRST BY id SET ordering CYCLE id SET is_cycle USING cycle_path
SELECT id, name FROM t WHERE NOT is_cycle ORDER BY ordering;

-- name: number-series-recursive
WITH RECURSIVE months AS (
    SELECT DATE '2024-01-01' AS m
    UNION ALL
    SELECT (m + INTERVAL '1 month')::date FROM months WHERE m < DATE '2024-12-01'
)
SELECT months.m, COUNT(o.id) FROM months LEFT JOIN orders o ON DATE_TRUNC('month', o.placed_at)::date = months.m AND o.tenant_id = $1 GROUP BY months.m ORDER BY months.m;

-- name: json-fields
SELECT details->>'channel' AS channel, COUNT(*) AS n, SUM((details->'items'->>0)::int) AS first_items, BOOL_OR((details->>'gift')::boolean) AS any_gift
FROM orders WHERE tenant_id = $1 AND details ? 'channel' GROUP BY details->>'channel' ORDER BY n DESC;

-- name: json-array-elements
SELECT o.id, item.value::int AS item, item.ordinality
FROM orders o, jsonb_array_elements_text(o.details->'items') WITH ORDINALITY AS item
WHERE o.tenant_id = $1 AND o.id <= 5 ORDER BY o.id, item.ordinality;

-- name: json-each-lateral
SELECT kv.key, COUNT(*) FROM customers c CROSS JOIN LATERAL jsonb_each(c.attributes) AS kv WHERE c.tenant_id = $1 GROUP BY kv.key ORDER BY kv.key;

-- name: json-to-recordset
SELECT r.a, r.b FROM orders o CROSS JOIN LATERAL jsonb_to_recordset(jsonb_build_array(jsonb_build_object('a', o.id, 'b', o.status))) AS r(a int, b text) WHERE o.tenant_id = $1 LIMIT 5;

-- name: json-document-of-an-order
SELECT json_build_object(
    'id', o.id,
    'customer', json_build_object('id', c.id, 'name', c.name),
    'items', (SELECT json_agg(json_build_object('product', p.name, 'qty', oi.quantity) ORDER BY oi.id)
              FROM order_items oi JOIN products p ON p.id = oi.product_id AND p.tenant_id = oi.tenant_id
              WHERE oi.order_id = o.id AND oi.tenant_id = o.tenant_id)
) AS doc
FROM orders o JOIN customers c ON c.id = o.customer_id AND c.tenant_id = o.tenant_id
WHERE o.tenant_id = $1 ORDER BY o.id LIMIT 3;

-- name: row-to-json-of-a-subquery
SELECT row_to_json(t) FROM (SELECT id, name, country FROM customers WHERE tenant_id = $1 LIMIT 10) t;

-- name: json-agg-of-a-subquery-row
SELECT COALESCE(json_agg(t), '[]'::json) AS rows FROM (SELECT o.id, o.total, o.placed_at FROM orders o WHERE o.tenant_id = $1 ORDER BY o.placed_at DESC LIMIT 5) AS t;

-- name: json-object-agg
SELECT jsonb_object_agg(status, n) FROM (SELECT status, COUNT(*) AS n FROM orders WHERE tenant_id = $1 GROUP BY status) s;

-- name: json-path
SELECT id, jsonb_path_query_array(details, '$.items[*] ? (@ > 3)') AS big FROM orders WHERE tenant_id = $1 AND jsonb_path_exists(details, '$.items[*] ? (@ > 80)') AND details @? '$.channel';

-- name: sql-json-functions
SELECT id, JSON_VALUE(details, '$.channel') AS channel, JSON_QUERY(details, '$.items') AS items, JSON_EXISTS(details, '$.gift') AS has_gift FROM orders WHERE tenant_id = $1 LIMIT 5;

-- name: json-table
SELECT o.id, jt.n FROM orders o, JSON_TABLE(o.details, '$.items[*]' COLUMNS (n int PATH '$')) AS jt WHERE o.tenant_id = $1 AND jt.n > 85;

-- name: unnest-tags
SELECT tag, COUNT(*) AS products, ROUND(AVG(price), 2) AS avg_price FROM products, UNNEST(tags) AS tag WHERE tenant_id = $1 GROUP BY tag ORDER BY products DESC, tag;

-- name: array-any-and-slices
SELECT id, tags[1] AS first_tag, tags[1:2], array_length(tags, 1), cardinality(tags), array_to_string(tags, ','), array_position(tags, 'new') FROM products WHERE tenant_id = $1 AND 'new' = ANY(tags) AND NOT tags && ARRAY['t9'];

-- name: array-agg-with-order
SELECT customer_id, (ARRAY_AGG(id ORDER BY placed_at DESC))[1:3] AS last_three, ARRAY(SELECT DISTINCT x FROM UNNEST(ARRAY_AGG(status)) AS x ORDER BY x) AS statuses FROM orders WHERE tenant_id = $1 GROUP BY customer_id;

-- name: array-subquery
SELECT o.id, ARRAY(SELECT t.name FROM order_tags ot JOIN tags t ON t.id = ot.tag_id AND t.tenant_id = ot.tenant_id WHERE ot.order_id = o.id AND ot.tenant_id = o.tenant_id ORDER BY t.name) AS tags FROM orders o WHERE o.tenant_id = $1 LIMIT 5;

-- name: full-text-search
SELECT id, title, ts_rank_cd(search, q) AS rank, ts_headline('english', body, q, 'MaxWords=10, MinWords=5') AS snippet
FROM documents, websearch_to_tsquery('english', 'quick "brown fox" -cat') AS q
WHERE tenant_id = $1 AND search @@ q
ORDER BY rank DESC, id LIMIT 10;

-- name: full-text-inline
SELECT d.title FROM documents d WHERE d.tenant_id = $1 AND to_tsvector('english', d.title || ' ' || d.body) @@ to_tsquery('english', 'quick & fox:*') ORDER BY d.title;

-- name: text-cleaning
SELECT id, INITCAP(TRIM(BOTH ' ' FROM name)) AS name, SPLIT_PART(email, '@', 2) AS domain, REGEXP_REPLACE(name, '[^0-9]+', '', 'g') AS digits, LEFT(name, 3), LPAD(id::text, 6, '0') AS code, LENGTH(name), POSITION('@' IN email), SUBSTRING(email FROM '^[^@]+'), OVERLAY(name PLACING '***' FROM 2 FOR 3), CONCAT_WS(', ', city, country), FORMAT('%s (%s)', name, country)
FROM customers WHERE tenant_id = $1 AND email ~* '^c[0-9]+@' ORDER BY id;

-- name: regexp-split-to-words
SELECT word, COUNT(*) FROM (SELECT REGEXP_SPLIT_TO_TABLE(LOWER(body), '\s+') AS word FROM tickets WHERE tenant_id = $1) w WHERE LENGTH(word) > 2 GROUP BY word ORDER BY 2 DESC, 1 LIMIT 20;

-- name: regexp-matches
SELECT id, (REGEXP_MATCHES(subject, '(\d+)'))[1]::int AS number FROM tickets WHERE tenant_id = $1 AND subject SIMILAR TO '%(Subject|Re)%' AND subject NOT LIKE '%spam%';

-- name: sensor-downsampling-with-date-bin
SELECT device_id, date_bin('15 minutes', taken_at, TIMESTAMPTZ '2024-01-01 00:00+00') AS bucket, AVG(value) AS avg, MIN(value), MAX(value), COUNT(*) FILTER (WHERE value IS NULL) AS missing
FROM readings WHERE tenant_id = $1 AND metric = 'temp' GROUP BY device_id, bucket ORDER BY device_id, bucket;

-- name: sensor-forward-fill
SELECT device_id, taken_at, value, FIRST_VALUE(value) OVER (PARTITION BY device_id, grp ORDER BY taken_at) AS filled
FROM (SELECT device_id, taken_at, value, COUNT(value) OVER (PARTITION BY device_id ORDER BY taken_at) AS grp FROM readings WHERE tenant_id = $1) r
ORDER BY device_id, taken_at;

-- name: latest-reading-per-device-lateral
SELECT d.device_id, r.value, r.taken_at
FROM (SELECT DISTINCT device_id FROM readings WHERE tenant_id = $1) d
CROSS JOIN LATERAL (SELECT value, taken_at FROM readings WHERE readings.device_id = d.device_id AND readings.tenant_id = $1 ORDER BY taken_at DESC LIMIT 1) r;

-- name: overlapping-subscriptions
SELECT a.id, b.id FROM subscriptions a JOIN subscriptions b ON a.tenant_id = b.tenant_id AND a.customer_id = b.customer_id AND a.id < b.id AND (a.started_on, COALESCE(a.cancelled_on, DATE '9999-12-31')) OVERLAPS (b.started_on, COALESCE(b.cancelled_on, DATE '9999-12-31')) WHERE a.tenant_id = $1;

-- name: daterange-contains
SELECT id FROM subscriptions WHERE tenant_id = $1 AND daterange(started_on, cancelled_on, '[)') @> DATE '2024-03-15' AND daterange(started_on, cancelled_on) && daterange('2024-01-01', '2024-06-30');

-- name: duplicates
SELECT LOWER(email) AS email, COUNT(*), ARRAY_AGG(id ORDER BY id) AS ids FROM customers WHERE tenant_id = $1 AND email IS NOT NULL GROUP BY LOWER(email) HAVING COUNT(*) > 1;

-- name: set-operations
SELECT customer_id FROM orders WHERE tenant_id = $1 EXCEPT SELECT customer_id FROM tickets WHERE tenant_id = $1 INTERSECT SELECT customer_id FROM subscriptions WHERE tenant_id = $1 ORDER BY customer_id;

-- name: star-over-one-table
SELECT * FROM orders WHERE tenant_id = $1 ORDER BY placed_at DESC LIMIT 100

-- name: values-lookup-join
SELECT o.id, m.label FROM orders o JOIN (VALUES ('paid', 'Paid'), ('shipped', 'On its way')) AS m(status, label) ON m.status = o.status WHERE o.tenant_id = $1 LIMIT 10;

-- name: enum-order-and-cast
SELECT priority::text, COUNT(*) FROM tickets WHERE tenant_id = $1 AND priority >= 'high'::priority GROUP BY priority ORDER BY priority DESC;

-- name: tenant-in-every-or-arm
SELECT id FROM orders WHERE (tenant_id = $1 AND status = 'paid') OR (tenant_id = $1 AND total > 300) ORDER BY id LIMIT 10;

-- name: not-distinct-and-is-true
SELECT id FROM orders WHERE tenant_id IS NOT DISTINCT FROM $1 AND (coupon IS DISTINCT FROM 'SPRING') IS TRUE LIMIT 5;

-- name: tenants-own-row-join
SELECT t.name, t.plan, COUNT(u.id) AS seats, COUNT(u.id) FILTER (WHERE u.is_active) AS active FROM tenants t JOIN users u ON u.tenant_id = t.id WHERE t.id = $1 GROUP BY t.id, t.name, t.plan;

-- name: using-join
SELECT customer_id, COUNT(*) FROM orders JOIN tickets USING (tenant_id, customer_id) WHERE tenant_id = $1 GROUP BY customer_id;

-- name: case-insensitive-names-and-positions
SELECT Status, Count(*) AS "Number of Orders" FROM Orders WHERE Tenant_Id = $1 GROUP BY 1 ORDER BY 2 DESC;

-- name: comment-and-semicolon
/* report: daily orders */
SELECT COUNT(*) -- all of them
FROM orders
WHERE tenant_id = $1; -- only ours

-- name: bucketed-timestamps-with-make-interval
SELECT to_timestamp(floor(extract(epoch from taken_at) / 600) * 600) AT TIME ZONE 'UTC' AS t, avg(value) FROM readings WHERE tenant_id = $1 AND taken_at > '2024-05-01'::timestamptz - make_interval(hours => 2) GROUP BY 1 ORDER BY 1;

-- name: lateral-unpivot
SELECT p.id, v.label, v.amount FROM products p CROSS JOIN LATERAL (VALUES ('price', p.price), ('cost', p.cost)) AS v(label, amount) WHERE p.tenant_id = $1 ORDER BY p.id, v.label;

-- name: nth-order-gap
SELECT customer_id, AVG(gap) AS avg_gap FROM (SELECT customer_id, placed_at - LAG(placed_at, 1) OVER (PARTITION BY customer_id ORDER BY placed_at) AS gap FROM orders WHERE tenant_id = $1) g WHERE gap IS NOT NULL GROUP BY customer_id ORDER BY avg_gap;

-- name: in-cte-list
WITH vip AS (SELECT id FROM customers WHERE tenant_id = $1 AND (attributes->>'vip')::boolean) SELECT COUNT(*) FROM orders WHERE tenant_id = $1 AND customer_id IN (SELECT id FROM vip);

-- name: materialized-cte
WITH big AS MATERIALIZED (SELECT id, customer_id, total FROM orders WHERE tenant_id = $1 AND total > 100) SELECT b.customer_id, SUM(b.total) FROM big b GROUP BY b.customer_id ORDER BY 2 DESC FETCH FIRST 5 ROWS WITH TIES;

-- name: scope-ctes-first
WITH scoped_orders AS (SELECT id, customer_id, total, status FROM orders WHERE tenant_id = $1),
     scoped_customers AS (SELECT id, name, segment FROM customers WHERE tenant_id = $1)
SELECT c.segment, COUNT(o.id), SUM(o.total) FROM scoped_customers c LEFT JOIN scoped_orders o ON o.customer_id = c.id AND o.status <> 'cancelled' GROUP BY c.segment ORDER BY 3 DESC NULLS LAST;

-- name: scope-cte-used-twice-for-average
WITH o AS (SELECT * FROM orders WHERE tenant_id = $1)
SELECT id, total, total - (SELECT AVG(total) FROM o) AS over_average FROM o WHERE total > (SELECT AVG(total) FROM o) ORDER BY total DESC LIMIT 10;
