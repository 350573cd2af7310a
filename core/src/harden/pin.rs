//! The signed pin: the table of keys, and the function that says what a session's pin holds.
//!
//! A pin is a setting, `haltsql.pin`, that anybody may set to anything. Only a value with the right code counts:
//!
//! `h1.<kid>.<not_after>.<hex of the context's JSON>.<hex code>`, where the code is HMAC-SHA256 over
//! `haltsql-pin-1.<hex database>.<hex session user>.<kid>.<not_after>.<hex of the context's JSON>`.

use super::plan::{KEYRING, Plan, SCHEMA};
use super::script::{Script, block, literal};
use crate::session::PinKey;
use crate::text::hex;

/// The function's body, byte for byte as the catalogue keeps it: the check compares. A function in SQL would be planned anew by every
/// query. The body is parsed when a session first calls it, under the settings of CREATE FUNCTION's SET clauses; so it holds no
/// backslash and no name without a schema, and `bytea_output` and its kind touch nothing in it. Two hashes are compared and not two
/// codes: how far they agree, and so how long that takes, tells nothing about the code.
pub(super) const BODY: &str = "
DECLARE
  part text[] := pg_catalog.string_to_array(pg_catalog.left(pg_catalog.current_setting('haltsql.pin', true), 262144), '.');
  inner_pad bytea;
  outer_pad bytea;
  signed bytea;
  code text;
  held pg_catalog.jsonb;
BEGIN
  IF part IS NULL OR pg_catalog.cardinality(part) <> 5 OR part[1] <> 'h1' OR part[3] !~ '^[0-9]{1,12}$'
     OR part[4] !~ '^([0-9a-f]{2})+$' OR part[5] !~ '^[0-9a-f]{64}$' THEN
    RETURN NULL;
  END IF;
  SELECT k.ipad, k.opad INTO inner_pad, outer_pad
    FROM haltsql.pin_key AS k WHERE k.kid = part[2] AND k.valid_until > pg_catalog.now();
  IF inner_pad IS NULL OR outer_pad IS NULL THEN
    RETURN NULL;
  END IF;
  signed := pg_catalog.convert_to('haltsql-pin-1.'
    || pg_catalog.encode(pg_catalog.convert_to(pg_catalog.current_database()::text, 'UTF8'), 'hex') || '.'
    || pg_catalog.encode(pg_catalog.convert_to(session_user::text, 'UTF8'), 'hex') || '.'
    || part[2] || '.' || part[3] || '.' || part[4], 'UTF8');
  code := pg_catalog.encode(pg_catalog.sha256(outer_pad || pg_catalog.sha256(inner_pad || signed)), 'hex');
  IF pg_catalog.sha256(pg_catalog.convert_to(code, 'UTF8')) IS DISTINCT FROM pg_catalog.sha256(pg_catalog.convert_to(part[5], 'UTF8'))
     OR part[3]::pg_catalog.int8 < pg_catalog.date_part('epoch', pg_catalog.now()) THEN
    RETURN NULL;
  END IF;
  held := pg_catalog.convert_from(pg_catalog.decode(part[4], 'hex'), 'UTF8')::pg_catalog.jsonb OPERATOR(pg_catalog.->) pinned.key;
  IF pg_catalog.jsonb_typeof(held) IS DISTINCT FROM 'array' THEN
    RETURN NULL;
  END IF;
  RETURN ARRAY(SELECT pg_catalog.jsonb_array_elements_text(held));
END
";

/// The SET clauses, as `pg_proc.proconfig` holds them.
pub(super) const CONFIG: [&str; 3] =
    ["search_path=pg_catalog, pg_temp", "standard_conforming_strings=on", "transform_null_equals=off"];

pub(super) fn write(plan: &Plan<'_>, key: Option<&PinKey>, script: &mut Script) {
    let role = plan.grantee_sql();
    table(&role, script);
    keys(plan, key, script);
    function(&role, script);
}

fn table(role: &str, script: &mut Script) {
    script.comment(&[
        "The signed pin: who asks, for which database and login role, until when, under a code that only the holder of the key can make.",
        "The keys. A row holds the two pads of a key, which are as secret as the key itself.",
    ]);
    script.needed(format!("CREATE SCHEMA IF NOT EXISTS {SCHEMA};"));
    script.aid(format!("ALTER SCHEMA {SCHEMA} OWNER TO CURRENT_USER;"));
    script.needed(format!(
        "CREATE TABLE IF NOT EXISTS {SCHEMA}.pin_key (
  kid text PRIMARY KEY CHECK (kid ~ '^[A-Za-z0-9_-]{{1,64}}$'),
  ipad bytea NOT NULL CHECK (pg_catalog.length(ipad) = 64),
  opad bytea NOT NULL CHECK (pg_catalog.length(opad) = 64),
  valid_until timestamptz NOT NULL DEFAULT 'infinity'
);"
    ));
    script.aid(format!("ALTER TABLE {SCHEMA}.pin_key OWNER TO CURRENT_USER;"));
    script.turns(&["seal.pin_key"], format!("REVOKE ALL ON {SCHEMA}.pin_key FROM PUBLIC, {role};"));
    script.turns(&["seal.pin_function"], format!("GRANT USAGE ON SCHEMA {SCHEMA} TO {KEYRING};"));
    script.turns(&["seal.pin_function"], format!("GRANT SELECT ON {SCHEMA}.pin_key TO {KEYRING};"));
}

fn keys(plan: &Plan<'_>, key: Option<&PinKey>, script: &mut Script) {
    let kid = plan.kid.unwrap_or_default();
    let Some(key) = key else {
        script.comment(&[
            "The key itself is not in this text. Make one, give it to the guard, and put its pads in with:",
            "    openssl rand -hex 32 > pin.key",
            &format!("    haltsql policy harden POLICY --key-file pin.key | psql …      (the row {kid})"),
            "A new key gets a new kid: insert it, change the policy's pin_key, and delete the old row when no guard uses it any more.",
        ]);
        return;
    };
    let [inner, outer] = key.pads().map(|pad| hex(&pad));
    script.comment(&["SECRET: the pads of the guard's key. Keep this text as you keep the key."]);
    script.aid(format!(
        "INSERT INTO {SCHEMA}.pin_key (kid, ipad, opad)
VALUES ({}, pg_catalog.decode('{inner}', 'hex'), pg_catalog.decode('{outer}', 'hex'))
ON CONFLICT (kid) DO UPDATE SET ipad = excluded.ipad, opad = excluded.opad;",
        literal(kid)
    ));
}

fn function(role: &str, script: &mut Script) {
    script.comment(&[
        "Says what the session's pin holds under a key of the context, or NULL where there is no valid pin. The caller cannot read the keys:",
        "it runs as its owner. Policies call it in (SELECT …): once for each use of a table, not for each row.",
        "Who is no superuser has to be able to become the function's owner, and that one to create it, for a moment.",
    ]);
    let body = format!(
        "  IF NOT (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname = CURRENT_USER) THEN
    EXECUTE pg_catalog.format('GRANT {KEYRING} TO %I', CURRENT_USER)
      || CASE WHEN pg_catalog.current_setting('server_version_num')::int >= 160000 THEN ' WITH INHERIT TRUE, SET TRUE' ELSE '' END;
  END IF;"
    );
    script.aid(block("", &body));
    script.aid(format!("GRANT CREATE ON SCHEMA {SCHEMA} TO {KEYRING};"));
    let config: Vec<String> =
        CONFIG.iter().map(|setting| format!("  SET {}", setting.replacen('=', " = ", 1))).collect();
    script.needed(format!(
        "CREATE OR REPLACE FUNCTION {SCHEMA}.pinned(key text) RETURNS text[]
  LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
{}
AS $haltsql${BODY}$haltsql$;",
        config.join("\n"),
    ));
    script.turns(&["seal.pin_function"], format!("ALTER FUNCTION {SCHEMA}.pinned(text) OWNER TO {KEYRING};"));
    script.turns(&["seal.pin_function"], format!("REVOKE CREATE ON SCHEMA {SCHEMA} FROM {KEYRING};"));
    script.turns(&["seal.grants"], format!("GRANT USAGE ON SCHEMA {SCHEMA} TO {role};"));
    script.turns(&["seal.grants"], format!("GRANT EXECUTE ON FUNCTION {SCHEMA}.pinned(text) TO {role};"));
}
