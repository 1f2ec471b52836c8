"""What a reading answers only in part, though it has a place for every word.

Takes the question with its tree; gives what is left unanswered, or None: the second of two totals,
a bound on what several rows come to, the month that a "best month" asks for.
"""

from __future__ import annotations

import re

from sql_engine.offline.columns import TableData
from sql_engine.offline.features import conditions_of
from sql_engine.offline.question import Question
from sql_engine.offline.tree import Agg, Cmp, Grouped, In, Top, Tree, Values, Within
from sql_engine.words import name_words, stem

_AND = re.compile(r"\band\b", re.IGNORECASE)
_WITH_AND_WITHOUT = re.compile(r"\bwith (?:and|or) without\b", re.IGNORECASE)
_TIME_UNITS = frozenset(["month", "monthly", "year", "quarter", "week", "day", "weekday"])


def half_answered(question: Question, tree: Tree, data: TableData) -> str | None:
    """What of the question the tree leaves unanswered."""
    if _gives_one_of_two(question, tree):
        return "two are asked for, and this is one"
    if _gives_one_column_of_two(question, tree, data):
        return "two things are asked for, and this is one"
    if _compares_single_rows(question, tree, data):
        return "a total is compared, and this compares single rows"
    if _tells_no_time(question, tree, data):
        return "a stretch of time is asked for, and this gives none"
    if _gives_what_bounds(question, tree, data):
        return "the first or last of a stretch of time is asked for, and this gives that stretch"
    return None


def _gives_one_of_two(question: Question, tree: Tree) -> bool:
    """Whether "the total of A and the total of B" is one number for both."""
    parted = isinstance(tree, Grouped) and bool(tree.keys)
    if _WITH_AND_WITHOUT.search(question.text):
        return not parted
    twice = len(question.apart("sum")) > 1 or len(question.apart("mean")) > 1
    one = isinstance(tree, Agg) or (isinstance(tree, Grouped) and not parted)
    merged = one and any(isinstance(c, In) and len(c.texts) > 1 for c in conditions_of(tree))
    return twice and merged and bool(_AND.search(question.text))


def _gives_one_column_of_two(question: Question, tree: Tree, data: TableData) -> bool:
    """Whether "the name and size of" is answered by one column."""
    asked = _TWO_OF.search(question.text)
    if asked is None or not isinstance(tree, Values | Grouped) or _outputs(tree) != 1:
        return False
    known = {"name"} | {word for column in data.columns for word in name_words(column.name)}
    return all(stem(noun.lower()) in known for noun in asked.groups())


_TWO_OF = re.compile(
    r"^\W*(?:what|which|list|show|give|find|return|tell|please)\b[^,]*?\b([^\W\d]+) and "
    r"(?:the |their |its |his |her )?([^\W\d]+) (?:of|for)\b",
    re.IGNORECASE,
)


def _outputs(tree: Values | Grouped) -> int:
    """How many columns are given; none where all are."""
    if isinstance(tree, Values):
        return len(tree.cols)
    return len(tree.keys) * tree.show_keys + len(tree.measures) * tree.show


def _compares_single_rows(question: Question, tree: Tree, data: TableData) -> bool:
    """Whether a bound "in total" is held against an amount of each row."""
    if not question.of("count_in_all"):
        return False
    if not question.of("compare_number", "compare_number_after"):
        return False
    bounds = (c for c in conditions_of(tree) if isinstance(c, Cmp | Within))
    held = any(data.columns[bound.col.index].amount for bound in bounds)
    counts = isinstance(tree, Agg) and tree.fn == "distinct"
    return held and (counts or (isinstance(tree, Values) and tree.distinct))


def _tells_no_time(question: Question, tree: Tree, data: TableData) -> bool:
    """Whether the "best month" is told by a row that no time belongs to."""
    if not isinstance(tree, Values) or not isinstance(tree.rows, Top):
        return False
    after = (t.last + 1 for t in question.of("superlative", "most", "least"))
    words = [question.words[i] for i in after if i < len(question.words)]
    ranked = name_words(data.columns[tree.rows.key.index].name)
    asked = any(_TIME_UNITS & {w.stem, w.folded} and w.stem not in ranked for w in words)
    shown = [data.columns[col.index] for col in tree.cols]
    return asked and not any(column.temporal or column.spans for column in shown)


def _gives_what_bounds(question: Question, tree: Tree, data: TableData) -> bool:
    """Whether "the last bus of the day" is answered by a column of days."""
    found = _OF_THE_TIME.search(question.text)
    if found is None or not isinstance(tree, Values) or not isinstance(tree.rows, Top):
        return False
    shown = [set(name_words(data.columns[col.index].name)) for col in tree.cols]
    return bool(shown) and all(stem(found[1].lower()) in names for names in shown)


_OF_THE_TIME = re.compile(r"\b(?:first|last)\b.*\bof the (day|week|month|year)\b", re.IGNORECASE)
