"""What an agent writes, run through the guard on an awaited connection of psycopg: rows with a receipt, or what to mend.

pip install 'haltsql[psycopg]'
python guard_psycopg_async.py "host=/run/postgresql dbname=shop"

The database is the demo's shop (cli/src/demo/schema.sql).
"""

import asyncio
import sys

import psycopg

from haltsql import Denied, Policy
from haltsql.psycopg import Guard

POLICY = """
apiVersion: haltsql.dev/v1
kind: Policy
metadata:
  name: analytics-agent
spec:
  search_path: [app]
  tenancy:
    keys:
      - { column: tenant_id, context: tenant_id }
  tables:
    app.customers:
      columns: [id, tenant_id, name, region]
      hidden: [email, ssn]
"""

# Of the agent, one after another: each answer shows it what to mend.
QUERIES = [
    "SELECT name, email FROM customers",
    "SELECT name FROM customers WHERE tenant_id = $1 ORDER BY name",
]


async def main(dsn: str) -> None:
    guard = Guard(Policy.from_str(POLICY))
    connection = await psycopg.AsyncConnection.connect(dsn)
    # The context comes from the login, never from the agent.
    async with connection, guard.transaction(connection, {"tenant_id": "acme"}) as tx:
        for sql in QUERIES:
            try:
                result = await tx.query(sql)
            except Denied as denied:
                print(f"{denied.for_agent()}\n")
                continue
            print(f"{[row[0] for row in result.rows]}, as receipt {result.receipt.result_sha256[:12]} says")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
