"""Large plain files are cut by arrays to the same cells as by the parser."""

import csv
import io

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.readers.rectangular import rectangular_strips

CELLS = st.text("ab 1é€.-", max_size=20)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=st.integers(2, 4).flatmap(
        lambda width: st.lists(
            st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=12
        )
    ),
    newline=st.sampled_from(["\n", "\r\n"]),
    closed=st.booleans(),
)
def test_arrays_and_the_parser_give_the_same_cells(rows, newline, closed):
    text = newline.join(",".join(row) for row in rows) + (newline if closed else "")
    strips = rectangular_strips(text.encode(), ",")
    parsed = list(csv.reader(io.StringIO(text, newline="")))
    assert strips is not None
    columns = [[cell.strip() for cell in column] for column in zip(*parsed, strict=True)]
    assert [strip.cells() for strip in strips] == columns
    for strip in strips:
        assert len(set(strip.texts)) == len(strip.texts)


def test_files_that_are_not_rectangular_are_left_to_the_parser():
    for text in ('a,b\n"1",2\n', "a,b\n1\n", "a,b\n\n1,2\n", "a,b\r1,2\r", "a\nb\n"):
        assert rectangular_strips(text.encode(), ",") is None
    assert rectangular_strips(("a,b\n" + "x" * 70 + ",1\n").encode(), ",") is None
