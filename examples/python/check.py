"""What an agent writes, judged before anything is sent to PostgreSQL, and what the agent is told.

pip install haltsql
python check.py
"""

from haltsql import HaltSQLError, Policy

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
      hidden: [email]
      complete: true
"""

# Of the agent, one after another: each answer shows it what to mend.
QUERIES = [
    "SELECT name FROM customers WHERE tenant_id = $1",
    "SELECT name, email FROM customers",
    "SELECT region, count(*) FROM customers WHERE tenant_id = $1 GROUP BY region",
    "DROP TABLE customers",
]


def main() -> None:
    policy = Policy.from_str(POLICY)
    # From the login, never from the agent.
    caller = policy.for_context({"tenant_id": "acme"})

    for sql in QUERIES:
        try:
            verdict = caller.check(sql)
        except HaltSQLError as error:
            print(f"no check happened, so nothing runs: {error}")
            continue
        if verdict.allowed:
            values = [param.value for param in verdict.bind_params]
            print(f"allowed: {sql}\n  bind {values}, in a transaction with search_path {policy.search_path_value()}\n")
        else:
            print(f"{verdict.for_agent()}\n")


if __name__ == "__main__":
    main()
