"""What the ranker sees of a tree: which operators it has, which columns it uses where, and whether
its answer is of the kind that the question asks for.

Every feature is one that any table has; nothing here names a table or a column.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cached_property

from retrieval.table import Kind
from sql_engine.offline.columns import IDENTIFIER_WORDS, ColumnData, TableData
from sql_engine.offline.either_or import ASKING_TRUTH, chooses, offered
from sql_engine.offline.evaluate import Denotation
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.parts import Features
from sql_engine.offline.question import Question, covering
from sql_engine.offline.tree import (
    Against,
    Agg,
    All,
    AnyOf,
    Arith,
    Beyond,
    Cmp,
    Col,
    Cond,
    Facet,
    Filled,
    Grouped,
    Holds,
    In,
    NoneOf,
    Not,
    Number,
    Once,
    Rows,
    Scalar,
    Shares,
    Shift,
    Slice,
    Tally,
    Top,
    Tree,
    Values,
    Where,
)
from sql_engine.words import fold, folded_words, name_words

_WH = ("how many", "how much", "how long", "who", "whom", "when", "where", "which", "what", "why")
_OPENERS = frozenset({"list", "show", "give", "find", "name", "return", "display"})
_PLACE = frozenset({"place", "locat", "citi", "countri", "venu", "site", "town", "state", "region"})
_PERSON = frozenset({"name", "person", "player", "driver", "author", "employe"})
_TIME = frozenset({"date", "year", "time", "season"})


# ---------------------------------------------------------------- the tree


def tags(tree: Tree) -> tuple[str, ...]:
    """The operators of a tree."""
    if isinstance(tree, Values):
        root = "project" if tree.cols else "whole rows"
        return (root + " distinct" * tree.distinct, *_row_tags(tree.rows))
    if isinstance(tree, Agg):
        return (tree.fn, *_row_tags(tree.rows))
    if isinstance(tree, Tally):
        return ("tally", *tags(tree.groups))
    if isinstance(tree, Grouped):
        kind = "groups" if tree.n is None else f"top groups {'+' if tree.largest else '-'}"
        kind = "having" if tree.having else kind
        return (kind, f"measure {tree.measures[0].fn}", *_row_tags(tree.rows))
    if isinstance(tree, Arith):
        return (f"arith {tree.op}", f"side {_side(tree.left)}")
    return ("holds",)


def _side(node: Scalar) -> str:
    return node.fn if isinstance(node, Agg) else type(node).__name__


def _row_tags(node: Rows) -> tuple[str, ...]:
    if isinstance(node, All):
        return ("all rows",)
    below = _row_tags(node.rows)
    if isinstance(node, Where):
        return (*(tag for cond in node.conds for tag in _cond_tags(cond)), *below[1:])
    if isinstance(node, Top):
        return (f"top {'+' if node.largest else '-'}", *below)
    if isinstance(node, Slice):
        return ("nth" if node.single else "last" if node.from_end else "first", *below)
    if isinstance(node, Once):
        return ("once", *below)
    return ("next" if node.by > 0 else "previous", *below)


def _cond_tags(cond: Cond) -> tuple[str, ...]:
    if isinstance(cond, Not | NoneOf):
        return ("not",)
    if isinstance(cond, AnyOf):
        return ("or",)
    if isinstance(cond, In):
        return ("in several",) if len(cond.texts) > 1 else ()
    if isinstance(cond, Filled):
        return ("filled",)
    if isinstance(cond, Against):
        return (f"against column {cond.op}",)
    if isinstance(cond, Beyond):
        whole = isinstance(cond.bound.rows, All)
        return (f"against {'average' if whole else 'one'} {cond.op}",)
    if isinstance(cond, Shares):
        return ("same",)
    return (f"compare {cond.op}",) if isinstance(cond, Cmp) else ("within",)


def places(tree: Tree) -> tuple[tuple[str, Col], ...]:
    """The columns of a tree with the place they stand in: output, key, measure."""
    return tuple(_places(tree))


def _places(node: Tree | Scalar | Rows) -> Iterator[tuple[str, Col]]:
    if isinstance(node, Values):
        yield from (("out", col) for col in node.cols)
        if node.order is not None:
            yield "order", node.order
        yield from _places(node.rows)
    elif isinstance(node, Agg):
        if node.col is not None:
            yield "measure", node.col
        yield from _places(node.rows)
    elif isinstance(node, Grouped):
        yield from (("out", col) for col in node.keys)
        yield from (("measure", m.col) for m in node.measures if m.col)
        yield from _places(node.rows)
    elif isinstance(node, Tally):
        yield from _places(node.groups)
    elif isinstance(node, Arith | Holds):
        yield from _places(node.left)
        if isinstance(node.right, Agg | Values | Arith) and _column_of(node.right) != _column_of(
            node.left
        ):
            yield from _places(node.right)
    elif isinstance(node, Top):
        yield "key", node.key
        if node.within is not None:
            yield "out", node.within
        yield from _places(node.rows)
    elif isinstance(node, Where | Slice | Shift | Once):
        yield from _places(node.rows)


def _column_of(node: Scalar) -> object:
    if isinstance(node, Agg):
        return node.col
    return node.cols if isinstance(node, Values) else node


def conditions_of(node: object) -> tuple[Cond, ...]:
    """The conditions of a tree's rows."""
    if isinstance(node, Where):
        return node.conds
    if isinstance(node, Arith | Holds):
        return conditions_of(node.left)
    if isinstance(node, All | Number):
        return ()
    return conditions_of(node.rows)  # type: ignore[attr-defined]


def columns_of(tree: Tree) -> set[int]:
    """The columns that a tree uses anywhere."""
    used = {col.index for _, col in places(tree)}
    for cond in _all_conditions(tree):
        _add_columns(cond, used)
    return used


def _all_conditions(node: object) -> Iterator[Cond]:
    if isinstance(node, Where):
        yield from node.conds
    if isinstance(node, Arith | Holds):
        yield from _all_conditions(node.left)
    elif not isinstance(node, All | Number | float):
        yield from _all_conditions(node.rows)  # type: ignore[attr-defined]


def _add_columns(cond: Cond, used: set[int]) -> None:
    if isinstance(cond, Not):
        _add_columns(cond.cond, used)
    elif isinstance(cond, AnyOf):
        for each in cond.conds:
            _add_columns(each, used)
    elif isinstance(cond, NoneOf):
        used.add(cond.key.index)
        _add_columns(cond.cond, used)
    else:
        used.add(cond.col.index)
        if isinstance(cond, Shares):
            for each in conditions_of(cond.rows):
                _add_columns(each, used)
        elif isinstance(cond, Against):
            used.add(cond.other.index)
        elif isinstance(cond, Beyond):
            for each in conditions_of(cond.bound):
                _add_columns(each, used)


def condition_column(cond: Cond) -> int:
    """The column that a condition is about; the first, of alternatives."""
    if isinstance(cond, Not | NoneOf):
        return condition_column(cond.cond)
    if isinstance(cond, AnyOf):
        return condition_column(cond.conds[0])
    return cond.col.index


# ---------------------------------------------------------------- kinds of answer


def question_word(question: Question) -> str:
    """The word that tells what kind of answer is wanted."""
    folded = [word.folded.removesuffix("'s") for word in question.words]
    if folded[0] in _OPENERS:
        return "list"
    if folded[0] in ASKING_TRUTH:
        return "truth"
    text = f" {' '.join(folded)} "
    found = [(text.find(f" {word} "), word) for word in _WH if f" {word} " in text]
    return min(found)[1] if found else "none"


def number_asked(question: Question) -> str:
    """Whether the noun after the question word is "singular" or "plural"; "unknown" without one."""
    words = question.words
    for i, word in enumerate(words[:-1]):
        if word.folded in ("which", "what", "list", "name"):
            noun = words[i + 1].folded
            if noun in ("are", "were"):
                return "plural"
            if noun in ("is", "was"):
                return "singular"
            return "plural" if noun.endswith("s") and not noun.endswith("ss") else "singular"
    return "unknown"


def answer_kind(tree: Tree, data: TableData) -> str:
    """What a tree puts out."""
    if isinstance(tree, Holds):
        return "truth"
    if isinstance(tree, Agg | Arith):
        return "number" if isinstance(tree, Arith) or tree.fn not in ("max", "min") else "extreme"
    if isinstance(tree, Tally):
        return "number"
    if isinstance(tree, Grouped):
        if tree.show:
            if not tree.show_keys:
                return "extreme"
            if not tree.keys:
                return "numbers"
            return "groups" if tree.largest is None or not tree.n else "group"
        return column_kind(data.columns[tree.keys[0].index])
    if len(tree.cols) != 1:
        return "rows"
    col = tree.cols[0]
    return "time" if col.facet is Facet.YEAR else column_kind(data.columns[col.index])


def column_kind(column: ColumnData) -> str:
    """The kind of answer that a column's cells are."""
    if column.answer_kind is None:
        column.answer_kind = _column_kind(column)
    return column.answer_kind


def _column_kind(column: ColumnData) -> str:
    stems = set(name_words(column.name))
    if column.temporal or column.kind is Kind.TIME or stems & _TIME:
        return "time"
    if column.numeric and not column.identifier:
        return "number"
    if not column.identifier and not stems & IDENTIFIER_WORDS and stems & _PERSON:
        return "name"
    if stems & (lexicon().who | lexicon().people) and not stems & IDENTIFIER_WORDS:
        return "person"
    if folded_words(column.name.replace("_", " "))[-1:] == ("by",) and column.kind is Kind.TEXT:
        return "person"  # "approved_by"
    return "place" if stems & _PLACE else "text"


# ---------------------------------------------------------------- one question, one table


class QuestionFeatures:
    """Features of trees for one question over one table."""

    def __init__(self, question: Question, found: Mentions, data: TableData) -> None:
        self._question = question
        self._found = found
        self._data = data
        self.word = question_word(question)

    @cached_property
    def _values(self) -> int:
        """Mask of the words that are cells, numbers or time: they say nothing of operators."""
        cells = (value for value in self._found.values if value.exact)
        return covering((*cells, *self._question.numbers, *self._question.periods))

    @cached_property
    def context(self) -> dict[str, float]:
        """What holds for every tree: how long the question is, how much of it is linked."""
        exact = [v.mask for v in self._found.values if v.exact]
        named = {m.column for m in self._found.columns if m.score >= 0.8}
        return {
            "question words": float(self._question.content.bit_count()),
            "question numbers": float(len(self._question.numbers)),
            "question cells": float(len(set(exact))),
            "question columns": float(len(named)),
            "question triggers": float(len(self._question.triggers)),
            "table rows": math.log1p(self._data.row_count),
            "table columns": float(len(self._data.columns)),
        }

    @cached_property
    def ngrams(self) -> tuple[str, ...]:
        """Words and pairs of words, with cells, numbers and time as one sign."""
        signs: list[str] = ["^"]
        for i, word in enumerate(self._question.words):
            sign = "#" if self._values >> i & 1 else word.folded
            if sign != "#" or signs[-1] != "#":
                signs.append(sign)
        pairs = [f"{one} {two}" for one, two in zip(signs, [*signs[1:], "$"], strict=True)]
        return tuple(dict.fromkeys([*signs[1:], *pairs]))

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """Stems of the words that are no cells."""
        words = self._question.words
        return tuple(
            dict.fromkeys(w.stem for i, w in enumerate(words) if not self._values >> i & 1)
        )

    @cached_property
    def headers(self) -> tuple[tuple[str, ...], ...]:
        """For each column, the stems of its name."""
        return tuple(tuple(dict.fromkeys(name_words(c.name))) for c in self._data.columns)

    @cached_property
    def _head(self) -> frozenset[int]:
        """Columns named right after the question word."""
        words = self._question.words
        known = {m.first: m.column for m in self._found.columns if m.score >= 0.5}
        for i, word in enumerate(words):
            if word.folded in ("which", "what", "what's", "many", "whose", "list", "name", "much"):
                after = [m for m in self._found.columns if i < m.first <= i + 3 and m.score >= 0.5]
                nearest = min((m.first for m in after), default=None)
                return frozenset(m.column for m in after if m.first == nearest)
        return frozenset({known[0]} if 0 in known else ())

    @cached_property
    def _after_superlative(self) -> frozenset[int]:
        found: set[int] = set()
        for trigger in self._question.triggers:
            if trigger.sense.operator in ("superlative", "most", "least", "maximum", "minimum"):
                found |= {
                    m.column
                    for m in self._found.columns
                    if 0 < m.first - trigger.last <= 2 and m.score >= 0.5
                }
        return frozenset(found)

    def of(self, tree: Tree) -> Features:
        """The features of one tree, before it is computed."""
        kind = answer_kind(tree, self._data)
        features = [(f"asks_{self.word}_gives_{kind}", 1.0)]
        if kind == "name" and self.word in ("which", "what") and self._asks_for_rows:
            features.append(("label_of_rows", 1.0))
        if isinstance(tree, Values) and isinstance(tree.rows, Top) and tree.rows.n > 1:
            repeating = any(not self._data.columns[c.index].encoded().unique for c in tree.cols)
            features.append(("top_repeating", float(repeating)))
        if self._manner:
            asked = {c.index for place, c in places(tree) if place in ("out", "measure")}
            features.append(("manner_said" if asked & self._manner else "manner_unsaid", 1.0))
        held = {condition_column(cond) for cond in conditions_of(tree)}
        for place, col in places(tree):
            if place == "out" and col.index in self._head:
                features.append(("out_head", 1.0))
            if place == "out" and col.index in held - self._offered:
                features.append(("out_is_condition", 1.0))
            if place in ("key", "measure") and col.index in self._after_superlative:
                features.append((f"{place}_after_superlative", 1.0))
            if place == "out" and col.index == 0:
                features.append(("out_first_column", 1.0))
            if self._data.columns[col.index].column.as_text:
                features.append((f"{place}_as_text", 1.0))
        return tuple(features)

    @cached_property
    def _manner(self) -> frozenset[int]:
        """Columns whose name or unit says what "how long" or "how many people" asks for."""
        words, found = self._question.words, set()
        for one, two in itertools.pairwise(words):
            hints = lexicon().manner.get(two.folded, frozenset())
            if one.folded == "how" and hints:
                found |= {i for i, says in enumerate(self._says) if hints & says}
        return frozenset(found)

    @cached_property
    def _says(self) -> list[set[str]]:
        return [
            {*name_words(c.name), *name_words(c.column.source.type.unit or "")}
            for c in self._data.columns
        ]

    @cached_property
    def _asks_for_rows(self) -> bool:
        """Whether the noun right after the question word names the rows."""
        counted = covering(self._question.numbers)
        for i, word in enumerate(self._question.words):
            if word.folded in ("which", "what"):
                return bool(self._found.rows >> (i + 1 + (counted >> (i + 1) & 1)) & 1)
        return False

    @cached_property
    def _offered(self) -> frozenset[int]:
        """The columns of which the question offers two cells: one of them is the answer."""
        return offered(self._question, self._found)

    @cached_property
    def _plural(self) -> str:
        """Whether the noun after the question word is plural."""
        return number_asked(self._question)

    @cached_property
    def _said(self) -> str:
        return f" {' '.join(folded_words(self._question.text))} "

    def of_result(self, tree: Tree, denotation: Denotation) -> Features:
        """What the result itself says for or against a tree."""
        features = [("empty", float(denotation.empty))]
        single = isinstance(tree, Values | Grouped)
        size = "0" if denotation.count == 0 else "1" if denotation.count == 1 else "several"
        if denotation.count > 10:
            size = "many"
        if single:
            features.append((f"gives_{size}_asks_{self.word}", 1.0))
            features.append((f"gives_{size}_{self._plural}", 1.0))
        if isinstance(tree, Agg | Arith | Tally) and denotation.rows[0][0] in (0, None):
            features.append(("number_zero", 1.0))
        if isinstance(tree, Agg) and tree.fn in ("count", "distinct"):
            features.append((f"counts_{min(3, int(denotation.rows[0][0] or 0))}", 1.0))  # type: ignore[arg-type]
        chosen = self._offered and chooses(tree, self._offered)
        if single and not chosen and 0 < denotation.count <= 3 and len(denotation.rows[0]) == 1:
            texts = [" ".join(folded_words(str(row[0]))) for row in denotation.rows]
            if all(text and f" {text} " in self._said for text in texts):
                features.append(("answer_in_question", 1.0))
        if isinstance(tree, Values) and isinstance(tree.rows, Top) and tree.rows.n > 1:
            repeated = len(tree.cols) == 1 and len(set(denotation.rows)) < len(denotation.rows)
            features.append(("repeated_top", float(repeated)))
        return tuple(features)


__all__ = ["QuestionFeatures", "fold", "places", "tags"]
