"""tabroute's tools in the OpenAI Agents SDK: an agent that answers from tables.

Usage: python -m examples.openai_agents "How many orders were returned?" sample_tables

Needs `pip install -e '.[agents]'` and OPENAI_API_KEY (or OPENAI_BASE_URL of a compatible
server). The tools run here; the model sees their results, never the files.
"""

from __future__ import annotations

import asyncio
import json
import sys
from functools import partial
from typing import Any

from openai import AsyncOpenAI

from router import Router

try:
    from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, RunConfig, Runner
    from agents.tool_context import ToolContext
except ModuleNotFoundError as error:
    raise SystemExit(f"{error}; install it with: pip install -e '.[agents]'") from error

SYSTEM = (
    "Answer from the tables by calling the tools; quote figures as returned and name their source. "
    "If a tool declines, say that the tables do not hold the answer."
)


def function_tools(tables: Router) -> list[FunctionTool]:
    """tabroute's tools as the SDK takes them: the same strict schemas, called in a thread."""

    async def call(name: str, context: ToolContext[Any], arguments: str) -> str:
        result = await asyncio.to_thread(tables.call_tool, name, arguments)
        return json.dumps(result, ensure_ascii=False)

    return [
        FunctionTool(
            name=tool["name"],
            description=tool["description"],
            params_json_schema=tool["parameters"],
            on_invoke_tool=partial(call, tool["name"]),
        )
        for tool in (definition["function"] for definition in tables.tools("openai"))
    ]


async def answer(
    client: AsyncOpenAI, tables: Router, question: str, model: str = "gpt-5-mini"
) -> str:
    """The agent's final output."""
    agent = Agent(
        name="Table analyst",
        instructions=SYSTEM,
        model=OpenAIChatCompletionsModel(model, client),
        tools=[*function_tools(tables)],
    )
    config = RunConfig(tracing_disabled=True)
    result = await Runner.run(agent, question, max_turns=8, run_config=config)
    return str(result.final_output)


async def main() -> None:
    """Load the paths, ask, print."""
    with Router(writer="offline") as loaded:
        for path in sys.argv[2:]:
            loaded.add(path)
        print(await answer(AsyncOpenAI(), loaded, sys.argv[1]))


if __name__ == "__main__":
    asyncio.run(main())
