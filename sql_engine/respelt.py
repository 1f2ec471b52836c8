"""Names that a question spells otherwise than the cells it is answered by.

Takes the question and those cells; gives a note for each. "Dunne" and "Dunn" have one stem, as
"boats" and "boat" have; but of names that are alike another may be meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sql_engine.words import words


def respelt(question: str, cells: Iterable[str]) -> Iterator[str]:
    """Notes on the names, told by their capitals, whose stem alone a cell has."""
    said = words(question)
    asked = [w for w in said[1:] if w.text[:1].isupper() and w.text[1:2].islower()]
    for cell in dict.fromkeys(cells):
        held = words(cell)
        written = {word.folded for word in held}
        for word in asked:
            plain = word.folded.removesuffix("'s").removesuffix("’s")
            if plain in written or plain.rstrip("'’") in written:
                continue
            if any(other.stem == word.stem and other.text[:1].isupper() for other in held):
                yield f'"{word.text}" is read as "{cell}"'
