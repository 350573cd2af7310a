-- The rows, put back after every statement that could have changed them.
TRUNCATE app.orders, app.customers, app.products, app.api_keys;
INSERT INTO app.customers
SELECT n * 3 + t.at, t.tenant, upper(t.tenant) || '_customer_' || n, 'SSN_' || t.tenant || n, 'SSN_' || n || '@example.org'
FROM generate_series(0, 3) AS n, (VALUES (1, 'acme'), (2, 'globex'), (3, 'initech')) AS t(at, tenant);
INSERT INTO app.orders
SELECT c.id * 10 + n, c.tenant_id, c.id, 10 * n, upper(c.tenant_id) || '_order', 'new' FROM app.customers AS c, generate_series(1, 2) AS n;
INSERT INTO app.products VALUES (1, 'p1', 'pen', 1.50), (2, 'p2', 'paper', 4.00);
INSERT INTO app.api_keys SELECT c.id, c.tenant_id, 'KEY_' || c.tenant_id FROM app.customers AS c;
REFRESH MATERIALIZED VIEW app.mv;
REFRESH MATERIALIZED VIEW leftover.mv;
