"""What the words of a follow-up name of the tables: a cell or a column, exactly, or nothing.

Takes the last question (`Base`) and the words; gives the cells or the column that are named. Words
that no cell and no column holds are an error that says what is near, never the nearest cell: "and
INV-250?" is no other invoice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from router.errors import RouterError, nearest
from sql_engine.catalog import Catalog, CatalogTable
from sql_engine.linking import link
from sql_engine.links import ColumnLink, Links, Span, ValueLink
from sql_engine.offline.columns import table_data
from sql_engine.offline.flags import flag
from sql_engine.offline.header_mentions import column_stems
from sql_engine.offline.prefixed import without_prefixes
from sql_engine.offline.table_words import WHOLE_NAME
from sql_engine.words import folded_words, name_words

MANY_CELLS = 20_000
"""Different cells of a column above which a part of a name is not looked for among them."""
_CARRIED = """
    a an the of in for from at on with to during one ones those these them it its their his her is
    are was were who that which have has having too as well row rows please
"""
_CARRYING = frozenset(_CARRIED.split())
"""Words around a name that add nothing to it."""
_JOINING = frozenset(["and", "or"])
_LEADING = re.compile(r"^(?:(?:the|an?|in|for|from|at|on|to|with|of|during)\s+)+", re.IGNORECASE)


class UnplacedFollowUp(RouterError):
    """The words of a follow-up do not say what of the last question they change."""

    code = "unplaced_follow_up"


@dataclass(frozen=True)
class Base:
    """The last question that was answered, and what it speaks of."""

    question: str
    catalog: Catalog
    sql: str | None = None
    table_ids: tuple[str, ...] = ()
    """Tables that its answer cites."""

    @cached_property
    def links(self) -> Links:
        """What the question names."""
        return link(self.question, self.catalog)

    @cached_property
    def tables(self) -> tuple[CatalogTable, ...]:
        """The tables that its answer cites or its SQL reads, else those that it names."""
        cited = [self.catalog.by_id(each) for each in dict.fromkeys(self.table_ids)]
        if any(cited):
            return tuple(entry for entry in cited if entry is not None)
        named = [self.catalog.get(name) for name in tables_of(self.links)]
        found = [entry for entry in named if entry is not None]
        read = [entry for entry in self.catalog if self.sql and f'"{entry.name}"' in self.sql]
        return tuple(read or found)

    @cached_property
    def conditions(self) -> tuple[ValueLink, ...]:
        """The cells that it names, by whole words: of each stretch and column the best one."""
        names = {entry.name for entry in self.tables}
        inside = [v for v in self.links.values if not names or v.table in names]
        headers = [c.span for c in self.links.columns if c.score >= WHOLE_NAME]
        whole = [v for v in inside if is_cell(v)]
        parts = [
            v
            for v in inside
            if set(_said(v)) <= set(folded_words(v.value))
            and not any(overlap(v.span, span) for span in headers)
            and not any(same_column(v, cell) for cell in whole)
        ]
        kept: list[ValueLink] = []
        for value in sorted(whole + parts, key=lambda v: v.span.start - v.span.end):
            same = [k for k in kept if same_column(k, value)]
            if not any(overlap(k.span, value.span) for k in same):
                kept.append(value)
        return tuple(kept)

    def condition_on(self, value: ValueLink) -> ValueLink | None:
        """Its one condition on the value's column. Raises UnplacedFollowUp where it has two."""
        found = [v for v in self.conditions if same_column(v, value)]
        if len(found) > 1:
            raise UnplacedFollowUp(f'"{self.question}" names more than one {value.column}')
        return found[0] if found else None


def tables_of(links: Links) -> dict[str, None]:
    """The tables that links speak of, in order, each once."""
    named = [found.table for found in links.tables]
    named += [found.table for found in links.columns]
    return dict.fromkeys(named + [found.table for found in links.values])


def cells_named(rest: str, base: Base) -> list[ValueLink]:
    """The cells that `rest` names, every word of it accounted for; none where it names none.

    Raises:
        UnplacedFollowUp: it names a part of several cells, or a cell of several columns.
    """
    links = link(rest, base.catalog)
    whole = _longest(v for v in links.values if is_cell(v))
    found = [_of_one_column(span, whole[span], rest, base) for span in whole]
    if not found:
        found = _by_a_part(rest, links, base)
    return found if found and not _left(rest, found, base) else []


def _longest(values: Iterable[ValueLink]) -> dict[tuple[int, int], list[ValueLink]]:
    """Cells by their stretch of words; a stretch inside a longer one is none of its own."""
    kept: dict[tuple[int, int], list[ValueLink]] = {}
    for value in sorted(values, key=lambda v: v.span.start - v.span.end):
        here = value.span.start, value.span.end
        if here in kept or not any(a < here[1] and here[0] < b for a, b in kept):
            kept.setdefault(here, []).append(value)
    return dict(sorted(kept.items()))


def _of_one_column(
    span: tuple[int, int], values: list[ValueLink], rest: str, base: Base
) -> ValueLink:
    """The one meant among cells of several columns: one of the last question's, or named."""
    beside = name_words(rest[: span[0]] + " " + rest[span[1] :])
    tables = {entry.name for entry in base.tables}
    asked = {v.column.casefold() for v in base.conditions}
    inside = [v for v in values if v.table in tables] or values
    named = [v for v in inside if set(name_words(v.column)) <= set(beside)]
    said = {c.column for c in base.links.columns if c.score >= WHOLE_NAME}
    best = (
        named
        or [v for v in inside if v.column.casefold() in asked]
        or [v for v in inside if v.column in said]
        or inside
    )
    columns = dict.fromkeys(v.column for v in best)
    if len(columns) > 1:
        told = " and in ".join(columns)
        raise UnplacedFollowUp(
            f'"{best[0].value}" stands in {told}', hint="Say which is meant in a whole question."
        )
    return best[0]


def _by_a_part(rest: str, links: Links, base: Base) -> list[ValueLink]:
    """The cell of a column of the last question that alone holds the words: "Boone"."""
    core = _core(rest)
    for condition in base.conditions:
        holding = [
            text
            for text in _cells(condition, base.catalog)
            if core and set(core) <= set(folded_words(text))
        ]
        if len(holding) > 1:
            told = ", ".join(f'"{text}"' for text in sorted(holding)[:3])
            raise UnplacedFollowUp(
                f'"{" ".join(core)}" fits {len(holding)} of {condition.column}: {told}',
                hint="Say which is meant.",
            )
        if holding:
            span = Span(0, len(rest), rest)
            return [ValueLink(span, condition.table, condition.column, holding[0], 1.0)]
    return []


def _left(rest: str, found: Sequence[ValueLink], base: Base) -> list[str]:
    """Words of `rest` that neither a found cell nor the name of its column or table says."""
    said = {stem for v in found for stem in (*name_words(v.column), *name_words(v.table))}
    text = rest
    for value in sorted(found, key=lambda v: -v.span.start):
        text = f"{text[: value.span.start]} {text[value.span.end :]}"
    joining = _JOINING if len(found) > 1 else frozenset[str]()
    left = [w for w in folded_words(text) if not set(name_words(w)) <= said]
    return [w for w in left if w not in _CARRYING | joining]


def column_named(rest: str, base: Base) -> ColumnLink | None:
    """The column of the last question's tables that `rest` names: by its name, or by a part of it
    that no other column has.
    """
    core = {stem for word in _core(rest) for stem in name_words(word)}
    whole, parts = [], []
    for entry in base.tables:
        for column, ways in zip(entry.columns, column_stems(entry), strict=True):
            told = ColumnLink(Span(0, len(rest), rest), entry.name, column.name, 1.0)
            if any(core == set(way) for way in ways):
                whole.append(told)
            elif core and any(core <= set(way) for way in ways):
                parts.append(told)
    found = whole or parts
    return found[0] if len({told.column for told in found}) == 1 else None


def flag_said(rest: str, base: Base) -> str | None:
    """What `rest` says of a column of yes and no: "paid", "not paid" for "the unpaid ones"."""
    said = folded_words(without_prefixes(rest, base.tables))
    denied = [word for word in said if word in _DENYING]
    name = " ".join(word for word in said if word not in _DENYING)
    found = column_named(name, base)
    entry = None if found is None else base.catalog.get(found.table)
    if found is None or entry is None or len(denied) > 1:
        return None
    place = next(i for i, column in enumerate(entry.columns) if column.name == found.column)
    if flag(place, table_data(entry).columns[place]) is None:
        return None
    core = " ".join(_core(name))
    return f"not {core}" if denied else core


_DENYING = frozenset(["not", "no", "never"])


def not_found(rest: str, base: Base) -> UnplacedFollowUp:
    """Why a follow-up is declined: what it names is not there, and what is near."""
    name = _LEADING.sub("", " ".join(rest.split()))
    core = " ".join(_core(rest)) or name
    stands = any(is_cell(value) for value in link(rest, base.catalog).values)
    for condition in () if stands else base.conditions:
        near = nearest(core, _cells(condition, base.catalog))
        if near:
            told = ", ".join(f'"{text}"' for text in near)
            return UnplacedFollowUp(
                f'no {condition.column} is called "{name}"', hint=f"Near: {told}."
            )
    columns = [column.name for entry in base.tables for column in entry.columns]
    near = nearest(core, columns)
    hint = f"Near: {', '.join(near)}." if near else "Ask the whole question."
    return UnplacedFollowUp(f'"{name}" does not say what to change in "{base.question}"', hint=hint)


def is_cell(value: ValueLink) -> bool:
    """Whether the words are the whole cell, in another number or order at most."""
    asked, cell = _said(value), folded_words(value.value)
    if len(asked) != len(cell):
        return False
    if not any(char.isdigit() for char in value.value):
        asked, cell = tuple(sorted(asked)), tuple(sorted(cell))
    return all(_same_word(one, other) for one, other in zip(asked, cell, strict=True))


def _same_word(one: str, other: str) -> bool:
    one, other = sorted((one.removesuffix("'s"), other.removesuffix("'s")), key=len)
    if one == other:
        return True
    plurals = (f"{one}s", f"{one}es", f"{one[:-1]}ies" if one.endswith("y") else f"{one}s")
    return one.isalpha() and len(one) > 2 and other in plurals


def _said(value: ValueLink) -> tuple[str, ...]:
    return folded_words(value.span.text)


def _core(rest: str) -> tuple[str, ...]:
    """The words of a follow-up without those that carry it."""
    return tuple(word for word in folded_words(rest) if word not in _CARRYING)


def _cells(of: ValueLink, catalog: Catalog) -> list[str]:
    """The different cells of a value's column as published; none of a very long column."""
    entry = catalog.get(of.table)
    column = None if entry is None else entry.column(of.column)
    if column is None:
        return []
    cells = column.source.texts
    return list(cells) if len(cells) <= MANY_CELLS else []


def same_column(one: ValueLink, other: ValueLink) -> bool:
    """Whether two cells are of columns of one name."""
    return one.column.casefold() == other.column.casefold()


def overlap(one: Span, other: Span) -> bool:
    """Whether two stretches share a character."""
    return one.start < other.end and other.start < one.end
