"""How tables and paragraphs become arrays in the store, and come back when they are asked for.

A table's cells stay dictionary-encoded: one array of codes, one of texts; all else of it is JSON.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from threading import Lock
from typing import Any, Generic, TypeVar, cast

import numpy as np
import numpy.typing as npt

from retrieval.paragraph_index import PlacedParagraph
from retrieval.store import Array, Kind, StoredTexts, pack_texts
from retrieval.table import Column, ColumnType, Note, Paragraph, Table
from retrieval.table import Kind as ColumnKind

Item = TypeVar("Item")

_KEPT = 4096
"""Decoded items kept, the least recently used going first."""

_NONE = "\0"
"""Stands for a canonical form that is None."""


class _Decoded(Sequence[Item], Generic[Item]):
    """Items decoded when they are asked for."""

    def __init__(self, count: int, decode: Callable[[int], Item]) -> None:
        self._count = count
        self._decode = decode
        self._kept: OrderedDict[int, Item] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._count))]
        place = range(self._count)[index]
        with self._lock:
            if place in self._kept:
                self._kept.move_to_end(place)
                return self._kept[place]
        item = self._decode(place)
        with self._lock:
            self._kept[place] = item
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return item


class _Columns(Sequence[Column]):
    """A table's columns, each decoded when it is asked for and then the same one: a question reads
    a few columns of many tables. Behaves as a tuple of columns.
    """

    def __init__(
        self, about: list[dict[str, Any]], rows: int, texts: StoredTexts, codes: Array
    ) -> None:
        self._about, self._rows, self._texts, self._codes = about, rows, texts, codes
        self._made: dict[int, Column] = {}

    def __len__(self) -> int:
        return len(self._about)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        made = self._made.get(index)
        if made is None:
            place = range(len(self))[index]
            made = _column(self._about[place], self._rows, self._texts, self._codes)
            made = self._made.setdefault(place, made)  # another thread may have been first
        return made

    def __iter__(self) -> Iterator[Column]:
        return (self[place] for place in range(len(self)))


class ParagraphCodec:
    """Paragraphs as JSON."""

    def pack(self, items: Iterable[PlacedParagraph]) -> dict[str, Array]:
        """Named arrays that hold `items`."""
        return pack_texts("about", (json.dumps(asdict(item)) for item in items))

    def unpack(self, arrays: Mapping[str, Array], count: int) -> Sequence[PlacedParagraph]:
        """The paragraphs, decoded when they are asked for."""
        texts = StoredTexts.of("about", arrays)
        return _Decoded(count, lambda place: _paragraph(texts[place]))


def _paragraph(text: str) -> PlacedParagraph:
    placed = json.loads(text)
    inner = placed["paragraph"]
    inner["heading_path"] = tuple(inner["heading_path"])
    return PlacedParagraph(placed["document"], placed["version"], Paragraph(**inner))


class TableCodec:
    """Tables as JSON, with codes and texts in arrays of their own."""

    def pack(self, items: Iterable[Table]) -> dict[str, Array]:
        """Named arrays that hold `items`."""
        about: list[str] = []
        codes: list[npt.NDArray[np.int32]] = []
        texts: list[str] = []
        numbers: list[Sequence[int]] = []
        first_code = first_number = 0
        for table in items:
            columns = []
            for column in table.columns:
                columns.append(_column_about(column, first_code, len(texts)))
                codes.append(column.codes)
                texts.extend(column.texts)
                if column.canonical is not None:
                    texts.extend(_NONE if form is None else form for form in column.canonical)
                first_code += len(column.codes)
            places = {}
            for name in ("lines", "pages"):
                values = getattr(table, name)
                places[name] = None if values is None else first_number
                if values is not None:
                    numbers.append(values)
                    first_number += len(values)
            about.append(json.dumps(_table_about(table, columns, places)))
        empty = np.zeros(0, np.int32)
        return {
            **pack_texts("about", about),
            **pack_texts("texts", texts),
            "codes": np.concatenate([empty, *codes]),
            "numbers": np.concatenate([empty, *(np.asarray(v, np.int32) for v in numbers)]),
        }

    def unpack(self, arrays: Mapping[str, Array], count: int) -> Sequence[Table]:
        """The tables, decoded when they are asked for."""
        about = StoredTexts.of("about", arrays)
        texts = StoredTexts.of("texts", arrays)
        return _Decoded(count, lambda place: _table(json.loads(about[place]), texts, arrays))


def _table_about(
    table: Table, columns: list[dict[str, Any]], places: Mapping[str, int | None]
) -> dict[str, Any]:
    plain = ("table_id", "document", "version", "name", "title", "row_count", "heading_path")
    more = ("unit", "key", "warnings", "summary")
    return {
        **{name: getattr(table, name) for name in (*plain, *more)},
        **places,
        "totals": sorted(table.totals),
        "unverified": sorted(table.unverified),
        "notes": [asdict(note) for note in table.notes],
        "columns": columns,
    }


def _column_about(column: Column, first_code: int, first_text: int) -> dict[str, Any]:
    kind = asdict(column.type)
    kind["missing"] = sorted(column.type.missing)
    return {
        "name": column.name,
        "path": column.path,
        "type": kind,
        "derived": column.derived,
        "canonical": column.canonical is not None,
        "codes": first_code,
        "texts": (first_text, len(column.texts)),
    }


def _table(about: dict[str, Any], texts: StoredTexts, arrays: Mapping[str, Array]) -> Table:
    rows = about["row_count"]
    for name in ("lines", "pages"):
        if about[name] is not None:
            about[name] = tuple(arrays["numbers"][about[name] : about[name] + rows].tolist())
    about["columns"] = _Columns(about["columns"], rows, texts, arrays["codes"])
    about["heading_path"] = tuple(about["heading_path"])
    about["warnings"] = tuple(about["warnings"])
    about["totals"] = frozenset(about["totals"])
    about["unverified"] = frozenset(about.get("unverified", ()))
    about["notes"] = tuple(
        Note(n["marker"], n["text"], tuple((row, column) for row, column in n["cells"]))
        for n in about["notes"]
    )
    return Table(**about)


def _column(about: dict[str, Any], rows: int, texts: StoredTexts, codes: Array) -> Column:
    first, count = about["texts"]
    kind = dict(about["type"])
    kind["kind"] = ColumnKind(kind["kind"])
    kind["missing"] = frozenset(kind["missing"])
    kind["warnings"] = tuple(kind["warnings"])
    forms = None
    if about["canonical"]:
        packed = texts.part(first + count, first + 2 * count)
        forms = tuple(None if form == _NONE else form for form in packed)
    return Column(
        name=about["name"],
        path=tuple(about["path"]),
        codes=codes[about["codes"] : about["codes"] + rows],
        # Behaves as a tuple of texts, and decodes only what is asked for.
        texts=cast("tuple[str, ...]", texts.part(first, first + count)),
        type=ColumnType(**kind),
        canonical=forms,
        derived=about["derived"],
    )


TABLES = Kind("tables", TableCodec())
PARAGRAPHS = Kind("paragraphs", ParagraphCodec())
