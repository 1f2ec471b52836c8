"""`tabroute chat`: plain text asks, SQL runs, dot commands do the rest.

Takes a router and a source of lines (a terminal through prompt_toolkit, or any iterable); writes
answers to one stream and everything else to another. `Session.feed` decides what a line means;
the commands are in `repl_commands.py`, the terminal in `repl_terminal.py`.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from router import display, render, repl_config, settings
from router.answer import Answer, Reading, Route, Row
from router.display import Display
from router.errors import EXIT_ANSWERED, UsageError, describe_error
from router.interrupt import interruptible
from router.wording import counted
from sql_engine.errors import InvalidQuery, SqlEngineError
from sql_engine.guard import check
from sql_engine.writer import Draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from router.router import Router

_SELECT = re.compile(r"\(*\s*(?:select|describe|summarize)\b", re.IGNORECASE)
_EITHER = re.compile(
    r"\(*\s*(?:with|from|values|explain|insert|update|delete|drop|create|alter|copy|attach|pragma"
    r"|install|load|truncate|call|set)\b",
    re.IGNORECASE,
)
"""What starts a statement, and a sentence as well."""
_FROM = re.compile(r"\bfrom\b", re.IGNORECASE)
_WHAT_IS_LOADED = re.compile(
    r"(?:what|which|list|show)(?: me)?(?: the)? (?:tables|files|data)"
    r"(?: (?:is|are|do you have|have you got))?(?: there| loaded| here| available)?\W*"
    r"|what can i ask(?: you)?\W*",
    re.IGNORECASE,
)
"""A newcomer's first question, which is about no row of any table."""
_READS = re.compile(r"[(\s]*(?:select|with)\b", re.IGNORECASE)
_NEAR = re.compile(r'at or near "(.+?)"')
_SHORT = ("end of input", "unterminated", "without selection list")
"""What the parser says of a statement that stops in the middle."""
_READINGS = "The question can be read in more than one way; which is meant?"
TURNS = 8
"""Earlier answers that a follow-up may build on."""
_COMMAND_WORDS = {"help": ".help", "?": ".help", "exit": ".quit", "quit": ".quit"}


class Quit(Exception):
    """Leave the session with an exit code."""

    def __init__(self, code: int = EXIT_ANSWERED) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Shown:
    """The last result shown, for `.full`, `.export` and `.chart`."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    truncated: bool = False
    total_rows: int | None = None


@dataclass
class Session:
    """One conversation: the router, the turns so far, and how results are shown."""

    tables: Router
    out: TextIO
    notes: TextIO
    width: int | None = render.DEFAULT_WIDTH
    display: Display = field(default_factory=Display)
    history: list[Answer] = field(default_factory=list)
    last_sql: str | None = None
    shown: Shown | None = None
    choices: tuple[Reading, ...] = ()
    """Readings that wait for a number."""
    pending: list[str] = field(default_factory=list)
    """Lines of a statement that is not complete yet."""
    reviewing: tuple[str, Draft] | None = None
    """A question whose drafted SQL waits for approval."""
    output: TextIO | None = None
    once: TextIO | None = None

    def feed(self, line: str, following: str | None = None) -> None:
        """Take one line: a command, SQL (kept until complete), a choice, or a question.

        `following` is the next line where it is known: a statement may go on there.
        """
        text = line.strip()
        if self.reviewing is not None:
            self._reviewed(text)
        elif self.pending:
            self._go_on(line)
        elif not text:
            return
        elif text.casefold() in _COMMAND_WORDS or text[0] in ".\\":
            self._command(_COMMAND_WORDS.get(text.casefold(), text))
        elif _WHAT_IS_LOADED.fullmatch(text):
            self._command(".tables")
        elif text.isdecimal():
            self.choose(int(text))
        elif looks_like_sql(text):
            self.pending.append(line)
            if text.endswith(";") or not (
                is_unfinished(line, self.tables) or goes_on(line, following)
            ):
                self._run_pending()
        else:
            self.ask(text)

    def flush(self) -> None:
        """Run what is left of an unfinished statement, at the end of the input."""
        if self.pending:
            self._run_pending()

    def drop(self) -> None:
        """Forget an unfinished statement, and a draft that waits."""
        self.pending.clear()
        self.reviewing = None

    def ask(self, question: str, draft: Draft | None = None) -> None:
        """Ask, show the answer, and keep it for follow-ups.

        With `.review on` the drafted SQL is shown instead, and waits for the next line.
        """
        with self._guarded():
            turns = self.history[-TURNS:]
            if self.display.review and draft is None:
                drafted = interruptible(lambda stop: self.tables.draft(question, history=turns))
                if drafted is not None:
                    self._review(question, drafted)
                    return
            answer = interruptible(
                lambda stop: self.tables.ask(
                    question, history=turns, draft=draft, cancellation=stop
                )
            )
            self.history.append(answer)
            self.show_answer(answer)

    def _review(self, question: str, draft: Draft) -> None:
        self.reviewing = (question, draft)
        if draft.reading:
            self.say(f"reading: {draft.reading}")
        self.say(draft.sql)
        self.say("Enter runs it; edit it, or Ctrl-C (an empty line) to leave it.")

    def _reviewed(self, text: str) -> None:
        """The line after a draft: the statement to run (edited or not), yes, or nothing."""
        assert self.reviewing is not None
        question, draft = self.reviewing
        self.reviewing = None
        if text.casefold() in ("y", "yes"):
            self.ask(question, draft)
        elif looks_like_sql(text):
            unchanged = text == draft.sql.strip()
            self.ask(question, draft if unchanged else Draft(text, "as edited"))
        else:
            self.say("not run")
            self.feed(text)

    def run_sql(self, sql: str) -> None:
        """Run a statement and show its rows."""
        with self._guarded():
            started = time.perf_counter()
            result = interruptible(lambda stop: self.tables.sql(sql, cancellation=stop))
            self.last_sql = sql
            self.show_rows(Shown(result.columns, result.rows, result.truncated, result.total_rows))
            for warning in result.warnings:
                self.say(f"Note: {warning}")
            self._time((time.perf_counter() - started) * 1000)

    def choose(self, number: int) -> None:
        """Take one of the readings that were offered; it is remembered."""
        if not self.choices:
            self.say("There is nothing to choose from: ask a question.")
            return
        if not 1 <= number <= len(self.choices):
            self.say(f"There are {len(self.choices)} readings: type a number from 1.")
            return
        answer = self.history[-1]
        with self._guarded():
            chosen = interruptible(
                lambda stop: self.tables.choose(answer, number, cancellation=stop)
            )
            self.history[-1] = chosen
            self.show_answer(chosen)
            self.say("remembered; .choices lists and forgets")

    def show_answer(self, answer: Answer) -> None:
        """The answer's text and rows to the output, the rest to the notes."""
        self.last_sql = answer.sql or self.last_sql
        if answer.declined:
            self.say(_READINGS if answer.alternatives else answer.text)
            self.shown = None
        elif render.is_one_cell(answer) or not answer.rows:
            self.write(answer.text)
            if answer.columns or answer.route == Route.TEXT:  # "why?" leaves the result standing
                self.shown = Shown(answer.columns, tuple(answer.rows))
        else:
            self.say(answer.text)
            self.show_rows(
                Shown(answer.columns, tuple(answer.rows), answer.truncated, answer.total_rows),
                counted_before=True,
            )
        if answer.read_as:
            self.say(f"read as: {answer.read_as}")
        self.choices = answer.alternatives
        for line in render.notes(answer):
            self.say(line)
        if self.choices:
            self.say(
                "Type the number of the one you mean; it is remembered."
                if answer.declined
                else "A number takes that reading instead."
            )
        self._time(answer.elapsed_ms)

    def show_rows(self, shown: Shown, *, cut: bool = True, counted_before: bool = False) -> None:
        """Rows in the session's mode, `cut` to the terminal's width, and how many there are where
        that was not told before them.
        """
        self.shown = shown
        mode, null = self.display.mode, self.display.null
        if mode in ("table", "vertical"):
            form = render.table if mode == "table" else render.vertical
            width = self.width if cut else None
            field_width = self.display.field_width if cut else None
            text = form(shown.columns, shown.rows, width=width, null=null, field_width=field_width)
            self.write(text)
        else:
            self.write(render.FORMATS[mode](shown.columns, shown.rows))
        count = len(shown.rows)
        told = render.rows_note(count, truncated=shown.truncated, total=shown.total_rows)
        if told or not counted_before:
            self.say(f"({told or counted(count)})")

    def write(self, text: str) -> None:
        """A result, to the output chosen."""
        target = self.once or self.output or self.out
        print(text, file=target)
        if self.once is not None:
            self.once.close()
            self.once = None

    def say(self, text: str) -> None:
        """Anything that is not a result."""
        print(text, file=self.notes)

    def _go_on(self, line: str) -> None:
        """A further line of a statement: only a semicolon or an empty line ends it now."""
        text = line.strip()
        if text[:1] in (".", "\\") and text:
            self.drop()
            self.say("statement dropped")
            self.feed(line)
            return
        if text:
            self.pending.append(line)
        if not text or text.endswith(";"):
            self._run_pending()

    def _run_pending(self) -> None:
        sql = "\n".join(self.pending)
        self.pending.clear()
        self.run_sql(sql)

    def _command(self, line: str) -> None:
        from router.repl_commands import run_command

        with self._guarded():
            run_command(self, line)

    def _time(self, elapsed_ms: float) -> None:
        if self.display.timer:
            self.say(f"({elapsed_ms:.0f} ms)")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """A failure is told in two lines and the session goes on."""
        try:
            yield
        except KeyboardInterrupt:
            self.say("stopped")
        except (Quit, SystemExit):
            raise
        except Exception as error:  # the top of a line: nothing ends the session
            told = describe_error(error)["error"]
            self.say(f"error: {told['message']}")
            if told["hint"]:
                self.say(f"  {told['hint']}")


def looks_like_sql(text: str) -> bool:
    """Whether a line starts a statement rather than a question ("from" and "delete" start both)."""
    if _SELECT.match(text):
        return True
    return _EITHER.match(text) is not None and (_stops_short(text) or _parse_error(text) is None)


def is_unfinished(sql: str, tables: Router) -> bool:
    """Whether more lines are to come: the statement stops short, or names what FROM will bring."""
    if _stops_short(sql):
        return True
    if _FROM.search(sql) or _parse_error(sql) is not None:
        return False
    try:
        check(sql, tables.catalog)
    except InvalidQuery:
        return True
    except SqlEngineError:
        return False
    return False


def goes_on(sql: str, following: str | None) -> bool:
    """Whether the next line, where it is known, belongs to a statement complete without it."""
    if following is None:  # nobody knows: a query of no table is seldom all of it
        return bool(_READS.match(sql)) and _FROM.search(sql) is None
    if not _CLAUSE.match(following.strip()):
        return False
    whole = f"{sql}\n{following}"
    return _stops_short(whole) or _parse_error(whole) is None


_CLAUSE = re.compile(
    r"(?:from|where|group\s+by|having|order\s+by|limit|offset|qualify|window|union|intersect|except"
    r"|(?:(?:left|right|full|inner|cross|outer|semi|anti|natural)\s+)*join|and|or|on|using)\b",
    re.IGNORECASE,
)
"""What a further line of a statement starts with."""


def _stops_short(sql: str) -> bool:
    message, text = _parse_error(sql) or "", sql.rstrip()
    near = _NEAR.search(message)
    at_the_end = near is not None and text.endswith(near.group(1))
    return text.endswith(",") or at_the_end or any(told in message for told in _SHORT)


def _parse_error(sql: str) -> str | None:
    """What DuckDB's parser says; nothing is run."""
    import duckdb

    try:
        duckdb.extract_statements(sql)
    except duckdb.Error as error:
        return str(error)
    return None


def run(
    tables: Router,
    *,
    quiet: bool = False,
    lines: Iterable[str] | None = None,
    out: TextIO | None = None,
    notes: TextIO | None = None,
) -> int:
    """Hold the session until its end; the exit code."""
    out, notes = out or sys.stdout, notes or sys.stderr
    session = Session(tables, out, notes)
    if lines is None and sys.stdin.isatty() and out.isatty():
        from router.repl_terminal import run_terminal

        session.display = Display(timer=True)
        configure(session, repl_config.read(repl_config.path()))
        return run_terminal(session, quiet=quiet)
    session.width = None if lines is None else session.width
    try:
        feed_all(session, lines if lines is not None else sys.stdin)
    except Quit as quit_session:
        return quit_session.code
    return EXIT_ANSWERED


def feed_all(session: Session, lines: Iterable[str]) -> None:
    """Feed every line, each with the one after it. Raises Quit."""
    line: str | None = None
    for following in lines:
        following = following.rstrip("\r\n")
        if line is not None:
            session.feed(line, following)
        line = following
    if line is not None:
        session.feed(line, "")
    session.flush()


def configure(session: Session, values: dict[str, str]) -> None:
    """Take the values of the configuration file; what the command line set otherwise stays."""
    defaults = settings.Settings().as_dict()
    present = session.tables.settings.as_dict()
    for name, text in values.items():
        if name in display.names():
            session.display = session.display.changed(name, text)
        elif present[name] == defaults[name] and text:
            session.tables.configure(**{name: settings.read(name, text)})


def open_output(path: str) -> TextIO:
    """A file for results. Raises UsageError where it cannot be written."""
    try:
        return Path(path).expanduser().open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
