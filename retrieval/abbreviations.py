"""Abbreviations in a question, spelt out as the tables do: "ASM" where a label says "Available seat
miles (ASMs)", or "Available seat miles" alone.

Takes the question and tables; gives the question with the words in full. A short form that the
tables use beside other words of the question ("cost per ASM") is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from retrieval.kept import kept
from retrieval.table import NUMERIC, TEMPORAL, Table
from retrieval.tokenize import STOP_WORDS, cell_key, stem, tokens

MOST_LABELS = 200
"""A column of more distinct texts names things rather than measures."""
_LONGEST_LABEL = 20
"""Words; longer texts are prose."""
_SHORTEST_UNDEFINED = 3
""""US" has the initials of "units sold": two letters count only where a text puts them beside what
they stand for."""
_SHORT = re.compile(r"(?<![\w'-])([A-Z]{2,6})s?(?![\w'-])")
_BESIDE = re.compile(r"([^()]*)\(\s*[\"'“”‘’]*([^()\"“”‘’]*?)[\"'“”‘’]*\s*\)")
_WORDS = re.compile(r"[^\W\d_]+")
_PARENTHESES = re.compile(r"\([^()]*\)")


@dataclass(frozen=True)
class Spelt:
    """A question with its abbreviations in full."""

    question: str
    read: tuple[tuple[str, str], ...] = ()
    """(as asked, in full) of each that was."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """One for each, to be told beside the answer."""
        return tuple(f'"{s}" is read as "{f}", as the tables spell it out' for s, f in self.read)


def is_abbreviated(question: str) -> bool:
    """Whether a word may be a short form: it is in capitals, and others are not."""
    return question != question.upper() and bool(_SHORT.search(question))


def spelt_out(question: str, tables: Sequence[Table], holds: Callable[[str], bool]) -> Spelt:
    """The question with the short forms of `tables` in full.

    Args:
        question: as asked.
        tables: where they are looked for.
        holds: whether a cell or header of any table has a word.
    """
    shorts = dict.fromkeys(_SHORT.findall(question))
    found = {short: full for short in shorts if (full := _full(question, short, tables, holds))}
    text = _SHORT.sub(lambda said: _beside(said[0], found.get(said[1]), holds), question)
    return Spelt(text, tuple(found.items()))


def _beside(said: str, full: str | None, holds: Callable[[str], bool]) -> str:
    """What stands in full, and beside it the short form where a table has that as well."""
    if full is None:
        return said
    return f"{full} ({said})" if holds(stem(said.casefold())) else full


def _full(
    question: str, short: str, tables: Sequence[Table], holds: Callable[[str], bool]
) -> str | None:
    """What a short form stands for; None where that is not told, or told in two ways."""
    letters = short.casefold()
    if letters in STOP_WORDS:
        return None
    said = {full for table in tables for full in _defined(table).get(letters, ())}
    if said and any(_is_used(question, letters, table) for table in tables):
        return None
    if not said and len(letters) >= _SHORTEST_UNDEFINED and not holds(stem(letters)):
        said = {full for table in tables for full in _with_initials(letters, table)}
    meant = {tuple(tokens(full)): full for full in sorted(said, reverse=True)}
    return next(iter(meant.values())) if len(meant) == 1 else None


def _is_used(question: str, letters: str, table: Table) -> bool:
    """Whether a label has the short form as its own: alone, or beside other words asked for."""
    asked = set(tokens(question)) - STOP_WORDS - {stem(letters)}
    for label in _labels(table):
        if letters not in label.casefold():
            continue
        plain = _PARENTHESES.sub(" ", label)
        held = set(tokens(plain)) - STOP_WORDS
        if stem(letters) in held and (cell_key(plain) == letters or held & asked):
            return True
    return False


@kept
def _labels(table: Table) -> tuple[str, ...]:
    """The texts that name what a table holds: its title, headers and the names of its rows."""
    named = (
        text
        for column in table.columns
        if column.type.kind not in NUMERIC | TEMPORAL and len(column.texts) <= MOST_LABELS
        for text in column.texts
    )
    levels = (level for column in table.columns for level in column.path)
    texts = (*table.heading_path, table.title, *levels, *named, *(n.text for n in table.notes))
    return tuple(dict.fromkeys(texts))


@kept
def _defined(table: Table) -> dict[str, tuple[str, ...]]:
    """By short form: what the labels put beside it in parentheses."""
    found: dict[str, list[str]] = {}
    for label in _labels(table):
        for before, inside in _BESIDE.findall(label):
            for short, told in _pairs(before, inside):
                full = _last_with_initials(short, told)
                if full is not None:
                    found.setdefault(short, []).append(full)
    return {short: tuple(fulls) for short, fulls in found.items()}


def _pairs(before: str, inside: str) -> Iterator[tuple[str, str]]:
    """(short form, text that ends with it in full): "Seat miles (SMs)", "SM (seat miles)"."""
    outer, inner = _WORDS.findall(before), _WORDS.findall(inside)
    if len(inner) == 1 and inner[0][:2].isupper():
        yield inner[0].removesuffix("s").casefold(), before
    if len(inner) > 1 and outer and len(outer[-1]) > 1 and outer[-1].isupper():
        yield outer[-1].casefold(), inside


def _with_initials(letters: str, table: Table) -> Iterator[str]:
    """Neighbouring words of labels that begin with these letters."""
    for text, initials in _initials(table):
        if letters in initials:
            ends = (word.end() for word in _WORDS.finditer(text))
            found = (_last_with_initials(letters, text[:end]) for end in ends)
            yield from (full for full in found if full is not None)


@kept
def _initials(table: Table) -> tuple[tuple[str, str], ...]:
    """Each label without what stands in parentheses, with the first letters of its words."""
    texts = (_PARENTHESES.sub(" ", label) for label in _labels(table))
    told = ((text, _WORDS.findall(text.casefold())) for text in texts)
    return tuple(
        (text, "".join(word[0] for word in found if word not in STOP_WORDS))
        for text, found in told
        if _SHORTEST_UNDEFINED <= len(found) <= _LONGEST_LABEL
    )


def _last_with_initials(letters: str, text: str) -> str | None:
    """The last words of a text, if they begin with these letters; small words may stand between."""
    left = letters
    for word in reversed(list(_WORDS.finditer(text))):
        if left and word[0][0].casefold() == left[-1]:
            left = left[:-1]
            if not left:
                return _within_a_sentence(text[word.start() :].strip())
        elif left == letters or word[0].casefold() not in STOP_WORDS:
            return None
    return None


def _within_a_sentence(name: str) -> str:
    """A name that does not begin one: "Available seat miles" in lower case, no proper name."""
    rest = name[1:]
    return name.casefold() if rest == rest.casefold() else name
