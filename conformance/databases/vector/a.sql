-- Twin a: what acme may not see.
UPDATE app.documents SET body = 'a' || id;
INSERT INTO app.documents SELECT g, 'globex', 'theirs', '[1,2,3]', 'g' FROM generate_series(1, 50) g;
INSERT INTO app.chunks VALUES (1, 'globex', 1, 'theirs', '[1,2,3]'), (2, 'globex', 1, 'anvils', '[1,2,3]');
ANALYZE;
