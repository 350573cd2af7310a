"""A tool for LangChain: the guard behind ``create_agent`` and LangGraph's ``ToolNode``. ``pip install 'haltsql[langchain]'``.

    from haltsql.langchain import sql_tool
    from haltsql.psycopg import Guard

    tool = sql_tool(Guard(policy), pool, lambda runtime: {"tenant_id": runtime.context.tenant_id})
    agent = create_agent(model, tools=[tool], context_schema=Caller)
    agent.invoke({"messages": […]}, context=Caller("acme"))

Rows are the ToolMessage's content, and its ``artifact["receipt"]`` is the receipt, which LangChain keeps from the model. A denial
and PostgreSQL's redacted refusal are messages with ``status="error"``; every other error is raised to the program, unless that
tells LangGraph to give all errors to the model (``handle_tool_errors=True``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from langchain_core.tools import StructuredTool, ToolException
    from langgraph.prebuilt import ToolRuntime
    from pydantic import BaseModel, Field
except ImportError as problem:
    raise ImportError("haltsql.langchain needs LangChain 1.5 or newer: pip install 'haltsql[langchain]'") from problem

from haltsql._agents import PARAMETER, Desk, Guard, Repairable
from haltsql._errors import ArgumentError
from haltsql._policy import Context

__all__ = ["sql_tool"]


class _Input(BaseModel):
    # All that a model can say. What else it sends is dropped before the function is called.
    sql: str = Field(description=PARAMETER)


def sql_tool(
    guard: Guard,
    connection: Callable[[ToolRuntime[Any, Any]], Any] | Any,
    context: Callable[[ToolRuntime[Any, Any]], Context],
    *,
    name: str = "run_sql",
    description: str | None = None,
    writable: bool = False,
    max_chars: int = 20_000,
) -> StructuredTool:
    """A tool that runs what the model writes, for the caller of the run.

    Args:
        guard: of any driver.
        connection: what ``guard.transaction`` takes, best a pool since models call tools at the same time; or a function from
            the tool's runtime to it.
        context: from the tool's runtime (``runtime.context``, ``runtime.config``) to who is asking. Never from messages.
        name: of the tool.
        description: in place of ``policy.describe()`` with what the tool does.
        writable: each call may write, and commits.
        max_chars: how much of rows or of a denial the model is shown, in characters.

    Raises:
        ArgumentError: something is not what is said above, or the guard was made with ``show_errors``.
    """
    desk: Desk[ToolRuntime[Any, Any]] = Desk(
        guard, connection, context, writable=writable, max_chars=max_chars, description=description
    )

    def run_sql(sql: str, runtime: ToolRuntime[Any, Any]) -> tuple[str, dict[str, Any]]:
        try:
            answer = desk.run(_injected(runtime), sql)
        except Repairable as problem:
            raise ToolException(problem.text) from None
        return answer.text, answer.beside

    async def arun_sql(sql: str, runtime: ToolRuntime[Any, Any]) -> tuple[str, dict[str, Any]]:
        try:
            answer = await desk.arun(_injected(runtime), sql)
        except Repairable as problem:
            raise ToolException(problem.text) from None
        return answer.text, answer.beside

    return StructuredTool.from_function(
        run_sql,
        arun_sql,
        name,
        desk.description,
        args_schema=_Input,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def _injected(runtime: object) -> ToolRuntime[Any, Any]:
    """The runtime, if LangGraph gave it: where a program calls the tool by itself, it could be the model's."""
    if not isinstance(runtime, ToolRuntime):
        raise ArgumentError("the tool has no runtime: call it through create_agent or ToolNode, and not by itself")
    return runtime  # pyright: ignore[reportUnknownVariableType]
