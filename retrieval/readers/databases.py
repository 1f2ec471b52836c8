"""Parquet files and SQLite databases: typed storage, read as the texts of its values."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from retrieval.errors import EmptySource, UnreadableSource
from retrieval.grid import GridBuilder
from retrieval.readers.records import cell_text
from retrieval.understand import Sheet, Source

_CHUNK = 20_000


def read_parquet(data: bytes, suffix: str = ".parquet") -> Source:
    """The one table of a Parquet file.

    Raises:
        UnreadableSource: damaged, or no Parquet file.
    """
    import duckdb

    with _as_file(data, suffix) as path, duckdb.connect() as connection:
        try:
            found = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
            names = [str(column[0]) for column in found.description or ()]
            sheet = _sheet(names, iter(partial(found.fetchmany, _CHUNK), []))
        except duckdb.Error as error:
            told = str(error).partition("\n")[0].replace(str(path), "it")
            raise UnreadableSource(
                f"not a readable Parquet file: {told}", hint="write the file again"
            ) from error
    return Source((sheet,))


def read_sqlite(data: bytes, suffix: str = ".sqlite") -> Source:
    """Each table of a SQLite database, under its own name; views are named in a warning.

    Raises:
        EmptySource: no table in it.
        UnreadableSource: damaged, locked by a password, or no SQLite database.
    """
    with _as_file(data, suffix) as path:
        try:
            connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            try:
                return _database(connection)
            finally:
                connection.close()
        except sqlite3.DatabaseError as error:
            raise UnreadableSource(
                f"not a readable SQLite database: {error}", hint="check the file, or export to CSV"
            ) from error


def _database(connection: sqlite3.Connection) -> Source:
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    listed = connection.execute(
        "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid"
    ).fetchall()
    names = [name for name, kind in listed if kind == "table" and not name.startswith("sqlite_")]
    if not names:
        raise EmptySource("the database holds no table", hint="check that it is the right file")
    sheets = []
    for name in names:
        quoted = name.replace('"', '""')
        cursor = connection.execute(f'SELECT * FROM "{quoted}"')
        columns = [str(column[0]) for column in cursor.description]
        sheet = _sheet(columns, iter(partial(cursor.fetchmany, _CHUNK), []))
        sheets.append(replace(sheet, name=name, own_name=True))
    views = [name for name, kind in listed if kind == "view"]
    warnings = (f"views are not read: {', '.join(views)}",) if views else ()
    return Source(tuple(sheets), warnings=warnings)


def _sheet(names: Sequence[str], chunks: Iterator[list[tuple[object, ...]]]) -> Sheet:
    builder = GridBuilder()
    builder.extend([names])
    for chunk in chunks:
        builder.extend([[_text(value) for value in row] for row in chunk])
    grid = replace(builder.build(range(builder.row_count)), header_rows=1)
    return Sheet(grid, whole=True, records=True)


def _text(value: object) -> str:
    if isinstance(value, (bytes, memoryview)):
        return f"<{len(value)} bytes>"
    return cell_text(value)


@contextmanager
def _as_file(data: bytes, suffix: str) -> Iterator[Path]:
    """The bytes under a name, for libraries that open files alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"data{suffix}"
        path.write_bytes(data)
        yield path
