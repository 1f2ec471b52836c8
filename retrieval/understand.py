"""From a reader's physical grids to a `Document`: the pipeline that understands them.

Sheets are split into tables; each table's header, body and notes are found, its rows labelled, its
units and totals bound, and its columns typed. Every row that is not data is told in the report.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from retrieval.build import build_table, retyped
from retrieval.cleanup import bind_notes, layout_lines, named_without_marks, repeated_headers
from retrieval.grid import Grid, Strip, StripBuilder
from retrieval.header_paths import header_paths
from retrieval.headers import Layout, find_header
from retrieval.orientation import heads_down, turned
from retrieval.outline import fill_outline
from retrieval.section_totals import out_of_sections
from retrieval.sections import Section, find_sections, section_paths
from retrieval.serialize import column_groups
from retrieval.series import join_sheets
from retrieval.split import split_tables
from retrieval.table import (
    EMPTY,
    Column,
    Document,
    LoadReport,
    Paragraph,
    ReadResult,
    SetAside,
    Table,
    TableReport,
)
from retrieval.table_end import body_end, notes_between
from retrieval.totals import find_strays, find_totals
from retrieval.units import unit_in_caption

ABOVE = "line above the header"
REPEATED = "header repeated"
SECTION_ROW = "section row: an attribute of the rows below"
NOTE = "note to the table"
PAGE_LAYOUT = "drawn line or page number"
"""Why a row is set aside."""

SECTION = "Section"
SUBSECTION = "Subsection"
"""Names of the columns that a table's section rows become, by level."""


@dataclass(frozen=True)
class Sheet:
    """One grid with its place in the source."""

    grid: Grid
    name: str = ""
    """Sheet name; "" where the source is the sheet."""
    heading_path: tuple[str, ...] = ()
    own_name: bool = False
    """The table's SQL name is the sheet's, as in a database."""
    whole: bool = False
    """The format itself tells where the table starts and ends."""
    notes: tuple[str, ...] = ()
    """Footnotes that the source keeps elsewhere, each with its mark: "[1] estimated"."""
    records: bool = False
    """Rows are records under named fields: no titles, sections or notes among them."""


@dataclass(frozen=True)
class Source:
    """All that a reader took from one source."""

    sheets: tuple[Sheet, ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()
    encoding: str | None = None
    delimiter: str | None = None
    decimal_mark: str | None = None
    """What the source tells where numbers could be read two ways."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Part:
    """One table's grid before it is understood."""

    grid: Grid
    sheet: Sheet
    layout: Layout
    alone: bool = True
    """Whether its sheet holds no other table."""
    drawn: tuple[SetAside, ...] = ()
    """Lines of the page's layout; they are no rows of the grid."""
    title: str = ""


def understand(source: Source, *, document: str, version: str, stem: str) -> ReadResult:
    """Build the document of a source, with the report of how it was read."""
    parts = [part for sheet in source.sheets for part in _parts(sheet)]
    names = list(_names(parts, stem))
    built = [
        _table(part, name, document, version, ordinal, source.decimal_mark)
        for ordinal, (part, name) in enumerate(zip(parts, names, strict=True))
    ]
    sheets = [_sheet_of(part) for part in parts]
    single = [table for table, _ in built], [report for _, report in built]
    tables, reports = join_sheets(sheets, *single, stem)
    report = LoadReport(
        tables=reports,
        documents=(document,),
        paragraphs=len(source.paragraphs),
        encoding=source.encoding,
        delimiter=source.delimiter,
        warnings=source.warnings,
    )
    return ReadResult(Document(document, version, tables, source.paragraphs), report)


def _sheet_of(part: _Part) -> str:
    """The sheet that holds nothing but this table; "" for one of several, and for databases."""
    return part.sheet.name if part.alone and not part.sheet.own_name else ""


def _parts(sheet: Sheet) -> Iterator[_Part]:
    drawn = [] if sheet.whole else layout_lines(sheet.grid)
    aside = tuple(SetAside(sheet.grid.lines[r], _line(sheet.grid, r), PAGE_LAYOUT) for r in drawn)
    whole = (
        sheet.grid.take(np.delete(np.arange(sheet.grid.row_count), drawn)) if drawn else sheet.grid
    )
    grids = [whole] if sheet.whole else split_tables(whole)
    grids = [grid for grid in grids if grid.row_count and grid.column_count]
    for grid in grids:
        if not sheet.records and heads_down(grid):
            grid = turned(grid)
        header = find_header(grid)
        grid = fill_spans(grid, header.end)
        end = grid.row_count if sheet.records else body_end(grid, header.end)
        layout = Layout(header.titles, header.rows, header.end, end)
        titles = [*grid.titles, *(_line(grid, row) for row in layout.titles)]
        yield _Part(grid, sheet, layout, len(grids) == 1, aside, _title_of(titles))
        aside = ()


def _title_of(titles: Sequence[str]) -> str:
    """The first two lines over a table that name it, without what explains its cells."""
    named = (_EXPLAINS.split(title)[0].strip("# ;") for title in titles)
    return " ".join([title for title in named if title][:2])[:300]


_EXPLAINS = re.compile(r"\b(?:sources?|notes?|legend)\s?:|(?<!\w)[*†‡§¹²³]\s?=\s", re.IGNORECASE)
"""Opens where cells come from, or what a mark on them stands for."""


def _names(parts: Sequence[_Part], stem: str) -> Iterator[str]:
    """The SQL name of each table: the stem where it is the only one; else with the sheet's name, or
    of several tables on one sheet with the title of each.
    """
    taken: set[str] = set()
    for part in parts:
        words = [part.sheet.name] if part.sheet.own_name else [stem]
        if len(parts) > 1 and not part.sheet.own_name:
            sheet = part.sheet.name if part.alone or not part.title else ""
            label = sheet or part.title or (part.sheet.heading_path or ("",))[-1]
            words += [_short(label)] if label else []
        name = candidate = "_".join(words)
        count = 1
        while candidate.casefold() in taken:
            count += 1
            candidate = f"{name}_{count}"
        taken.add(candidate.casefold())
        yield candidate


def _short(label: str) -> str:
    """A label cut to a name's length at a word."""
    label = " ".join(label.split())
    return label if len(label) <= 40 else label[:41].rpartition(" ")[0] or label[:40]


@dataclass
class _Body:
    """The rows of one table, as they are labelled."""

    rows: npt.NDArray[np.int64]
    aside: list[SetAside] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def drop(self, rows: Collection[int]) -> None:
        """Take rows out."""
        if rows:
            self.rows = self.rows[~np.isin(self.rows, list(rows))]

    def put_aside(self, grid: Grid, row: int, reason: str) -> None:
        self.aside.append(SetAside(grid.lines[row], _line(grid, row), reason))


def _table(
    part: _Part, name: str, document: str, version: str, ordinal: int, mark: str | None
) -> tuple[Table, TableReport]:
    grid, layout = part.grid, part.layout
    body = _body(grid, layout, part.sheet.records)
    data = grid.take(body.rows)
    paths = header_paths(grid, layout.header)
    outlined: dict[int, int] = {}
    if not part.sheet.records:
        data, outlined = fill_outline(data)
    data, beside = _without_marks(data, (*body.notes, *part.sheet.notes))
    kept = _kept_columns(paths, data)
    columns: list[tuple[tuple[str, ...], Strip]] = [(paths[c], data.strips[c]) for c in kept]
    if body.sections:
        columns += _section_columns(body, data.strips[0].cells())
    title = part.title
    heading = part.sheet.heading_path
    above = (_line(grid, row) for row in layout.titles)
    captions = [title, *above, *_corner(paths), *heading[-1:]]
    unit = next((u for u in map(unit_in_caption, captions) if u), None)
    table = build_table(
        columns,
        document=document,
        name=name,
        title=title or (heading[-1] if heading else part.sheet.name),
        ordinal=ordinal,
        version=version,
        heading_path=heading,
        unit=unit,
        lines=data.lines,
        pages=data.pages,
        warnings=(
            *grid.warnings,
            *_unnamed(grid, layout),
            *_beyond_header(paths, data, kept),
            *_short_lines(paths, data),
            *_told_filled(paths, outlined),
        ),
        decimal_mark=mark,
    )
    table = _with_derived(table, len(kept))
    table = _with_totals(table, part.sheet.records, mark)
    if table.row_count == 0 and body.aside:
        told = f"no row of data is left: all {len(body.aside)} lines below or above are set aside"
        table = replace(table, warnings=(*table.warnings, told))
    marks = _marks(grid, body.rows, layout, kept)
    marks |= {(r, kept.index(c)): found for (r, c), found in beside.items() if c in kept}
    table = replace(table, notes=bind_notes(table, [*body.notes, *part.sheet.notes], marks))
    body.aside += part.drawn
    return table, _report(table, grid, layout, body, len(part.drawn))


def _without_marks(
    data: Grid, notes: Sequence[str]
) -> tuple[Grid, dict[tuple[int, int], tuple[str, ...]]]:
    """The body without the footnote marks behind its names, and these by row and column."""
    strips: list[Strip] = []
    marks: dict[tuple[int, int], tuple[str, ...]] = {}
    for column, strip in enumerate(data.strips):
        bare, found = named_without_marks(strip, notes)
        strips.append(bare)
        marks |= {(row, column): told for row, told in found.items()}
    return (replace(data, strips=tuple(strips)), marks) if marks else (data, marks)


def _corner(paths: Sequence[tuple[str, ...]]) -> list[str]:
    return [" ".join(paths[0])] if paths else []


def _line(grid: Grid, row: int) -> str:
    return " ".join(cell for cell in grid.row(row) if cell)


def _note(grid: Grid, row: int) -> str:
    """A note's line, with the mark that the format keeps beside its text."""
    first = next(c for c in range(grid.column_count) if grid.at(row, c))
    marks = "".join(f"[{mark}] " for mark in grid.marks.get((row, first), ()))
    return marks + _line(grid, row)


def fill_spans(grid: Grid, start: int) -> Grid:
    """Give each cell under a merged body cell its text; a cell over the whole width stays one."""
    edits: dict[int, dict[int, str]] = {}
    for (row, column), (height, width) in grid.spans.items():
        if row + height <= start or width >= grid.column_count:
            continue
        text = grid.at(row, column)
        for r in range(max(row, start), min(row + height, grid.row_count)):
            for c in range(column, min(column + width, grid.column_count)):
                if text and (r, c) != (row, column):
                    edits.setdefault(c, {})[r] = text
    if not edits:
        return grid
    strips = list(grid.strips)
    for column, changes in edits.items():
        builder = StripBuilder()
        cells = strips[column].cells()
        for row, text in changes.items():
            cells[row] = text
        builder.extend(cells)
        strips[column] = builder.build()
    return replace(grid, strips=tuple(strips))


def _body(grid: Grid, layout: Layout, records: bool) -> _Body:
    start, end = layout.body_start, layout.body_end
    if records:
        return _Body(np.arange(start, end))
    body = _Body(np.flatnonzero(grid.filled[start:end] > 0) + start)
    for row in layout.titles:
        body.put_aside(grid, row, ABOVE)
        if _EXPLAINS.search(_line(grid, row)):
            body.notes.append(_line(grid, row))
    repeated = set(repeated_headers(grid, layout.header, start, end))
    body.drop(repeated)
    notes = set(notes_between(grid, body.rows))
    body.drop(notes)
    body.sections = find_sections(grid, body.rows)
    for row in sorted(repeated):
        body.put_aside(grid, row, REPEATED)
    for section in body.sections:
        body.put_aside(grid, section.row, SECTION_ROW)
    for row in [*sorted(notes), *range(end, grid.row_count)]:
        if grid.filled[row]:
            body.notes.append(_note(grid, row))
            body.put_aside(grid, row, NOTE)
    body.drop({section.row for section in body.sections})
    return body


def _section_columns(body: _Body, labels: Sequence[str]) -> list[tuple[tuple[str, ...], Strip]]:
    """One derived column for each level of sections."""
    paths = section_paths(body.sections, body.rows.tolist(), labels)
    names = [(SECTION,), (SUBSECTION,)]
    columns: list[tuple[tuple[str, ...], Strip]] = []
    for level in range(max(section.level for section in body.sections) + 1):
        builder = StripBuilder()
        builder.extend([path[level] for path in paths])
        columns.append((names[min(level, 1)], builder.build()))
    return columns


def _kept_columns(paths: Sequence[tuple[str, ...]], data: Grid) -> list[int]:
    """All columns but those without name and without content."""
    return [c for c, path in enumerate(paths) if path or data.strips[c].texts]


def _unnamed(grid: Grid, layout: Layout) -> tuple[str, ...]:
    """That no line names the columns, of a table with more than one."""
    if layout.header or grid.column_count < 2 or layout.body_start >= layout.body_end:
        return ()
    first = ", ".join(cell for cell in grid.row(layout.body_start) if cell)[:60]
    return (f'no line names the columns: the first one ("{first}") is read as data',)


def _beyond_header(
    paths: Sequence[tuple[str, ...]], data: Grid, kept: Sequence[int]
) -> tuple[str, ...]:
    """What stands in columns to the right of the last name: lines longer than the header."""
    last = max((c for c, path in enumerate(paths) if path), default=len(paths))
    warnings = []
    for column in (c for c in kept if c > last):
        rows = np.flatnonzero(data.strips[column].codes != EMPTY)
        if len(rows) == data.row_count > 0:
            warnings.append(f"column {column + 1} holds values in every row, but has no name")
        else:
            lines = ", ".join(str(data.lines[row]) for row in rows[:5].tolist())
            warnings.append(f"{len(rows)} lines have more cells than the header (lines {lines})")
    return tuple(warnings)


def _short_lines(paths: Sequence[tuple[str, ...]], data: Grid) -> tuple[str, ...]:
    """That lines are written with fewer cells than there are names."""
    if data.widths is None:
        return ()
    rows = np.flatnonzero(data.widths < sum(map(bool, paths)))
    if not len(rows):
        return ()
    shown = ", ".join(str(data.lines[row]) for row in rows[:5].tolist())
    more = ", …" if len(rows) > 5 else ""
    return (
        f"{len(rows)} line(s) have fewer cells than the header (lines {shown}{more}): what is "
        "missing is read as empty",
    )


def _told_filled(paths: Sequence[tuple[str, ...]], filled: Mapping[int, int]) -> tuple[str, ...]:
    return tuple(
        f"{' > '.join(paths[column]) or f'column {column + 1}'}: a group's name stands once; "
        f"{count} blank cells below are read as it"
        for column, count in filled.items()
    )


def _with_derived(table: Table, published: int) -> Table:
    columns = tuple(
        replace(column, derived=True) if index >= published else column
        for index, column in enumerate(table.columns)
    )
    key = table.key if table.key is not None and table.key < published else None
    return replace(table, columns=columns, key=key)


def _with_totals(table: Table, records: bool, mark: str | None) -> Table:
    labels = [
        index
        for index, column in enumerate(table.columns)
        if (column.type.kind == "text" or column.type.mixed) and not column.derived
    ]
    found = find_totals(table.columns, labels, records=records)
    unchecked = [total.row for total in found if not total.checked and not total.balance]
    balances = [total.row for total in found if total.balance]
    totals = frozenset(total.row for total in found)
    warnings = table.warnings
    if unchecked:
        warnings += (
            f"{_places(table, unchecked)}: labelled as total or mean but does not add up; left out "
            "of sums",
        )
    if balances:
        warnings += (
            f"{_places(table, balances)}: a balance or bound, or told beside a total, not "
            "a record; left out of sums",
        )
    if strays := find_strays(table.columns, set(totals)):
        warnings += (
            f"{_places(table, strays)}: words where {table.columns[0].name} holds "
            f"{table.columns[0].type.kind.value}s; perhaps a summary, but counted as a record",
        )
    columns = retyped(table.columns, totals, table.unit, mark, table.title)
    sections = [index for index, column in enumerate(columns) if column.derived]
    columns = out_of_sections(columns, sections, totals)
    table = replace(table, columns=columns, totals=totals, warnings=warnings)
    return replace(table, unverified=frozenset(unchecked))


def _places(table: Table, rows: Sequence[int]) -> str:
    """Where rows stand, with their first cells: `line 18 ("Kontostand")`."""
    told = []
    for row in rows[:5]:
        line = table.line_of(row)
        first = next((cell for cell in table.row(row) if cell), "")
        told.append(f'{f"row {row}" if line is None else f"line {line}"} ("{first}")')
    return ", ".join(told) + (" and more" if len(rows) > 5 else "")


def _marks(
    grid: Grid, rows: npt.NDArray[np.int64], layout: Layout, kept: Sequence[int]
) -> dict[tuple[int, int], tuple[str, ...]]:
    """Marks by (row, column) of the table; row -1 is the header."""
    places = {row: place for place, row in enumerate(rows.tolist())} if grid.marks else {}
    places |= dict.fromkeys(layout.header, -1)
    columns = {column: place for place, column in enumerate(kept)}
    found: dict[tuple[int, int], tuple[str, ...]] = {}
    for (row, column), marks in grid.marks.items():
        if row in places and column in columns:
            cell = places[row], columns[column]
            found[cell] = found.get(cell, ()) + marks
    return found


def _group_sizes(table: Table) -> tuple[int, ...]:
    groups = column_groups(table)
    return tuple(map(len, groups)) if len(groups) > 1 else ()


def _report(table: Table, grid: Grid, layout: Layout, body: _Body, drawn: int) -> TableReport:
    columns: tuple[Column, ...] = table.columns
    return TableReport(
        table_id=table.table_id,
        name=table.name,
        rows_seen=grid.row_count + drawn,
        rows_kept=table.row_count,
        set_aside=tuple(sorted(body.aside, key=lambda item: item.line)),
        header_rows=len(layout.header),
        header_lines=tuple(grid.lines[row] for row in layout.header),
        columns=tuple((column.name, column.type) for column in columns),
        totals=tuple(sorted(table.totals)),
        column_groups=_group_sizes(table),
        warnings=table.warnings + tuple(f"{c.name}: {w}" for c in columns for w in c.type.warnings),
    )
