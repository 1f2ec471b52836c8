"""Which tables each worker holds: what must be loaded for a query, what makes room for it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sql_engine.catalog import CatalogTable
from sql_engine.loading import Frame, load_frames, loaded_bytes
from sql_engine.process import WorkerProcess
from sql_engine.sql_names import fold, quote

SHARE = 0.5
"""How much of a worker's memory limit the tables it keeps may take; queries need the rest."""


@dataclass(frozen=True)
class Held:
    """A table in a worker. The reference is weak: a table that its owner gave up is dropped."""

    name: str
    table: weakref.ref[CatalogTable]
    bytes: int


def missing(worker: WorkerProcess, tables: Sequence[CatalogTable]) -> list[CatalogTable]:
    """Those of `tables` that the worker does not hold; the others count as just used."""
    wanted = []
    for table in tables:
        held = worker.tables.pop(fold(table.name), None)
        if held is not None:
            worker.tables[fold(table.name)] = held
        if held is None or held.table() is not table:
            wanted.append(table)
    return wanted


def frames(
    worker: WorkerProcess, table: CatalogTable, needed: Sequence[CatalogTable]
) -> Iterator[Frame]:
    """The frames that load `table`, after those that drop what must make room for it."""
    size = loaded_bytes(table)
    keep = {fold(other.name) for other in needed}
    budget = int(worker.memory_limit * SHARE)
    for name, held in list(worker.tables.items()):
        taken = sum(other.bytes for other in worker.tables.values())
        if held.table() is None or (name not in keep and taken + size > budget):
            yield _drop(worker, name)
    worker.tables[fold(table.name)] = Held(table.name, weakref.ref(table), size)
    yield from load_frames(table)


def drop_others(worker: WorkerProcess, needed: Sequence[CatalogTable]) -> Iterator[Frame]:
    """The frames that drop every table but the needed ones."""
    keep = {fold(table.name) for table in needed}
    for name in list(worker.tables):
        if name not in keep:
            yield _drop(worker, name)


def _drop(worker: WorkerProcess, name: str) -> Frame:
    return {"do": "drop", "table": quote(worker.tables.pop(name).name)}, []
