"""Questions in a script without spaces (Chinese, Japanese), reworded for the offline writer.

Takes the question and what tells columns and whole cells from other text; gives an English question
that names the same columns and cells, or None where a piece of it is neither one of these nor a
known word: then nothing is guessed, and the question is left as it was said.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LONGEST = 80
"""Characters of a question that is cut into words."""
_LONGEST_NAME = 24
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_PUNCTUATION = re.compile(r"[\s?!.,;:？！。，；：「」“”]+")
_COLUMN, _CELL = "column", "cell"


@dataclass(frozen=True)
class _Piece:
    kind: str
    """"column", "cell", or a word of the list."""
    text: str


def is_unspaced(question: str) -> bool:
    """Whether most letters of the question are of a script without spaces."""
    letters = sum(char.isalpha() for char in question)
    return 2 * len(_UNSPACED.findall(question)) > letters


def reworded(
    question: str, columns: Collection[str], cells: Callable[[Sequence[str]], Collection[str]]
) -> str | None:
    """The question in English.

    Args:
        question: as it was said.
        columns: the names of all columns.
        cells: which of some texts are whole cells of a table.
    """
    text = _PUNCTUATION.sub("", question)
    if not 1 < len(text) <= LONGEST:
        return None
    parts = {
        text[i:j]
        for i in range(len(text))
        for j in range(i + 1, min(len(text), i + _LONGEST_NAME) + 1)
    }
    kinds = {word: kind for word, kind in _words().items() if word in parts}
    kinds |= dict.fromkeys(cells(sorted(parts)), _CELL)
    kinds |= dict.fromkeys(parts.intersection(columns), _COLUMN)
    pieces = _cut(text, kinds)
    return _composed([p for p in pieces if p.kind != "nothing"]) if pieces else None


@cache
def _words() -> dict[str, str]:
    told = files("router").joinpath("unspaced.toml").read_text(encoding="utf-8")
    return {word: kind for kind, said in tomllib.loads(told)["words"].items() for word in said}


def _cut(text: str, kinds: dict[str, str]) -> list[_Piece]:
    """The text as the fewest known pieces, names before words; [] where some of it is unknown."""
    best: list[tuple[int, int, list[_Piece]] | None] = [None] * len(text) + [(0, 0, [])]
    for i in range(len(text) - 1, -1, -1):
        for j in range(i + 1, min(len(text), i + _LONGEST_NAME) + 1):
            kind, rest = kinds.get(text[i:j]), best[j]
            if kind is None or rest is None:
                continue
            named = kind in (_COLUMN, _CELL)
            found = (rest[0] + 1, rest[1] - named * (j - i), [_Piece(kind, text[i:j]), *rest[2]])
            if best[i] is None or found[:2] < best[i][:2]:  # type: ignore[index]
                best[i] = found
    return best[0][2] if best[0] else []


def _composed(pieces: Sequence[_Piece]) -> str | None:
    """The English question of some pieces; None where they make none that is known."""
    kinds = [piece.kind for piece in pieces]
    columns = [i for i, kind in enumerate(kinds) if kind == _COLUMN]
    cells = [piece.text for piece in pieces if piece.kind == _CELL]
    asked = {kind for kind in kinds if kind in _ASKING}
    if len(asked) > 1 or ("and" in kinds and not _between_cells(kinds)) or len(cells) > 2:
        return None
    where = f" of {' and '.join(cells)}" if cells else ""
    names = [pieces[i].text for i in columns]
    how = asked.pop() if asked else ""
    if how == "rows" and not names and _GROUPING.keys().isdisjoint(kinds):
        return f"How many rows are there{where.replace(' of', ' for')}?"
    if how == "many" and len(names) == 1 and not cells:
        return f"How many different {names[0]} are there?"
    if not _GROUPING.keys().isdisjoint(kinds):
        return _for_each(pieces, columns, how) if not cells else None
    if how in ("highest", "lowest") and len(names) == 2:
        return _at_the_end(pieces, columns, how) if not cells else None
    if len(names) != 1 or how in ("rows", "many") or "which" in kinds:
        return None
    if how:
        return f"What is the {how} {names[0]}{where}?"
    return f"What is the {names[0]}{where}?" if len(cells) == 1 else None


_ASKING = frozenset(["total", "average", "highest", "lowest", "rows", "many"])


_GROUPING = {"each": 1, "after": -1}
"""Where the group's column stands: "各城市", "店舗ごと"."""


def _between_cells(kinds: Sequence[str]) -> bool:
    at = [i for i, kind in enumerate(kinds) if kind == "and"]
    return all(0 < i < len(kinds) - 1 and kinds[i - 1] == kinds[i + 1] == _CELL for i in at)


def _for_each(pieces: Sequence[_Piece], columns: Sequence[int], how: str) -> str | None:
    """The measure of each group, whose column stands beside the word."""
    at, each = next((i, p.kind) for i, p in enumerate(pieces) if p.kind in _GROUPING)
    beside = at + _GROUPING[each]
    if beside not in columns:
        return None
    group = pieces[beside].text
    others = [pieces[i].text for i in columns if i != beside]
    if how == "rows" and not others:
        return f"How many rows are there for each {group}?"
    if len(others) != 1 or how not in ("total", "average", "highest", "lowest"):
        return None
    return f"What is the {how} {others[0]} for each {group}?"


def _at_the_end(pieces: Sequence[_Piece], columns: Sequence[int], how: str) -> str | None:
    """Which of one column has the most of another: the measure stands before "highest", what is
    asked for after "which", or after "highest" and "of".
    """
    at = next(i for i, piece in enumerate(pieces) if piece.kind == how)
    before = [i for i in columns if i < at]
    measure = before[-1] if before else columns[0]
    target = next(i for i in columns if i != measure)
    return f"Which {pieces[target].text} has the {how} {pieces[measure].text}?"
