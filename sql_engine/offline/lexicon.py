"""The words that name operations: reads `lexicon.toml` once into phrase tables.

Gives phrases as tuples of folded words, so that a question is scanned once for all of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from sql_engine.words import fold, folded_words, stem

Phrase = tuple[str, ...]


@dataclass(frozen=True)
class Sense:
    """One meaning of a phrase: the operator group, and what it carries."""

    operator: str
    """"count", "sum", …, "superlative", "compare_number", "compare_number_after"."""
    argument: str = ""
    """The comparison sign, or the superlative's direction."""
    hints: tuple[str, ...] = ()
    """Stems of column names that a superlative or a comparative speaks of."""
    against: tuple[str, ...] = ()
    """Those that it speaks of the other way round: the oldest mill has the smallest year."""


@dataclass(frozen=True)
class Sex:
    """One sex: the folded words of questions that say it, and the cells."""

    said: frozenset[str]
    cells: frozenset[str]


@dataclass(frozen=True)
class RowKind:
    """What rows with certain headers are called."""

    heads: frozenset[str]
    """Stems of the headers, all of them; "@date", "@money" for what cells hold."""
    nouns: frozenset[str]
    """Stems of the nouns."""
    nameless: bool
    """Whether the table's own name must be no noun for its rows."""


@dataclass(frozen=True)
class Lexicon:
    """All phrases with their senses, and the plain word lists."""

    senses: dict[Phrase, tuple[Sense, ...]]
    longest: int
    """Words in the longest phrase."""
    function: frozenset[str]
    """Folded words that restrict nothing."""
    light: frozenset[str]
    """Stems of words that say little: "placed", "made"."""
    transitive: frozenset[str]
    """Folded verbs that say little before their object."""
    participles: frozenset[str]
    """Folded words like "placed", "made"."""
    listings: frozenset[str]
    """Folded nouns for any table: "chart"."""
    unnamed: frozenset[str]
    """Folded words in the names of files that say nothing of their rows: "export"."""
    rows: frozenset[str]
    """Stems of nouns for a row of any table."""
    people: frozenset[str]
    """Stems of nouns for a row of a table about people."""
    yes: frozenset[str]
    """Folded cells that say yes."""
    no: frozenset[str]
    """Folded cells that say no."""
    ticks: frozenset[str]
    """Folded cells that say yes where the others are left empty."""
    singling: frozenset[str]
    """Folded words that before the rows hold one up: "a single order"."""
    spanning: frozenset[str]
    """Folded words that before the rows say "all of them": "over all readings"."""
    wholes: frozenset[str]
    """Folded words of a header's level over the whole: "Total > Wage" beside "Men > Wage"."""
    rising: frozenset[str]
    falling: frozenset[str]
    """Folded words for what amounts do in time."""
    totality: frozenset[str]
    """Folded words that may stand between a spanning word and the rows."""
    states: frozenset[str]
    """Folded function words that may be what a cell says: "out"."""
    present: frozenset[str]
    """Folded words that say what is so now: "current"."""
    over: frozenset[str]
    """Stems in the names of dates that tell when a row ended."""
    states_named: frozenset[str]
    """Stems in the names of columns that tell the state of a row."""
    blank: frozenset[str]
    """Folded words for a column that holds nothing: "missing"."""
    frequent: frozenset[str]
    """Stems of words in a "most" that say how often."""
    moving: frozenset[str]
    """Folded verbs for goods that come or go: "sold"."""
    quantities: frozenset[str]
    """Stems in the names of columns that say how many pieces."""
    intensive: frozenset[str]
    """Stems in the names of columns whose sum means nothing."""
    charged: frozenset[str]
    """Stems in the names of amounts of which each is one by itself: a fee."""
    shared: frozenset[str]
    """Stems in the names of columns that count in two rows what happened once: a drawn match."""
    won: frozenset[str]
    lost: frozenset[str]
    who: frozenset[str]
    """Stems in the names of columns that say who."""
    happenings: frozenset[str]
    """Stems of nouns for what takes place each time anew: "lesson"."""
    sorts: dict[str, frozenset[str]]
    """Stems of things, with those in the names of columns that each count a sort of them."""
    manner: dict[str, frozenset[str]]
    """What "how …" asks for, with the stems of columns and units that say it; none: any amount."""
    lasting: frozenset[str]
    """Folded verbs and nouns for how long something took: "kept"."""
    lengths: frozenset[str]
    """Stems in the names of columns that tell how long."""
    planned: frozenset[str]
    """Stems in the names of dates on which a thing was only meant to happen: "Due"."""
    money_asked: frozenset[str]
    """Stems of words that ask for an amount of money."""
    money_costing: frozenset[str]
    """Of these, the stems of those that no income answers."""
    money_income: frozenset[str]
    """Stems in the names of columns of money that comes in."""
    money_earned: frozenset[str]
    """Stems of verbs for money that comes in."""
    money_given: frozenset[str]
    """Stems of verbs for what is given or got, which is money where amounts of it are told."""
    money_flows: frozenset[str]
    """Folded nouns for all the money that came in or went out: "turnover"."""
    flow_named: frozenset[str]
    """Stems in the names of columns that hold it where none is called so."""
    money_named: frozenset[str]
    """Stems in the names of columns of money."""
    currencies: frozenset[str]
    """Folded units of money."""
    collections: dict[str, frozenset[str]]
    """Stem of a table's name to the stems of what its rows are then: a fleet's vehicles."""
    row_kinds: tuple[RowKind, ...]
    kind_nouns: frozenset[str]
    """The nouns of all of them."""
    sexes: tuple[Sex, ...]
    units: dict[str, frozenset[str]]
    """Folded signs and names of units to the units they may mean, each by its line."""
    synonyms: dict[str, frozenset[str]]
    """Stem to the stems that may stand for it."""
    had: frozenset[str]
    """Folded words for what somebody has: "let"."""
    free: frozenset[str]
    """Folded words that cells say of what nobody has: "vacant"."""
    denials: frozenset[str]
    """Folded words that deny beside the negations."""
    carrying: frozenset[str]
    """Folded words of order and state that more often carry a sentence: "the following"."""
    beginning: frozenset[str]
    """Stems in the names of columns that say when each row's thing came about: "built"."""
    beginnings: frozenset[str]
    """Stems of verbs for what comes about once: "opened"."""
    rating: frozenset[str]
    """Folded words that say "per" in a header: "Price a month"."""
    bounding: frozenset[str]
    """Folded last words of phrases that compare with a row or a date, not only with a number."""

    def said(self, words: Sequence[str], first: int, last: int) -> tuple[Sense, ...]:
        """The senses of a stretch of folded words; "what does X mean" asks for no average."""
        phrase = tuple(words[first : last + 1])
        verb = phrase == ("mean",) and not _HELPING.isdisjoint(words[:first])
        return () if verb else self.senses.get(phrase, ())


_HELPING = frozenset(["does", "do", "did"])


@cache
def lexicon() -> Lexicon:
    """The lexicon that ships with the package."""
    text = files("sql_engine.offline").joinpath("lexicon.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    senses = _senses(data)
    lists = data["words"]
    kinds = tuple(map(_row_kind, data["row_kinds"]))
    return Lexicon(
        senses=senses,
        longest=max(map(len, senses)),
        function=_folded(lists["function"]),
        light=_stems(lists["light"]),
        transitive=_folded(lists["transitive"]),
        participles=_folded(lists["participles"]),
        listings=_folded(lists["listings"]),
        unnamed=_folded(lists["unnamed"]),
        rows=_stems(lists["rows"]),
        people=_stems(lists["people"]),
        yes=_folded(lists["yes"]),
        no=_folded(lists["no"]),
        ticks=_folded(lists["ticks"]),
        singling=_folded(lists["singling"]),
        spanning=_folded(lists["spanning"]),
        wholes=_folded(lists["wholes"]),
        rising=_folded(lists["rising"]),
        falling=_folded(lists["falling"]),
        totality=_folded(lists["totality"]),
        states=_folded(lists["states"]),
        present=_folded(lists["present"]),
        over=_stems(lists["over"]),
        states_named=_stems(lists["states_named"]),
        blank=_folded(lists["blank"]),
        frequent=_stems(lists["frequent"]),
        moving=_folded(lists["moving"]),
        quantities=_stems(lists["quantities"]),
        intensive=_stems(lists["intensive"]),
        charged=_stems(lists["charged"]),
        shared=_stems(lists["shared"]),
        won=_stems(lists["won"]),
        lost=_stems(lists["lost"]),
        who=_stems(lists["who"]),
        happenings=_stems(lists["happenings"]),
        sorts={stem(thing): _stems(names) for thing, names in data["sorts"].items()},
        manner={word: frozenset(map(stem, hints)) for word, hints in data["manner"].items()},
        lasting=_folded(data["lengths"]["lasting"]),
        lengths=_stems(data["lengths"]["named"]),
        planned=_stems(data["lengths"]["planned"]),
        money_asked=_stems(data["money"]["asked"]),
        money_costing=_stems(data["money"]["costing"]),
        money_income=_stems(fold(data["money"]["income"])),
        money_earned=_stems(data["money"]["earned"]),
        money_given=_stems(data["money"]["given"]),
        money_flows=_folded(data["money"]["flows"]),
        flow_named=_stems(data["money"]["flow_named"]),
        money_named=_stems(data["money"]["named"]),
        currencies=_folded(data["money"]["units"]),
        collections={
            stem(k): frozenset(map(stem, v.split())) for k, v in data["collections"].items()
        },
        row_kinds=kinds,
        kind_nouns=frozenset(noun for kind in kinds for noun in kind.nouns),
        sexes=tuple(Sex(_folded(s["said"]), _folded(s["cells"])) for s in data["sexes"]),
        units=_units(data["units"]["groups"]),
        synonyms=_synonyms(data["synonyms"]["groups"]),
        had=_folded(lists["had"]),
        free=_folded(lists["free"]),
        denials=_folded(lists["denials"]),
        carrying=_folded(lists["carrying"]),
        beginning=frozenset(
            stem(h[1:]) for h in data["superlatives"]["oldest"] if h[0] == "~" and h != "~first"
        ),
        beginnings=_stems(lists["beginnings"]),
        rating=_folded(lists["rating"]),
        bounding=_folded(lists["bounding"]),
    )


def _row_kind(told: dict[str, Any]) -> RowKind:
    heads = frozenset(h if h[0] == "@" else stem(h) for h in told["heads"].split())
    return RowKind(heads, _stems(told["nouns"]), told.get("nameless", False))


def says_little(folded: str, root: str) -> bool:
    """Whether a word with this stem says little: "took", but neither "takings" nor "sales"."""
    known = lexicon()
    return root in known.light and not folded.endswith("ings") and folded not in known.money_flows


def _add_comparatives(senses: dict[Phrase, list[Sense]]) -> None:
    """A comparative speaks of the columns that its superlative does: "longer", "longer than"."""
    for phrase, found in list(senses.items()):
        best = next((s for s in found if s.operator == "superlative"), None)
        if best is None or len(phrase) > 1 or not phrase[0].endswith("est"):
            continue
        if not (best.hints or best.against):
            continue
        more = phrase[0].removesuffix("est") + "er"
        sides = {"+": ("compare", ">"), "-": ("compare_less", "<")}
        operator, sign = sides[best.argument]
        for said, sense in (
            ((more,), replace(best, operator=operator, argument="")),
            ((more, "than"), replace(best, operator="compare_number", argument=sign)),
        ):
            others = [s for s in senses.get(said, ()) if s.operator != sense.operator]
            senses[said] = [*others, sense]


def _senses(data: dict[str, Any]) -> dict[Phrase, tuple[Sense, ...]]:
    senses: dict[Phrase, list[Sense]] = {}
    for operator, phrases in data["operators"].items():
        for phrase in phrases:
            senses.setdefault(folded_words(phrase), []).append(Sense(operator))
    for phrase, (sign, *hints) in data["superlatives"].items():
        with_it = tuple(stem(h) for h in hints if h[0] != "~")
        against = tuple(stem(h[1:]) for h in hints if h[0] == "~")
        sense = Sense("superlative", sign, with_it, against)
        senses.setdefault(folded_words(phrase), []).append(sense)
    for group in ("comparators", "comparators_after"):
        operator = group.replace("comparators", "compare_number")
        for sign, phrases in data[group].items():
            for phrase in phrases:
                senses.setdefault(folded_words(phrase), []).append(Sense(operator, sign))
    _add_comparatives(senses)
    return {phrase: tuple(found) for phrase, found in senses.items()}


def _folded(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


def _units(lines: str) -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for line in filter(None, lines.splitlines()):
        for word in line.split():
            folded = fold(word)
            table[folded] = table.get(folded, frozenset()) | {line}
    return table


def _synonyms(groups: list[list[str]]) -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in groups:
        stems = {stem(word) for word in group}
        for word in stems:
            table.setdefault(word, set()).update(stems - {word})
    return {word: frozenset(others) for word, others in table.items()}
