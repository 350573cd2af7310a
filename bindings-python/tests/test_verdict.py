"""The verdict: its fields as docs/verdict.md has them, and what it does as a Python value."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle

import pytest

import haltsql
from haltsql import ArgumentError, BindParam, Policy, PolicyRef, Verdict, VerdictError
from support import ACME, ALLOWED, DENIED, same


def test_an_allowed_verdict_has_every_field(policy: Policy) -> None:
    verdict = policy.check(ALLOWED, ACME)
    assert verdict.allowed is True
    assert verdict.reasons == ()
    assert verdict.shadow_reasons == ()
    assert verdict.policy == PolicyRef("bound", policy.version, ("app", "pub"))
    assert verdict.statement_kind == "select"
    assert verdict.tables == ("app.customers",)
    assert verdict.columns == ("app.customers.name", "app.customers.tenant_id")
    assert verdict.bind_params == (BindParam(1, "acme", "text"),)
    assert verdict.fingerprint is not None and int(verdict.fingerprint, 16)
    assert verdict.sql_sha256 == hashlib.sha256(ALLOWED.encode()).hexdigest()
    assert verdict.elapsed_us >= 0


def test_a_set_of_values_is_a_tuple(policy: Policy) -> None:
    sql = "SELECT name FROM app.customers WHERE tenant_id = ANY ($1)"
    for values in ({"initech", "acme"}, frozenset({"acme", "initech"}), ["initech", "acme"], ("acme", "initech")):
        verdict = policy.check(sql, {"tenant_id": values})
        assert verdict.bind_params == (BindParam(1, ("acme", "initech"), "text[]"),)


def test_a_denied_verdict_tells_why(policy: Policy) -> None:
    verdict = policy.check(DENIED, ACME)
    assert verdict.allowed is False
    (reason,) = [reason for reason in verdict.reasons if reason.code == "E_TENANT_MISSING"]
    assert reason.rule == "tenancy.predicate"
    assert reason.loc == DENIED.index("app.customers")
    assert reason.message and "\n" not in reason.message
    assert reason.hint is not None
    assert verdict.bind_params == ()


def test_places_count_bytes(policy: Policy) -> None:
    sql = "SELECT 'ü🐘' AS x, nowhere FROM app.customers WHERE tenant_id = $1"
    (reason,) = policy.check(sql, ACME).reasons
    assert reason.code == "E_COLUMN_DENIED"
    assert reason.loc == sql.encode().index(b"nowhere")


def test_the_json_has_the_same_fields(policy: Policy) -> None:
    for sql in (ALLOWED, DENIED, "", "SELECT", "SELECT 1; SELECT 2"):
        verdict = policy.check(sql, ACME)
        spelt = json.loads(verdict.json)
        assert list(spelt) == [
            *("allowed", "reasons", "shadow_reasons", "policy", "statement_kind", "tables", "columns"),
            *("bind_params", "fingerprint", "sql_sha256", "elapsed_us"),
        ]
        assert spelt["allowed"] is verdict.allowed
        assert [reason["code"] for reason in spelt["reasons"]] == [reason.code for reason in verdict.reasons]
        assert [reason.get("loc") for reason in spelt["reasons"]] == [reason.loc for reason in verdict.reasons]
        for field in ("statement_kind", "fingerprint", "sql_sha256", "elapsed_us"):
            assert spelt[field] == getattr(verdict, field)


def test_a_verdict_has_no_truth_value(policy: Policy) -> None:
    for sql in (ALLOWED, DENIED):
        with pytest.raises(ArgumentError, match=r"\.allowed"):
            bool(policy.check(sql, ACME))
        with pytest.raises(TypeError, match=r"\.allowed"):
            assert not policy.check(sql, ACME)  # pyright: ignore[reportGeneralTypeIssues]


def test_nothing_of_a_verdict_can_be_set(policy: Policy) -> None:
    verdict = policy.check(DENIED, ACME)
    fields = [name for name in dir(Verdict) if not name.startswith("_")]
    assert {"allowed", "json", "reasons", "bind_params"} <= set(fields)
    for name in [*fields, "anything"]:
        with pytest.raises(AttributeError):
            setattr(verdict, name, True)
    for value in (verdict.reasons[0], verdict.policy):
        with pytest.raises(AttributeError):
            setattr(value, "code", "E_EMPTY")  # noqa: B010
    with pytest.raises(ArgumentError, match="comes from"):
        Verdict()


def test_equal_where_all_but_the_time_is(policy: Policy) -> None:
    one, again, other = policy.check(DENIED, ACME), policy.check(DENIED, ACME), policy.check(ALLOWED, ACME)
    assert one == again and hash(one) == hash(again)
    assert one != other and one != one.json
    assert len({one, again, other}) == 2


def test_a_repr_shows_codes_and_no_sql(policy: Policy) -> None:
    shown = repr(policy.check("SELECT secret_word FROM app.customers WHERE tenant_id = 'another_word'", ACME))
    assert "allowed=False" in shown and "E_COLUMN_DENIED" in shown
    assert "_word" not in shown


def test_pickled_and_copied_it_is_the_same(policy: Policy) -> None:
    for sql in (ALLOWED, DENIED, b"SELECT \xff"):
        verdict = policy.check(sql, ACME)
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            back = pickle.loads(pickle.dumps(verdict, protocol))
            assert back == verdict and back.json == verdict.json
            assert back.for_agent() == verdict.for_agent()
        assert copy.copy(verdict) is verdict and copy.deepcopy(verdict) is verdict


def test_the_rendering_for_an_agent(policy: Policy) -> None:
    verdict = policy.check(DENIED, ACME)
    text = verdict.for_agent()
    assert "E_TENANT_MISSING" in text and "denied" in text
    elsewhere = Verdict.from_json(verdict.json.encode())
    assert elsewhere == verdict
    assert elsewhere.for_agent(DENIED) == elsewhere.for_agent(DENIED.encode()) == text
    with pytest.raises(ArgumentError, match="came without its text"):
        elsewhere.for_agent()
    with pytest.raises(VerdictError, match="another text"):
        elsewhere.for_agent(ALLOWED)


def test_what_is_no_verdict_is_refused(policy: Policy) -> None:
    good = policy.check(ALLOWED, ACME).json
    for bad in (
        "",
        "null",
        "[]",
        "{}",
        '{"allowed":true}',
        good[:-1],
        good.replace('"tables"', '"t"'),
        b"\xff",
        " " + good,
    ):
        with pytest.raises(VerdictError, match="not the JSON of a verdict"):
            Verdict.from_json(bad)
    with pytest.raises(VerdictError):
        Verdict.from_json(good.replace('"allowed":true', '"allowed":1'))
    newer = good.replace('"elapsed_us"', '"of_a_newer_version":1,"elapsed_us"')
    assert Verdict.from_json(newer).tables == ("app.customers",)


def test_what_bytes_can_hold_is_judged(policy: Policy) -> None:
    for sql, code in (
        (b"SELECT '\xff'", "E_PARSE"),
        (b"SELECT 1 \xed\xa0\x80", "E_PARSE"),
        ("SELECT '\0'", "E_PARSE"),
        (b"SELECT '\0'", "E_PARSE"),
        ("", "E_EMPTY"),
        (b"", "E_EMPTY"),
        ("-- nothing", "E_EMPTY"),
        ("SELECT 1 " + " " * 100_000, "E_TOO_LARGE"),
    ):
        assert [reason.code for reason in policy.check(sql, ACME).reasons] == [code], sql[:20]
    assert same(policy.check(ALLOWED.encode(), ACME).json) == same(policy.check(ALLOWED, ACME).json)


def test_a_message_with_a_nul_is_whole(policy: Policy) -> None:
    verdict = policy.check("SELECT 1 \0 AND MORE", ACME)
    assert json.loads(verdict.json)["sql_sha256"] == hashlib.sha256(b"SELECT 1 \0 AND MORE").hexdigest()
    assert verdict.json.endswith("}")


def test_half_a_surrogate_pair_is_refused(policy: Policy) -> None:
    for sql in ("SELECT '\ud83d'", "\udc18", "SELECT '\ud83d\udc18'"):
        with pytest.raises(haltsql.EncodingError, match="surrogate"):
            policy.check(sql, ACME)
        with pytest.raises(haltsql.EncodingError, match="surrogate"):
            policy.for_context(ACME).check(sql)
        with pytest.raises(haltsql.EncodingError, match="surrogate"):
            policy.check_many([ALLOWED, sql], ACME)


def test_only_str_and_bytes_are_texts(policy: Policy) -> None:
    for sql in (None, 1, bytearray(b"SELECT 1"), memoryview(b"SELECT 1"), ["SELECT 1"]):
        with pytest.raises(ArgumentError, match="give a str or bytes"):
            policy.check(sql, ACME)  # pyright: ignore[reportArgumentType]
