-- Twin a: what acme may not see.
UPDATE app.customers SET email = 'a' || id || '@x';
INSERT INTO app.customers SELECT g, 'globex', 'Anna Smith', 'Berlin', 'g' FROM generate_series(1, 50) g;
ANALYZE;
