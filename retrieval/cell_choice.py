"""Which cell of a found row a question asks for.

Takes the question, the table and the row's position; gives the column with a confidence, or None
where no column stands out. Each column is described by a few features (how its header matches the
words that do not name the row, whether its own cell is named, what kind of value the question word
wants); their weights are in `cell_choice.json`, with where they come from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import exp, log
from pathlib import Path

from retrieval.question import Question
from retrieval.table import Column, Table
from retrieval.tokenize import STOP_WORDS, Word, cell_key, stem, words
from retrieval.units import currency_in

MIN_CONFIDENCE = 0.25
"""Below this no column stands out."""


@dataclass(frozen=True)
class CellChoice:
    """The cell that a question asks for."""

    column: int
    """Index into the table's columns."""
    header: str
    text: str
    """The cell as published."""
    confidence: float
    """Share of the choice among all columns, 0 to 1."""


def choose_cell(question: str, table: Table, row: int) -> CellChoice | None:
    """The cell of `row` that `question` asks for; None where no column stands out."""
    described = features(question, table, row)
    if not described:
        return None
    weights = _weights()
    scores = [sum(weights.get(k, 0.0) * v for k, v in column.items()) for column in described]
    top = max(scores)
    shares = [exp(score - top) for score in scores]
    best = shares.index(max(shares))
    confidence = shares[best] / sum(shares)
    if confidence < MIN_CONFIDENCE and len(scores) > 1:
        return None
    best = _as_written(question, table, best)
    column = table.columns[best]
    return CellChoice(best, column.name, column.text_at(row), confidence)


def _as_written(question: str, table: Table, best: int) -> int:
    """The chosen column, or of those whose headers differ in their endings alone ("Guest",
    "Guests") the one that the question writes.
    """
    wanted = set(_header_tokens(table.columns[best].name))
    alike = [i for i, c in enumerate(table.columns) if set(_header_tokens(c.name)) == wanted]
    said = {word.text for word in words(question)}
    written = [i for i in alike if {word.text for word in words(table.columns[i].name)} <= said]
    return written[0] if len(written) == 1 else best


def features(question: str, table: Table, row: int) -> list[dict[str, float]]:
    """What the scorer knows of each column, in column order; absent features are 0."""
    asked, cells = Question.of(question), table.row(row)
    named = _named(asked, table, cells)
    free = _free_words(asked, named, _place_words(asked, table))
    told = _told_by_row(cells, named)
    own = {token: at for token, at in free.items() if token not in told}
    headers = [_header_tokens(header) for header in table.headers]
    paths, said = _telling_paths(table), "".join(word.joined for word in asked.words)
    matches, owned = (_matches(headers, found, len(asked.words)) for found in (free, own))
    worded = [
        {
            **matches[i],
            **{f"own_{name}": value for name, value in owned[i].items()},
            **_level_matches(path, free),
            "header_phrase": float(cell_key(path[-1]) in said),
            "similar": _similar(headers[i], free) if not matches[i]["header_share"] else 0.0,
            "named": float(i in named),
            "named_header_said": float(i in named and matches[i]["header_share"] == 1.0),
            "cell_share": _cell_share(asked, cells[i]),
        }
        for i, path in enumerate(paths)
    ]
    kinds = _kinds(asked, _wanted(asked, told), table, paths, cells)
    for i in named:  # "Which hotels are cheaper than …" names a hotel, and asks for no name of it
        kinds[i] |= {"noun": 0.0, "noun_last": 0.0}
    return [{**one, **two} for one, two in zip(worded, kinds, strict=True)]


def _kinds(
    asked: Question,
    wanted: Sequence[str],
    table: Table,
    paths: Sequence[Sequence[str]],
    cells: Sequence[str],
) -> list[dict[str, float]]:
    """What each column is, and how that fits the kind of value asked for."""
    noun, years = _asked_noun(asked), _years(asked)
    dated = [bool(years.intersection(_header_tokens(path[-1]))) for path in paths]
    changes = [_heads("change", path) for path in paths]
    stated = {"change"} if any(changes) else set()
    shaped = [want for want in wanted if want not in _MEASURED | stated]
    found = []
    for i, (column, path) in enumerate(zip(table.columns, paths, strict=True)):
        header, shape = _header_tokens(column.name), _shape(cells[i])
        kinds = {
            "noun": float(noun in header),
            "noun_last": float(header[-1:] == [noun]),
            "year_said": float(dated[i]),
            "year_elsewhere": float(any(dated) and not dated[i]),
            "key": float(i == table.key),
            "first_column": float(i == 0),
            "derived": float(column.derived),
            "empty": float(not cells[i]),
            "total_header": float(bool(_WHOLE.intersection(header))),
        }
        kinds |= {f"{want}_{shape}": 1.0 for want in shaped}
        kinds |= {f"{want}_header": 1.0 for want in wanted if _heads(want, path)}
        kinds |= _measured(wanted, money=_is_money(column))
        if "change" in wanted and any(changes):
            kinds |= _change(changes[i], _is_share(path, shape), "percent" in wanted)
        found.append(kinds)
    return found


@cache
def _weights() -> Mapping[str, float]:
    path = Path(__file__).with_name("cell_choice.json")
    weights: Mapping[str, float] = json.loads(path.read_text(encoding="utf-8"))["weights"]
    return weights


def _named(asked: Question, table: Table, cells: Sequence[str]) -> dict[int, range]:
    """Columns whose whole cell the question names, with the words that do.

    Words that are two cells of the row ("score of week 3", where the score is 3) name the one whose
    header stands before them, else the key.
    """
    spans = {span.key: range(span.start, span.stop) for span in reversed(asked.spans)}
    keys = [cell_key(cell) if cell else "" for cell in cells]
    alike: dict[str, list[int]] = {}
    for i, key in enumerate(keys):
        if key and key in spans:
            alike.setdefault(key, []).append(i)
    return {
        i: spans[key]
        for key, columns in alike.items()
        for i in _meant(asked, table, columns, spans[key].start)
    }


def _meant(asked: Question, table: Table, columns: list[int], start: int) -> list[int]:
    """Of columns with the same cell those that the words from `start` on are meant to name."""
    if len(columns) > 1 and start:
        before = set(_tokens(asked.words[start - 1]))
        headed = [i for i in columns if before & set(_header_tokens(table.columns[i].name)[-1:])]
        return headed or [i for i in columns if i == table.key] or columns
    return columns


def _place_words(asked: Question, table: Table) -> set[int]:
    """Where the question says in which table to look: "in crews", which asks for no crew."""
    heads = {word.text for header in table.headers for word in words(header)}
    called = {word.text for word in words(table.name)} - heads
    texts = [word.text for word in asked.words]
    return {i for i, text in enumerate(texts) if i and text in called and texts[i - 1] in _WITHIN}


_WITHIN = frozenset(["in", "from"])


def _free_words(asked: Question, named: Mapping[int, range], places: set[int]) -> dict[str, int]:
    """Tokens of the question that name neither the row nor the table, with their first position."""
    used = places.union(*named.values())
    free: dict[str, int] = {}
    for i in asked.content:
        if i not in used:
            for token in _tokens(asked.words[i]):
                free.setdefault(token, i)
    return free


def _told_by_row(cells: Sequence[str], named: Mapping[int, range]) -> set[str]:
    """Tokens of the row's cells that the question does not name whole: said, they name the row."""
    texts = [cell for i, cell in enumerate(cells) if i not in named]
    return {token for text in texts for word in words(text) for token in _tokens(word)}


def _telling_paths(table: Table) -> list[tuple[str, ...]]:
    """The headers' paths without what all of several levels end in: "(In millions)"."""
    deep = [column.path for column in table.columns if len(column.path) > 1]
    if len(deep) < 2 or len({path[-1] for path in deep}) > 1:
        return [column.path for column in table.columns]
    return [c.path[:-1] if len(c.path) > 1 else c.path for c in table.columns]


def _asked_noun(asked: Question) -> str | None:
    """The token of the word behind "which" or "what": "which year"."""
    for word, following in pairwise(asked.words):
        if word.text in ("which", "what") and following.text not in STOP_WORDS:
            return _tokens(following)[0]
    return None


def _years(asked: Question) -> set[str]:
    return {word.text for word in asked.words if _YEAR.fullmatch(word.text)}


def _is_money(column: Column) -> bool:
    unit = column.type.unit
    return unit is not None and currency_in(unit) is not None


def _header_tokens(header: str) -> list[str]:
    found = [token for word in words(header) for token in _tokens(word)]
    return [token for token in found if token not in STOP_WORDS] or found


def _tokens(word: Word) -> list[str]:
    """A word's tokens, with what tables and people call differently made one."""
    whole = () if word.whole is None else (word.whole,)
    return [_SAME.get(token, token) for token in (*word.tokens, *whole)]


_SAME = {
    "men": "male", "man": "male", "boy": "male", "women": "femal", "woman": "femal",
    "girl": "femal", "mean": "averag", "avg": "averag", "percentag": "percent", "pct": "percent",
    "no": "number", "num": "number", "dob": "birth", "born": "birth", "die": "death",
    "overal": "total", "entir": "total",
}  # fmt: skip
"""Stems that stand for another in headers."""


def _matches(
    headers: Sequence[Sequence[str]], free: Mapping[str, int], length: int
) -> list[dict[str, float]]:
    """How each header meets the free words, by itself and against the other headers."""
    rarity = _rarity(headers)
    matched = [sum(rarity[token] for token in set(h) if token in free) for h in headers]
    wholes = [sum(rarity[token] for token in set(h)) for h in headers]
    firsts = [min((free[t] for t in h if t in free), default=length) for h in headers]
    best, earliest = max(matched, default=0.0), min(firsts, default=length)
    shares = [m / whole if whole else 0.0 for m, whole in zip(matched, wholes, strict=True)]
    top = max(shares, default=0.0)
    return [
        {
            "header_share": share,
            "best_header_share": float(share == top and share > 0),
            "question_share": m / best if best else 0.0,
            "most_said": float(m == best and m > 0),
            "first": float(m > 0 and first == earliest),
            "early": 1 - first / length if m > 0 else 0.0,
        }
        for m, share, first in zip(matched, shares, firsts, strict=True)
    ]


def _level_matches(path: Sequence[str], free: Mapping[str, int]) -> dict[str, float]:
    """For headers of several levels: how the words of the last and of the upper levels are met."""
    if len(path) < 2:
        return {}
    levels = [_header_tokens(level) for level in path]
    shares = [sum(t in free for t in level) / max(1, len(level)) for level in levels]
    return {
        "last_level": shares[-1],
        "upper_levels": sum(shares[:-1]) / (len(shares) - 1),
        "unsaid_levels": float(sum(share == 0 for share in shares)),
    }


def _rarity(headers: Sequence[Sequence[str]]) -> dict[str, float]:
    """Weight of each header token: the fewer columns have it, the more it tells."""
    counts: dict[str, int] = {}
    for header in headers:
        for token in set(header):
            counts[token] = counts.get(token, 0) + 1
    return {token: log(1 + len(headers) / count) for token, count in counts.items()}


def _similar(header: Sequence[str], free: Mapping[str, int]) -> float:
    """Share of header tokens that begin like a free word ("directed", "director")."""
    alike = sum(any(_begins_alike(token, word) for word in free) for token in header)
    return alike / len(header) if header else 0.0


def _begins_alike(one: str, other: str) -> bool:
    shared = min(len(one), len(other))
    return shared >= 4 and one[: max(4, shared - 1)] == other[: max(4, shared - 1)]


def _cell_share(asked: Question, cell: str) -> float:
    tokens = {token for word in words(cell) for token in word.tokens}
    if not tokens:
        return 0.0
    said = {token for i in asked.content for token in asked.words[i].tokens}
    return len(tokens & said) / len(tokens)


_WANTS = {
    "who": "who", "whose": "who", "whom": "who", "when": "when", "where": "where",
    "year": "year", "date": "date", "day": "date", "percent": "percent", "percentag": "percent",
    "%": "percent", "proport": "percent", "rate": "percent", "chang": "change",
    "increas": "change", "decreas": "change", "differ": "change", "growth": "change",
    "grew": "change", "grow": "change", "rise": "change", "rose": "change", "fall": "change",
    "fell": "change", "drop": "change", "declin": "change", "old": "age",
    "total": "total", "overal": "total", "all": "total", "name": "name", "number": "count",
    "averag": "average", "mean": "average", "money": "money", "cash": "money", "cost": "money",
    "spend": "money", "spent": "money", "pay": "money", "paid": "money", "invest": "money",
    "price": "money", "earn": "money", "fee": "money", "expens": "money", "revenu": "money",
    "quantiti": "volume", "volum": "volume", "consum": "volume", "consumpt": "volume",
    "use": "volume", "burn": "volume",
}  # fmt: skip
"""Stems of words that tell what kind of value is asked for."""
_MEASURED = frozenset({"money", "volume"})
"""Of these, what the unit of a column tells apart."""
_WHOLE = frozenset({"total", "all"})
_HEADED = {
    "percent": frozenset({"percent", "%", "share", "rate"}),
    "average": frozenset({"averag"}),
    "change": frozenset({"chang", "increas", "decreas", "differ", "growth"}),
    "total": _WHOLE,
    "count": frozenset({"number", "#", "count", "total"}),
    "date": frozenset({"date", "day"}),
    "age": frozenset({"age"}),
    "year": frozenset({"year", "season"}),
    "name": frozenset({"name", "titl"}),
}
"""Stems of header words that such values stand under."""


def _wanted(asked: Question, told: set[str]) -> list[str]:
    """What kinds of value the question asks for: "cost" asks for money where no cell of the row is
    a cost.
    """
    texts = [word.text for word in asked.words]
    wants = [(s, _WANTS[s]) for t in texts if (s := stem(t)) in _WANTS]
    found = dict.fromkeys(want for s, want in wants if want not in _MEASURED or s not in told)
    if "%" in asked.text:
        found["percent"] = None
    for one, other in pairwise(texts):
        if one == "how" and other in ("many", "much"):
            found["count" if other == "many" else "amount"] = None
    if "change" in found:
        found.pop("amount", None)
    return list(found) or ["any"]


def _measured(wanted: Collection[str], *, money: bool) -> dict[str, float]:
    """Whether a column is money or not, as what is asked for is."""
    wants = [want for want in wanted if want in _MEASURED]
    told = {want: "as_asked" if money == (want == "money") else "otherwise" for want in wants}
    return {f"{want}_{how}": 1.0 for want, how in told.items()}


def _change(is_change: bool, is_share: bool, share_wanted: bool) -> dict[str, float]:
    """Where a change is asked for and a column states it: by amount or by percent, as asked."""
    if not is_change:
        return {"change_elsewhere": 1.0}
    return {"change_as_asked" if is_share == share_wanted else "change_otherwise": 1.0}


def _is_share(path: Sequence[str], shape: str) -> bool:
    return shape == "percent" or _heads("percent", path)


def tells_change(path: Sequence[str]) -> bool:
    """Whether a column's headers say that its cells are changes: "Increase (decrease) in 2017"."""
    return any(_heads("change", [level]) for level in path)


def _heads(want: str, path: Sequence[str]) -> bool:
    signs = _HEADED.get(want)
    if signs is None:
        return False
    held = set(_header_tokens(path[-1])) | {char for char in path[-1] if char in "%#"}
    return bool(signs.intersection(held))


_YEAR = re.compile(r"(1[5-9]|20)\d\d")
_DATE = re.compile(
    r"(?i)\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)


def _shape(text: str) -> str:
    """What kind of value a cell looks like."""
    if not text:
        return "empty"
    if "%" in text:
        return "percent"
    if _YEAR.fullmatch(text):
        return "year"
    if any(char.isdigit() for char in text):
        if _DATE.search(text):
            return "date"
        return "mixed" if sum(char.isalpha() for char in text) > 2 else "number"
    return "text"
