"""An agent of the OpenAI Agents SDK whose model is a script: a question, a denied statement, the repair, rows with their receipt.

pip install 'haltsql[openai-agents,asyncpg]'
python agent_openai.py "postgresql:///shop?host=/run/postgresql"

The database is the demo's shop (cli/src/demo/schema.sql). Put a model of yours in place of the script.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
from agents import Agent, Model, ModelResponse, RunConfig, Runner, ToolCallOutputItem, Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from haltsql import Policy
from haltsql.asyncpg import Guard
from haltsql.openai_agents import sql_tool

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


class Script(Model):
    """A model that says what it is given."""

    queries = iter(
        ["SELECT name, email FROM customers", "SELECT name FROM customers WHERE tenant_id = $1 ORDER BY name"]
    )

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        output: Any
        sql = next(self.queries, None)
        if sql is not None:
            arguments = json.dumps({"sql": sql})
            output = ResponseFunctionToolCall(
                type="function_call", name="run_sql", arguments=arguments, call_id=str(hash(sql))
            )
        else:
            text = ResponseOutputText(type="output_text", text="These are your customers.", annotations=[])
            output = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def open_pool(dsn: str) -> Any:
    return asyncpg.create_pool(dsn, min_size=1, statement_cache_size=0)  # pyright: ignore[reportUnknownMemberType]


async def main(dsn: str) -> None:
    async with open_pool(dsn) as pool:
        tool = sql_tool(Guard(Policy.from_str(POLICY)), pool, lambda run: {"tenant_id": run.context.tenant_id})
        agent = Agent[Caller](name="analyst", model=Script(), tools=[tool])
        # Traces would go to OpenAI, rows included.
        quiet = RunConfig(tracing_disabled=True)
        done = await Runner.run(agent, "Who are our customers?", context=Caller("acme"), run_config=quiet)
    for item in done.new_items:
        if isinstance(item, ToolCallOutputItem):
            print(item.output)
            if item.custom_data is not None:
                print(f"as receipt {item.custom_data['receipt']['result_sha256'][:12]} says")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
