//! For each check, SQL that breaks what it is about and nothing else.

/// One way to break one check.
pub struct Break {
    /// The check.
    pub id: &'static str,
    /// What is run as a superuser on a database that is otherwise well. `{db}`: its name.
    pub sql: &'static str,
    /// The first and the last major version of PostgreSQL that can be broken so.
    pub versions: (i32, i32),
    /// How it is mended.
    pub mend: Mend,
    /// Checks that have nothing to look at then.
    pub moot: &'static [&'static str],
    /// Checks that see the same thing from their side, and are red with it.
    pub also: &'static [&'static str],
    /// Checks that are red once it is mended: the next `policy harden` is for them.
    pub left: &'static [&'static str],
    /// What takes it back where it is the server's, for the databases to come.
    pub undo: &'static str,
}

/// How a break is mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mend {
    /// By running the SQL of the report.
    Sql,
    /// By a person: the report has advice, and no SQL.
    Person,
}

const fn by_sql(id: &'static str, sql: &'static str) -> Break {
    Break { id, sql, versions: (14, 18), mend: Mend::Sql, moot: &[], also: &[], left: &[], undo: "" }
}

const fn by_person(id: &'static str, sql: &'static str) -> Break {
    Break { mend: Mend::Person, ..by_sql(id, sql) }
}

/// The type of a column that a policy compares can only be changed without the policy.
const fn unheld(id: &'static str, sql: &'static str) -> Break {
    Break { also: &["seal.hold"], ..by_sql(id, sql) }
}

/// Those that cannot be broken by SQL in a database; each has a test of its own in `main.rs`.
pub const ELSEWHERE: [&str; 3] = ["server.version", "server.encoding", "seal.set_config"];

pub const BREAKS: &[Break] = &[
    by_sql("server.standard_conforming_strings", "ALTER ROLE doctor_agent SET standard_conforming_strings = off"),
    by_sql(
        "server.standard_conforming_strings",
        "ALTER ROLE doctor_agent IN DATABASE {db} SET standard_conforming_strings = off",
    ),
    by_sql("server.standard_conforming_strings", "ALTER DATABASE {db} SET standard_conforming_strings = off"),
    by_sql("search_path.schemas_exist", "DROP SCHEMA spare"),
    by_sql("search_path.usage", "REVOKE USAGE ON SCHEMA spare FROM doctor_agent"),
    by_sql("search_path.create_privilege", "GRANT CREATE ON SCHEMA spare TO PUBLIC"),
    Break {
        also: &["seal.memberships"],
        undo: "REVOKE doctor_group FROM doctor_agent",
        ..by_sql("search_path.create_privilege", "GRANT doctor_group TO doctor_agent; GRANT CREATE ON SCHEMA app TO doctor_group")
    },
    by_person("search_path.create_privilege", "ALTER SCHEMA spare OWNER TO doctor_agent"),
    by_sql("search_path.shadowed_relation", "CREATE TABLE app.rates (a int)"),
    by_sql("search_path.shadowed_relation", "CREATE SEQUENCE app.rates"),
    by_sql("search_path.shadowed_type", "CREATE TYPE app.level AS (a int)"),
    by_sql("search_path.shadowed_type", "CREATE DOMAIN app.level AS text"),
    by_sql(
        "search_path.shadowed_function",
        "CREATE FUNCTION app.fiscal_quarter(text) RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ),
    by_sql("overloads.function", "CREATE FUNCTION app.lower(int) RETURNS int LANGUAGE sql AS 'SELECT 1'"),
    by_sql(
        "overloads.function",
        "CREATE FUNCTION spare.fiscal_quarter(text) RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ),
    by_sql(
        "overloads.function",
        "CREATE AGGREGATE lib.max(point) (sfunc = point_add, stype = point)",
    ),
    by_sql("overloads.function", "CREATE FUNCTION pg_catalog.substr(boolean, int) RETURNS text LANGUAGE sql AS 'SELECT NULL::text'"),
    by_sql("overloads.function", "CREATE DOMAIN app.lower AS text"),
    by_sql("overloads.function", "CREATE TYPE spare.max AS ENUM ('x')"),
    by_sql("overloads.operator", "CREATE OPERATOR app.+ (leftarg = text, rightarg = text, procedure = texteq)"),
    by_sql("overloads.operator", "CREATE OPERATOR app.<@@> (leftarg = text, rightarg = text, procedure = texteq)"),
    by_sql("overloads.operator", "CREATE OPERATOR spare.<@@> (rightarg = text, procedure = upper)"),
    by_sql("overloads.operator", "CREATE EXTENSION intarray SCHEMA spare"),
    by_sql(
        "overloads.operator",
        "CREATE FUNCTION lib.same(text, varchar) RETURNS bool LANGUAGE sql AS 'SELECT true';
         CREATE OPERATOR lib.= (leftarg = text, rightarg = varchar, procedure = lib.same)",
    ),
    by_sql("overloads.function", "CREATE FUNCTION app.similarity(int, int) RETURNS real LANGUAGE sql AS 'SELECT 1::real'"),
    by_sql("overloads.type", "CREATE DOMAIN app.vector AS text"),
    by_sql(
        "overloads.cast",
        "CREATE FUNCTION lib.as_text(int) RETURNS text LANGUAGE sql AS 'SELECT NULL::text';
         CREATE CAST (int4 AS text) WITH FUNCTION lib.as_text(int) AS IMPLICIT",
    ),
    by_sql(
        "overloads.cast",
        "CREATE FUNCTION lib.as_int(app.order_status) RETURNS int LANGUAGE sql AS 'SELECT 1';
         CREATE CAST (app.order_status AS int4) WITH FUNCTION lib.as_int(app.order_status)",
    ),
    by_sql("overloads.column", "CREATE FUNCTION app.region(app.customers) RETURNS text LANGUAGE sql AS 'SELECT $1.email'"),
    by_sql("overloads.column", "CREATE DOMAIN lib.region AS app.customers"),
    by_sql("overloads.column", "CREATE FUNCTION spare.body(anyelement) RETURNS text LANGUAGE sql AS 'SELECT $1::text'"),
    Break {
        versions: (14, 16),
        ..by_sql("overloads.syntax", "CREATE FUNCTION app.json_value(jsonb, text) RETURNS text LANGUAGE sql AS 'SELECT $2'")
    },
    by_person("tables.exist", "DROP TABLE lib.rates"),
    by_person(
        "tables.kind",
        "DROP TABLE lib.rates; CREATE MATERIALIZED VIEW lib.rates AS SELECT ''::text AS currency, 1::numeric(12, 4) AS rate;
         GRANT SELECT (currency, rate) ON lib.rates TO doctor_agent",
    ),
    by_person(
        "tables.kind",
        "CREATE EXTENSION file_fdw SCHEMA public; CREATE SERVER here FOREIGN DATA WRAPPER file_fdw; DROP TABLE lib.rates;
         CREATE FOREIGN TABLE lib.rates (currency text, rate numeric(12, 4)) SERVER here OPTIONS (filename '/dev/null');
         GRANT SELECT (currency, rate) ON lib.rates TO doctor_agent",
    ),
    by_sql("tables.children", "CREATE TABLE app.old_notes () INHERITS (app.notes)"),
    by_sql("tables.view_security_invoker", "ALTER VIEW app.big_orders RESET (security_invoker)"),
    by_person(
        "tables.view_definition",
        "CREATE OR REPLACE VIEW app.big_orders WITH (security_invoker) AS
         SELECT o.id, o.tenant_id, c.email::varchar(80) AS name FROM app.orders o JOIN app.customers c
             ON c.tenant_id = o.tenant_id AND c.id = o.customer_id",
    ),
    by_person(
        "tables.view_definition",
        "CREATE OR REPLACE VIEW app.big_orders WITH (security_invoker) AS
         SELECT o.id, o.tenant_id, c.name FROM app.orders o JOIN app.customers c ON c.id = o.customer_id",
    ),
    by_person(
        "tables.view_definition",
        "CREATE OR REPLACE VIEW app.big_orders WITH (security_invoker) AS
         SELECT o.id, lower(o.tenant_id) AS tenant_id, NULL::varchar(80) AS name FROM app.orders o",
    ),
    by_sql(
        "tables.approximate_index",
        // No test server has pgvector: what counts is the name of the access method.
        "CREATE EXTENSION bloom SCHEMA public; CREATE ACCESS METHOD hnsw TYPE INDEX HANDLER public.blhandler;
         CREATE OPERATOR CLASS lib.near DEFAULT FOR TYPE int4 USING hnsw AS OPERATOR 1 =, FUNCTION 1 hashint4(int4);
         CREATE INDEX ON app.notes USING hnsw (tag_id) WHERE tenant_id = 'acme';
         CREATE INDEX nearest ON app.notes USING hnsw (tag_id) WHERE body = 'acme'",
    ),
    by_person("columns.exist", "ALTER TABLE app.notes DROP COLUMN body"),
    by_person("columns.type", "ALTER TABLE lib.rates ALTER COLUMN rate TYPE numeric(12, 2)"),
    by_person("columns.complete", "ALTER TABLE app.customers ADD COLUMN phone text"),
    by_person("columns.complete", "CREATE OR REPLACE VIEW app.big_orders WITH (security_invoker) AS
         SELECT id, tenant_id, NULL::varchar(80) AS name, status FROM app.orders"),
    by_person(
        "columns.generated_from_hidden",
        "ALTER TABLE app.customers DROP COLUMN initial;
         ALTER TABLE app.customers ADD COLUMN initial text GENERATED ALWAYS AS (left(region || email, 1)) STORED;
         GRANT SELECT (initial) ON app.customers TO doctor_agent",
    ),
    Break {
        versions: (18, 18),
        ..by_person(
            "columns.generated_from_hidden",
            "ALTER TABLE app.customers DROP COLUMN initial;
             ALTER TABLE app.customers ADD COLUMN initial text GENERATED ALWAYS AS (email) VIRTUAL;
             GRANT SELECT (initial) ON app.customers TO doctor_agent",
        )
    },
    by_sql("tenant.not_null", "ALTER TABLE app.notes ALTER COLUMN tenant_id DROP NOT NULL"),
    Break {
        versions: (18, 18),
        ..by_sql(
            "tenant.not_null",
            "ALTER TABLE app.notes ALTER COLUMN tenant_id DROP NOT NULL;
             ALTER TABLE app.notes ADD CONSTRAINT somebodys NOT NULL tenant_id NOT VALID",
        )
    },
    unheld("tenant.type", "DROP POLICY haltsql_hold_doctor_agent ON app.notes; ALTER TABLE app.notes ALTER COLUMN tenant_id TYPE char(10)"),
    unheld(
        "tenant.type",
        "DROP POLICY haltsql_hold_doctor_agent ON app.notes; CREATE DOMAIN lib.tenant AS text;
         ALTER TABLE app.notes ALTER COLUMN tenant_id TYPE lib.tenant",
    ),
    unheld("tenant.type", "DROP POLICY haltsql_hold_doctor_agent ON app.notes; ALTER TABLE app.notes ALTER COLUMN tenant_id TYPE name"),
    unheld(
        "tenant.collation_deterministic",
        "DROP POLICY haltsql_hold_doctor_agent ON app.notes;
         CREATE COLLATION lib.loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
         ALTER TABLE app.notes ALTER COLUMN tenant_id TYPE text COLLATE lib.loose",
    ),
    by_person(
        "writes.kind",
        "DROP TABLE app.tags; CREATE VIEW app.tags WITH (security_invoker) AS
         SELECT id, tenant_id, body AS tag, NULL::int AS customer_id, NULL::int AS during FROM app.notes;
         GRANT SELECT (id, tenant_id, tag, customer_id), INSERT (tenant_id, tag, customer_id, during), UPDATE (tag), DELETE
             ON app.tags TO doctor_agent",
    ),
    by_sql("writes.unique", "ALTER TABLE app.tags ADD CONSTRAINT tag_once UNIQUE (tag)"),
    by_sql("writes.unique", "CREATE UNIQUE INDEX tag_once ON app.tags (customer_id, tag)"),
    by_person("writes.unique", "CREATE UNIQUE INDEX tag_once ON app.tags (lower(tag))"),
    by_sql("writes.exclusion", "ALTER TABLE app.tags ADD CONSTRAINT apart EXCLUDE USING gist (during WITH &&)"),
    by_sql("writes.exclusion", "ALTER TABLE app.tags ADD CONSTRAINT apart EXCLUDE USING btree (tag WITH =)"),
    by_sql(
        "writes.foreign_keys",
        "ALTER TABLE app.tags ADD CONSTRAINT of FOREIGN KEY (customer_id) REFERENCES app.customers (id)",
    ),
    by_sql("writes.foreign_keys", "ALTER TABLE app.notes ADD CONSTRAINT of FOREIGN KEY (tag_id) REFERENCES app.tags (id)"),
    by_person(
        "writes.foreign_keys",
        "CREATE TABLE app.places (id int PRIMARY KEY);
         ALTER TABLE app.tags ADD CONSTRAINT of FOREIGN KEY (customer_id) REFERENCES app.places (id)",
    ),
    by_sql(
        "writes.cascades",
        "ALTER TABLE app.notes ADD CONSTRAINT of FOREIGN KEY (tag_id) REFERENCES app.tags (id) ON DELETE CASCADE",
    ),
    Break {
        versions: (14, 14),
        ..by_person(
            "writes.cascades",
            "ALTER TABLE app.notes ADD CONSTRAINT of FOREIGN KEY (tag_id) REFERENCES app.tags (id) ON DELETE SET NULL",
        )
    },
    Break {
        // Below 15 SET NULL empties the tenant column too, and cannot be told to leave it.
        versions: (15, 18),
        ..by_sql(
            "writes.cascades",
            "ALTER TABLE app.notes ADD CONSTRAINT of FOREIGN KEY (tag_id) REFERENCES app.tags (id) ON DELETE SET NULL",
        )
    },
    by_person(
        "writes.cascades",
        "CREATE TABLE app.marks (id int PRIMARY KEY, owner text, tag_id int);
         ALTER TABLE app.tags ADD UNIQUE (tenant_id, id);
         ALTER TABLE app.marks ADD FOREIGN KEY (owner, tag_id) REFERENCES app.tags (tenant_id, id) ON DELETE CASCADE;
         CREATE TABLE app.more (mark_id int REFERENCES app.marks ON DELETE CASCADE)",
    ),
    by_sql(
        "writes.triggers",
        "CREATE FUNCTION lib.audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
         CREATE TRIGGER audit AFTER INSERT ON app.tags FOR EACH ROW EXECUTE FUNCTION lib.audit()",
    ),
    by_sql(
        "writes.triggers",
        "CREATE FUNCTION lib.audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';
         ALTER TABLE app.tags ADD UNIQUE (tenant_id, id);
         ALTER TABLE app.notes ADD FOREIGN KEY (tenant_id, tag_id) REFERENCES app.tags (tenant_id, id) ON DELETE CASCADE;
         CREATE TRIGGER gone AFTER DELETE ON app.notes FOR EACH ROW EXECUTE FUNCTION lib.audit()",
    ),
    by_sql("writes.rules", "CREATE RULE elsewhere AS ON INSERT TO app.tags DO ALSO DELETE FROM app.notes"),
    Break {
        moot: &["role.superuser", "role.bypassrls", "role.owner"],
        undo: "ALTER ROLE doctor_gone RENAME TO doctor_agent",
        ..by_person("role.exists", "ALTER ROLE doctor_agent RENAME TO doctor_gone")
    },
    by_sql("role.superuser", "ALTER ROLE doctor_agent SUPERUSER"),
    by_sql("role.bypassrls", "ALTER ROLE doctor_agent BYPASSRLS"),
    Break { left: &["seal.grants"], ..by_sql("role.owner", "ALTER TABLE app.notes OWNER TO doctor_agent") },
    Break { left: &["seal.grants"], ..by_sql("role.owner", "ALTER VIEW app.big_orders OWNER TO doctor_agent") },
    Break {
        also: &["seal.memberships", "seal.columns", "seal.relations", "seal.sequences"],
        ..by_sql("role.owner", "GRANT doctor_owner TO doctor_agent")
    },
    by_sql("rls.enabled", "ALTER TABLE app.notes DISABLE ROW LEVEL SECURITY"),
    by_sql("rls.forced", "ALTER TABLE app.orders NO FORCE ROW LEVEL SECURITY"),
    Break { undo: "ALTER ROLE doctor_agent LOGIN", ..by_person("seal.login", "ALTER ROLE doctor_agent NOLOGIN") },
    Break { undo: "ALTER ROLE doctor_agent NOCREATEDB", ..by_person("seal.attributes", "ALTER ROLE doctor_agent CREATEDB") },
    Break {
        undo: "REVOKE doctor_group FROM doctor_agent",
        ..by_person("seal.memberships", "GRANT doctor_group TO doctor_agent")
    },
    by_person("seal.owner", "CREATE SCHEMA own AUTHORIZATION doctor_agent"),
    by_person("seal.create", "GRANT CREATE ON DATABASE {db} TO PUBLIC"),
    by_person("seal.create", "GRANT CREATE ON SCHEMA public TO doctor_agent"),
    by_person("seal.temporary", "GRANT TEMPORARY ON DATABASE {db} TO PUBLIC"),
    by_person("seal.relations", "CREATE TABLE app.keys (key text); GRANT SELECT ON app.keys TO PUBLIC"),
    by_person("seal.relations", "CREATE VIEW app.everything AS SELECT * FROM app.notes; GRANT SELECT (id) ON app.everything TO doctor_agent"),
    by_person(
        "seal.relations",
        "CREATE MATERIALIZED VIEW app.everything AS SELECT * FROM app.notes; GRANT SELECT ON app.everything TO PUBLIC",
    ),
    by_person("seal.columns", "GRANT SELECT (email) ON app.customers TO doctor_agent"),
    by_person("seal.columns", "GRANT SELECT ON app.notes TO PUBLIC"),
    by_person("seal.columns", "GRANT UPDATE (tenant_id) ON app.tags TO doctor_agent"),
    by_person("seal.columns", "GRANT TRUNCATE ON app.tags TO doctor_agent"),
    by_person("seal.sequences", "CREATE SEQUENCE app.numbers; GRANT USAGE ON app.numbers TO PUBLIC"),
    by_person(
        "seal.definer_functions",
        "CREATE FUNCTION app.every_note() RETURNS SETOF app.notes LANGUAGE sql SECURITY DEFINER AS 'TABLE app.notes';
         GRANT EXECUTE ON FUNCTION app.every_note() TO PUBLIC",
    ),
    by_person(
        "seal.set_functions",
        "CREATE FUNCTION app.notes_of() RETURNS bigint LANGUAGE sql SET app.tenant = 'x' AS 'SELECT count(*) FROM app.notes';
         GRANT EXECUTE ON FUNCTION app.notes_of() TO PUBLIC",
    ),
    by_person(
        "seal.aggregates",
        "CREATE AGGREGATE app.repin(text, boolean) (sfunc = set_config, stype = text, initcond = 'haltsql.pin');
         GRANT EXECUTE ON FUNCTION app.repin(text, boolean) TO PUBLIC",
    ),
    by_person(
        "seal.functions",
        "CREATE FUNCTION app.helper() RETURNS int LANGUAGE sql AS 'SELECT 1'; GRANT EXECUTE ON FUNCTION app.helper() TO PUBLIC",
    ),
    by_person("seal.languages", "GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC"),
    by_person("seal.extensions", "CREATE EXTENSION dblink SCHEMA public; GRANT EXECUTE ON FUNCTION public.dblink_is_busy(text) TO PUBLIC"),
    by_person("seal.catalog_functions", "GRANT EXECUTE ON FUNCTION pg_sleep(float8) TO PUBLIC"),
    by_person("seal.hold", "DROP POLICY haltsql_hold_doctor_agent ON app.notes"),
    by_person("seal.hold", "ALTER POLICY haltsql_hold_doctor_agent ON app.notes USING (true)"),
    by_person("seal.hold", "ALTER POLICY haltsql_hold_doctor_agent ON app.notes TO doctor_group"),
    by_person("seal.hold", "ALTER POLICY haltsql_hold_doctor_agent ON app.notes WITH CHECK (true)"),
    by_person("seal.open", "DROP POLICY haltsql_open_doctor_agent ON app.notes"),
    by_person("seal.permissive_policies", "CREATE POLICY all_of_it ON app.notes USING (true)"),
    by_person("seal.pin_function", "CREATE OR REPLACE FUNCTION haltsql.pinned(key text) RETURNS text[] LANGUAGE sql AS 'SELECT ARRAY[''x'']'"),
    by_person("seal.pin_function", "ALTER FUNCTION haltsql.pinned(text) OWNER TO postgres"),
    by_person("seal.pin_function", "ALTER FUNCTION haltsql.pinned(text) RESET search_path"),
    by_person("seal.pin_key", "GRANT SELECT (ipad) ON haltsql.pin_key TO doctor_agent"),
    by_person("seal.grants", "REVOKE SELECT (name) ON app.customers FROM doctor_agent"),
    by_person("seal.grants", "REVOKE DELETE ON app.tags FROM doctor_agent"),
    by_person("seal.server_settings", "ALTER DATABASE {db} SET lo_compat_privileges = on"),
];
