"""The shop of the guards' tests: one tenant table, and its policy."""

from __future__ import annotations

from servers import Server

from haltsql import Policy

ACME = {
    "tenant_id": "acme",
    "account": "7",
    "teams": ["00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000009"],
}

GLOBEX = {**ACME, "tenant_id": "globex"}

DATABASE = """
CREATE SCHEMA app; CREATE TYPE app."Mood" AS ENUM ('glad', 'sad');
CREATE TABLE app.orders (id int PRIMARY KEY, tenant_id text NOT NULL, note text, mood app."Mood");
INSERT INTO app.orders SELECT n, CASE n % 2 WHEN 0 THEN 'acme' ELSE 'globex' END, 'n' || n, 'sad'
    FROM generate_series(1, 40) AS n;
CREATE TABLE app.accounts (id int PRIMARY KEY, account bigint NOT NULL, team uuid NOT NULL, name text);
INSERT INTO app.accounts VALUES (1, 7, '00000000-0000-0000-0000-000000000001', 'one'),
    (2, 8, '00000000-0000-0000-0000-000000000002', 'two');
"""

# What a session can keep, as one text: settings that somebody set, prepared statements, cursors, locks, channels,
# temporary tables. A view, so that the guard's own connections can be asked; what the pin sets is in it each time.
STATE = """
CREATE VIEW app.session_state AS SELECT pg_backend_pid() AS pid,
    (SELECT string_agg(name || '=' || setting, ', ' ORDER BY name) FROM pg_settings WHERE source = 'session') || '; ' ||
    coalesce((SELECT string_agg(statement, ', ' ORDER BY statement) FROM pg_prepared_statements), 'nothing prepared') || '; ' ||
    (SELECT count(*) FROM pg_cursors WHERE name <> '') || ' ' ||
    (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') || ' ' ||
    (SELECT count(*) FROM pg_listening_channels()) || ' ' || (pg_my_temp_schema() <> 0) || ' ' ||
    coalesce(current_setting('app.owner', true), 'nobody') AS state
"""


def policy(*execution: str, mode: str = "enforce", statements: str = "select, insert, update, delete") -> Policy:
    lines = "".join(f"    {line}\n" for line in execution)
    write = (
        "      write: { insert: [id, tenant_id, note], update: [note], delete: true }\n"
        if "insert" in statements
        else ""
    )
    return Policy.from_str(f"""
apiVersion: haltsql.dev/v1
kind: Policy
metadata: {{ name: shop }}
spec:
  mode: {mode}
  search_path: [app]
  tenancy:
    mode: bound
    keys:
      - {{ column: tenant_id, context: tenant_id, type: text }}
      - {{ column: account, context: account, type: integer }}
      - {{ column: team, context: teams, type: uuid }}
  statements: [{statements}]
  functions: {{ profiles: [core, text-search], allow: [pg_sleep] }}
  tables:
    app.session_state: {{ columns: [state], shared: true }}
    app.accounts: {{ columns: [id, account, team, name], complete: true, tenant: {{ tenant_id: none }} }}
    app.orders:
      columns: [id, tenant_id, note, mood]
      complete: true
      tenant: {{ account: none, team: none }}
{write}  limits: {{ max_generated: 100000000, cartesian: allow }}
  execution:
    max_rows: 5
{lines}""")


def stock(server: Server) -> Server:
    """Puts the shop into a new server."""
    server.run("CREATE DATABASE shop", "postgres")
    server.run(DATABASE)
    server.run(STATE)
    return server
