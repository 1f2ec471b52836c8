"""The REPL as transcripts: lines after "> " are typed, what follows is all that is printed.

"^C" stands for Ctrl-C at the prompt, "<here>" for the current folder. A transcript's first line
tells the width of the terminal.
"""

import io
import os
import pty
import select
import sys
import time
from pathlib import Path

import pytest

from router import repl
from scripts.transcripts import SESSIONS, session, session_tables


@pytest.fixture(scope="module")
def tables():
    with session_tables() as loaded:
        yield loaded


@pytest.mark.parametrize("path", sorted(SESSIONS.glob("*.txt")), ids=lambda path: path.stem)
def test_a_session_prints_what_its_transcript_says(tables, path):
    expected = path.read_text(encoding="utf-8")
    assert session(tables, expected) == expected, "read it, then: make docs"


def test_a_piped_session_prints_plain_results_to_stdout_alone(tables):
    out, notes = io.StringIO(), io.StringIO()
    code = repl.run(tables, lines=["SELECT 'Łódź' AS city", "", ".quit 4"], out=out, notes=notes)
    assert code == 4
    assert out.getvalue() == "city\n----\nŁódź\n"
    assert "\x1b" not in out.getvalue()


def test_results_can_go_to_a_file(tables, tmp_path):
    path = tmp_path / "out.csv"
    out = io.StringIO()
    lines = [".mode csv", f".once {path}", "SELECT 1 AS n;", "SELECT 2 AS n;"]
    repl.run(tables, lines=lines, out=out, notes=io.StringIO())
    assert path.read_text() == "n\n1\n"
    assert out.getvalue() == "n\n2\n"


def test_an_export_writes_the_last_result(tables, tmp_path):
    path = tmp_path / "best.md"
    repl.run(
        tables,
        lines=["What is the total pieces by shop?", f".export {path}"],
        out=io.StringIO(),
        notes=io.StringIO(),
    )
    assert path.read_text().splitlines()[2:] == ["| Oslo | 8 |", "| Rome | 12 |"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_real_terminal_asks_completes_and_leaves(tmp_path):
    sales = SESSIONS / "tables" / "sales.csv"
    seen = typed_into_a_terminal(
        [sys.executable, "-m", "router", "chat", str(sales), "-w", "offline"],
        [
            ("", "tabroute[1]>"),
            ("SELECT 40 +\r", "  ..."),
            (" 2 AS answer;\r", "(1 row)"),
            ("SELECT\r", "  ..."),
            ("\x03", "tabroute[1]>"),
            ("SELECT 7 AS n;\r", "(1 row)"),
            ("\x04", ""),
        ],
        home=tmp_path,
    )
    assert "42" in seen
    assert "7\r\n(1 row)" in seen


def typed_into_a_terminal(command, steps, home):
    """What the terminal shows; after each key sequence its text is waited for."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", XDG_STATE_HOME=str(home), PROMPT_TOOLKIT_NO_CPR="1")
        os.chdir(Path(__file__).parent.parent)
        os.execv(command[0], command)
    seen, deadline = "", time.monotonic() + 90
    for keys, awaited in steps:
        mark = len(seen)
        os.write(terminal, keys.encode())
        while awaited not in seen[mark:] and time.monotonic() < deadline:
            seen += read_from(terminal)
        seen += read_from(terminal)
    while time.monotonic() < deadline and (more := read_from(terminal, wait_s=1.0)):
        seen += more
    os.waitpid(pid, 0)
    return seen


def read_from(terminal, wait_s=0.3):
    """What is there to read now; nothing at the end."""
    if not select.select([terminal], [], [], wait_s)[0]:
        return ""
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:
        return ""
