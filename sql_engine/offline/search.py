"""From a question to its readings: proposes trees, scores them, computes the best, merges equals.

Takes a question and tables; gives `Reading`s, most likely first. What the trainer learns from and
what the writer answers with come from here alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

import retrieval.vectors as vectors
from sql_engine.catalog import Catalog, CatalogTable
from sql_engine.join_graph import JoinGraph
from sql_engine.offline.columns import relation_data
from sql_engine.offline.compose import Composer
from sql_engine.offline.coverage import Coverage, Coverer
from sql_engine.offline.deed_roles import DeedRoles
from sql_engine.offline.elapsed import elapsed, elapsed_mentions
from sql_engine.offline.evaluate import Denotation, Evaluator
from sql_engine.offline.features import (
    QuestionFeatures,
    column_kind,
    columns_of,
    question_word,
    tags,
)
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions, mentions
from sql_engine.offline.namesakes import apart, by_key
from sql_engine.offline.near_words import with_near_words
from sql_engine.offline.other_tables import OtherTables, is_dated, told_apart, words_placed
from sql_engine.offline.parts import Features
from sql_engine.offline.pointing import in_all, pointing, with_none
from sql_engine.offline.question import Question
from sql_engine.offline.ranker import Ranker, Weights, coverage_features, package_weights
from sql_engine.offline.relation import Pointing, Relation, join_graph, joined
from sql_engine.offline.relation_mentions import combined, takes_part
from sql_engine.offline.standing import LIKELY, standing
from sql_engine.offline.tree import (
    All,
    Arith,
    Cond,
    Grouped,
    Holds,
    Rows,
    Slice,
    Tally,
    Top,
    Tree,
    Values,
    Where,
)
from sql_engine.offline.which_table import Keys, TableChoice

MAX_EVALUATED = 60
BUDGET, FEWEST = 3_000_000, 8
"""Rows looked at for one question: over large tables fewer trees are computed, but at least 8."""
GENERIC = 0.5
"""How well "records" or "items" say of which table they are."""
MAX_SINGLE = 5
MAX_SEVERAL = 5
"""Relations of one table, and of several, that are tried."""
MAX_COUNTING = 4
"""Relations with the rows of another table counted that are tried."""
LEAVES_OUT = 1_000_000
"""More than the empty cells that a result may have."""
_COMPARED = Arith | Holds | Tally
"""Trees over two sets of rows."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A tree over a relation with its features and its score before it is computed."""

    tree: Tree
    relation: Relation
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
    relation: Relation
    score: float
    coverage: Coverage
    denotation: Denotation
    probability: float
    features: Features
    told: Mapping[str, float]
    """All that the confidence judges by: the features, and the standing among the others."""


class Search:
    """The readings of one question over some tables."""

    def __init__(
        self,
        question: Question,
        tables: Sequence[CatalogTable],
        weights: Weights | None = None,
        told: Catalog | None = None,
        near: int = 0,
    ) -> None:
        """Prepare.

        Args:
            question: as read.
            tables: those that the answer may stand in.
            weights: of the ranker; the package's own where None.
            told: a catalog with joins that are told or ruled out; none where None.
            near: mask of the words that are read by the names nearest in meaning.
        """
        self._question = question
        self._tables = tables
        self._catalog = (told or Catalog()).of(tables)
        self._weights = weights or package_weights()
        found = {table.name: mentions(question, table) for table in tables}
        found = told_apart(found, alone=len(told or tables) == 1)
        self._found = with_near_words(question, tables, found, near) if near else found
        self._told, self._near = told, near
        self._others = OtherTables(question, tables, self._found, self._catalog)
        self._roles = DeedRoles(question, self._found, join_graph(self._catalog))
        self._about: dict[Relation, tuple[QuestionFeatures, Ranker]] = {}

    def features_of(self, relation: Relation) -> QuestionFeatures:
        """The question's features over one relation."""
        return self._about[relation][0]

    def relations(self) -> list[Relation]:
        """Where the answer may stand: the tables, and joins of those that the question names."""
        single = [Relation((table,)) for table in self._tables]
        if len(single) == 1:
            return single + self._lasting(single)
        single.sort(key=lambda relation: -self._evidence(relation).bit_count())
        graph = join_graph(self._catalog)
        several = [r for r in joined(self._tables, graph) if self._adds(r)]
        several.sort(key=lambda r: (-self._evidence(r).bit_count(), len(r.tables)))
        single, several = single[:MAX_SINGLE], several[:MAX_SEVERAL]
        return single + several + self._counting(single, several, graph) + self._lasting(single)

    def _lasting(self, single: list[Relation]) -> list[Relation]:
        """Relations that show beside their rows how long these took."""
        found = []
        for relation in single:
            table = relation.tables[0]
            if (lasting := elapsed(self._question, table, self._found[table.name])) is not None:
                found.append(replace(relation, elapsed=lasting))
        return found

    def _counting(
        self, single: list[Relation], several: list[Relation], graph: JoinGraph
    ) -> list[Relation]:
        """Relations beside whose rows the rows of another named table are counted."""
        found = []
        for relation in single[:MAX_SINGLE]:
            first = relation.tables[0]
            if not self._found[first.name].table_words and not self._table_evidence(first.name):
                continue
            for each in pointing(first, self._tables, graph):
                words = self._counted_words(each) & ~self._of_size
                if words & ~self._found[first.name].table_words:
                    found.append(replace(relation, counted=each))
        return found[:MAX_COUNTING]

    def _counted_words(self, pointing: Pointing) -> int:
        """Mask of the words for what is counted: its noun, or a verb that is denied."""
        named = self._found[pointing.named.name]
        return named.table_words | (named.undone if pointing.named is pointing.table else 0)

    @cached_property
    def _of_size(self) -> int:
        """Mask of the single things that are largest or smallest: "the biggest city"."""
        mask = 0
        for trigger in self._question.of("superlative", "maximum", "minimum"):
            at = trigger.last + 1
            if at < len(self._question.words) and not self._question.words[at].folded.endswith("s"):
                mask |= 1 << at
        return mask

    def _evidence(self, relation: Relation) -> int:
        """Mask of the words that the relation's tables explain."""
        mask = 0
        for table in relation.tables:
            mask |= self._table_evidence(table.name)
        return mask

    def _table_evidence(self, name: str) -> int:
        return words_placed(self._found[name]) & self._question.content

    def _accounts(self, relation: Relation) -> float:
        """How much of the question's words the relation's tables account for, in words."""
        tables = relation.tables
        tables += (relation.counted.named,) if relation.counted else ()
        found = [self._weights_of_words[table.name] for table in tables]
        return float(sum(max(weights) for weights in zip(*found, strict=True)))

    @cached_property
    def _most_accounted(self) -> float:
        return max(self._accounts(Relation((table,))) for table in self._tables)

    @cached_property
    def _weights_of_words(self) -> dict[str, list[float]]:
        """For each table, how well it accounts for each word: 1 where a name or cell says it."""
        return {name: self._word_weights(found) for name, found in self._found.items()}

    def _word_weights(self, found: Mentions) -> list[float]:
        words, function = self._question.words, self._question.function
        told = [(m.mask, m.score) for m in found.columns]
        told += [(m.mask, m.score if m.exact else m.score / 2) for m in found.values]
        told.append((found.table_words, 1.0))
        generic = lexicon().rows | lexicon().people
        weights = []
        for i, word in enumerate(words):
            weight = max((score for mask, score in told if mask >> i & 1), default=0.0)
            if found.rows >> i & 1:
                weight = max(weight, GENERIC if word.stem in generic else 1.0)
            weights.append(0.0 if function >> i & 1 else weight)
        return weights

    @cached_property
    def _keys(self) -> Keys:
        return Keys(self._tables, self._found)

    def _adds(self, relation: Relation) -> bool:
        """Whether the last table explains a word, or is a name, that the others do not."""
        *others, last = relation.tables
        known = self._evidence(Relation(tuple(others)))
        inner = {join.left for join in relation.joins}
        if len(relation.tables) == 3 and 1 not in inner:
            second = self._table_evidence(relation.tables[1].name)
            rest = self._table_evidence(others[0].name) | self._table_evidence(last.name)
            if not second & ~rest:
                return False
        return bool(
            self._table_evidence(last.name) & ~known
            or self._found[last.name].table_words
            or takes_part(self._question, self._found[others[0].name], self._found[last.name])
        )

    def proposals(self) -> list[Proposal]:
        """Trees over every relation, each once, best first."""
        relations = self.relations()
        counting = [relation for relation in reversed(relations) if relation.counted]
        found = [p for relation in relations for p in self._propose(relation, counting)]
        return sorted(found, key=lambda proposal: -proposal.score)

    def _propose(self, relation: Relation, counting: Sequence[Relation]) -> list[Proposal]:
        found = self._mentions(relation)
        data = relation_data(relation)
        coverer = Coverer(self._question, found, self._others.told_beside(relation) & ~found.deeds)
        about = QuestionFeatures(self._question, found, data)
        ranker = Ranker(about, self._weights)
        self._about[relation] = about, ranker
        size: Features = (("joined_tables", float(len(relation.joins))),)
        if relation.counted is not None:
            size += (("counts_pointing", 1.0),)
        size += (("table_accounts", self._accounts(relation) - self._most_accounted),)
        choice = None
        if len(self._tables) > 1:
            choice = TableChoice(self._question, relation, data, self._found, self._keys)
            size += choice.of_relation
        if found.table_words:
            size += (("table_named", 1.0),)
        best: dict[Tree, tuple[float, Features, Coverage]] = {}
        dates = self._others.dates_of_others(relation, found)
        for candidate in Composer(self._question, found, relation, data).candidates():
            coverage = coverer.of(candidate.mask)
            if dates and dates & columns_of(candidate.node):
                if relation.counted and is_dated(relation.counted.table):
                    continue  # "with shifts in June" is of the shifts' days
                coverage = replace(coverage, plain=coverage.plain | coverage.light, light=0)
            features = candidate.features + coverage_features(coverage) + size
            score = ranker.linear(features)
            held = best.get(candidate.node)
            if held is None or held[0] < score:
                best[candidate.node] = (score, features, coverage)
        proposals = []
        for tree, (score, features, coverage) in best.items():
            meant = with_none(tree, relation, counting)
            if meant is None or self._roles.misses(relation, tree):
                continue
            if self._others.joins_needlessly(relation, tree):
                continue
            if self._others.lists_others(relation, tree):
                continue
            if choice and choice.told_elsewhere(tree):
                continue
            said = ranker.lexical(tree)
            more = (*about.of(tree), *said, *(choice.of(tree) if choice else ()))
            total = score + ranker.linear(more) + sum(value for _, value in said)
            whole = in_all(self._question, apart(*meant), meant[1])
            proposal = Proposal(whole, meant[1], features + more, coverage, total)
            proposals.append(proposal)
        return proposals

    def _mentions(self, relation: Relation) -> Mentions:
        found = [self._found[table.name] for table in relation.tables]
        if not relation.composed:
            return found[0]
        if relation.elapsed is not None:
            return elapsed_mentions(self._question, found[0], relation)
        counted = relation.counted
        named = self._counted_words(counted) if counted else 0
        done = self._found[counted.table.name].deeds if counted else 0
        return combined(self._question, relation, found, named & ~found[0].table_words, done)

    def computed(self, limit: int = MAX_EVALUATED) -> list[Computed]:
        """The best proposals with their results, best first."""
        evaluators: dict[Relation, Evaluator] = {}
        found = []
        largest = max((table.row_count for table in self._tables), default=0)
        limit = min(limit, max(FEWEST, BUDGET // (largest + 1)))
        for proposal in self.proposals()[:limit]:
            relation = proposal.relation
            about, ranker = self._about[relation]
            if relation not in evaluators:
                evaluators[relation] = Evaluator(relation_data(relation))
            denotation = evaluators[relation].run(proposal.tree)
            more = about.of_result(proposal.tree, denotation)
            score = proposal.score + ranker.linear(more)
            found.append(Computed(proposal, denotation, proposal.features + more, score))
        return sorted(found, key=lambda computed: -computed.score)

    def readings(self) -> list[Reading]:
        """The readings, most likely first; those that say the same as one."""
        found = without_weaker(self.computed())
        told = merged(found, self._about)
        left = _words_left(told[0].coverage) if told else self._question.content
        if self._near or not left or not vectors.available():
            return told
        again = Search(self._question, self._tables, self._weights, self._told, left)
        return again.readings() if again.reads_near else told

    @property
    def reads_near(self) -> bool:
        """Whether any word is read by a name near in meaning."""
        return any(found.near for found in self._found.values())


def without_weaker(found: Sequence[Computed]) -> list[Computed]:
    """Leaves out what says less of the question than a reading that has a place for every word.

    Where that one is surely linked, whatever drops a word; where a word may stand elsewhere as
    well, as among tables that join, what drops a restricting word that the same tree with more
    conditions places, any word that a whole cell of a joined table places, or a verb for the rows
    of another table.
    """
    shown = [c.proposal for c in found if isinstance(c.proposal.tree, Values)]
    found = [c for c in found if not any(_shows_less(c.proposal, more) for more in shown)]
    whole = [c for c in found if not _leaves_out(c.proposal.coverage)]
    best = max(whole, key=lambda computed: computed.score, default=None)
    if best is None:
        return list(found)
    if not any(name in _LOOSE and value for name, value in best.features):
        left = [(computed, computed.proposal.coverage) for computed in found]
        kept = [c for c, told in left if not (told.restrictive or told.plain or told.elsewhere)]
        return kept or list(found)
    fuller = [c.proposal for c in whole]
    return [c for c in found if not any(_is_weaker(c.proposal, full) for full in fuller)]


def _shows_less(other: Proposal, more: Proposal) -> bool:
    """Whether a proposal shows some of the columns that another shows of the same rows, and leaves
    out words that this one places: "the 2022 and 2023 figures" are both.
    """
    one, two = other.tree, more.tree
    if not isinstance(one, Values) or not isinstance(two, Values) or not one.cols:
        return False
    if one.rows != two.rows or other.relation != more.relation:
        return False
    left, fewer = (_words_left(p.coverage) for p in (other, more))
    return set(one.cols) < set(two.cols) and left != fewer and not fewer & ~left


_LOOSE = frozenset(
    [
        "slot_floating",
        "out_slot_floating",
        "bound_floating",
        "bound_untold",
        "value_partial",
        "slot_in_text",
        "bound_in_text",
        "out_slot_in_text",
        "group_count_untold",
        "joined_tables",
        "counts_pointing",
    ]
)
"""Features of readings that link a word to what it may not mean: a join is a link as well."""


def _is_weaker(other: Proposal, full: Proposal) -> bool:
    """Whether a proposal says less of the question than a full one that gives the same."""
    left = other.coverage
    if left.elsewhere:
        return True
    if not left.restrictive and not (left.plain and _adds_cells(full, other)):
        return False
    return _restricts(full, other)


def _adds_cells(full: Proposal, other: Proposal) -> bool:
    """Whether a proposal is of the other's rows with tables joined to them, by whole cells."""
    one, two = full.relation, other.relation
    if one.counted or two.counted or len(one.tables) <= len(two.tables):
        return False
    told = {name for name, _ in full.features}
    return one.tables[: len(two.tables)] == two.tables and "value_partial" not in told


def _words_left(coverage: Coverage) -> int:
    """Mask of the content words that have no place."""
    return coverage.plain | coverage.restrictive


def _leaves_out(coverage: Coverage) -> bool:
    return bool(coverage.restrictive or coverage.plain or coverage.unused)


def _restricts(full: Proposal, other: Proposal) -> bool:
    """Whether a proposal is the other with conditions added, or of its rows those at an end."""
    tree, bare = full.tree, other.tree
    if isinstance(tree, _COMPARED) or isinstance(bare, _COMPARED):
        return False
    if isinstance(tree, Values) and isinstance(tree.rows, Top | Slice):
        return isinstance(bare, Values) and tree.rows.rows == bare.rows and _gives_same(full, other)
    more, fewer = _conditions(tree.rows), _conditions(bare.rows)
    if more is None or fewer is None or not set(fewer) < set(more):
        return False
    return _gives_same(full, other)


def _gives_same(one: Proposal, two: Proposal) -> bool:
    """Whether two proposals give the same of their rows, each once or not."""
    return _over_all(one.tree) == _over_all(two.tree) and (
        one.relation == two.relation or _adds_cells(one, two)
    )


def _over_all(tree: Tree) -> Tree:
    """A tree over one set of rows as one over all."""
    assert not isinstance(tree, _COMPARED)
    whole = replace(tree, rows=All())
    return replace(whole, distinct=False) if isinstance(whole, Values) else whole


def _conditions(rows: Rows) -> tuple[Cond, ...] | None:
    """The conditions on all rows of a relation; None where the rows are chosen otherwise."""
    if isinstance(rows, Where) and isinstance(rows.rows, All):
        return rows.conds
    return () if isinstance(rows, All) else None


def merged(
    found: Sequence[Computed], about: Mapping[Relation, tuple[QuestionFeatures, Ranker]]
) -> list[Reading]:
    """Readings with their probability: that of all trees of one table with equal results."""
    if not found:
        return []
    scores = np.array([computed.score for computed in found])
    blanks = np.array([demerit(computed) for computed in found])
    place = standing(scores, meanings(found), blanks)
    readings = []
    for best, share, stands in zip(place.best, place.share, place.features, strict=True):
        computed, proposal = found[best], found[best].proposal
        told = {**traits(computed, about[proposal.relation][0]), **stands}
        readings.append(
            Reading(
                proposal.tree,
                proposal.relation,
                computed.score,
                proposal.coverage,
                computed.denotation,
                float(share),
                computed.features,
                told,
            )
        )
    return readings


def traits(computed: Computed, about: QuestionFeatures) -> dict[str, float]:
    """The features of a tree with its operators and what holds for the whole question."""
    told = dict(about.context)
    for name, value in computed.features:
        told[name] = told.get(name, 0.0) + value
    for tag in tags(computed.proposal.tree):
        told[f"is {tag}"] = 1.0
    told["result rows"] = math.log1p(computed.denotation.count)
    return told


def meanings(found: Sequence[Computed]) -> npt.NDArray[np.int64]:
    """For each computed tree the number of its result: equal where they say the same."""
    numbers: dict[tuple[object, ...], int] = {}
    typed = {cells: c.denotation.key() for c in found if (cells := _cells(c, as_text=False))}
    groups = []
    for computed in found:
        cells = _cells(computed, as_text=True)
        meaning = (cells and typed.get(cells)) or _meaning(computed)
        key = (computed.proposal.relation.told_of, meaning)
        groups.append(numbers.setdefault(key, len(numbers)))
    return np.array(groups, np.int64)


def demerit(computed: Computed) -> int:
    """Of readings with one result, the one of least demerit is shown: it accounts for every word,
    then has the fewest empty cells (a text in a column of numbers is empty, as a number).
    """
    blanks = sum(cell is None for row in computed.denotation.rows for cell in row)
    return blanks + LEAVES_OUT * _leaves_out(computed.proposal.coverage)


def _cells(computed: Computed, *, as_text: bool) -> tuple[object, ...] | None:
    """Which cells a reading quotes, if any is one that is both a number and a text.

    `as_text` takes the readings that quote it as published, else those that quote the number.
    """
    tree, columns = computed.proposal.tree, computed.proposal.relation.columns
    if not isinstance(tree, Values) or tree.distinct or not tree.cols:
        return None
    twins = {id(column.source) for column in columns if column.as_text}
    quoted = [columns[col.index] for col in tree.cols]
    sources = tuple(id(column.source) for column in quoted)
    if not twins.intersection(sources) or any(column.as_text for column in quoted) != as_text:
        return None
    return (tree.rows, sources, tree.order, tree.descending)


def _meaning(computed: Computed) -> tuple[object, ...]:
    """The result; of one column each value once; of ranked groups the keys alone, shown with their
    measure or not; of groups of named things the keys that tell these apart, named or not.
    """
    tree, denotation = computed.proposal.tree, computed.denotation
    relation = computed.proposal.relation
    told_by_key = by_key(tree, relation)
    if told_by_key != tree:
        tree, denotation = told_by_key, Evaluator(relation_data(relation)).run(told_by_key)
    if isinstance(tree, Values) and len(tree.cols) == 1:
        once = tuple(dict.fromkeys(denotation.rows))
        return replace(denotation, rows=once, count=len(once)).key()
    if isinstance(tree, Grouped) and tree.show and (tree.n or tree.having):
        keys = tuple(row[: len(tree.keys)] for row in denotation.rows)
        return replace(denotation, rows=keys).key()
    return denotation.key()


def with_whole_rows(readings: list[Reading], question: Question) -> list[Reading]:
    """Readings where those that say the same of the same rows count as one. Whole rows show columns
    of them that no word names, and the one that names the rows ("newest employee"); where that one
    is likelier, or "who" asks for it, it stands for the whole rows.
    """
    best = readings[0]
    if not isinstance(best.tree, Values):
        return readings
    if any(_says_more(r, best) for r in readings[1:]):
        return readings
    if best.tree.cols:
        same = [r for r in readings[1:] if _shows_whole(r, best) and _is_asked(best, question)]
    else:
        same = [r for r in readings[1:] if _is_part(r, best)]
    shown = replace(best, probability=best.probability + sum(r.probability for r in same))
    return [shown, *(r for r in readings[1:] if all(r is not part for part in same))]


def _is_part(reading: Reading, whole: Reading) -> bool:
    """Whether it gives columns of whole rows that no word names, or by a word that names the rows
    as well.
    """
    tree = reading.tree
    if not isinstance(tree, Values) or reading.relation != whole.relation:
        return False
    row = len(tree.cols) == 1 and names_output(reading) and says_as_much(reading, whole)
    told = row or not any(name in _NAMED for name, _ in reading.features)
    return told and tree.rows == whole.tree.rows  # type: ignore[union-attr]


def _shows_whole(reading: Reading, best: Reading) -> bool:
    """Whether it gives the whole of the rows of which the best gives a column."""
    tree = reading.tree
    if not isinstance(tree, Values) or tree.cols or reading.relation != best.relation:
        return False
    return tree.rows == best.tree.rows and says_as_much(reading, best)  # type: ignore[union-attr]


def _says_more(reading: Reading, best: Reading) -> bool:
    """Whether a likely reading places a word that the best leaves out: who "earns" is no wage."""
    left = [
        (r.coverage.plain | r.coverage.restrictive | r.coverage.light).bit_count()
        for r in (reading, best)
    ]
    return reading.probability > LIKELY and left[0] < left[1]


def _is_asked(reading: Reading, question: Question) -> bool:
    """Whether the one column that it gives is named, or says who where "who" is asked."""
    tree = reading.tree
    assert isinstance(tree, Values)
    columns = relation_data(reading.relation).columns
    person = column_kind(columns[tree.cols[0].index]) in ("name", "person")
    who = person and question_word(question) in ("who", "whom")
    return len(tree.cols) == 1 and (who or names_output(reading))


_NAMED = frozenset(["slot_named", "out_slot_named"])


def names_output(reading: Reading) -> bool:
    """Whether a word names what it gives; of rows at an end, not only what ranks them."""
    tree = reading.tree
    ranked = isinstance(tree, Values) and isinstance(tree.rows, Top | Slice)
    names = {"out_slot_named"} if ranked else _NAMED
    return any(name in names for name, _ in reading.features)


def says_as_much(one: Reading, other: Reading) -> bool:
    """Whether two readings leave out the same words."""
    left = [(r.coverage.plain, r.coverage.restrictive, r.coverage.light) for r in (one, other)]
    return left[0] == left[1]
