"""`Router`: holds the loaded tables and answers questions over them. The Python API.

State and its lock live here; what happens to a question is in `precedence.py` and `pipeline.py`.
A router may be used from many threads: each question works on the tables as they were when it was
asked.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from retrieval.context import small_table
from retrieval.errors import UnknownDocument
from retrieval.index import Index
from retrieval.progress import Progress, part, unseen
from retrieval.sources import Sources, differences, listed_paths
from retrieval.table import Document, LoadReport, ReadResult
from router import (
    choices,
    describe,
    follow_up,
    precedence,
    settings,
    store,
    summaries,
    tools,
    unspaced,
    writers,
)
from router.answer import Answer, Route
from router.choices import Choice, Choices
from router.errors import NothingLoaded, UnknownTable, UsageError, nearest
from router.evidence import Evidence, found_for, gather, in_full, narrowed
from router.intent import Decision, decide
from router.json_values import Json
from router.question import Asked, checked_question, undecorated
from router.review import Drafted, GivenDraft, StopAtDraft
from router.settings import Settings
from router.slips import put_right
from router.stoppable import StoppableDatabase
from router.wording import totals_left_out
from sql_engine import correct
from sql_engine.catalog import Catalog
from sql_engine.checks import is_empty, not_a_number
from sql_engine.database import Database
from sql_engine.glossary import Glossary
from sql_engine.guard import check
from sql_engine.pool import Cancellation
from sql_engine.question_cost import one_question
from sql_engine.result import Limits, Result
from sql_engine.told_joins import with_told_joins
from sql_engine.value_index import index_values
from sql_engine.verified import VerifiedQueries

if TYPE_CHECKING:
    from retrieval.hits import RowHits
    from sql_engine.writer import Draft, SqlWriter

_READ, _FOUND = 0.5, 0.65
"""The shares of a load that are done when its files are read, and when the words of its cells are
found as SQL compares them; indexing for look-ups takes the rest."""

WriterName = Literal["auto", "offline", "openai"]
Today = dt.date | Callable[[], dt.date] | None


@dataclass(frozen=True)
class _State:
    """What is loaded; replaced as a whole when documents come or go."""

    catalog: Catalog = field(default_factory=Catalog)
    names: tuple[str, ...] = ()
    """Documents, in the order they came."""


class Router:
    """Answers questions over the tables added to it.

    Example:
        >>> from router import Router
        >>> with Router(writer="offline") as tables:
        ...     report = tables.add([{"city": "Oslo", "sales": 3}, {"city": "Rome", "sales": 4}],
        ...                         name="sales")
        ...     tables.ask("What is the total sales?").value
        7
    """

    def __init__(
        self,
        writer: WriterName | SqlWriter = "auto",
        model: str | None = None,
        client: object | None = None,
        *,
        max_rows: int = settings.default("max_rows"),
        timeout_s: float = settings.default("timeout_s"),
        memory_limit: str = settings.default("memory_limit"),
        min_confidence: float = settings.default("min_confidence"),
        today: Today = None,
        **others: Any,
    ) -> None:
        """Make an empty router.

        Args:
            writer: "offline", "openai", "auto" (`openai` where a key or base URL is set, else
                `offline`), or an object that writes SQL.
            model: the language model's name.
            client: an `openai` client to use instead of one made from the environment.
            max_rows: rows of a result that are returned.
            timeout_s: seconds that one query may run.
            memory_limit: memory that one query may use, as DuckDB writes it.
            min_confidence: an answer below it is declined.
            today: the date, or a callable that gives it, that relative dates count from.
            others: further settings by name.

        Raises:
            UsageError: an unknown setting, or a value out of bounds.
        """
        named = writer if isinstance(writer, str) else settings.default("writer")
        self.settings = Settings().changed(
            writer=named,
            model=model,
            max_rows=max_rows,
            timeout_s=timeout_s,
            memory_limit=memory_limit,
            min_confidence=min_confidence,
            **others,
        )
        self._client = client
        self._today = today
        self._given_writer = None if isinstance(writer, str) else writer
        self._writer: SqlWriter | None = self._given_writer
        self._lock = threading.RLock()
        self._index = Index()
        self._state = _State()
        self._sources = Sources()
        self._opened: Database | None = None
        self._closed = False
        kept, told = self.settings.verified, self.settings.glossary
        self._verified = VerifiedQueries.read(Path(kept)) if kept else VerifiedQueries()
        self._glossary = Glossary.read(Path(told)) if told else Glossary()
        self._choices = Choices()

    # Loading

    def add(
        self,
        source: object,
        *,
        name: str | None = None,
        version: str | None = None,
        progress: Progress = unseen,
    ) -> LoadReport:
        """Read a source and load its tables; a document of the same name is replaced.

        Args:
            source: a file, folder or glob, or a list of them; a DataFrame, Arrow table, list of
                dicts, of rows or of lines.
            name: the document's name; else its path, relative to what was added.
            version: the document's version; else a hash of its content.
            progress: called with the share that is done, from 0 to 1, and what is being done.

        Returns:
            How each table was read, and what did not fit or was skipped.

        Raises:
            SourceError: nothing of the source could be read; what was loaded before stays.
        """
        from retrieval.reading import read_source

        if paths := listed_paths(source, name):
            reports = [
                self.add(path, name=called, version=version, progress=progress)
                for path, called in paths
            ]
            return reports[0].merged(reports[1:])
        reading, finding = part(progress, 0.0, _READ), part(progress, _READ, _FOUND)
        indexing = part(progress, _FOUND, 1.0)
        read = read_source(source, name=name, version=version, progress=reading)
        results = [self._summarised(result) for result in read]
        report = LoadReport().merged([_named(result) for result in results])
        for number, result in enumerate(results):
            finding(number / len(results), f"taking the words of {result.document.name}")
            for table in result.document.tables:
                index_values(table)
        with self._lock:
            for number, result in enumerate(results):
                indexing(number / len(results), f"indexing {result.document.name}")
                self._replace(result.document)
            if isinstance(source, (str, Path)) and version is None:
                documents = tuple(result.document.name for result in results)
                self._sources.note(str(source), name, documents, report.skipped)
        progress(1.0, "loaded")
        return report

    def refresh(self) -> LoadReport:
        """Read again the files and folders that changed since they were loaded.

        Returns:
            How they were read, with a warning for each header, row count or table that changed.

        Raises:
            SourceError: a changed source can no longer be read; what was loaded before stays.
        """
        with self._lock:
            before = {document.name: document for document in self._index.documents}
            changed = self._sources.changed()
            reports = [self.add(source.path, name=source.name) for source in changed]
            loaded = {name for report in reports for name in report.documents}
            for name in {name for source in changed for name in source.documents} - loaded:
                self.remove(name)
            after = {document.name: document for document in self._index.documents}
        told = tuple(
            f"{name}: {difference}"
            for name in sorted({name for s in changed for name in s.documents} | loaded)
            for difference in differences(before.get(name), after.get(name))
        )
        report = LoadReport().merged(reports)
        return replace(report, warnings=report.warnings + told)

    def remove(self, document: str) -> None:
        """Drop a document's tables, rows and paragraphs. Raises UnknownDocument."""
        with self._lock:
            if document not in self._state.names:
                close = nearest(document, self._state.names)
                raise UnknownDocument(
                    f'no document "{document}" is loaded',
                    hint=f"Loaded: {', '.join(close or self._state.names) or 'nothing'}.",
                )
            self._index.remove(document)
            self._sources.forget(document)
            names = tuple(n for n in self._state.names if n != document)
            catalog = self._state.catalog.without_document(document)
            self._state = _State(with_told_joins(catalog, self._glossary), names)

    def _summarised(self, result: ReadResult) -> ReadResult:
        """Without what the glossary forbids, and with what a language model says of its tables,
        where the writer has leave to ask one.
        """
        document = self._glossary.without_forbidden(result.document)
        told = self._glossary.unknown_in(result.document)
        if self._given_writer is not None:
            document, failed = summaries.summarised(document, self._given_writer)
            told += tuple(failed)
        report = replace(result.report, warnings=(*result.report.warnings, *told))
        return ReadResult(document, report)

    def _replace(self, document: Document) -> None:
        document = self._glossary.without_forbidden(document)
        others = self._state.catalog.without_document(document.name)
        catalog = with_told_joins(others.with_tables(document.tables), self._glossary)
        if document.name in self._state.names:
            self.remove(document.name)
        self._index.add(document)
        self._state = _State(catalog, (*self._state.names, document.name))

    # Asking

    @one_question()
    def ask(
        self,
        question: str,
        *,
        history: Sequence[object] | None = None,
        max_rows: int | None = None,
        route: Route | str | None = None,
        draft: Draft | None = None,
        cancellation: Cancellation | None = None,
    ) -> Answer:
        """Answer a question, or decline it with the reason.

        Args:
            question: plain words.
            history: earlier turns, oldest first: answers, or mappings with "question" and "sql".
                A follow-up ("and by month?") is read as a whole question.
            max_rows: rows returned; the router's own setting where None.
            route: take this route and no other; the question decides where None.
            draft: answer by this SQL, which a person approved, instead of writing any.
            cancellation: its `cancel` stops this question's queries from another thread.

        Raises:
            UsageError: no words in the question, nothing loaded, or no such route.
            SqlEngineError: a statement was refused, a limit exceeded, or a model failed.
        """
        started = time.perf_counter()
        asked_for = self._said(question)
        turns = follow_up.turns(history)
        ran = "Its SQL was reviewed before it ran."
        whole = self._resolve(self._in_english(asked_for), turns)
        if isinstance(whole, Answer):
            return replace(whole, question=asked_for, elapsed_ms=_since(started))
        if isinstance(whole, follow_up.Listing):
            draft, whole, ran = whole.draft, whole.question, follow_up.OF_THE_LAST
        whole, read = self._reworded(whole)
        asked = self._asked(whole, max_rows, cancellation, turns)
        if draft is not None:
            given = replace(asked, writer=GivenDraft(draft), min_confidence=0.0)
            answer = precedence.answer(given, asked_for, self._verified, Route.SQL)
            answer, decided = replace(answer, reason=ran), None
        else:
            answer = self._routed(asked, asked_for, route)
            decided = self._choices.decide(whole, answer, asked.catalog)
        if decided is not None and route is None:
            answer = choices.take(asked, answer, decided[0], decided[1].told())
        followed = whole != asked_for and not answer.declined
        unheeded = follow_up.left_out(turns) if followed else ()
        return replace(
            answer,
            question=asked_for,
            read_as=None if whole == asked_for else whole,
            warnings=(*unheeded, *answer.warnings, *read, *self._changed_since()),
            elapsed_ms=_since(started),
        )

    @one_question()
    def draft(self, question: str, *, history: Sequence[object] | None = None) -> Draft | None:
        """The SQL that would answer the question, not run: for a person to approve or edit.

        None where the question is answered without SQL, or declined.
        """
        turns = follow_up.turns(history)
        whole = self._resolve(self._in_english(self._said(question)), turns)
        if isinstance(whole, Answer):
            return None
        if isinstance(whole, follow_up.Listing):
            return whole.draft
        asked = self._asked(self._reworded(whole)[0], turns=turns)
        asked = replace(asked, writer=StopAtDraft(asked.writer))
        try:
            precedence.answer(asked, question, self._verified)
        except Drafted as stopped:
            return stopped.draft
        return None

    def _resolve(
        self, question: str, turns: tuple[follow_up.Turn, ...]
    ) -> str | Answer | follow_up.Listing:
        """A follow-up as the whole question that it means, over the tables that it or the last
        question may speak of.
        """
        if not turns:
            return question
        with self._lock:
            catalog = self._state.catalog
            spoken = (question, follow_up.base_of(turns).question)
            found = (each for text in spoken for each in found_for(text, self._index))
            near = narrowed(catalog, chain(follow_up.grounds(turns, catalog), found))
        return follow_up.resolve(question, turns, near)

    def _asked(
        self,
        question: str,
        max_rows: int | None = None,
        cancellation: Cancellation | None = None,
        turns: tuple[follow_up.Turn, ...] = (),
    ) -> Asked:
        """All that the routes may use, over what is loaded now."""
        state, evidence = self._gather(question)
        return Asked(
            question=question,
            catalog=state.catalog,
            evidence=evidence,
            writer=self._sql_writer(),
            database=StoppableDatabase(self._database(), cancellation or Cancellation()),
            limits=self._limits(max_rows, None),
            min_confidence=self.settings.min_confidence,
            today=self._date(),
            history=follow_up.examples(turns),
            examples=self._verified.similar(question, state.catalog),
            glossary=self._glossary,
        )

    def _routed(self, asked: Asked, as_asked: str, route: Route | str | None) -> Answer:
        if route is not None:
            return precedence.answer(asked, as_asked, self._verified, route)

        def part(one: str) -> Asked:
            examples = self._verified.similar(one, asked.catalog)
            return replace(asked, question=one, evidence=self._gather(one)[1], examples=examples)

        return precedence.in_parts(asked, as_asked, self._verified, part)

    def choose(
        self,
        answer: Answer,
        number: int,
        *,
        remember: bool = True,
        cancellation: Cancellation | None = None,
    ) -> Answer:
        """Take one of the readings that an answer offers in `alternatives`, counted from 1.

        Args:
            answer: an answer of this router.
            number: of the reading.
            remember: take the same reading when the question, or the same doubt about a column,
                comes again; such an answer says so, and `forget` undoes it.
            cancellation: as for `ask`.

        Raises:
            UsageError: the answer offers no reading of this number.
        """
        started = time.perf_counter()
        taken = choices.numbered(answer, number)
        whole = answer.read_as or answer.question
        asked = self._asked(whole, cancellation=cancellation)
        if remember:
            made = choices.choice_of(whole, answer, taken, asked.catalog)
            with self._lock:
                self._choices = self._choices.with_choice(made)
        chosen = choices.take(asked, answer, taken)
        return replace(
            chosen, question=answer.question, read_as=answer.read_as, elapsed_ms=_since(started)
        )

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The readings chosen so far, oldest first."""
        return self._choices.made

    def _changed_since(self) -> tuple[str, ...]:
        """A warning for each source that is no longer what was loaded."""
        with self._lock:
            changed = self._sources.seen_changed()
        return tuple(
            f"{source.path} changed since it was loaded; refresh() reads it again"
            for source in changed
        )

    async def ask_async(
        self, question: str, *, history: Sequence[object] | None = None, max_rows: int | None = None
    ) -> Answer:
        """`ask` in a thread, so that the event loop goes on; cancelling it stops its queries."""
        stop = Cancellation()
        try:
            return await asyncio.to_thread(
                self.ask, question, history=history, max_rows=max_rows, cancellation=stop
            )
        except asyncio.CancelledError:
            stop.cancel()
            raise

    def remember(self, question: str, sql: str) -> None:
        """Keep a confirmed pair: the same question is answered by it from now on, similar ones are
        drafted with it as an example. Raises Refused or InvalidQuery where it cannot be run.
        """
        check(sql, self._state.catalog)
        with self._lock:
            self._verified = self._verified.with_pair(checked_question(question), sql)
            self._write_verified()

    def forget(self, question: str) -> None:
        """Drop the confirmed pair and the choice of this question, where there are any."""
        with self._lock:
            self._choices = self._choices.without(question)
            self._verified = self._verified.without(question)
            self._write_verified()

    def _write_verified(self) -> None:
        if self.settings.verified is not None:
            self._verified.write(Path(self.settings.verified))

    def lookup(
        self,
        question: str,
        k: int | None = None,
        *,
        payload: Literal["row", "table", "near"] = "row",
    ) -> RowHits:
        """The rows that match best, with how many match as well. Raises UsageError.

        With the payload "table" come the tables of those rows as Markdown: whole where they are
        small, else the rows and columns that the question needs. With "near" they come where the
        best row is not exactly what is asked for.
        """
        if payload not in ("row", "table", "near"):
            raise UsageError(f'no payload "{payload}"', hint='It is "row", "table" or "near".')
        asked_for = checked_question(question)
        if k is not None and k < 1:
            raise UsageError(f"k is at least 1, not {k}")
        with self._lock:
            rows = k or self.settings.lookup_rows
            hits = self._index.search_rows(asked_for, k=rows)
            if not hits or hits[0].match == "near":
                hits = self._index.search_misspelt(asked_for, rows) or hits
            exact = bool(hits) and hits[0].match == "exact"
            if payload == "row" or (payload == "near" and exact):
                return hits
            found = {hit.table_id: self._index.table(hit.table_id) for hit in hits}
            whole = {name: text for name, table in found.items() if (text := small_table(table))}
            parts = {
                name: text
                for name, table in found.items()
                if name not in whole and (text := self._index.part_of_table(asked_for, table))
            }
        return replace(hits, tables=whole, parts=parts)

    def sql(
        self,
        query: str,
        *,
        max_rows: int | None = None,
        timeout_s: float | None = None,
        cancellation: Cancellation | None = None,
    ) -> Result:
        """Run one read-only query, through the same guard and limits as a written one.

        Raises:
            Refused: the statement may not run.
            InvalidQuery: it names what is not there, or does not parse.
            ExecutionError, LimitExceeded: the engine failed or was stopped.
        """
        limits = self._limits(max_rows, timeout_s)
        checked = check(query, self._state.catalog)
        result = self._database().execute(checked, limits, cancellation=cancellation)
        undefined = (problem.warning for problem in not_a_number(result))
        return replace(result, warnings=(*checked.notes, *undefined))

    def sql_warnings(
        self, query: str, result: Result, *, cancellation: Cancellation | None = None
    ) -> tuple[str, ...]:
        """What may be wrong with the result of a query although it ran: a compared value that the
        column does not hold, a join that repeats summed rows, a tie at the cut; and for one that is
        empty, that totals rows are left out.
        """
        checked, catalog = check(query, self._state.catalog), self._state.catalog
        database = StoppableDatabase(self._database(), cancellation or Cancellation())
        found = correct.doubts(checked, result, catalog, database)
        told = [*checked.notes, *(problem.warning for problem in found)]
        if is_empty(result):
            told += [line for entry in checked.tables for line in totals_left_out(entry.table)]
        return tuple(dict.fromkeys(told))

    def _said(self, question: str) -> str:
        """The words of a question. Raises UsageError where there are none."""
        return undecorated(checked_question(question), self._index.holds)

    def _in_english(self, question: str) -> str:
        """A question in a script without spaces in English, where the writer reads nothing else."""
        if not unspaced.is_unspaced(question) or self._sql_writer().knows_language:
            return question
        columns = {column.name for table in self._state.catalog for column in table.columns}
        return unspaced.reworded(question, columns, self._index.whole_cells) or question

    def _reworded(self, question: str) -> tuple[str, tuple[str, ...]]:
        """The question in the words of the glossary and of the tables, and what was read so."""
        told, read = self._glossary.rewrite(question)
        with self._lock:
            if not self._sql_writer().knows_language:
                told, slips = put_right(told, self._index.holds, self._state.catalog)
                read = (*read, *slips)
            spelt = in_full(told, self._index, self._state.catalog)
        full = (
            f'"{short}" is read as "{name}", as the tables spell it out'
            for short, name in spelt.read
        )
        return spelt.question, (*read, *full)

    def route(self, question: str) -> Decision:
        """How the question would be answered, without answering it."""
        asked_for = self._reworded(self._in_english(self._said(question)))[0]
        return self._decide(asked_for, self._gather(asked_for)[1])

    # What is loaded

    @property
    def catalog(self) -> Catalog:
        """The SQL tables."""
        return self._state.catalog

    @property
    def documents(self) -> tuple[str, ...]:
        """The loaded documents' names, in the order they came."""
        return self._state.names

    def tables(self) -> tuple[describe.TableEntry, ...]:
        """Every loaded table in short."""
        return describe.entries(self._state.catalog)

    def skipped(self) -> tuple[tuple[str, str], ...]:
        """The files of what was added that could not be read, each with the reason."""
        return self._sources.skipped

    def describe(self, name: str) -> describe.TableDescription:
        """One table in full: columns, types, units, samples, joins. Raises UnknownTable."""
        catalog = self._state.catalog
        entry = catalog.get(name) or catalog.by_id(name)
        if entry is None:
            known = [table.name for table in catalog]
            close = nearest(name, known)
            meant = f"Did you mean {' or '.join(close)}? " if close else ""
            shown = ", ".join(known[:20])
            raise UnknownTable(f'no table "{name}"', hint=f"{meant}Tables: {shown or 'none'}.")
        return describe.describe(entry, describe.joins(entry, catalog))

    # Tools

    def tools(self, style: tools.Style = "openai") -> list[dict[str, Any]]:
        """Tool definitions for a language model: "openai" (strict) or "mcp"."""
        return tools.definitions(style)

    def call_tool(
        self, name: str, arguments: object = None, *, cancellation: Cancellation | None = None
    ) -> dict[str, Json]:
        """Call a tool; a mistake comes back as `{"error": …}` that says what to send instead."""
        return tools.call(self, name, arguments, cancellation)

    # Life

    def save(self, folder: str | Path) -> None:
        """Write the whole state into a folder. Raises StateError."""
        with self._lock:
            store.save(Path(folder), self._index, self.settings)
            self._verified.write(Path(folder) / store.VERIFIED_FILE)
            self._choices.write(Path(folder) / store.CHOICES_FILE)
            self._sources.write(Path(folder) / store.SOURCES_FILE)

    @classmethod
    def open(cls, folder: str | Path, **options: Any) -> Router:
        """A router with a saved state; `options` are settings to change. Raises StateError."""
        index, kept = store.read(Path(folder))
        router = cls(**{**kept, **options})
        router._index = index
        catalog = Catalog()
        for document in index.documents:
            visible = router._glossary.without_forbidden(document)
            if any(
                new is not old for new, old in zip(visible.tables, document.tables, strict=True)
            ):
                index.remove(document.name)
                index.add(visible)
            catalog = catalog.with_tables(visible.tables)
        names = tuple(document.name for document in index.documents)
        router._state = _State(with_told_joins(catalog, router._glossary), names)
        router._choices = Choices.read(Path(folder) / store.CHOICES_FILE)
        router._sources = store.read_sources(Path(folder))
        if router.settings.verified is None:
            router._verified = VerifiedQueries.read(Path(folder) / store.VERIFIED_FILE)
        return router

    def configure(self, **values: Any) -> None:
        """Change settings by name. Raises UsageError."""
        changed = self.settings.changed(**values)
        with self._lock:
            self.settings = changed
            if {"writer", "model", "share"} & set(values):
                self._writer = None if "writer" in values else self._given_writer

    def close(self) -> None:
        """Stop the database; the router answers no more."""
        with self._lock:
            self._closed = True
            if self._opened is not None:
                self._opened.close()

    def warm(self) -> None:
        """Start the database's process now, so that it comes up while sources are read."""
        self._database()

    def __enter__(self) -> Router:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Steps

    def _gather(self, question: str) -> tuple[_State, Evidence]:
        """What is loaded now, and what of it bears on the question. Raises NothingLoaded."""
        with self._lock:
            state = self._state
            if not state.names:
                raise NothingLoaded(
                    "nothing is loaded yet",
                    hint="Add a file or folder first: tables.add(path).",
                )
            rows = self.settings.lookup_rows
            return state, gather(question, self._index, state.catalog, rows=rows)

    def _decide(self, question: str, evidence: Evidence) -> Decision:
        return decide(question, evidence, model=self._sql_writer().knows_language)

    def _database(self) -> Database:
        with self._lock:
            if self._closed:
                raise UsageError("the router is closed", hint="Make a new one or open a saved one.")
            if self._opened is None:
                self._opened = Database(memory_limit=self.settings.memory_limit)
            return self._opened

    def _limits(self, max_rows: int | None, timeout_s: float | None) -> Limits:
        return Limits(
            max_rows=self.settings.max_rows if max_rows is None else max_rows,
            timeout_s=self.settings.timeout_s if timeout_s is None else timeout_s,
            memory_limit=self.settings.memory_limit,
        )

    def _date(self) -> dt.date:
        if callable(self._today):
            return self._today()
        return self._today or dt.date.today()

    def _sql_writer(self) -> SqlWriter:
        with self._lock:
            if self._writer is None:
                self._writer = writers.make(self.settings, self._client)
            return self._writer


def _named(result: ReadResult) -> LoadReport:
    """A document's report, each warning with the document's name."""
    name, report = result.document.name, result.report
    return replace(report, warnings=tuple(f"{name}: {warning}" for warning in report.warnings))


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
