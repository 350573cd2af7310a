"""A tool for the OpenAI Agents SDK. ``pip install 'haltsql[openai-agents]'``.

    from haltsql.asyncpg import Guard
    from haltsql.openai_agents import sql_tool

    tool = sql_tool(Guard(policy), pool, lambda run: {"tenant_id": run.context.tenant_id})
    agent = Agent(name="analyst", tools=[tool])
    await Runner.run(agent, question, context=Caller("acme"))

Rows are the tool's output, and ``custom_data["receipt"]`` of its ToolCallOutputItem is the receipt, which the SDK keeps from the
model. A denial and PostgreSQL's redacted refusal are outputs too, for the model to mend; every other error ends the run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

try:
    from agents import FunctionTool, RunContextWrapper
    from agents.exceptions import AgentsException
    from agents.tool import FunctionToolCustomDataContext
    from agents.tool_context import ToolContext
except ImportError as problem:
    raise ImportError(
        "haltsql.openai_agents needs openai-agents 0.24 or newer: pip install 'haltsql[openai-agents]'"
    ) from problem

from haltsql._agents import PARAMETER, Answer, Desk, Guard, Repairable
from haltsql._errors import HaltSQLError
from haltsql._policy import Context

__all__ = ["sql_tool"]


def sql_tool(
    guard: Guard,
    connection: Callable[[RunContextWrapper[Any]], Any] | Any,
    context: Callable[[RunContextWrapper[Any]], Context],
    *,
    name: str = "run_sql",
    description: str | None = None,
    writable: bool = False,
    max_chars: int = 20_000,
) -> FunctionTool:
    """A tool that runs what the model writes, for the caller of the run.

    Args:
        guard: of any driver.
        connection: what ``guard.transaction`` takes, best a pool since models call tools at the same time; or a function from
            the run to it.
        context: from the run (``run.context``) to who is asking. Never from messages.
        name: of the tool.
        description: in place of ``policy.describe()`` with what the tool does.
        writable: each call may write, and commits.
        max_chars: how much of rows or of a denial the model is shown, in characters.

    Raises:
        ArgumentError: something is not what is said above, or the guard was made with ``show_errors``.
    """
    desk: Desk[RunContextWrapper[Any]] = Desk(
        guard, connection, context, writable=writable, max_chars=max_chars, description=description
    )

    async def run_sql(run: ToolContext[Any], arguments: str) -> str:
        try:
            answer = await desk.arun(run, _sql_of(arguments))
        except Repairable as problem:
            return problem.text
        except HaltSQLError as error:
            raised = _as_the_sdks(error)
        else:
            return _output(answer)
        raise raised

    return FunctionTool(
        name=name,
        description=desk.description,
        params_json_schema={
            "type": "object",
            "properties": {"sql": {"type": "string", "description": PARAMETER}},
            "required": ["sql"],
            "additionalProperties": False,
        },
        on_invoke_tool=run_sql,
        custom_data_extractor=_beside,
    )


class _Output(str):
    """The text for the model, and what stands beside it until the SDK asks. The SDK copies it."""

    __slots__ = ("beside",)
    beside: dict[str, Any]


def _output(answer: Answer) -> _Output:
    output = _Output(answer.text)
    output.beside = answer.beside
    return output


def _beside(call: FunctionToolCustomDataContext) -> Mapping[str, Any] | None:
    return call.output.beside if isinstance(call.output, _Output) else None


def _sql_of(arguments: str) -> object:
    """What a model gave as ``sql``; everything else that it gave is passed by."""
    try:
        given: object = json.loads(arguments)
    except ValueError:
        return None
    return cast("dict[str, object]", given).get("sql") if isinstance(given, dict) else None


def _as_the_sdks(error: HaltSQLError) -> HaltSQLError:
    """The same error, also as one of the SDK's: of others it raises the words alone, as a UserError."""
    kind = type(error)
    both = type(kind.__name__, (kind, AgentsException), {"__doc__": kind.__doc__, "__module__": kind.__module__})
    raised: HaltSQLError = both(*error.args)
    raised.__dict__.update(error.__dict__)
    raised.__cause__ = error.__cause__
    return raised
