"""The sql route: one written, checked and executed query, with the rows that went into it.

Takes the question with its candidate tables; gives the answer with SQL, attempts, warnings, other
readings and citations. Gives nothing where the writer declines. A refused statement, a failing
model and an exceeded limit are errors, and raised.
"""

from __future__ import annotations

from dataclasses import replace

from retrieval.hits import TableHit
from router import readings, rivals
from router.answer import Answer, Citation, Reading, Route
from router.by_evidence import worded
from router.by_row import cite_rows
from router.coverage import stems_of
from router.named import tables_of
from router.no_value import empty_columns
from router.query_doubts import doubt
from router.question import Asked, Nothing
from router.question_forms import asks_of_all
from router.twin_queries import over_twins
from router.twins import spoken_of, twins_of
from router.wording import as_read, counted, totals_left_out
from sql_engine import correct
from sql_engine.catalog import CatalogTable
from sql_engine.correct import SqlAnswer
from sql_engine.errors import CannotWrite, ExecutionError, InvalidQuery, LimitExceeded, Refused
from sql_engine.guard import check
from sql_engine.links import Links
from sql_engine.output_units import units_of
from sql_engine.provenance import Provenance, fewest_rows, provenance
from sql_engine.query import Query
from sql_engine.result import Result
from sql_engine.writer import SqlRequest, Usage

MAX_TABLES = 20
"""Candidates handed to the writer."""
MAX_CITED_ROWS = 20
"""More rows than this are cited by their filter."""
_OF_ALL = "whether it holds for all of them is not told by those for which it does"
NAMED_UNITS = 3
"""Columns of one unit that are named; more are counted."""
MAX_TWINS = 3
NAMED = 0.8
"""How well words must name a column for its table to be a candidate whatever others hold."""


def answer(asked: Asked) -> Answer | Nothing:
    """The query's answer; nothing where the writer declines or two readings differ."""
    literal = not asked.writer.knows_language
    if literal and asked.min_confidence and asks_of_all(asked.question):
        return Nothing(_OF_ALL)
    try:
        found = correct.answer(_request(asked), asked.writer, asked.database, limits=asked.limits)
    except CannotWrite as error:
        ambiguous = error.sql is not None and not error.unplaced
        return (_ambiguous(asked) if ambiguous else None) or _declined(error)
    doubted = doubt(asked, found) if literal and asked.min_confidence else None
    if doubted is not None:
        return doubted
    if found.draft.confidence < asked.min_confidence:
        return _unsure(asked, found)
    answered = _assemble(asked, found)
    if literal and asked.min_confidence and not answered.declined:
        twins = _of_twins(asked, found)
        if twins:
            return _ask_which(answered, found, twins)
    if not literal and not answered.declined:
        answered = _beside_twins(asked, found, answered)
    return worded(asked, answered, found.result)


def _unsure(asked: Asked, found: SqlAnswer) -> Answer | Nothing:
    """Drafts that a vote left without a majority, as readings to choose from; else nothing."""
    doubtful = _assemble(asked, found)
    if asked.writer.knows_language and doubtful.alternatives:
        return doubtful if doubtful.declined else _ask_back(doubtful, found)
    why = "no reading of the question is certain enough"
    return Nothing(why, sql=found.draft.sql, usage=found.usage)


def _of_twins(asked: Asked, found: SqlAnswer) -> tuple[Reading, ...]:
    """What tables of the same shape say, where they account for the question as well.

    A table that has none of what is asked for adds nothing.
    """
    given = []
    for twin in twins_of(asked, found.query)[:MAX_TWINS]:
        request = replace(_request(asked), tables=(twin,), min_confidence=0.0)
        try:
            other = correct.answer(request, asked.writer, asked.database, limits=asked.limits)
        except CannotWrite:
            continue
        if other.result.rows and readings.single(other.result) != 0:
            given.append(_reading(other))
    return tuple(given)


def _beside_twins(asked: Asked, found: SqlAnswer, answered: Answer) -> Answer:
    """A model's answer with what its query says over tables of the same shape."""
    others = over_twins(asked, found)
    told = tuple(
        f'"{twin.name}" has the same columns and fits the question as well: '
        "its answer is another one (see the alternatives)"
        for twin, _ in others
    )
    return replace(
        answered,
        alternatives=(*answered.alternatives, *(reading for _, reading in others)),
        warnings=(*answered.warnings, *told),
    )


def _ask_which(answered: Answer, found: SqlAnswer, twins: tuple[Reading, ...]) -> Answer:
    asked_back = _ask_back(replace(answered, alternatives=twins), found)
    return replace(asked_back, text="Tables of the same shape answer this: say which is meant.")


def _ambiguous(asked: Asked) -> Answer | None:
    """Every word has its place in more than one reading: all are run, and none is preferred."""
    request = replace(_request(asked), min_confidence=0.0)
    try:
        found = correct.answer(request, asked.writer, asked.database, limits=asked.limits)
    except CannotWrite:
        return None
    answered = _assemble(asked, found)
    if answered.route is Route.DECLINED:
        return answered
    return _ask_back(answered, found) if answered.alternatives else None


def _declined(error: CannotWrite) -> Nothing:
    usage = error.usage or Usage()
    if error.unplaced:
        return Nothing(words=error.unplaced, sql=error.sql, usage=usage)
    return Nothing(_plain(str(error)), sql=error.sql, usage=usage)


def _request(asked: Asked) -> SqlRequest:
    return SqlRequest(
        question=asked.question,
        catalog=asked.catalog,
        tables=candidates(asked),
        links=asked.evidence.links,
        today=asked.today,
        history=asked.history,
        examples=asked.examples,
        glossary=asked.glossary,
        min_confidence=asked.min_confidence,
    )


def candidates(asked: Asked) -> tuple[CatalogTable, ...]:
    """Tables the question may be about, best first: found by words, by links, then the rest."""
    hits = asked.evidence.tables
    spelt = {link.table for link in asked.evidence.links.columns if link.score >= NAMED}
    outdone = {hit.table_id for hit in hits if any(_outdoes(other, hit) for other in hits)}
    outdone -= {hit.table_id for hit in hits if hit.table in spelt}
    found = [asked.catalog.by_id(hit.table_id) for hit in hits]
    found += [asked.catalog.get(name) for name in tables_of(asked.evidence.links)]
    ranked = {entry.name: entry for entry in found if entry is not None}
    if len(asked.catalog) <= MAX_TABLES or not ranked:
        ranked |= {entry.name: entry for entry in asked.catalog if entry.name not in ranked}
    said = stems_of([asked.question])
    whole = {entry.name for entry in ranked.values() if stems_of([entry.name]) <= said}
    partly = _named_in_part(asked.evidence.links) - whole if whole else set()
    kept = [
        entry
        for entry in ranked.values()
        if entry.name in whole or not (entry.table.table_id in outdone or entry.name in partly)
    ]
    return spoken_of(asked, kept[:MAX_TABLES])


def _named_in_part(links: Links) -> set[str]:
    """Tables of which the question has words of the name, and no column and no cell."""
    used = {link.table for link in links.columns} | {link.table for link in links.values}
    return {link.table for link in links.tables} - used


def _outdoes(one: TableHit, other: TableHit) -> bool:
    """Whether a table has every word of the question that the other has, and more in its headers.

    The other then adds nothing to an answer but another, poorer reading.
    """
    header, lesser = set(one.coverage.header_words), set(other.coverage.header_words)
    had = lesser | set(other.coverage.cell_words)
    return header > lesser and header | set(one.coverage.cell_words) > had


def _assemble(asked: Asked, found: SqlAnswer) -> Answer:
    result, query = found.result, found.query
    others = rivals.beside(asked, found)
    answered = Answer(
        question=asked.question,
        route=Route.SQL,
        text=_text(found.draft.reading, result, units_of(query)),
        value=readings.single(result),
        columns=result.columns,
        rows=list(result.rows),
        truncated=result.truncated,
        total_rows=result.total_rows,
        sql=query.sql,
        citations=_citations(asked, found),
        attempts=found.attempts,
        alternatives=others,
        warnings=_warnings(found),
        confidence=found.draft.confidence,
        usage=found.usage,
    )
    if not result.rows and (empty := empty_columns(asked, query.sql)):
        told = f"No value: the rows that fit have none in {' and '.join(empty)}."
        answered = replace(answered, text=told)
    near = found.draft.confidence - rivals.AMBIGUOUS_MARGIN
    differ = any(r.confidence >= near and not readings.same_rows(r, result) for r in others)
    return _ask_back(answered, found) if differ and asked.min_confidence else answered


def _ask_back(answered: Answer, found: SqlAnswer) -> Answer:
    """Two readings that differ: both are shown, none is given as the answer."""
    offered = (_reading(found), *answered.alternatives)
    told = "; or ".join(_plain(reading.reading) for reading in offered)
    return replace(
        answered,
        route=Route.DECLINED,
        text=f"The question can be read in more than one way, and the answers differ: {told}.",
        value=None,
        columns=(),
        rows=[],
        truncated=False,
        total_rows=None,
        citations=(),
        alternatives=offered,
    )


def _reading(found: SqlAnswer) -> Reading:
    """An answered query as one reading among several."""
    said, draft = found.draft.reading or "the first reading", found.draft
    return readings.of_result(said, draft.sql, draft.confidence, found.result)


def _text(reading: str, result: Result, units: tuple[str | None, ...]) -> str:
    told = f" ({_plain(reading)})" if reading else ""
    if not result.rows:
        return f"No row matches{told}."
    if len(result.rows) == 1 and len(result.columns) == 1:
        value = as_read(result.rows[0][0])
        unit = f" {units[0]}" if units and units[0] else ""
        return f"{'No value' if value is None else value + unit}{told}"
    if of := _in_units(result, units):
        told = f"{told.removesuffix(')')}; {of})" if told else f" ({of})"
    total = result.total_rows if result.total_rows is not None else len(result.rows)
    more = "more than " if result.truncated and result.total_rows is None else ""
    return f"{more}{counted(total)}{told}"


def _in_units(result: Result, units: tuple[str | None, ...]) -> str:
    """The units of computed columns that their names do not tell."""
    named = zip(result.columns, units, strict=False)
    found: dict[str, list[str]] = {}
    for name, unit in named:
        if unit and unit not in name:
            found.setdefault(unit, []).append(name)
    return ", ".join(
        f"{len(names)} columns in {unit}" if len(names) > NAMED_UNITS else f"{name} in {unit}"
        for unit, names in found.items()
        for name in (names[:1] if len(names) > NAMED_UNITS else names)
    )


def _plain(sentence: str) -> str:
    return sentence.strip().rstrip(".")


def _citations(asked: Asked, found: SqlAnswer) -> tuple[Citation, ...]:
    """The rows that went in where they are few, else each table with the filter."""
    query = found.query
    source = provenance(query.sql, max_rows=MAX_CITED_ROWS)
    rows: list[int] | None = None
    if source.rows_sql is not None and not _are_many(found, source):
        rows = _cited_rows(asked, source.rows_sql)
    return tuple(
        replace(
            cite_rows(entry.table, rows or []),
            columns=tuple(c.name for table, c in query.columns if table.name == entry.name),
            filter=source.filter if rows is None and len(query.tables) == 1 else None,
        )
        for entry in query.tables
    )


def _are_many(found: SqlAnswer, source: Provenance) -> bool:
    """Whether it is plain, without looking for them, that too many rows went in to be cited."""
    if len(found.query.tables) != 1:
        return True
    if source.aggregated:
        return fewest_rows(source, found.query.tables[0]) > MAX_CITED_ROWS
    return (found.result.total_rows or 0) > MAX_CITED_ROWS


def _cited_rows(asked: Asked, sql: str) -> list[int] | None:
    """Positions of the rows that went in; None where they are too many or cannot be told."""
    limits = replace(asked.limits, max_rows=MAX_CITED_ROWS + 1)
    try:
        result = asked.database.execute(check(sql, asked.catalog), limits)
    except (ExecutionError, InvalidQuery, LimitExceeded, Refused):
        return None
    if len(result.rows) > MAX_CITED_ROWS:
        return None
    return sorted(int(str(row[0])) for row in result.rows)


def _warnings(found: SqlAnswer) -> tuple[str, ...]:
    """What the writer, the checks, the guard and the tables say of this result, each once."""
    own = (*found.draft.notes, *found.warnings, *found.query.notes)
    return tuple(dict.fromkeys((*own, *_of_tables(found.query, found.result))))


def _of_tables(query: Query, result: Result) -> list[str]:
    """What the tables say of themselves that bears on this result."""
    found: list[str] = []
    for entry in query.tables:
        found += [*totals_left_out(entry.table), *entry.table.warnings]
    for _, column in query.columns:
        if not column.as_text:
            found += [f"{column.name}: {warning}" for warning in column.source.type.warnings]
    if result.truncated:
        of = f" of {result.total_rows:,}" if result.total_rows is not None else ""
        found.append(f"only the first {len(result.rows):,}{of} rows are shown")
    return found
