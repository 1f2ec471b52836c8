"""When a given cell or result is the gold one: numbers to a tolerance, dates in any usual form,
rows in any order unless told, columns by content and not by name.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import product
from typing import Any

Rows = Sequence[Sequence[Any]]

RELATIVE = 1e-6
ABSOLUTE = 5e-5
"""Two numbers are one when they differ by less than either: four decimals."""

_NUMBER = re.compile(
    r"(?P<open>\()?(?P<sign>[-+−–])?\s*[^\w\s.,()+-]{0,3}\s*"
    r"(?P<digits>\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"\s*(?P<unit>%|[^\W\d][^\d()]{0,24})?\)?"
)
_DATE_FORMS = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%d.%m.%Y", "%Y/%m/%d")
_DATED = re.compile(
    r"\d{1,2}\s+[^\W\d]+\s+\d{4}|[^\W\d]+\s+\d{1,2},\s+\d{4}|\d{1,2}\.\d{1,2}\.\d{4}|\d{4}/\d{1,2}/\d{1,2}"
)
"""What texts of those forms look like: most texts are no dates, and reading one in vain costs."""
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?")
_CLOCK = re.compile(r"(\d+):(\d{2})(?::(\d{2}(?:\.\d+)?))?")
_TRUE, _FALSE = ("yes", "true"), ("no", "false")


def same_cell(gold: Any, given: Any) -> bool:
    """Whether two cells say the same."""
    if gold is None or given is None or gold == "" or given == "":
        return gold in (None, "") and given in (None, "")
    if isinstance(gold, bool) or isinstance(given, bool):
        return _truth(gold) is not None and _truth(gold) == _truth(given)
    if isinstance(gold, str) and isinstance(given, str):
        return _same_text(gold, given)
    timed = dt.timedelta | dt.time
    if isinstance(gold, timed) or isinstance(given, timed):
        return _span(gold) is not None and _span(gold) == _span(given)
    moments = _moment(gold), _moment(given)
    if moments[0] is not None or moments[1] is not None:
        return moments[0] == moments[1]
    numbers = _number(gold), _number(given)
    if numbers[0] is not None and numbers[1] is not None:
        return close(numbers[0], numbers[1])
    return folded(str(gold)) == folded(str(given))


def close(one: float, other: float) -> bool:
    """Whether two numbers are the same to the tolerance."""
    return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def folded(text: str) -> str:
    """Text without regard to case and white space."""
    return " ".join(text.casefold().split())


def _same_text(gold: str, given: str) -> bool:
    if folded(gold) == folded(given):
        return True
    moments = _moment(gold), _moment(given)
    if moments[0] is not None and moments[1] is not None:
        return moments[0] == moments[1]
    numbers = _plain_number(gold), _plain_number(given)
    return numbers[0] is not None and numbers[1] is not None and close(numbers[0], numbers[1])


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    text = folded(str(value))
    return True if text in _TRUE else False if text in _FALSE else None


def _number(value: Any) -> float | None:
    """A number, or the number that a text with its unit tells ("7 days")."""
    if isinstance(value, (int, float, Decimal)):
        return float(value)
    match = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    number = float(match["digits"].replace(",", ""))
    return -number if match["open"] or match["sign"] in ("-", "−", "–") else number


def _plain_number(text: str) -> float | None:
    """The number of a text that tells no unit but a currency sign: two units may differ."""
    match = _NUMBER.fullmatch(text.strip())
    return None if match is None or match["unit"] else _number(text)


def _span(value: Any) -> dt.timedelta | None:
    """A length of time or a time of day from midnight, as a text may tell it: "1:07:45"."""
    if isinstance(value, dt.timedelta):
        return value
    if isinstance(value, dt.time):
        return dt.datetime.combine(dt.date.min, value.replace(tzinfo=None)) - dt.datetime.min
    told = _CLOCK.fullmatch(value.strip()) if isinstance(value, str) else None
    if told is None:
        return None
    hours, minutes, seconds = (float(part or 0) for part in told.groups())
    return dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)


def _moment(value: Any) -> dt.datetime | None:
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, dt.date):
        return dt.datetime.combine(value, dt.time())
    return _moment_of_text(value.strip()) if isinstance(value, str) else None


def _moment_of_text(text: str) -> dt.datetime | None:
    if _ISO.fullmatch(text):
        try:
            return dt.datetime.fromisoformat(text)
        except ValueError:
            return None
    if not _DATED.fullmatch(text):
        return None
    for form in _DATE_FORMS:
        try:
            return dt.datetime.strptime(text, form)
        except ValueError:
            continue
    return None


def same_rows(
    gold: Rows, given: Rows, *, ordered: bool = False, extra_columns: bool = True
) -> bool:
    """Whether a result is the gold one.

    Args:
        gold: rows of one width, or none.
        given: rows of one width, at least the gold's.
        ordered: whether the order of the rows matters.
        extra_columns: whether `given` may hold columns that the gold does not ask for. A gold of
            one number then allows two columns only (the number with what it belongs to): of a
            whole row, some cell is too easily equal.
    """
    if len(gold) != len(given):
        return False
    if not gold:
        return True
    wanted, width = len(gold[0]), len(given[0])
    if width < wanted or (width > wanted and not extra_columns):
        return False
    if wanted == len(gold) == 1 and width > 2 and _number(gold[0][0]) is not None:
        return False
    return any(
        _match([[row[index] for index in mapping] for row in given], gold, ordered)
        for mapping in _mappings(gold, given)
    )


_MAPPINGS_TRIED = 200


def _mappings(gold: Rows, given: Rows) -> list[tuple[int, ...]]:
    """Ways to read the gold's columns from the given ones, the published order first."""
    fitting = [
        [
            index
            for index in range(len(given[0]))
            if _match([[row[index]] for row in given], [[row[column]] for row in gold], False)
        ]
        for column in range(len(gold[0]))
    ]
    mappings = (choice for choice in product(*fitting) if len(set(choice)) == len(choice))
    return [mapping for mapping, _ in zip(mappings, range(_MAPPINGS_TRIED), strict=False)]


def _match(given: Rows, gold: Rows, ordered: bool) -> bool:
    if not ordered:
        given, gold = sorted(given, key=_sort_key), sorted(gold, key=_sort_key)
    return all(
        all(same_cell(want, have) for want, have in zip(wanted, had, strict=True))
        for wanted, had in zip(gold, given, strict=True)
    )


def _sort_key(row: Sequence[Any]) -> tuple[tuple[int, float, str], ...]:
    """An order in which equal rows of both sides come at equal places."""
    return tuple(_cell_key(cell) for cell in row)


def _cell_key(cell: Any) -> tuple[int, float, str]:
    if cell is None or cell == "":
        return (0, 0.0, "")
    truth = _truth(cell)
    if truth is not None:
        return (1, float(truth), "")
    moment = _moment(cell)
    if moment is not None:
        return (2, 0.0, moment.isoformat())
    number = _number(cell)
    if number is not None and math.isfinite(number):
        return (3, float(f"{number:.5g}"), "")
    return (4, 0.0, folded(str(cell)))
