from pathlib import Path

import pytest
from test_index import index_of, table

from retrieval.build import build_table
from retrieval.context import (
    asked_columns,
    best_at_the_ends,
    context,
    estimated_tokens,
    table_slices,
    widened,
)
from retrieval.index import Index
from retrieval.serialize import row_text
from retrieval.table import Document, Table
from router import Router
from router.errors import UsageError

DATA = Path(__file__).parent / "data" / "retrieval"


def loaded(name: str, title: str) -> tuple[Index, Table]:
    text = (DATA / f"{name}.csv").read_text(encoding="utf-8")
    one = table(text, f"{name}.csv", title=title)
    return index_of(Document(one.document, "v", (one,))), one


EVENTS, EVENT_TABLE = loaded("insured_events", "Insured events")


def cases() -> list[tuple[str, str]]:
    lines = (DATA / "widening.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    return [(question, wanted) for question, wanted in pairs]


def names_given(question: str) -> list[str]:
    matching = EVENTS.matching_rows(question, EVENT_TABLE.table_id)
    rows = widened(matching, EVENT_TABLE)
    return [EVENT_TABLE.row(row)[0] for row in rows]


@pytest.mark.parametrize(("question", "wanted"), cases())
def test_a_question_gets_the_rows_it_names_or_the_whole_table(question, wanted):
    if wanted == "*":
        assert len(names_given(question)) == EVENT_TABLE.row_count
    else:
        assert sorted(names_given(question)) == sorted(wanted.split("; "))


def test_the_context_of_one_row_is_a_small_part_of_the_table():
    targeted = [question for question, wanted in cases() if ";" not in wanted and wanted != "*"]
    whole = len("\n".join(table_slices(EVENT_TABLE)))
    rows = [EVENTS.search_rows(question, 1)[0] for question in targeted]
    text = "".join(" | ".join(row.cells.values()) for row in rows)
    assert whole / (len(text) / len(rows)) > 35
    for question in targeted:
        matching = EVENTS.matching_rows(question, EVENT_TABLE.table_id)
        assert len(context(question, EVENT_TABLE, matching)) < 0.1 * whole


def test_one_layer_type_is_asked_for_and_then_all():
    index, layers = loaded("network_layers", "Layer types of neural networks")
    one = index.matching_rows("What is the convolutional layer good for?", layers.table_id)
    assert widened(one, layers) == [1]
    every = index.matching_rows("Which layer types are there?", layers.table_id)
    assert widened(every, layers) == [0, 1, 2, 3]


def test_a_sub_table_has_the_row_name_and_the_columns_said():
    question = "What is the deductible for an earthquake?"
    assert asked_columns(question, EVENT_TABLE, [12]) == [0, 2]
    matching = EVENTS.matching_rows(question, EVENT_TABLE.table_id)
    assert (
        context(question, EVENT_TABLE, matching).splitlines()[-1] == "| Earthquake | 10,000 EUR |"
    )


def test_every_slice_repeats_the_header_and_no_row_is_lost():
    slices = list(table_slices(EVENT_TABLE, max_tokens=200))
    assert len(slices) > 3
    assert all("| Event | Cap | Deductible | Condition |" in part for part in slices)
    assert all(estimated_tokens(part) <= 200 for part in slices)
    rows = [line for part in slices for line in part.splitlines()[4:]]
    assert len(rows) == EVENT_TABLE.row_count


def test_the_best_evidence_stands_first_and_last():
    assert best_at_the_ends([1, 2, 3, 4, 5]) == [1, 3, 5, 4, 2]
    assert best_at_the_ends([1]) == [1]


def test_a_small_table_comes_whole_with_its_rows_where_that_is_asked_for():
    tables = Router(writer="offline")
    tables.add([["pier", "depth"], ["Northgate", "4"], ["South", "9"]], name="piers")
    entries = [{"log": f"L-{i}", "entry": f"{i} {'calm sea ' * 20}"} for i in range(100)]
    tables.add(entries, name="logs")
    (hit,) = tables.lookup("depth of Northgate", k=1, payload="table")
    found = tables.lookup("depth of Northgate", k=1, payload="table").tables
    assert list(found) == [hit.table_id]
    assert "| South | 9 |" in found[hit.table_id]
    assert not tables.lookup("depth of Northgate").tables
    assert not tables.lookup("Northgate", k=1, payload="near").tables
    assert list(tables.lookup("depth of Nortgate", payload="near").tables) == [hit.table_id]
    large = tables.lookup("entry of L-7", k=1, payload="table")
    assert (large.tables, list(large.parts)) == ({}, [large[0].table_id])
    told = large.parts[large[0].table_id]
    assert told.startswith("1 of 100 rows, 2 of 2 columns")
    assert "| L-7 | 7 calm sea" in told
    with pytest.raises(UsageError):
        tables.lookup("Northgate", payload="cell")


def test_a_card_tells_size_key_ranges_and_the_most_frequent_cells():
    tables = Router(writer="offline")
    head = ["boat", "harbour", "crew", "built", "share"]
    rows = [
        [f"B-{i}", "Leith" if i % 3 else "Vigo", str(i), f"19{i}-05-01", ""] for i in range(10, 22)
    ]
    tables.add([head, *rows], name="boats")
    assert tables.describe("boats").card.splitlines() == [
        "boats",
        '12 rows, each named by "boat"',
        "- boat (text): 12 different, such as B-10, B-11, B-12",
        "- harbour (text): Leith, Vigo",
        "- crew (integer): 10 to 21",
        "- built (date): 1910-05-01 to 1921-05-01",
        "- share (text): empty",
    ]


def test_a_card_and_a_description_leave_totals_rows_out():
    tables = Router(writer="offline")
    rows = [["pier", "boats"], ["North", "3"], ["South", "5"], ["Total", "8"]]
    tables.add(rows, name="piers")
    told = tables.describe("piers")
    assert told.card.splitlines()[-2:] == [
        "- pier (text): South, North",
        "- boats (integer): 3 to 5",
    ]
    assert [(c.distinct, c.empty) for c in told.columns] == [(2, 0), (2, 0)]
    assert "Total" not in told.columns[0].samples


def test_a_name_under_no_header_is_told_once():
    piers = build_table(
        [((), ["Quay", "Mole"]), (("depth",), ["4", "7"])], document="d", name="piers", key=0
    )
    assert row_text(piers, 1) == "[Table: piers] [Row: Mole] depth: 7"
    assert row_text(piers, 1, format="triples") == "piers\nMole | depth | 7"
    assert "Mole" in row_text(piers, 1, format="sentence")
