"""Long cells of one repeated piece are read at once: no pattern tries every way to part them."""

import pytest

from retrieval.reading import read_source

PIECES = ["7", "7.", "*", "[a]", "(b)", "$", "a ", "1,", "-", "12:", "Total ", "JAN ", "%"]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("end", ["", "x", "!"])
def test_a_long_cell_is_read_at_once(piece, end):
    cell = piece * 3000 + end
    rows = [["Item", "Note", "Sum"], ["a", cell, "3"], [cell, "b", "4"], ["Total", "", "7"]]
    (result,) = read_source(rows)
    assert result.document.tables[0].column("Note").cells()[0] == cell.strip()
