"""The column that says what the rows are, beside a key that tells them apart: SKU and "Product".

Several rows may have the same name, so that a name alone tells no single row. Takes arrays.
"""

from __future__ import annotations

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData
from sql_engine.offline.repeated import things_of_kind


def is_first_label(index: int, data: TableData) -> bool:
    """Whether a column is the first that says what the rows are, beside one that numbers them, and
    tells nothing else of its values.
    """
    numbered = row_keys(index, data)
    columns = data.columns
    texts = [i for i, column in enumerate(columns) if column.kind is Kind.TEXT]
    labels = [i for i in texts if i not in numbered]
    return bool(numbered) and labels[:1] == [index] and not things_of_kind(data, index)


def row_keys(index: int, data: TableData) -> list[int]:
    """The columns before a label that number the rows and do not name them."""
    return [i for i in range(index) if _numbers_rows(data.columns[i])]


def _numbers_rows(column: ColumnData) -> bool:
    """Whether a column numbers the rows and does not name them: "R.12", no "Ada"."""
    digits = sum(any(map(str.isdigit, text)) for text in column.texts)
    return column.encoded().unique and digits == len(column.texts) and not column.temporal
