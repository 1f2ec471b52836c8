"""A column's profile: what its values look like to SQL."""

from llm_world import CATALOG, table

from sql_engine.catalog import sql_columns


def profiles(**columns):
    return {column.name: column.profile for column in sql_columns(table("t", **columns))}


def test_counts_uniqueness_and_the_most_frequent_values_first():
    found = profiles(glaze=["ash", "tenmoku", "ash", "", "celadon"], nr=["3", "1", "2", "5", "4"])
    assert found["glaze"].samples == ("ash", "tenmoku", "celadon")
    assert (found["glaze"].distinct, found["glaze"].nulls, found["glaze"].unique) == (3, 1, False)
    assert (found["nr"].distinct, found["nr"].nulls, found["nr"].unique) == (5, 0, True)


def test_dates_have_a_first_and_a_last():
    column = CATALOG.get("firings").column("fired_on")
    assert (column.profile.low, column.profile.high) == ("2024-03-02", "2024-05-09")


def test_an_empty_column_has_no_values_and_is_no_key():
    found = profiles(note=["", ""])["note"]
    assert (found.distinct, found.nulls, found.unique, found.samples) == (0, 2, False, ())


def test_a_column_of_very_many_values_shows_the_first_ones():
    many = [f"v{n}" for n in range(30_000)]
    found = profiles(code=many)["code"]
    assert found.unique
    assert found.samples == tuple(many[:12])
