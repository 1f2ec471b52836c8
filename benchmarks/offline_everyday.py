"""Everyday questions made over any table: wordings with gaps, filled from the table's own columns.

They teach the ranker what people ask of their own tables (whole rows, groups, months, shares),
which the published sets hardly ask. Takes catalog tables; gives questions with the tree that is
meant, and questions that name what the table does not hold, which no tree answers.
"""

from __future__ import annotations

import datetime as dt
import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.offline_invented import FLAGS
from retrieval.table import Kind
from sql_engine.catalog import CatalogTable
from sql_engine.offline.columns import ColumnData, TableData, table_data
from sql_engine.offline.tree import (
    Agg,
    All,
    Arith,
    Cmp,
    Col,
    Facet,
    Filled,
    Grouped,
    In,
    Measure,
    Not,
    Rows,
    Top,
    Tree,
    Values,
    Where,
    Within,
)
from sql_engine.words import name_words


def _wordings() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    path = Path(__file__).with_suffix(".txt")
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            found[line[2:]] = wordings = []
        elif line and not line.startswith("#"):
            wordings.append(line)
    return found


WORDINGS = _wordings()
_NOUNS = ("rows", "records", "entries")
_GAPS = re.compile(r"\{(\w)\}")
_TELLING = frozenset("ncCvKlfgw")
"""Gaps that are filled with a name of a column or with a cell."""
_DOING = """get have make place send bring take handle run give book order file report hold carry
record show use need reach"""
_DONE = """made placed sent taken handled run booked ordered filed reported held carried recorded
shown used given brought registered entered logged created done"""
_DID = "had got made has gave took reached earned recorded scored brought shows gets showed handled"
_QUALITIES = """broken overdue secret foreign missing spare faulty disputed rural digital private
used rare wooden refundable repaired stolen lost refunded rejected damaged delayed adopted illegal
empty dirty famous modern injured licensed abandoned recycled hidden dangerous postponed"""
"""What rows may be like, and what a table may not tell of them."""
_ADJECTIVES = {
    "cheapest": ("-", {"price", "cost", "fee"}),
    "most expensive": ("+", {"price", "cost", "fee"}),
    "longest": ("+", {"hours", "duration", "distance"}),
    "shortest": ("-", {"hours", "duration", "distance"}),
    "heaviest": ("+", {"weight"}),
    "lightest": ("-", {"weight"}),
    "largest": ("+", {"size"}),
    "smallest": ("-", {"size"}),
}
"""What a superlative says of a column of one of these names."""
_BY_TIME = ("newest", "oldest", "newest where", "oldest where")
ADJECTIVAL = frozenset(name.lower() for name in FLAGS)
"""Flags that say how rows are."""
OF_A_QUALITY = 0.3
"""How often a question asks for what no column tells."""
AS_PUBLISHED = 0.3
"""How often a strange name keeps its capitals: with them it is known to restrict."""


@dataclass(frozen=True)
class Everyday:
    """A question and the tree that it means."""

    kind: str
    question: str
    tree: Tree
    told_by: Col | None = None
    """The column that tells the listed rows apart: its cells say which rows are meant."""


def everyday(table: CatalogTable, rng: random.Random) -> Iterator[Everyday]:
    """One question of every kind that the table can be asked."""
    maker = _Maker(table, rng)
    for kind, wordings in WORDINGS.items():
        gaps, tree = maker.fill(kind)
        if tree is not None:
            yield Everyday(kind, _filled(rng.choice(wordings), gaps), tree, maker.told_by(tree))


def strange(
    table: CatalogTable, other: CatalogTable, rng: random.Random
) -> Iterator[tuple[str, str]]:
    """Questions of every kind where one name is a column or a cell of the other table, and none of
    this one: the kind, and the question.
    """
    maker, stranger = _Maker(table, rng), _Maker(other, rng)
    known = _stems_of(table)
    for kind, wordings in WORDINGS.items():
        (gaps, tree), (others, _) = maker.fill(kind), stranger.fill(kind)
        wording, quality = rng.choice(wordings), rng.choice(_QUALITIES.split())
        if tree is not None and "{E}" in wording and rng.random() < OF_A_QUALITY:
            if not {quality, *name_words(quality)} & known:
                yield f"{kind} of a quality", _filled(_qualified(wording, quality, rng), gaps)
            continue
        told = [gap for gap in _GAPS.findall(wording) if gap in _TELLING and gap in others]
        if tree is None or not told:
            continue
        gap = rng.choice(told)
        if set(name_words(others[gap])).isdisjoint(known):
            name = others[gap] if rng.random() < AS_PUBLISHED else others[gap].lower()
            yield kind, _filled(wording, {**gaps, gap: name})


def _qualified(wording: str, quality: str, rng: random.Random) -> str:
    """A wording that asks for the rows of a quality."""
    said = rng.choice((f"{quality} {{E}}", f"{{E}} that are {quality}"))
    return wording.replace("{E}", said, 1)


def _filled(wording: str, gaps: dict[str, str]) -> str:
    return _GAPS.sub(lambda gap: gaps[gap.group(1)], wording)


def _stems_of(table: CatalogTable) -> set[str]:
    """The stems of all that the table says."""
    said = [table.name, *(c.name for c in table.columns)]
    said += [text for column in table_data(table).columns for text in column.texts]
    return {word for text in said for word in name_words(text)}


class _Maker:
    def __init__(self, table: CatalogTable, rng: random.Random) -> None:
        self._rng = rng
        self._data: TableData = table_data(table)
        self._rows = self._data.row_count
        name = say(table.name)
        plain = re.fullmatch(r"[a-z ]{3,24}", name) is not None
        noun = name if plain else rng.choice(_NOUNS)
        self._many = noun if noun.endswith("s") else plural(noun)
        self._one = (
            self._many.removesuffix("ies") + "y" if self._many.endswith("ies") else self._many[:-1]
        )

    def _pick(self, fits) -> tuple[int, ColumnData] | None:
        found = [(i, c) for i, c in enumerate(self._data.columns) if fits(c)]
        return self._rng.choice(found) if found else None

    def told_by(self, tree: Tree) -> Col | None:
        """The column that a list of rows is known by, if it lists them whole or by this column."""
        if not isinstance(tree, Values) or tree.distinct:
            return None
        keys = [Col(i) for i, c in enumerate(self._data.columns) if _key(c)]
        if tree.cols:
            return tree.cols[0] if len(tree.cols) == 1 and tree.cols[0] in keys else None
        return keys[0] if keys else None

    def fill(self, kind: str) -> tuple[dict[str, str], Tree | None]:
        gaps = {"E": self._many, "e": self._one, "k": str(self._rng.choice([2, 3, 5]))}
        number, label = self._pick(_amount), self._pick(_label)
        key, date, field = self._pick(_key), self._pick(lambda c: c.temporal), self._pick(_short)
        uses = set(_GAPS.findall(" ".join(WORDINGS[kind])))
        needs = {
            "n": number,
            "x": number,
            "c": label,
            "C": label,
            "v": label,
            "m": label,
            "K": key,
            "l": key,
            "f": field,
            "y": date,
            "d": date,
            "b": self._pick(_gappy),
            "w": label,
            "z": number,
            "A": number,
            "g": label,
            "B": self._pick(_flag),
        }
        for gap, words in (("V", _DOING), ("P", _DONE), ("D", _DID)):
            gaps[gap] = self._rng.choice(words.split())
        if kind in ("by month", "count month", *_BY_TIME):
            needs["t"], uses = date, uses | {"t"}
        if any(needs[use] is None for use in uses if use in needs):
            return gaps, None
        if number:
            gaps["n"] = say(number[1].name)
        if label:
            gaps["c"] = say(label[1].name)
            gaps["C"] = gaps["c"] if gaps["c"].endswith("s") else plural(gaps["c"])
            gaps["v"], gaps["w"] = self._rng.sample(sorted(set(label[1].texts)), 2)
        if key:
            gaps["K"], gaps["l"] = self._rng.choice(key[1].texts), say(key[1].name)
        if field:
            gaps["f"] = say(field[1].name)
            if key and field[0] == key[0] and "f" in uses:
                return gaps, None
        if kind.endswith("distinct where"):
            if (other := self._other_label(label)) is None:
                return gaps, None
            gaps["g"], gaps["w"] = say(other[1].name), self._rng.choice(other[1].texts)
            where = Where(All(), (In(Col(other[0]), (gaps["w"],)),))
            c = Col(label[0])
            count = kind.startswith("count")
            return gaps, Agg("distinct", where, c) if count else Values(where, (c,), distinct=True)
        if "A" in uses:
            found = self._adjectives(number[1])
            if not found:
                return gaps, None
            gaps["A"], largest = self._rng.choice(found)
            rows = (
                All()
                if kind == "adjective row"
                else Where(All(), (In(Col(label[0]), (gaps["v"],)),))
            )
            return gaps, Values(Top(rows, Col(number[0]), largest), ())
        if "B" in uses:
            gaps["B"] = say(needs["B"][1].name)
            return gaps, self._flagged(
                kind, Col(needs["B"][0]), n=Col(number[0]) if number else None
            )
        if "b" in uses:
            gaps["b"], field = say(needs["b"][1].name), needs["b"]
        return gaps, self._tree(kind, gaps, number, label, key, date, field)

    def _flagged(self, kind: str, flag: Col, n: Col | None) -> Tree:
        held = In(flag, tuple(t for t in self._data.columns[flag.index].texts if _holds(t)))
        rows = Where(All(), (Not(held) if "not" in kind else held,))
        if kind.startswith("count"):
            return Agg("count", rows)
        return Agg("sum", rows, n) if kind.startswith("sum") else Values(rows, ())

    def _other_label(self, label) -> tuple[int, ColumnData] | None:
        """A column of labels that is another one."""
        return self._pick(lambda c: _label(c) and c is not label[1])

    @staticmethod
    def _adjectives(column: ColumnData) -> list[tuple[str, bool]]:
        names = set(say(column.name).split())
        return [(a, way == "+") for a, (way, known) in _ADJECTIVES.items() if names & known]

    def _tree(self, kind, gaps, number, label, key, date, field) -> Tree | None:
        n = Col(number[0]) if number else None
        c = Col(label[0]) if label else None
        where: Rows = Where(All(), (In(c, (gaps["v"],)),)) if c else All()
        k = int(gaps["k"])
        match kind:
            case "count":
                return Agg("count", All())
            case "count where":
                return Agg("count", where)
            case "count not":
                return Agg("count", Where(All(), (Not(In(c, (gaps["v"],))),)))
            case "sum" | "mean" | "max" | "min" | "median":
                return Agg(kind, All(), n)
            case "sum where" | "mean where" | "max where":
                return Agg(kind.split()[0], where, n)
            case "sum by" | "mean by":
                return Grouped(All(), (c,), (Measure(kind.split()[0], n),))
            case "count by":
                return Grouped(All(), (c,), (Measure("count"),))
            case "top keys":
                return Values(Top(All(), n, True, k), (Col(key[0]),))
            case "second":
                return Values(Top(All(), n, True, 2, single=True), (Col(key[0]),))
            case "second value":
                return Values(Top(All(), n, True, 2, single=True), (n,), distinct=True)
            case "extreme where":
                return Agg("max", where, n)
            case "count month of" | "sum month of":
                rows = self._in_month(gaps, date, after=False)
                return Agg("count", rows) if kind.startswith("count") else Agg("sum", rows, n)
            case "distinct over":
                return self._bounded(kind, gaps, number, c, key)
            case "top rows":
                return Values(Top(All(), n, True, k), ())
            case "top groups":
                return Grouped(All(), (c,), (Measure("sum", n),), largest=True, n=k)
            case "top group":
                return Grouped(All(), (c,), (Measure("sum", n),), largest=True, n=1, show=False)
            case "top group mean":
                return Grouped(All(), (c,), (Measure("mean", n),), largest=True, n=1, show=False)
            case "most" | "fewest":
                return Grouped(
                    All(), (c,), (Measure("count"),), largest=kind == "most", n=1, show=False
                )
            case "neither":
                return Values(Where(All(), (Not(self._either(c, gaps)),)), ())
            case "count either":
                return Agg("count", Where(All(), (self._either(c, gaps),)))
            case "sum neither":
                return Agg("sum", Where(All(), (Not(self._either(c, gaps)),)), n)
            case "blank" | "count blank":
                rows = Where(All(), (Not(Filled(Col(field[0]))),))
                return Values(rows, ()) if kind == "blank" else Agg("count", rows)
            case "list month" | "list since" | "who month":
                rows = self._in_month(gaps, date, after=kind == "list since")
                return Values(rows, (Col(key[0]),) if kind == "who month" else ())
            case "list year":
                return Values(self._in_year(gaps, date), ())
            case "newest where" | "oldest where":
                return Values(Top(where, Col(date[0]), kind.startswith("newest")), ())
            case "list over" | "list under" | "count over" | "count both" | "who over":
                return self._bounded(kind, gaps, number, c, key)
            case "between" | "list both" | "list from" | "list both from":
                return self._bounded(kind, gaps, number, c, key)
            case "list where" | "rows of":
                return Values(where, ())
            case "newest" | "oldest":
                return Values(Top(All(), Col(date[0]), kind == "newest"), ())
            case "details":
                return Values(Where(All(), (In(Col(key[0]), (gaps["K"],)),)), ())
            case "field":
                return Values(Where(All(), (In(Col(key[0]), (gaps["K"],)),)), (Col(field[0]),))
            case "distinct":
                return Values(All(), (c,), distinct=True)
            case "count distinct":
                return Agg("distinct", All(), c)
            case "by month":
                return Grouped(All(), (Col(date[0], Facet.MONTH),), (Measure("sum", n),))
            case "count month":
                return Grouped(All(), (Col(date[0], Facet.MONTH),), (Measure("count"),))
            case "in year":
                return Agg("count", self._in_year(gaps, date))
            case "month of year":
                rows = self._in_year(gaps, date)
                return Grouped(rows, (Col(date[0], Facet.MONTH),), (Measure("count"),))
            case "having" | "repeating":
                counts = np.bincount(label[1].codes[label[1].codes >= 0])
                bound = int(np.median(counts))
                gaps["m"] = str(bound)
                return Grouped(
                    All(), (c,), (Measure("count"),), having=((">", float(bound)),), show=False
                )
            case "share":
                return Arith("%", Agg("count", where), Agg("count", All()))
            case "who" | "who least":
                return Values(Top(All(), n, kind == "who"), (Col(key[0]),))
            case "who where":
                return Values(Top(where, n, True), (Col(key[0]),))
            case "two columns":
                return Values(All(), (Col(key[0]), Col(field[0])))
        return Values(where, (Col(key[0]),))

    def _bounded(self, kind, gaps, number, c, key) -> Tree | None:
        floats = number[1].encoded().row_floats
        floats = floats[~np.isnan(floats)]
        if not len(floats):
            return None
        bound = float(np.quantile(floats, 0.6))
        bound = round(bound) if abs(bound) > 10 else round(bound, 1)
        gaps["x"] = f"{bound:.10g}"
        sign = "<" if "under" in kind else ">=" if kind.endswith("from") else ">"
        cond = Cmp(Col(number[0]), sign, float(bound))
        if kind in ("count both", "list both", "list both from"):
            both = Where(All(), (In(c, (gaps["v"],)), cond))
            return Agg("count", both) if kind == "count both" else Values(both, ())
        if kind == "between":
            higher = math.ceil(float(np.quantile(floats, 0.9)))
            gaps["x"], gaps["z"] = f"{math.floor(bound)}", f"{higher}"
            low, high = (
                Cmp(Col(number[0]), s, float(gaps[g])) for s, g in ((">=", "x"), ("<=", "z"))
            )
            return Values(Where(All(), (low, high)), ()) if bound < higher else None
        rows = Where(All(), (cond,))
        if kind == "distinct over":
            return Values(rows, (c,), distinct=True)
        if kind == "count over":
            return Agg("count", rows)
        return Values(rows, (Col(key[0]),) if kind == "who over" else ())

    @staticmethod
    def _either(c: Col, gaps: dict[str, str]) -> In:
        return In(c, (gaps["v"], gaps["w"]))

    def _in_month(self, gaps, date, *, after: bool) -> Rows:
        day = self._rng.choice([v for v in date[1].encoded().values if isinstance(v, dt.date)])
        first = dt.date(day.year, day.month, 1)
        gaps["d"] = first.strftime("%B %Y")
        if after:
            return Where(All(), (Cmp(Col(date[0]), ">=", first),))
        last = (first + dt.timedelta(days=31)).replace(day=1)
        return Where(All(), (Within(Col(date[0]), first, last, label=f"{first}"),))

    def _in_year(self, gaps, date) -> Rows:
        year = self._rng.choice(date[1].encoded(Facet.YEAR).values)
        gaps["y"] = str(year)
        within = Within(
            Col(date[0]), dt.date(year, 1, 1), dt.date(year + 1, 1, 1), label=f"{year}-01-01"
        )
        return Where(All(), (within,))


def plural(noun: str) -> str:
    """Of several."""
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if re.search(r"(s|x|ch|sh)$", noun) else "s")


def say(name: str) -> str:
    """A name as people say it."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("_", " ")).lower().strip()


def _amount(c: ColumnData) -> bool:
    return (
        c.numeric
        and not c.identifier
        and not c.column.as_text
        and _sayable(c)
        and "year" not in c.name.lower()
    )


def _flag(c: ColumnData) -> bool:
    return c.kind is Kind.BOOLEAN and say(c.name) in ADJECTIVAL


def _holds(text: str) -> bool:
    return text.lower() in ("yes", "true", "y")


def _gappy(c: ColumnData) -> bool:
    """Whether some rows have no value, and most have."""
    blank = int((c.encoded().codes < 0).sum())
    return 0 < blank < len(c.codes) / 2 and _sayable(c) and not c.column.as_text


def _label(c: ColumnData) -> bool:
    e = c.encoded()
    return c.kind is Kind.TEXT and 2 <= len(e.values) <= max(3, len(c.codes) // 2) and _plain(c)


def _key(c: ColumnData) -> bool:
    return c.kind is Kind.TEXT and not c.identifier and c.encoded().unique and _plain(c)


def _short(c: ColumnData) -> bool:
    return _sayable(c) and not c.column.as_text and all(len(t) < 60 for t in c.texts)


def _plain(c: ColumnData) -> bool:
    return (
        _sayable(c)
        and not c.column.as_text
        and all(0 < len(t) < 40 and "\n" not in t for t in c.texts)
    )


def _sayable(c: ColumnData) -> bool:
    return re.fullmatch(r"[A-Za-z][A-Za-z _]{1,24}", c.name) is not None
