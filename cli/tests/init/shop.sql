-- What a grown database looks like: odd names, odd types, tables that belong to nobody.
CREATE SCHEMA app;
CREATE SCHEMA other;

CREATE TYPE app."Status" AS ENUM ('open', 'paid');
CREATE DOMAIN app.org AS uuid;

CREATE TABLE app.orgs (id uuid PRIMARY KEY, name text, "billing email" text);
CREATE TABLE app.customers (
    id bigint PRIMARY KEY,
    org_id uuid NOT NULL REFERENCES app.orgs (id),
    name varchar(80) NOT NULL,
    email text,
    "phoneNumber" text,
    seen_from inet,
    region text,
    mail_domain text GENERATED ALWAYS AS (split_part(email, '@', 2)) STORED,
    UNIQUE (org_id, id)
);
COMMENT ON TABLE app.customers IS 'Whom we sell to # not a comment
apiVersion: evil';
COMMENT ON COLUMN app.customers.region IS E'ISO 3166-2: "DE-BE",\n\tor {nothing}';
CREATE TABLE app."Order.Items" (
    "Id" int PRIMARY KEY,
    org_id uuid NOT NULL,
    customer_id bigint,
    "on" app."Status",
    "null" numeric(12, 2),
    "größe" int,
    "say ""hi""" text[],
    created timestamptz(3),
    FOREIGN KEY (org_id, customer_id) REFERENCES app.customers (org_id, id)
);
CREATE TABLE app.drafts (id int, org_id uuid, body text);
CREATE TABLE app.events (id int, org_id uuid NOT NULL, at date) PARTITION BY RANGE (at);
CREATE TABLE app.events_2024 PARTITION OF app.events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE app.imports (id int, org_id app.org NOT NULL);
CREATE TABLE app.countries (code char(2) PRIMARY KEY, name text);
CREATE TABLE app.secrets (token text, secret text);
CREATE TABLE other.visits (id int, org_id uuid NOT NULL, customer_id bigint);

CREATE MATERIALIZED VIEW app.totals AS SELECT org_id, count(*) FROM app.customers GROUP BY org_id;
CREATE VIEW app.old_style AS SELECT id, org_id, name FROM app.customers;
CREATE VIEW app.regions WITH (security_invoker = true) AS
    SELECT org_id, region, count(*) AS customers FROM app.customers GROUP BY org_id, region;
CREATE VIEW app.a_busy_regions WITH (security_invoker = true) AS SELECT * FROM app.regions WHERE customers > 10;
CREATE VIEW app.contacts WITH (security_invoker = true) AS SELECT org_id, name, email AS mailbox FROM app.customers;
CREATE VIEW app.everybody WITH (security_invoker = true) AS SELECT count(*) AS customers FROM app.customers;

CREATE ROLE init_agent;
GRANT USAGE ON SCHEMA app TO init_agent;
