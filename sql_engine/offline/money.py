"""Which columns hold money, and which of it comes in: told by their unit or their name."""

from __future__ import annotations

from sql_engine.offline.columns import ColumnData
from sql_engine.offline.lexicon import lexicon
from sql_engine.words import name_words


def holds_money(column: ColumnData) -> bool:
    """Whether a column's unit is a currency, or its name one of money."""
    unit = (column.unit or "").casefold()
    told = bool(lexicon().currencies & {unit, *unit.split(), unit[:1]})
    return told or bool(set(name_words(column.name)) & lexicon().money_named)


def is_income(column: ColumnData) -> bool:
    """Whether a column's name is one of money that comes in: "Revenue", no "Sale price"."""
    named, known = set(name_words(column.name)), lexicon()
    return bool(named & known.money_income) and not named & known.money_costing
