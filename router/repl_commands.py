"""The dot commands of the REPL: one function each, registered with its usage and aliases.

`.help` prints this registry; an unknown command is an error with the nearest name.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from router import charts, display, export, render, repl_config, settings
from router.chart_files import FORMATS, write_chart
from router.errors import UsageError, nearest
from router.load_bar import load_bar
from router.repl import Quit, Session, Shown, feed_all, open_output
from router.wording import counted

_USAGE = 28
"""Columns of a command with its arguments in the list of commands."""


@dataclass(frozen=True)
class Command:
    """One command of the REPL."""

    name: str
    usage: str
    help: str
    run: Callable[[Session, str], None]
    aliases: tuple[str, ...] = ()


COMMANDS: dict[str, Command] = {}
"""By name; filled by `command`."""


def command(name: str, usage: str = "", *aliases: str) -> Callable[
    [Callable[[Session, str], None]], Callable[[Session, str], None]
]:  # fmt: skip
    """Register a function as a command; its docstring is the help."""

    def register(function: Callable[[Session, str], None]) -> Callable[[Session, str], None]:
        told = (function.__doc__ or "").strip()
        COMMANDS[name] = Command(name, usage, told, function, aliases)
        return function

    return register


def run_command(session: Session, line: str) -> None:
    """Run one command line. Raises UsageError with the nearest name for an unknown one."""
    word, _, rest = line.partition(" ")
    find(word).run(session, rest.strip())


def find(word: str) -> Command:
    """The command of this name or alias. Raises UsageError."""
    for known in COMMANDS.values():
        if word == known.name or word in known.aliases:
            return known
    close = nearest(word, COMMANDS)
    meant = f"Did you mean {' or '.join(close)}?" if close else ".help lists the commands."
    raise UsageError(f'no command "{word}"', hint=meant)


@command(".help", "[COMMAND]", "\\?")
def help_command(session: Session, rest: str) -> None:
    """List the commands, or tell one."""
    if rest:
        told = find(rest if rest[0] in ".\\" else f".{rest}")
        also = f" (also {', '.join(told.aliases)})" if told.aliases else ""
        session.say(f"{told.name} {told.usage}".rstrip() + f": {told.help}{also}")
        return
    session.say("Plain text asks a question; a line that starts with SELECT runs as SQL.")
    for known in COMMANDS.values():
        session.say(f"  {f'{known.name} {known.usage}'.rstrip():<{_USAGE}} {known.help}")


@command(".tables", "", "\\dt")
def tables_command(session: Session, rest: str) -> None:
    """What is loaded."""
    found = session.tables.tables()
    if not found:
        session.say("Nothing is loaded: .open FILE")
        return
    rows = tuple((t.name, t.rows, len(t.columns), t.document) for t in found)
    session.show_rows(Shown(("table", "rows", "columns", "document"), rows))


@command(".schema", "[TABLE]", "\\d")
def schema_command(session: Session, rest: str) -> None:
    """One table's columns with types, units and samples; all tables without a name."""
    names = [_unquoted(rest)] if rest else [t.name for t in session.tables.tables()]
    for name in names:
        session.write(render.description(session.tables.describe(name), width=session.width))


@command(".open", "FILE...")
def open_command(session: Session, rest: str) -> None:
    """Load more files or folders."""
    paths = _words(rest, ".open FILE...")
    with load_bar(paths) as progress:
        reports = [
            session.tables.add(str(Path(path).expanduser()), progress=shown)
            for path, shown in zip(paths, progress, strict=True)
        ]
    for report in reports:
        for table in report.tables:
            session.say(f"loaded {table.name}: {counted(table.rows_kept)}")
        for name, reason in report.skipped:
            session.say(f"skipped {name}: {reason.removeprefix(f'{name}: ')}")
        for warning in report.warnings:
            session.say(f"warning: {warning}")


@command(".sql", "[QUERY]")
def sql_command(session: Session, rest: str) -> None:
    """Run a query, or show the last SQL."""
    if rest:
        session.run_sql(rest)
    else:
        session.write(session.last_sql or "no SQL yet")


@command(".edit", "", "\\e")
def edit_command(session: Session, rest: str) -> None:
    """Edit the last SQL in $EDITOR, then run it."""
    edited = edit_text(session.last_sql or "SELECT ")
    if edited.strip():
        session.run_sql(edited)


@command(".why")
def why_command(session: Session, rest: str) -> None:
    """Route, names recognised, SQL, attempts and sources of the last answer."""
    if not session.history:
        session.say("no answer yet")
        return
    answer = session.history[-1]
    whole = answer.read_as or answer.question
    linked = render.links(session.tables.route(whole).links)
    for line in (*render.explanation(answer), *linked, *render.notes(answer)):
        session.write(line)


@command(".choices", "[forget N]")
def choices_command(session: Session, rest: str) -> None:
    """The readings chosen so far; `forget N` drops one."""
    made = session.tables.choices
    word, _, number = rest.partition(" ")
    if rest and (word != "forget" or not number.strip().isdecimal()):
        raise UsageError(f"not {rest!r}", hint=".choices [forget N]")
    if rest:
        if not 1 <= int(number) <= len(made):
            raise UsageError(f"there is no choice {number.strip()}", hint=".choices lists them.")
        session.tables.forget(made[int(number) - 1].question)
        session.say("forgotten")
    elif not made:
        session.say("No reading was chosen yet.")
    else:
        rows = tuple((n, c.question, c.reading) for n, c in enumerate(made, 1))
        session.show_rows(Shown(("number", "question", "read as"), rows))


@command(".save", "FOLDER")
def save_command(session: Session, rest: str) -> None:
    """Keep the tables and the chosen readings in a folder that opens without reading again."""
    (path,) = _words(rest, ".save FOLDER", count=1)
    session.tables.save(Path(path).expanduser())
    session.say(f"saved; open it with: tabroute chat {shlex.quote(path)}")


@command(".full")
def full_command(session: Session, rest: str) -> None:
    """The rows of the last result again, no cell cut."""
    shown = _shown(session)
    session.show_rows(shown, cut=False)
    if shown.truncated:
        session.say("raise .maxrows and ask again for the other rows")


@command(".mode", "FORMAT", "\\T")
def mode_command(session: Session, rest: str) -> None:
    """How results are shown: table, vertical, markdown, csv, tsv, json, jsonl."""
    _display(session, "mode", rest or session.display.mode)


@command(".timer", "on|off", "\\timing")
def timer_command(session: Session, rest: str) -> None:
    """Show how long each answer took."""
    _display(session, "timer", rest or _other(session.display.timer))


@command(".review", "on|off")
def review_command(session: Session, rest: str) -> None:
    """Show drafted SQL for approval or editing before it runs."""
    _display(session, "review", rest or _other(session.display.review))


@command(".maxrows", "N")
def maxrows_command(session: Session, rest: str) -> None:
    """Rows of a result that are shown."""
    set_command(session, f"max_rows {rest}")


@command(".chart", "[COLUMN] [FILE]")
def chart_command(session: Session, rest: str) -> None:
    """Draw the last result: a line over time, else bars; into FILE as .png, .svg or .html."""
    shown = _shown(session)
    words = _words(rest, ".chart [COLUMN] [FILE]") if rest else []
    file = words.pop() if words and Path(words[-1]).suffix.casefold() in FORMATS else None
    column = " ".join(words) or None
    if file is None:
        width = session.width or charts.WIDTH
        session.write(charts.chart(shown.columns, shown.rows, column=column, width=width))
    else:
        path = Path(file).expanduser()
        write_chart(path, shown.columns, shown.rows, column=column)
        session.say(f"wrote {file}")
    if shown.truncated:
        session.say("warning: only the rows shown are drawn; there are more")


@command(".export", "FILE")
def export_command(session: Session, rest: str) -> None:
    """Write the last result to a file: .csv, .tsv, .json, .jsonl, .md, .xlsx, .parquet, .html."""
    (path,) = _words(rest, ".export FILE", count=1)
    shown = _shown(session)
    export.write(Path(path).expanduser(), shown.columns, shown.rows)
    session.say(f"wrote {counted(len(shown.rows))} to {path}")
    if shown.truncated:
        session.say("the result was cut before: raise .maxrows and ask again for all of it")


@command(".output", "[FILE]", "\\o")
def output_command(session: Session, rest: str) -> None:
    """Send results to a file; without a name, back to the screen."""
    if session.output is not None:
        session.output.close()
    session.output = open_output(_unquoted(rest)) if rest else None


@command(".once", "FILE")
def once_command(session: Session, rest: str) -> None:
    """Send the next result to a file."""
    (path,) = _words(rest, ".once FILE", count=1)
    session.once = open_output(path)


@command(".read", "FILE", "\\i")
def read_command(session: Session, rest: str) -> None:
    """Run questions, SQL and commands from a file."""
    (path,) = _words(rest, ".read FILE", count=1)
    try:
        lines = Path(path).expanduser().read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error
    feed_all(session, lines)


@command(".writer", "auto|offline|openai")
def writer_command(session: Session, rest: str) -> None:
    """Who writes SQL."""
    set_command(session, f"writer {rest}")


@command(".set", "NAME VALUE")
def set_command(session: Session, rest: str) -> None:
    """Change a setting."""
    name, _, text = rest.partition(" ")
    if not name or not text.strip():
        raise UsageError("say what to set", hint=".set NAME VALUE; .show lists the names.")
    set_value(session, name, text.strip())
    session.say(f"{name}: {text.strip()}")


@command(".show")
def show_command(session: Session, rest: str) -> None:
    """The settings and their present values."""
    shown = [
        (name, display.text_of(getattr(session.display, name)), display.help_of(name))
        for name in display.names()
    ]
    shown += [
        (name, value, settings.help_of(name))
        for name, value in session.tables.settings.as_dict().items()
    ]
    session.show_rows(Shown(("setting", "value", "what it is"), tuple(shown)))


@command(".config")
def config_command(session: Session, rest: str) -> None:
    """Where the configuration file is; makes one with every default as a comment."""
    file = repl_config.path()
    repl_config.write_template(file)
    session.say(f"{file} is read when tabroute chat starts")


@command(".quit", "[CODE]", "\\q", ".exit")
def quit_command(session: Session, rest: str) -> None:
    """Leave."""
    if rest and not rest.isdecimal():
        raise UsageError(f"an exit code is a number, not {rest!r}")
    raise Quit(int(rest or 0))


def set_value(session: Session, name: str, text: str) -> None:
    """Change a setting of the display or of the router. Raises UsageError."""
    if name in display.names():
        session.display = session.display.changed(name, text)
    elif name in settings.names():
        session.tables.configure(**{name: settings.read(name, text)})
    else:
        close = nearest(name, [*display.names(), *settings.names()])
        meant = f"Did you mean {' or '.join(close)}?" if close else ".show lists the settings."
        raise UsageError(f'no setting "{name}"', hint=meant)


def _display(session: Session, name: str, text: str) -> None:
    session.display = session.display.changed(name, text)
    session.say(f"{name}: {display.text_of(getattr(session.display, name))}")


def _other(on: bool) -> str:
    return "off" if on else "on"


def edit_text(text: str) -> str:
    """The text as the user leaves it in $EDITOR."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "query.sql"
        path.write_text(text, encoding="utf-8")
        subprocess.run([*shlex.split(editor), str(path)], check=True)
        return path.read_text(encoding="utf-8")


def _shown(session: Session) -> Shown:
    if session.shown is None or not session.shown.columns:
        raise UsageError("there is no result", hint="Ask a question or run a query first.")
    return session.shown


def _words(rest: str, usage: str, *, count: int | None = None) -> list[str]:
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise UsageError(f"cannot read the line: {error}", hint=usage) from None
    if not words or (count is not None and len(words) != count):
        raise UsageError("a file name is missing" if not words else "too many names", hint=usage)
    return words


def _unquoted(rest: str) -> str:
    return rest[1:-1] if len(rest) > 1 and rest[0] == rest[-1] and rest[0] in "\"'" else rest
