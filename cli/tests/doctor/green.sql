-- A database on which every check of the doctor holds, once `policy harden` has been run on it. Tables belong to a role that runs no statements.
CREATE SCHEMA app;
CREATE SCHEMA lib;
CREATE SCHEMA spare;

-- What a profile is about may stand in the path.
CREATE EXTENSION pg_trgm SCHEMA lib;
CREATE EXTENSION fuzzystrmatch SCHEMA lib;

CREATE TYPE app.order_status AS ENUM ('open', 'paid');
CREATE TYPE lib.level AS ENUM ('low', 'high');
CREATE FUNCTION lib.fiscal_quarter(date) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT extract(quarter FROM $1)::int';
CREATE OPERATOR lib.<@@> (leftarg = text, rightarg = text, procedure = texteq);

CREATE TABLE app.customers (
    id int PRIMARY KEY,
    tenant_id text NOT NULL,
    name varchar(80),
    region text,
    email text,
    initial text GENERATED ALWAYS AS (left(region, 1)) STORED,
    UNIQUE (tenant_id, id)
);
CREATE TABLE app.orders (
    id int PRIMARY KEY,
    tenant_id text NOT NULL,
    customer_id int NOT NULL,
    status app.order_status,
    "createdAt" timestamptz,
    FOREIGN KEY (tenant_id, customer_id) REFERENCES app.customers (tenant_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE app.orders_low PARTITION OF app.orders FOR VALUES FROM (0) TO (100);
CREATE TABLE app.notes (
    id int NOT NULL,
    tenant_id text NOT NULL,
    body text,
    tag_id int
);
CREATE TABLE app.tags (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text NOT NULL,
    tag text,
    customer_id int,
    during int4range,
    UNIQUE (tenant_id, tag),
    FOREIGN KEY (tenant_id, customer_id) REFERENCES app.customers (tenant_id, id)
);
-- No more than they seem: a table is no cast by its name, a trigger on what is only read does not fire, a key that the
-- server fills answers nobody.
CREATE TABLE app.count (max int);
CREATE FUNCTION lib.keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER keep BEFORE INSERT OR UPDATE ON app.customers FOR EACH ROW EXECUTE FUNCTION lib.keep();
CREATE TABLE lib.rates (currency text, rate numeric(12, 4));
CREATE VIEW app.big_orders WITH (security_invoker = true) AS
    SELECT o.id, o.tenant_id, c.name
      FROM app.orders o JOIN app.customers c ON c.tenant_id = o.tenant_id AND c.id = o.customer_id
     WHERE o.status = 'paid';

DO $$
DECLARE r text;
BEGIN
    FOR r IN SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname IN ('app', 'lib') LOOP
        EXECUTE 'ALTER TABLE ' || r || ' OWNER TO doctor_owner';
    END LOOP;
END $$;
ALTER VIEW app.big_orders OWNER TO doctor_owner;
-- What a break makes is nobody's to call: `seal.functions` is about those that are.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON ROUTINES FROM PUBLIC;
