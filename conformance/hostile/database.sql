-- The database that hostile statements are run against, before `policy harden` has sealed it. Markers, which no statement may
-- contain, tell whose a value is: ACME_ is the caller's; GLOBEX_ and INITECH_ are other tenants'; SSN_, KEY_ are nobody's to see.
CREATE ROLE app_owner LOGIN;
CREATE ROLE app_login LOGIN;
GRANT CREATE ON DATABASE shop TO app_owner;
SET ROLE app_owner;
CREATE SCHEMA app;
CREATE TABLE app.customers (
    id int PRIMARY KEY, tenant_id text NOT NULL, name text NOT NULL, ssn text, email text);
CREATE TABLE app.orders (
    id int PRIMARY KEY, tenant_id text NOT NULL, customer_id int REFERENCES app.customers, total numeric(10, 2), note text,
    status text NOT NULL DEFAULT 'new');
CREATE INDEX ON app.orders (tenant_id);
CREATE TABLE app.products (id int PRIMARY KEY, sku text, name text, price numeric(10, 2));
CREATE TABLE app.api_keys (id int PRIMARY KEY, tenant_id text NOT NULL, key_hash text NOT NULL);
CREATE MATERIALIZED VIEW app.mv AS SELECT id, name FROM app.customers;
-- What earlier migrations left behind, everybody's to call: functions that run texts, that set settings, that read as their owner.
CREATE SCHEMA leftover;
GRANT USAGE ON SCHEMA leftover TO PUBLIC;
CREATE FUNCTION leftover.exec_sql(q text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; BEGIN
    IF q ~* '^\s*select' THEN EXECUTE q INTO r; ELSE EXECUTE q; END IF; RETURN r; END $$;
CREATE FUNCTION leftover.owner_peek() RETURNS SETOF text LANGUAGE sql SECURITY DEFINER AS 'SELECT name FROM app.customers';
CREATE FUNCTION leftover.definer_set(n text, v text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    RETURN set_config(n, v, true); END $$;
CREATE FUNCTION leftover.sqlfn(v text) RETURNS text LANGUAGE sql AS $$ SELECT set_config('app.tenant_id', v, true) $$;
CREATE FUNCTION leftover.op(n text, v text) RETURNS text LANGUAGE sql AS 'SELECT set_config(n, v, true)';
CREATE OPERATOR leftover.@@@ (LEFTARG = text, RIGHTARG = text, FUNCTION = leftover.op);
CREATE FUNCTION leftover.check_sets(v text) RETURNS boolean LANGUAGE sql AS $$ SELECT set_config('app.tenant_id', v, true) IS NOT NULL $$;
CREATE DOMAIN leftover.dom AS text CHECK (leftover.check_sets(VALUE));
CREATE FUNCTION leftover.step(s text, v text, l boolean) RETURNS text LANGUAGE sql AS $$ SELECT set_config('app.tenant_id', v, l) $$;
CREATE AGGREGATE leftover.agg(text, boolean) (SFUNC = leftover.step, STYPE = text);
CREATE VIEW leftover.cust_all AS SELECT * FROM app.customers;
CREATE VIEW leftover.v AS SELECT set_config('app.tenant_id', 'globex', true) AS s;
CREATE MATERIALIZED VIEW leftover.mv AS SELECT name, ssn FROM app.customers;
CREATE PROCEDURE leftover.proc(v text) LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('app.tenant_id', v, true); END $$;
GRANT SELECT ON leftover.cust_all, leftover.v, leftover.mv TO PUBLIC;
-- A schema that everybody may put things into.
CREATE SCHEMA evil;
GRANT ALL ON SCHEMA evil TO PUBLIC;
CREATE TABLE evil.customers AS SELECT 1 AS id, 'acme'::text AS tenant_id, 'GLOBEX_evil'::text AS name;
GRANT SELECT ON evil.customers TO PUBLIC;
RESET ROLE;
