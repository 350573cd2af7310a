"""HaltSQL decides, before anything is sent to PostgreSQL, whether an exact SQL text may run.

    from haltsql import Policy

    policy = Policy.from_file("policy.yaml")
    verdict = policy.check("SELECT name FROM customers WHERE tenant_id = $1", {"tenant_id": "acme"})
    if verdict.allowed:
        ...  # run exactly this text, and bind every entry of verdict.bind_params
    else:
        ...  # give verdict.for_agent() back to the agent

Every error is a ``HaltSQLError``, means that no check happened, and is to be treated as a denial.
"""

from haltsql._arrow import ArrowArray, ArrowStream, ArrowVerdicts
from haltsql._codes import ReasonCode
from haltsql._errors import (
    ArgumentError,
    ConnectionLost,
    ContextError,
    DatabaseError,
    Denied,
    EncodingError,
    HaltSQLError,
    InternalError,
    PolicyError,
    Problem,
    SealBroken,
    VerdictError,
    VersionError,
)
from haltsql._load import native as _native
from haltsql._policy import Caller, Context, DocumentFormat, Policy
from haltsql._result import Column, Receipt, Result, Rows
from haltsql._verdict import BindParam, PolicyRef, Reason, StatementKind, Text, Verdict
from haltsql._version import __version__

POSTGRES_VERSION: str = _native.POSTGRES_VERSION
"""The version of the PostgreSQL whose parser reads the SQL."""

__all__ = [
    "POSTGRES_VERSION",
    "ArgumentError",
    "ArrowArray",
    "ArrowStream",
    "ArrowVerdicts",
    "BindParam",
    "Caller",
    "Column",
    "ConnectionLost",
    "Context",
    "ContextError",
    "DatabaseError",
    "Denied",
    "DocumentFormat",
    "EncodingError",
    "HaltSQLError",
    "InternalError",
    "Policy",
    "PolicyError",
    "PolicyRef",
    "Problem",
    "Reason",
    "ReasonCode",
    "Receipt",
    "Result",
    "Rows",
    "SealBroken",
    "StatementKind",
    "Text",
    "Verdict",
    "VerdictError",
    "VersionError",
    "__version__",
]
