"""The words that a table's own names consist of, and the columns that tell its rows apart."""

from __future__ import annotations

from itertools import islice

from retrieval.table import Kind
from sql_engine.catalog import CatalogTable
from sql_engine.offline.columns import table_data
from sql_engine.offline.lexicon import lexicon
from sql_engine.words import fold, folded_words, name_words, split_name, stem

WHOLE_NAME = 0.95
"""Score from which words are the whole name of a column."""
LABEL_SCORE = 0.72
"""How well the name of a joined table names the column that labels its rows."""
IDENTIFIERS = {"id", "no", "number", "code", "name", "key", "ref", "num", "nr", "#"}


def label_column(table: CatalogTable) -> int | None:
    """The column that says what each row is called: a name or title, else its first text."""
    columns = enumerate(table.columns)
    texts = [i for i, c in columns if c.kind is Kind.TEXT and not c.as_text]
    for i in texts:
        if {"name", "titl"} & set(name_words(table.columns[i].name)):
            return i
    return texts[0] if texts else None


def bare_stems(name: str) -> tuple[str, ...]:
    """The stems of a name's words, without its unit: "Turnout %", "Size (sqm)"."""
    return tuple(filter(str.isalnum, name_words(without_unit(name))))


def unique(table: CatalogTable, column: int) -> bool:
    """Whether no two rows have the same value in a column."""
    return table_data(table).columns[column].encoded().unique


def names_each_row(table: CatalogTable, column: int) -> bool:
    """Whether it is the key, numbers the rows one by one ("Lot", no "Goals"), or is among the first
    texts, no two the same.
    """
    head = fold(table.columns[column].name)
    numbered = table_data(table).columns[column].numbers_in_order and singular(head) == head
    if column == table.table.key or numbered:
        return True
    texts = (i for i, c in enumerate(table.columns) if c.kind is Kind.TEXT and not c.as_text)
    return column in islice(texts, 2) and unique(table, column)


def _without_brackets(name: str) -> str:
    """A name without the brackets that end it; each sign is looked at once, however long it is."""
    *_, inside = name.rstrip().replace("]", ")").rpartition(")")[0].rpartition(")")
    opening = inside.replace("[", "(").find("(")
    if opening < 0 or not name.rstrip().endswith((")", "]")):
        return name
    return name.rstrip()[: opening - len(inside) - 1].rstrip()


def without_unit(name: str) -> str:
    """A name without the unit after it, in brackets or short: "Size (sqm)", "weight_kg"."""
    name = _without_brackets(name) or name
    *rest, last = split_name(name) or ("",)
    return " ".join(rest) if rest and _is_short_unit(fold(last)) else name


def _is_short_unit(folded: str) -> bool:
    """Whether a word is the short sign of a unit, and no word otherwise."""
    known = lexicon()
    signs = folded in known.currencies or folded in known.units
    return signs and 1 < len(folded) <= MAX_SIGN and folded not in _WORDS


MAX_SIGN = 3
"""Letters of the short sign of a unit: "kg", "eur"."""
_WORDS = frozenset(["day", "min", "sec", "std", "tag", "ton", "yr", "yrs"])
"""Units of few letters that may say more in a header: "Fare min"."""


def table_nouns(table: CatalogTable) -> set[str]:
    """The stems of the table's name and title, without small words."""
    return set(map(stem, table_words(table)))


def table_words(table: CatalogTable) -> set[str]:
    """The folded words of the table's name and title, without small words."""
    found = folded_words(" ".join((*split_name(table.name), table.table.title)))
    return set(found) - lexicon().function


def singular(folded: str) -> str:
    """A noun without the ending of its plural: what it is derived from, it is not."""
    return folded.removesuffix("s") if len(folded) > 3 and not folded.endswith("ss") else folded
