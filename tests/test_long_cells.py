"""Long cells are read and asked about at once: no pattern tries every way to part them, and nothing
is done for every letter of a word over all of it.
"""

import pytest

from retrieval.reading import read_source
from router import Router

PIECES = ["7", "7.", "*", "[a]", "(b)", "$", "a ", "1,", "-", "12:", "Total ", "JAN ", "%"]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("end", ["", "x", "!"])
def test_a_long_cell_is_read_at_once(piece, end):
    cell = piece * 3000 + end
    rows = [["Item", "Note", "Sum"], ["a", cell, "3"], [cell, "b", "4"], ["Total", "", "7"]]
    (result,) = read_source(rows)
    assert result.document.tables[0].column("Note").cells()[0] == cell.strip()


SIZE = 300_000
LONG = {
    "one word": "x" * SIZE,
    "hexadecimal": "".join(f"{n * 2654435761 % 2**32:08x}" for n in range(SIZE // 8)),
    "minified": "".join(f'{{"id":{n},"v":[{n},{n}]}},' for n in range(SIZE // 24)),
    "blanks": "a" + " " * SIZE + "b",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", LONG)
def test_a_table_with_a_long_cell_is_asked_at_once(kind):
    rows = [
        ["id", "text", "size"],
        ["1", "short", "3"],
        ["2", LONG[kind], "4"],
        ["3", "brief", "5"],
    ]
    with Router(writer="offline") as tables:
        tables.add(rows, name="notes")
        assert tables.ask("what is the text of id 3").value == "brief"
        assert tables.ask("how many rows are there?").value == 3
        assert tables.ask("what is the total size?").value == 12


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["x", "(", "[[", "0a1b2c3d4e5f+/Ab "])
def test_a_table_with_a_long_header_is_asked_at_once(piece):
    header = piece * (60_000 // len(piece))
    rows = [["id", header, "size"], ["1", "short", "3"], ["2", "brief", "4"]]
    with Router(writer="offline") as tables:
        tables.add(rows, name="notes")
        assert tables.ask("what is the size of id 2").value == 4
