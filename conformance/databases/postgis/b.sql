-- Twin b: what acme may not see.
UPDATE app.stores SET note = 'Mitte';
INSERT INTO app.stores VALUES (1, 'globex', 'far', 'POINT(-100 40)', 'g');
INSERT INTO app.zones VALUES (7, 'globex', 'far', 'SRID=4326;POLYGON((-101 39,-99 39,-99 41,-101 41,-101 39))');
ANALYZE;
