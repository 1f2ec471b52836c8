"""What is told of the thing that a row points to: "staff whose manager is in the kitchen".

The manager is a row of the same table, and it is that row which stands in the kitchen: a condition
on the staff themselves is one step short. Takes the words of a question and the distinct texts of
each column; gives the name of the column that points so, or None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sql_engine.words import Word, folded_words, name_words

_POINTING = 0.5
"""The share of a column's texts that are names of the table's own rows, at least."""


def pointed_at(
    words: Sequence[Word], columns: Mapping[str, Sequence[str]], row_count: int
) -> str | None:
    """The column after "whose" that holds names of the table's own rows, where none of them is
    said after it.
    """
    place = next((i for i, word in enumerate(words) if word.folded == "whose"), None)
    if place is None or place + 2 >= len(words):
        return None
    for name, texts in columns.items():
        stems = name_words(name)
        said = [word.stem for word in words[place + 1 : place + 1 + len(stems)]]
        if stems and said == list(stems) and _points(name, columns, row_count):
            after = tuple(word.folded for word in words[place + 1 + len(stems) :])
            return None if any(_says(after, text) for text in texts) else name
    return None


def _points(name: str, columns: Mapping[str, Sequence[str]], row_count: int) -> bool:
    own = set(filter(None, columns[name]))
    others = (texts for other, texts in columns.items() if other != name)
    keys = (set(texts) for texts in others if len(texts) == row_count)
    return bool(own) and any(len(own & key) > _POINTING * len(own) for key in keys)


def _says(words: tuple[str, ...], text: str) -> bool:
    cell = folded_words(text)
    size = len(cell)
    return size > 0 and any(words[i : i + size] == cell for i in range(len(words) - size + 1))
