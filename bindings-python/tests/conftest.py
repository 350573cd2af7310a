"""The policy of most tests: the shop of the conformance corpus; and servers for the guards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from servers import Server
from shop import stock

import haltsql
from support import POLICY_FILE


@pytest.fixture(scope="session")
def policy() -> haltsql.Policy:
    return haltsql.Policy.from_file(POLICY_FILE)


@pytest.fixture(scope="session")
def shop() -> Iterator[Server]:
    """PostgreSQL 18 with the shop of the guards' tests."""
    with Server(18) as server:
        yield stock(server)


@pytest.fixture(scope="session")
def shop16() -> Iterator[Server]:
    """The same on PostgreSQL 16."""
    with Server(16) as server:
        yield stock(server)
