"""Reads any source into documents: a file, a folder, a pattern, an archive, a frame, a list.

The format is told by the file's name, and by its first bytes where the name tells nothing. A
folder's bad file is named in the report's `skipped`, and the rest loads.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path, PurePosixPath

from retrieval.errors import EmptySource, SourceError, UnreadableSource
from retrieval.formats import KNOWN, READERS, reader_of
from retrieval.progress import Progress, unseen
from retrieval.readers import json_tables, parsed_lines, records
from retrieval.series import join_series
from retrieval.sources import fixed_part, nothing_there, source_paths
from retrieval.table import Document, LoadReport, ReadResult
from retrieval.understand import Source, understand

IGNORE_FILE = ".tabrouteignore"
"""In a folder: patterns of files that are not read as tables."""


def read_source(
    source: object,
    *,
    name: str | None = None,
    version: str | None = None,
    progress: Progress = unseen,
) -> list[ReadResult]:
    """Read a source into one result a document.

    Args:
        source: path of a file or folder, glob pattern, DataFrame, Arrow table, list of dicts, list
            of rows, or list of parsed lines (`text` with `page_num` or `line_num`).
        name: the document's name; else the path relative to what was added.
        version: the document's version; else a hash of its content.
        progress: is told each file before it is read.

    Raises:
        SourceError: the source is missing, empty, or not readable; or no file of a folder is.
    """
    if isinstance(source, (str, Path)):
        return _read_path(Path(source), name, version, progress)
    return [_read_object(source, name or "data", version)]


def _read_path(
    path: Path, name: str | None, version: str | None, progress: Progress
) -> list[ReadResult]:
    if path.is_file():
        if path.suffix.casefold() == ".zip":
            return _read_many(list(_members(path)), name or path.name, progress)
        progress(0.0, f"reading {path.name}")
        return [_read_file(_bytes_of(path), path.name, name or path.name, version)]
    if path.is_dir():
        return _read_many(_files(path, sorted(source_paths(path))), name or "", progress, str(path))
    if any(mark in str(path) for mark in "*?["):
        root = fixed_part(path)
        found = _files(root, sorted(source_paths(path)))
        if found:
            return _read_many(found, name or "", progress, str(path))
    raise nothing_there(path)


@dataclass(frozen=True)
class _File:
    """One file of many: its name relative to what was added, and how to get its bytes."""

    name: str
    read: Callable[[], bytes]


def _files(root: Path, paths: Sequence[Path]) -> list[_File]:
    kept = [path for path in paths if path.is_file()]
    names = [path.relative_to(root).as_posix() for path in kept]
    left_out = _left_out(root)
    return [
        _File(name, partial(_bytes_of, path))
        for name, path in zip(names, kept, strict=True)
        if not _is_hidden(name) and not any(fnmatch(name, pattern) for pattern in left_out)
    ]


def _left_out(folder: Path) -> list[str]:
    """Patterns of files that the folder's owner does not want read: one a line, `#` comments."""
    listed = folder / IGNORE_FILE
    if not listed.is_file():
        return []
    lines = listed.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _members(path: Path) -> Iterator[_File]:
    """The files in a zip archive."""
    data = _bytes_of(path)
    if not data:
        raise EmptySource(f"{path}: the file is empty", hint="check that the export finished")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile as error:
        raise UnreadableSource(
            f"{path}: damaged, cut off or no zip archive ({error})", hint="get the archive again"
        ) from error
    for info in archive.infolist():
        if not info.is_dir() and not _is_hidden(info.filename):
            yield _File(info.filename, partial(_member_bytes, archive, info))


def _member_bytes(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        return archive.read(info)
    except (RuntimeError, NotImplementedError, zipfile.BadZipFile) as error:
        raise UnreadableSource(f"{info.filename}: {error}", hint="unpack it by hand") from error


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableSource(
            f"{path}: {error.strerror}", hint="check the file's permissions"
        ) from error


def _read_many(
    files: Sequence[_File], name: str, progress: Progress, place: str = ""
) -> list[ReadResult]:
    """Read each file there is a reader for; the report names the others, with the reason."""
    results: list[ReadResult] = []
    skipped: list[tuple[str, str]] = []
    for number, file in enumerate(files):
        document = f"{name}/{file.name}" if name else file.name
        progress(number / len(files), f"reading {file.name}")
        try:
            if PurePosixPath(file.name).suffix.casefold() not in READERS:
                raise UnreadableSource(f"{document}: no reader for a file of this name")
            results.append(_read_file(file.read(), file.name, document, None))
        except SourceError as error:
            skipped.append((file.name, str(error)))
    if not results:
        reasons = "; ".join(reason for _, reason in skipped[:3])
        raise EmptySource(
            f"{place or name}: no file with a table" + (f" ({reasons})" if reasons else ""),
            hint=f"add files of these formats: {KNOWN}",
        )
    results = join_series(results)
    if skipped:
        first = results[0]
        results[0] = replace(first, report=replace(first.report, skipped=tuple(skipped)))
    return results


def _read_file(data: bytes, file_name: str, document: str, version: str | None) -> ReadResult:
    if not data:
        raise EmptySource(f"{document}: the file is empty", hint="check that the export finished")
    path = PurePosixPath(file_name)
    suffix = path.suffix.casefold()
    try:
        reader, told = reader_of(path.name, data)
        source = reader(data, suffix)
    except SourceError as error:
        raise type(error)(f"{document}: {error}", hint=error.hint) from error
    source = replace(source, warnings=told + source.warnings)
    result = understand(
        source, document=document, version=version or content_hash(data), stem=path.stem
    )
    if not result.document.tables and not result.document.paragraphs:
        raise EmptySource(f"{document}: no table and no prose in it", hint=f"known: {KNOWN}")
    return result


def _read_object(value: object, document: str, version: str | None) -> ReadResult:
    source = _object_source(value)
    result = understand(source, document=document, version=version or "", stem=document)
    if version is None:
        result = _versioned(result)
    return result


def _object_source(value: object) -> Source:
    if hasattr(value, "iloc") and hasattr(value, "columns"):
        return records.read_frame(value)
    if hasattr(value, "column_names") and hasattr(value, "to_pylist"):
        return records.read_arrow(value)
    if isinstance(value, Mapping):
        return json_tables.read_value(dict(value))
    if isinstance(value, Sequence):
        return _list_source(value)
    raise UnreadableSource(
        f"no reader for a {type(value).__name__}",
        hint="pass a path, a DataFrame, an Arrow table, or a list of dicts",
    )


def _list_source(rows: Sequence[object]) -> Source:
    if parsed_lines.is_parsed_lines(rows):
        return parsed_lines.read_parsed_lines([row for row in rows if isinstance(row, Mapping)])
    if rows and all(isinstance(row, Mapping) for row in rows):
        return json_tables.read_records([row for row in rows if isinstance(row, Mapping)])
    if rows and all(isinstance(row, (list, tuple)) for row in rows):
        return records.read_rows([row for row in rows if isinstance(row, (list, tuple))])
    if not rows:
        raise EmptySource("the list is empty", hint="pass at least one row")
    raise UnreadableSource(
        "the list holds neither dicts nor rows", hint="pass a list of dicts, or a list of lists"
    )


def content_hash(data: bytes) -> str:
    """A document's version: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(data).hexdigest()[:16]


def _versioned(result: ReadResult) -> ReadResult:
    """The result with a version made of its cells."""
    digest = hashlib.sha256()
    for table in result.document.tables:
        for column in table.columns:
            digest.update(repr((column.name, column.texts)).encode())
            digest.update(column.codes.tobytes())
    for paragraph in result.document.paragraphs:
        digest.update(paragraph.text.encode())
    version = digest.hexdigest()[:16]
    old = result.document
    tables = tuple(replace(table, version=version) for table in old.tables)
    return ReadResult(Document(old.name, version, tables, old.paragraphs), result.report)


__all__ = ["READERS", "LoadReport", "content_hash", "read_source"]
