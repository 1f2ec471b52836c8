"""The guard lets queries over the catalog's tables through, unchanged, and nothing else."""

from pathlib import Path

import pytest
from shop import shop, table

from sql_engine import guard
from sql_engine.errors import InvalidQuery, Refused, SqlEngineError
from sql_engine.query import Query

CATALOG = shop()

ACCEPTED = [
    "SELECT count(*) FROM books",
    "select TITLE from BOOKS order by 1 limit 2;",
    "SELECT author, sum(price) AS total FROM books GROUP BY ALL HAVING total > 1 ORDER BY ALL",
    "WITH a AS (SELECT * FROM books), b AS (SELECT author FROM a) SELECT count(*) FROM b",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) FROM n",
    "FROM books SELECT title WHERE price IS NOT NULL",
    "TABLE sales",
    "VALUES (1, 'a'), (2, 'b')",
    "PIVOT sales ON book IN ('Dune', 'Emma') USING sum(copies)",
    "UNPIVOT sales ON copies INTO NAME what VALUE n",
    "DESCRIBE books",
    "SUMMARIZE books",
    'SELECT "select", "naïve key" FROM "Order Items"',
    "SELECT r.n FROM range r, range(3) s(i)",
    "SELECT list_transform([1, 2], lambda x: x + 1), [y FOR y IN [1, 2] IF y > 1]",
    "SELECT title.upper(), rank() OVER (PARTITION BY author ORDER BY price) FROM books",
    "SELECT * EXCLUDE (price) REPLACE (upper(title) AS title) RENAME (author AS writer) FROM books",
    "SELECT CASE WHEN price BETWEEN 1 AND 8 THEN 'low' ELSE 'high' END FROM books",
    "SELECT (SELECT max(price) FROM books b WHERE b.author = a.author) FROM books a",
    "SELECT title FROM books WHERE author IN (SELECT author FROM books GROUP BY 1) -- done",
    "SELECT TRY_CAST(title AS INTEGER), title::VARCHAR[], INTERVAL 3 DAY FROM books",
    "SELECT '; DROP TABLE books; --' AS s",
    "SELECT count(*) FROM books ; -- a remark",
    "SELECT title FROM books QUALIFY row_number() OVER (ORDER BY price) = 1",
    "SELECT 'a\u00a0b\u200bc' AS spaced",
]

REFUSED = [
    "DROP TABLE books",
    "DROP/**/TABLE/**/books",
    "DROP\u00a0TABLE\u00a0books",
    "DELETE FROM books",
    "INSERT INTO books VALUES (1)",
    "UPDATE books SET price = 0",
    "CREATE TABLE t AS SELECT 1",
    "CREATE MACRO sum(x) AS 42",
    "PREPARE p AS DELETE FROM books",
    "SET threads = 8",
    "PRAGMA version",
    "ATTACH ':memory:' AS m",
    "COPY books TO 'out.csv'",
    "INSTALL httpfs",
    "CHECKPOINT",
    "CALL range(3)",
    "EXPLAIN SELECT 1",
    "SHOW TABLES",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE books",
    "; DELETE FROM books",
    "WITH d AS (DELETE FROM books RETURNING *) SELECT * FROM d",
    "WITH d AS (TRUNCATE books) SELECT 1",
    "WITH c AS (COPY books TO 'out.csv') SELECT 1",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM glob('*')",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM duckdb_tables()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM system.main.duckdb_tables",
    "SELECT * FROM temp.books",
    "SELECT * FROM '/etc/passwd.csv'",
    "SELECT * FROM books AT (VERSION => 1)",
    "SELECT * FROM (SHOW ALL TABLES)",
    "SELECT nextval('s')",
    "SELECT current_setting('threads')",
    "SELECT sleep_ms(1000)",
    "SELECT pg_catalog.version()",
    "SELECT system.main.sum(1)",
    "SELECT length(repeat('x', 100000000))",
    "SELECT count(*) FROM range(1000000000000)",
    "SELECT title\u200b FROM books",
    "PIVOT sales ON book USING sum(copies)",
    "SELECT " + "1 + " * 8000 + "1",
    "SELECT " + ", ".join(f"{i} AS c{i}" for i in range(600)),
]

INVALID = [
    "",
    "-- nothing",
    "SELECT",
    "SELECT 1)",
    "SELECT * FROM vault",
    "SELECT * FROM other.books",
    "SELECT * FROM 'books.csv'",
    "WITH vault AS (SELECT 1) SELECT * FROM main.vault",
    "WITH a AS (SELECT * FROM vault), vault AS (SELECT 1) SELECT * FROM a",
    "SELECT (WITH vault AS (SELECT 1 AS k) SELECT k FROM vault), (SELECT max(k) FROM vault)",
    "SELECT nosuch FROM books",
]


@pytest.mark.parametrize("sql", ACCEPTED)
def test_a_query_over_the_tables_is_accepted_and_stays_as_written(sql):
    query = guard.check(sql, CATALOG)
    assert sql.startswith(query.sql)
    assert not query.notes


@pytest.mark.parametrize("sql", REFUSED)
def test_what_is_no_query_over_the_tables_is_refused_with_a_hint(sql):
    with pytest.raises(Refused) as caught:
        guard.check(sql, CATALOG)
    assert caught.value.hint
    assert not caught.value.retryable


@pytest.mark.parametrize("sql", INVALID)
def test_what_does_not_parse_or_names_what_is_not_there_may_be_corrected(sql):
    with pytest.raises(InvalidQuery) as caught:
        guard.check(sql, CATALOG)
    assert caught.value.hint
    assert caught.value.retryable


def test_a_misspelt_table_is_answered_with_the_nearest_name():
    with pytest.raises(InvalidQuery, match="no table 'bookz'") as caught:
        guard.check("SELECT * FROM bookz", CATALOG)
    assert '"books"' in caught.value.hint


def test_a_misspelt_column_is_answered_with_the_nearest_name():
    with pytest.raises(InvalidQuery, match=r"no column 'b\.autor'") as caught:
        guard.check("SELECT b.autor FROM books b", CATALOG)
    assert '"author"' in caught.value.hint


def test_the_query_tells_its_tables_and_columns():
    query = guard.check(
        "SELECT b.author, sum(s.copies) FROM books b JOIN sales s ON s.book = b.title GROUP BY 1",
        CATALOG,
    )
    assert [table.name for table in query.tables] == ["books", "sales"]
    assert {column.name for _, column in query.columns} == {"author", "copies", "book", "title"}


def test_the_lineage_follows_outputs_down_to_base_columns():
    query = guard.check(
        "WITH p AS (SELECT author AS who, price * 2 AS twice FROM books) "
        "SELECT who, max(twice) AS most, count(*) AS n FROM p GROUP BY who",
        CATALOG,
    )
    assert query.lineage is not None
    assert [(output.name, output.sources) for output in query.lineage] == [
        ("who", (("books", "author"),)),
        ("most", (("books", "price"),)),
        ("n", ()),
    ]


def test_a_query_cannot_be_made_without_the_guard():
    with pytest.raises(TypeError):
        Query("DROP TABLE books", "DROP TABLE books", "DROP TABLE books", (), ())


def test_text_that_is_no_text_is_invalid():
    with pytest.raises(SqlEngineError):
        guard.check(None, CATALOG)


NAMES_MADE_INSIDE = [
    "SELECT s.a FROM (SELECT {'a': 1} AS s)",
    "SELECT a FROM (SELECT s.a FROM (SELECT {'a': 1} AS s))",
    "SELECT a FROM (SELECT s.* FROM (SELECT {'a': 1} AS s))",
    'SELECT count(*) FROM books ORDER BY "count_star()"',
    "SELECT col0 FROM (VALUES (1))",
    "SELECT x FROM (SELECT unnest([1, 2]) AS x)",
    "SELECT Dune FROM (PIVOT sales ON book IN ('Dune') USING sum(copies))",
    "SELECT key FROM json_each('{\"a\": 1}')",
    "SELECT writer FROM (SELECT * RENAME (author AS writer) FROM books)",
    "SELECT b FROM books b",
    "SELECT current_date, current_timestamp FROM books",
]


@pytest.mark.parametrize("sql", NAMES_MADE_INSIDE)
def test_names_that_a_statement_makes_itself_are_no_unknown_columns(sql):
    guard.check(sql, CATALOG)


REPAIRED = [
    tuple(pair.splitlines())
    for pair in (Path(__file__).parent / "data/sql_repairs.txt").read_text().split("\n\n")[1:]
]


@pytest.mark.parametrize(("sql", "mended"), REPAIRED)
def test_a_safe_slip_of_dialect_is_mended_and_told(sql, mended):
    query = guard.check(sql, CATALOG)
    assert query.sql == mended
    assert query.written == sql
    assert query.notes


NOT_REPAIRED = [
    "SELECT title FROM books WHERE title RLIKE 'D.*'",
    "SELECT to_char(printed, 'YYYY-MM') FROM books",
    "SELECT date_trunc(week, printed) FROM books",
    'SELECT "autor" FROM books',
    'SELECT title FROM books WHERE author = "autor"',
    'SELECT title, "Austen" FROM books',
    'SELECT count("Austen") FROM books',
    "SELECT TOP 2 title FROM (SELECT title FROM books)",
    "SELECT charindex('a', title) FROM books",
    "SELECT nvl(price, 0) FROM nowhere",
]


@pytest.mark.parametrize("sql", NOT_REPAIRED)
def test_a_slip_on_which_dialects_differ_is_left_to_the_writer(sql):
    with pytest.raises(InvalidQuery) as caught:
        guard.check(sql, CATALOG)
    assert caught.value.hint


def test_near_names_tell_their_table_where_there_are_several():
    with pytest.raises(InvalidQuery) as caught:
        guard.check("SELECT copees FROM books JOIN sales ON book = title", CATALOG)
    assert caught.value.hint == 'did you mean "copies" of "sales"?'


def test_a_parameter_that_no_sql_value_can_hold_is_invalid():
    with pytest.raises(InvalidQuery, match="set cannot be a parameter"):
        guard.check("SELECT ?", CATALOG, [{1}])


def test_the_row_position_is_not_mistaken_for_a_column_of_its_engine_name():
    catalog = CATALOG.with_tables((table("odd", {"rowid": ["7"]}),))
    guard.check("SELECT rowid FROM odd", catalog)
    with pytest.raises(InvalidQuery, match="_row cannot be read"):
        guard.check("SELECT _row FROM odd", catalog)


def test_a_column_of_another_table_is_found_there():
    with pytest.raises(InvalidQuery) as caught:
        guard.check("SELECT b.copies FROM books b", CATALOG)
    assert caught.value.hint == '"copies" is a column of "sales"'


def test_only_the_guard_seals_queries_and_only_one_file_opens_the_database():
    package = Path(guard.__file__).parent
    sources = {path.name: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    assert {name for name, text in sources.items() if "GUARDED" in text} == {"guard.py", "query.py"}
    assert [name for name, text in sources.items() if "duckdb.connect" in text] == ["engine.py"]
