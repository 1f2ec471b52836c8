"""The REPL as transcripts: lines after "> " are typed, what follows is all that is printed.

"^C" stands for Ctrl-C at the prompt, "<here>" for the current folder. A transcript's first line
tells the width of the terminal.
"""

import io
import os
import pty
import select
import signal
import sys
import time
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from router import Router, display, repl, repl_config, repl_terminal, settings
from router.errors import UsageError
from scripts.transcripts import SESSIONS, session, session_tables

CTRL_C, CTRL_D = "\x03", "\x04"
AGAIN_S = 4.0
PROMPT_STARTED, PROMPT_ENDED = "\x1b[?2004h", "\x1b[?2004l"
"""Bracketed paste is on while a line is typed."""
LEFT = "no text: the program has left"


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


def test_a_piped_statement_goes_on_where_the_next_line_is_a_clause_of_it(tables):
    out = io.StringIO()
    lines = ["SELECT item FROM sales", "WHERE shop = 'Rome'", "ORDER BY item;", "SELECT 1 AS one"]
    repl.run(tables, lines=[".mode csv", *lines], out=out, notes=io.StringIO())
    assert out.getvalue() == "item\nrye bread\ntea\none\n1\n"


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


def test_settings_come_from_the_configuration_file_and_its_template_changes_nothing(
    tables, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = repl_config.path()
    repl.run(tables, lines=[".config"], out=io.StringIO(), notes=io.StringIO())
    assert repl_config.read(file) == {}
    for name in (*display.names(), *settings.names()):
        assert f"# {name} = " in file.read_text()
    file.write_text('null = "-"\ntimer = true\nmax_rows = 7\n')
    with Router(writer="offline") as fresh:
        session = repl.Session(fresh, io.StringIO(), io.StringIO())
        repl.configure(session, repl_config.read(file))
        assert (session.display.null, session.display.timer) == ("-", True)
        assert fresh.settings.max_rows == 7
    file.write_text("nul = 1\n")
    with pytest.raises(UsageError) as raised:
        repl_config.read(file)
    assert "null" in raised.value.hint


def test_a_save_can_be_opened_again_with_its_choices(tmp_path):
    with session_tables() as loaded:
        lines = ["What is the total harvest?", "1", f".save {tmp_path / 'kept'}"]
        repl.run(loaded, lines=lines, out=io.StringIO(), notes=io.StringIO())
    out = io.StringIO()
    with Router.open(tmp_path / "kept") as opened:
        repl.run(opened, lines=lines[:1], out=out, notes=io.StringIO())
    assert out.getvalue().startswith("460 ")


def test_a_chart_goes_into_a_file(tables, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "pieces.svg"
    lines = ["What is the total pieces by shop?", f".chart total pieces {path}"]
    repl.run(tables, lines=lines, out=io.StringIO(), notes=io.StringIO())
    assert "total pieces by shop" in path.read_text(encoding="utf-8")


def test_statements_are_coloured_and_questions_are_not():
    assert ("ansiblue bold", "SELECT ") in repl_terminal.styled("SELECT 'a' FROM sales")
    assert ("ansigreen", "'a' ") in repl_terminal.styled("SELECT 'a' FROM sales")
    assert repl_terminal.styled("How many sales?") == [("", "How many sales?")]
    assert repl_terminal.styled(".sql SELECT 1")[0] == ("bold", ".sql")
    lines = ("SELECT 'Łódź', 1 -- ž", "", "  (SELECT", ".mode csv", "SELECT 'open", ".sql", ".sql ")
    for line in lines:
        assert "".join(text for _, text in repl_terminal.styled(line)) == line


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (".mo", ".mode"),
        (".mode ver", "vertical"),
        (".set nul", "null"),
        (".help rev", "review"),
        ("total pi", "pieces"),
        ("sales of rye b", "rye bread"),
        ("SELECT item FROM sales WHERE item = 'rye", "rye bread"),
        ("SELECT count(*) FROM sales WHERE item = rye b", "'rye bread'"),
    ],
)
def test_commands_names_and_cells_are_completed(tables, typed, offered):
    completer = repl_terminal.NameCompleter(tables)
    found = completer.get_completions(Document(typed), CompleteEvent())
    assert offered in [completion.text for completion in found]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_real_terminal_asks_completes_reviews_stops_and_leaves(tmp_path):
    sales = SESSIONS / "tables" / "sales.csv"
    heavy = "SELECT count(*) FROM range(99999) a, range(99999) b WHERE (a.range*b.range)%7=1;"
    seen = typed_into_a_terminal(
        [sys.executable, "-m", "router", "chat", str(sales), "-w", "offline", "--timeout", "60"],
        [
            ("", PROMPT_STARTED),
            ("SELECT 40 +\r", "  ..."),
            (" 2 AS answer;\r", "(1 row)"),
            ("SELECT\r", "  ..."),
            (CTRL_C, "tabroute[1]>"),
            ("SELECT 7 AS n;\r", "(1 row)"),
            ("total pi\t", "eces"),
            ("\r", "20 ("),
            (f"{heavy}\r", PROMPT_ENDED),
            (CTRL_C, "stopped"),
            (".review on\r", "review: on"),
            ("total pieces by shop\r", "run? "),
            ("\r", "source:"),
            ("why?\r", "SQL:"),
            (CTRL_D, LEFT),
        ],
        home=tmp_path,
    )
    assert "42" in seen
    assert "7\r\n(1 row)" in seen
    assert "Oslo             8" in seen


def typed_into_a_terminal(command, steps, home):
    """What the terminal shows. After each key sequence its text is waited for, and the prompt where
    it does not run on; Ctrl-C and Ctrl-D are pressed until something comes of them.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(
            TERM="xterm",
            XDG_STATE_HOME=str(home),
            XDG_CONFIG_HOME=str(home),
            PROMPT_TOOLKIT_NO_CPR="1",
        )
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background job's child ignores it
        os.chdir(Path(__file__).parent.parent)
        os.execv(command[0], command)
    seen, deadline = "", time.monotonic() + 90
    for keys, awaited in steps:
        mark, again = len(seen), time.monotonic() + AGAIN_S
        os.write(terminal, keys.encode())
        while time.monotonic() < deadline and not arrived(seen[mark:], awaited):
            more = read_from(terminal)
            if more is None:
                break
            seen += more
            if keys in (CTRL_C, CTRL_D) and time.monotonic() > again:
                os.write(terminal, keys.encode())
                again = time.monotonic() + AGAIN_S
        if awaited == PROMPT_ENDED:
            seen += read_from(terminal) or ""
    assert time.monotonic() < deadline, seen[-2000:]
    os.waitpid(pid, 0)
    return seen


def arrived(seen, awaited):
    """Whether the text has come, and after it the prompt; after Enter alone, while it runs."""
    if awaited in (PROMPT_ENDED, LEFT):
        return awaited in seen
    rest = seen.rpartition(PROMPT_ENDED)[2]
    return awaited in seen and (PROMPT_STARTED in rest or PROMPT_ENDED not in seen)


def read_from(terminal):
    """What is there to read now; None once the program has left."""
    if not select.select([terminal], [], [], 0.3)[0]:
        return ""
    try:
        return os.read(terminal, 65536).decode(errors="replace") or None
    except OSError:
        return None
