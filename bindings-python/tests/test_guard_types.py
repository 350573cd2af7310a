"""The text of every type is what ``psql`` shows, and the digest of a result is the same from every driver and language."""

from __future__ import annotations

import json

import pytest
from desks import DRIVERS, Desk
from servers import Server
from shop import ACME, policy

from support import ROOT

TABLE = json.loads((ROOT / "conformance" / "receipts" / "types.json").read_text())
# What PostgreSQL can hold and the driver's own types cannot: `texts` and the receipt have it with psycopg. asyncpg reads all
# values of a message or none.
BEYOND_PSYCOPG = {"SELECT date 'infinity' AS v", "SELECT date '0044-03-15 BC' AS v"}
BEYOND_ASYNCPG = {"SELECT date '0044-03-15 BC' AS v"}


@pytest.mark.parametrize("version", [18, 16])
@pytest.mark.parametrize("driver", DRIVERS)
def test_every_types_text_and_digest(driver: str, version: int, request: pytest.FixtureRequest) -> None:
    server: Server = request.getfixturevalue("shop" if version == 18 else "shop16")
    assert len(TABLE["values"]) >= 50
    asyncpg = driver.endswith("asyncpg")
    with Desk(driver, server, policy(f"timezone: {TABLE['timezone']}")) as desk:
        beyond: set[str] = set()
        for value in TABLE["values"]:
            try:
                result = desk.run(ACME, value["sql"])
                _ = result.rows
            except Exception:
                beyond.add(value["sql"])
                if asyncpg:
                    continue
                with desk.transaction(ACME) as tx:
                    result = tx.query(value["sql"])
            receipt = result.receipt.to_dict()
            assert result.texts == ((value["text"],),), value
            assert receipt["columns"] == [{"name": "v", "type": value["type"]}], value
            assert receipt["result_sha256"] == value["result_sha256"], value
        assert beyond == (BEYOND_ASYNCPG if asyncpg else BEYOND_PSYCOPG)
