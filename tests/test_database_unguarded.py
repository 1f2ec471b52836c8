"""The layers below the guard, with text that it would refuse: nothing changes or is written."""

from pathlib import Path

import pytest
from shop import shop
from test_guard import REFUSED

from sql_engine import guard
from sql_engine.database import Database
from sql_engine.errors import ExecutionError, SqlEngineError
from sql_engine.query import GUARDED, Query
from sql_engine.result import Limits

CATALOG = shop()
LIMITS = Limits(timeout_s=1.0, memory_limit="300MB")
CONTENT = "SELECT (SELECT (sum(price), count(*)) FROM books), (SELECT count(*) FROM sales)"


@pytest.fixture(scope="module")
def database():
    with Database(memory_limit="300MB") as database:
        yield database


def unguarded(database, sql):
    return database.execute(Query(sql, sql, sql, tuple(CATALOG), (), seal=GUARDED), LIMITS)


WRITES = [
    "COPY books TO '{out}'",
    "SELECT * FROM (WITH c AS (COPY books TO '{out}') SELECT 1)",
    "EXPORT DATABASE '{out}'",
    "ATTACH '{out}' AS other",
    "SELECT * FROM enable_logging(level = 'trace', storage = 'file', storage_path = '{out}')",
    "SELECT * FROM enable_profiling(save_location = '{out}')",
    "SELECT 1) AS q; COPY books TO '{out}'; SELECT * FROM (SELECT 1",
    "SELECT 1) AS _q; DROP TABLE books; SELECT * FROM (SELECT 1",
    "SELECT * FROM query('WITH d AS (DELETE FROM books) SELECT 1')",
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM '{secret}'",
    "SELECT content FROM read_blob('{secret}')",
    "SELECT * FROM glob('{secret}')",
]


@pytest.mark.parametrize("sql", REFUSED + WRITES)
def test_what_the_guard_would_refuse_changes_nothing(database, tmp_path, sql):
    secret, out = tmp_path / "secret.csv", tmp_path / "out"
    secret.write_text("word\nsesame\n")
    before = database.execute(guard.check(CONTENT, CATALOG), LIMITS).rows
    here = set(Path.cwd().iterdir())
    try:
        result = unguarded(
            database, sql.replace("{out}", str(out)).replace("{secret}", str(secret))
        )
    except SqlEngineError:
        pass
    else:
        assert "sesame" not in str(result.rows)
        assert "root:" not in str(result.rows)
    assert not out.exists()
    assert set(Path.cwd().iterdir()) == here
    assert database.execute(guard.check(CONTENT, CATALOG), LIMITS).rows == before


def test_a_macro_does_not_outlive_its_query(database):
    with pytest.raises(ExecutionError):
        unguarded(database, "SELECT 1) AS q; CREATE MACRO sum(x) AS 42; SELECT * FROM (SELECT 1")
    assert database.execute(guard.check("SELECT sum(copies) FROM sales", CATALOG), LIMITS).rows == (
        (8,),
    )


def test_an_engine_error_proposes_nothing_of_its_own(database):
    with pytest.raises(ExecutionError) as caught:
        unguarded(database, "SELECT * FROM duckdb_tablex")
    assert "duckdb_tables" not in str(caught.value) + caught.value.hint
    with pytest.raises(ExecutionError) as caught:
        unguarded(database, "SELECT error(repeat('x', 100000))")
    assert len(str(caught.value)) < 1000
