"""What a denial says of groups: "which cities have no returned orders" asks for whole cities.

Takes a reading whose condition the question denies, and its arrays; gives the tree to answer with.
Keeping the rows that are not so answers only where no group has rows of both kinds; else "no" is
read as no row of the group, and a denial that could mean either is declined.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sql_engine.errors import CannotWrite
from sql_engine.offline.columns import TableData
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import conditions_of
from sql_engine.offline.mentions import Mentions, mentions
from sql_engine.offline.parts import NAMED
from sql_engine.offline.question import Question, Trigger, covering
from sql_engine.offline.search import Reading
from sql_engine.offline.to_sql import to_sql
from sql_engine.offline.tree import (
    Agg,
    All,
    AnyOf,
    Cmp,
    Col,
    Cond,
    Holds,
    In,
    NoneOf,
    Not,
    Tree,
    Values,
    Where,
    Within,
)

_OF_ROWS = frozenset(
    [
        "except",
        "excluding",
        "besides",
        "non",
        "other",
        "apart",
        "anything",
        "everything",
        "all",
        "any",
    ]
)
"""How a negation begins that leaves out rows, whatever is asked for."""
_NONE = frozenset(["no", "without"])
_VERBS = frozenset(
    [
        "have",
        "has",
        "had",
        "having",
        "with",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "do",
        "does",
        "did",
        "and",
        "but",
    ]
)
_DOING = frozenset(["do", "does", "did", "don't", "doesn't", "didn't", "never"])
_RELATIVE = frozenset(["that", "who", "which", "whose"])
_STATES = frozenset(["isn't", "aren't", "wasn't", "weren't"])


def denied(question: Question, best: Reading, data: TableData) -> Tree:
    """The tree that says what is denied. Raises CannotWrite where that cannot be told."""
    tree, negations = best.tree, _of_groups(question)
    if not negations or not dict(best.features).get("negated"):
        return tree
    found = None if best.relation.joins else mentions(question, best.relation.tables[0])
    keys = _keys(tree)
    if all(_of_rows(question, found, data, keys, each) for each in negations):
        return tree
    if isinstance(tree, Holds):
        # "Are there no …" denies the answer, not a condition of it.
        raise _unsure(question, negations, best)
    if not keys:
        between = any(_after_label(question, best, data, each) for each in negations)
        if between:
            raise _unsure(question, negations, best)
        return tree
    if any(data.columns[key.index].encoded(key.facet).unique for key in keys):
        return tree
    conds = conditions_of(tree)
    if len(keys) == 1 and len(conds) == 1 and not best.relation.joins:
        if _uniform(keys[0], conds[0], data):
            return tree
        if len(negations) == 1 and question.words[negations[0].first].folded in _NONE:
            whole = _of_no_row(tree, keys[0], conds[0])
            if whole is not None:
                return whole
    if len(keys) == 1 and not best.relation.joins and _same_for_groups(tree, keys[0], data):
        return tree
    raise _unsure(question, negations, best)


def _same_for_groups(tree: Tree, key: Col, data: TableData) -> bool:
    """Whether the groups of which no row is so are those that have a row that is not so."""
    if not isinstance(tree, Values | Agg):
        return False
    denied_, told = _parted(conditions_of(tree))
    if denied_ is None:
        return False
    positive: Cond = Not(AnyOf(tuple(Not(cond) for cond in (*told, denied_.cond))))
    whole = replace(tree, rows=Where(All(), (NoneOf(key, positive),)))
    run = Evaluator(data).run
    return run(whole).key() == run(tree).key()


def _parted(conds: tuple[Cond, ...]) -> tuple[Not | None, tuple[Cond, ...]]:
    """The one condition that denies, and the others."""
    denying = [cond for cond in conds if isinstance(cond, Not)]
    others = tuple(cond for cond in conds if not isinstance(cond, Not))
    return (denying[0] if len(denying) == 1 else None), others


def _of_no_row(tree: Tree, key: Col, cond: Cond) -> Tree | None:
    """The groups of which no row is so."""
    if isinstance(cond, Not) and isinstance(cond.cond, In | Cmp | Within):
        whole = Where(All(), (NoneOf(key, cond.cond),))
        if isinstance(tree, Values) and tree.rows == Where(All(), (cond,)):
            return Values(whole, (key,), distinct=True)
        if isinstance(tree, Agg) and tree.rows == Where(All(), (cond,)):
            return replace(tree, rows=whole)
    return None


def _of_groups(question: Question) -> list[Trigger]:
    words = question.words
    return [t for t in question.of("negation") if words[t.first].folded not in _OF_ROWS]


def _keys(tree: Tree) -> tuple[Col, ...]:
    """The columns whose different cells the tree gives or counts."""
    if isinstance(tree, Values):
        return tree.cols
    if isinstance(tree, Agg) and tree.fn == "distinct" and tree.col is not None:
        return (tree.col,)
    return ()


def _before(question: Question, negation: Trigger) -> int:
    """The word that the denial is said of: "employees" in "employees who are not"."""
    at = negation.first - 1
    while at >= 0 and question.words[at].folded in _VERBS:
        at -= 1
    return at


def _of_rows(
    question: Question,
    found: Mentions | None,
    data: TableData,
    keys: tuple[Col, ...],
    negation: Trigger,
) -> bool:
    """Whether the denial is said of the rows themselves."""
    at, words = _before(question, negation), question.words
    if at < 0:
        return False
    if words[at].folded in _RELATIVE and at > 0:
        done = any(word.folded in _DOING for word in words[at + 1 : negation.last + 1])
        several = any(not data.columns[key.index].encoded(key.facet).unique for key in keys)
        return not (done and several)  # "members who did not come in June" came in no June row
    if words[at].folded == "who" and at == 0:
        state = words[negation.first].folded in _STATES or words[1].folded in ("is", "are")
        return state or words[negation.first].folded in _NONE
    if found is None or not found.rows >> at & 1:
        return False
    named = [m.column for m in found.columns if m.mask >> at & 1 and m.score >= NAMED]
    return not any(
        key.index in named and not data.columns[key.index].encoded().unique for key in keys
    )


def _after_label(question: Question, best: Reading, data: TableData, negation: Trigger) -> bool:
    """Whether "no" or "never" stands right after the name of a column whose values repeat."""
    if question.words[negation.first].folded not in _NONE | {"never"}:
        return False
    at = _before(question, negation)
    for table in best.relation.tables:
        offset = best.relation.offset(best.relation.tables.index(table))
        for mention in mentions(question, table).columns:
            column = data.columns[mention.column + offset]
            label = not column.measured and not column.encoded().unique
            if at >= 0 and mention.mask >> at & 1 and mention.score >= NAMED and label:
                return True
    return False


def _uniform(key: Col, cond: Cond, data: TableData) -> bool:
    """Whether each group's rows are all so or all not so."""
    codes, mask = data.columns[key.index].encoded(key.facet).codes, Evaluator(data).mask(cond)
    return not np.intersect1d(codes[mask], codes[~mask]).size


def _unsure(question: Question, negations: list[Trigger], best: Reading) -> CannotWrite:
    said = question.text_of(covering(negations))
    return CannotWrite(
        f"{' '.join(said)!r} may deny single rows or all rows of a group, and the answers differ",
        sql=to_sql(best.tree, best.relation),
        hint='Say which: "that are not …" for rows, "with no …" for groups.',
    )
