"""tabroute's tools in LangChain: an agent that answers from tables.

Usage: python -m examples.langchain_agent "How many orders were returned?" sample_tables

Needs `pip install -e '.[agents]'` and OPENAI_API_KEY (or OPENAI_BASE_URL of a compatible
server). The tools run here; the model sees their results, never the files.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from router import Router

try:
    from langchain.agents import create_agent
    from langchain_core.language_models import BaseChatModel
    from langchain_core.tools import StructuredTool
    from langchain_openai import ChatOpenAI
except ModuleNotFoundError as error:
    raise SystemExit(f"{error}; install it with: pip install -e '.[agents]'") from error

SYSTEM = (
    "Answer from the tables by calling the tools; quote figures as returned and name their source. "
    "If a tool declines, say that the tables do not hold the answer."
)


def langchain_tools(tables: Router) -> list[StructuredTool]:
    """tabroute's tools as LangChain takes them: the plain schemas, results as JSON text."""

    def called(name: str) -> Callable[..., str]:
        def call(**arguments: Any) -> str:
            return json.dumps(tables.call_tool(name, arguments), ensure_ascii=False)

        return call

    return [
        StructuredTool.from_function(
            func=called(tool["name"]),
            name=tool["name"],
            description=tool["description"],
            args_schema=tool["inputSchema"],
        )
        for tool in tables.tools("mcp")
    ]


def answer(model: BaseChatModel, tables: Router, question: str) -> str:
    """The agent's last message."""
    agent = create_agent(model, langchain_tools(tables), system_prompt=SYSTEM)
    state = agent.invoke({"messages": [{"role": "user", "content": question}]})
    return str(state["messages"][-1].content)


if __name__ == "__main__":
    with Router(writer="offline") as loaded:
        for path in sys.argv[2:]:
            loaded.add(path)
        print(answer(ChatOpenAI(model="gpt-5-mini"), loaded, sys.argv[1]))
