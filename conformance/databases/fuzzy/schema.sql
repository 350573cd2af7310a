-- Trigrams and sounds, in a schema of their own that is the second of search_path. Tenants: acme is the caller.
CREATE SCHEMA extensions;
GRANT USAGE ON SCHEMA extensions TO PUBLIC;
CREATE EXTENSION fuzzystrmatch SCHEMA extensions;
CREATE EXTENSION pg_trgm SCHEMA extensions;
CREATE SCHEMA app;
CREATE TABLE app.customers (id int NOT NULL, tenant_id text NOT NULL, name text, city text, email text, PRIMARY KEY (tenant_id, id));
CREATE INDEX ON app.customers USING gin (name extensions.gin_trgm_ops);
CREATE TABLE app.products (id int PRIMARY KEY, name text, label text);
INSERT INTO app.customers (id, tenant_id, name, city) VALUES
  (1, 'acme', 'Anna Smith', 'Berlin'), (2, 'acme', 'Ana Smit', 'Bern'), (3, 'acme', 'Bob Jones', 'Bonn'), (4, 'acme', NULL, 'Paris'), (5, 'acme', 'Jonas Bob', 'Berlim');
INSERT INTO app.products VALUES (1, 'anvil', 'heavy anvil'), (2, 'anvils', 'two anvils'), (3, 'rocket', 'rocket skates'), (4, 'Ånvil', NULL);
