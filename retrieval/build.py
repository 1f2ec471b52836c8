"""From an understood grid to a `Table`: encodes the columns, decides their types, names them.

Takes header paths and columns of cells as published (what a reader has left after finding where
the table starts and ends); gives the `Table`. Does not look for headers, totals or footnotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from retrieval.cells import decide
from retrieval.table import PATH_SEPARATOR, Column, Note, Table, encode


def build_table(
    columns: Sequence[tuple[tuple[str, ...], Iterable[str]]],
    *,
    document: str,
    name: str,
    title: str = "",
    ordinal: int = 0,
    version: str = "",
    heading_path: tuple[str, ...] = (),
    unit: str | None = None,
    key: int | None = None,
    totals: frozenset[int] = frozenset(),
    notes: tuple[Note, ...] = (),
    lines: tuple[int, ...] | None = None,
    pages: tuple[int, ...] | None = None,
    warnings: tuple[str, ...] = (),
) -> Table:
    """Build a table from its columns: (header path, cells) each, all of one length."""
    names: set[str] = set()
    built: list[Column] = []
    for index, (path, cells) in enumerate(columns):
        column = _column(path, cells, names, f"column_{index + 1}", unit)
        names.add(column.name.casefold())
        built.append(column)
    return Table(
        table_id=f"{document}#{ordinal}",
        document=document,
        version=version,
        name=name,
        title=title or name,
        columns=tuple(built),
        row_count=len(built[0].codes) if built else 0,
        heading_path=heading_path,
        unit=unit,
        key=key,
        totals=totals,
        notes=notes,
        lines=lines,
        pages=pages,
        warnings=warnings,
    )


def _column(
    path: tuple[str, ...], cells: Iterable[str], taken: set[str], fallback: str, unit: str | None
) -> Column:
    path = tuple(part for part in path if part) or (fallback,)
    name, count = PATH_SEPARATOR.join(path), 1
    while name.casefold() in taken:
        count += 1
        name = f"{PATH_SEPARATOR.join(path)}_{count}"
    codes, texts = encode(cells)
    column = Column(name, path, codes, texts)
    kind, canonical = decide(texts, column.counts.tolist(), header=name, unit=unit)
    return Column(name, path, codes, texts, kind, canonical)
