"""Abbreviations in questions, spelt out as the loaded tables do."""

import csv
import gc
import weakref

from retrieval.abbreviations import spelt_out
from retrieval.index import Index
from retrieval.kept import kept
from retrieval.reading import read_source
from router import Router

WARDS = """\
Measure,2023,2024
Occupied bed days (OBDs) (thousands),310,325
Average length of stay (ALOS),5.4,5.1
Nursing cost per OBD,212,220
Share of day surgery,31%,34%
Net promoter score,41,47
Units sold in the shop,"1,204","1,377"
"""


def spelt(question: str, lines: str = WARDS) -> str:
    index = Index()
    rows = list(csv.reader(lines.splitlines()))
    index.add(*(read.document for read in read_source(rows, name="wards")))
    tables = [table for document in index.documents for table in document.tables]
    return spelt_out(question, tables, index.holds).question


def test_a_short_form_in_parentheses_is_read_in_full() -> None:
    assert spelt("How high was the ALOS in 2024?") == (
        "How high was the average length of stay (ALOS) in 2024?"
    )
    assert spelt("How many OBDs were there in 2023?") == (
        "How many occupied bed days (OBDs) were there in 2023?"
    )


def test_a_short_form_beside_other_words_of_its_own_label_stays() -> None:
    question = "What was the nursing cost per OBD in 2023?"
    assert spelt(question) == question


def test_letters_that_no_table_holds_are_read_as_the_words_they_begin() -> None:
    assert spelt("What was the NPS in 2023?") == "What was the net promoter score in 2023?"


def test_two_letters_are_no_abbreviation_that_no_text_tells() -> None:
    for question in ("What is US revenue in 2024?", "How much of IT is in the ward?"):
        assert spelt(question) == question


def test_what_two_labels_begin_alike_is_not_read() -> None:
    lines = "Item,Amount\nNet promoter score,3\nNew patients seen,4"
    assert spelt("What is the NPS amount?", lines) == "What is the NPS amount?"


def test_an_answer_tells_how_an_abbreviation_was_read() -> None:
    with Router(writer="offline") as router:
        router.add(list(csv.reader(WARDS.splitlines())), name="wards")
        answer = router.ask("What was the NPS in 2024?")
    assert answer.value == 47
    assert answer.read_as == "What was the net promoter score in 2024?"
    assert any('"NPS" is read as "net promoter score"' in warning for warning in answer.warnings)


def test_what_is_kept_of_an_owner_goes_with_it() -> None:
    class Owner:
        pass

    calls = []

    @kept
    def derived(owner: Owner) -> int:
        calls.append(1)
        return len(calls)

    owner = Owner()
    gone = weakref.ref(owner)
    assert (derived(owner), derived(owner)) == (1, 1)
    del owner
    gc.collect()
    assert gone() is None
