-- Twin b: what acme may not see.
UPDATE app.documents SET body = 'anvils';
INSERT INTO app.documents VALUES (1, 'globex', 'far', '[900,0,0]', 'g');
INSERT INTO app.chunks VALUES (7, 'globex', 9, 'far', '[90,0,0]');
ANALYZE;
