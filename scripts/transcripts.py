"""Transcripts as text: shell sessions in the docs, REPL sessions in the tests, played again.

A shell session is a fenced block `console`: lines after "$ " are run, what follows is printed, both
streams together. A REPL session is a file: "# width N", lines after "> " are typed; "^C" is Ctrl-C,
"<here>" the current folder.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from pathlib import Path
from unittest import mock

from router import Router, cli, repl

ROOT = Path(__file__).parent.parent
SESSIONS = ROOT / "tests" / "data" / "transcripts"
_TIMES = re.compile(r"^(p\d\d_ms +)([\d.]+)$", re.MULTILINE)
_CONFIDENCE = re.compile(r"^(route: \w+) \(\d\.\d\d\)", re.MULTILINE)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def console(text: str) -> str:
    """A shell session as it would be printed now."""
    lines = [line for line in text.splitlines() if line.startswith("$ ")]
    return "".join(f"{line}\n{_run(line.removeprefix('$ '))}" for line in lines)


def session(tables: Router, transcript: str) -> str:
    """A REPL session as it would be printed now."""
    head, *lines = transcript.splitlines()
    out = io.StringIO()
    held = repl.Session(tables, out, out, width=int(head.removeprefix("# width ")))
    print(head, file=out)
    try:
        for line in lines:
            if line.startswith("> "):
                print(line, file=out)
                typed = line.removeprefix("> ")
                held.drop() if typed == "^C" else held.feed(typed)
        held.flush()
    except repl.Quit as leaving:
        print(f"left with {leaving.code}", file=out)
    shown = out.getvalue().replace(str(Path.cwd()), "<here>")
    return _CONFIDENCE.sub(r"\1 (…)", shown)  # it changes with every training of the writer


def session_tables() -> Router:
    """The tables that the REPL sessions are about."""
    tables = Router(writer="offline")
    tables.add(SESSIONS / "tables")
    return tables


def refresh() -> None:
    """Play every transcript again and write what it prints now."""
    with contextlib.chdir(ROOT):
        for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
            text = page.read_text(encoding="utf-8")
            now = CONSOLE.sub(lambda found: f"```console\n{console(found[1])}```", text)
            page.write_text(now, encoding="utf-8")
        with session_tables() as tables:
            for path in sorted(SESSIONS.glob("*.txt")):
                path.write_text(session(tables, path.read_text("utf-8")), encoding="utf-8")


def _run(line: str) -> str:
    shown = io.StringIO()
    keyless = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI", "TABROUTE"))}
    with (
        mock.patch.dict(os.environ, keyless, clear=True),
        contextlib.redirect_stdout(shown),
        contextlib.redirect_stderr(shown),
    ):
        typed, piped, command = line.rpartition(" | ")
        words = shlex.split(command)[1:]
        if piped:
            text = shlex.split(typed)[1].replace("\\n", "\n")
            with mock.patch("sys.stdin", io.StringIO(text)):
                cli.run(words)
        else:
            cli.run(words)
    return _TIMES.sub(lambda time: f"{time[1]}{'…':>{len(time[2])}}", shown.getvalue())
