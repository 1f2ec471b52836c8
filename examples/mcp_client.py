"""An MCP client that starts `tabroute mcp` and asks it, with the official SDK.

Usage: python -m examples.mcp_client "How many orders were returned?" sample_tables

Needs `pip install -e '.[mcp]'`; no key and no network. What a desktop client does with a
configuration file, this does in thirty lines.
"""

from __future__ import annotations

import asyncio
import sys

try:
    from mcp import Client, StdioServerParameters
except ModuleNotFoundError as error:
    raise SystemExit(f"{error}; install it with: pip install -e '.[mcp]'") from error


async def answer(question: str, *paths: str) -> dict[str, object]:
    """What the tool `ask_tables` says of the question."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "router", "mcp", *paths, "--writer", "offline"]
    )
    async with Client(server) as client:
        result = await client.call_tool(
            "ask_tables", {"question": question}, progress_callback=_told
        )
        return result.structured_content or {}


async def _told(progress: float, total: float | None, message: str | None) -> None:
    print(f"{message} …", file=sys.stderr)


if __name__ == "__main__":
    asked = asyncio.run(answer(*sys.argv[1:]))
    print(asked.get("text") or asked)
