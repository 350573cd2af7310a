-- One key of type text. Loaded into both twins; src/world/fill.rs then fills each.
CREATE SCHEMA app;
CREATE SCHEMA pub;
CREATE SCHEMA ext;
-- Under this collation 'acme' = 'ACME': what a comparison must not pick up unseen.
CREATE COLLATION ext.ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE app.state AS ENUM ('open', 'paid', 'void');
CREATE TYPE app.dims AS (w int, h int);

CREATE TABLE app.tenants (id text PRIMARY KEY, name text, plan text);
CREATE TABLE app.customers (
  id int NOT NULL, tenant_id text NOT NULL REFERENCES app.tenants, name text, region text, manager_id int,
  email text, ssn text, score int,                        -- hidden
  PRIMARY KEY (tenant_id, id));
CREATE TABLE app.orders (
  id int NOT NULL, tenant_id text NOT NULL, customer_id int, status text, state app.state, total numeric(12,2),
  details jsonb, placed_at date,
  PRIMARY KEY (tenant_id, id), FOREIGN KEY (tenant_id, customer_id) REFERENCES app.customers ON DELETE CASCADE);
CREATE TABLE app.items (                                  -- a varchar key
  id int NOT NULL, tenant_id varchar(40) NOT NULL, order_id int, product_id int, qty int, tags text[], box app.dims,
  margin numeric(12,2),                                   -- hidden
  PRIMARY KEY (tenant_id, id));
CREATE SEQUENCE app.note_no;                              -- counts everybody's, and stands elsewhere in each twin
CREATE TABLE app.notes (                                  -- incomplete: from `region` on, no column is in the policy
  id int NOT NULL, tenant_id text NOT NULL, order_id int, body text DEFAULT 'default ' || nextval('app.note_no'),
  region text, status text, total numeric(12,2), qty int, name text,
  PRIMARY KEY (tenant_id, id));
CREATE TABLE app.events (
  id int NOT NULL, tenant_id text NOT NULL, kind text NOT NULL, val int, at date, PRIMARY KEY (tenant_id, kind, id))
  PARTITION BY LIST (kind);
CREATE TABLE app.events_view PARTITION OF app.events FOR VALUES IN ('view');
CREATE TABLE app.events_rest PARTITION OF app.events DEFAULT;
CREATE TABLE app.labels (                                 -- no order but this one has the key at its place
  id int NOT NULL, kind text, tenant_id text NOT NULL DEFAULT 'zzz', region text, PRIMARY KEY (tenant_id, id));
CREATE TABLE app.products (
  id int PRIMARY KEY, sku text, name text, price numeric(12,2), label text COLLATE ext.ci, ratio real, tags text[]);
CREATE TABLE pub.codes (code text, meaning text);
CREATE TABLE app.codes (code text, meaning text);         -- in no policy, and first on the path
CREATE TABLE app.secrets (id int, tenant_id text, key_hash text);   -- in no policy
