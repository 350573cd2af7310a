-- Twin a: what acme may not see.
UPDATE app.stores SET note = 'a' || id;
INSERT INTO app.stores SELECT g, 'globex', 'theirs', 'POINT(13.40 52.52)', 'g' FROM generate_series(1, 50) g;
INSERT INTO app.zones SELECT g, 'globex', 'theirs', 'SRID=4326;POLYGON((13 52,14 52,14 53,13 53,13 52))' FROM generate_series(1, 9) g;
ANALYZE;
