-- Twin b: what acme may not see.
UPDATE app.customers SET email = 'anna smith';
INSERT INTO app.customers VALUES (1, 'globex', 'Zed', 'Rome', 'z'), (1, 'acne', 'Ana Smit', 'Bern', 'x');
ANALYZE;
