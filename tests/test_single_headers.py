"""A table with one header line keeps it: no second line is joined to it, no cell of it changed."""

import csv
import datetime as dt
import io

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from retrieval.readers.delimited import read_delimited
from retrieval.understand import understand

NAMES = """
Item,Year,No.,2019,2020,Q1,Q2,Weight (kg),Share %,Total,Date,Price,Price EUR,Unit,Notes,Rank,1st,2nd
Opened > closed,# of shops
"""
NAMES = NAMES.strip().replace("\n", ",").split(",")
KINDS = {
    "name": st.sampled_from(["Ann Lee", "North Hill", "Bo", "Oslo", "Mug", "Old Pan", "kg", "Lid"]),
    "long": st.sampled_from(["sold in the shop by the lake since May", "see the list", "closed"]),
    "number": st.integers(-40, 1400).map(str),
    "marked": st.sampled_from(["1,200", "$950", "(120)", "12%", "1,520*", "7.50", "3 kg"]),
    "date": st.dates(dt.date(1900, 1, 1), dt.date(2090, 1, 1)).map(str),
    "year": st.integers(1950, 2024).map(str),
    "code": st.integers(1, 999).map(lambda n: f"A-{n:03}"),
}
GAPS = st.sampled_from(["n/a", "-", ""])


@st.composite
def tables(draw):
    """A line of names over rows of one kind a column, some cells missing."""
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=2, max_size=6))
    names = draw(st.permutations(NAMES).filter(lambda names: not names[0].isdigit()))
    names = [
        f"{name} AD" if kind == "year" else name for name, kind in zip(names, kinds, strict=False)
    ]
    lone = draw(st.integers(0, len(kinds) - 1))
    if draw(st.booleans()) and lone and len(kinds) > 2:
        names[lone] = draw(st.sampled_from(["", names[0]]))
    rows = []
    for _ in range(draw(st.integers(3, 12))):
        row = [draw(KINDS[kind]) for kind in kinds]
        if len(kinds) > 2 and draw(st.integers(0, 5)) == 0:
            gap = draw(st.integers(1, len(kinds) - 1))
            row[gap] = draw(GAPS)
        rows.append(row)
    return names, rows


def usable(names):
    taken, found = set(), []
    for place, name in enumerate(names, 1):
        name = base = name or f"column_{place}"
        count = 1
        while name.casefold() in taken:
            count += 1
            name = f"{base}_{count}"
        taken.add(name.casefold())
        found.append(name)
    return found


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(table=tables())
@example((["Tea", "", "Weight"], [["Ara", "A-001", "3 kg"], *[["Bel", "A-02", "7.5"]] * 3]))
@example((["Item", "Year", ""], [["A-001", "A-001", ""], *[["A-001"] * 3] * 3]))
@example(
    (
        ["Cup", "", "No."],
        [["3 kg", "A-150", "A-518"], ["7.5", "A-7", "A-2"], ["3 kg", "A-1", "A-9"]],
    )
)
@example((["Tea", "", "Limit"], [["Ara", "A-001", "none"], *[["Bel", "A-02", "7.5"]] * 3]))
def test_a_single_header_line_is_never_altered(table):
    names, rows = table
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    source = read_delimited(stream.getvalue().encode())
    result = understand(source, document="d", version="v", stem="d")
    (read,), (report,) = result.document.tables, result.report.tables
    assert report.header_lines == (1,)
    assert [column.name for column in read.columns if not column.derived] == usable(names)
    assert list(read.row(0))[: len(names)] == rows[0]
