"""Comparisons that a question states ("more than 20 laps", "before 1932"), and rows that meet them.

Takes a `Question` and a table; tells for each comparison which column it is about (the one whose
header is said nearest) and which rows satisfy it. Only ranks rows: nothing is filtered here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval.hashing import Ints
from retrieval.question import Question
from retrieval.table import EMPTY, NUMERIC, TEMPORAL, Column, Table
from retrieval.tokenize import STOP_WORDS, tokens

_UP = "over above after exceeding since"
_DOWN = "under below before until"
_BARE = frozenset(f"{_UP} {_DOWN}".split())
"""Words of comparison that need no "than"."""
_ABOVE = frozenset(f"{_UP} more greater higher larger bigger longer later older".split())
_BELOW = frozenset(f"{_DOWN} less fewer lower smaller shorter earlier younger".split())
_DENYING = frozenset(["no", "not"])
_LEAST, _MOST = ("at", "least"), ("at", "most")
_VALUE = re.compile(r"\W{0,3}?([+-]?\d+(?:\.\d+)?)")

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Bound:
    """A comparison with a number."""

    above: bool
    inclusive: bool
    value: float
    start: int
    """Index of the first word."""
    stop: int
    """Index after the number."""
    in_time: bool
    """Worded as one of time: "before 1932"."""

    def met(self, values: npt.NDArray[np.float64]) -> Flags:
        """Which values satisfy it; none that is not a number."""
        beyond = values > self.value if self.above else values < self.value
        return beyond | (values == self.value) if self.inclusive else beyond


def bounds(question: Question) -> tuple[Bound, ...]:
    """The comparisons that the question states, in order."""
    texts = [word.text for word in question.words]
    found = (_bound(texts, i) for i, text in enumerate(texts) if text[0].isdecimal())
    return tuple(bound for bound in found if bound is not None)


def _bound(texts: Sequence[str], number: int) -> Bound | None:
    if not re.fullmatch(r"\d+(\.\d+)?", texts[number]):
        return None
    before = tuple(texts[max(0, number - 2) : number])
    after = tuple(texts[number + 1 : number + 3])
    value, stop = float(texts[number]), number + 1
    if before in (_LEAST, _MOST):
        return Bound(before == _LEAST, True, value, number - 2, stop, False)
    if after[:1] == ("or",) and len(after) == 2 and after[1] in _ABOVE | _BELOW:
        return Bound(after[1] in _ABOVE, True, value, number, stop + 2, False)
    worded = before[0] if len(before) == 2 and before[1] == "than" else "".join(before[-1:])
    if worded not in _ABOVE | _BELOW or (worded not in _BARE and before[-1] != "than"):
        return None
    above, inclusive = worded in _ABOVE, worded == "since"
    start = number - (2 if before[-1] == "than" else 1)
    if texts[max(0, start - 1)] in _DENYING and before[-1] == "than":
        above, inclusive, start = not above, True, start - 1
    in_time = worded in ("before", "after", "since", "until", "later", "earlier")
    return Bound(above, inclusive, value, start, stop, in_time)


def rows_meeting(bound: Bound, question: Question, table: Table, positions: Ints) -> Flags | None:
    """Which of the rows at `positions` satisfy `bound`; None where no column is meant by it."""
    number = _column(bound, question, table)
    if number is None:
        return None
    column = table.columns[number]
    codes = column.codes[positions]
    distinct = np.unique(codes).tolist()
    values = {code: _value(bound, column, code) for code in distinct}
    return bound.met(np.array([values[code] for code in codes.tolist()]))


def _column(bound: Bound, question: Question, table: Table) -> int | None:
    """The column of values whose header is said nearest to the comparison."""
    said: dict[str, int] = {}
    for i in question.content:
        away = max(1, bound.start - i, i - bound.stop + 1)
        for token in question.words[i].tokens:
            said[token] = min(away, said.get(token, away))
    best, nearest = None, 0.0
    for number, column in enumerate(table.columns):
        if not _has_values(column):
            continue
        header = set(tokens(column.name)) - STOP_WORDS
        near = sum(1 / said[token] for token in header if token in said) / max(1, len(header))
        if near > nearest:
            best, nearest = number, near
    if best is None and bound.in_time:
        timed = [i for i, c in enumerate(table.columns) if c.type.kind in TEMPORAL or _is_year(c)]
        return timed[0] if len(timed) == 1 else None
    return best


def _has_values(column: Column) -> bool:
    return column.type.kind in NUMERIC | TEMPORAL or any(map(_starts_number, column.texts[:3]))


def _starts_number(text: str) -> bool:
    return _VALUE.match(text) is not None


def _is_year(column: Column) -> bool:
    return {"year", "season", "date"}.intersection(tokens(column.name)) != set()


def _value(bound: Bound, column: Column, code: int) -> float:
    """A cell as a number: the year of a date where the comparison is with a year."""
    if code == EMPTY:
        return float("nan")
    text = column.texts[code]
    if column.canonical is not None:
        text = column.canonical[code] or text
    if bound.in_time and (column.type.kind in TEMPORAL or not text.isdecimal()):
        year = re.search(r"(?<!\d)[12]\d{3}(?!\d)", text)
        return float(year.group()) if year else float("nan")
    found = _VALUE.match(text.replace(",", ""))
    return float(found.group(1)) if found else float("nan")
