-- The database of the first corpus (cases/shared-adv, cases/shared-ben): tenant `acme` and the shared rows. Twin a has other
-- tenants as well, near misses of the name included; in twin b they are gone and what is hidden or unlisted is different.
CREATE EXTENSION IF NOT EXISTS dblink;
CREATE EXTENSION IF NOT EXISTS tablefunc;
CREATE EXTENSION IF NOT EXISTS xml2;
CREATE EXTENSION IF NOT EXISTS citext;
CREATE EXTENSION IF NOT EXISTS pgcrypto;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE SCHEMA app;
CREATE SCHEMA ext;     -- objects that no policy lists
SET search_path = app, public;

-- a user-made nondeterministic collation (PostgreSQL ships none)
CREATE COLLATION ext.ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

CREATE TABLE app.tenants (id text PRIMARY KEY, name text NOT NULL);
CREATE TABLE app.customers (
  id int NOT NULL, tenant_id text NOT NULL REFERENCES app.tenants(id), name text NOT NULL, email text,
  ssn text,                                    -- HIDDEN
  region text, created_at timestamptz NOT NULL, manager_id int,
  PRIMARY KEY (tenant_id, id));                -- ids repeat in every tenant
CREATE TABLE app.products (
  id int PRIMARY KEY, sku text UNIQUE NOT NULL, name text NOT NULL, category text, price numeric(12,2), tags text[]);  -- shared
CREATE TABLE app.orders (
  id int PRIMARY KEY,                          -- global key (so ON CONFLICT (id) can hit another tenant)
  tenant_id text NOT NULL REFERENCES app.tenants(id), customer_id int NOT NULL,
  status text NOT NULL, total numeric(12,2) NOT NULL, placed_at timestamptz NOT NULL, notes jsonb,
  internal_margin numeric(12,2),               -- HIDDEN
  UNIQUE (tenant_id, id));
CREATE TABLE app.orders_archive () INHERITS (app.orders);   -- child table, not in any policy
CREATE TABLE app.order_items (
  id int NOT NULL, tenant_id text NOT NULL, order_id int NOT NULL, product_id int NOT NULL REFERENCES app.products(id),
  qty int NOT NULL, unit_price numeric(12,2) NOT NULL, PRIMARY KEY (tenant_id, id));
CREATE TABLE app.events (
  id bigint NOT NULL, tenant_id text NOT NULL, customer_id int, kind text NOT NULL, payload jsonb, at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, id));
CREATE TABLE app.api_keys (id int PRIMARY KEY, tenant_id text NOT NULL, key_hash text NOT NULL);       -- FORBIDDEN
CREATE TABLE app.audit_log (id int PRIMARY KEY, tenant_id text, actor text, entry text, at timestamptz); -- FORBIDDEN
CREATE SEQUENCE app.order_no START 5000;

-- objects that a guard must not let through by accident
CREATE VIEW app.v_all_orders AS SELECT id, tenant_id, customer_id, status, total, placed_at FROM app.orders;
CREATE FUNCTION app.full_ssn(app.customers) RETURNS text LANGUAGE sql STABLE AS $$ SELECT $1.ssn $$;   -- computed column: c.full_ssn
CREATE FUNCTION app.orders_of(t text) RETURNS SETOF app.orders LANGUAGE sql STABLE SECURITY DEFINER AS $$ SELECT * FROM app.orders WHERE tenant_id = t $$;
CREATE FUNCTION app.lower(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'acme' $$;            -- same name as a built-in, worse schema
CREATE FUNCTION ext.always(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT true $$;
CREATE OPERATOR ext.= (LEFTARG = text, RIGHTARG = text, FUNCTION = ext.always);
CREATE OPERATOR app.=== (LEFTARG = text, RIGHTARG = text, FUNCTION = ext.always);
CREATE TYPE ext.tname AS (v text);
CREATE FUNCTION ext.note_write() RETURNS int LANGUAGE sql VOLATILE AS $$ INSERT INTO app.audit_log VALUES ((SELECT coalesce(max(id),0)+1 FROM app.audit_log),'acme','fn','AUDIT-side-effect',now()) RETURNING id $$;

INSERT INTO app.tenants VALUES ('acme','Acme Inc');

INSERT INTO app.products VALUES (1,'SKU-1','Anvil','hardware',99.50,'{heavy,iron}');
INSERT INTO app.products VALUES (2,'SKU-2','Rocket Skates','sport',249.00,'{fast,fun}');
INSERT INTO app.products VALUES (3,'SKU-3','Giant Magnet','hardware',150.00,'{heavy}');
INSERT INTO app.products VALUES (4,'SKU-4','Bird Seed','food',4.25,'{cheap,food}');
INSERT INTO app.products VALUES (5,'SKU-5','Stapler','office',15.00,NULL);

INSERT INTO app.customers VALUES (1,'acme','Alice Archer','alice@example.com','911-00-0001','EU','2024-01-05 10:00+00',NULL);
INSERT INTO app.customers VALUES (2,'acme','Bob Baker','bob@example.com','911-00-0002','US','2024-02-11 11:00+00',1);
INSERT INTO app.customers VALUES (3,'acme','Cara Cole','cara@example.com','911-00-0003','EU','2024-03-15 12:00+00',1);
INSERT INTO app.customers VALUES (4,'acme','Dan Dunn',NULL,'911-00-0004','APAC','2024-03-20 13:00+00',2);
INSERT INTO app.customers VALUES (5,'acme','Eve Egan','eve@example.com',/*s*/NULL,'US','2024-05-01 14:00+00',2);
INSERT INTO app.customers VALUES (6,'acme','Fay Finch','fay@example.com','911-00-0006',NULL,'2024-06-09 15:00+00',3);

INSERT INTO app.orders VALUES (101,'acme',1,'paid',199.00,'2024-06-01 09:00+00','{"channel":"web","coupon":"A1"}',50.77);
INSERT INTO app.orders VALUES (102,'acme',2,'paid',249.00,'2024-06-03 12:30+00','{"channel":"store"}',20.77);
INSERT INTO app.orders VALUES (103,'acme',1,'refunded',150.00,'2024-06-15 16:00+00',NULL,10.77);
INSERT INTO app.orders VALUES (104,'acme',3,'pending',42.50,'2024-07-01 08:15+00','{"channel":"web","gift":true}',5.77);
INSERT INTO app.orders VALUES (105,'acme',4,'cancelled',99.50,'2024-07-04 20:00+00','{"reason":"late"}',9.77);
INSERT INTO app.orders VALUES (106,'acme',2,'paid',301.25,'2024-07-20 07:45+00','{"channel":"web"}',61.77);
INSERT INTO app.orders VALUES (107,'acme',5,'paid',15.00,'2024-08-02 18:00+00','{"channel":"web","items":[1,2]}',1.77);
INSERT INTO app.orders VALUES (108,'acme',1,'paid',120.75,'2024-08-09 11:00+00','{"channel":"store"}',13.77);
INSERT INTO app.orders VALUES (109,'acme',3,'paid',60.00,'2024-09-01 10:00+00',NULL,/*m*/NULL);
INSERT INTO app.orders_archive VALUES (90,'acme',1,'paid',10.00,'2020-01-01 00:00+00',NULL,2.77);

INSERT INTO app.order_items VALUES (1,'acme',101,1,2,99.50);
INSERT INTO app.order_items VALUES (2,'acme',102,2,1,249.00);
INSERT INTO app.order_items VALUES (3,'acme',103,3,1,150.00);
INSERT INTO app.order_items VALUES (4,'acme',104,4,10,4.25);
INSERT INTO app.order_items VALUES (5,'acme',105,1,1,99.50);
INSERT INTO app.order_items VALUES (6,'acme',106,3,2,150.00);
INSERT INTO app.order_items VALUES (7,'acme',106,4,1,1.25);
INSERT INTO app.order_items VALUES (8,'acme',107,5,1,15.00);
INSERT INTO app.order_items VALUES (9,'acme',108,4,3,4.25);
INSERT INTO app.order_items VALUES (10,'acme',109,5,4,15.00);

INSERT INTO app.events VALUES (1,'acme',1,'login','{"ip":"10.0.0.1","ua":"web"}','2024-06-01 08:00+00');
INSERT INTO app.events VALUES (2,'acme',1,'view','{"sku":"SKU-1","ms":120}','2024-06-01 08:10+00');
INSERT INTO app.events VALUES (3,'acme',1,'purchase','{"order":101,"amount":199}','2024-06-01 09:00+00');
INSERT INTO app.events VALUES (4,'acme',2,'login','{"ip":"10.0.0.2","ua":"ios"}','2024-06-03 12:00+00');
INSERT INTO app.events VALUES (5,'acme',2,'purchase','{"order":102,"amount":249}','2024-06-03 12:30+00');
INSERT INTO app.events VALUES (6,'acme',3,'login','{"ip":"10.0.0.3","ua":"web","tags":["new","eu"]}','2024-07-01 08:00+00');
INSERT INTO app.events VALUES (7,'acme',3,'view','{"sku":"SKU-4","ms":80}','2024-07-01 08:05+00');
INSERT INTO app.events VALUES (8,'acme',3,'purchase','{"order":104,"amount":42.5}','2024-07-01 08:15+00');
INSERT INTO app.events VALUES (9,'acme',NULL,'system','{"msg":"nightly"}','2024-07-05 00:00+00');
INSERT INTO app.events VALUES (10,'acme',5,'view','{"sku":"SKU-5","ms":300}','2024-08-02 17:50+00');

INSERT INTO app.api_keys VALUES (1,'acme','KEYHASH-acme-1'),(2,'acme','KEYHASH-acme-2');
INSERT INTO app.audit_log VALUES (1,'acme','root','AUDIT-acme-login','2024-06-01 00:00+00');
