"""What every guard has, whatever its driver: keys and options, the order of steps, and what may leave it as an error.

Receives SQL from anyone; sends what the core's session says, in the order of docs/guards.md, through the ``Wire`` of a driver.
Must never send a text that the core did not hand out for it.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from haltsql._errors import ArgumentError, ConnectionLost, DatabaseError, Denied, HaltSQLError, SealBroken
from haltsql._load import native
from haltsql._policy import Context, Policy
from haltsql._result import Column, Result, Rows, receipt_of
from haltsql._verdict import Text, Verdict, verdict_of
from haltsql._wire import Answer, Steps, Wire, awaited, blocking, whole
from haltsql._wire import known as asked

__all__ = ["AsyncTransaction", "BaseGuard", "Transaction", "VerdictHook", "single"]

VerdictHook: TypeAlias = Callable[[Verdict, Mapping[str, Any]], object]
"""Is told of every verdict before anything is sent; what it raises stops the statement."""


class BaseGuard:
    """A policy with the options and keys of one guard. Immutable; it can serve any number of threads and tasks."""

    __slots__ = ("_native", "_on_verdict", "_policy", "_show_errors", "_signs_pins")

    def __init__(
        self,
        policy: Policy,
        *,
        pin_key: Text | None = None,
        receipt_key: Text | None = None,
        allow_shadow: bool = False,
        show_errors: bool = False,
        on_verdict: VerdictHook | None = None,
    ) -> None:
        """A guard.

        Args:
            policy: what may run.
            pin_key: the text of the key of signed pins; where none is given, it is read where the policy's
                ``execution.pin_key`` says.
            receipt_key: signs receipts: an Ed25519 key in PEM, or the 64 hex digits of its seed.
            allow_shadow: runs under a shadow policy too, which protects nothing.
            show_errors: hands on the database's errors whole. They can quote rows and name hidden columns: for operators.
            on_verdict: is told of every verdict, with ``sql``, ``writable`` and ``policy``: for an audit log.

        Raises:
            ArgumentError: a key is none, or is not where the policy says.
        """
        if not isinstance(policy, Policy):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ArgumentError(f"the policy is `{type(policy).__qualname__}`: give a haltsql.Policy")
        place = json.loads(policy._native.pin_key_place())  # pyright: ignore[reportPrivateUsage]
        if pin_key is None and place is not None:
            pin_key = _key_from(place)
        options = json.dumps({"allow_shadow": bool(allow_shadow), "show_errors": bool(show_errors)})
        policy_ = policy._native  # pyright: ignore[reportPrivateUsage]
        self._native = native.Guard(policy_, options, _bytes(pin_key), _bytes(receipt_key))
        self._policy = policy
        self._signs_pins = place is not None
        self._show_errors = bool(show_errors)
        self._on_verdict = on_verdict

    @property
    def policy(self) -> Policy:
        """The policy."""
        return self._policy

    @property
    def shows_errors(self) -> bool:
        """It hands on the database's errors whole."""
        return self._show_errors

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.Guard of {self._policy!r}>"

    def __reduce__(self) -> tuple[object, ...]:
        raise ArgumentError("a guard cannot be pickled, for it holds keys: make it where it is used")

    def session(self, context: Context, writable: bool) -> native.Session:
        """The core's session."""
        return self._native.session(context, json.dumps({"writable": bool(writable)}))

    def statement(self, context: Context, writable: bool, sql: Text) -> native.Statement:
        """The core's statement for a transaction of the caller's."""
        return self._native.statement(context, json.dumps({"writable": bool(writable)}), sql)

    def judged(self, statement: native.Statement, sql: Text, writable: bool) -> tuple[Verdict, dict[str, Any]]:
        """The verdict and what to send.

        Raises:
            Denied: nothing.
        """
        verdict = verdict_of(statement.verdict(), sql)
        if self._on_verdict is not None:
            self._on_verdict(verdict, {"sql": sql, "writable": writable, "policy": self._policy.name})
        run = json.loads(statement.run())
        if run is None:
            codes = ", ".join(reason.code for reason in verdict.reasons or verdict.shadow_reasons)
            denied = Denied(f"denied: {codes or 'it cannot be run'}")
            denied.verdict = verdict
            raise denied
        return verdict, run

    def translated(self, error: BaseException, wire: Wire[Any]) -> BaseException:
        """What goes on to the caller in place of an error: a database's, redacted; everything else as it is."""
        spelt = None if isinstance(error, HaltSQLError) else wire.spelt(error)
        if spelt is None:
            return error
        if not spelt["sqlstate"]:
            lost = ConnectionLost(spelt["message"] or "the connection broke")
            lost.__cause__ = error if self._show_errors else None
            return lost
        left = json.loads(
            self._native.redact(json.dumps({key: value for key, value in spelt.items() if value is not None}))
        )
        if left["kind"] == "seal":
            return SealBroken(left["message"])
        told = DatabaseError(f"{left['message']} (SQLSTATE {left['sqlstate']})")
        told.sqlstate, told.detail, told.hint = left["sqlstate"], left.get("detail"), left.get("hint")
        told.__cause__ = error if self._show_errors else None
        return told

    @property
    def signs_pins(self) -> bool:
        """The pin names the database, which a connection is asked for once."""
        return self._signs_pins


class _Flow:
    """One transaction: begin and pin with its first statement, run, and always an end."""

    def __init__(self, guard: BaseGuard, wire: Wire[Any], context: Context, writable: bool) -> None:
        self._guard = guard
        self._wire = wire
        self._writable = bool(writable)
        self._session = guard.session(context, writable)
        self._steps: dict[str, Any] = json.loads(self._session.steps())
        self._pinned: dict[str, Any] | None = None
        self._wrote = False
        self._over = False
        self._held: threading.Lock | None = None

    def _query(self, sql: Text) -> Steps[Result]:
        if self._over:
            raise ArgumentError("the transaction has ended, or is running another statement: begin another")
        statement = self._session.statement(sql)
        verdict, run = self._guard.judged(statement, sql, self._writable)
        # Until the statement has come to its end: what is abandoned leaves nothing to go on with.
        self._over = True
        if self._pinned is None:
            yield from self._taken()
        try:
            answer = None
            if self._pinned is None:
                database = yield from self._introduced()
                pin = self._session.pin(json.dumps({"database": database, "now": int(time.time())}))
                row, answer = yield from self._wire.begin(self._steps["begin"], json.loads(pin), run)
                self._pinned = cast("dict[str, Any]", json.loads(self._session.read_pin(json.dumps(row))))
            if answer is None:
                answer = yield from self._wire.run(statement, run)
            if not self._wire.in_transaction() or not answer.tag.startswith(run["command"]):
                raise SealBroken("the transaction was ended from inside")
            result = yield from self._result(statement, verdict, run, answer)
        except BaseException as error:
            failure = error
        else:
            self._wrote = self._wrote or run["gate"] is not None
            self._over = False
            return result
        failure = yield from self._rolled_back(failure)
        raise self._guard.translated(failure, self._wire)

    def _taken(self) -> Steps[None]:
        given = self._wire.given()
        held = None if given is None else asked(given).held
        if held is not None and not held.acquire(blocking=False):
            raise ArgumentError("another transaction of a guard is on the connection: give each its own, or a pool")
        self._held = held
        try:
            yield from self._wire.take()
            return
        except BaseException as error:
            failure = error
        yield from self._given_back()
        raise self._guard.translated(failure, self._wire)

    def _introduced(self) -> Steps[str]:
        """What a connection is asked once: its database, for signed pins; and whether that is sealed as the policy says."""
        known = asked(self._wire.physical())
        if self._guard.signs_pins and known.database is None:
            rows = yield from self._wire.ask([(self._steps["hello"], [])])
            known.database = rows[0][0][0]
        check = json.loads(self._session.seal_check())
        if check is not None and (what := (check["sql"], *check["params"])) not in known.sealed:
            texts: list[tuple[str, list[str] | None]] = [
                (check["begin"], None),
                (check["pin"], None),
                (check["sql"], check["params"]),
                (check["end"], None),
            ]
            answers = yield from self._wire.ask(texts)
            self._session.read_seal(json.dumps(answers[2]))
            known.sealed.add(what)
        return known.database or ""

    def _result(
        self, statement: native.Statement, verdict: Verdict, run: dict[str, Any], answer: Answer
    ) -> Steps[Result]:
        pinned = self._pinned or {}
        execution: dict[str, Any] = {
            "role": pinned["role"],
            "started_at": pinned["started_at"],
            "elapsed_us": answer.elapsed_us,
            "columns": [{"name": name, "oid": oid} for name, oid in answer.columns],
            "rows": answer.texts,
            "affected": None if run["gate"] is None else _count(answer.tag),
        }
        spelt = statement.receipt(json.dumps(execution))
        if spelt.startswith('{"unnamed_types":'):
            oids = json.loads(spelt)["unnamed_types"]
            (names,) = yield from self._wire.ask([(self._steps["type_names"], [oids])])
            execution["type_names"] = [[int(oid or 0), schema, name] for oid, schema, name in names]
            spelt = statement.receipt(json.dumps(execution))
        # The receipt is the last field, and its bytes are what is signed.
        head, _, receipt = spelt.partition(',"receipt":')
        told = json.loads(head + "}")
        result = object.__new__(Result)
        fill(result, verdict, answer, told["rows"], told["row_count"], told["truncated"])
        result.receipt = receipt_of(receipt[:-1])
        return result

    def _finished(self, commit: bool) -> Steps[None]:
        if self._over or self._pinned is None:
            self._over = True
            return
        self._over = True
        end = "COMMIT" if commit and self._wrote else "ROLLBACK"
        try:
            if not self._wire.in_transaction() and commit:
                raise SealBroken("the transaction was ended from inside")
            tag = yield from self._wire.end(self._steps[end.lower()])
            if tag != end:
                raise SealBroken(f"{end} was answered by `{tag}`: nothing was written")
        except BaseException as error:
            failure = error
        else:
            yield from self._given_back()
            return
        failure = yield from self._rolled_back(failure)
        if commit or not isinstance(failure, Exception):
            raise self._guard.translated(failure, self._wire)
        # Else what ended the block goes on, and a ROLLBACK that failed is not to hide it: the connection is closed.

    def _rolled_back(self, error: BaseException) -> Steps[BaseException]:
        """After an error: ROLLBACK, or close where even that fails or the session is not to be trusted. What to raise: the
        error, or an interruption that came meanwhile."""
        wire = self._wire
        if isinstance(self._guard.translated(error, wire), (SealBroken, ConnectionLost)):
            wire.discard()
        try:
            if not wire.clean():
                yield from wire.end(self._steps["rollback"])
        except BaseException as later:
            wire.discard()
            error = error if isinstance(later, Exception) else later
        if not wire.clean():
            wire.discard()
        yield from self._given_back()
        return error

    def _whole(self, steps: Steps[None]) -> Steps[None]:
        """Steps that are not to be cut off in the middle."""
        raise NotImplementedError

    def _given_back(self) -> Steps[None]:
        held, self._held = self._held, None
        try:
            yield from self._whole(self._wire.give_back())
        finally:
            if held is not None:
                held.release()


class Transaction(_Flow):
    """A transaction of a guard, with a driver that blocks: ``with guard.transaction(…) as tx:``.

    A denial leaves it usable; every other error ends it, rolled back.
    """

    def query(self, sql: Text) -> Result:
        """Verifies a text and runs it: rows, verdict, receipt.

        Raises:
            Denied: the verdict said no, or this transaction cannot run it. Nothing was sent.
            DatabaseError, SealBroken, ConnectionLost, ArgumentError: see docs/guards.md.
        """
        return blocking(self._query(sql))

    def execute(self, sql: Text) -> Result:
        """The same, by the name that writes have; it needs ``writable=True`` for them."""
        return blocking(self._query(sql))

    def _whole(self, steps: Steps[None]) -> Steps[None]:
        yield from steps

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        blocking(self._finished(commit=error is None))


class AsyncTransaction(_Flow):
    """A transaction of a guard, with a driver that is awaited: ``async with guard.transaction(…) as tx:``.

    A denial leaves it usable; every other error ends it, rolled back. A task that is cancelled cancels on the server.
    """

    async def query(self, sql: Text) -> Result:
        """Verifies a text and runs it: ``Transaction.query``."""
        return await awaited(self._query(sql))

    async def execute(self, sql: Text) -> Result:
        """The same, by the name that writes have; it needs ``writable=True`` for them."""
        return await awaited(self._query(sql))

    def _whole(self, steps: Steps[None]) -> Steps[None]:
        yield lambda: whole(steps)

    async def __aenter__(self) -> AsyncTransaction:
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        await awaited(self._finished(commit=error is None))


def single(
    guard: BaseGuard | Policy, kind: type[BaseGuard], wire: Wire[Any], context: Context, sql: Text, writable: bool
) -> Steps[Rows]:
    """One statement in a transaction of the caller's: verified, bound, run. Nothing is pinned, and there is no receipt."""
    guard = kind(guard) if isinstance(guard, Policy) else guard
    statement = guard.statement(context, writable, sql)
    verdict, run = guard.judged(statement, sql, writable)
    steps = json.loads(guard.session(context, writable).steps())
    try:
        answer = yield from wire.run(statement, run)
        if not answer.tag.startswith(run["command"]):
            raise SealBroken(f"`{answer.tag}` came back, and not {run['command']}")
    except BaseException as error:
        failure = error
    else:
        kept, read = _kept(answer.texts, steps["max_rows"], steps["max_result_bytes"]), run["gate"] is None
        rows = object.__new__(Rows)
        fill(rows, verdict, answer, kept, kept if read else _count(answer.tag), kept < len(answer.texts))
        return rows
    raise guard.translated(failure, wire)


def fill(rows: Rows, verdict: Verdict, answer: Answer, kept: int, row_count: int, truncated: bool) -> None:
    """Fills a result with what of an answer the caller gets."""
    rows.verdict, rows.row_count, rows.truncated = verdict, row_count, truncated
    rows.columns = tuple(Column(name, oid) for name, oid in answer.columns)
    rows.texts = tuple(map(tuple, answer.texts[:kept]))
    rows._rows, rows._problem = answer.rows[:kept], answer.problem  # pyright: ignore[reportPrivateUsage]


def _kept(texts: list[list[str | None]], most: int, bytes_: int) -> int:
    """How many rows are within the policy's caps."""
    for at, row in enumerate(texts[:most]):
        bytes_ -= sum(len(text.encode()) for text in row if text is not None)
        if bytes_ < 0:
            return at
    return min(most, len(texts))


def _count(tag: str) -> int:
    """The number in a command tag."""
    last = tag.rpartition(" ")[2]
    return int(last) if last.isdigit() else 0


def _bytes(key: Text | None) -> bytes | None:
    return key.encode() if isinstance(key, str) else key


def _key_from(place: Mapping[str, str]) -> bytes:
    if "env" in place:
        value = os.environ.get(place["env"])
        if value is None:
            raise ArgumentError(
                f"the policy's pin key is to be in the environment variable `{place['env']}`, which is not set"
            )
        return value.encode()
    try:
        with open(place["file"], "rb") as file:
            return file.read()
    except OSError as problem:
        reason = problem.strerror or "it cannot be read"
        raise ArgumentError(f"the policy's pin key is to be in the file `{place['file']}`: {reason}") from None
