"""One face for the agents' frameworks, so that each test is written once: a scripted model calls the tool; what it was shown is
kept, and what the program got beside it."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import agents
import agents.models.interface
import langchain.agents
import pydantic_ai
from desks import Desk
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import haltsql.langchain
import haltsql.openai_agents
import haltsql.pydantic_ai

FRAMEWORKS = ["langchain", "pydantic_ai", "openai_agents"]
# Each member is one turn of the model: the arguments of one call of the tool, or of several at once.
Script = Sequence[Mapping[str, Any] | Sequence[Mapping[str, Any]]]


@dataclass
class Caller:
    """What a program runs an agent with: from its login."""

    context: Mapping[str, Any]
    pool: Any = None


@dataclass
class Played:
    """What came of it."""

    shown: list[str] = field(default_factory=list[str])
    """What the model was shown as results of its calls, in order."""
    said: str = ""
    """Everything that the model was sent in its last turn."""
    tool: dict[str, Any] = field(default_factory=dict[str, Any])
    """Name, description and schema of the tool, as the model was sent them."""
    receipts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """What the program found beside the results."""

    def rows(self, call: int = -1) -> list[list[str | None]]:
        return json.loads(self.shown[call])["rows"]


def tool_of(framework: str, guard: Any, connection: Any, **options: Any) -> Any:
    """The framework's tool, for the caller of a run."""
    if framework == "langchain":
        return haltsql.langchain.sql_tool(guard, connection, lambda runtime: runtime.context.context, **options)
    if framework == "pydantic_ai":
        return haltsql.pydantic_ai.sql_tool(guard, connection, lambda run: run.deps.context, **options)
    return haltsql.openai_agents.sql_tool(guard, connection, lambda run: run.context.context, **options)


def play(
    framework: str, desk: Desk, script: Script, caller: Mapping[str, Any], *, prompt: str = "?", **options: Any
) -> Played:
    """Runs an agent whose model says what the script says, on a desk's pool."""
    tool = tool_of(framework, desk.guard, desk.connection, **options)
    if framework == "langchain" and not desk.is_async:
        return langchain_blocking(tool, script, Caller(caller), prompt)
    return waited(desk, played(framework, tool, script, Caller(caller), prompt))


def waited(desk: Desk, running: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(running) if desk.loop is None else desk.loop.run_until_complete(running)


async def played(framework: str, tool: Any, script: Script, caller: Caller, prompt: str) -> Played:
    runners = {"langchain": langchain_awaited, "pydantic_ai": pydantic, "openai_agents": openai}
    return await runners[framework](tool, script, caller, prompt)


def turns(script: Script) -> Iterator[list[Mapping[str, Any]]]:
    for turn in script:
        yield [turn] if isinstance(turn, Mapping) else list(turn)


class ScriptedChat(BaseChatModel):
    """LangChain's model."""

    script: Any
    played: Any
    ids: Any = itertools.count()

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        (tool,) = tools
        self.played.tool = {
            "name": tool.name,
            "description": tool.description,
            "schema": tool.tool_call_schema.model_json_schema(),
        }
        return self

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        # As providers are sent them.
        self.played.said = json.dumps(convert_to_openai_messages(messages))
        self.played.shown = [str(message.content) for message in messages if isinstance(message, ToolMessage)]
        calls = [{"name": "run_sql", "args": dict(said), "id": f"c{next(self.ids)}"} for said in next(self.script, [])]
        message = AIMessage("" if calls else "done", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def langchain_agent(tool: Any, script: Script, prompt: str) -> tuple[Any, dict[str, Any], Played]:
    played = Played()
    model = ScriptedChat(script=turns(script), played=played)
    agent: Any = langchain.agents.create_agent(model, tools=[tool], context_schema=Caller)
    return agent, {"messages": [{"role": "user", "content": prompt}]}, played


def langchain_receipts(state: Any, played: Played) -> Played:
    messages = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    played.receipts = [message.artifact["receipt"] for message in messages if message.artifact is not None]
    assert [message.status for message in messages if message.artifact is None] == ["error"] * (
        len(messages) - len(played.receipts)
    )
    return played


def langchain_blocking(tool: Any, script: Script, caller: Caller, prompt: str) -> Played:
    agent, messages, played = langchain_agent(tool, script, prompt)
    return langchain_receipts(agent.invoke(messages, context=caller), played)


async def langchain_awaited(tool: Any, script: Script, caller: Caller, prompt: str) -> Played:
    agent, messages, played = langchain_agent(tool, script, prompt)
    return langchain_receipts(await agent.ainvoke(messages, context=caller), played)


async def pydantic(tool: Any, script: Script, caller: Caller, prompt: str) -> Played:
    played, remaining = Played(), turns(script)

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        (offered,) = info.function_tools
        played.tool = {
            "name": offered.name,
            "description": offered.description,
            "schema": offered.parameters_json_schema,
        }
        parts = [part for message in messages for part in message.parts]
        returns = [part for part in parts if isinstance(part, ToolReturnPart)]
        # Providers without a channel for errors are sent these as `{"error": …}`.
        played.shown = [part.model_response_str(wrap_if_error=False) for part in returns]
        played.said = "\n".join([prompt, *(part.model_response_str() for part in returns)])
        calls = [ToolCallPart("run_sql", dict(said)) for said in next(remaining, [])]
        return ModelResponse(parts=calls or [TextPart("done")])

    agent: Any = pydantic_ai.Agent(FunctionModel(model), deps_type=Caller, tools=[tool])
    done = await agent.run(prompt, deps=caller)
    parts = [part for message in done.all_messages() for part in message.parts]
    played.receipts = [
        part.metadata["receipt"]
        for part in parts
        if isinstance(part, ToolReturnPart) and part.metadata and "receipt" in part.metadata
    ]
    return played


class ScriptedModel(agents.models.interface.Model):
    """The model of the OpenAI Agents SDK."""

    def __init__(self, script: Script, played: Played) -> None:
        self.script, self.played, self.ids = turns(script), played, itertools.count()

    async def get_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: Any, *rest: Any, **options: Any
    ) -> agents.ModelResponse:
        (tool,) = tools
        self.played.tool = {
            "name": tool.name,
            "description": tool.description,
            "schema": tool.params_json_schema,
        }
        self.played.said = json.dumps(input)
        self.played.shown = [
            item["output"] for item in input if isinstance(item, dict) and item.get("type") == "function_call_output"
        ]
        said = next(self.script, [])
        output: list[Any] = [
            ResponseFunctionToolCall(
                type="function_call", name="run_sql", arguments=json.dumps(dict(call)), call_id=f"c{next(self.ids)}"
            )
            for call in said
        ]
        if not said:
            text = ResponseOutputText(type="output_text", text="done", annotations=[])
            output = [
                ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
            ]
        return agents.ModelResponse(output=output, usage=agents.Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


async def openai(tool: Any, script: Script, caller: Caller, prompt: str) -> Played:
    played = Played()
    agent: Any = agents.Agent(name="analyst", model=ScriptedModel(script, played), tools=[tool])
    off = agents.RunConfig(tracing_disabled=True)
    done: Any = await agents.Runner.run(agent, prompt, context=caller, run_config=off, max_turns=20)
    items = [item for item in done.new_items if isinstance(item, agents.ToolCallOutputItem)]
    played.receipts = [item.custom_data["receipt"] for item in items if item.custom_data]
    return played
