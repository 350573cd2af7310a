"""An agent of Pydantic AI whose model is a script: a question, a denied statement, the repair, and rows with their receipt.

pip install 'haltsql[pydantic-ai,asyncpg]'
python agent_pydantic_ai.py "postgresql:///shop?host=/run/postgresql"

The database is the demo's shop (cli/src/demo/schema.sql). Put a model of yours in place of the script.
"""

import asyncio
import sys
from dataclasses import dataclass
from typing import Any

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from haltsql import Policy
from haltsql.asyncpg import Guard
from haltsql.pydantic_ai import sql_tool

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
class Deps:
    """Who is logged in, and the program's pool."""

    tenant_id: str
    pool: Any


# The tool and the agent are made once, for all callers.
tool = sql_tool(
    Guard(Policy.from_str(POLICY)), lambda run: run.deps.pool, lambda run: {"tenant_id": run.deps.tenant_id}
)
agent = Agent(deps_type=Deps, tools=[tool])


def script() -> FunctionModel:
    turns = iter(
        [
            ToolCallPart("run_sql", {"sql": "SELECT name, email FROM customers"}),
            ToolCallPart("run_sql", {"sql": "SELECT name FROM customers WHERE tenant_id = $1 ORDER BY name"}),
            TextPart("These are your customers."),
        ]
    )

    def say(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[next(turns)])

    return FunctionModel(say)


def open_pool(dsn: str) -> Any:
    return asyncpg.create_pool(dsn, min_size=1, statement_cache_size=0)  # pyright: ignore[reportUnknownMemberType]


async def main(dsn: str) -> None:
    async with open_pool(dsn) as pool:
        done = await agent.run("Who are our customers?", deps=Deps("acme", pool), model=script())
    for message in done.all_messages():
        for part in message.parts:
            if isinstance(part, ToolReturnPart):
                print(part.model_response_str())
                if part.metadata is not None:
                    print(f"as receipt {part.metadata['receipt']['result_sha256'][:12]} says")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
