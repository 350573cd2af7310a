-- The ways in which people and models bring the tenant into a query that reads more than one table.

-- name: predicate-in-inner-on
SELECT o.id, c.name FROM orders o INNER JOIN customers c ON c.id = o.customer_id AND c.tenant_id = $1 AND o.tenant_id = $1 LIMIT 10;

-- name: predicate-on-the-last-of-a-chain
SELECT COUNT(*) FROM orders o JOIN order_items i ON i.order_id = o.id AND i.tenant_id = o.tenant_id JOIN products p ON p.id = i.product_id AND p.tenant_id = i.tenant_id JOIN categories k ON k.id = p.category_id AND k.tenant_id = p.tenant_id WHERE k.tenant_id = $1;

-- name: through-the-tenants-table
SELECT t.name, COUNT(o.id) FROM tenants t LEFT JOIN orders o ON o.tenant_id = t.id WHERE t.id = $1 GROUP BY t.name;

-- name: semijoin-to-a-filtered-parent
SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM customers c WHERE c.id = o.customer_id AND c.tenant_id = o.tenant_id AND c.tenant_id = $1 AND c.segment = 'smb');

-- name: in-with-pairs
SELECT COUNT(*) FROM order_items i WHERE (i.tenant_id, i.order_id) IN (SELECT o.tenant_id, o.id FROM orders o WHERE o.tenant_id = $1 AND o.status = 'paid');

-- name: tenant-in-subselect-of-its-own-table
SELECT COUNT(*) FROM orders o WHERE o.tenant_id IN (SELECT t.id FROM tenants t WHERE t.id = $1);

-- name: using-the-tenant-in-three-tables
SELECT COUNT(*) FROM orders JOIN order_items USING (tenant_id) JOIN products USING (tenant_id) WHERE tenant_id = $1 AND order_items.order_id = orders.id AND products.id = order_items.product_id;

-- name: comma-joins-all-in-where
SELECT c.name, p.name, SUM(i.quantity) FROM customers c, orders o, order_items i, products p WHERE c.id = o.customer_id AND o.id = i.order_id AND i.product_id = p.id AND c.tenant_id = o.tenant_id AND o.tenant_id = i.tenant_id AND i.tenant_id = p.tenant_id AND p.tenant_id = $1 GROUP BY c.name, p.name ORDER BY 3 DESC LIMIT 5;

-- name: left-joins-that-carry-the-tenant
SELECT o.id, u.name, t.name FROM orders o LEFT JOIN users u ON u.id = o.user_id AND u.tenant_id = o.tenant_id LEFT JOIN teams t ON t.id = u.team_id AND t.tenant_id = u.tenant_id WHERE o.tenant_id = $1 ORDER BY o.id LIMIT 5;

-- name: left-join-with-where-on-the-right
SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON c.id = o.customer_id WHERE o.tenant_id = $1 AND c.tenant_id = $1 ORDER BY o.id LIMIT 5;

-- name: left-join-of-a-parenthesised-join
SELECT c.name, COUNT(i.id) FROM customers c LEFT JOIN (orders o JOIN order_items i ON i.order_id = o.id AND i.tenant_id = o.tenant_id) ON o.customer_id = c.id AND o.tenant_id = c.tenant_id WHERE c.tenant_id = $1 GROUP BY c.name;

-- name: deferred-into-a-union-of-tables
SELECT kind, COUNT(*) FROM (SELECT 'order' AS kind, tenant_id, placed_at AS at FROM orders UNION ALL SELECT 'ticket', tenant_id, opened_at FROM tickets UNION ALL SELECT 'document', tenant_id, created_at FROM documents) activity WHERE tenant_id = $1 AND at >= '2024-01-01' GROUP BY kind;

-- name: deferred-into-a-grouped-subquery
SELECT customer_id, spent FROM (SELECT tenant_id, customer_id, SUM(total) AS spent FROM orders GROUP BY tenant_id, customer_id HAVING SUM(total) > 100) s WHERE s.tenant_id = $1 ORDER BY spent DESC LIMIT 5;

-- name: deferred-into-a-partitioned-window
SELECT id, total FROM (SELECT id, tenant_id, total, ROW_NUMBER() OVER (PARTITION BY tenant_id, customer_id ORDER BY placed_at DESC) AS rn FROM orders) latest WHERE rn = 1 AND tenant_id = $1;

-- name: deferred-into-distinct
SELECT COUNT(*) FROM (SELECT DISTINCT tenant_id, customer_id FROM orders) d WHERE d.tenant_id = $1;

-- name: deferred-into-distinct-on
SELECT id, customer_id FROM (SELECT DISTINCT ON (tenant_id, customer_id) id, tenant_id, customer_id FROM orders ORDER BY tenant_id, customer_id, placed_at DESC) d WHERE tenant_id = $1;

-- name: deferred-through-a-chain-of-ctes
WITH enriched AS (SELECT o.tenant_id, o.id, o.total, c.segment FROM orders o JOIN customers c ON c.tenant_id = o.tenant_id AND c.id = o.customer_id),
     totals AS (SELECT tenant_id, segment, SUM(total) AS total FROM enriched GROUP BY tenant_id, segment)
SELECT segment, total FROM totals WHERE tenant_id = $1 ORDER BY total DESC;

-- name: deferred-by-a-join-to-a-proven-table
SELECT c.name, s.orders FROM customers c JOIN (SELECT tenant_id, customer_id, COUNT(*) AS orders FROM orders GROUP BY 1, 2) s ON s.tenant_id = c.tenant_id AND s.customer_id = c.id WHERE c.tenant_id = $1 ORDER BY s.orders DESC LIMIT 5;

-- name: deferred-with-left-joined-aggregates
SELECT c.name, COALESCE(o.n, 0) AS orders, COALESCE(t.n, 0) AS tickets FROM customers c LEFT JOIN (SELECT tenant_id, customer_id, COUNT(*) n FROM orders GROUP BY tenant_id, customer_id) o ON o.tenant_id = c.tenant_id AND o.customer_id = c.id LEFT JOIN (SELECT tenant_id, customer_id, COUNT(*) n FROM tickets GROUP BY tenant_id, customer_id) t ON t.tenant_id = c.tenant_id AND t.customer_id = c.id WHERE c.tenant_id = $1;

-- name: deferred-with-correlated-subquery-inside
SELECT d.name, d.last_order FROM (SELECT c.tenant_id, c.name, (SELECT MAX(o.placed_at) FROM orders o WHERE o.customer_id = c.id AND o.tenant_id = c.tenant_id) AS last_order FROM customers c) d WHERE d.tenant_id = $1;

-- name: deferred-view-of-everything
SELECT v.customer, SUM(v.line_total) FROM (SELECT o.tenant_id, c.name AS customer, i.quantity * i.unit_price AS line_total FROM orders o LEFT JOIN customers c ON c.id = o.customer_id AND c.tenant_id = o.tenant_id LEFT JOIN order_items i ON i.order_id = o.id AND i.tenant_id = o.tenant_id) v WHERE v.tenant_id = $1 AND v.line_total > 5 GROUP BY v.customer HAVING COUNT(*) > 1;

-- name: cte-joined-back-to-its-table
WITH firsts AS (SELECT tenant_id, customer_id, MIN(placed_at) AS first_at FROM orders WHERE tenant_id = $1 GROUP BY tenant_id, customer_id)
SELECT o.id FROM orders o JOIN firsts f ON f.tenant_id = o.tenant_id AND f.customer_id = o.customer_id AND f.first_at = o.placed_at;

-- name: cte-fact-joined-left
WITH o AS (SELECT tenant_id, customer_id, COUNT(*) AS n FROM orders WHERE tenant_id = $1 GROUP BY 1, 2)
SELECT o.customer_id, o.n, c.name FROM o LEFT JOIN customers c ON c.id = o.customer_id AND c.tenant_id = o.tenant_id;

-- name: union-fact-joined
SELECT c.name, x.kind FROM (SELECT tenant_id, customer_id, 'order' AS kind FROM orders WHERE tenant_id = $1 UNION SELECT tenant_id, customer_id, 'ticket' FROM tickets WHERE tenant_id = $1) x JOIN customers c ON c.tenant_id = x.tenant_id AND c.id = x.customer_id LIMIT 10;

-- name: correlated-in-select-where-and-order-by
SELECT c.id FROM customers c WHERE c.tenant_id = $1 AND (SELECT COUNT(*) FROM orders o WHERE o.tenant_id = c.tenant_id AND o.customer_id = c.id) > 2 ORDER BY (SELECT MAX(t.opened_at) FROM tickets t WHERE t.tenant_id = c.tenant_id AND t.customer_id = c.id) DESC NULLS LAST;

-- name: not-exists-with-its-own-predicate
SELECT p.name FROM products p WHERE p.tenant_id = $1 AND NOT EXISTS (SELECT 1 FROM order_items i JOIN orders o ON o.id = i.order_id AND o.tenant_id = i.tenant_id WHERE i.product_id = p.id AND i.tenant_id = $1 AND o.status = 'paid');

-- name: self-join-three-times
SELECT e.name, m.name AS manager, mm.name AS director FROM employees e LEFT JOIN employees m ON m.id = e.manager_id AND m.tenant_id = e.tenant_id LEFT JOIN employees mm ON mm.id = m.manager_id AND mm.tenant_id = m.tenant_id WHERE e.tenant_id = $1 ORDER BY e.id;

-- name: union-in-in-clause
SELECT COUNT(*) FROM customers c WHERE c.tenant_id = $1 AND c.id IN (SELECT customer_id FROM orders WHERE tenant_id = $1 UNION SELECT customer_id FROM tickets WHERE tenant_id = $1);

-- name: scalar-from-other-table-in-where
SELECT id, total FROM orders WHERE tenant_id = $1 AND total > (SELECT AVG(amount) FROM payments WHERE tenant_id = $1) AND placed_at >= (SELECT MIN(started_on) FROM subscriptions WHERE tenant_id = $1) ORDER BY id LIMIT 5;

-- name: case-over-subqueries
SELECT CASE WHEN EXISTS (SELECT 1 FROM tickets WHERE tenant_id = $1 AND priority = 'urgent' AND status = 'open') THEN 'busy' WHEN (SELECT COUNT(*) FROM tickets WHERE tenant_id = $1) = 0 THEN 'idle' ELSE 'ok' END AS state;

-- name: cte-shadows-the-table
WITH orders AS (SELECT * FROM public.orders WHERE tenant_id = $1) SELECT status, COUNT(*) FROM orders GROUP BY status;

-- name: nested-with
SELECT x.status, x.n FROM (WITH o AS (SELECT status, tenant_id FROM orders WHERE tenant_id = $1), g AS (SELECT status, COUNT(*) AS n FROM o GROUP BY status) SELECT * FROM g) x ORDER BY x.n;

-- name: cte-with-renamed-columns
WITH o (who, what, how_much) AS (SELECT customer_id, status, total FROM orders WHERE tenant_id = $1) SELECT who, SUM(how_much) FILTER (WHERE what = 'paid') FROM o GROUP BY who;

-- name: alias-equals-another-column
SELECT total AS status, status AS total FROM orders WHERE tenant_id = $1 ORDER BY total, status LIMIT 5;

-- name: group-by-a-name-that-is-both
SELECT LOWER(status) AS status, COUNT(*) AS total FROM orders WHERE tenant_id = $1 GROUP BY status ORDER BY total DESC;

-- name: same-table-under-two-names-in-union
SELECT 'new' AS label, COUNT(*) FROM customers WHERE tenant_id = $1 AND created_at >= '2024-01-01' UNION ALL SELECT 'old', COUNT(*) FROM customers c2 WHERE c2.tenant_id = $1 AND c2.created_at < '2024-01-01';

-- name: all-tenant-predicates-with-is-not-null
SELECT COUNT(*) FROM orders o WHERE o.tenant_id IS NOT NULL AND o.tenant_id = $1 AND o.coupon IS NOT NULL;

-- name: or-with-common-tenant-outside
SELECT COUNT(*) FROM orders o WHERE o.tenant_id = $1 AND (o.status = 'paid' OR o.total > 100 OR o.coupon = 'SPRING' AND NOT (o.currency = 'USD'));

-- name: not-of-an-or-behind-the-tenant
SELECT COUNT(*) FROM orders WHERE NOT (status = 'cancelled' OR status = 'refunded') AND tenant_id = $1;

-- name: lateral-with-the-value-inside
SELECT c.name, x.n FROM customers c, LATERAL (SELECT COUNT(*) AS n FROM tickets t WHERE t.customer_id = c.id AND t.tenant_id = $1) x WHERE c.tenant_id = $1 AND x.n > 0 ORDER BY x.n DESC;

-- name: group-by-tenant-for-one-tenant
SELECT o.tenant_id, t.name, COUNT(*) FROM orders o JOIN tenants t ON t.id = o.tenant_id WHERE o.tenant_id = $1 GROUP BY o.tenant_id, t.name;

-- name: window-total-over-the-tenant
SELECT id, total, SUM(total) OVER (PARTITION BY tenant_id) AS of_all, total / SUM(total) OVER (PARTITION BY tenant_id) AS share FROM orders WHERE tenant_id = $1 ORDER BY share DESC LIMIT 5;

-- name: intersect-of-facts
SELECT customer_id FROM (SELECT tenant_id, customer_id FROM orders WHERE tenant_id = $1 INTERSECT SELECT tenant_id, customer_id FROM tickets WHERE tenant_id = $1) x WHERE customer_id > 3;

-- name: recursive-with-tenant-in-the-tree-alone
WITH RECURSIVE tree AS (SELECT id, tenant_id, parent_id, name, 1 AS depth FROM categories WHERE tenant_id = $1 AND parent_id IS NULL UNION ALL SELECT c.id, c.tenant_id, c.parent_id, c.name, t.depth + 1 FROM categories c, tree t WHERE c.parent_id = t.id AND c.tenant_id = t.tenant_id AND t.depth < 10)
SELECT t.name, t.depth, COUNT(p.id) FROM tree t LEFT JOIN products p ON p.category_id = t.id AND p.tenant_id = t.tenant_id GROUP BY t.name, t.depth ORDER BY t.depth, t.name;

-- name: tenant-cast-to-varchar-in-list
SELECT COUNT(*) FROM orders WHERE tenant_id IN ($1::varchar) AND status IN ('paid'::text, 'shipped'::text);

-- name: tenant-is-true
SELECT COUNT(*) FROM orders WHERE (tenant_id = $1) IS TRUE;

-- name: tenant-by-any-array-of-one
SELECT COUNT(*) FROM orders WHERE tenant_id = ANY($1::text[]);
