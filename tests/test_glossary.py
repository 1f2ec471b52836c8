"""The glossary: read strictly, used visibly, and what it forbids is gone."""

import pytest
from llm_world import FIRINGS, KILNS, request

from retrieval.table import Document
from sql_engine.glossary import Glossary, GlossaryError
from sql_engine.prompt import render_prompt
from sql_engine.pruning import prune

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
        ("a: [", "cannot be read"),
    ],
)
def test_a_mistake_in_the_file_says_where(tmp_path, text, message):
    path = tmp_path / "glossary.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GlossaryError) as raised:
        Glossary.read(path)
    assert message in f"{raised.value} {raised.value.hint}"
