"""Which cell of a found row a question asks for.

Takes the question, the table and the row's position; gives the column with a confidence, or None
where no column stands out. Each column is described by a few features (how its header matches the
words that do not name the row, whether its own cell is named, what kind of value the question word
wants); their weights are in `cell_choice.json`, with where they come from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import exp, log
from pathlib import Path

from retrieval.question import Question
from retrieval.table import NUMERIC, TEMPORAL, Kind, Table
from retrieval.tokenize import STOP_WORDS, cell_key, stem, words

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
    column = table.columns[best]
    return CellChoice(best, column.name, column.text_at(row), confidence)


def features(question: str, table: Table, row: int) -> list[dict[str, float]]:
    """What the scorer knows of each column, in column order; absent features are 0."""
    asked = Question.of(question)
    cells = table.row(row)
    named = _named(asked, cells)
    free = _free_words(asked, cells, named)
    headers = [_header_tokens(table, i) for i in range(len(cells))]
    rarity = _rarity(headers)
    wanted = _wanted(asked)
    matched = [sum(rarity[t] for t in set(h) if t in free) for h in headers]
    best = max(matched, default=0.0)
    firsts = [min((free[t] for t in h if t in free), default=len(asked.words)) for h in headers]
    found = []
    for i, header in enumerate(headers):
        whole = sum(rarity[t] for t in set(header))
        column: dict[str, float] = {
            "header_share": matched[i] / whole if whole else 0.0,
            "question_share": matched[i] / best if best else 0.0,
            "header_phrase": float(cell_key(table.columns[i].path[-1]) in _joined(asked)),
            "similar": _similar(header, free) if not matched[i] else 0.0,
            "first": float(bool(matched[i]) and firsts[i] == min(firsts)),
            "named": float(i in named),
            "cell_share": _cell_share(asked, cells[i]),
            "key": float(i == table.key),
            "empty": float(not cells[i]),
        }
        column.update({f"{want}_{_kind(table, i)}": 1.0 for want in wanted})
        found.append(column)
    return found


@cache
def _weights() -> Mapping[str, float]:
    path = Path(__file__).with_name("cell_choice.json")
    weights: Mapping[str, float] = json.loads(path.read_text(encoding="utf-8"))["weights"]
    return weights


def _named(asked: Question, cells: Sequence[str]) -> dict[int, range]:
    """Columns whose whole cell the question names, with the words that do."""
    spans = {span.key: range(span.start, span.stop) for span in reversed(asked.spans)}
    keys = [cell_key(cell) if cell else "" for cell in cells]
    return {i: spans[key] for i, key in enumerate(keys) if key and key in spans}


def _free_words(
    asked: Question, cells: Sequence[str], named: Mapping[int, range]
) -> dict[str, int]:
    """Tokens of the question that do not name the row, with their first position."""
    used = {i for where in named.values() for i in where}
    free: dict[str, int] = {}
    for i in asked.content:
        if i not in used:
            for token in asked.words[i].tokens:
                free.setdefault(token, i)
    return free


def _header_tokens(table: Table, index: int) -> list[str]:
    found = [token for word in words(table.columns[index].name) for token in word.tokens]
    return [token for token in found if token not in STOP_WORDS] or found


def _rarity(headers: Sequence[Sequence[str]]) -> dict[str, float]:
    """Weight of each header token: the fewer columns have it, the more it tells."""
    counts: dict[str, int] = {}
    for header in headers:
        for token in set(header):
            counts[token] = counts.get(token, 0) + 1
    return {token: log(1 + len(headers) / count) for token, count in counts.items()}


def _joined(asked: Question) -> str:
    return "".join(word.joined for word in asked.words)


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


_WANTS = {"who": "who", "whose": "who", "whom": "who", "when": "when", "where": "where"}
_COUNTED = frozenset({"many", "much"})


def _wanted(asked: Question) -> list[str]:
    """What kind of value the question word asks for."""
    texts = [word.text for word in asked.words]
    found = [_WANTS[text] for text in texts if text in _WANTS]
    if any(a == "how" and b in _COUNTED for a, b in pairwise(texts)):
        found.append("count")
    if stem("year") in {token for word in asked.words for token in word.tokens}:
        found.append("year")
    return found[:1]


def _kind(table: Table, index: int) -> str:
    kind = table.columns[index].type.kind
    if kind in TEMPORAL:
        return "time"
    if kind in NUMERIC:
        return "number"
    return "text" if kind is Kind.TEXT else "flag"
