"""Keeps an index on disk, and opens it without reading or indexing anything again.

A folder holds `index.sqlite` (which segments there are, what is alive in them, which documents)
and one file a segment: a JSON header and its arrays, which are mapped into memory, not read. Tables
are decoded when they are asked for. Saving again into the same folder writes what is new.
"""

from __future__ import annotations

import json
import mmap
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from retrieval.errors import UnreadableSource
from retrieval.postings import Postings
from retrieval.segments import Lists, Segment

FORMAT = "2"
_MAGIC = b"tabroute segment\n"
_ALIGNMENT = 64
_SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS segments (
    kind TEXT NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, alive BLOB NOT NULL,
    PRIMARY KEY (kind, place)
);
CREATE TABLE IF NOT EXISTS documents (
    name TEXT PRIMARY KEY, place INTEGER NOT NULL, entry TEXT NOT NULL
);
"""

Item = TypeVar("Item")
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Entry:
    """What the index knows of a document without its content."""

    version: str
    tables: tuple[str, ...]
    """Table ids, in order."""
    paragraphs: int


class Codec(Protocol[Item]):
    """How the items of a segment become arrays and come back."""

    def pack(self, items: Iterable[Item]) -> dict[str, Array]:
        """Named arrays that hold `items`."""

    def unpack(self, arrays: Mapping[str, Array], count: int) -> Sequence[Item]:
        """The items, decoded when they are asked for."""


@dataclass(frozen=True)
class Kind(Generic[Item]):
    """One of the postings of an index, by its name in the store."""

    name: str
    codec: Codec[Item]


def save(
    folder: Path,
    kinds: Sequence[tuple[Kind[Any], Postings[Any]]],
    documents: Mapping[str, tuple[int, Entry]],
    removed: Iterable[str],
    *,
    whole: bool,
) -> None:
    """Write what `folder` does not have yet.

    Args:
        folder: made where it is missing.
        kinds: all postings of the index.
        documents: entries to write, each with its place in the order of addition.
        removed: names of documents to forget.
        whole: forget all documents first: `documents` are all there are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = {segment.name for _, postings in kinds for segment in postings.segments}
    for kind, postings in kinds:
        for segment in postings.segments:
            path = _segment_path(folder, segment.name)
            if not path.exists():
                _write(path, _arrays_of(segment, kind.codec))
    with closing(_connect(folder)) as database, database:
        database.execute("DELETE FROM segments")
        database.executemany(
            "INSERT INTO segments VALUES (?, ?, ?, ?)",
            [
                (kind.name, place, segment.name, np.packbits(flags).tobytes())
                for kind, postings in kinds
                for place, (segment, flags) in enumerate(
                    zip(postings.segments, postings.alive, strict=True)
                )
            ],
        )
        if whole:
            database.execute("DELETE FROM documents")
        database.executemany("DELETE FROM documents WHERE name = ?", [(name,) for name in removed])
        database.executemany(
            "INSERT OR REPLACE INTO documents VALUES (?, ?, ?)",
            [
                (name, place, json.dumps([entry.version, entry.tables, entry.paragraphs]))
                for name, (place, entry) in documents.items()
            ],
        )
    for path in folder.glob("*.segment"):
        if path.stem not in names:
            path.unlink()


def open_postings(folder: Path, kind: Kind[Item], *, sample_texts: int = 0) -> Postings[Item]:
    """The postings of one kind, mapped into memory. Raises UnreadableSource."""
    with closing(_connect(folder, must_exist=True)) as database:
        rows = database.execute(
            "SELECT name, alive FROM segments WHERE kind = ? ORDER BY place", (kind.name,)
        ).fetchall()
    segments, alive = [], []
    for name, flags in rows:
        segment = _segment(_read(_segment_path(folder, name)), name, kind.codec)
        segments.append(segment)
        bits = np.unpackbits(np.frombuffer(flags, np.uint8), count=len(segment.row_starts) - 1)
        alive.append(bits.astype(bool))
    return Postings(tuple(segments), tuple(alive), sample_texts)


def open_documents(folder: Path) -> dict[str, tuple[int, Entry]]:
    """Each document's place and entry, in order of addition."""
    with closing(_connect(folder, must_exist=True)) as database:
        rows = database.execute("SELECT name, place, entry FROM documents ORDER BY place")
        found = {}
        for name, place, text in rows:
            version, tables, paragraphs = json.loads(text)
            found[name] = (place, Entry(version, tuple(tables), paragraphs))
    return found


def _connect(folder: Path, *, must_exist: bool = False) -> sqlite3.Connection:
    path = folder / "index.sqlite"
    if must_exist and not path.is_file():
        raise UnreadableSource(
            f"{folder} holds no index", hint="Save one there, or give the folder that was saved."
        )
    fresh = not path.exists()
    database = sqlite3.connect(path)
    # The journal's file stays: without making and removing it a commit waits for the disk less.
    database.execute("PRAGMA journal_mode = PERSIST")
    if must_exist:
        row = database.execute("SELECT value FROM about WHERE name = 'format'").fetchone()
        if row != (FORMAT,):
            database.close()
            raise UnreadableSource(
                f"{folder} holds an index of another format",
                hint="Index the sources again with this version.",
            )
    elif fresh:
        database.executescript(_SCHEMA)
        database.execute("INSERT INTO about VALUES ('format', ?)", (FORMAT,))
    return database


def _segment_path(folder: Path, name: str) -> Path:
    return folder / f"{name}.segment"


_PLAIN = ("row_starts", "column_starts", "head_lengths", "row_lengths", "sample_lengths")
_LISTS = ("rows", "heads", "samples", "cells")
_PARTS = ("vocabulary", "offsets", "ids", "weights")


def _arrays_of(segment: Segment[Item], codec: Codec[Item]) -> dict[str, Array]:
    arrays = {name: getattr(segment, name) for name in _PLAIN}
    for name in _LISTS:
        lists = getattr(segment, name)
        arrays.update({f"{name}.{part}": getattr(lists, part) for part in _PARTS})
    arrays.update(pack_texts("keys", segment.keys))
    arrays.update({f"items.{name}": value for name, value in codec.pack(segment.items).items()})
    return arrays


def _segment(arrays: Mapping[str, Array], name: str, codec: Codec[Item]) -> Segment[Item]:
    items = {key.removeprefix("items."): v for key, v in arrays.items() if key.startswith("items.")}
    parts: dict[str, Any] = {plain: arrays[plain] for plain in _PLAIN}
    for kind in _LISTS:
        parts[kind] = Lists(*(arrays[f"{kind}.{part}"] for part in _PARTS))
    return Segment(
        keys=StoredTexts.of("keys", arrays),
        items=codec.unpack(items, len(arrays["row_starts"]) - 1),
        name=name,
        **parts,
    )


def _write(path: Path, arrays: Mapping[str, Array]) -> None:
    """One file: magic, length of the header, header, arrays at aligned places; durable."""
    header, at = {}, 0
    for name, array in arrays.items():
        header[name] = (array.dtype.str, array.shape, at)
        at += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    text = json.dumps(header).encode()
    start = -(-(len(_MAGIC) + 8 + len(text)) // _ALIGNMENT) * _ALIGNMENT
    fresh = path.with_suffix(".writing")
    with fresh.open("wb") as file:
        file.write(_MAGIC + len(text).to_bytes(8, "little") + text)
        for name, array in arrays.items():
            file.seek(start + header[name][2])
            file.write(np.ascontiguousarray(array).data if array.size else b"")
        file.truncate(start + at)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _read(path: Path) -> dict[str, Array]:
    """The arrays of a file, mapped into memory. Raises UnreadableSource."""
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise UnreadableSource(f"{path.name} of the index cannot be read: {error}") from error
    head = len(_MAGIC) + 8
    if mapped[: len(_MAGIC)] != _MAGIC:
        raise UnreadableSource(f"{path.name} is no part of an index")
    length = int.from_bytes(mapped[len(_MAGIC) : head], "little")
    start = -(-(head + length) // _ALIGNMENT) * _ALIGNMENT
    arrays = {}
    for name, (kind, shape, at) in json.loads(mapped[head : head + length]).items():
        dtype = np.dtype(kind)
        count = int(np.prod(shape))
        place = start + at if count else 0
        arrays[name] = np.frombuffer(mapped, dtype, count, place).reshape(shape)
    return arrays


class StoredTexts(Sequence[str]):
    """Texts decoded one by one from a buffer; as a tuple of texts in all that reads one."""

    def __init__(self, data: Array, offsets: Array) -> None:
        self._data = data
        self._offsets = offsets
        self._count = len(offsets) - 1

    @classmethod
    def of(cls, name: str, arrays: Mapping[str, Array]) -> StoredTexts:
        """Texts packed under `name`."""
        return cls(arrays[f"{name}.data"], arrays[f"{name}.offsets"])

    def part(self, first: int, end: int) -> StoredTexts:
        """The texts from `first` to `end`, sharing the buffer."""
        return StoredTexts(self._data, self._offsets[first : end + 1])

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        ends = self._offsets.tolist()
        first, data = ends[0], self._data[ends[0] : ends[-1]].tobytes()
        return (data[a - first : b - first].decode() for a, b in pairwise(ends))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        place = index if 0 <= index < self._count else range(self._count)[index]
        first, end = self._offsets[place : place + 2].tolist()
        return self._data[first:end].tobytes().decode()


def pack_texts(name: str, texts: Iterable[str]) -> dict[str, Array]:
    """Arrays that hold `texts`, for `StoredTexts`."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(one) for one in encoded], out=offsets[1:])
    return {
        f"{name}.data": np.frombuffer(b"".join(encoded), np.uint8),
        f"{name}.offsets": offsets,
    }
