"""Texts hashed many at a time: as if each had been cut and hashed alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.hashed_texts import hashed_texts
from retrieval.hashing import hashes
from retrieval.tokenize import analyse

SHAPES = (
    "AB-{}", "{}/{}", "{}.{}", "{},{}", "no {} of {}", "x{}y-{}", "{}", "({}) é {}", "$1,{}.{}",
    "{}'s {}", "v{}.0 - {}", "{}:{}", "a@{}.org", "  {} ", "{}\n{}", "{}\x1e{}", "-{}%",
)  # fmt: skip
ENDS = st.sampled_from(["0", "00", "7", "100", "250"])
COMPOSED = st.tuples(st.sampled_from(SHAPES), st.integers(0, 2000), ENDS)
TEXTS = st.lists(COMPOSED.map(lambda drawn: drawn[0].format(*drawn[1:])), max_size=120)
ANY = st.lists(st.text(alphabet="aA7 0.-,'é年\n", max_size=9), max_size=40)


def test_texts_of_one_shape_are_cut_together_as_they_are_alone():
    codes = [f"INV/{n * 7919 % 100_003:06d}/{n % 97:02d}" for n in range(500)]
    prices = [f"{n / 100:.2f}" for n in range(500)]
    is_as_alone([*codes, *prices, "", "-", *(f"1,{n:03d}" for n in range(100))])


@given(TEXTS, ANY)
@settings(max_examples=60, deadline=None)
def test_texts_are_hashed_as_they_are_alone(texts, others):
    is_as_alone([*texts, *others, *texts])


def is_as_alone(texts: list[str]) -> None:
    found, at = hashed_texts(texts), 0
    for text, count, key, keyed in zip(
        texts, found.counts.tolist(), found.keys.tolist(), found.keyed.tolist(), strict=True
    ):
        tokens, wanted = analyse(text)
        assert found.tokens[at : at + count].tolist() == hashes(tokens).tolist(), text
        assert (key, keyed) == (int(hashes([wanted])[0]), bool(wanted)), text
        at += count
    assert at == len(found.tokens)


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 64, 256, 257, 5000])
def test_a_text_has_one_hash_whatever_stands_beside_it(size):
    text = ("né" * size)[:size]
    alone = hashes([text])
    assert hashes(["x" * 300, text, "", "y"])[1] == alone[0]
    assert len(np.unique(hashes([text, text + "\0", "\0\0" + text]))) == 3


def test_hashes_are_the_same_in_every_version():
    texts = ["", "a", "sku-4471-b", "b" * 300]
    assert [f"{one:016x}" for one in hashes(texts).tolist()] == [
        "0000000000000000",
        "405337e338614e91",
        "8f1a34e47826e6d1",
        "af26a00c755977d4",
    ]
