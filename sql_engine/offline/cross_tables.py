"""Tables of figures: a row for each kind of thing, a column for each figure of it.

"How many marriages were there in Hull" asks such a table for a figure, never for how many of its
rows are called Hull. Takes the arrays of a relation; tells whether they are such a table.
"""

from __future__ import annotations

from sql_engine.offline.columns import ColumnData, TableData, holds_years

FEWEST_FIGURES = 2


def is_cross_table(data: TableData) -> bool:
    """Whether the first columns tell the rows apart, and all others are figures."""
    columns = [column for column in data.columns if not column.column.as_text]
    if any(column.repeats or column.counts for column in columns) or not columns:
        return False
    labels = [column for column in columns if _labels(column)]
    figures = len(columns) - len(labels)
    if figures < max(FEWEST_FIGURES, len(labels)) or not _labels(columns[0]):
        return False
    told = zip(*(column.encoded().codes.tolist() for column in labels), strict=True)
    return len(set(told)) == data.row_count


def _labels(column: ColumnData) -> bool:
    return not column.measured or holds_years(column)
