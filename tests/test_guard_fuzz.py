"""Mutated SQL is a query or one of our errors, whatever it says."""

from hypothesis import given, settings
from hypothesis import strategies as st
from shop import shop
from test_guard import ACCEPTED, INVALID, REFUSED

from sql_engine import guard
from sql_engine.errors import InvalidQuery, Refused

CATALOG = shop()
NAMES = {table.name for table in CATALOG}

statement = st.sampled_from([sql for sql in ACCEPTED + REFUSED + INVALID if len(sql) < 500])
piece = st.sampled_from(
    (
        "SELECT",
        "FROM vault",
        "(",
        ")",
        "'",
        '"',
        ";",
        "--",
        "/*",
        "*/",
        "$$",
        "\u200b",
        "\x00",
        "\ud800",
    )
) | st.text(max_size=3)


@settings(max_examples=150, deadline=None)
@given(statement, statement, st.data())
def test_mutated_sql_is_a_query_or_an_error_of_ours(one, other, data):
    cut = data.draw(st.integers(0, len(one)))
    rest = data.draw(st.integers(0, len(other)))
    sql = one[:cut] + data.draw(piece) + other[rest:]
    try:
        query = guard.check(sql, CATALOG)
    except (Refused, InvalidQuery):
        return
    assert {table.name for table in query.tables} <= NAMES
    assert query.running in sql or query.notes or "_row" in sql.lower()
