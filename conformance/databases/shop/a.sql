-- Twin a: what the corpus' callers may not see. Near misses of `acme` (case, prefix, trailing blank) included.
UPDATE app.customers SET email = 'a' || id || '@x', ssn = '111-' || id;
UPDATE app.notes SET margin = 1, grade = 'a';
INSERT INTO app.tenants VALUES ('globex', 'Globex', 'pro'), ('ACME', 'Upper', 'pro'), ('acme-eu', 'Prefix', 'pro'), ('acme ', 'Blank', 'pro');
INSERT INTO app.customers (id, tenant_id, name, region, manager_id, created_at, email, ssn) VALUES
  (1, 'globex', 'Gina', 'EU', NULL, '2020-02-01 09:00+00', 'g', '9'), (2, 'globex', 'acme', 'acme', 1, '2020-02-02 09:00+00', 'g', '9'),
  (9, 'globex', 'Nine', 'LATAM', 1, '2029-02-02 09:00+00', 'g', '9'), (1, 'ACME', 'Ulla', 'EU', NULL, '2020-02-01 09:00+00', 'u', '9'),
  (1, 'acme ', 'Sam', 'EU', NULL, '2020-02-01 09:00+00', 's', '9'), (1, 'acme-eu', 'Paul', 'EU', NULL, '2020-02-01 09:00+00', 'p', '9');
INSERT INTO app.orders SELECT g, 'globex', g % 3 + 1, 'paid', 9000 + g, '2024-06-01 10:00+00', '{"channel":"glx"}' FROM generate_series(201, 203) g;
INSERT INTO app.orders VALUES (101, 'globex', 1, 'acme', 7000, '2029-06-01 10:00+00', NULL), (401, 'ACME', 1, 'paid', 444, '2024-06-01 10:00+00', NULL),
  (402, 'acme ', 1, 'paid', 555, '2024-06-01 10:00+00', NULL), (403, 'acme-eu', 1, 'paid', 666, '2020-06-01 10:00+00', NULL);
INSERT INTO app.orders VALUES (9, '10', 1, 'open', 1, '2024-06-01 10:00+00', NULL), (9, 'paid', 1, 'paid', 1, '2024-06-01 10:00+00', NULL);
INSERT INTO app.items VALUES (1, 'globex', 101, 1, 30, 1), (2, 'globex', 201, 2, 31, 1), (1, 'acme ', 101, 1, 40, 1), (1, 'ACME', 101, 1, 41, 1);
INSERT INTO app.notes VALUES (1, 'globex', 101, 'secret', 1, 'a'), (9, 'globex', 102, 'x', 5, 'b');
INSERT INTO app.invoices VALUES (1, 'globex', 101, 'void', '2020-01-01', '{9}', '(9,9)');
INSERT INTO app.api_keys VALUES (1, 'acme', 'k-a');
INSERT INTO app.audit_log VALUES (1, 'acme', 'login-a');
INSERT INTO app.codes VALUES ('forbidden-a', 'a');
INSERT INTO app.docs VALUES (1, '99999999-9999-9999-9999-999999999999', 'Theirs a');
INSERT INTO app.revisions VALUES (1, '99999999-9999-9999-9999-999999999999', 1, 'theirs a'), (2, '99999999-9999-9999-9999-999999999999', 2, 'theirs');
INSERT INTO app.meters VALUES (1, 43, 'theirs', 500), (1, -42, 'minus', 501), (1, 16777216, 'near', 502);
INSERT INTO app.readings VALUES (1, 43, 1, '2024-06-01 00:00+00', 500), (1, 9007199254740992, 1, '2024-06-01 00:00+00', 501);
INSERT INTO app.tasks VALUES (1, 'acme', 'blue', 'blue a', false), (1, 'globex', 'red', 'glx a', false);
INSERT INTO app.comments VALUES (1, 'acme', 'blue', 1, 'blue a'), (1, 'globex', 'red', 1, 'glx a');
INSERT INTO app.members VALUES (1, 'globex', 'Gus a');
ANALYZE;
