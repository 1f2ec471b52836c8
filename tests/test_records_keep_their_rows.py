"""No row of a plain record table is taken for the total of its neighbours.

Quantity and amount are proportional, so that two rows of one item often add up to a third in both.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.reading import read_source

PRICES = {"gravel": "9.80", "seed": "14.40", "bench": "310.00"}
ROWS = st.lists(
    st.tuples(st.sampled_from(sorted(PRICES)), st.integers(1, 9)), min_size=12, max_size=40
)


def table_of(heads: list[str], rows: list[list[str]]):
    records = [dict(zip(heads, row, strict=True)) for row in rows]
    return read_source(records, name="orders")[0].document.tables[0]


def amount(item: str, quantity: int) -> str:
    return f"{quantity * float(PRICES[item]):.2f}"


@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_rows_with_a_running_number_are_no_totals(rows):
    cells = [
        [str(7001 + place), str(quantity), amount(item, quantity)]
        for place, (item, quantity) in enumerate(rows)
    ]
    assert not table_of(["order", "quantity", "amount"], cells).totals


@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_rows_with_a_code_or_a_date_are_no_totals(rows):
    coded = [
        [f"A-{place}x", str(quantity), amount(item, quantity)]
        for place, (item, quantity) in enumerate(rows)
    ]
    dated = [[f"2025-03-{1 + place % 28:02}", *row[1:]] for place, row in enumerate(coded)]
    assert not table_of(["code", "quantity", "amount"], coded).totals
    assert not table_of(["placed", "quantity", "amount"], dated).totals


@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_rows_that_share_their_words_with_others_are_no_totals(rows):
    cells = [[item, str(quantity), amount(item, quantity)] for item, quantity in rows if quantity]
    table = table_of(["item", "quantity", "amount"], cells * 2)
    assert not table.totals


def test_a_labelled_total_below_records_is_still_found():
    rows = [["7001", "gravel", "10"], ["7002", "seed", "14"], ["", "Total", "24"]]
    assert table_of(["order", "item", "quantity"], rows).totals == {2}
