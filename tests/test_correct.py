"""The self-correction loop: bounded, never the same SQL twice, every attempt kept."""

import pytest
from llm_world import CATALOG, request, table
from loopback_openai import Failure, LoopbackServer, Message

from sql_engine.catalog import Catalog
from sql_engine.correct import answer
from sql_engine.database import Database
from sql_engine.errors import (
    AttemptsExhausted,
    CannotWrite,
    ModelServerError,
    NoSqlInReply,
    RateLimited,
    Refused,
)
from sql_engine.linking import link
from sql_engine.links import Links, Span, ValueLink
from sql_engine.openai_writer import OpenAIWriter
from sql_engine.writer import Draft, ScriptedWriter, Usage

COUNT = "SELECT COUNT(*) AS n FROM firings"


@pytest.fixture(scope="module")
def database():
    database = Database(workers=1, spares=0)
    yield database
    database.close()


def asked(database, question, *replies, catalog=CATALOG, **more):
    writer = ScriptedWriter(replies)
    return answer(request(question, catalog, **more), writer, database), writer


def test_right_sql_at_once_is_one_attempt(database):
    found, writer = asked(database, "How many firings?", COUNT)
    assert found.result.rows == ((5,),)
    assert [(a.sql, a.error) for a in found.attempts] == [(COUNT, None)]
    assert found.warnings == ()
    assert len(writer.requests) == 1


def test_a_wrong_column_is_corrected_from_the_engines_message(database):
    wrong = "SELECT SUM(pot) FROM firings"
    found, writer = asked(database, "How many pots?", wrong, "SELECT SUM(pots) FROM firings")
    assert found.result.rows == ((135,),)
    assert [a.sql for a in found.attempts] == [wrong, "SELECT SUM(pots) FROM firings"]
    (told,) = writer.requests[1].attempts
    assert "pot" in told.error
    assert '"pots"' in told.error
    assert told.code == "invalid_query"


def test_a_column_of_another_table_comes_back_with_its_table(database):
    wrong = "SELECT COUNT(*) FROM firings WHERE maker = 'Brandt'"
    right = "SELECT COUNT(*) FROM firings JOIN kilns USING (kiln_id) WHERE maker = 'Brandt'"
    found, writer = asked(database, "How many firings in kilns of Brandt?", wrong, right)
    assert found.result.rows == ((1,),)
    assert '"maker" is a column of "kilns"' in writer.requests[1].attempts[0].error


def test_three_bad_drafts_fail_with_every_attempt(database):
    bad = [f"SELECT nothing{n} FROM firings" for n in range(5)]
    with pytest.raises(AttemptsExhausted) as raised:
        asked(database, "How many firings?", *bad)
    assert [a.sql for a in raised.value.attempts] == bad[:3]
    assert all(a.error for a in raised.value.attempts)


def test_the_same_sql_is_never_run_twice(database):
    executed = []

    class Counting:
        def execute(self, query, limits=None):
            executed.append(query.sql)
            return database.execute(query)

    wrong = "SELECT fuel / 'a' FROM firings"
    writer = ScriptedWriter([wrong, wrong.lower() + " -- again", COUNT])
    found = answer(request("How many firings?"), writer, Counting())
    assert executed == [wrong, COUNT]
    assert found.attempts[1].error.startswith("this is the same query as before")


def test_a_refused_statement_ends_the_loop(database):
    writer = ScriptedWriter(["DELETE FROM firings", COUNT])
    with pytest.raises(Refused) as raised:
        answer(request("Delete the firings"), writer, database)
    assert len(writer.requests) == 1
    assert raised.value.attempts[0].sql == "DELETE FROM firings"
    assert asked(database, "How many firings?", COUNT)[0].result.rows == ((5,),)


def test_a_reply_without_sql_costs_an_attempt_and_is_told(database):
    found, writer = asked(database, "How many firings?", NoSqlInReply("no statement"), COUNT)
    assert found.result.rows == ((5,),)
    assert writer.requests[1].attempts[0].error == "no statement"


def test_a_model_that_cannot_be_reached_ends_the_loop(database):
    with pytest.raises(ModelServerError) as raised:
        asked(database, "How many firings?", "SELECT x FROM firings", ModelServerError("down"))
    assert len(raised.value.attempts) == 1


def test_a_writer_that_declines_ends_the_loop(database):
    with pytest.raises(CannotWrite):
        asked(database, "How many firings?", CannotWrite("no such thing"))


def test_a_sum_that_a_join_repeats_is_drafted_again(database):
    fan_out = "SELECT SUM(chambers) FROM kilns JOIN firings USING (kiln_id)"
    right = "SELECT SUM(chambers) FROM kilns WHERE kiln_id IN (SELECT kiln_id FROM firings)"
    found, writer = asked(database, "How many chambers do kilns with firings have?", fan_out, right)
    assert found.result.rows == ((12,),)
    assert 'the join repeats rows of "kilns"' in writer.requests[1].attempts[0].error
    assert found.warnings == ()
    assert [a.error is None for a in found.attempts] == [False, True]


def test_a_doubt_that_stays_is_a_warning(database):
    fan_out = "SELECT SUM(chambers) FROM kilns JOIN firings USING (kiln_id)"
    found, _ = asked(database, "How many chambers do kilns with firings have?", fan_out, fan_out)
    assert found.result.rows == ((22,),)
    assert found.warnings == (
        'the join repeats rows of "kilns", so that SUM counts some values several times',
    )


DOUBTS = {
    "a sum over the many side is no fan-out": (
        "How many pots by maker?",
        "SELECT maker, SUM(pots) FROM kilns JOIN firings USING (kiln_id) GROUP BY maker",
        set(),
    ),
    "an average of rows that a join repeats": (
        "Average chambers of kilns with firings?",
        "SELECT AVG(k.chambers) FROM kilns k JOIN firings f ON k.kiln_id = f.kiln_id",
        {"repeated_rows"},
    ),
    "a fan-out inside a common table expression": (
        "Chambers?",
        "WITH a AS (SELECT SUM(k.chambers) AS s FROM kilns k JOIN firings f "
        "ON k.kiln_id = f.kiln_id) SELECT s FROM a",
        {"repeated_rows"},
    ),
    "a tie at the cut": (
        "Which glaze is fired least?",
        "SELECT glaze FROM firings GROUP BY glaze ORDER BY COUNT(*) LIMIT 1",
        {"tie"},
    ),
    "no tie at the cut": (
        "Which glaze is fired most?",
        "SELECT glaze FROM firings GROUP BY glaze ORDER BY COUNT(*) DESC LIMIT 1",
        set(),
    ),
    "a cut in no order": (
        "Total fuel?",
        "SELECT * FROM firings LIMIT 1",
        {"arbitrary_rows", "missing_operation"},
    ),
    "a count that is a column": (
        "How many chambers by maker?",
        "SELECT maker, chambers FROM kilns",
        set(),
    ),
    "a limit that cuts nothing": ("Kilns?", "SELECT maker FROM kilns LIMIT 100", set()),
    "no number": (
        "Fuel by pot?",
        "SELECT SUM(fuel - fuel) / SUM(pots - pots) AS share FROM firings",
        {"not_a_number"},
    ),
    "a value in other letter case": (
        "How many firings of celadon?",
        "SELECT COUNT(*) FROM firings WHERE glaze = 'Celadon'",
        {"unmatched_value"},
    ),
    "a value that only hides rows": (
        "How many firings not of celadon?",
        "SELECT COUNT(*) FROM firings WHERE glaze <> 'Celadon'",
        {"unmatched_value"},
    ),
    "a value compared without case": (
        "How many firings of celadon?",
        "SELECT COUNT(*) FROM firings WHERE lower(glaze) = 'celadon'",
        set(),
    ),
    "a dropped number": (
        "How many firings with more than 20 pots?",
        "SELECT COUNT(*) FROM firings",
        {"dropped_condition"},
    ),
    "a value of the question that is left out": (
        "How many firings of celadon?",
        "SELECT COUNT(*) FROM firings WHERE glaze <> 'celadon'",
        {"added_denial"},
    ),
    "a value left out and kept": (
        "Which firings share a kiln with one of celadon?",
        "SELECT firing_id FROM firings WHERE glaze <> 'celadon' AND kiln_id IN "
        "(SELECT kiln_id FROM firings WHERE glaze = 'celadon')",
        set(),
    ),
    "a number kept": (
        "How many firings with more than 20 pots?",
        "SELECT COUNT(*) FROM firings WHERE pots > 20",
        set(),
    ),
    "a dropped quotation": (
        'How many firings of "celadon"?',
        "SELECT COUNT(*) FROM firings",
        {"dropped_condition"},
    ),
}


@pytest.mark.parametrize(("question", "sql", "codes"), DOUBTS.values(), ids=DOUBTS.keys())
def test_doubts_after_a_run(database, question, sql, codes):
    found, _ = asked(database, question, sql)
    assert {problem.code for problem in found.problems} == codes


def test_the_nearest_values_go_back_for_a_filter_that_matches_nothing(database):
    wrong = "SELECT COUNT(*) FROM firings WHERE glaze = 'Celadn'"
    right = "SELECT COUNT(*) FROM firings WHERE glaze = 'celadon'"
    found, writer = asked(database, "How many firings of celadn?", wrong, right)
    assert found.result.rows == ((3,),)
    assert "'celadon'" in writer.requests[1].attempts[0].error


def test_a_value_of_the_question_that_the_sql_lacks_goes_back(database):
    link = ValueLink(Span(20, 23, "ash"), "firings", "glaze", "ash", 1.0)
    right = COUNT + " WHERE glaze = 'ash'"
    found, writer = asked(
        database, "How many firings of ash?", COUNT, right, links=Links(values=(link,))
    )
    assert found.result.rows == ((1,),)
    assert '"firings"."glaze" = \'ash\'' in writer.requests[1].attempts[0].error


def test_not_in_over_nulls_is_drafted_again(database):
    orders = table("orders", "w", 0, order_id=["1", "2"], product=["Cup", ""])
    products = table("products", "w", 1, product=["Cup", "Pan"])
    wrong = "SELECT product FROM products WHERE product NOT IN (SELECT product FROM orders)"
    right = (
        "SELECT product FROM products p WHERE NOT EXISTS "
        "(SELECT 1 FROM orders o WHERE o.product = p.product)"
    )
    catalog = Catalog().with_tables((orders, products))
    found, writer = asked(database, "Which were never ordered?", wrong, right, catalog=catalog)
    assert found.result.rows == (("Pan",),)
    assert "NOT EXISTS" in writer.requests[1].attempts[0].error


# The same through the official client, against a server on loopback.


def over_the_wire(database, question, *replies, **options):
    with LoopbackServer(replies) as server:
        writer = OpenAIWriter("m", base_url=server.base_url, max_retries=0, **options)
        return answer(request(question), writer, database), server


def test_a_correction_through_the_official_client(database):
    found, server = over_the_wire(
        database,
        "How many pots?",
        "```sql\nSELECT SUM(pot) FROM firings\n```",
        "Sorry!\n```sql\nSELECT SUM(pots) FROM firings;\n```\nThat makes 9999.",
    )
    assert found.result.rows == ((135,),)
    assert found.usage == Usage(calls=2, prompt_tokens=200, completion_tokens=40)
    assert "SELECT SUM(pot) FROM firings" in server.prompts()[1]
    assert '"pots"' in server.prompts()[1]


@pytest.mark.parametrize(
    "replies",
    [
        ["I do not know.", "", Message("SELECT COUNT(", "length")],
        ["SELECT a FROM firings", "SELECT b FROM firings", "SELECT c FROM firings"],
    ],
)
def test_three_bad_replies_are_a_clear_failure_with_every_attempt(database, replies):
    with pytest.raises(AttemptsExhausted) as raised:
        over_the_wire(database, "How many pots?", *replies)
    assert len(raised.value.attempts) == 3
    assert raised.value.usage.calls == 3
    assert "no draft of 3 could be run" in str(raised.value)


def test_two_statements_give_the_last_and_a_write_among_them_is_refused(database):
    found, _ = over_the_wire(database, "How many firings?", f"SELECT 1; {COUNT};")
    assert found.result.rows == ((5,),)
    with pytest.raises(Refused):
        over_the_wire(database, "How many firings?", f"{COUNT}; DROP TABLE firings;")


def test_a_failure_after_a_draft_carries_the_draft(database):
    with pytest.raises(RateLimited) as raised:
        over_the_wire(database, "How many pots?", "SELECT pot FROM firings", Failure(429))
    assert [a.sql for a in raised.value.attempts] == ["SELECT pot FROM firings"]
    assert raised.value.usage.calls == 1


def test_the_result_that_most_candidates_give_is_taken(database):
    draft = Draft(
        "SELECT COUNT(*) FROM kilns",
        candidates=(
            "SELECT COUNT(*) FROM kilns",
            COUNT,
            "SELECT COUNT(firing_id) FROM firings",
            "SELECT nothing FROM firings",
        ),
    )
    found, _ = asked(database, "How many firings?", draft)
    assert found.result.rows == ((5,),)
    assert found.draft.confidence == 0.5
    (other,) = found.draft.alternatives
    assert other.sql == "SELECT COUNT(*) FROM kilns"
    assert other.reading == "SELECT COUNT(*) FROM kilns, in 1 of 4 drafts"


def test_replies_that_decline_vote_as_well(database):
    lone = Draft(COUNT, candidates=(COUNT,), declining=("no firings here", "none"), replies=3)
    with pytest.raises(CannotWrite, match="no firings here"):
        asked(database, "How many firings?", lone)
    most = Draft(COUNT, candidates=(COUNT, COUNT), declining=("none",), replies=4)
    found, _ = asked(database, "How many firings?", most)
    assert found.draft.confidence == 0.5


def test_candidates_of_which_none_runs_are_a_failed_draft(database):
    draft = Draft("SELECT a FROM kilns", candidates=("SELECT a FROM kilns", "SELECT b FROM kilns"))
    found, writer = asked(database, "How many firings?", draft, COUNT)
    assert found.result.rows == ((5,),)
    assert len(writer.requests) == 2


@pytest.mark.parametrize(
    ("question", "sql", "codes"),
    [
        (
            "How many firings in March 2024?",
            "SELECT COUNT(*) FROM firings WHERE fired_on >= '2024-03-01' "
            "AND fired_on < '2024-04-01'",
            set(),
        ),
        (
            "How many firings between 1 May 2024 and 15 May 2024?",
            "SELECT COUNT(*) FROM firings WHERE fired_on BETWEEN '2024-05-01' AND '2024-05-15'",
            set(),
        ),
        *(
            (
                "How many firings in March 2024?",
                f"SELECT COUNT(*) FROM firings WHERE {month} AND year(fired_on) = 2024",
                set(),
            )
            for month in (
                "month(fired_on) = 3",
                "EXTRACT(month FROM fired_on) = 3",
                "date_part('month', fired_on) IN (3)",
                "strftime(fired_on, '%m') = '03'",
                "monthname(fired_on) = 'March'",
            )
        ),
        (
            "How many firings in March 2024?",
            "SELECT COUNT(*) FROM firings WHERE year(fired_on) = 2024",
            {"dropped_condition"},
        ),
        *(
            (question, f"SELECT COUNT(*) FROM firings WHERE fired_on {bound}", codes)
            for question, bound, codes in (
                ("How many firings after 2023?", ">= DATE '2024-01-01'", set()),
                ("How many firings after 2023?", "> '2023-12-31'", set()),
                ("How many firings before 2025?", "<= '2024-12-31'", set()),
                ("How many firings after 2023?", ">= '2022-01-01'", {"dropped_condition"}),
            )
        ),
        (
            "Total pots of firings on a Monday?",
            "SELECT SUM(pots) FROM firings WHERE dayname(fired_on) = 'Monday'",
            set(),
        ),
        ("How many kiln ids are there?", "SELECT COUNT(*) FROM kilns", set()),
        (
            "How many firings has Brandt?",
            "SELECT COUNT(*) FROM firings JOIN kilns USING (kiln_id)",
            {"dropped_condition"},
        ),
    ],
)
def test_dates_and_proper_names_of_the_question_are_looked_for(database, question, sql, codes):
    found, _ = asked(database, question, sql, links=link(question, CATALOG))
    assert {problem.code for problem in found.problems} == codes


@pytest.mark.parametrize(
    ("question", "sql", "codes"),
    [
        (
            "How many pots in the last month?",
            "SELECT SUM(pots) FROM firings",
            {"dropped_condition"},
        ),
        (
            "How many pots were fired last month?",
            "SELECT SUM(pots) FROM firings WHERE fired_on BETWEEN '2024-05-01' AND '2024-05-31'",
            set(),
        ),
        (
            "Pots fired last month?",
            "SELECT SUM(pots) FROM firings WHERE month(fired_on) = 5",
            set(),
        ),
        (
            "Pots of each kiln, including those without any firing?",
            "SELECT maker, SUM(pots) FROM kilns JOIN firings USING (kiln_id) GROUP BY maker",
            {"lost_rows"},
        ),
        (
            "Pots of each kiln, including those without any firing?",
            "SELECT maker, SUM(pots) FROM kilns LEFT JOIN firings USING (kiln_id) GROUP BY maker",
            set(),
        ),
        (
            "Which makers have no firing?",
            "SELECT maker FROM kilns JOIN firings USING (kiln_id) WHERE firing_id IS NULL",
            {"null_of_a_joined_key"},
        ),
    ],
)
def test_lost_periods_and_lost_rows_are_told(database, question, sql, codes):
    found, _ = asked(database, question, sql)
    assert {problem.code for problem in found.problems} == codes


def test_a_draft_given_again_and_again_fails_with_its_own_fault(database):
    with pytest.raises(AttemptsExhausted, match=r"'nothing'.*and then drafted again"):
        asked(database, "How many firings?", *["SELECT nothing FROM firings"] * 3)
