"""A result as a picture: PNG, SVG, or an HTML page with the drawing and its figures.

Takes columns, rows and a path whose extension chooses the format. Needs the extra `charts`.
"""

from __future__ import annotations

import html
import io
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from router.answer import Row
from router.chart_data import Chart, chart_of
from router.errors import MissingExtra, UsageError
from router.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".html")
MAX_BARS = 60


def write_chart(
    path: Path, columns: Sequence[str], rows: Sequence[Row], *, column: str | None = None
) -> None:
    """Draw the result into a file.

    Raises:
        UsageError: nothing to draw, an unknown extension, or a file that cannot be written.
        MissingExtra: matplotlib is not installed.
    """
    suffix = path.suffix.casefold()
    if suffix not in FORMATS:
        raise UsageError(f"cannot draw into {path.name!r}", hint=f"Use {', '.join(FORMATS)}.")
    if find_spec("matplotlib") is None:
        raise MissingExtra(
            "a chart file needs an extra that is not installed",
            hint="Install it with: pip install -e '.[charts]'",
        )
    found = chart_of(columns, rows, column)
    data = _page(found) if suffix == ".html" else _picture(found, suffix.removeprefix("."))
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


def _picture(found: Chart, form: str) -> bytes:
    out = io.BytesIO()
    metadata = {"Date": None} if form == "svg" else {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the font lacks it: a box is drawn
        _figure(found).savefig(out, format=form, metadata=metadata)
    return out.getvalue()


def _page(found: Chart) -> bytes:
    drawing = _picture(found, "svg").decode()
    drawing = drawing[drawing.index("<svg") :]
    rows = "\n".join(
        f"<tr><td>{html.escape(label)}</td><td>{html.escape(text)}</td></tr>"
        for label, _, text in found.bars
    )
    title = html.escape(_title(found))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f"<title>{title}</title></head>\n<body><h1>{title}</h1>\n{drawing}\n<table><thead><tr><th>{html.escape(found.over)}</th>"
        f"<th>{html.escape(found.measure)}</th></tr></thead>\n<tbody>\n{rows}\n</tbody></table>\n"
        f"</body></html>\n"
    ).encode()


def _figure(found: Chart) -> Figure:
    from matplotlib.figure import Figure

    tall = 4.5 if found.lines else max(2.5, 0.3 * min(len(found.bars), MAX_BARS) + 1)
    figure = Figure(figsize=(8, tall), layout="constrained")
    axes = figure.subplots()
    _draw_lines(axes, found) if found.lines else _draw_bars(axes, found)
    axes.set_title(_plain(_title(found)))
    return figure


def _draw_lines(axes: Axes, found: Chart) -> None:
    for line in found.lines:
        places, values = zip(*line.points, strict=True)
        axes.plot(places, values, marker=".", label=_plain(line.name or found.measure))
    axes.set_ylabel(_plain(found.measure))
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.tick_params(axis="x", rotation=30)
    if len(found.lines) > 1:
        axes.legend()


def _draw_bars(axes: Axes, found: Chart) -> None:
    drawn = found.bars[:MAX_BARS]
    bars = axes.barh(range(len(drawn)), [value for _, value, _ in drawn])
    axes.bar_label(bars, labels=[text for _, _, text in drawn], padding=3)
    axes.set_yticks(range(len(drawn)), [_plain(_short(label)) for label, _, _ in drawn])
    axes.invert_yaxis()
    axes.set_xlabel(_plain(found.measure))
    axes.margins(x=0.15)


def _title(found: Chart) -> str:
    left = len(found.bars) - MAX_BARS if not found.lines else 0
    told = [f"{counted(left)} not drawn"] if left > 0 else []
    told += [found.left_out] if found.left_out else []
    return f"{found.measure} by {found.over}" + (f" ({'; '.join(told)})" if told else "")


def _short(label: str) -> str:
    return label if len(label) <= 40 else f"{label[:39]}…"


def _plain(text: str) -> str:
    """The text as it is: matplotlib reads what stands between dollar signs as a formula."""
    return text.replace("$", r"\$")
