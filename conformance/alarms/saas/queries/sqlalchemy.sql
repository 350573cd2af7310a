-- SQLAlchemy: anonymous aliases, eager loading, labels, CTEs from select(), lateral and window constructs.

-- name: select-with-labels
SELECT orders.id AS orders_id, orders.tenant_id AS orders_tenant_id, orders.status AS orders_status, orders.total AS orders_total
FROM orders
WHERE orders.tenant_id = $1 AND orders.status = 'paid' ORDER BY orders.placed_at DESC
 LIMIT 20 OFFSET 40

-- name: joined-eager-load-of-a-limited-parent
SELECT anon_1.orders_id AS anon_1_orders_id, anon_1.orders_tenant_id AS anon_1_orders_tenant_id, anon_1.orders_total AS anon_1_orders_total, order_items_1.id AS order_items_1_id, order_items_1.quantity AS order_items_1_quantity
FROM (SELECT orders.id AS orders_id, orders.tenant_id AS orders_tenant_id, orders.total AS orders_total
FROM orders
WHERE orders.tenant_id = $1 ORDER BY orders.id
 LIMIT 10) AS anon_1 LEFT OUTER JOIN order_items AS order_items_1 ON anon_1.orders_id = order_items_1.order_id AND anon_1.orders_tenant_id = order_items_1.tenant_id ORDER BY anon_1.orders_id

-- name: count-of-a-subquery
SELECT count(*) AS count_1
FROM (SELECT orders.id AS orders_id, orders.status AS orders_status
FROM orders
WHERE orders.tenant_id = $1 AND orders.total > 10) AS anon_1

-- name: selectin-load
SELECT order_items.tenant_id AS order_items_tenant_id, order_items.order_id AS order_items_order_id, order_items.id AS order_items_id, order_items.quantity AS order_items_quantity
FROM order_items
WHERE (order_items.tenant_id, order_items.order_id) IN (($1, 1), ($1, 2), ($1, 3))

-- name: exists-from-any
SELECT customers.id, customers.name
FROM customers
WHERE customers.tenant_id = $1 AND (EXISTS (SELECT 1
FROM orders
WHERE customers.id = orders.customer_id AND customers.tenant_id = orders.tenant_id AND orders.total > 100.0))

-- name: correlated-scalar-subquery
SELECT customers.id, customers.name, (SELECT count(orders.id) AS count_1
FROM orders
WHERE orders.customer_id = customers.id AND orders.tenant_id = customers.tenant_id) AS order_count
FROM customers
WHERE customers.tenant_id = CAST($1 AS TEXT)

-- name: lateral-top-per-parent
SELECT customers.name, anon_1.id, anon_1.total
FROM customers JOIN LATERAL (SELECT orders.id AS id, orders.total AS total
FROM orders
WHERE orders.customer_id = customers.id AND orders.tenant_id = customers.tenant_id ORDER BY orders.total DESC
 LIMIT 2) AS anon_1 ON true
WHERE customers.tenant_id = $1::VARCHAR

-- name: self-referential-joined-load
SELECT employees.id, employees.name, employees_1.id AS id_1, employees_1.name AS name_1
FROM employees LEFT OUTER JOIN employees AS employees_1 ON employees_1.id = employees.manager_id AND employees_1.tenant_id = employees.tenant_id
WHERE employees.tenant_id = $1

-- name: recursive-cte
WITH RECURSIVE tree(id, tenant_id, name, depth) AS
(SELECT categories.id AS id, categories.tenant_id AS tenant_id, categories.name AS name, 0 AS depth
FROM categories
WHERE categories.parent_id IS NULL AND categories.tenant_id = $1 UNION ALL SELECT child.id AS id, child.tenant_id AS tenant_id, child.name AS name, tree.depth + 1 AS anon_1
FROM categories AS child JOIN tree ON child.parent_id = tree.id AND child.tenant_id = tree.tenant_id)
 SELECT tree.id, tree.name, tree.depth
FROM tree ORDER BY tree.depth, tree.id

-- name: window-in-subquery-filtered
SELECT anon_1.id, anon_1.customer_id, anon_1.total
FROM (SELECT orders.id AS id, orders.customer_id AS customer_id, orders.total AS total, row_number() OVER (PARTITION BY orders.customer_id ORDER BY orders.placed_at DESC) AS rn
FROM orders
WHERE orders.tenant_id = $1) AS anon_1
WHERE anon_1.rn = 1

-- name: union-of-two-selects
SELECT anon_1.kind, anon_1.at FROM (SELECT 'order' AS kind, orders.placed_at AS at FROM orders WHERE orders.tenant_id = $1 UNION ALL SELECT 'ticket' AS kind, tickets.opened_at AS at FROM tickets WHERE tickets.tenant_id = $1) AS anon_1 ORDER BY anon_1.at DESC LIMIT 50

-- name: many-to-many-secondary
SELECT tags.id AS tags_id, tags.name AS tags_name
FROM tags, order_tags
WHERE order_tags.order_id = 7 AND order_tags.tenant_id = $1 AND tags.id = order_tags.tag_id AND tags.tenant_id = order_tags.tenant_id

-- name: in-list-and-ilike-with-escape
SELECT customers.id FROM customers WHERE customers.tenant_id = $1 AND customers.country IN ('DE', 'FR') AND (customers.name ILIKE '%' || 'Cust/_' || '%' ESCAPE '/') IS NOT true

-- name: jsonb-astext-and-contains
SELECT orders.id, orders.details ->> 'channel' AS channel FROM orders WHERE orders.tenant_id = $1 AND (orders.details @> '{"gift": true}'::JSONB OR CAST((orders.details -> 'items') ->> 0 AS INTEGER) > 3)

-- name: tuple-keyset-pagination
SELECT orders.id, orders.placed_at FROM orders WHERE orders.tenant_id = $1 AND (orders.placed_at, orders.id) < ('2024-05-01 00:00:00+00'::TIMESTAMP WITH TIME ZONE, 1000) ORDER BY orders.placed_at DESC, orders.id DESC LIMIT 25

-- name: aggregate-filter-and-order-by
SELECT customers.country, count(customers.id) FILTER (WHERE customers.segment = 'smb') AS smb, string_agg(customers.name, ', ' ORDER BY customers.name) AS names, array_agg(DISTINCT customers.segment) AS segments
FROM customers WHERE customers.tenant_id = $1 GROUP BY customers.country HAVING count(customers.id) > 1
