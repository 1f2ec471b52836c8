"""The REPL in a terminal: prompt_toolkit with completion, highlighting, history, multi-line SQL.

Reads lines and hands them to the session; knows nothing of what they mean. What is typed as SQL is
coloured by the engine's own tokenizer, so that no other dialect's words are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from shutil import get_terminal_size

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.output import ColorDepth

from router import display, render, settings
from router.errors import EXIT_ANSWERED
from router.repl import Quit, Session, looks_like_sql
from router.repl_commands import COMMANDS
from router.router import Router
from router.version import version_text
from router.wording import counted

_VALUES_A_COLUMN = 200
"""Distinct cells of a column that are offered; a column with more names things nobody types."""
_OFFERED = 50
_WITH_FILES = (".open", ".read", "\\i", ".export", ".output", "\\o", ".once", ".save", ".chart")
_STYLES = {
    "keyword": "ansiblue bold",
    "string_const": "ansigreen",
    "numeric_const": "ansimagenta",
    "comment": "ansibrightblack",
}


def run_terminal(session: Session, *, quiet: bool = False) -> int:
    """Prompt until the user leaves; the exit code."""
    if not quiet:
        count = counted(len(session.tables.tables()), "table")
        session.say(f"tabroute {version_text()} · {count} · .help tells what to type")
    prompt: PromptSession[str] = PromptSession(
        history=_history(),
        completer=NameCompleter(session.tables),
        complete_while_typing=False,
        auto_suggest=AutoSuggestFromHistory(),
        lexer=SqlLexer(),
        color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
        enable_open_in_editor=True,
    )
    while True:
        try:
            line = _typed(prompt, session)
        except KeyboardInterrupt:
            session.drop()
            continue
        except EOFError:
            return EXIT_ANSWERED
        try:
            session.feed(line)
        except KeyboardInterrupt:
            session.drop()
            session.say("stopped")
        except Quit as leaving:
            return leaving.code


def _typed(prompt: PromptSession[str], session: Session) -> str:
    """The next line; a draft that waits for approval stands in it already."""
    session.width = get_terminal_size().columns
    drafted = session.reviewing[1].sql if session.reviewing else ""
    return prompt.prompt(_prompt_text(session), default=drafted)


def _prompt_text(session: Session) -> str:
    if session.reviewing:
        return "run? "
    return "   ... " if session.pending else f"tabroute[{len(session.tables.tables())}]> "


def _history() -> History:
    """The history file under the user's state folder; in memory where it cannot be written."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    path = Path(base) / "tabroute" / "history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


class SqlLexer(Lexer):
    """Colours statements, and the name of a dot command; plain questions stay plain."""

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """The styled text of each line."""
        return lambda number: styled(document.lines[number])


def styled(line: str) -> StyleAndTextTuples:
    """One line in pieces with their styles."""
    text = line.strip()
    if text.startswith((".", "\\")):
        word, space, rest = line.partition(" ")
        return [("bold", word), ("", space), *_sql(rest)] if ".sql" in word else [
            ("bold", word), ("", space + rest)
        ]  # fmt: skip
    return _sql(line) if looks_like_sql(text) else [("", line)]


def _sql(text: str) -> StyleAndTextTuples:
    import duckdb

    raw = text.encode()
    starts = [(start, kind.name) for start, kind in duckdb.tokenize(text)]
    first = starts[0][0] if starts else len(raw)
    pieces: StyleAndTextTuples = [("", raw[:first].decode())]
    for (start, kind), (end, _) in pairwise([*starts, (len(raw), "")]):
        pieces.append((_STYLES.get(kind, ""), raw[start:end].decode()))
    return pieces


class NameCompleter(Completer):
    """Completes commands and their arguments, table names, column names, cells of short columns."""

    def __init__(self, tables: Router) -> None:
        self._tables = tables
        self._catalog: object = None
        self._names: list[tuple[str, str]] = []
        self._files = PathCompleter(expanduser=True)

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        """What may follow the text before the cursor."""
        text = document.text_before_cursor
        if text.startswith((".", "\\")):
            command, space, rest = text.partition(" ")
            if not space:
                yield from _starting(text, ((name, "command") for name in COMMANDS))
                return
            if command in _WITH_FILES:
                yield from self._files.get_completions(Document(rest), complete_event)
                return
            if known := _arguments(command, rest):
                yield from _starting(rest.rpartition(" ")[2], known)
                return
        yield from self._completed(text)

    def _completed(self, text: str) -> Iterator[Completion]:
        """Names whose start the last words of the text are, the longest match first: a name may
        have spaces ("sales am" is completed to "sales amount").
        """
        quoted = '"' if text.count('"') % 2 else "'" if text.count("'") % 2 else ""
        if quoted:
            yield from _starting(text.rpartition(quoted)[2], self._known())
            return
        words = text.split(" ")
        for count in range(min(3, len(words)), 0, -1):
            start = " ".join(words[-count:])
            found = list(_starting(start, self._known())) if start.strip() else []
            if found:
                in_sql = looks_like_sql(text.strip())
                yield from (map(_quoted, found) if in_sql else found)
                return

    def _known(self) -> list[tuple[str, str]]:
        if self._catalog is not self._tables.catalog:
            self._catalog = self._tables.catalog
            self._names = list(_names(self._tables))
        return self._names


def _starting(start: str, known: Iterable[tuple[str, str]]) -> Iterator[Completion]:
    folded, offered = start.casefold(), 0
    for name, kind in known:
        if name.casefold().startswith(folded):
            yield Completion(name, start_position=-len(start), display_meta=kind)
            offered += 1
            if offered == _OFFERED:
                return


def _quoted(found: Completion) -> Completion:
    """The completion as SQL needs it: a name that is no plain word in quotes, a cell as a text."""
    from sql_engine.sql_names import quote

    is_name = found.display_meta_text == "table" or found.display_meta_text.startswith("column")
    plain = found.text.isidentifier() and found.text.isascii()
    if is_name:
        text = found.text if plain else quote(found.text)
    else:
        text = "'" + found.text.replace("'", "''") + "'"
    return Completion(text, found.start_position, found.text, found.display_meta)


_SWITCHES = [("on", ""), ("off", "")]


def _arguments(command: str, rest: str) -> list[tuple[str, str]]:
    """What may stand after a command, where that is a closed list."""
    if command in (".mode", "\\T"):
        return [(name, "format") for name in render.FORMATS]
    if command in (".timer", "\\timing", ".review"):
        return _SWITCHES
    if command in (".help", "\\?"):
        return [(name.removeprefix("."), "command") for name in COMMANDS]
    if command == ".writer":
        return [(name, "writer") for name in ("auto", "offline", "openai")]
    if command == ".set" and " " not in rest:
        return [(name, "setting") for name in (*display.names(), *settings.names())]
    return []


def _names(tables: Router) -> Iterator[tuple[str, str]]:
    for entry in tables.catalog:
        yield entry.name, "table"
    seen: set[str] = set()
    for entry in tables.catalog:
        for column in entry.columns:
            if column.name not in seen:
                seen.add(column.name)
                yield column.name, f"column of {entry.name}"
    for entry in tables.catalog:
        for column in entry.columns:
            if len(column.source.texts) <= _VALUES_A_COLUMN:
                yield from ((text, f"in {column.name}") for text in column.source.texts)
