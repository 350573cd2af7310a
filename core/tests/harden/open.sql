-- A database in which everything is open that `policy harden` closes, and shut that it opens. Rows of two tenants; what belongs to
-- globex says so in its values.
CREATE SCHEMA app;
CREATE SCHEMA lib;
CREATE SCHEMA far;
CREATE SCHEMA aside;

CREATE TABLE app.customers (id int PRIMARY KEY, tenant_id text NOT NULL, name text, ssn text, email text);
CREATE TABLE app.orders (
    id int PRIMARY KEY, tenant_id varchar(40) NOT NULL, customer_id int, total numeric, note text, status text
);
CREATE TABLE app.tickets (id serial PRIMARY KEY, tenant_id text NOT NULL, text text);
CREATE TABLE app.products (id int PRIMARY KEY, sku text, name text, price numeric);
CREATE TABLE app.api_keys (id int PRIMARY KEY, tenant_id text, secret text);
CREATE TABLE far."Odd 'Table'" (id int, "Tenant Id" text NOT NULL, "the $haltsql$ \ column" text);
CREATE SEQUENCE app.order_no;

INSERT INTO app.customers SELECT n, CASE WHEN n % 2 = 0 THEN 'globex' ELSE 'acme' END,
    CASE WHEN n % 2 = 0 THEN 'GLOBEX_cust_' ELSE 'ACME_cust_' END || n, 'SSN-' || n, 'mail' || n FROM generate_series(1, 40) n;
INSERT INTO app.orders SELECT n, CASE WHEN n % 2 = 0 THEN 'globex' ELSE 'acme' END, n, n * 10,
    CASE WHEN n % 2 = 0 THEN 'GLOBEX_note_' ELSE 'ACME_note_' END || n, 'open' FROM generate_series(1, 40) n;
INSERT INTO app.tickets (tenant_id, text) VALUES ('acme', 'ACME ticket'), ('globex', 'GLOBEX ticket');
INSERT INTO app.products VALUES (1, 'SKU-1', 'Lamp', 10), (2, 'SKU-2', 'Desk', 20);
INSERT INTO app.api_keys VALUES (1, 'globex', 'GLOBEX_key');
INSERT INTO far."Odd 'Table'" VALUES (1, 'acme', 'ACME odd'), (2, 'globex', 'GLOBEX odd');

CREATE FUNCTION lib.fiscal_quarter(date) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT extract(quarter FROM $1)::int';
CREATE FUNCTION lib.same(text, text) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1 = $2';
CREATE OPERATOR lib.<@@> (leftarg = text, rightarg = text, procedure = lib.same);

-- What runs with others' rights, changes settings, or is nobody's business.
CREATE FUNCTION app.orders_of(text) RETURNS SETOF app.orders LANGUAGE sql STABLE SECURITY DEFINER
    AS 'SELECT * FROM app.orders WHERE tenant_id = $1';
CREATE FUNCTION app.as_other() RETURNS SETOF text LANGUAGE sql STABLE SET app.tenant = 'globex' AS 'SELECT name FROM app.customers';
CREATE AGGREGATE app.pin_all(text, boolean) (sfunc = set_config, stype = text, initcond = 'app.tenant');
CREATE FUNCTION app.helper() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE VIEW app.all_orders AS SELECT * FROM app.orders;
CREATE MATERIALIZED VIEW app.old_orders AS SELECT * FROM app.orders;
CREATE EXTENSION dblink SCHEMA public;
CREATE EXTENSION pg_stat_statements SCHEMA public;

DO $$
DECLARE r text;
BEGIN
    FOR r IN SELECT c.oid::regclass::text FROM pg_class c WHERE c.relnamespace IN ('app'::regnamespace, 'far'::regnamespace)
              AND c.relkind IN ('r', 'v', 'm') LOOP
        EXECUTE 'ALTER TABLE ' || r || ' OWNER TO shop_owner';
    END LOOP;
END $$;
ALTER FUNCTION app.orders_of(text) OWNER TO shop_owner;

GRANT USAGE ON SCHEMA app TO shop_app, shop_owner;
GRANT SELECT ON app.customers, app.orders TO shop_app;
GRANT CREATE ON SCHEMA app, aside TO PUBLIC;
GRANT USAGE ON SCHEMA aside TO PUBLIC;
GRANT ALL ON app.orders TO PUBLIC;
GRANT SELECT (email) ON app.customers TO agent;
GRANT SELECT ON app.api_keys, app.all_orders, app.old_orders TO PUBLIC;
GRANT ALL ON app.order_no TO agent;
GRANT EXECUTE ON ALL ROUTINES IN SCHEMA app TO PUBLIC;
REVOKE ALL ON ALL ROUTINES IN SCHEMA lib FROM PUBLIC;
-- Whoever makes tables here shows them to all; whoever makes functions, to nobody.
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON ROUTINES FROM PUBLIC;
