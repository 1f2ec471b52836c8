"""Web tables under names that people give their own: a table called `invoices` with an `Amount`.

Published tables have file names that say nothing, and headers of sport and film. Takes a table;
gives the same cells under a common noun, with some columns renamed, so that made questions speak
of things as users do.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from retrieval.table import NUMERIC, Column, Kind, Table

_TABLES = """orders invoices visits tickets bookings payments deliveries parts members repairs
lessons trips contracts claims loans expenses shipments meetings patients customers projects
employees items products vehicles suppliers donations"""
_NUMBERS = """Amount Total Price Cost Fee Quantity Hours Score Weight Distance Budget Revenue Stock
Salary Discount Duration Size Net Rating"""
_LABELS = """Status Category Region Department Type Customer Supplier Channel Owner Depot Doctor
City Team Level"""
_KEYS = "Name Item Title Reference Code Person Student Product"


def dressed(table: Table, rng: random.Random) -> Table:
    """The table under another name; of its columns up to two numbers, two labels and a key."""
    columns = list(table.columns)
    for fits, names, most in (
        (_is_number, _NUMBERS, 2),
        (_is_label, _LABELS, 2),
        (_is_key, _KEYS, 1),
    ):
        _rename(columns, fits, rng.sample(names.split(), most))
    name = rng.choice(_TABLES.split())
    return replace(table, name=name, title=name, columns=tuple(columns))


def _rename(columns: list[Column], fits: Callable[[Column], bool], names: list[str]) -> None:
    taken = {column.name.lower() for column in columns}
    for i, column in enumerate(columns):
        if names and fits(column):
            name = names.pop()
            if name.lower() not in taken:
                columns[i] = replace(column, name=name, path=(name,))


def _is_number(column: Column) -> bool:
    return column.type.kind in NUMERIC and not column.type.mixed


def _is_label(column: Column) -> bool:
    return column.type.kind is Kind.TEXT and 2 <= len(column.texts) <= len(column.codes) // 2


def _is_key(column: Column) -> bool:
    return column.type.kind is Kind.TEXT and len(column.texts) == len(column.codes)
