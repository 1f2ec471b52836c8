"""Which published cells tell how many or how much, and which only look like numbers.

Takes a cell's text or a column. A year, a date and the number of a game, a week or a draft pick are
written in digits, and yet no answer to "how many": the question counts the rows that they name.
"""

from __future__ import annotations

import re
from itertools import pairwise

from retrieval.cells import is_year
from retrieval.table import Column, Kind

_AMOUNT = re.compile(r"[^\w\s]{0,3}\s?\d[\d.,' ]*\D*")
"""One number with its unit: "$659", "7 days"; not "10:00 to 15:00"."""
_NUMBERING = re.compile(r"\w\W+(?:number|no\.?|nr\.?|#)\W*$", re.IGNORECASE)
"""A header that numbers things: "Track number", no "Number of tracks"."""
LISTED = 4
"""As many rows show whether a column numbers them."""
IN_STEP = 0.75
"""Share of rows that follow the one before by one, where a column numbers them."""


def is_amount(text: str) -> bool:
    """Whether a text is one number, a unit with it or not."""
    return _AMOUNT.fullmatch(text) is not None


def numbers_rows(column: Column) -> bool:
    """Whether a column numbers its rows, by its header or its cells: years, or one number more in
    each row.
    """
    if _NUMBERING.search(column.name):
        return True
    if column.type.kind is not Kind.INTEGER:
        return False
    forms = [form for form in column.canonical or column.texts if form is not None]
    if forms and all(map(is_year, forms)):
        return True
    if len(forms) < LISTED or int(column.counts.max(initial=0)) > 1:
        return False
    steps = [abs(int(after) - int(before)) for before, after in pairwise(forms)]
    return sum(step == 1 for step in steps) >= IN_STEP * len(steps)
