"""Whether the rows that are told are all that the question's words name.

Takes a row that was found and the rows that are told with it; gives the rows that hold the same
whole cells. A plural ("ships") that is only a piece of a cell of which nothing else is asked
("Holm Shipping") says what rows are called, and leaves none of them out.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from retrieval.hits import RowHit
from retrieval.table import Column, Table
from retrieval.word_forms import singular
from router.coverage import Stems, stems_of
from sql_engine.words import stem


def named_as_well(question: str, table: Table, hit: RowHit, told: Collection[int]) -> int:
    """How many rows have all the cells that the question names of this one; 0 where all of them are
    told, or where other words of the question tell the row from them.
    """
    asked = stems_of([question])
    cells = [(c, stems_of([c.text_at(hit.row_position)])) for c in table.columns if not c.derived]
    whole = [(column, said) for column, said in cells if said and said <= asked]
    accounted = {word for _, said in whole for word in said}
    rest = [word for word in hit.coverage.cell_words if stem(word) not in accounted]
    if not whole or not all(_is_piece(word, cells, asked) for word in rest):
        return 0
    same = np.ones(table.row_count, bool)
    for column, _ in whole:
        same &= column.codes == column.codes[hit.row_position]
    rows = set(np.flatnonzero(same).tolist()) - table.totals
    return len(rows) if rows - set(told) else 0


def _is_piece(word: str, cells: list[tuple[Column, Stems]], asked: Stems) -> bool:
    """Whether a plural stands in cells of the row alone of which no other word is asked."""
    holding = [said for _, said in cells if stem(word) in said]
    plural = singular(word) != word or (word.endswith("s") and not word.endswith("ss"))
    return plural and all(said & asked == {stem(word)} for said in holding)
