-- Twin b: the same schema and the same visible rows as twin a; everything else is different, and there is much more of it.
UPDATE app.customers SET email = 'b' || (10 - id), ssn = '777-' || (10 - id);
UPDATE app.notes SET margin = id, grade = 'z' || id;
INSERT INTO app.tenants VALUES ('hooli', 'Hooli', 'free'), ('globex', 'Globex renamed', 'free');
INSERT INTO app.customers (id, tenant_id, name, region, manager_id, created_at, email, ssn)
  SELECT g, 'hooli', 'h' || g, CASE g % 3 WHEN 0 THEN 'EU' WHEN 1 THEN 'US' END, 1, '2019-01-01 00:00+00', 'h', '5' FROM generate_series(1, 400) g;
INSERT INTO app.customers (id, tenant_id, name, region, manager_id, created_at) VALUES (3, 'globex', 'Third', 'EU', NULL, '2020-02-01 09:00+00');
INSERT INTO app.orders SELECT g, 'hooli', g % 5, CASE g % 4 WHEN 0 THEN 'open' ELSE 'paid' END, g, '2024-06-15 16:00+00', NULL FROM generate_series(1, 3000) g;
INSERT INTO app.orders VALUES (777, 'globex', 2, 'open', 5, '2021-06-01 10:00+00', NULL);
INSERT INTO app.items SELECT g, 'hooli', g % 3000, g % 3 + 1, 1, 2 FROM generate_series(1, 3000) g;
INSERT INTO app.notes SELECT g, 'hooli', g, 'h', g, 'q' FROM generate_series(1, 200) g;
INSERT INTO app.invoices SELECT g, 'hooli', g, 'open', '2030-01-01', NULL, NULL FROM generate_series(1, 200) g;
INSERT INTO app.api_keys VALUES (2, 'acme', 'k-b'), (3, 'hooli', 'k-h');
INSERT INTO app.audit_log VALUES (2, 'acme', 'login-b');
INSERT INTO app.codes VALUES ('forbidden-b', 'b'), ('forbidden-c', 'c');
INSERT INTO app.docs SELECT g, '88888888-8888-8888-8888-888888888888', 'Theirs b' FROM generate_series(1, 300) g;
INSERT INTO app.revisions SELECT g, '88888888-8888-8888-8888-888888888888', g % 3, 'theirs b' FROM generate_series(1, 300) g;
INSERT INTO app.meters SELECT g, 44, 'b', 900 + g FROM generate_series(1, 300) g;
INSERT INTO app.readings SELECT g, 44, g % 3, '2024-06-05 00:00+00', 900 FROM generate_series(1, 300) g;
INSERT INTO app.tasks VALUES (7, 'acme', 'green', 'green b', true), (8, 'hooli', 'red', 'hooli b', true);
INSERT INTO app.comments VALUES (7, 'acme', 'green', 1, 'green b'), (8, 'hooli', 'red', 1, 'hooli b');
INSERT INTO app.members VALUES (1, 'hooli', 'Hal b'), (2, 'hooli', 'Hub b');
ANALYZE;
