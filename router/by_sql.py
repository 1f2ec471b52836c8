"""The sql route: one written, checked and executed query, with the rows that went into it.

Takes the question with its candidate tables; gives the answer with SQL, attempts, warnings, other
readings and citations. Gives nothing where the writer declines. A refused statement, a failing
model and an exceeded limit are errors, and raised.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from retrieval.hits import TableHit
from retrieval.table import NUMERIC, TEMPORAL
from router.answer import Answer, Citation, Reading, Route
from router.by_evidence import worded
from router.by_row import cite_rows
from router.coverage import stems_of, telling_stems
from router.cues import (
    asked_kind,
    asks_for_rows,
    asks_for_several,
    grouping,
    limits,
    operations,
)
from router.evidence import compounds, names_column, titles
from router.json_values import to_text
from router.named import tables_of
from router.question import Asked, Nothing
from router.twin_queries import over_twins
from router.twins import level, spoken_of
from router.wording import counted
from sql_engine import correct
from sql_engine.catalog import CatalogTable
from sql_engine.correct import SqlAnswer
from sql_engine.errors import CannotWrite, SqlEngineError
from sql_engine.guard import check
from sql_engine.links import Links
from sql_engine.provenance import provenance
from sql_engine.query import Query
from sql_engine.result import Result
from sql_engine.words import stem
from sql_engine.words import words as words_of
from sql_engine.writer import Alternative, SqlRequest

MAX_TABLES = 20
"""Candidates handed to the writer."""
MAX_CITED_ROWS = 20
"""More rows than this are cited by their filter."""
MAX_ALTERNATIVES = 3
AMBIGUOUS_MARGIN = 0.1
"""Two readings this near in confidence with different results are a question back."""


def answer(asked: Asked) -> Answer | Nothing:
    """The query's answer; nothing where the writer declines or two readings differ."""
    try:
        found = correct.answer(_request(asked), asked.writer, asked.database, limits=asked.limits)
    except CannotWrite as error:
        ambiguous = error.sql is not None and not error.unplaced
        return (_ambiguous(asked) if ambiguous else None) or _declined(error)
    literal = not asked.writer.knows_language
    if literal and asked.min_confidence and _looks_up_unnamed(asked, found):
        return Nothing("no column of that row is named in the question", sql=found.query.sql)
    if literal and asked.min_confidence and (words := _unheeded(asked, found)):
        return Nothing(words=words, sql=found.query.sql)
    if literal and asked.min_confidence and _of_another_kind(asked, found):
        return Nothing(_NO_SUCH_KIND, sql=found.query.sql)
    if literal and asked.min_confidence and _extreme_of_unnamed(asked.question, found):
        return Nothing(_WHICH_OF_TWO, sql=found.query.sql)
    if found.draft.confidence < asked.min_confidence:
        return Nothing("no reading of the question is certain enough", sql=found.draft.sql)
    answered = _assemble(asked, found)
    if literal and asked.min_confidence and not answered.declined:
        twins = _of_twins(asked, found)
        if twins:
            return _ask_which(answered, found, twins)
    if not literal and not answered.declined:
        answered = _beside_twins(asked, found, answered)
    return worded(asked, answered, found.result)


def _of_twins(asked: Asked, found: SqlAnswer) -> tuple[Reading, ...]:
    """What tables of the same shape say, where they account for the question as well.

    A table that has none of what is asked for adds nothing.
    """
    if len(found.query.tables) != 1:
        return ()
    read = {column.name for _, column in found.query.columns}
    twins = [
        entry
        for entry in level(asked, found.query.tables[0].table.table_id)
        if read <= {column.name for column in entry.columns}
    ]
    readings = []
    for twin in twins[:MAX_ALTERNATIVES]:
        request = replace(_request(asked), tables=(twin,), min_confidence=0.0)
        try:
            other = correct.answer(request, asked.writer, asked.database, limits=asked.limits)
        except CannotWrite:
            continue
        if other.result.rows and _single(other.result) != 0:
            readings.append(_reading(other))
    return tuple(readings)


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
    if error.unplaced:
        return Nothing(words=error.unplaced, sql=error.sql)
    return Nothing(_plain(str(error)), sql=error.sql)


def _looks_up_unnamed(asked: Asked, found: SqlAnswer) -> bool:
    """Whether a query reads cells of the one row that is named, in columns that are not."""
    row = asked.evidence.row
    if row is None or not row.key_named or row.cell is not None or asks_for_rows(asked.question):
        return False
    if _MEASURES.search(found.query.sql) and operations(asked.question):
        return False  # what is computed is no cell of one row
    table = asked.table(row.hit.table_id).table
    read = _sources(found)
    return bool(read) and not any(
        names_column(asked.question, table, row.hit, column) for _, column in read
    )


def _unheeded(asked: Asked, found: SqlAnswer) -> tuple[str, ...]:
    """Words of the question that leave rows out, and that the query does not heed.

    A query that lists every row leaves none out; one that steps to the row beside another gives one
    of the rows that "which concerts were after it" asks for.
    """
    sql, source = found.query.sql, provenance(found.query.sql)
    words = limits(asked.question, texts=_names(found))
    lists = source.rows_sql is not None and source.filter is None and not _MEASURES.search(sql)
    steps = _STEPS.search(sql) is not None and asks_for_several(asked.question)
    if lists or steps:
        return words or (_extremes(asked.question) if lists else ())
    return _compounds(asked, found) or _rates(asked, found) or _unused_cells(asked, found)


def _extremes(question: str) -> tuple[str, ...]:
    """The words of "which route had the longest delay", which no listing of all answers."""
    if not _WHICH.match(question.strip()):
        return ()
    cues = (cue.phrase for cue in operations(question) if cue.operator in _EXTREME_OF)
    return next(cues, ())


_WHICH = re.compile(r"(?:which|who)\b", re.IGNORECASE)
_EXTREME_OF = frozenset(["maximum", "minimum", "most", "least", "superlative"])


def _rates(asked: Asked, found: SqlAnswer) -> tuple[str, ...]:
    """The "per" of "value per crate", where a column of crates is a number of them, no group."""
    if "GROUP BY" not in found.query.sql:
        return ()
    counted = (
        column.name
        for entry in found.query.tables
        for column in entry.columns
        if column.kind in NUMERIC and column.name.casefold().endswith("s")
    )
    stems = stems_of(counted)
    phrase = grouping(asked.question, names=stems, texts=_names(found)) if stems else ()
    return phrase if phrase == ("per",) else ()


def _unused_cells(asked: Asked, found: SqlAnswer) -> tuple[str, ...]:
    """Cells that are left out because their word looks like the rows': "grants granted in 2023"."""
    said = words_of(asked.question)
    sql = found.query.sql.casefold()
    tables = {entry.name for entry in found.query.tables}
    for link in asked.evidence.links.values:
        word = link.span.text.casefold()
        same = [one for one in said if one.folded != word and one.stem == stem(word)]
        exact = word == link.value.casefold() and link.table in tables
        if exact and same and f"'{word}'" not in sql:
            return (link.span.text,)
    return ()


def _compounds(asked: Asked, found: SqlAnswer) -> tuple[str, ...]:
    """A "value" that no column given says."""
    return tuple(
        word
        for name, column in _sources(found)
        if (entry := asked.catalog.get(name)) is not None and column in entry.table.headers
        for word in compounds(asked.question, entry.table, column)
    )


def _sources(found: SqlAnswer) -> set[tuple[str, str]]:
    """Table and column of everything that a query gives."""
    return {s for output in found.query.lineage or () for s in output.sources or ()}


def _of_another_kind(asked: Asked, found: SqlAnswer) -> bool:
    """Whether numbers and dates alone are given where a person, place or reason is asked for."""
    if asked_kind(asked.question) in ("", "how long"):
        return False
    kinds = {
        column.kind
        for table, name in _sources(found)
        if (entry := asked.catalog.get(table)) and (column := entry.column(name))
    }
    return bool(kinds) and kinds <= NUMERIC | TEMPORAL


_NO_SUCH_KIND = "numbers and dates tell no person, place or reason"


def _extreme_of_unnamed(question: str, found: SqlAnswer) -> bool:
    """Whether "what is the cheapest pastry" is answered by a price: what has it may be meant."""
    if _EXTREME.match(found.query.sql) is None or not _THING.match(question.strip()):
        return False
    sources, asked = _sources(found), stems_of([question])
    return bool(sources) and not any(telling_stems(column) & asked for _, column in sources)


_EXTREME = re.compile(r"SELECT (?:MIN|MAX)\(")
_THING = re.compile(r"(?:what|which)\b", re.IGNORECASE)
_WHICH_OF_TWO = "it does not tell whether the amount is asked for or what has it"


def _names(found: SqlAnswer) -> Iterator[str]:
    return (name for entry in found.query.tables for name in titles(entry.table))


_MEASURES = re.compile(
    r"\b(?:GROUP BY|QUALIFY|HAVING|LIMIT)\b|\b(?:COUNT|SUM|AVG|MIN|MAX|MEDIAN)\("
)
"""What makes less than all rows of a table."""
_STEPS = re.compile(r"\b(?:LAG|LEAD)\(")


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
    outdone = {hit.table_id for hit in hits if any(_outdoes(other, hit) for other in hits)}
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
    readings = _readings(asked, found.draft.alternatives, result)
    differing = (r.confidence for r in readings if not _same_rows(r, result))
    rival = max(differing, default=0.0)
    answered = Answer(
        question=asked.question,
        route=Route.SQL,
        text=_text(found.draft.reading, result),
        value=_single(result),
        columns=result.columns,
        rows=list(result.rows),
        truncated=result.truncated,
        total_rows=result.total_rows,
        sql=query.sql,
        citations=_citations(asked, query),
        attempts=found.attempts,
        alternatives=readings,
        warnings=tuple(
            dict.fromkeys(
                (
                    *found.draft.notes,
                    *found.warnings,
                    *query.notes,
                    *_warnings(query, result),
                )
            )
        ),
        confidence=found.draft.confidence,
        usage=found.usage,
    )
    if readings and rival >= found.draft.confidence - AMBIGUOUS_MARGIN and asked.min_confidence:
        return _ask_back(answered, found)
    return answered


def _same_rows(other: Reading, main: Result) -> bool:
    """Whether one of two results only shows more columns of the same rows."""
    if other.truncated or main.truncated or len(other.rows) != len(main.rows):
        return False
    shared = [name for name in main.columns if name in other.columns]
    if len(shared) < min(len(main.columns), len(other.columns)):
        return False
    return _picked(main.columns, main.rows, shared) == _picked(other.columns, other.rows, shared)


def _picked(
    columns: tuple[str, ...], rows: Iterable[tuple[object, ...]], shared: list[str]
) -> Counter[str]:
    places = [columns.index(name) for name in shared]
    return Counter(repr([row[i] for i in places]) for row in rows)


def _ask_back(answered: Answer, found: SqlAnswer) -> Answer:
    """Two readings that differ: both are shown, none is given as the answer."""
    readings = (_reading(found), *answered.alternatives)
    told = "; or ".join(_plain(reading.reading) for reading in readings)
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
        alternatives=readings,
    )


def _reading(found: SqlAnswer) -> Reading:
    """An answered query as one reading among several."""
    return Reading(
        reading=found.draft.reading or "the first reading",
        sql=found.draft.sql,
        confidence=found.draft.confidence,
        columns=found.result.columns,
        rows=found.result.rows,
        value=_single(found.result),
        truncated=found.result.truncated,
    )


def _readings(
    asked: Asked, alternatives: tuple[Alternative, ...], main: Result
) -> tuple[Reading, ...]:
    """The other readings that run and whose result differs, most likely first."""
    found: list[Reading] = []
    seen = [main.rows]
    for alternative in sorted(alternatives, key=lambda a: -a.confidence)[:MAX_ALTERNATIVES]:
        try:
            query = check(alternative.sql, asked.catalog)
            result = asked.database.execute(query, asked.limits)
        except SqlEngineError:
            continue
        if result.rows in seen:
            continue
        seen.append(result.rows)
        found.append(
            Reading(
                reading=alternative.reading,
                sql=alternative.sql,
                confidence=alternative.confidence,
                columns=result.columns,
                rows=result.rows,
                value=_single(result),
                truncated=result.truncated,
            )
        )
    return tuple(found)


def _single(result: Result) -> object:
    """The one cell, where there is just one."""
    one = len(result.rows) == 1 and len(result.columns) == 1 and not result.truncated
    return result.rows[0][0] if one else None


def _text(reading: str, result: Result) -> str:
    told = f" ({_plain(reading)})" if reading else ""
    if not result.rows:
        return f"No row matches{told}."
    if len(result.rows) == 1 and len(result.columns) == 1:
        value = _shown(result.rows[0][0])
        return f"{'No value' if value is None else value}{told}"
    total = result.total_rows if result.total_rows is not None else len(result.rows)
    more = "more than " if result.truncated and result.total_rows is None else ""
    return f"{more}{counted(total)}{told}"


def _shown(value: object) -> str | None:
    """A cell as a person reads it: a computed number to four decimals, or as many digits."""
    if not isinstance(value, float) or not math.isfinite(value):
        return to_text(value)
    if 0 < abs(value) < 1:
        return f"{value:.4g}"
    return f"{value:.4f}".rstrip("0").removesuffix(".")


def _plain(sentence: str) -> str:
    return sentence.strip().rstrip(".")


def _citations(asked: Asked, query: Query) -> tuple[Citation, ...]:
    """The rows that went in where they are few, else each table with the filter."""
    source = provenance(query.sql, max_rows=MAX_CITED_ROWS)
    rows: list[int] | None = None
    if len(query.tables) == 1 and source.rows_sql is not None:
        rows = _cited_rows(asked, source.rows_sql)
    return tuple(
        replace(
            cite_rows(entry.table, rows or []),
            columns=tuple(c.name for table, c in query.columns if table.name == entry.name),
            filter=source.filter if rows is None and len(query.tables) == 1 else None,
        )
        for entry in query.tables
    )


def _cited_rows(asked: Asked, sql: str) -> list[int] | None:
    """Positions of the rows that went in; None where they are too many or cannot be told."""
    limits = replace(asked.limits, max_rows=MAX_CITED_ROWS + 1)
    try:
        result = asked.database.execute(check(sql, asked.catalog), limits)
    except SqlEngineError:
        return None
    if len(result.rows) > MAX_CITED_ROWS:
        return None
    return sorted(int(str(row[0])) for row in result.rows)


def _warnings(query: Query, result: Result) -> list[str]:
    """What the tables say of themselves that bears on this result."""
    found: list[str] = []
    for entry in query.tables:
        if count := len(entry.table.totals):
            rows = "1 totals row is" if count == 1 else f"{count} totals rows are"
            found.append(f"{rows} left out of {entry.table.title}")
        found += entry.table.warnings
    for _, column in query.columns:
        if not column.as_text:
            found += [f"{column.name}: {warning}" for warning in column.source.type.warnings]
    if result.truncated:
        of = f" of {result.total_rows:,}" if result.total_rows is not None else ""
        found.append(f"only the first {len(result.rows):,}{of} rows are shown")
    return found
