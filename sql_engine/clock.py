"""A draft that asks the machine for the date, put on the day that counts as today.

Takes SQL text and a date; gives the text with CURRENT_DATE and today() as that date. What asks for
the time of day stays: `operation_checks.clock_problems` doubts it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from sql_engine.edits import Edit, apply
from sql_engine.tokens import Words, tokens

_BRACKETS = ("(", ")")


def on_day(sql: str, today: dt.date) -> str:
    """The text with the date of today in place of the machine's, where they differ."""
    if today == dt.date.today():
        return sql
    words = Words([token for token in tokens(sql) if token.kind != "comment"])
    return apply(sql, _edits(words, f"DATE '{today:%Y-%m-%d}'"))


def _edits(words: Words, literal: str) -> Iterator[Edit]:
    for i, token in enumerate(words.tokens):
        qualified = "." in (words.lower(i - 1), words.lower(i + 1))
        called = (words.lower(i + 1), words.lower(i + 2)) == _BRACKETS
        said = words.lower(i)
        if not qualified and (said == "current_date" or (said == "today" and called)):
            last = words.tokens[i + 2] if called else token
            yield Edit(token.start, last.end, literal)
