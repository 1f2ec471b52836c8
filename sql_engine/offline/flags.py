"""Columns that say yes or no of each row: in words of several languages, as 1 and 0, or by a tick.

Takes a column; gives the conditions under which it says yes and under which no, or None.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.tree import Col, Cond, In, Not
from sql_engine.words import fold, name_words

MAX_FLAGS = 4
"""Distinct texts of a column of yes and no."""


@dataclass(frozen=True, slots=True)
class Flag:
    """What a column of yes and no says."""

    yes: Cond
    no: Cond


def flag(index: int, column: ColumnData) -> Flag | None:
    """The conditions of the rows of which a column says yes, and of those of which it says no."""
    yes, no = yes_and_no(column)
    col = Col(index)
    if yes and no:
        return Flag(In(col, yes), In(col, no))
    if ticks := _ticks(column):
        return Flag(In(col, ticks), Not(In(col, ticks)))
    return None


def yes_and_no(column: ColumnData) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The published texts that say yes and no, of a column that says little else."""
    if len(column.texts) > MAX_FLAGS:
        return (), ()
    if column.kind is Kind.INTEGER:
        return _one_and_zero(column)
    folded = {text: fold(text.strip()) for text in column.texts}
    yes = tuple(text for text in column.texts if folded[text] in lexicon().yes)
    return yes, tuple(text for text in column.texts if folded[text] in lexicon().no)


def _one_and_zero(column: ColumnData) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """1 and 0, where nothing else is said and no number of things is meant: no "Goals"."""
    said = {text: text.strip() for text in column.texts}
    counts = column.name.strip().casefold().endswith("s") or bool(column.unit)
    counts = counts or bool(set(name_words(column.name)) & lexicon().quantities)
    if counts or set(said.values()) != {"0", "1"}:
        return (), ()
    one = tuple(text for text, plain in said.items() if plain == "1")
    return one, tuple(text for text, plain in said.items() if plain == "0")


def _ticks(column: ColumnData) -> tuple[str, ...]:
    """The texts of a column that holds a tick or nothing."""
    ticks = column.texts and all(fold(t.strip()) in lexicon().ticks for t in column.texts)
    blank = bool((column.encoded().codes < 0).any())
    return column.texts if column.kind is Kind.TEXT and ticks and blank else ()
