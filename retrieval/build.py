"""From an understood grid to a `Table`: decides the columns' types, names them, finds the key.

Takes header paths and columns of cells as published (what a reader has left after finding where
the table starts and ends); gives the `Table`. Does not look for headers, totals or footnotes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retrieval.cells import Hints, decide, is_amount
from retrieval.grid import Strip
from retrieval.table import EMPTY, PATH_SEPARATOR, Column, Kind, Note, Table, encode, made_up_header
from retrieval.total_labels import is_total, statistic
from retrieval.units import is_plain_money, unit_subjects
from retrieval.word_forms import singular

Path = tuple[str, ...]

_FIRST_CELLS = 20
_FEWEST_YEARS = 2
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d{2}(?!\d)")

KEY_SHARE = 0.9
"""A key column has at least this share of distinct cells."""


def build_table(
    columns: Sequence[tuple[Path, Iterable[str] | Strip]],
    *,
    document: str,
    name: str,
    title: str = "",
    ordinal: int = 0,
    version: str = "",
    heading_path: Path = (),
    unit: str | None = None,
    key: int | None = None,
    totals: frozenset[int] = frozenset(),
    notes: tuple[Note, ...] = (),
    lines: Sequence[int] | None = None,
    pages: Sequence[int] | None = None,
    warnings: tuple[str, ...] = (),
    decimal_mark: str | None = None,
    unit_title: str | None = None,
) -> Table:
    """Build a table from its columns: (header path, cells) each, all of one length.

    `decimal_mark` is what the source tells where a column could be read two ways; `unit_title` the
    title that tells the unit, where it is not the table's own.
    """
    told = title if unit_title is None else unit_title
    built = typed_columns(named_columns(columns), unit, decimal_mark, told)
    return Table(
        table_id=f"{document}#{ordinal}",
        document=document,
        version=version,
        name=name,
        title=title or name,
        columns=built,
        row_count=len(built[0].codes) if built else 0,
        heading_path=heading_path,
        unit=unit,
        key=find_key(built, totals) if key is None else key,
        totals=totals,
        notes=notes,
        lines=lines,
        pages=pages,
        warnings=warnings,
    )


def named_columns(columns: Sequence[tuple[Path, Iterable[str] | Strip]]) -> list[Column]:
    """Columns with unique names, not yet typed; an empty path becomes `column_<n>`."""
    taken: set[str] = set()
    named = []
    for index, (path, cells) in enumerate(columns):
        parts = tuple(part for part in path if part) or (made_up_header(index),)
        name = _distinct(PATH_SEPARATOR.join(parts), taken)
        taken.add(name.casefold())
        codes, texts = (cells.codes, cells.texts) if isinstance(cells, Strip) else encode(cells)
        named.append(Column(name, parts, codes, texts))
    return named


def _distinct(name: str, taken: set[str]) -> str:
    candidate, count = name, 1
    while candidate.casefold() in taken:
        count += 1
        candidate = f"{name}_{count}"
    return candidate


def typed_columns(
    columns: Sequence[Column],
    unit: str | None = None,
    decimal_mark: str | None = None,
    title: str = "",
) -> tuple[Column, ...]:
    """Decide each column's type; a column that fits two readings follows the table's others."""
    named = list(zip(columns, _telling(columns), strict=True))
    units = _units(columns, unit, title)
    weak = Hints(likely_mark=decimal_mark)
    first = [
        _typed(column, its_unit, weak, name)
        for (column, name), its_unit in zip(named, units, strict=True)
    ]
    marks = {c.type.decimal_mark for c in first if _tells_mark(c)}
    orders = {
        c.type.day_first for c in first if c.type.day_first is not None and not c.type.warnings
    }
    hints = replace(
        weak,
        decimal_mark=marks.pop() if len(marks) == 1 else None,
        day_first=orders.pop() if len(orders) == 1 else None,
    )
    if hints == weak:
        return tuple(first)
    return tuple(
        _typed(raw, its_unit, hints, name) if column.type.warnings else column
        for (raw, name), its_unit, column in zip(named, units, first, strict=True)
    )


def _units(columns: Sequence[Column], unit: str | None, title: str) -> list[str | None]:
    """The table's unit for each column that it is of: not the first one, which names the rows."""
    if unit is None or (is_plain_money(unit) and any(map(_in_money, columns))):
        return [None] * len(columns)  # its cells say which columns are amounts
    others = _beside_years(columns) | _beside_subjects(columns, unit_subjects(title))
    if is_plain_money(unit):
        others |= _beside_cents(columns)
    if len(columns) > 2:
        others.add(0)
    return [None if index in others else unit for index in range(len(columns))]


def retyped(
    columns: Sequence[Column],
    totals: frozenset[int],
    unit: str | None,
    decimal_mark: str | None,
    title: str = "",
) -> tuple[Column, ...]:
    """The columns with the types of those decided again that are text only by the words of rows
    which are no records ("Net" under the unit prices of an invoice).
    """
    if not totals:
        return tuple(columns)
    aside = np.zeros(len(columns[0].codes), bool)
    aside[sorted(totals)] = True
    hints = Hints(likely_mark=decimal_mark)
    return tuple(
        _retyped(column, aside, its_unit, hints)
        for column, its_unit in zip(columns, _units(columns, unit, title), strict=True)
    )


def _retyped(
    column: Column, aside: npt.NDArray[np.bool_], unit: str | None, hints: Hints
) -> Column:
    used = column.codes[~aside & (column.codes != EMPTY)]
    counts = np.bincount(used, minlength=len(column.texts))
    kept = np.flatnonzero(counts)
    if column.type.kind is not Kind.TEXT or len(kept) in (0, len(column.texts)):
        return column
    texts = [column.texts[code] for code in kept.tolist()]
    kind, canonical = decide(
        texts, counts[kept].tolist(), header=column.name, unit=unit, hints=hints
    )
    if kind.kind is Kind.TEXT:
        return column
    forms = dict(zip(kept.tolist(), texts if canonical is None else canonical, strict=True))
    return replace(column, type=kind, canonical=tuple(map(forms.get, range(len(column.texts)))))


def _in_money(column: Column) -> bool:
    """Whether most cells of a column bear a currency, by a look at the first ones."""
    first = column.texts[:_FIRST_CELLS]
    return 2 * sum(map(is_amount, first)) > len(first)


def _tells_mark(column: Column) -> bool:
    """Whether a column's own cells decided its decimal mark."""
    decided = column.type.kind in (Kind.DECIMAL, Kind.DOUBLE) and not column.type.warnings
    return decided and column.type.scale not in (0, 3)


def _typed(column: Column, unit: str | None, hints: Hints, header: str | None = None) -> Column:
    kind, canonical = decide(
        column.texts,
        column.counts.tolist(),
        header=column.name if header is None else header,
        unit=unit,
        hints=hints,
    )
    return replace(column, type=kind, canonical=canonical)


def _telling(columns: Sequence[Column]) -> list[str]:
    """What each column's name tells of its unit: single letters under one name part its columns
    ("Pupils > M", "Pupils > F"), they measure nothing.
    """
    letters = Counter(column.path[:-1] for column in columns if _is_letter(column.path))
    return [
        PATH_SEPARATOR.join(column.path[:-1])
        if _is_letter(column.path) and letters[column.path[:-1]] > 1
        else column.name
        for column in columns
    ]


def _beside_years(columns: Sequence[Column]) -> set[int]:
    """The columns of another measure than the table's, which stands under years: "Boats" beside
    "2018", "2019". What tells a total, a figure or a year is of the same.
    """
    dated = [_YEAR.search(column.name) is not None for column in columns]
    if sum(dated) < _FEWEST_YEARS:
        return set()
    return {
        index
        for index, column in enumerate(columns)
        if not dated[index] and not _summarises(column.name)
    }


def _beside_cents(columns: Sequence[Column]) -> set[int]:
    """The columns of whole numbers beside amounts that are told to the cent: nights and guests
    beside prices. What tells a total may be rounded.
    """
    figures = {i for i, column in enumerate(columns) if _holds_figures(column)}
    cents = {i for i in figures if any(map(_CENTS.search, columns[i].texts))}
    return {i for i in figures - cents if not _summarises(columns[i].name)} if cents else set()


_CENTS = re.compile(r"\d[.,]\d{2}\D*$")


def _beside_subjects(columns: Sequence[Column], subjects: Sequence[str]) -> set[int]:
    """The columns of other things than the ones whose unit the title tells: hens are not counted
    in thousands where eggs are. None where no column's name says such a thing.
    """
    told = [words for words in map(_words, subjects) if words]
    said = [[words for words in map(_words, column.path) if words] for column in columns]
    named = {
        index
        for index, parts in enumerate(said)
        if index
        and _holds_figures(columns[index])
        and any(words <= one or one <= words for words in parts for one in told)
    }
    if not named:
        return set()
    return {
        index
        for index, column in enumerate(columns)
        if index not in named and said[index] and not _summarises(column.name)
    }


def _holds_figures(column: Column) -> bool:
    """Whether a column may have a unit: most of its texts hold digits."""
    figures = sum(any(map(str.isdigit, text)) for text in column.texts)
    return 2 * figures > len(column.texts)


def _summarises(name: str) -> bool:
    return any(is_total(word) or statistic(word) for word in re.split(r"\W+", name))


def _words(text: str) -> set[str]:
    return {
        singular(word).removesuffix("s") for word in re.findall(r"[^\W\d_]{3,}", text.casefold())
    }


def _is_letter(path: Path) -> bool:
    return len(path) > 1 and len(path[-1]) == 1 and path[-1].isalpha()


def find_key(columns: Sequence[Column], totals: frozenset[int] = frozenset()) -> int | None:
    """The leftmost column that names the rows: all filled, nearly all distinct, text or an id."""
    for index, column in enumerate(columns):
        if column.derived or column.type.kind not in (Kind.TEXT, Kind.INTEGER, Kind.DATE):
            continue
        codes = column.codes
        if totals:
            codes = np.delete(codes, sorted(totals))
        used = codes[codes != EMPTY]
        if len(used) == 0 or len(used) < KEY_SHARE * len(codes):
            continue
        distinct = int((np.bincount(used) > 0).sum())
        if distinct < KEY_SHARE * len(used):
            continue
        if column.type.kind is Kind.TEXT or index == 0:
            return index
    return None
