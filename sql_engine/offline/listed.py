"""What a list of one column holds: each of its different values once, and no blank.

"Which teams are there" asks for the teams, though a table of players says each team several times.
Takes a tree with the question's mentions and arrays; gives the tree as it is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import column_kind, condition_column, conditions_of
from sql_engine.offline.first_label import is_first_label, row_keys
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.parts import NAMED
from sql_engine.offline.periods import WEEKDAYS
from sql_engine.offline.question import Question
from sql_engine.offline.tree import All, Col, Facet, Filled, Grouped, In, Top, Tree, Values, Where
from sql_engine.words import stem


def listed(question: Question, found: Mentions, data: TableData, tree: Tree) -> Tree:
    """A list of cells that repeat as one of different values, where the values are asked for."""
    if not isinstance(tree, Values) or len(tree.cols) != 1 or tree.distinct or tree.order:
        return tree
    column = data.columns[tree.cols[0].index]
    if not isinstance(tree.rows, All | Where) or column.kind is not Kind.TEXT:
        return tree
    if column.encoded().unique or not _asks_for_values(question, found, tree.cols[0]):
        return tree
    return replace(tree, distinct=True)


def _asks_for_values(question: Question, found: Mentions, col: Col) -> bool:
    """Whether the column is named in the plural, or by "each", and the rows are not named."""
    for mention in found.columns:
        if mention.column != col.index or mention.score < NAMED:
            continue
        if found.rows & ~mention.mask:
            return False
        before = question.words[mention.first - 1].folded if mention.first else ""
        if question.words[mention.last].folded.endswith("s") or before in _EACH:
            return True
    return False


_EACH = frozenset(["all", "each", "every"])


def with_rank(question: Question, tree: Tree, data: TableData) -> Tree:
    """Several at an end of a ranking, or one whose figure is asked for, beside that figure."""
    figure = _asks_for_figure(question)
    if isinstance(tree, Grouped) and tree.n is not None and (tree.n > 1 or figure):
        return replace(tree, show=True)
    if not isinstance(tree, Values) or not isinstance(tree.rows, Top) or not tree.cols:
        return tree
    top, tree = tree.rows, _with_owner(question, tree, data)
    key = top.key
    if tree.distinct or key in tree.cols or key.facet is not Facet.VALUE:
        return tree
    if top.n > 1 or figure:
        return replace(tree, cols=(*tree.cols, key))
    return _once(tree, data)


def _once(tree: Values, data: TableData) -> Values:
    """What stands in several rows at the end of a ranking, once: "the cheapest product"."""
    column = data.columns[tree.cols[0].index]
    if len(tree.cols) != 1 or column.kind is not Kind.TEXT or column.encoded().unique:
        return tree
    once, evaluator = replace(tree, distinct=True), Evaluator(data)
    return once if evaluator.run(once).count < evaluator.run(tree).count else tree


def _with_owner(question: Question, tree: Values, data: TableData) -> Values:
    """With what is named before "and its …": "the deepest lake and its country"."""
    folded = [word.folded for word in question.words]
    joined = any(folded[i] == "and" and folded[i + 1] in _OWN for i in range(len(folded) - 1))
    names = (i for i, c in enumerate(data.columns) if c.kind is Kind.TEXT and c.encoded().unique)
    name = next(names, None)
    if not joined or name is None or Col(name) in tree.cols:
        return tree
    return replace(tree, cols=(Col(name), *tree.cols), distinct=False)


_OWN = frozenset(["its", "their", "his", "her"])


def _asks_for_figure(question: Question) -> bool:
    """Whether the question goes on with "and how many"."""
    folded = [word.folded for word in question.words]
    return any(
        folded[i : i + 2] == ["and", "how"] and folded[i + 2 : i + 3] in (["many"], ["much"])
        for i in range(len(folded))
    )


def as_published(tree: Tree, data: TableData) -> Tree:
    """Cells and groups as published, where a column read as numbers leaves some of them blank."""
    if isinstance(tree, Values):
        if tree.order is not None or not tree.cols:
            return tree
        cols = tuple(_published(col, data) for col in tree.cols)
        return replace(tree, cols=tuple(dict.fromkeys(cols)))
    if isinstance(tree, Grouped):
        return replace(tree, keys=tuple(_published(key, data) for key in tree.keys))
    return tree


def _published(col: Col, data: TableData) -> Col:
    """The column that shows a number's cells as text, where some are no numbers."""
    column = data.columns[col.index]
    if col.facet is not Facet.VALUE or not column.numeric:
        return col
    for index, other in enumerate(data.columns):
        twin = other.column.as_text and other.column.source is column.column.source
        if twin and bool(((column.encoded().codes < 0) & (other.codes >= 0)).any()):
            return Col(index)
    return col


def with_names(question: Question, tree: Tree, data: TableData) -> Tree:
    """Amounts of several rows with what each is the amount of; equal ones are not one."""
    if not isinstance(tree, Values) or not isinstance(tree.rows, Where) or len(tree.cols) != 1:
        return tree
    column = data.columns[tree.cols[0].index]
    if question.of("distinct") or not column.measured or tree.order is not None:
        return tree
    evaluator = Evaluator(data)
    if evaluator.run(replace(tree, distinct=True)).count < 2:
        return tree
    names = (i for i, c in enumerate(data.columns) if c.kind is Kind.TEXT and c.encoded().unique)
    name = next(names, None)
    cols = tree.cols if name is None else (Col(name), *tree.cols)
    return replace(tree, cols=cols, distinct=False)


def with_label(question: Question, found: Mentions, tree: Tree, data: TableData) -> Tree:
    """What is told of several things with their names, where these are asked for beside it: "the
    sites with district and size", "names and sizes of the sites".
    """
    if not isinstance(tree, Values) or not isinstance(tree.rows, All | Where) or tree.order:
        return tree
    told = _owners(found, tree, data) or _key_told(question, found, tree, data)
    if tree.cols and told is not None:
        return replace(tree, cols=(told, *tree.cols), distinct=False)
    columns = list(enumerate(data.columns))
    names = [i for i, c in columns if c.kind is Kind.TEXT and c.encoded().unique]
    if not names or not tree.cols or any(col.index in names for col in tree.cols):
        return tree
    name = next((i for i in names if not data.columns[i].coded), names[0])
    shown = {col.index for col in tree.cols}
    firsts = {m.first for m in found.columns if m.column in shown and m.score >= NAMED}
    said = found.rows | sum(1 << i for i, w in enumerate(question.words) if w.stem == _NAME)
    for mention in found.columns:
        said |= mention.mask if mention.column == name else 0
    if not any(_beside(question, place) in firsts for place in _places(said)):
        return tree
    return replace(tree, cols=(Col(name), *tree.cols), distinct=False)


def _owners(found: Mentions, tree: Values, data: TableData) -> Col | None:
    """The column of several things, each named, whose cells would not say whose they are:
    different ones of each, or the amounts of rows that no other name is told with.
    """
    conds = tree.rows.conds if isinstance(tree.rows, Where) else ()
    amounts = len(tree.cols) == 1 and data.columns[tree.cols[0].index].amount
    for cond in conds:
        if isinstance(cond, In) and cond.col not in tree.cols and _each_named(found, cond):
            column = data.columns[cond.col.index]
            own = column.kind is Kind.TEXT and column.encoded().unique
            if (tree.distinct and own) or (amounts and column.kind is Kind.TEXT):
                return cond.col
    return None


def _key_told(question: Question, found: Mentions, tree: Values, data: TableData) -> Col | None:
    """The key of the rows that a "by" names: "fee and weight by visit"."""
    parted = {trigger.last + 1 for trigger in question.of("group")}
    for mention in found.columns:
        col = Col(mention.column)
        named = mention.first in parted and mention.score >= NAMED
        unique = data.columns[mention.column].encoded().unique
        if named and unique and col not in tree.cols:
            return col
    return None


def _each_named(found: Mentions, cells: In) -> bool:
    """Whether words of their own name several cells: no "pens" of two kinds of pen."""
    told = [v for v in found.values if v.column == cells.col.index]
    names = {v.texts: v.mask for v in told if len(v.texts) == 1 and v.texts[0] in cells.texts}
    return len(names) > 1 and len(set(names.values())) == len(names)


_NAME = stem("name")


def _places(mask: int) -> Iterator[int]:
    return (i for i in range(mask.bit_length()) if mask >> i & 1)


def _beside(question: Question, place: int) -> int | None:
    """The place after a word and a "with" or "and their"."""
    words = [word.folded for word in question.words]
    if words[place + 1 : place + 2] not in (["with"], ["and"]):
        return None
    after = place + 2
    while after < len(words) and words[after] in _OWN | {"the"}:
        after += 1
    return after


def with_day(question: Question, tree: Tree, data: TableData) -> Tree:
    """A time of day that "when" asks for, with the day that another column tells."""
    if not isinstance(tree, Values) or len(tree.cols) != 1 or tree.order is not None:
        return tree
    columns, asked = data.columns, question.words[0].folded == "when"
    if not asked or columns[tree.cols[0].index].kind is not Kind.TIME:
        return tree
    held = {condition_column(cond) for cond in conditions_of(tree)}
    days = [i for i, column in enumerate(columns) if column.temporal or _tells_weekday(column)]
    if not days or held & set(days):
        return tree
    return replace(tree, cols=(Col(days[0]), *tree.cols))


def _tells_weekday(column: ColumnData) -> bool:
    known = {day.lower() for day in WEEKDAYS}
    return column.kind is Kind.TEXT and {text.strip().lower() for text in column.texts} <= known


def with_keys(question: Question, tree: Tree, data: TableData) -> Tree:
    """Names that rows share, of some rows, with the keys that tell these apart: not every "Post" is
    among the posts that are in stock. Rows that came about on a date are told by whom they are of.
    """
    if not isinstance(tree, Values) or len(tree.cols) != 1 or not isinstance(tree.rows, Where):
        return tree
    index, columns = tree.cols[0].index, data.columns
    if not tree.distinct or question.of("distinct") or any(c.temporal for c in columns):
        return tree
    if column_kind(columns[index]) == "person" or not is_first_label(index, data):
        return tree
    codes, chosen = columns[index].codes, Evaluator(data).rows(tree.rows)
    shared = np.isin(codes, codes[chosen]).sum() > len(np.unique(codes[chosen]))
    if not shared:
        return tree
    return replace(tree, cols=(Col(row_keys(index, data)[0]), *tree.cols), distinct=False)


def without_blanks(tree: Tree, data: TableData) -> Tree:
    """A list of different values without the blank: a cell left empty is none of them."""
    if not isinstance(tree, Values) or not tree.distinct or len(tree.cols) != 1:
        return tree
    col = tree.cols[0]
    filled = Filled(col)
    blank = (data.columns[col.index].encoded(col.facet).codes < 0).any()
    if not blank or not isinstance(tree.rows, All | Where):
        return tree
    if isinstance(tree.rows, All):
        return replace(tree, rows=Where(All(), (filled,)))
    return replace(tree, rows=replace(tree.rows, conds=(*tree.rows.conds, filled)))
