"""Which reader reads a file: by its name, and by its first bytes where these tell otherwise.

Takes a file's name and bytes; gives the reader, with a warning where the name is wrong: programs
write pages and plain text under names of workbooks, and people rename files.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

from retrieval.errors import UnreadableSource
from retrieval.readers import (
    databases,
    delimited,
    excel,
    html,
    json_tables,
    markdown,
    pdf,
    records,
)
from retrieval.understand import Source

Reader = Callable[[bytes, str], Source]

READERS: dict[str, Reader] = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".psv", ".txt"), delimited.read_delimited),
    **dict.fromkeys((".md", ".markdown", ".mdown"), markdown.read_markdown),
    **dict.fromkeys((".html", ".htm", ".xhtml"), html.read_html),
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), excel.read_excel),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), json_tables.read_json),
    ".pdf": pdf.read_pdf,
    **dict.fromkeys((".parquet", ".pq"), databases.read_parquet),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), databases.read_sqlite),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), records.read_arrow_file),
}
"""File suffix to reader."""

KNOWN = "CSV, TSV, Excel, HTML, Markdown, JSON, Parquet, SQLite, Arrow, PDF, zip"

_SIGNATURES: tuple[tuple[bytes, str, Reader], ...] = (
    (b"PK\x03\x04", "a workbook", excel.read_excel),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a workbook", excel.read_excel),
    (b"PAR1", "Parquet", databases.read_parquet),
    (b"SQLite format 3\x00", "a SQLite database", databases.read_sqlite),
    (b"ARROW1", "Arrow", records.read_arrow_file),
    (b"%PDF-", "PDF", pdf.read_pdf),
)
"""How files begin whose format says so, what they hold, and what reads them."""

_BINARY = frozenset(reader for _, _, reader in _SIGNATURES)

_FOREIGN = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x1f\x8b", "compressed with gzip: unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first"),
    (b"Rar!", "a RAR archive: unpack it first"),
)
"""How files begin that hold no table, or hold it packed."""

_PAGE = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body|table|meta)\b", re.I)


def reader_of(file_name: str, data: bytes) -> tuple[Reader, tuple[str, ...]]:
    """The reader of a file, and what is told where its name says otherwise.

    Raises:
        UnreadableSource: an image, an archive, or binary data of no known format.
    """
    suffix = PurePosixPath(file_name).suffix.casefold()
    named = READERS.get(suffix)
    foreign = next((what for start, what in _FOREIGN if data.startswith(start)), None)
    if foreign is not None:
        raise UnreadableSource(f"the file is {foreign}", hint=f"known formats: {KNOWN}")
    what, held = _held(data)
    if named is None:
        return held, ()
    if named is held or (named not in _BINARY and held not in _BINARY):
        return named, ()
    if named in _BINARY and held in _BINARY and what != "PDF":
        return named, ()  # what its bytes begin with says less than the name: a Word file, say
    if b"\x00" in data[:2048] and held not in _BINARY:
        return named, ()
    return held, (f"named {suffix}, but its content is {what}: read as that",)


def _held(data: bytes) -> tuple[str, Reader]:
    """What a file holds by its first bytes, and what reads it; text where they tell nothing."""
    for start, what, reader in _SIGNATURES:
        if data.startswith(start):
            return what, reader
    head = data[:2048].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] in (b"{", b"["):
        return "JSON", json_tables.read_json
    if _PAGE.match(head):
        return "HTML", html.read_html
    return "text", delimited.read_delimited
