-- The database in which the corpus' own cases make sense. PostgreSQL 18 with ICU; load as a superuser into an empty
-- UTF-8 database. Rows here are what every caller of the corpus may see, and shared rows; rows of other tenants, the
-- values of hidden columns and the content of unlisted tables stand in a.sql and b.sql, which differ in
-- nothing else. The callers: tenant `acme` (or the set acme + initech), org 1111…, account 42 (or 42 + 7),
-- tenant `acme` with team `red`.
CREATE SCHEMA app;
CREATE SCHEMA pub;
CREATE SCHEMA ext;

-- A collation under which 'acme' = 'ACME': what a comparison must not pick up unseen.
CREATE COLLATION ext.ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE app.order_state AS ENUM ('open', 'paid', 'void');
CREATE TYPE app.dims AS (w int, h int);
CREATE DOMAIN ext.tenant_domain AS text;

CREATE TABLE app.tenants (id text PRIMARY KEY, name text NOT NULL, plan text NOT NULL);
CREATE TABLE app.customers (
  id int NOT NULL, tenant_id text NOT NULL, name text NOT NULL, region text, manager_id int, created_at timestamptz NOT NULL,
  email text, ssn text,                                   -- hidden
  PRIMARY KEY (tenant_id, id));                           -- ids repeat in every tenant
CREATE TABLE app.orders (
  id int NOT NULL, tenant_id text NOT NULL, customer_id int NOT NULL, status text NOT NULL, total numeric(12,2) NOT NULL,
  placed_at timestamptz NOT NULL, details jsonb, PRIMARY KEY (tenant_id, id));
CREATE TABLE app.items (                                  -- a varchar key
  id int NOT NULL, tenant_id varchar(40) NOT NULL, order_id int NOT NULL, product_id int NOT NULL, qty int NOT NULL,
  price numeric(12,2) NOT NULL, PRIMARY KEY (tenant_id, id));
CREATE TABLE app.notes (                                  -- incomplete in the policies: `margin` and `grade` are in no list
  id int NOT NULL, tenant_id text NOT NULL, order_id int NOT NULL, body text, margin int, grade text,
  PRIMARY KEY (tenant_id, id));
CREATE TABLE app.invoices (                               -- an enum, an array, a composite
  id int NOT NULL, tenant_id text NOT NULL, order_id int NOT NULL, state app.order_state NOT NULL, due date NOT NULL,
  lines int[], box app.dims, PRIMARY KEY (tenant_id, id));
CREATE TABLE app.products (
  id int PRIMARY KEY, sku text NOT NULL, name text NOT NULL, category text, price numeric(12,2) NOT NULL, tags text[],
  label text COLLATE ext.ci, ratio real);                 -- shared
CREATE TABLE app.regions (code text PRIMARY KEY, title text NOT NULL);   -- shared
CREATE TABLE app."Größe" (id int PRIMARY KEY, "maß" text NOT NULL, "select" text NOT NULL);   -- shared, names that need quotes
CREATE TABLE app.codes (code text, meaning text);         -- unlisted; stands before pub.codes on the path
CREATE TABLE pub.codes (code text, meaning text);         -- listed, shared
CREATE TABLE pub.rates (day date, currency text, rate numeric);          -- listed, shared
CREATE TABLE app.api_keys (id int, tenant_id text, secret text);         -- unlisted
CREATE TABLE app.audit_log (id int, tenant_id text, entry text);         -- unlisted

CREATE TABLE app.docs (id int NOT NULL, org_id uuid NOT NULL, title text NOT NULL, PRIMARY KEY (org_id, id));
CREATE TABLE app.revisions (id int NOT NULL, org_id uuid NOT NULL, doc_id int NOT NULL, body text, PRIMARY KEY (org_id, id));
CREATE TABLE app.meters (id int NOT NULL, account_id int NOT NULL, label text NOT NULL, val numeric NOT NULL, PRIMARY KEY (account_id, id));
CREATE TABLE app.readings (id int NOT NULL, account_id bigint NOT NULL, meter_id int NOT NULL, at timestamptz NOT NULL, val numeric NOT NULL, PRIMARY KEY (account_id, id));
CREATE TABLE app.tasks (id int NOT NULL, tenant_id text NOT NULL, team_id text NOT NULL, title text NOT NULL, done boolean NOT NULL, PRIMARY KEY (tenant_id, team_id, id));
CREATE TABLE app.comments (id int NOT NULL, tenant_id text NOT NULL, team_id text NOT NULL, task_id int NOT NULL, body text NOT NULL, PRIMARY KEY (tenant_id, team_id, id));
CREATE TABLE app.members (id int NOT NULL, tenant_id text NOT NULL, name text NOT NULL, PRIMARY KEY (tenant_id, id));

CREATE FUNCTION app.fiscal_quarter(timestamptz) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT extract(quarter FROM $1 AT TIME ZONE 'UTC')::int $$;
CREATE FUNCTION app.full_name(app.customers) RETURNS text LANGUAGE sql STABLE AS $$ SELECT $1.name || ' ' || $1.ssn $$;
CREATE FUNCTION ext.always(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT true $$;
CREATE OPERATOR ext.= (LEFTARG = text, RIGHTARG = text, FUNCTION = ext.always);
CREATE OPERATOR app.=== (LEFTARG = text, RIGHTARG = text, FUNCTION = ext.always);

INSERT INTO app.tenants VALUES ('acme', 'Acme Inc', 'pro'), ('initech', 'Initech', 'free');
INSERT INTO app.customers (id, tenant_id, name, region, manager_id, created_at) VALUES
  (1, 'acme', 'Alice', 'EU', NULL, '2024-01-05 10:00+00'), (2, 'acme', 'Bob', 'US', 1, '2024-02-11 11:00+00'),
  (3, 'acme', 'Cara', 'EU', 1, '2024-03-15 12:00+00'), (4, 'acme', 'Dan', NULL, 2, '2024-06-09 15:00+00'),
  (5, 'acme', 'globex', 'US', 1, '2024-06-10 15:00+00'),
  (1, 'initech', 'Peter', 'US', NULL, '2023-01-01 09:00+00');
INSERT INTO app.orders VALUES
  (101, 'acme', 1, 'paid', 199.00, '2024-06-01 09:00+00', '{"channel":"web","gift":true}'),
  (102, 'acme', 2, 'paid', 249.00, '2024-06-03 12:30+00', '{"channel":"store","lines":[{"sku":"A","n":1},{"sku":"B","n":2}]}'),
  (103, 'acme', 1, 'open', 150.00, '2024-06-15 16:00+00', NULL),
  (104, 'acme', 3, 'void', 42.50, '2024-07-01 08:15+00', '{"channel":"web"}'),
  (301, 'initech', 1, 'paid', 77.00, '2024-07-02 10:00+00', NULL);
INSERT INTO app.items VALUES (1, 'acme', 101, 1, 2, 99.50), (2, 'acme', 102, 2, 1, 249.00), (3, 'acme', 103, 3, 1, 150.00),
  (1, 'initech', 301, 1, 5, 15.00);
INSERT INTO app.notes (id, tenant_id, order_id, body) VALUES (1, 'acme', 101, 'called'), (2, 'acme', 102, 'shipped'), (3, 'acme', 103, NULL);
INSERT INTO app.invoices VALUES (1, 'acme', 101, 'paid', '2024-07-01', '{1,2,3}', '(2,3)'), (2, 'acme', 103, 'open', '2024-08-01', NULL, NULL);
INSERT INTO app.products VALUES (1, 'SKU-1', 'Anvil', 'hardware', 99.50, '{heavy,iron}', 'acme', 42), (2, 'SKU-2', 'Skates', 'sport', 249.00, '{fast}', 'ACME', 7),
  (3, 'SKU-3', 'Magnet', 'hardware', 150.00, NULL, 'x', NULL), (4, 'globex', 'Glue', 'hooli', 4.25, '{}', NULL, 0.5);
INSERT INTO app.regions VALUES ('EU', 'Europe'), ('US', 'United States'), ('APAC', 'Asia-Pacific');
INSERT INTO app."Größe" VALUES (1, 'klein', 'a'), (2, 'groß', 'b');
INSERT INTO pub.codes VALUES ('paid', 'settled'), ('open', 'due');
INSERT INTO pub.rates VALUES ('2024-06-01', 'EUR', 1.08);
INSERT INTO app.docs VALUES (1, '11111111-1111-1111-1111-111111111111', 'Plan'), (2, '11111111-1111-1111-1111-111111111111', 'Budget'),
  (1, '22222222-2222-2222-2222-222222222222', 'Guide');
INSERT INTO app.revisions VALUES (1, '11111111-1111-1111-1111-111111111111', 1, 'v1'), (2, '11111111-1111-1111-1111-111111111111', 1, 'v2');
INSERT INTO app.meters VALUES (1, 42, 'main', 5), (2, 42, 'roof', 6), (1, 7, 'yard', 9);
INSERT INTO app.readings VALUES (1, 42, 1, '2024-06-01 00:00+00', 10), (2, 42, 2, '2024-06-02 00:00+00', 20), (1, 7, 1, '2024-06-01 00:00+00', 3);
INSERT INTO app.tasks VALUES (1, 'acme', 'red', 'paint', false), (2, 'acme', 'red', 'sand', true);
INSERT INTO app.comments VALUES (1, 'acme', 'red', 1, 'soon');
INSERT INTO app.members VALUES (1, 'acme', 'Ann'), (2, 'acme', 'Ben');
