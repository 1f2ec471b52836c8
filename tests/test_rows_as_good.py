"""How many rows hold the named cell as well as the best one does."""

from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.build import build_table
from retrieval.index import Index
from retrieval.table import Document

CELLS = st.sampled_from(["north", "north east", "south", "non-north", "of the north", ""])


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=3, max_size=30))
def test_the_rows_that_hold_a_named_cell_are_counted(rows):
    shores, coasts = zip(*rows, strict=True)
    keys = [f"k{number}" for number in range(len(rows))]
    table = build_table(
        [(("key",), keys), (("shore",), list(shores)), (("coast",), list(coasts))],
        document="piers",
        name="piers",
    )
    index = Index()
    index.add(Document("piers", "1", (table,), ()))
    named = sum("north" in row for row in rows)
    if named:
        assert index.search_rows("Which pier is in the north?").total == named
