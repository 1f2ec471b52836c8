"""A tool loop with the OpenAI SDK: the model calls tabroute's tools until it can answer.

Usage: python -m examples.openai_tools "How many orders were returned?" sample_tables

Needs OPENAI_API_KEY (or OPENAI_BASE_URL of a compatible server). The tools run here; the model sees
their results, never the files.
"""

from __future__ import annotations

import json
import sys

from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam

from router import Router

MAX_TURNS = 8
SYSTEM = (
    "Answer from the tables by calling the tools; quote figures as returned and name their source. "
    "If a tool declines, say that the tables do not hold the answer."
)


def answer(client: OpenAI, tables: Router, question: str, model: str = "gpt-5-mini") -> str:
    """The model's last word after at most `MAX_TURNS` rounds of tool calls."""
    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": question},
    ]
    for _ in range(MAX_TURNS):
        reply = client.chat.completions.create(
            model=model,
            messages=messages,
            tools=tables.tools(),  # type: ignore[arg-type]  # plain dicts of the same shape
        )
        message = reply.choices[0].message
        if not message.tool_calls:
            return message.content or ""
        messages.append(message.to_dict())  # type: ignore[arg-type]
        for call in message.tool_calls:
            if call.type == "function":
                result = tables.call_tool(call.function.name, call.function.arguments)
                content = json.dumps(result, ensure_ascii=False)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return "No answer within the turns allowed."


if __name__ == "__main__":
    with Router(writer="offline") as loaded:
        for path in sys.argv[2:]:
            loaded.add(path)
        print(answer(OpenAI(), loaded, sys.argv[1]))
