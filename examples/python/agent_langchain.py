"""An agent of LangChain whose model is a script: a question, a denied statement, the repair, and rows with their receipt.

pip install 'haltsql[langchain,psycopg]' psycopg-pool
python agent_langchain.py "host=/run/postgresql dbname=shop"

The database is the demo's shop (cli/src/demo/schema.sql). Put a model of yours in place of the script.
"""

import sys
from dataclasses import dataclass
from typing import Any

from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from psycopg_pool import ConnectionPool

from haltsql import Policy
from haltsql.langchain import sql_tool
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


@dataclass
class Caller:
    """Who is logged in."""

    tenant_id: str


class Script(GenericFakeChatModel):
    """A model that says what it is given."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


def script() -> Script:
    queries = ["SELECT name, email FROM customers", "SELECT name FROM customers WHERE tenant_id = $1 ORDER BY name"]
    calls = [
        AIMessage("", tool_calls=[{"name": "run_sql", "args": {"sql": sql}, "id": f"call-{at}"}])
        for at, sql in enumerate(queries)
    ]
    return Script(messages=iter([*calls, AIMessage("These are your customers.")]))


def main(dsn: str) -> None:
    with ConnectionPool(dsn, open=True) as pool:
        tool = sql_tool(Guard(Policy.from_str(POLICY)), pool, lambda runtime: {"tenant_id": runtime.context.tenant_id})
        agent: Any = create_agent(script(), tools=[tool], context_schema=Caller)
        question = {"messages": [{"role": "user", "content": "Who are our customers?"}]}
        done = agent.invoke(question, context=Caller("acme"))
    for message in done["messages"]:
        if isinstance(message, ToolMessage):
            print(message.text)
            if message.artifact is not None:
                print(f"as receipt {message.artifact['receipt']['result_sha256'][:12]} says")


if __name__ == "__main__":
    main(sys.argv[1])
