"""SQL out of replies: one whole statement, whatever the model writes around it."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sql_engine.errors import CannotWrite, NoSqlInReply
from sql_engine.extract import extract_sql, normalized, split_statements

COUNT = "SELECT COUNT(*) FROM firings"

REPLIES = {
    "bare": (COUNT, COUNT),
    "final semicolon": (COUNT + ";\n", COUNT),
    "fence": (f"```sql\n{COUNT};\n```", COUNT),
    "fence without tag": (f"```\n{COUNT}\n```", COUNT),
    "fence in one line": (f"```sql {COUNT}```", COUNT),
    "fence in mid line": (f"Here it is: ```sql\n{COUNT}\n```", COUNT),
    "fence never closed": (f"```sql\n{COUNT}", COUNT),
    "fence of tildes": (f"~~~sql\n{COUNT}\n~~~", COUNT),
    "fence mark inside a string": (
        "```sql\nSELECT '```' AS mark FROM firings\n```",
        "SELECT '```' AS mark FROM firings",
    ),
    "fenced result after the query": (f"```\n{COUNT};\n```\n```\n5\n```", COUNT),
    "exploratory, then final": (
        f"First:\n```sql\nSELECT DISTINCT glaze FROM firings\n```\nThen:\n```sql\n{COUNT}\n```",
        COUNT,
    ),
    "two statements": (f"SELECT 1; {COUNT};", COUNT),
    "two statements in a fence": (f"```sql\nSELECT 1;\n{COUNT};\n```", COUNT),
    "prose around": (f"Sure! Here is the query:\n\n{COUNT};\n\nIt counts every line.", COUNT),
    "prose after, no semicolon": (f"{COUNT}\n\nThis counts every firing.", COUNT),
    "prose before on one line": (f"I need to look first: {COUNT}", COUNT),
    "apostrophes in the prose": (f"It's what you're after:\n{COUNT};\nThat's all.", COUNT),
    "inline code": (f"Run `{COUNT}` to see it.", COUNT),
    "invented answer": (f"{COUNT};\n\nSQLResult:\nAnswer: 42", COUNT),
    "JSON": (f'{{"sql": "{COUNT}", "reading": "counts firings"}}', COUNT),
    "JSON with an invented answer": (f'{{"answer": 42, "sql": "{COUNT}"}}', COUNT),
    "fenced JSON": (f'```json\n{{"query": "{COUNT}"}}\n```', COUNT),
    "reasoning": (f"<think>SELECT 1 FROM kilns?</think>\n{COUNT}", COUNT),
    "common table expression": (
        "WITH a AS (SELECT 1 AS x)\n\nSELECT x FROM a",
        "WITH a AS (SELECT 1 AS x)\n\nSELECT x FROM a",
    ),
    "bracketed union": ("(SELECT 1) UNION (SELECT 2);", "(SELECT 1) UNION (SELECT 2)"),
    "keyword inside a name": ("SELECT within_budget FROM jobs", "SELECT within_budget FROM jobs"),
    "semicolon in a string": ("SELECT 'a;b' AS x; ", "SELECT 'a;b' AS x"),
    "semicolon in a comment": (
        "SELECT 1 -- one; two\n, 2",
        "SELECT 1 -- one; two\n, 2",
    ),
    "not yet valid, kept whole": (
        "Here:\nSELECT TOP 3 x FROM a\nUNION\nSELECT y FROM b",
        "SELECT TOP 3 x FROM a\nUNION\nSELECT y FROM b",
    ),
    "condition after a blank line": (
        "SELECT a FROM t\n\nWHERE b = 1 AND\n",
        "SELECT a FROM t\n\nWHERE b = 1 AND",
    ),
    "a write beside a query": (f"{COUNT}; DROP TABLE firings", "DROP TABLE firings"),
    "a write before a query": (f"DELETE FROM firings; {COUNT}", "DELETE FROM firings"),
}


@pytest.mark.parametrize(("reply", "sql"), REPLIES.values(), ids=REPLIES.keys())
def test_the_statement_is_found(reply, sql):
    assert extract_sql(reply) == sql


@pytest.mark.parametrize(
    "reply",
    [
        "SELEKT pots",
        "I would select the rows and add them up.",
        "```python\nimport os; os.system('true')\n```",
        "With these tables I can count firings. From what I see there are 42.",
        '{"answer": 42}',
        "Use this table. Show the rest.",
    ],
)
def test_a_reply_without_a_statement_is_an_error(reply):
    with pytest.raises(NoSqlInReply):
        extract_sql(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "CANNOT ANSWER: no table holds prices",
        '{"sql": null, "cannot_answer": "no table holds prices"}',
        "I am sorry.\nCannot answer: no table holds prices",
    ],
)
def test_a_model_may_say_that_the_tables_do_not_hold_it(reply):
    with pytest.raises(CannotWrite, match="no table holds prices"):
        extract_sql(reply)


def test_one_normal_form_whatever_the_spacing_case_and_comments():
    assert normalized("SELECT  a FROM t -- x\n;") == normalized("select a\nfrom T")
    assert normalized("SELECT 'A'") != normalized("SELECT 'a'")


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80))
def test_any_text_gives_a_statement_or_a_typed_error(text):
    with contextlib.suppress(NoSqlInReply, CannotWrite):
        assert extract_sql(text).strip()


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30))
def test_a_string_is_never_cut(value):
    sql = "SELECT '" + value.replace("'", "''") + "' AS x"
    assert split_statements(sql + "; SELECT 2") == [sql, "SELECT 2"]
    assert extract_sql(f"```sql\n{sql};\n```") == sql or "```" in value


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": {"sql": "SELECT COUNT(*) FROM pots"}}',
        '[{"query": "SELECT COUNT(*) FROM pots"}]',
        '"SELECT COUNT(*) FROM pots"',
        "SELECT COUNT(*)\u200b FROM pots",
        "Question: How many?\nSQLQuery: SELECT COUNT(*) FROM pots\nSQLResult: [(3,)]\nAnswer: 3",
    ],
)
def test_the_statement_is_found_under_labels_quotes_and_marks_that_cannot_be_seen(reply):
    assert extract_sql(reply) == "SELECT COUNT(*) FROM pots"


@pytest.mark.parametrize(
    "reply",
    [
        "<sql>SELECT COUNT(*) FROM pets WHERE legs < 4</sql>",
        "I count them.\n<SQL>\nSELECT COUNT(*) FROM pets WHERE legs < 4;\n</SQL>\nThere are 3.",
        "<query>SELECT COUNT(*) FROM pets WHERE legs < 4",
    ],
)
def test_a_statement_between_tags_is_as_good_as_fenced(reply):
    assert extract_sql(reply) == "SELECT COUNT(*) FROM pets WHERE legs < 4"
