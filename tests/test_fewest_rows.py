"""How many rows went into a query at least, as cell counts tell it: never more than there are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llm_world import table

from sql_engine.catalog import Catalog
from sql_engine.database import Database
from sql_engine.guard import check
from sql_engine.provenance import fewest_rows, provenance

DAMS = table(
    "dams",
    "world",
    0,
    river=["Inn", "Inn", "Inn", "Lech", "Inn", "Lech", "n/a", "Inn"],
    kind=["arch", "arch", "earth", "arch", "arch", "earth", "arch", "arch"],
    height=["30", "40", "12", "55", "60", "9", "22", "31"],
)
CATALOG = Catalog().with_tables((DAMS,))
(ENTRY,) = CATALOG.tables
CONDITIONS = [
    "river = 'Inn'",
    "river = 'inn'",
    "kind = 'arch'",
    "kind = 'earth'",
    "river = 'n/a'",
    "kind <> 'arch'",
    "height > 30",
    "height = '30'",
]


@pytest.fixture(scope="module")
def database():
    database = Database(workers=1, spares=0)
    yield database
    database.close()


def counted(sql, database):
    """The rows that the query for their positions finds, without its cap."""
    rows_sql = provenance(sql, max_rows=100).rows_sql
    return len(database.execute(check(rows_sql, CATALOG)).rows)


@pytest.mark.parametrize(
    ("sql", "fewest"),
    [
        ("SELECT COUNT(*) FROM dams", 8),
        ("SELECT kind, AVG(height) FROM dams GROUP BY kind ORDER BY 2 LIMIT 1", 8),
        ("SELECT COUNT(*) FROM dams WHERE river = 'Inn'", 5),
        ("SELECT COUNT(*) FROM dams d WHERE d.river = 'Inn' AND d.kind = 'arch'", 3),
        ("SELECT COUNT(*) FROM dams WHERE river = 'Lech' AND kind = 'earth'", 0),
        ("SELECT COUNT(*) FROM dams WHERE river = 'Inn' OR kind = 'arch'", 0),
        ("SELECT COUNT(*) FROM dams WHERE height > 20", 0),
    ],
)
def test_rows_are_counted_from_the_cells_where_texts_are_equalled(database, sql, fewest):
    assert fewest_rows(provenance(sql), ENTRY) == fewest
    assert fewest <= counted(sql, database)


@settings(max_examples=30, deadline=None)
@given(chosen=st.lists(st.sampled_from(CONDITIONS), max_size=3, unique=True))
def test_never_more_rows_are_told_than_went_in(database, chosen):
    where = f" WHERE {' AND '.join(chosen)}" if chosen else ""
    sql = f"SELECT MAX(height) FROM dams{where}"
    assert fewest_rows(provenance(sql), ENTRY) <= counted(sql, database)
