"""From a question to its readings: proposes trees, scores them, computes the best, merges equals.

Takes a question and tables; gives `Reading`s, most likely first. What the trainer learns from and
what the writer answers with come from here alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sql_engine.catalog import CatalogTable
from sql_engine.offline.columns import table_data
from sql_engine.offline.compose import Composer
from sql_engine.offline.coverage import Coverage, Coverer
from sql_engine.offline.evaluate import Denotation, Evaluator
from sql_engine.offline.features import QuestionFeatures
from sql_engine.offline.mentions import mentions
from sql_engine.offline.parts import Features
from sql_engine.offline.question import Question
from sql_engine.offline.ranker import Ranker, Weights, coverage_features, package_weights
from sql_engine.offline.tree import Grouped, Tree

MAX_EVALUATED = 60


@dataclass(frozen=True, slots=True)
class Proposal:
    """A tree over one table with its features and its score before it is computed."""

    tree: Tree
    table: CatalogTable
    features: Features
    coverage: Coverage
    score: float


@dataclass(frozen=True, slots=True)
class Computed:
    """A proposal with its result; the features are complete."""

    proposal: Proposal
    denotation: Denotation
    features: Features
    score: float


@dataclass(frozen=True)
class Reading:
    """What a question may mean, with its result and how likely it is."""

    tree: Tree
    table: CatalogTable
    score: float
    coverage: Coverage
    denotation: Denotation
    probability: float = 0.0


class Search:
    """The readings of one question over some tables."""

    def __init__(
        self, question: Question, tables: Sequence[CatalogTable], weights: Weights | None = None
    ) -> None:
        self._question = question
        self._tables = tables
        self._weights = weights or package_weights()
        self._about: dict[str, tuple[QuestionFeatures, Ranker]] = {}

    def features_of(self, table: CatalogTable) -> QuestionFeatures:
        """The question's features over one table."""
        return self._about[table.name][0]

    def proposals(self) -> list[Proposal]:
        """Trees over every table, each once, best first."""
        found = [proposal for table in self._tables for proposal in self._propose(table)]
        return sorted(found, key=lambda proposal: -proposal.score)

    def _propose(self, table: CatalogTable) -> list[Proposal]:
        found, data = mentions(self._question, table), table_data(table)
        coverer = Coverer(self._question, found)
        about = QuestionFeatures(self._question, found, data)
        ranker = Ranker(about, self._weights)
        self._about[table.name] = about, ranker
        best: dict[Tree, tuple[float, Features, Coverage]] = {}
        for candidate in Composer(self._question, found, data).candidates():
            coverage = coverer.of(candidate.mask)
            features = candidate.features + coverage_features(coverage)
            score = ranker.linear(features)
            held = best.get(candidate.node)
            if held is None or held[0] < score:
                best[candidate.node] = (score, features, coverage)
        proposals = []
        for tree, (score, features, coverage) in best.items():
            more = about.of(tree)
            total = score + ranker.linear(more) + ranker.lexical(tree)
            proposals.append(Proposal(tree, table, features + more, coverage, total))
        return proposals

    def computed(self, limit: int = MAX_EVALUATED) -> list[Computed]:
        """The best proposals with their results, best first."""
        evaluators = {t.name: Evaluator(table_data(t)) for t in self._tables}
        found = []
        for proposal in self.proposals()[:limit]:
            about, ranker = self._about[proposal.table.name]
            denotation = evaluators[proposal.table.name].run(proposal.tree)
            more = about.of_result(proposal.tree, denotation)
            score = proposal.score + ranker.linear(more)
            found.append(Computed(proposal, denotation, proposal.features + more, score))
        return sorted(found, key=lambda computed: -computed.score)

    def readings(self) -> list[Reading]:
        """The readings, most likely first; those that say the same as one."""
        return merged(self.computed())


def merged(found: Sequence[Computed]) -> list[Reading]:
    """Readings with their probability: that of all trees of one table with equal results."""
    if not found:
        return []
    top = max(c.score for c in found)
    mass = [math.exp(c.score - top) for c in found]
    groups: dict[tuple[object, ...], list[int]] = {}
    for i, computed in enumerate(found):
        groups.setdefault((computed.proposal.table.name, _meaning(computed)), []).append(i)
    readings = []
    for members in groups.values():
        best = found[max(members, key=lambda i: found[i].score)]
        share = sum(mass[i] for i in members) / sum(mass)
        proposal = best.proposal
        readings.append(
            Reading(
                proposal.tree,
                proposal.table,
                best.score,
                proposal.coverage,
                best.denotation,
                share,
            )
        )
    return sorted(readings, key=lambda r: -r.probability)


def _meaning(computed: Computed) -> tuple[object, ...]:
    """The result; of ranked groups the keys alone, shown with their measure or not."""
    tree, denotation = computed.proposal.tree, computed.denotation
    if isinstance(tree, Grouped) and tree.show and (tree.n or tree.having):
        keys = tuple(row[: len(tree.keys)] for row in denotation.rows)
        return replace(denotation, rows=keys).key()
    return denotation.key()
