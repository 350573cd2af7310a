"""The policy of most tests: the shop of the conformance corpus."""

from __future__ import annotations

import pytest

import haltsql
from support import POLICY_FILE


@pytest.fixture(scope="session")
def policy() -> haltsql.Policy:
    return haltsql.Policy.from_file(POLICY_FILE)
