"""A small catalog for the tests of the guard and the database."""

from retrieval.build import build_table
from retrieval.table import Table
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
        )
    )
