"""The REPL in a terminal: prompt_toolkit with completion, highlighting, history, multi-line SQL.

Reads lines and hands them to the session; knows nothing of what they mean.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from shutil import get_terminal_size

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from router.errors import EXIT_ANSWERED
from router.repl import Quit, Session
from router.repl_commands import COMMANDS
from router.router import Router
from router.version import version_text

_VALUES_A_COLUMN = 200
"""Distinct cells of a column that are offered; a column with more names things nobody types."""
_OFFERED = 50


def run_terminal(session: Session, *, quiet: bool = False) -> int:
    """Prompt until the user leaves; the exit code."""
    if not quiet:
        count = len(session.tables.tables())
        session.say(f"tabroute {version_text()} · {count} tables · .help")
    prompt: PromptSession[str] = PromptSession(
        history=_history(),
        completer=NameCompleter(session.tables),
        complete_while_typing=False,
        auto_suggest=AutoSuggestFromHistory(),
        enable_open_in_editor=True,
    )
    while True:
        try:
            session.width = get_terminal_size().columns
            session.feed(prompt.prompt(_prompt_text(session)))
        except KeyboardInterrupt:
            session.drop()
        except EOFError:
            return EXIT_ANSWERED
        except Quit as leaving:
            return leaving.code


def _prompt_text(session: Session) -> str:
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


class NameCompleter(Completer):
    """Completes commands, table names, column names and the cells of short columns."""

    def __init__(self, tables: Router) -> None:
        self._tables = tables
        self._catalog: object = None
        self._names: list[tuple[str, str]] = []

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        """What may follow the text before the cursor."""
        text = document.text_before_cursor
        if text.startswith((".", "\\")) and " " not in text:
            yield from _starting(text, ((name, "command") for name in COMMANDS), len(text))
            return
        word = document.get_word_before_cursor(WORD=True)
        if word:
            yield from _starting(word, self._known(), len(word))

    def _known(self) -> list[tuple[str, str]]:
        if self._catalog is not self._tables.catalog:
            self._catalog = self._tables.catalog
            self._names = list(_names(self._tables))
        return self._names


def _starting(word: str, known: Iterable[tuple[str, str]], length: int) -> Iterator[Completion]:
    folded, offered = word.casefold().lstrip("\"'"), 0
    for name, kind in known:
        if name.casefold().startswith(folded):
            yield Completion(name, start_position=-length, display_meta=kind)
            offered += 1
            if offered == _OFFERED:
                return


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
