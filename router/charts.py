"""A bar chart in plain text: one bar a row, its label and its value.

Takes columns and rows; gives text. Draws only what it is given and says how many rows it left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from router.answer import Row
from router.errors import UsageError
from router.json_values import to_text
from router.render import fit

MAX_BARS = 40
WIDTH = 40
LABEL = 30
_EIGHTHS = " ▏▎▍▌▋▊▉"


def bars(columns: Sequence[str], rows: Sequence[Row], *, column: str | None = None) -> str:
    """Bars of a numeric column, labelled by the first other column.

    Raises:
        UsageError: there is no numeric column, or `column` is not one.
    """
    measure = _measure(columns, rows, column)
    label = next((i for i in range(len(columns)) if i != measure), measure)
    drawn = [row for row in rows if row[measure] is not None][:MAX_BARS]
    values = [float(row[measure]) for row in drawn]
    longest = max((abs(value) for value in values), default=0.0) or 1.0
    lines = [f"{columns[measure]} by {columns[label]}" if label != measure else columns[measure]]
    for row, value in zip(drawn, values, strict=True):
        name = fit(to_text(row[label]) or "<null>", LABEL)
        sign = "-" if value < 0 else " "
        lines.append(f"{name} {sign}{_bar(abs(value) / longest)} {to_text(row[measure])}")
    if len(rows) > len(drawn):
        lines.append(f"({len(rows) - len(drawn)} rows not drawn)")
    return "\n".join(lines)


def _measure(columns: Sequence[str], rows: Sequence[Row], wanted: str | None) -> int:
    numeric = [
        i
        for i in range(len(columns))
        if any(row[i] is not None for row in rows) and all(_is_number(row[i]) for row in rows)
    ]
    if wanted is not None:
        numeric = [i for i in numeric if columns[i].casefold() == wanted.casefold()]
    if not numeric:
        raise UsageError(
            f'no numeric column "{wanted}"' if wanted else "no numeric column to draw",
            hint="A chart needs one column of numbers and one of labels.",
        )
    return numeric[-1]


def _is_number(value: object) -> bool:
    return value is None or (
        isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    )


def _bar(share: float) -> str:
    eighths = round(share * WIDTH * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
