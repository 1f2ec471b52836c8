"""Amounts that a table repeats in every line of one thing: the guests of a bill, in all its lines.

Takes a tree with its question and arrays; gives the tree that counts each thing once. A number
names things that have several lines where every date of the table is the same in all of them; an
amount belongs to the thing where it never differs between its lines, and chance would hardly have
it so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from retrieval.kept import kept
from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData, holds_years
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import Question
from sql_engine.offline.tree import (
    Agg,
    Arith,
    Col,
    Grouped,
    Holds,
    Measure,
    Once,
    Tally,
    Top,
    Tree,
    Values,
)
from sql_engine.words import name_words, stem

FEWEST = 5
"""Things of several lines that a table has at least, for their lines to tell anything."""
CHANCE = -14.0
"""Logarithm of the probability that an amount is the same in all lines of each thing by chance."""
_ADDED = frozenset(["sum", "mean", "median", "share"])
_TIMES = frozenset(map(stem, ["date", "day", "week", "month", "quarter", "year", "period", "time"]))
_NUMBERED = frozenset(["id", "no", "number", "nr", "code", "ref", "key"])


def each_once(question: Question, tree: Tree, data: TableData) -> Tree:
    """The tree with what belongs to a thing of several lines taken once for each of them."""
    meant = _counted_once(question, _added_once(question, tree, data), data)
    if meant == tree:
        return tree
    run = Evaluator(data).run
    return tree if run(meant).key() == run(tree).key() else meant


def names_thing(column: ColumnData, noun: str) -> bool:
    """Whether a noun's stem is what a column's numbers name: "bill" of "Bill no"."""
    names = [name for name in name_words(column.name) if name not in _NUMBERED]
    return names == [noun]


@kept
def things(data: TableData) -> dict[int, frozenset[int]]:
    """By the column that names things of several lines: the columns that belong to the thing."""
    times = {i for i, column in enumerate(data.columns) if _tells_time(column)}
    found = {}
    for key, column in enumerate(data.columns):
        if key in times or not _numbers_things(column):
            continue
        own = frozenset(i for i in range(len(data.columns)) if i != key and _same(data, key, i))
        whole = len(own) + 1 == len(data.columns)
        if times <= own and own and not whole:
            found[key] = own
    return found


def _numbers_things(column: ColumnData) -> bool:
    """Whether the cells are numbers or codes of things, some of which have several lines."""
    codes = column.kind is Kind.TEXT and column.coded
    if not (codes or column.identifier) or column.repeats or column.encoded().unique:
        return False
    return _repeat(column) >= FEWEST


def _tells_time(column: ColumnData) -> bool:
    told = bool(set(name_words(column.name)) & _TIMES)
    return column.temporal or column.spans is not None or told or holds_years(column)


def _same(data: TableData, key: int, index: int) -> bool:
    """Whether a column never differs between the lines of a thing."""
    keys, codes = data.columns[key].encoded().codes, data.columns[index].encoded().codes
    pairs = np.unique(np.stack([keys, codes]), axis=1)
    return bool(pairs.shape[1] == len(np.unique(keys)))


def _belongs(data: TableData, key: int, index: int) -> bool:
    """Whether chance would hardly make an amount the same in all lines of each thing."""
    if index not in things(data)[key]:
        return False
    keys, codes = data.columns[key].encoded().codes, data.columns[index].encoded().codes
    shares = np.bincount(codes + 1) / len(codes)
    alike = float((shares**2).sum())
    repeats = len(keys) - len(np.unique(keys))
    return repeats * math.log(max(alike, 1e-12)) < CHANCE


def _key_of(data: TableData, cols: list[Col]) -> int | None:
    """The column of the things that all these amounts belong to."""
    for key in things(data):
        if cols and all(_belongs(data, key, col.index) for col in cols):
            return key
    return None


def things_of(data: TableData, index: int) -> list[int]:
    """The columns of names that repeat and tell a kind: the dogs, each of one breed."""
    return [
        key
        for key, column in enumerate(data.columns)
        if key != index
        and column.kind is Kind.TEXT
        and not (column.coded or column.repeats or column.encoded().unique)
        and _repeat(column) >= FEWEST
        and _same(data, key, index)
    ]


def things_of_kind(data: TableData, key: int) -> list[int]:
    """The columns that say one thing of each of a column's values: the breed of each dog."""
    return [
        i
        for i, column in enumerate(data.columns)
        if i != key
        and not column.encoded().unique
        and len(column.texts) > 1
        and _same(data, key, i)
    ]


def _repeat(column: ColumnData) -> int:
    """How many of the cells stand in several rows."""
    return int((np.bincount(column.encoded().codes + 1)[1:] > 1).sum())


def _added_once(question: Question, tree: Tree, data: TableData) -> Tree:
    if isinstance(tree, Grouped):
        return _grouped(question, tree, data)
    if isinstance(tree, Values) and isinstance(tree.rows, Top):
        key = _key_of(data, [tree.rows.key])
        own = things(data)[key] | {key} if key is not None else frozenset()
        once = bool(tree.cols) and all(col.index in own for col in tree.cols)
        return replace(tree, distinct=True) if once else tree
    meant: Tree = _aggregates(tree, lambda node: _agg(node, data))
    return meant


def _aggregates(node: Any, meant: Callable[[Agg], Agg]) -> Any:
    """A tree with each of the numbers that it is made of as it is meant."""
    if isinstance(node, Agg):
        return meant(node)
    if isinstance(node, Arith | Holds):
        left, right = _aggregates(node.left, meant), _aggregates(node.right, meant)
        return replace(node, left=left, right=right)
    return node


def _agg(node: Agg, data: TableData) -> Agg:
    if node.fn not in _ADDED or node.col is None:
        return node
    key = _key_of(data, [node.col])
    return node if key is None else replace(node, rows=Once(node.rows, (Col(key),)))


def _grouped(question: Question, tree: Grouped, data: TableData) -> Grouped | Agg:
    """Groups of things; where each thing is a group, its average is the one over the things."""
    added = [m.col for m in tree.measures if m.fn in _ADDED and m.col is not None]
    key = _key_of(data, added) if len(added) == len(tree.measures) else None
    if key is None:
        return tree
    once = Once(tree.rows, (Col(key), *(k for k in tree.keys if k.index != key)))
    if tree.keys == (Col(key),) and len(added) == 1 and question.of("mean") and tree.n is None:
        return Agg(tree.measures[0].fn, once, added[0])
    return replace(tree, rows=once)


def _counted_once(question: Question, tree: Tree, data: TableData) -> Tree:
    """Different things, where their noun is counted and not the lines."""
    key = next(iter(things_counted(question, data).values()), None)
    if key is None:
        return tree
    if isinstance(tree, Tally):
        return Tally(_counting(tree.groups, Col(key)))
    if isinstance(tree, Grouped):
        return _counting(tree, Col(key))
    meant: Tree = _aggregates(
        tree, lambda one: replace(one, fn="distinct", col=Col(key)) if one.fn == "count" else one
    )
    return meant


def _counting(tree: Grouped, key: Col) -> Grouped:
    counted = Measure("distinct", key)
    measures = tuple(counted if m.fn == "count" else m for m in tree.measures)
    return tree if key in tree.keys else replace(tree, measures=measures)


def things_counted(question: Question, data: TableData) -> dict[int, int]:
    """The nouns after "how many", "most" or a number, or before "per", that name things of several
    lines: by their places, the things' columns.
    """
    places = {t.last + 1 for t in question.of("count", "most", "least")}
    places |= {t.first - 1 for t in question.of("group")}
    places |= {number.last + 1 for number in question.numbers if number.counts}
    words = {i: question.words[i] for i in sorted(places) if 0 <= i < len(question.words)}
    return {
        i: key
        for i, word in words.items()
        for key in (things(data) if word.stem not in lexicon().rows else ())
        if names_thing(data.columns[key], word.stem)
    }
