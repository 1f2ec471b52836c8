"""The offline writer: reads a question as a tree over one table and writes it as SQL.

Takes an `SqlRequest`; gives a `Draft` whose confidence says how likely the reading is right, or
raises `CannotWrite` naming the words it could not place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sql_engine.catalog import CatalogTable
from sql_engine.errors import CannotWrite
from sql_engine.offline.answer_type import answer_features, result_features
from sql_engine.offline.columns import table_data
from sql_engine.offline.compose import Composer
from sql_engine.offline.coverage import Coverage, Coverer
from sql_engine.offline.evaluate import Denotation, Evaluator
from sql_engine.offline.mentions import Question, mentions, read_question
from sql_engine.offline.parts import Candidate
from sql_engine.offline.ranker import coverage_features, score
from sql_engine.offline.reading import reading
from sql_engine.offline.to_sql import to_sql
from sql_engine.offline.tree import Tree
from sql_engine.writer import Alternative, Draft, SqlRequest

MAX_TABLES = 6
MAX_EVALUATED = 40
DEFAULT_MIN_CONFIDENCE = 0.5
"""Below this an answer is declined, for every user and every benchmark alike."""


@dataclass(frozen=True)
class Reading:
    """A scored candidate over one table."""

    tree: Tree
    table: CatalogTable
    score: float
    coverage: Coverage
    denotation: Denotation
    probability: float = 0.0


class OfflineWriter:
    """Writes SQL with no language model: deterministic, and says when it cannot."""

    name = "offline"
    max_attempts = 1

    def write(self, request: SqlRequest) -> Draft:
        """One draft. Raises CannotWrite."""
        question = read_question(request.question, request.today)
        if not question.words:
            raise CannotWrite("the question has no words", hint="Ask about the loaded tables.")
        tables = (request.tables or request.catalog.tables)[:MAX_TABLES]
        readings = read(question, tables)
        if not readings:
            raise CannotWrite(
                "no query over the loaded tables says this",
                unplaced=question.text_of(question.content),
                hint="Name a column or a value of a table.",
            )
        return _draft(question, readings, request.min_confidence)


def read(question: Question, tables: Sequence[CatalogTable]) -> list[Reading]:
    """The readings of a question, most likely first; each denotation once."""
    scored = [item for table in tables for item in _scored(question, table)]
    scored.sort(key=lambda item: -item[0])
    evaluators = {id(t): Evaluator(table_data(t)) for t in tables}
    found: list[Reading] = []
    for total, candidate, table, coverage in scored[:MAX_EVALUATED]:
        denotation = evaluators[id(table)].run(candidate.node)
        total += score(result_features(candidate.node, denotation))
        found.append(Reading(candidate.node, table, total, coverage, denotation))
    return _merged(found)


Scored = tuple[float, Candidate, CatalogTable, Coverage]


def _scored(question: Question, table: CatalogTable) -> list[Scored]:
    found = mentions(question, table)
    coverer = Coverer(question, found)
    best: dict[Tree, Scored] = {}
    data = table_data(table)
    for candidate in Composer(question, found, data).candidates():
        coverage = coverer.of(candidate.mask)
        features = coverage_features(coverage)
        features += answer_features(question, candidate.node, data, found.rows)
        total = score(candidate.features + features)
        held = best.get(candidate.node)
        if held is None or held[0] < total:
            best[candidate.node] = (total, candidate, table, coverage)
    return list(best.values())


def _merged(found: list[Reading]) -> list[Reading]:
    """Readings with their probability; those of one table that give the same count as one."""
    if not found:
        return []
    top = max(r.score for r in found)
    mass = {id(r): math.exp(r.score - top) for r in found}
    whole = sum(mass.values())
    groups: dict[tuple[object, ...], list[Reading]] = {}
    for r in found:
        groups.setdefault((r.table.name, r.denotation.key()), []).append(r)
    merged = []
    for group in groups.values():
        best = max(group, key=lambda r: r.score)
        share = sum(mass[id(r)] for r in group) / whole
        merged.append(
            Reading(best.tree, best.table, best.score, best.coverage, best.denotation, share)
        )
    return sorted(merged, key=lambda r: -r.probability)


def _confidence(reading: Reading) -> float:
    """Probability of the reading, lowered by what it leaves out of the question."""
    coverage = reading.coverage
    if coverage.restrictive or coverage.unused:
        return 0.0
    kept = 0.35 ** coverage.plain.bit_count() * 0.97 ** coverage.light.bit_count()
    return reading.probability * kept


def _draft(question: Question, readings: list[Reading], min_confidence: float) -> Draft:
    best = readings[0]
    confidence = _confidence(best)
    sql = to_sql(best.tree, best.table)
    left = best.coverage.plain | best.coverage.restrictive
    said = reading(best.tree, best.table)
    if confidence < min_confidence:
        raise CannotWrite(
            _reason(question, best, readings),
            unplaced=question.text_of(left),
            sql=sql,
            hint=f"Nearest reading: {said}",
        )
    others = tuple(
        Alternative(reading(r.tree, r.table), to_sql(r.tree, r.table), round(_confidence(r), 4))
        for r in readings[1:4]
        if r.probability > 0.1
    )
    return Draft(sql, said, round(confidence, 4), others)


def _reason(question: Question, best: Reading, readings: list[Reading]) -> str:
    left = question.text_of(best.coverage.plain | best.coverage.restrictive)
    if left:
        return "no column or value matches " + ", ".join(repr(word) for word in left)
    if len(readings) > 1:
        two = readings[1]
        return (
            f"the question can be read in several ways: {reading(best.tree, best.table)} "
            f"Or: {reading(two.tree, two.table)}"
        )
    return "the reading is too unsure"
