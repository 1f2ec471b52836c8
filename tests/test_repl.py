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

from router import Router, repl

FOLDER = Path(__file__).parent / "data" / "transcripts"
SALES = """\
day,shop,item,pieces,price
2024-01-03,Oslo,tea,4,3.50
2024-01-09,Oslo,jam,1,6.00
2024-02-02,Rome,tea,10,3.50
2024-02-11,Rome,rye bread,2,4.20
2024-03-05,Oslo,tea,3,3.75
"""
WIDE = ",".join(f"c{i:02}" for i in range(30)) + "\n" + ",".join(["v" * 70] * 30) + "\n"


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    (folder / "sales.csv").write_text(SALES, encoding="utf-8")
    (folder / "wide.csv").write_text(WIDE, encoding="utf-8")
    with Router(writer="offline") as loaded:
        loaded.add(folder)
        yield loaded


def played(tables, transcript):
    """The transcript as it would be printed now."""
    head, *lines = transcript.splitlines()
    out = io.StringIO()
    session = repl.Session(tables, out, out, width=int(head.removeprefix("# width ")))
    print(head, file=out)
    try:
        for line in lines:
            if line.startswith("> "):
                print(line, file=out)
                typed = line.removeprefix("> ")
                session.drop() if typed == "^C" else session.feed(typed)
        session.flush()
    except repl.Quit as leaving:
        print(f"left with {leaving.code}", file=out)
    return out.getvalue().replace(str(Path.cwd()), "<here>")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_a_session_prints_what_its_transcript_says(tables, path):
    expected = path.read_text(encoding="utf-8")
    assert played(tables, expected) == expected


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
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    seen = typed_into_a_terminal(
        [sys.executable, "-m", "router", "chat", str(tmp_path), "-w", "offline"],
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
