"""The glossary: read strictly, used visibly, and what it forbids is gone."""

import pytest
from llm_world import FIRINGS, KILNS, request

from retrieval.table import Document
from router import Router
from sql_engine.glossary import Glossary, GlossaryError
from sql_engine.prompt import render_prompt
from sql_engine.pruning import prune
from sql_engine.writer import ScriptedWriter

TEXT = """
synonyms: {oven: kiln, turnover: pots}
descriptions: {kilns: Every kiln ever built., firings.fuel: Cubic metres of gas.}
metrics: {yield: SUM(pots) / SUM(fuel)}
filters: {firings: glaze <> 'test'}
forbidden: [kilns.maker]
"""


@pytest.fixture
def glossary(tmp_path):
    path = tmp_path / "glossary.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return Glossary.read(path)


def test_synonyms_are_replaced_as_whole_words_and_told(glossary):
    question, told = glossary.rewrite("Turnover of the ovens, not of coven?")
    assert question == "pots of the kiln, not of coven?"
    assert told == (
        '"turnover" is read as "pots" (glossary)',
        '"oven" is read as "kiln" (glossary)',
    )


def test_the_prompt_tells_what_bears_on_the_question(glossary):
    asked = request("What is the yield of the firings?", glossary=glossary)
    told = "\n".join(m.content for m in render_prompt(asked, prune(asked)))
    for line in (
        "about: Every kiln ever built.",
        "-- Cubic metres of gas.",
        "- yield: SUM(pots) / SUM(fuel)",
        "unless the question says otherwise: WHERE glaze <> 'test'",
    ):
        assert line in told


def test_a_forbidden_column_is_never_loaded(glossary):
    document = Document("world", "1", (KILNS, FIRINGS))
    kilns, firings = glossary.without_forbidden(document).tables
    assert kilns.headers == ("kiln_id", "chambers")
    assert firings is FIRINGS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("synonym: {a: b}", "did you mean synonyms"),
        ("- a", "holds no sections"),
        ("metrics: [a]", "metrics is a list of names"),
        ("forbidden: {a: b}", "list of table.column"),
        ("joins: {a: b}", "orders.client = customers.id"),
        ("a: [", "cannot be read"),
    ],
)
def test_a_mistake_in_the_file_says_where(tmp_path, text, message):
    path = tmp_path / "glossary.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GlossaryError) as raised:
        Glossary.read(path)
    assert message in f"{raised.value} {raised.value.hint}"


VISITS = "visit,berth,ref\n901,7,11\n902,7,12\n903,8,11\n904,9,13\n905,9,11\n906,8,12\n"
PEOPLE = "no,pilot\n11,Ada\n12,Bo\n13,Cy\n"


def harbour(tmp_path, glossary):
    (tmp_path / "visits.csv").write_text(VISITS, encoding="utf-8")
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "glossary.yaml").write_text(glossary, encoding="utf-8")
    router = Router(writer="offline", glossary=str(tmp_path / "glossary.yaml"))
    for name in ("visits", "people"):
        router.add(tmp_path / f"{name}.csv")
    return router


def test_a_join_is_told_or_ruled_out(tmp_path):
    with harbour(tmp_path, "{}") as router:
        assert router.catalog.joins.edges == ()
        assert router.ask("How many visits does Ada have?").declined
    with harbour(tmp_path, "joins: [people.no = visits.ref]") as router:
        (edge,) = router.catalog.joins.edges
        assert edge.condition() == '"visits"."ref" = "people"."no"'
        assert (edge.confidence, edge.kind) == (1.0, "many-to-one")
        assert router.ask("How many visits does Ada have?").value == 3
        router.remove("people.csv")
        assert router.catalog.joins.edges == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("people.number = visits.ref", 'people has no column "number"'),
        ("people = visits.ref", "is no table.column"),
        ("people.no", "is no join"),
    ],
)
def test_a_join_that_cannot_be_is_a_mistake(tmp_path, line, message):
    with pytest.raises(GlossaryError, match=message):
        harbour(tmp_path, f"joins: [{line}]")


def test_a_join_of_two_columns_that_repeat_is_a_mistake_and_what_was_loaded_stays(tmp_path):
    with harbour(tmp_path, "joins: [people.no = visits.ref]") as router:
        (tmp_path / "people.csv").write_text(PEOPLE + "11,Di\n", encoding="utf-8")
        with pytest.raises(GlossaryError, match="neither is a key"):
            router.add(tmp_path / "people.csv")
        assert router.catalog.get("people").row_count == 3
        assert len(router.lookup("Bo")) == 1


def test_what_is_forbidden_later_is_gone_from_a_saved_state(tmp_path):
    with harbour(tmp_path, "{}") as router:
        router.save(tmp_path / "state")
    (tmp_path / "glossary.yaml").write_text("forbidden: [people.pilot]", encoding="utf-8")
    with Router.open(tmp_path / "state") as opened:
        assert [column.name for column in opened.catalog.get("people").columns] == ["no"]
        assert len(opened.lookup("Ada")) == 0


def test_a_column_that_is_told_of_a_table_without_it_is_a_warning(tmp_path):
    path = tmp_path / "glossary.yaml"
    path.write_text("forbidden: [kilns.owner]\nfilters: {kilns: state = 'lit'}", "utf-8")
    with Router(writer="offline", glossary=str(path)) as tables:
        report = tables.add([{"maker": "Ortega", "chambers": 4}], name="kilns")
    assert [warning.partition("glossary ")[2] for warning in report.warnings] == [
        'forbids kilns.owner, and "kilns" has no such column',
        'filters by kilns.state, and "kilns" has no such column',
    ]


def test_a_metric_computed_from_the_same_columns_otherwise_is_told(tmp_path):
    path = tmp_path / "glossary.yaml"
    path.write_text("metrics: {net pots: SUM(pots) - 5}", "utf-8")
    for sql, told in (("SELECT SUM(pots) FROM k", True), ("SELECT SUM(pots) - 5 FROM k", False)):
        with Router(writer=ScriptedWriter([sql] * 3), glossary=str(path)) as tables:
            tables.add([{"kiln": "a", "pots": 30}, {"kiln": "b", "pots": 40}], name="k")
            warnings = tables.ask("What is the net pots?").warnings
        assert any("which the query does not compute" in one for one in warnings) is told
