"""A policy, and a caller under it: everything that is asked of HaltSQL starts here."""

# Types are looked at again when a program runs: many are not checked before.
# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, overload

from haltsql._errors import ArgumentError, PolicyError, VersionError
from haltsql._load import native
from haltsql._verdict import Text, Verdict, verdict_of

if TYPE_CHECKING:
    from haltsql._arrow import ArrowArray, ArrowStream, ArrowVerdicts

__all__ = ["Caller", "Context", "DocumentFormat", "Policy"]

Context: TypeAlias = Mapping[str, str | Collection[str]] | Text
"""Who is asking: keys with one string or a set of strings, or the JSON of such an object."""

DocumentFormat: TypeAlias = Literal["auto", "yaml", "json"]
"""``auto``: JSON where the name ends in ``.json``, or where it has no such ending and the document begins with ``{``."""


class Policy:
    """A loaded policy. Immutable; one object can serve any number of threads, and children of a fork.

    It holds nothing that has to be closed. It can be pickled: the document goes along and is loaded again.
    """

    __slots__ = ("_native", "_source")
    _native: native.Policy
    _source: tuple[Text, DocumentFormat, str]

    def __init__(self) -> None:
        raise ArgumentError("a policy comes from `Policy.from_file`, `Policy.from_str` or `Policy.from_dict`")

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, format: DocumentFormat = "auto") -> Policy:
        """Reads and loads a document.

        Raises:
            OSError: the file cannot be read.
            PolicyError: the document is not valid.
        """
        with open(path, "rb") as file:
            document = file.read()
        return _load(document, format, os.fsdecode(path))

    @classmethod
    def from_str(cls, document: Text, *, format: DocumentFormat = "auto", name: str = "") -> Policy:
        """Loads a document from its text.

        Args:
            document: YAML or JSON (docs/policy.md).
            format: which of them.
            name: stands in errors, such as a path; its ending can decide the format.

        Raises:
            PolicyError: the document is not valid.
        """
        return _load(document, format, name)

    @classmethod
    def from_dict(cls, document: Mapping[str, object], *, name: str = "") -> Policy:
        """Loads a document that was read or made already: mappings, lists, strings, whole numbers and booleans.

        Raises:
            PolicyError: the document is not valid, or no document. Places are those of its JSON.
        """
        if not isinstance(document, Mapping):
            raise ArgumentError(f"the policy is `{type(document).__qualname__}`: give a mapping")
        try:
            text = json.dumps(_plain(document), ensure_ascii=False, allow_nan=False, indent=1)
        except (TypeError, ValueError, RecursionError) as problem:
            raise PolicyError(f"the policy has no form in JSON: {problem}") from None
        return _load(text, "json", name)

    @property
    def name(self) -> str:
        """The policy's ``metadata.name``."""
        return self._native.name

    @property
    def version(self) -> str:
        """``sha256:`` and the digest of the normalised policy, as verdicts carry it."""
        return self._native.version

    @property
    def mode(self) -> Literal["enforce", "shadow"]:
        """Under ``shadow`` everything is allowed: such verdicts protect nothing."""
        return self._native.mode

    def check(self, sql: Text, context: Context) -> Verdict:
        """The verdict on a text.

        Args:
            sql: the exact text that is to run.
            context: who is asking.

        Raises:
            ContextError: the context is not an object of JSON with unique keys.
            EncodingError: a ``str`` holds half of a surrogate pair.
            ArgumentError: an argument is of another type.
        """
        return verdict_of(self._native.check(sql, context), sql)

    @overload
    def check_many(self, texts: ArrowStream | ArrowArray, context: Context, *, threads: int = 1) -> ArrowVerdicts: ...
    @overload
    def check_many(self, texts: Iterable[Text], context: Context, *, threads: int = 1) -> list[Verdict]: ...
    def check_many(
        self, texts: Iterable[Text] | ArrowStream | ArrowArray, context: Context, *, threads: int = 1
    ) -> list[Verdict] | ArrowVerdicts:
        """The verdicts on many texts of one caller, in their order: ``Caller.check_many``."""
        return self.for_context(context).check_many(texts, threads=threads)

    def for_context(self, context: Context) -> Caller:
        """Reads a context once, for many checks.

        Raises:
            ContextError, EncodingError, ArgumentError: as ``check``.
        """
        caller = object.__new__(Caller)
        caller._native = self._native.for_context(context)  # pyright: ignore[reportPrivateUsage]
        caller._policy = self  # pyright: ignore[reportPrivateUsage]
        return caller

    def describe(self) -> str:
        """What may be asked, as text for a prompt."""
        return self._native.describe_text()

    def describe_json(self) -> str:
        """What may be asked, as one line of JSON (docs/policy.md)."""
        return self._native.describe_json()

    def search_path_value(self) -> str:
        """The value for ``pg_catalog.set_config('search_path', …, true)`` in the transaction that runs what was checked."""
        return self._native.search_path_value()

    def __eq__(self, other: object) -> bool:
        """Equal where nothing that decides differs: name, mode and every rule, not comments and descriptions."""
        return self.version == other.version if isinstance(other, Policy) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.version)

    def __repr__(self) -> str:
        return f"<Policy {self.name!r} mode={self.mode} version={self.version[:19]}…>"

    def __copy__(self) -> Policy:
        return self

    def __deepcopy__(self, memo: object) -> Policy:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (*self._source, self.version)


class Caller:
    """A policy and one caller's context, read once. Immutable; free to be used by any number of threads.

    It holds nothing that has to be closed. It cannot be pickled: pickle the policy, and the context apart.
    """

    __slots__ = ("_native", "_policy")
    _native: native.Caller
    _policy: Policy

    def __init__(self) -> None:
        raise ArgumentError("a caller comes from `Policy.for_context`")

    @property
    def policy(self) -> Policy:
        """The policy."""
        return self._policy

    def check(self, sql: Text) -> Verdict:
        """The verdict on a text: ``Policy.check``."""
        return verdict_of(self._native.check(sql), sql)

    @overload
    def check_many(self, texts: ArrowStream | ArrowArray, *, threads: int = 1) -> ArrowVerdicts: ...
    @overload
    def check_many(self, texts: Iterable[Text], *, threads: int = 1) -> list[Verdict]: ...
    def check_many(
        self, texts: Iterable[Text] | ArrowStream | ArrowArray, *, threads: int = 1
    ) -> list[Verdict] | ArrowVerdicts:
        """The verdicts on many texts, in their order.

        Args:
            texts: texts, or anything that exports an Arrow stream or array of strings (a table: of its column ``sql``, or of
                the only one). Arrow needs ``pip install 'haltsql[arrow]'``.
            threads: how many check at the same time; the others than this one end before this returns.

        Returns:
            For texts a list; for Arrow a table with the columns ``allowed`` and ``verdict``, itself an Arrow stream. A null
            gives nulls, which are no permission.

        Raises:
            ArgumentError: something is no text, or Arrow data has no column of texts.
            EncodingError: a ``str`` holds half of a surrogate pair.
        """
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise ArgumentError("threads is a whole number of at least 1")
        if hasattr(texts, "__arrow_c_stream__") or hasattr(texts, "__arrow_c_array__"):
            try:
                from haltsql._arro3 import check_arrow
            except ImportError as problem:
                raise ArgumentError("checking Arrow data needs arro3-core: pip install 'haltsql[arrow]'") from problem
            return check_arrow(self._native, cast("ArrowStream | ArrowArray", texts), threads)
        if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
            raise ArgumentError("give a list of texts: for one text there is `check`")
        listed: list[Text] = list(texts)
        return list(map(verdict_of, self._native.check_many(listed, threads), listed))

    def __repr__(self) -> str:
        # The context is not shown: reprs end up in logs.
        return f"<Caller of {self._policy!r}>"

    def __reduce__(self) -> tuple[object, ...]:
        raise ArgumentError("a caller cannot be pickled: pickle its policy, and call `for_context` there")


def _load(document: Text, format: DocumentFormat, name: str) -> Policy:
    policy = object.__new__(Policy)
    policy._native = native.Policy.load(document, format, name)  # pyright: ignore[reportPrivateUsage]
    policy._source = (document, format, name)  # pyright: ignore[reportPrivateUsage]
    return policy


def _unpickled(document: Text, format: DocumentFormat, name: str, version: str) -> Policy:
    policy = _load(document, format, name)
    if policy.version != version:
        raise VersionError(
            f"the policy {name!r} was pickled as {version}, and is {policy.version} to this version of haltsql"
        )
    return policy


def _plain(value: object) -> object:
    """The value with nothing in it that ``json`` would quietly turn into something else."""
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        for key in members:
            if not isinstance(key, str):
                raise TypeError(f"a key is `{type(key).__qualname__}` and not str")
        return {key: _plain(item) for key, item in members.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in cast("list[object]", value)]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    raise TypeError(f"a value is `{type(value).__qualname__}`")
