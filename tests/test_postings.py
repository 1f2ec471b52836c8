"""Postings that grew piece by piece hold what those of the same blocks made at once hold."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.postings import Postings
from retrieval.segments import Block, Field

WORDS = ("ash", "oak", "elm", "AB-12", "AB-13", "x 7", "")
TOKENS = ("ash", "oak", "elm", "ab", "12", "ab12", "x", "7", "pin")
KEYS = ("ash", "ab12", "ab13", "x7")
CELLS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)
BLOCKS = st.lists(st.tuples(CELLS, st.booleans()), min_size=1, max_size=8)


def block(number: int, cells: list[str]) -> Block[int]:
    texts = list(dict.fromkeys(cells))
    codes = np.array([texts.index(cell) for cell in cells], np.int32)
    numbered = Field(np.arange(len(cells), dtype=np.int32), [f"K-{i}" for i in range(len(cells))])
    heads, card = ("pin table", f"oak {number}"), (f"card ash {number}",)
    return Block(f"b{number}", number, heads, len(cells), [Field(codes, texts), numbered], card)


def held(postings: Postings[int]) -> list[list[tuple[object, int]]]:
    """By token and kind: where it is, as block and place in it, and how often."""
    kinds = (
        (postings.rows(TOKENS), postings.row_starts),
        (postings.heads(TOKENS), np.arange(len(postings.alive_blocks) + 1)),
        (postings.samples(TOKENS), np.arange(len(postings.alive_blocks) + 1)),
        (postings.cells(KEYS), postings.column_starts),
    )
    return [
        [(place(postings, starts, i), w) for i, w in zip(f.ids.tolist(), f.weights, strict=True)]
        for found, starts in kinds
        for f in found
    ]


def place(postings: Postings[int], starts: np.ndarray, number: int) -> tuple[int, int]:
    at = int(np.searchsorted(starts, number, side="right")) - 1
    return postings.item(at), number - int(starts[at])


@given(BLOCKS)
@settings(max_examples=50, deadline=None)
def test_postings_that_grew_and_shrank_hold_what_those_made_at_once_hold(drawn):
    blocks = [block(number, cells) for number, (cells, _) in enumerate(drawn)]
    grown: Postings[int] = Postings(sample_texts=3)
    for one in blocks:
        grown = grown.with_blocks([one])
    gone = {one.key for one, (_, drop) in zip(blocks, drawn, strict=True) if drop}
    left = [one for one in blocks if one.key not in gone]
    at_once: Postings[int] = Postings(sample_texts=3).with_blocks(left)
    for key in gone:
        grown = grown.without([key])
    assert held(grown) == held(at_once)
    assert grown.row_count == at_once.row_count
    assert grown.mean_length == at_once.mean_length
