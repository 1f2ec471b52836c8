"""A chart in plain text: a line over time for a series, bars with their values for groups.

Takes columns and rows; gives text in the width told. Draws only what it is given and says what it
left out. Lines are drawn by plotille; a bar carries its value as published.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING

from router.answer import Row
from router.chart_data import Chart, chart_of
from router.render import display_width, fit
from router.wording import counted

if TYPE_CHECKING:
    from router.chart_data import Place

MAX_BARS = 40
WIDTH = 80
LABEL = 30
HEIGHT = 15
_AXIS = 24
"""Columns that the scale and the frame take beside the lines."""
_EIGHTHS = " ▏▎▍▌▋▊▉"


def chart(
    columns: Sequence[str], rows: Sequence[Row], *, column: str | None = None, width: int = WIDTH
) -> str:
    """The result drawn. Raises UsageError where there is no numeric column, or `column` is none."""
    found = chart_of(columns, rows, column)
    lines = [f"{found.measure} by {found.over}"]
    lines += [_series(found, width)] if found.lines else _bars(found, width)
    if found.left_out:
        lines.append(f"({found.left_out})")
    return "\n".join(lines)


def _bars(found: Chart, width: int) -> list[str]:
    drawn = found.bars[:MAX_BARS]
    longest = max((abs(value) for _, value, _ in drawn), default=0.0) or 1.0
    label = min(LABEL, max((display_width(name) for name, _, _ in drawn), default=0))
    room = max(10, width - label - 3 - max((len(text) for _, _, text in drawn), default=0))
    lines = []
    for name, value, text in drawn:
        sign = "-" if value < 0 else " "
        lines.append(f"{fit(name, label)} {sign}{_bar(abs(value) / longest, room)} {text}")
    if len(found.bars) > len(drawn):
        lines.append(f"({counted(len(found.bars) - len(drawn))} not drawn)")
    return lines


def _bar(share: float, room: int) -> str:
    eighths = round(share * room * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _series(found: Chart, width: int) -> str:
    import plotille

    figure = plotille.Figure()
    figure.width, figure.height = max(20, width - _AXIS), HEIGHT
    figure.with_colors = False
    figure.origin = False
    figure.register_label_formatter(float, _number)
    figure.register_label_formatter(dt.datetime, _moment)
    points = [point for line in found.lines for point in line.points]
    values = [value for _, value in points]
    figure.set_y_limits(min_=min(0.0, *values), max_=max(0.0, *values) or 1.0)
    figure.set_x_limits(min_=min(place for place, _ in points), max_=max(p for p, _ in points))
    marks = iter("●○■□◆◇")
    for line in found.lines:
        places, numbers = zip(*line.points, strict=True)
        mark = next(marks) if len(found.lines) > 1 else None
        figure.plot(list(places), list(numbers), label=line.name or found.measure, marker=mark)
    drawn = str(figure.show(legend=len(found.lines) > 1))
    lines = [line.replace("\u2800", " ").rstrip() for line in drawn.splitlines()]
    return "\n".join(lines[1:]).replace("-> (X)", "->")


def _number(value: float, chars: int, delta: float, left: bool = False) -> str:
    """A figure of the scale, as precise as the scale is."""
    if abs(delta) >= 1e5:
        text = f"{value / 1e6:,.1f}M"
    else:
        text = f"{value:,.{0 if abs(delta) >= 20 else 1 if abs(delta) >= 1 else 3}f}"
    return text.ljust(chars) if left else text.rjust(chars)


def _moment(value: Place, chars: int, delta: object, left: bool = False) -> str:
    assert isinstance(value, dt.datetime)
    text = value.strftime("%Y-%m-%d")
    return text.ljust(chars) if left else text.rjust(chars)
