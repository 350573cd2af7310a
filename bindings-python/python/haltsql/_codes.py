"""The reason codes of this version, as a type. A test compares them with the extension module's."""

from typing import Literal, TypeAlias

__all__ = ["ReasonCode"]

ReasonCode: TypeAlias = Literal[
    "E_PARSE",
    "E_EMPTY",
    "E_MULTI_STATEMENT",
    "E_STATEMENT_KIND",
    "E_UNSUPPORTED",
    "E_SELECT_INTO",
    "E_LOCKING",
    "E_TABLE_DENIED",
    "E_SYSTEM_CATALOG",
    "E_COLUMN_DENIED",
    "E_COLUMN_AMBIGUOUS",
    "E_STAR",
    "E_WHOLE_ROW",
    "E_SYSTEM_COLUMN",
    "E_NATURAL_JOIN",
    "E_ALIAS_COLUMNS",
    "E_FUNCTION_DENIED",
    "E_OPERATOR_DENIED",
    "E_TYPE_DENIED",
    "E_COLLATION_DENIED",
    "E_TENANT_MISSING",
    "E_TENANT_MISMATCH",
    "E_TENANT_LITERAL",
    "E_WRITE_DENIED",
    "E_TENANT_WRITE",
    "E_CONTEXT_MISSING",
    "E_PARAM_UNBOUND",
    "E_PARAM_CONFLICT",
    "E_WRITE_COLUMN_DENIED",
    "E_WRITE_SHAPE",
    "E_WRITE_IN_READ",
    "E_LIMIT_MISSING",
    "E_LIMIT_EXCEEDED",
    "E_CARTESIAN",
    "E_RECURSIVE",
    "E_TOO_LARGE",
    "E_TOO_COMPLEX",
    "E_UNQUALIFIED",
    "E_INTERNAL",
]
"""Why a text was denied (docs/reason-codes.md). A newer version can have more: an unknown code is a denial."""
