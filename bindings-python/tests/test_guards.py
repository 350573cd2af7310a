"""The guards of all drivers on real PostgreSQL: results and receipts, denials, writes, errors, and sessions that somebody spoilt."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy
from desks import DRIVERS, Desk
from servers import Server
from shop import ACME, policy

import haltsql
import haltsql.asyncpg
import haltsql.psycopg
import haltsql.sqlalchemy
from haltsql import ArgumentError, ContextError, DatabaseError, Denied, Policy, SealBroken

ORDERS = "SELECT id, note, id, mood FROM orders WHERE tenant_id = $1 ORDER BY id"
KEY = "07" * 32


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def desk(driver: str, shop: Server) -> Iterator[Desk]:
    with Desk(driver, shop, policy()) as desk:
        yield desk


def left_behind(server: Server) -> int:
    return server.ask("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'")


def test_rows_come_as_values_and_as_text_with_a_receipt(driver: str, shop: Server) -> None:
    with Desk(driver, shop, policy(), receipt_key=KEY) as desk:
        result = desk.run(ACME, ORDERS)
    assert (result.row_count, result.truncated, len(result.rows)) == (5, True, 5)
    assert result.rows[0] == (2, "n2", 2, "sad") and result.texts[4] == ("10", "n10", "10", "sad")
    assert [column.name for column in result.columns] == ["id", "note", "id", "mood"]
    assert result.verdict.allowed and result.verdict.tables == ("app.orders",)
    receipt = result.receipt.to_dict()
    assert receipt["sql"] == ORDERS == result.receipt.sql
    assert receipt["columns"][3] == {"name": "mood", "type": 'app."Mood"'}
    assert (result.receipt.role, result.receipt.seal, result.receipt.signed) == ("postgres", "none", True)
    assert json.dumps(receipt["verdict"], separators=(",", ":"), ensure_ascii=False) == result.verdict.json
    assert receipt["rows"] == [list(row) for row in result.texts]


def test_the_digest_is_the_one_of_the_documents(driver: str, shop: Server) -> None:
    with Desk(driver, shop, policy(), receipt_key=KEY) as desk:
        receipts = [desk.run(ACME, sql).receipt for sql in (ORDERS, "SELECT", "SELECT 'é\u2028\\', E'\\x01', NULL")]
    for receipt in receipts:
        fields = receipt.to_dict()
        assert re.fullmatch("[0-9a-f]{64}", receipt.result_sha256) and len(fields["signature"]["value"]) == 128
        assert sha256_of(fields["columns"], fields["rows"]) == receipt.result_sha256


def sha256_of(columns: Any, rows: Any) -> str:
    """Of the RFC 8785 form: there are no numbers in it, and the keys are sorted as they are written here."""
    canonical = json.dumps({"columns": columns, "rows": rows}, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.parametrize(
    ("sql", "columns", "rows"),
    [
        ("SELECT", 0, 1),
        ("SELECT 1 AS a, 2 AS a, 'x'", 3, 1),
        ("SELECT id FROM app.orders WHERE tenant_id = $1 AND false", 1, 0),
        ("VALUES (1, NULL), (2, 'b')", 2, 2),
        ("SELECT ROW(NULL, NULL), ARRAY[1, NULL], ROW(1, 'a b')", 3, 1),
        ("SELECT NULL; -- the end", 1, 1),
        ("SELECT '100%', '%s', ':x', '?', '$2'", 5, 1),
    ],
)
def test_results_of_every_shape_come_through(desk: Desk, sql: str, columns: int, rows: int) -> None:
    result = desk.run(ACME, sql)
    assert (len(result.columns), len(result.texts), len(result.rows), result.truncated) == (columns, rows, rows, False)


def test_every_parameter_has_the_type_of_its_verdict(desk: Desk) -> None:
    sql = "SELECT id, $1::bigint * 3000000000 FROM accounts WHERE account = $1 AND team = ANY ($2)"
    result = desk.run(ACME, sql)
    assert [param.type for param in result.verdict.bind_params] == ["integer", "uuid[]"]
    assert [(row[0], int(row[1])) for row in result.rows] == [(1, 21_000_000_000)]


def test_rows_and_bytes_are_capped(driver: str, shop: Server) -> None:
    with Desk(driver, shop, policy("max_result_bytes: 5")) as desk:
        result = desk.run(ACME, "VALUES ('aaa'), ('bb'), ('c')")
        assert (result.rows, result.truncated) == ([("aaa",), ("bb",)], True)
        single = desk.single(ACME, "VALUES ('aaa'), ('bb'), ('c')")
        assert (single.rows, single.truncated, single.row_count) == ([("aaa",), ("bb",)], True, 2)


def test_a_denial_sends_nothing_and_leaves_the_transaction_usable(driver: str, shop: Server) -> None:
    told: list[tuple[str, bool]] = []

    def hook(verdict: haltsql.Verdict, about: Any) -> None:
        told.append((about["sql"], verdict.allowed))

    with Desk(driver, shop, policy(), on_verdict=hook) as desk:
        with desk.transaction(ACME) as tx:
            with pytest.raises(Denied, match="E_TENANT_MISSING") as caught:
                tx.query("SELECT id FROM orders")
            assert left_behind(shop) == 0
            assert caught.value.verdict is not None and not caught.value.verdict.allowed
            assert "E_TENANT_MISSING" in caught.value.for_agent()
            began = tx.query("SELECT now()").receipt.started_at
            with pytest.raises(Denied):
                tx.query("DELETE FROM orders WHERE tenant_id = $1")
            assert tx.query("SELECT 1").receipt.started_at == began
        assert [allowed for _, allowed in told] == [False, True, False, True]


def test_writes_commit_and_reads_never_do(desk: Desk, shop: Server) -> None:
    with desk.transaction(ACME, writable=True) as tx:
        inserted = tx.execute("INSERT INTO orders (id, tenant_id, note) VALUES (100, $1, 'x'), (101, $1, NULL)")
        assert (inserted.row_count, inserted.rows, inserted.columns) == (2, [], ())
        returned = tx.execute("UPDATE orders SET note = 'y' WHERE tenant_id = $1 AND id = 100 RETURNING id, note, mood")
        assert (returned.row_count, returned.rows) == (1, [(100, "y", None)])
        assert returned.receipt.to_dict()["row_count"] == 1
    assert shop.ask("SELECT string_agg(coalesce(note, '-'), ' ' ORDER BY id) FROM app.orders WHERE id >= 100") == "y -"
    with pytest.raises(ZeroDivisionError), desk.transaction(ACME, writable=True) as tx:
        tx.execute("DELETE FROM orders WHERE tenant_id = $1")
        raise ZeroDivisionError
    with desk.transaction(ACME, writable=True) as tx:
        tx.execute("DELETE FROM orders WHERE tenant_id = $1")
        with pytest.raises(DatabaseError):
            tx.query("SELECT 1 / (id - id) FROM orders WHERE tenant_id = $1 UNION SELECT 1/0")
        with pytest.raises(ArgumentError, match="has ended"):
            tx.query("SELECT 1")
    assert shop.ask("SELECT count(*) FROM app.orders WHERE tenant_id = 'acme'") == 22
    assert desk.run(ACME, "DELETE FROM orders WHERE tenant_id = $1 AND id >= 100", writable=True).row_count == 2


def test_the_databases_errors_come_redacted(driver: str, shop: Server) -> None:
    duplicate = "INSERT INTO orders (id, tenant_id) VALUES (2, $1)"
    for show in (False, True):
        with Desk(driver, shop, policy(), show_errors=show) as desk:
            with pytest.raises(DatabaseError) as caught:
                desk.run(ACME, duplicate, writable=True)
            assert caught.value.sqlstate == "23505"
            assert ("orders_pkey" in str(caught.value), "(id)=(2)" in (caught.value.detail or "")) == (show, show)
            assert caught.value.__context__ is None or show
            assert (caught.value.__cause__ is not None) is show
            with pytest.raises(DatabaseError) as caught:
                desk.run(ACME, "SELECT 'abc'::text::int")
            assert (caught.value.sqlstate, "abc" in str(caught.value)) == ("22P02", show)
            assert desk.run(ACME, "SELECT 1").rows == [(1,)]
    assert left_behind(shop) == 0


def test_callers_with_their_own_transaction(desk: Desk) -> None:
    desk.raw("SET search_path = app")
    assert desk.single(ACME, "SELECT id FROM orders WHERE tenant_id = $1 AND id < 5 ORDER BY id").rows == [(2,), (4,)]
    written = desk.single(ACME, "UPDATE orders SET note = note WHERE tenant_id = $1 AND id = 2", writable=True)
    assert (written.row_count, written.rows, type(written)) == (1, [], haltsql.Rows)
    returned = desk.single(
        ACME, "UPDATE orders SET note = note WHERE tenant_id = $1 AND id = 2 RETURNING id", writable=True
    )
    assert returned.rows == [(2,)]
    for sql in ("SELECT id FROM orders", "UPDATE orders SET note = note WHERE tenant_id = $1"):
        with pytest.raises(Denied):
            desk.single(ACME, sql)
    with pytest.raises(DatabaseError) as caught:
        desk.single(ACME, "SELECT 1/0")
    assert caught.value.sqlstate == "22012"
    assert not hasattr(returned, "receipt")


def test_an_open_transaction_is_refused_and_left_alone(driver: str, shop: Server) -> None:
    with Desk(driver, shop, policy()) as desk:
        desk.raw("BEGIN")
        with pytest.raises(ArgumentError, match="a transaction is open on the connection"):
            desk.run(ACME, "SELECT 1")
        assert left_behind(shop) == 1, "the caller's, which nobody ended"
        desk.raw("ROLLBACK")
        assert desk.run(ACME, "SELECT 1").rows == [(1,)]


@pytest.mark.parametrize("version", [18, 16])
def test_spoilt_sessions_show_nothing_else(driver: str, version: int, request: pytest.FixtureRequest) -> None:
    server: Server = request.getfixturevalue("shop" if version == 18 else "shop16")
    note = "SELECT note, '\\n' FROM orders WHERE tenant_id = $1 AND id = 2"
    for left in (
        "CREATE TEMP TABLE orders AS SELECT 2 AS id, 'acme' AS tenant_id, 'false' AS note",
        "SET search_path = pg_temp, public",
        "SET standard_conforming_strings = off",
        "SET default_transaction_read_only = off; SET default_transaction_isolation = serializable",
        "SET DateStyle = 'German'; SET TimeZone = 'Asia/Tokyo'; SET IntervalStyle = sql_standard; SET bytea_output = escape",
        "PREPARE s AS SELECT 'false'; LISTEN a; SET row_security = off; SET transform_null_equals = on",
    ):
        with Desk(driver, server, policy()) as desk:
            desk.raw(left)
            assert desk.run(ACME, note).texts == (("n2", "\\n"),), left
            dates = desk.run(
                ACME, "SELECT date '2024-02-29', timestamptz '2024-07-01 12:00+00', interval '1 day -1 hour'"
            )
            assert dates.texts == (("2024-02-29", "2024-07-01 12:00:00+00", "1 day -01:00:00"),), left
            assert desk.run(ACME, "SELECT '\\x00ff'::bytea").texts == (("\\x00ff",),), left


def test_another_encoding_is_refused(driver: str, shop: Server) -> None:
    for encoding in ("SQL_ASCII", "LATIN1"):
        with Desk(driver, shop, policy()) as desk:
            desk.raw(f"SET client_encoding = {encoding}")
            with pytest.raises((ArgumentError, SealBroken)):
                desk.run(ACME, "SELECT 'é'")


def test_a_session_that_is_not_the_policys_is_a_broken_seal(driver: str, shop: Server) -> None:
    with Desk(driver, shop, policy("seal: login", "role: 't_{context.tenant_id}'")) as desk:
        with pytest.raises(SealBroken):
            desk.run(ACME, "SELECT 1")
        # Not to be used again.
        with pytest.raises(haltsql.HaltSQLError):
            desk.run(ACME, "SELECT 1")
    missing = Policy.from_str(MISSING)
    with Desk(driver, shop, missing, pool=1) as desk:
        for _ in range(2):
            with pytest.raises(SealBroken):
                desk.run({}, "SELECT 1")
    assert left_behind(shop) == 0


MISSING = "apiVersion: haltsql.dev/v1\nkind: Policy\nmetadata: { name: p }\nspec: { search_path: [nowhere] }\n"


def test_what_cannot_be_guarded_says_so(shop: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with Desk("psycopg", shop, policy(statements="select")) as desk, pytest.raises(ArgumentError, match="writ"):
        desk.run(ACME, "SELECT 1", writable=True)
    with (
        Desk("psycopg", shop, policy("settings: { app.owner: '{context.user_id}' }")) as desk,
        pytest.raises(ContextError),
    ):
        desk.run(ACME, "SELECT 1")
    shadow = policy(mode="shadow", statements="select")
    with Desk("psycopg", shop, shadow) as desk, pytest.raises(ArgumentError, match="shadow"):
        desk.run(ACME, "SELECT 1")
    with Desk("psycopg", shop, shadow, allow_shadow=True) as desk:
        looked = desk.run(ACME, "SELECT id FROM orders ORDER BY id")
        assert [reason.code for reason in looked.verdict.shadow_reasons] == ["E_TENANT_MISSING"]
        with pytest.raises(Denied):
            desk.run(ACME, "SELECT 1; SELECT 2")
    signed = policy("seal: signed", "role: app_agent", "pin_key: { kid: k1, env: HALTSQL_TEST_PIN_KEY }")
    monkeypatch.delenv("HALTSQL_TEST_PIN_KEY", raising=False)
    with pytest.raises(ArgumentError, match="`HALTSQL_TEST_PIN_KEY`, which is not set"):
        haltsql.psycopg.Guard(signed)
    with pytest.raises(ArgumentError, match="No such file"):
        haltsql.psycopg.Guard(policy("seal: signed", "role: app_agent", "pin_key: { kid: k1, file: /nonexistent/key }"))
    monkeypatch.setenv("HALTSQL_TEST_PIN_KEY", "ab" * 32)
    assert KEY not in repr(haltsql.psycopg.Guard(signed, receipt_key=KEY))


def test_other_drivers_are_told_what_is_supported(shop: Server) -> None:
    foreign = types.new_class("connection")()
    type(foreign).__module__ = "psycopg2.extensions"
    for module in (haltsql.psycopg, haltsql.asyncpg, haltsql.sqlalchemy):
        with pytest.raises(
            ArgumentError, match=r"`psycopg2\.extensions\.connection` is not what this guard drives: give"
        ):
            module.Guard(policy()).transaction(foreign, ACME)
    with pytest.raises(
        ArgumentError, match=r"`pysqlite`, which this guard does not drive: make it with postgresql\+psycopg://"
    ):
        haltsql.sqlalchemy.Guard(policy()).transaction(sqlalchemy.create_engine("sqlite://"), ACME)


def test_no_driver_is_imported_before_its_guard() -> None:
    program = "import sys, haltsql; print(sorted({'psycopg', 'asyncpg', 'sqlalchemy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    for name in ("psycopg", "asyncpg", "sqlalchemy"):
        program = f"import sys; sys.modules[{name!r}] = None; import haltsql.{name}"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert f"pip install 'haltsql[{name}]'" in done.stderr.splitlines()[-1], done.stderr
