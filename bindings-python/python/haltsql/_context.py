"""Contexts that are no plain ``dict`` of strings: the extension module asks here, and only then.

Receives a mapping, returns the JSON of an object. A value that the policy cannot use (a number, ``None``) goes on as what it
is, and the verdict is a denial; what JSON cannot hold is an error here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from typing import cast

from haltsql._errors import ArgumentError, ContextError, EncodingError

__all__ = ["to_json"]


def to_json(context: object) -> str:
    """The JSON of a context.

    Raises:
        ArgumentError: it is no mapping.
        ContextError: a key is no ``str``, or a value has no form in JSON.
        EncodingError: a text holds half of a surrogate pair.
    """
    if not isinstance(context, Mapping):
        raise ArgumentError(f"the context is `{type(context).__qualname__}`: give a mapping, or JSON as str or bytes")
    members: dict[str, object] = {}
    for key, value in cast("Mapping[object, object]", context).items():
        if not isinstance(key, str):
            raise ContextError(f"a key of the context is `{type(key).__qualname__}` and not str")
        members[key] = list(cast("Set[object]", value)) if isinstance(value, Set) else value
    try:
        text = json.dumps(members, ensure_ascii=False, allow_nan=False, default=_refuse)
    except (ValueError, RecursionError) as problem:
        raise ContextError("a value of the context has no form in JSON: give a str or a list of str") from problem
    try:
        text.encode()
    except UnicodeEncodeError:
        raise EncodingError(
            "the context holds half of a surrogate pair, so that no bytes are exactly its text"
        ) from None
    return text


def _refuse(value: object) -> object:
    raise ContextError(
        f"a value of the context is `{type(value).__qualname__}`: give a str, as in str(value), or a list of str"
    )
