"""What both halves of the house must agree on about words: irregular plurals, signs that are words.

A header, a cell and a question are cut and stemmed in `tokenize.py` for the index and in
`sql_engine/words.py` for SQL; what only a list can tell is told here for both.
"""

from __future__ import annotations

PICTURE = "[\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
"""Arrows, ticks, stars and emoji: each is a word, as a cell may hold nothing else."""

_PLURALS = """
knife knives life lives wife wives wolf wolves shelf shelves half halves leaf leaves loaf loaves
thief thieves calf calves elf elves scarf scarves hoof hooves
child children man men woman women foot feet tooth teeth goose geese mouse mice ox oxen
bus buses gas gases index indices matrix matrices vertex vertices appendix appendices
criterion criteria phenomenon phenomena analysis analyses crisis crises thesis theses
hypothesis hypotheses diagnosis diagnoses
"""
_SINGULARS = dict(zip(_PLURALS.split()[1::2], _PLURALS.split()[::2], strict=True))


def singular(word: str) -> str:
    """The singular of an irregular plural; another word as it is."""
    return _SINGULARS.get(word, word)
