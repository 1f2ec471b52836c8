"""The offline writer: reads a question as a tree over one table and writes it as SQL.

Takes an `SqlRequest`; gives a `Draft` whose confidence says how likely the reading is right, or
raises `CannotWrite` naming the words it could not place.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sql_engine.errors import CannotWrite
from sql_engine.offline.chosen import chosen_tables
from sql_engine.offline.columns import TableData, relation_data
from sql_engine.offline.confidence import confidence
from sql_engine.offline.denial import denied
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import column_kind, conditions_of
from sql_engine.offline.glossary_terms import with_terms
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.listed import with_names, with_rank, without_blanks
from sql_engine.offline.mentions import WHOLE_NAME, mentions
from sql_engine.offline.notes import notes
from sql_engine.offline.question import Question, read_question
from sql_engine.offline.ranker import package_weights
from sql_engine.offline.reading import reading
from sql_engine.offline.search import Reading, Search, with_whole_rows
from sql_engine.offline.sense import objection
from sql_engine.offline.to_sql import to_sql
from sql_engine.offline.tree import Agg, All, AnyOf, Arith, Col, In, NoneOf, Not, Values, Where
from sql_engine.value_index import text_stems
from sql_engine.words import name_words
from sql_engine.writer import Alternative, Draft, SqlRequest

MAX_TABLES = 6
MAX_NAMES = 5
"""More names than this share a word that is none of theirs."""
RIVAL = 0.1
"""The probability from which another reading is shown."""
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
        readings = Search(question, tables).readings()
        if not readings:
            raise CannotWrite(
                "no query over the loaded tables says this",
                unplaced=question.text_of(question.content),
                hint="Name a column or a value of a table.",
            )
        return _draft(question, readings, request.min_confidence)


def _draft(question: Question, readings: list[Reading], min_confidence: float) -> Draft:
    readings = with_whole_rows(readings)
    best, data = readings[0], relation_data(readings[0].relation)
    sure = confidence(readings, package_weights().confidence)
    sql = to_sql(best.tree, best.relation)
    said = reading(best.tree, best.relation)
    if sure < min_confidence:
        left = best.coverage.plain | best.coverage.restrictive
        raise CannotWrite(
            _reason(question, best, readings),
            unplaced=question.text_of(left),
            sql=sql,
            hint=f"Nearest reading: {said}",
        )
    tree = with_names(question, denied(question, best, data), data)
    tree = with_rank(question, without_blanks(tree, data), data)
    if tree != best.tree:
        best = replace(best, tree=tree, denotation=Evaluator(data).run(tree))
        sql, said = to_sql(tree, best.relation), reading(tree, best.relation)
    _check_noun(question, best, data)
    _check_names(question, best, data)
    _check_parts(question, best)
    _check_only(question, best, data)
    against = objection(best.tree, best.relation, data)
    if against:
        raise CannotWrite(against, sql=sql, hint="Ask for one of them, or for each of them apart.")
    scale = sure / best.probability
    others = tuple(_alternative(r, scale) for r in readings[1:4] if _offered(r))
    return Draft(sql, said, round(sure, 4), others, notes(question, best, data))


def _check_noun(question: Question, best: Reading, data: TableData) -> None:
    """A noun that names the rows and a column as well may count either. Raises CannotWrite."""
    tree = best.tree
    if question.of("distinct") or not isinstance(tree, Agg) or best.relation.joins:
        return
    found = mentions(question, best.relation.tables[0])
    counts = [t.last + 1 for t in question.of("count") if found.twofold >> (t.last + 1) & 1]
    if not counts or tree.fn not in ("count", "distinct"):
        return
    noun, run = question.words[counts[0]].text, Evaluator(data).run
    meant = (m.column for m in found.columns if m.mask >> counts[0] & 1 and m.score >= WHOLE_NAME)
    for column in meant:
        distinct = Agg("distinct", tree.rows, Col(column))
        if run(distinct) != run(Agg("count", tree.rows)):
            name = best.relation.name
            raise CannotWrite(
                f"{noun!r} may mean the rows of {name} or different values of a column",
                sql=to_sql(tree, best.relation),
                hint=f'Say "different {noun}" or "rows".',
            )


def _check_names(question: Question, best: Reading, data: TableData) -> None:
    """A part of a name that several have says of none which one is meant. Raises CannotWrite."""
    said = {word.stem for word in question.words}
    for cond in conditions_of(best.tree):
        cells = cond.cond if isinstance(cond, Not) else cond
        if not isinstance(cells, In) or not 1 < len(cells.texts) <= MAX_NAMES:
            continue
        who = column_kind(data.columns[cells.col.index]) in ("name", "person")
        if who and not any(set(text_stems(text)) <= said for text in cells.texts):
            raise CannotWrite(
                f"several are called so: {', '.join(cells.texts)}",
                sql=to_sql(best.tree, best.relation),
                hint="Say the whole name.",
            )


_VALUE = re.compile(r"\b(values?|worth)\b", re.IGNORECASE)


def _gives_pieces(best: Reading) -> bool:
    """Whether it gives how many pieces there are."""
    tree = best.tree
    cols = tree.cols if isinstance(tree, Values) else (tree.col,) if isinstance(tree, Agg) else ()
    names = [best.relation.names[col.index] for col in cols if col is not None]
    return any(set(name_words(name)) & lexicon().quantities for name in names)


_SIGNS = re.compile(r"(?<=\w)\s+([+×*]|plus|minus)\s+(?=\w)", re.IGNORECASE)


def _check_only(question: Question, best: Reading, data: TableData) -> None:
    """What only some groups are is said of all their rows. Raises CannotWrite where it differs."""
    tree, conds = best.tree, conditions_of(best.tree)
    said = any(word.folded == "only" for word in question.words[1:])
    if not said or not conds or not isinstance(tree, Values) or len(tree.cols) != 1:
        return
    key = tree.cols[0]
    if data.columns[key.index].encoded(key.facet).unique:
        return
    others = NoneOf(key, AnyOf(tuple(Not(cond) for cond in conds)))
    whole = replace(tree, rows=Where(All(), (*conds, others)), distinct=True)
    run = Evaluator(data).run
    if run(whole).key() != run(replace(tree, distinct=True)).key():
        raise CannotWrite(
            "'only' may be said of single rows or of all rows of a group, and the answers differ",
            sql=to_sql(tree, best.relation),
            hint="Say which is meant.",
        )


def _check_parts(question: Question, best: Reading) -> None:
    """Two counts, a sum of two columns, or the value of some pieces are no one number. Raises
    CannotWrite.
    """
    sign = _SIGNS.search(question.text) or (_gives_pieces(best) and _VALUE.search(question.text))
    twice = len(question.of("count")) > 1 and isinstance(best.tree, Agg)
    if (sign and not isinstance(best.tree, Arith)) or twice:
        what = f'"{sign[1]}"' if sign else "the second count"
        raise CannotWrite(
            f"this reading leaves out {what}: {reading(best.tree, best.relation)}",
            sql=to_sql(best.tree, best.relation),
            hint="Ask for one after the other.",
        )


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
    left = question.text_of(best.coverage.plain | best.coverage.restrictive)
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
