"""The verb that the rows of a table stand for: loans that all have a date "Borrowed" are of
borrowing.

Takes a catalog column; gives the verb's stem. A date that some rows lack tells no such verb: there
it is a condition.
"""

from __future__ import annotations

from retrieval.table import TEMPORAL
from sql_engine.catalog import CatalogColumn
from sql_engine.words import folded_words, stem


def deed(column: CatalogColumn) -> str:
    """The stem of the participle that alone names a date which every row has; "" for others."""
    said = folded_words(column.name)
    if column.kind not in TEMPORAL or len(said) != 1 or not said[0].endswith("ed"):
        return ""
    return stem(said[0]) if not column.profile.nulls else ""
