"""Write what is made from the code: pages of `docs/`, and what transcripts print.

Usage: python -m scripts.make_docs

`pages` gives each page's text; a test compares it with the file.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import click

from router import cli, settings, tools
from router.repl_commands import COMMANDS
from scripts import transcripts

DOCS = Path(__file__).parent.parent / "docs"
TREES = (
    ("retrieval.errors", "RetrievalError"),
    ("sql_engine.errors", "SqlEngineError"),
    ("router.errors", "RouterError"),
)
WIDTH = 100
MADE = "Made from the code by `make docs`; change the code, not this page.\n"


def pages() -> dict[str, str]:
    """File name to text."""
    return {
        "cli.md": _cli(),
        "errors.md": _errors(),
        "repl-commands.md": _repl(),
        "settings.md": _settings(),
        "tool-definitions.md": _tools(),
    }


def _cli() -> str:
    parts = [f"# Command line\n\n{MADE}", _help([])]
    parts += [f"## {name}\n\n{_help([name])}" for name in sorted(cli.cli.commands)]
    parts.append(
        "## Exit codes\n\n| code | means |\n| --- | --- |\n| 0 | answered |\n"
        "| 1 | tried and failed: a file, the engine, a model |\n| 2 | wrong usage |\n"
        "| 3 | declined: the tables do not answer it |\n| 130 | interrupted |\n"
    )
    return "\n".join(parts)


def _help(path: list[str]) -> str:
    command: click.Command = cli.cli
    context = click.Context(
        command, info_name="tabroute", max_content_width=100, terminal_width=100
    )
    for name in path:
        command = cli.cli.commands[name]
        context = click.Context(
            command, info_name=name, parent=context, max_content_width=100, terminal_width=100
        )
    return f"```text\n{command.get_help(context)}\n```\n"


def _context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    width, flags = 100, ["-h", "--help"]
    return click.Context(
        command,
        parent,
        name,
        terminal_width=width,
        max_content_width=width,
        help_option_names=flags,
    )


def _errors() -> str:
    lines = [
        f"# Errors\n\n{MADE}",
        "Every error carries a message, a stable `code`, whether trying again may help, and a",
        "`hint` on what to do next. The command line prints message and hint and exits 1 (2 for",
        "wrong usage); with `--json`, and from tools, it is",
        '`{"error": {"code", "message", "hint"}}`.\n',
    ]
    for package in ("retrieval", "sql_engine", "router"):
        _import_all(package)
    for module, base in TREES:
        lines += [
            f"## `{module}`\n",
            "| class | code | try again | when |",
            "| --- | --- | --- | --- |",
        ]
        lines += [_error(kind) for kind in _family(getattr(importlib.import_module(module), base))]
        lines.append("")
    return "\n".join(lines)


def _import_all(package: str) -> None:
    """Import every module of a package, so that every error class is known."""
    root = importlib.import_module(package)
    for module in pkgutil.walk_packages(root.__path__, f"{package}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _family(base: type[Exception]) -> Iterator[type[Exception]]:
    yield base
    for kind in sorted(base.__subclasses__(), key=lambda kind: kind.__name__):
        yield from _family(kind)


def _error(kind: type[Exception]) -> str:
    told = (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    again = "yes" if getattr(kind, "retryable", False) else "no"
    return f"| `{kind.__name__}` | `{getattr(kind, 'code', '')}` | {again} | {told} |"


def _repl() -> str:
    lines = [
        f"# Commands of `tabroute chat`\n\n{MADE}",
        "| command | does | also |",
        "| --- | --- | --- |",
    ]
    for known in COMMANDS.values():
        also = ", ".join(f"`{alias}`" for alias in known.aliases)
        lines.append(f"| `{f'{known.name} {known.usage}'.strip()}` | {known.help} | {also} |")
    return "\n".join(lines) + "\n"


def _settings() -> str:
    lines = [
        f"# Settings\n\n{MADE}",
        "Keyword arguments of `Router`, options of the command line, `.set` in the REPL.\n",
        "| name | default | environment | what it is |",
        "| --- | --- | --- | --- |",
    ]
    for name in settings.names():
        default, variable = settings.default(name), settings.environment(name)
        lines.append(f"| `{name}` | `{default}` | `{variable}` | {settings.help_of(name)} |")
    return "\n".join(lines) + "\n"


def _tools() -> str:
    lines = [f"# Tool definitions\n\n{MADE}"]
    for tool in tools.definitions("mcp"):
        lines += [f"## `{tool['name']}`\n", tool["description"], ""]
        schema = tool["inputSchema"]
        if schema["properties"]:
            lines += ["| argument | type | required | what it is |", "| --- | --- | --- | --- |"]
        for name, told in schema["properties"].items():
            required = "yes" if name in schema["required"] else "no"
            lines.append(f"| `{name}` | {told['type']} | {required} | {told['description']} |")
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Write every page and play every transcript."""
    for name, text in pages().items():
        (DOCS / name).write_text(text.rstrip() + "\n", encoding="utf-8")
        print(f"wrote docs/{name}")
    transcripts.refresh()
    print("played the transcripts again: read what changed")


if __name__ == "__main__":
    main()
