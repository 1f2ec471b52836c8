"""A small world for the tests of the language model's route: two tables, and how to ask."""

from __future__ import annotations

import datetime as dt
from typing import Any

from retrieval.build import build_table
from retrieval.table import Table
from sql_engine.catalog import Catalog
from sql_engine.links import Links
from sql_engine.writer import SqlRequest


def table(name: str, document: str = "world", ordinal: int = 0, /, **columns: list[str]) -> Table:
    """A table of the given columns; an underscore in a name stays."""
    return build_table(
        [((header,), cells) for header, cells in columns.items()],
        document=document,
        name=name,
        ordinal=ordinal,
        version="1",
    )


KILNS = table(
    "kilns",
    "world",
    0,
    kiln_id=["1", "2", "3"],
    maker=["Ortega", "Brandt", "O'Neill"],
    chambers=["4", "2", "6"],
)
FIRINGS = table(
    "firings",
    "world",
    1,
    firing_id=["10", "11", "12", "13", "14"],
    kiln_id=["1", "1", "2", "3", "3"],
    glaze=["celadon", "tenmoku", "celadon", "ash", "celadon"],
    fired_on=["2024-03-02", "2024-04-11", "2024-04-20", "2024-05-01", "2024-05-09"],
    pots=["30", "42", "18", "25", "20"],
    fuel=["12.50", "15.25", "9.00", "11.75", "10.00"],
)
CATALOG = Catalog().with_tables((KILNS, FIRINGS))


def request(question: str, catalog: Catalog = CATALOG, **more: Any) -> SqlRequest:
    """A request that may use every table of `catalog`."""
    values: dict[str, Any] = {"links": Links(), "today": dt.date(2024, 6, 1), **more}
    return SqlRequest(question=question, catalog=catalog, tables=catalog.tables, **values)
