"""Readings that the words of a question say just as well as the likeliest one.

Takes the question and its likeliest reading; gives the trees to hold against it, which differ in
what no word settles: which of several columns of one name, which date, one row or a sum of rows.
Where their results differ, whoever asked is asked back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData, holds_years
from sql_engine.offline.features import places
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions, mentions
from sql_engine.offline.own_date import is_own_date
from sql_engine.offline.question import ColumnMention, Question
from sql_engine.offline.search import Reading
from sql_engine.offline.sense import adds_up_to_nothing
from sql_engine.offline.tree import (
    Agg,
    Arith,
    Col,
    Facet,
    Filled,
    Grouped,
    Holds,
    In,
    Measure,
    Not,
    Tally,
    Top,
    Tree,
    Values,
    Where,
)
from sql_engine.value_index import text_stems
from sql_engine.words import name_words

MAX_RIVALS = 4
LEAST = 0.6
"""How well words must name a column for another that they name as well to be its twin."""


def rivals(question: Question, best: Reading, data: TableData) -> tuple[Tree, ...]:
    """The trees that are meant as likely as the best one."""
    if best.relation.composed:
        return ()
    found = mentions(question, best.relation.tables[0])
    trees = dict.fromkeys(
        (
            *_by_twins(question, best.tree, found, data),
            *_by_other_dates(question, best.tree, found, data),
            *_by_sums(best.tree, found, data),
            *_by_other_money(question, best.tree, data),
            *_by_dates_of_states(best.tree, data),
        )
    )
    return tuple(tree for tree in trees if tree != best.tree)[:MAX_RIVALS]


# ---------------------------------------------------------------- states and their dates


def _by_dates_of_states(tree: Tree, data: TableData) -> Iterator[Tree]:
    """With the date of a state in the state's place, where some rows lack it: "not returned" may be
    of another status than "returned", and of no return date.
    """
    if isinstance(tree, Arith | Holds | Tally) or not isinstance(tree.rows, Where):
        return
    for cond in tree.rows.conds:
        state = cond.cond if isinstance(cond, Not) else cond
        for filled in _dated_by(state, data) if isinstance(state, In) else ():
            told = Not(filled) if isinstance(cond, Not) else filled
            conds = tuple(told if each is cond else each for each in tree.rows.conds)
            yield replace(tree, rows=replace(tree.rows, conds=conds))


def _dated_by(state: In, data: TableData) -> Iterator[Filled]:
    """The dates that are called by a state, and blank in some rows."""
    said = {one for text in state.texts for one in text_stems(text)}
    for index, column in enumerate(data.columns):
        blank = column.temporal and bool((column.codes < 0).any())
        if blank and said & set(name_words(column.name)):
            yield Filled(Col(index))


# ---------------------------------------------------------------- columns of one name


def _by_twins(question: Question, tree: Tree, found: Mentions, data: TableData) -> Iterator[Tree]:
    """With another column in the place of one, where the same words name both."""
    stems = {word.stem for word in question.words}
    said = [len(stems.intersection(name_words(column.name))) for column in data.columns]
    for col in dict.fromkeys(col for _, col in places(tree)):
        for twin in (t for t in _twins(col.index, found, data) if said[t] >= said[col.index]):
            yield with_column(tree, col, replace(col, index=twin))


def _twins(index: int, found: Mentions, data: TableData) -> Iterator[int]:
    """The other amounts that the words say which name this one, each as well."""
    named = _best_named(index, found.columns)
    if named is None or not data.columns[index].measured:
        return
    own = data.columns[index].column.source
    for other, column in enumerate(data.columns):
        if other == index or not column.measured or column.column.source is own:
            continue
        best = _best_named(other, found.columns)
        if best is None or best.mask.bit_count() != named.mask.bit_count():
            continue
        alike = (m for m in found.columns if m.column == other and m.mask == named.mask)
        if any(m.score >= named.score for m in alike):
            yield other


def _best_named(index: int, columns: Iterable[ColumnMention]) -> ColumnMention | None:
    """The most words that name a column."""
    own = [m for m in columns if m.column == index and m.score >= LEAST]
    return max(own, key=lambda m: (m.mask.bit_count(), m.score), default=None)


def with_column(tree: Tree, old: Col, new: Col) -> Tree:
    """A tree with one column in the place of another, outside its conditions."""

    def put(col: Col | None) -> Col | None:
        return new if col == old else col

    if isinstance(tree, Values):
        rows = tree.rows
        if isinstance(rows, Top) and rows.key == old:
            rows = replace(rows, key=new)
        cols = tuple(new if col == old else col for col in tree.cols)
        return replace(tree, rows=rows, cols=cols, order=put(tree.order))
    if isinstance(tree, Agg):
        return replace(tree, col=put(tree.col))
    if isinstance(tree, Grouped):
        measures = tuple(replace(m, col=put(m.col)) for m in tree.measures)
        return replace(tree, measures=measures)
    if isinstance(tree, Arith | Holds):
        sides = {
            side: with_column(node, old, new)
            for side, node in (("left", tree.left), ("right", tree.right))
            if isinstance(node, Agg | Values | Arith)
        }
        return replace(tree, **sides)  # type: ignore[arg-type]
    return tree


def _by_other_money(question: Question, tree: Tree, data: TableData) -> Iterator[Tree]:
    """By another amount of money, where "what did the order cost" names none of them: the price of
    a piece or that of all.
    """
    stems = {word.stem for word in question.words}
    if not isinstance(tree, Values) or not isinstance(tree.rows, Where) or len(tree.cols) != 1:
        return
    money = [i for i, c in enumerate(data.columns) if c.amount and _is_called_money(c)]
    col = tree.cols[0]
    if col.index not in money or not stems & lexicon().money_asked:
        return
    if stems & set(name_words(data.columns[col.index].name)):
        return
    for other in money:
        if other != col.index:
            yield with_column(tree, col, replace(col, index=other))


def _is_called_money(column: ColumnData) -> bool:
    return bool(set(name_words(column.name)) & lexicon().money_named)


# ---------------------------------------------------------------- which date


def _by_other_dates(
    question: Question, tree: Tree, found: Mentions, data: TableData
) -> Iterator[Tree]:
    """By another date, where "the newest vehicle" does not say what is told of it."""
    if not isinstance(tree, Values) or not isinstance(tree.rows, Top):
        return
    key = tree.rows.key
    if not question.of("first", "last") or key.facet is not Facet.VALUE:
        return
    named = {m.column for m in found.columns if m.score >= LEAST}
    dates = [i for i, column in enumerate(data.columns) if column.temporal or holds_years(column)]
    column = data.columns[key.index]
    if column.numeric and key.index not in dates:
        return
    if named & {*dates, key.index} or is_own_date(column, found, question):
        return
    for other in dates:
        yield with_column(tree, key, Col(other))


# ---------------------------------------------------------------- one row or a sum


def _by_sums(tree: Tree, found: Mentions, data: TableData) -> Iterator[Tree]:
    """By the sum of each group, where "which manager has the highest amount" may mean the one
    highest or the most in all.
    """
    if not isinstance(tree, Values) or not isinstance(tree.rows, Top) or len(tree.cols) != 1:
        return
    label, top = data.columns[tree.cols[0].index], tree.rows
    amount = data.columns[top.key.index]
    if found.rows or top.single or label.kind is not Kind.TEXT or label.encoded().unique:
        return
    if not amount.amount or amount.repeats or adds_up_to_nothing(amount):
        return
    if not amount.intensive:
        measure = Measure("sum", top.key)
        yield Grouped(top.rows, tree.cols, (measure,), largest=top.largest, n=top.n, show=False)
