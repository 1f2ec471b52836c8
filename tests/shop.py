"""A small catalog for the tests of the guard and the database."""

import numpy as np

from retrieval.build import build_table
from retrieval.table import Column, Table
from sql_engine.catalog import Catalog


def table(
    name: str, columns: dict[str, list[str]], *, totals: frozenset[int] = frozenset()
) -> Table:
    return build_table(
        [((header,), cells) for header, cells in columns.items()],
        document=name,
        name=name,
        totals=totals,
    )


def texts(name: str, rows: int, columns: int) -> Table:
    """A large table of distinct texts, made without looking at them."""
    distinct = tuple(f"text number {i:250}" for i in range(rows))
    codes = np.arange(rows, dtype=np.int32)
    made = tuple(Column(f"c{i}", (f"c{i}",), codes, distinct) for i in range(columns))
    return Table(f"{name}#0", name, "", name, name, made, rows)


def shop() -> Catalog:
    return Catalog().with_tables(
        (
            table(
                "books",
                {
                    "title": ["Dune", "Emma", "Ulysses", "Persuasion"],
                    "author": ["Herbert", "Austen", "Joyce", "Austen"],
                    "price": ["9.50", "7.25", "12.00", ""],
                    "printed": ["1965-08-01", "1815-12-23", "1922-02-02", "1817-12-20"],
                },
            ),
            table(
                "sales",
                {
                    "book": ["Dune", "Emma", "Dune", "Total"],
                    "copies": ["3", "1", "4", "8"],
                },
                totals=frozenset({3}),
            ),
            table("Order Items", {"select": ["1", "2"], "naïve key": ["x", "y"]}),
            table("range", {"n": ["5"]}),
            table("show", {"n": ["6"]}),
        )
    )
