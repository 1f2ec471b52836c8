import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.tokenize import cell_key, fold, stem, tokens, words

TEXTS = st.text(max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SKU-4471-B", ["sku", "4471", "b", "sku4471b"]),
        ("1,200", ["1200"]),
        ("35.00", ["35"]),
        ("007", ["007"]),
        ("Zürich's", ["zurich"]),
        ("DVDs", ["dvd"]),
        ("2004–05", ["2004", "05", "200405"]),
        ("연차", ["연차", "연", "차"]),
        ("", []),
        ("— … !", []),
    ],
)
def test_a_text_becomes_these_tokens(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SKU-4471-B", "sku 4471 b"),
        ("Café", "CAFE\u0301"),
        ("ＡＢ１２", "ab12"),
        ("1,200.0", "1200"),
    ],
)
def test_two_ways_to_write_a_cell_have_one_key(one, other):
    assert cell_key(one) == cell_key(other)


@settings(deadline=None, max_examples=100)
@given(TEXTS)
def test_folding_twice_changes_nothing_that_is_searched(text):
    assert tokens(fold(text)) == tokens(text)


@settings(deadline=None, max_examples=100)
@given(TEXTS)
def test_every_part_of_a_word_is_indexed(text):
    indexed = set(tokens(text))
    for word in words(text):
        assert indexed.issuperset(word.tokens)
        assert word.whole is None or word.whole in indexed


@settings(deadline=None, max_examples=100)
@given(TEXTS)
def test_the_key_of_a_cell_is_its_words_written_together(text):
    assert cell_key(text) == "".join(word.joined for word in words(text))


def test_a_stem_is_the_same_for_the_forms_of_a_word():
    assert stem("refunds") == stem("refunded") == stem("refund")
