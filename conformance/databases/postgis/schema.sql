-- PostGIS, in a schema of its own that is the second of search_path. Tenants: acme is the caller.
CREATE SCHEMA extensions;
GRANT USAGE ON SCHEMA extensions TO PUBLIC;
CREATE EXTENSION postgis SCHEMA extensions;
CREATE SCHEMA app;
CREATE TABLE app.stores (id int NOT NULL, tenant_id text NOT NULL, name text, location extensions.geography(Point, 4326), note text, PRIMARY KEY (tenant_id, id));
CREATE TABLE app.zones (id int NOT NULL, tenant_id text NOT NULL, name text, area extensions.geometry(Polygon, 4326), PRIMARY KEY (tenant_id, id));
CREATE TABLE app.regions (code text PRIMARY KEY, title text, shape extensions.geometry);
CREATE INDEX ON app.stores USING gist (location);
CREATE INDEX ON app.zones USING gist (area);
INSERT INTO app.stores (id, tenant_id, name, location) VALUES
  (1, 'acme', 'Mitte', 'POINT(13.40 52.52)'), (2, 'acme', 'Kreuzberg', 'POINT(13.41 52.50)'), (3, 'acme', 'Bern', 'POINT(7.45 46.95)'), (4, 'acme', 'closed', NULL);
INSERT INTO app.zones VALUES
  (1, 'acme', 'Berlin', 'SRID=4326;POLYGON((13 52,14 52,14 53,13 53,13 52))'), (2, 'acme', 'Bern', 'SRID=4326;POLYGON((7 46,8 46,8 47,7 47,7 46))');
INSERT INTO app.regions VALUES ('EU', 'Europe', 'SRID=4326;POLYGON((-10 35,30 35,30 70,-10 70,-10 35))');
