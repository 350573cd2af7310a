"""Loading a policy in every way, its errors, and what a policy and a caller do as Python values."""

from __future__ import annotations

import copy
import json
import pathlib
import pickle
from typing import Any

import pytest

import haltsql
from haltsql import ArgumentError, ContextError, EncodingError, Policy, PolicyError, VersionError
from support import ACME, ALLOWED, DENIED, POLICY_FILE, same

DOCUMENT: dict[str, Any] = {
    "apiVersion": "haltsql.dev/v1",
    "kind": "Policy",
    "metadata": {"name": "p"},
    "spec": {"search_path": ["app"], "tables": {"app.t": {"columns": ["a", {"name": "b", "description": "the b"}]}}},
}
YAML = """\
apiVersion: haltsql.dev/v1
kind: Policy
metadata: { name: p }
spec:
  search_path: [app]
  tables:
    app.t: { columns: [b, a] }
"""


def test_the_same_policy_however_it_is_loaded(tmp_path: pathlib.Path) -> None:
    yaml, text = tmp_path / "p.yaml", tmp_path / "p.json"
    yaml.write_text(YAML)
    text.write_text(json.dumps(DOCUMENT))
    loaded = [
        Policy.from_file(yaml),
        Policy.from_file(str(text)),
        Policy.from_file(text, format="json"),
        Policy.from_str(YAML),
        Policy.from_str(YAML.encode(), format="yaml", name="p.yaml"),
        Policy.from_str(json.dumps(DOCUMENT)),
        Policy.from_dict(DOCUMENT),
        Policy.from_dict({**DOCUMENT, "spec": {**DOCUMENT["spec"], "search_path": ("app",)}}),
    ]
    assert len({policy.version for policy in loaded}) == 1 and len(set(loaded)) == 1
    for policy in loaded:
        assert (policy.name, policy.mode, policy.search_path_value()) == ("p", "enforce", '"app", pg_temp')
        assert policy.check("SELECT a FROM t", {}).allowed


def test_what_may_be_asked(policy: Policy) -> None:
    text = Policy.from_dict(DOCUMENT).describe()
    assert "app.t" in text and "the b" in text
    assert json.loads(policy.describe_json())
    assert "app.customers" in policy.describe()


def test_every_problem_has_its_place() -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.from_str(YAML.replace("search_path", "serch_path").replace("[b, a]", "[b, A]"), name="some/p.yaml")
    error = caught.value
    assert [problem.path for problem in error.problems] == ["spec.serch_path", 'spec.tables["app.t"].columns[1]']
    assert (error.line, error.column, error.snippet) == (5, 3, "  serch_path: [app]")
    assert error.problems[0].help == "did you mean `search_path`?"
    assert "some/p.yaml" in str(error) and "line 5, column 3" in str(error) and "line 7" in str(error)
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), back.problems) == (PolicyError, str(error), error.problems)


@pytest.mark.parametrize("document", ["", "a: b", "[]", "{", b"\xff", "a: &x 1", "\0"])
def test_a_bad_document_is_one_error(document: str | bytes) -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.from_str(document)
    assert caught.value.problems and caught.value.code == 3


def test_a_dict_that_json_would_bend_is_refused() -> None:
    for part in ({1: "a"}, {"a": {1}}, {"a": float("nan")}, {"a": 1.5}, {"a": b"x"}, {"a": object()}):
        with pytest.raises(PolicyError, match="no form in JSON"):
            Policy.from_dict({**DOCUMENT, "metadata": part})
    nested: dict[str, Any] = {}
    nested["a"] = nested
    with pytest.raises(PolicyError):
        Policy.from_dict(nested)
    with pytest.raises(ArgumentError, match="give a mapping"):
        Policy.from_dict([DOCUMENT])  # pyright: ignore[reportArgumentType]
    with pytest.raises(EncodingError):
        Policy.from_dict({**DOCUMENT, "metadata": {"name": "\ud800"}})


def test_arguments_of_another_kind_are_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ArgumentError, match="auto"):
        Policy.from_str(YAML, format="toml")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ArgumentError, match="give a str or bytes"):
        Policy.from_str(5)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ArgumentError, match="comes from"):
        Policy()
    with pytest.raises(FileNotFoundError):
        Policy.from_file(tmp_path / "none.yaml")


def test_a_policy_can_be_pickled(policy: Policy) -> None:
    for original in (policy, Policy.from_dict(DOCUMENT), Policy.from_str(YAML.encode())):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            back = pickle.loads(pickle.dumps(original, protocol))
            assert back == original and back.describe() == original.describe()
            assert back.check(DENIED, ACME) == original.check(DENIED, ACME)
        assert copy.copy(original) is original and copy.deepcopy(original) is original


def test_a_pickle_that_means_something_else_now_is_refused(policy: Policy) -> None:
    make, arguments = policy.__reduce__()
    assert callable(make) and isinstance(arguments, tuple)
    with pytest.raises(VersionError, match="pickled as"):
        make(*arguments[:-1], "sha256:" + "0" * 64)


def test_nothing_of_a_policy_can_be_set(policy: Policy) -> None:
    for name in ("name", "version", "mode", "check", "anything"):
        with pytest.raises(AttributeError):
            setattr(policy, name, "x")
    assert repr(policy).startswith(f"<Policy {policy.name!r} mode=enforce version=sha256:")


def test_a_caller_reads_its_context_once(policy: Policy) -> None:
    caller = policy.for_context(ACME)
    assert caller.policy is policy
    assert caller.check(ALLOWED) == policy.check(ALLOWED, ACME)
    assert "acme" not in repr(caller)
    with pytest.raises(ArgumentError, match="pickle its policy"):
        pickle.dumps(caller)
    with pytest.raises(ArgumentError, match="for_context"):
        type(caller)()


def test_many_texts_in_their_order(policy: Policy) -> None:
    texts: list[str | bytes] = [ALLOWED, DENIED.encode(), "", "SELECT"] * 700
    one_by_one = [policy.check(text, ACME) for text in texts]
    assert policy.check_many(texts, ACME) == one_by_one
    assert policy.check_many(iter(texts), ACME, threads=3) == one_by_one
    assert policy.for_context(ACME).check_many(tuple(texts[:2]), threads=8) == one_by_one[:2]
    assert policy.check_many([], ACME) == []
    assert policy.check_many([DENIED], ACME)[0].for_agent() == one_by_one[1].for_agent()


def test_many_texts_are_a_list_of_texts(policy: Policy) -> None:
    for texts in ("SELECT 1", b"SELECT 1", 5, None):
        with pytest.raises(ArgumentError, match="there is `check`"):
            policy.check_many(texts, ACME)  # pyright: ignore[reportArgumentType, reportCallIssue]
    with pytest.raises(ArgumentError, match="a text is `NoneType`"):
        policy.check_many([ALLOWED, None], ACME)  # pyright: ignore[reportArgumentType, reportCallIssue]
    for threads in (0, -1, True, 1.5, "2"):
        with pytest.raises(ArgumentError, match="threads"):
            policy.check_many([ALLOWED], ACME, threads=threads)  # pyright: ignore[reportArgumentType, reportCallIssue]


class Uuid:
    """Something with a `str` of its own."""

    def __str__(self) -> str:
        return "acme"


@pytest.mark.parametrize(
    "context",
    [{"tenant_id": "acme"}, '{"tenant_id":"acme"}', b'{"tenant_id": "acme"}', {"tenant_id": "acme", "other": 5}],
)
def test_a_context_is_a_mapping_or_json(policy: Policy, context: Any) -> None:
    assert policy.check(ALLOWED, context).allowed


def test_a_context_can_be_any_mapping(policy: Policy) -> None:
    import types

    assert policy.check(ALLOWED, types.MappingProxyType(ACME)) == policy.check(ALLOWED, ACME)
    quoted = {"tenant_id": 'a"\\\n\u2028\0🐘'}
    assert policy.check(ALLOWED, types.MappingProxyType(quoted)) == policy.check(ALLOWED, quoted)


@pytest.mark.parametrize("value", [None, 5, 1.5, True, {"a": "b"}, [], [1], ["a", None], "", [[]]])
def test_a_value_that_cannot_be_used_is_a_denial(policy: Policy, value: Any) -> None:
    verdict = policy.check(ALLOWED, {"tenant_id": value})
    assert [reason.code for reason in verdict.reasons] == ["E_CONTEXT_MISSING"]


@pytest.mark.parametrize(
    "context",
    [
        "",
        "[]",
        '{"a":1,"a":2}',
        b"\xff",
        "{'a':1}",
        {1: "a"},
        {"a": Uuid()},
        {"a": float("inf")},
        {"a": {"b": b"x"}},
        {"a": {object()}},
    ],
)
def test_what_is_no_context_is_an_error(policy: Policy, context: Any) -> None:
    with pytest.raises(ContextError) as caught:
        policy.check(ALLOWED, context)
    assert caught.value.code == 4
    with pytest.raises(ContextError):
        policy.check_many([], context)


def test_a_context_of_another_kind_is_an_error(policy: Policy) -> None:
    for context in (None, 5, ["tenant_id"]):
        with pytest.raises(ArgumentError, match="give a mapping"):
            policy.check(ALLOWED, context)  # pyright: ignore[reportArgumentType]
    for context in ({"tenant_id": "\ud800"}, {"\ud800": "a"}, '{"a":"\ud800"}', {"tenant_id": ["\ud800"]}):
        with pytest.raises(EncodingError, match="surrogate"):
            policy.check(ALLOWED, context)
    with pytest.raises(ContextError):
        policy.check(ALLOWED, '{"tenant_id":"\\ud800"}')


def test_a_shadow_policy_allows_and_tells() -> None:
    shadow = Policy.from_str(POLICY_FILE.read_text().replace("spec:\n", "spec:\n  mode: shadow\n"))
    verdict = shadow.check(DENIED, ACME)
    assert shadow.mode == "shadow" and verdict.allowed and not verdict.reasons
    assert "E_TENANT_MISSING" in [reason.code for reason in verdict.shadow_reasons]
    assert "E_TENANT_MISSING" in repr(verdict)


def test_the_json_is_the_same_in_every_process() -> None:
    from support import run

    sql = "SELECT nope, name, x.y FROM app.customers c, app.orders, nowhere WHERE c.tenant_id = ANY ($1)"
    program = (
        "import haltsql\n"
        f"policy = haltsql.Policy.from_file({str(POLICY_FILE)!r})\n"
        "context = {'tenant_id': {'acme', 'initech', 'globex', 'hooli'}}\n"
        f"print(policy.check({sql!r}, context).json)"
    )
    seen = {same(run(program, environment={"PYTHONHASHSEED": str(seed)})) for seed in range(6)}
    assert len(seen) == 1 and "E_TABLE_DENIED" in seen.pop()


def test_the_version_is_that_of_the_project() -> None:
    root = pathlib.Path(__file__).resolve().parents[2]
    for file in (root / "Cargo.toml", root / "bindings-python" / "pyproject.toml"):
        assert f'\nversion = "{haltsql.__version__}"\n' in file.read_text()
    assert haltsql.POSTGRES_VERSION.startswith("18.")
