"""A tool for Pydantic AI. ``pip install 'haltsql[pydantic-ai]'``.

    from haltsql.asyncpg import Guard
    from haltsql.pydantic_ai import sql_tool

    tool = sql_tool(Guard(policy), lambda run: run.deps.pool, lambda run: {"tenant_id": run.deps.tenant_id})
    agent = Agent(model, deps_type=Deps, tools=[tool])
    await agent.run(question, deps=Deps(pool, "acme"))

Rows are the tool's return value, and ``metadata["receipt"]`` of its ToolReturnPart is the receipt, which Pydantic AI keeps from
the model. A denial and PostgreSQL's redacted refusal are a ModelRetry; every other error ends the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

try:
    from pydantic import Field
    from pydantic_ai import ModelRetry, RunContext, Tool, ToolReturn
except ImportError as problem:
    raise ImportError("haltsql.pydantic_ai needs Pydantic AI 2: pip install 'haltsql[pydantic-ai]'") from problem

from haltsql._agents import PARAMETER, Desk, Guard, Repairable
from haltsql._policy import Context

__all__ = ["sql_tool"]


def sql_tool(
    guard: Guard,
    connection: Callable[[RunContext[Any]], Any] | Any,
    context: Callable[[RunContext[Any]], Context],
    *,
    name: str = "run_sql",
    description: str | None = None,
    writable: bool = False,
    max_chars: int = 20_000,
    max_retries: int = 3,
) -> Tool[Any]:
    """A tool that runs what the model writes, for the caller of the run.

    Args:
        guard: of any driver.
        connection: what ``guard.transaction`` takes, best a pool since models call tools at the same time; or a function from
            the run to it.
        context: from the run (``run.deps``) to who is asking. Never from messages.
        name: of the tool.
        description: in place of ``policy.describe()`` with what the tool does.
        writable: each call may write, and commits.
        max_chars: how much of rows or of a denial the model is shown, in characters.
        max_retries: how often in a row the model may mend; then Pydantic AI ends the run.

    Raises:
        ArgumentError: something is not what is said above, or the guard was made with ``show_errors``.
    """
    desk: Desk[RunContext[Any]] = Desk(
        guard, connection, context, writable=writable, max_chars=max_chars, description=description
    )

    async def run_sql(run: RunContext[Any], sql: Annotated[str, Field(description=PARAMETER)]) -> ToolReturn:
        try:
            answer = await desk.arun(run, sql)
        except Repairable as problem:
            raise ModelRetry(problem.text) from None
        return ToolReturn(answer.text, metadata=answer.beside)

    return Tool(run_sql, takes_ctx=True, name=name, description=desk.description, max_retries=max_retries)
