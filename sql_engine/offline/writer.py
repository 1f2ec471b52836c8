"""The offline writer: reads a question as a tree over one table and writes it as SQL.

Takes an `SqlRequest`; gives a `Draft` whose confidence says how likely the reading is right, or
raises `CannotWrite` naming the words it could not place.
"""

from __future__ import annotations

from dataclasses import replace

from sql_engine.errors import CannotWrite
from sql_engine.offline.chosen import chosen_tables
from sql_engine.offline.columns import relation_data
from sql_engine.offline.confidence import confidence
from sql_engine.offline.denial import denied
from sql_engine.offline.doubts import check
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.glossary_terms import with_terms
from sql_engine.offline.listed import (
    as_published,
    with_day,
    with_keys,
    with_label,
    with_names,
    with_rank,
    without_blanks,
)
from sql_engine.offline.mentions import mentions
from sql_engine.offline.notes import notes
from sql_engine.offline.prefixed import without_prefixes
from sql_engine.offline.question import Question, read_question
from sql_engine.offline.ranker import package_weights
from sql_engine.offline.reading import reading
from sql_engine.offline.repeated import each_once
from sql_engine.offline.rivals import rivals
from sql_engine.offline.search import Reading, Search, with_whole_rows
from sql_engine.offline.sense import whole_share
from sql_engine.offline.shown_whole import RIVAL, shown_whole
from sql_engine.offline.to_sql import to_sql
from sql_engine.offline.told_counts import as_told
from sql_engine.writer import Alternative, Draft, SqlRequest

MAX_TABLES = 6
DEFAULT_MIN_CONFIDENCE = 0.5
"""Below this an answer is declined, for every user and every benchmark alike."""


class OfflineWriter:
    """Writes SQL with no language model: deterministic, and says when it cannot."""

    name = "offline"
    max_attempts = 1
    knows_language = False

    def write(self, request: SqlRequest) -> Draft:
        """One draft, by the glossary's metrics and usual filters. Raises CannotWrite."""
        if not (request.glossary.metrics or request.glossary.filters):
            return self._write(request)
        return with_terms(request, self._write)

    def _write(self, request: SqlRequest) -> Draft:
        question = read_question(request.question, request.today)
        if not question.words:
            raise CannotWrite("the question has no words", hint="Ask about the loaded tables.")
        tables = chosen_tables(question, request.catalog.tables) or request.tables
        tables = (tables or request.catalog.tables)[:MAX_TABLES]
        denied_apart = without_prefixes(request.question, tables)
        if denied_apart != request.question:
            question = read_question(denied_apart, request.today)
        readings = Search(question, tables, told=request.catalog).readings()
        if not readings:
            raise CannotWrite(
                "no query over the loaded tables says this",
                unplaced=question.text_of(question.content),
                hint="Name a column or a value of a table.",
            )
        return _draft(question, readings, request.min_confidence)


def _draft(question: Question, readings: list[Reading], min_confidence: float) -> Draft:
    readings = shown_whole(with_whole_rows(readings, question), question)
    sure = confidence(readings, package_weights().confidence)
    if sure < min_confidence:
        raise _too_unsure(question, readings)
    best = settled(question, readings[0])
    data = relation_data(best.relation)
    scale = sure / best.probability
    others = tuple(_alternative(r, scale) for r in readings[1:4] if _offered(r))
    others += tuple(
        Alternative(reading(tree, best.relation), to_sql(tree, best.relation), round(sure, 4))
        for tree in rivals(question, best, data)
    )
    sql, said = to_sql(best.tree, best.relation), reading(best.tree, best.relation)
    return Draft(sql, said, round(sure, 4), others, notes(question, best, data))


def settled(question: Question, best: Reading) -> Reading:
    """The likeliest reading as it is answered: with what tells its rows apart, each thing once.

    Raises CannotWrite where a doubt stands against it.
    """
    data = relation_data(best.relation)
    tree = as_told(whole_share(denied(question, best, data), data), data)
    if not best.relation.composed:
        found = mentions(question, best.relation.tables[0])
        tree = with_day(question, with_label(question, found, tree, data), data)
    tree = with_keys(question, with_names(question, tree, data), data)
    tree = with_rank(question, without_blanks(tree, data), data)
    tree = as_published(each_once(question, tree, data), data)
    if tree != best.tree:
        best = replace(best, tree=tree, denotation=Evaluator(data).run(tree))
    check(question, best, data)
    return best


def _too_unsure(question: Question, readings: list[Reading]) -> CannotWrite:
    best = readings[0]
    left = _without_name(best)
    return CannotWrite(
        _reason(question, best, readings),
        unplaced=question.text_of(left),
        sql=to_sql(best.tree, best.relation),
        hint=f"Nearest reading: {reading(best.tree, best.relation)}",
    )


def _without_name(best: Reading) -> int:
    """Mask of the words that no name and no cell says: left out, or read by a name near to them."""
    return best.coverage.plain | best.coverage.restrictive | best.coverage.near


def _offered(other: Reading) -> bool:
    """Whether it is likely enough to be shown, and says all of the question as well."""
    coverage = other.coverage
    whole = not (coverage.plain or coverage.restrictive or coverage.unused)
    return whole and other.probability > RIVAL


def _alternative(other: Reading, scale: float) -> Alternative:
    """Another reading, its confidence on the scale of the first one's, so that they compare."""
    said, sql = reading(other.tree, other.relation), to_sql(other.tree, other.relation)
    return Alternative(said, sql, round(other.probability * scale, 4))


def _reason(question: Question, best: Reading, readings: list[Reading]) -> str:
    left = question.text_of(_without_name(best))
    if left:
        return "no column or value matches " + ", ".join(repr(word) for word in left)
    said = reading(best.tree, best.relation)
    rival = next((r for r in readings[1:] if _offered(r)), None)
    if rival is None:
        return f"this reading is too unsure: {said}"
    return (
        f"the question can be read in several ways: {said} "
        f"Or: {reading(rival.tree, rival.relation)}"
    )
