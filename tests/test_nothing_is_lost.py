"""Whatever a grid looks like, each of its cells is a value, a name, or set aside with a reason."""

import contextlib
import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.errors import SourceError
from retrieval.readers.delimited import read_delimited
from retrieval.reading import READERS
from retrieval.understand import understand

WORDS = "Item|Total|Note: x|Oslo|kg|(in euro)|a b c|* mark|Average|North:"
VALUES = "5|12|17|2024|1,200|n/a|2024-05-01|12%|-"
CELL = st.sampled_from(["", "", "", *WORDS.split("|"), *VALUES.split("|")])
SPARSE = st.integers(2, 5).flatmap(
    lambda width: st.lists(
        st.lists(CELL, min_size=width, max_size=width), min_size=1, max_size=14
    ).filter(lambda rows: any(map(any, rows)))
)


def told(result):
    """Every text that the reading keeps somewhere."""
    texts = [aside.text for report in result.report.tables for aside in report.set_aside]
    for table in result.document.tables:
        texts += [table.title, *(note.text for note in table.notes)]
        texts += [part for column in table.columns for part in column.path]
        texts += [cell for column in table.columns for cell in column.cells()]
    return " | ".join(texts)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=SPARSE)
def test_every_cell_is_kept_somewhere(rows):
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows(rows)
    result = understand(
        read_delimited(stream.getvalue().encode()), document="d", version="v", stem="d"
    )
    kept = told(result)
    assert [cell for row in rows for cell in row if cell not in kept] == []
    for report in result.report.tables:
        assert report.rows_kept + len(report.set_aside) + report.header_rows <= report.rows_seen
    if len(result.report.tables) == 1:
        (report,) = result.report.tables
        rows_told = report.rows_kept + len(report.set_aside) + report.header_rows
        assert rows_told == sum(map(any, rows))


@pytest.mark.parametrize("suffix", sorted(READERS))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.binary(min_size=1, max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_read_or_refused(suffix, data):
    with contextlib.suppress(SourceError):
        understand(READERS[suffix](data, suffix), document="d", version="v", stem="d")
