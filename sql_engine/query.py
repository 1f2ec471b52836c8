"""A statement that the guard has checked.

Only `guard.check` makes one, and the database runs nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.edits import Edits

Parameters = Sequence[Any] | Mapping[str, Any]
"""Values for `?` and `$1`, or for `$name`."""

NO_EDITS = Edits()
GUARDED = object()
"""The guard's seal; a `Query` without it cannot be made."""


Sources = tuple[tuple[str, str], ...]
"""(table, column) names, each once."""


@dataclass(frozen=True)
class OutputColumn:
    """One column of a result: its label, and the base columns that feed it."""

    name: str
    sources: Sources | None
    """None where it cannot be told; empty where no column feeds it (a count of rows)."""
    expression: str
    """As sqlglot prints it; for reading, not for running."""


@dataclass(frozen=True)
class Query:
    """Checked SQL, and what it reads."""

    written: str
    """As it came."""
    sql: str
    """As it was checked: cut at its end, with the repairs that `notes` tell."""
    running: str
    """As the engine gets it: `sql` with the row position column under the engine's own name, and
    with decimals read as DOUBLE where a median would cut their digits."""
    tables: tuple[CatalogTable, ...]
    """Every table it names, each once."""
    columns: tuple[tuple[CatalogTable, CatalogColumn], ...]
    """The base columns it names, as far as names alone tell: one that two of its tables have is
    here for both. Columns that only a star reaches are not here."""
    notes: tuple[str, ...] = ()
    """Each repair in one sentence."""
    parameters: Parameters = ()
    volatile: bool = False
    """Whether a second run may give other rows (random(), a sample)."""
    renamed: tuple[tuple[str, str], ...] = ()
    """Texts in the engine's labels, and how they were written."""
    edits: Edits = NO_EDITS
    """From `written` to `running`; tells where a position of `running` lies in `written`."""
    seal: object = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.seal is not GUARDED:
            raise TypeError("a Query is made by guard.check alone")

    @cached_property
    def lineage(self) -> tuple[OutputColumn, ...] | None:
        """Which base columns feed each output column, in order; None where it cannot be told."""
        from sql_engine.lineage import lineage_of  # sqlglot: only where somebody asks

        return lineage_of(self.sql, self.tables)
