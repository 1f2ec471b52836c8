"""A run as text for the terminal, as JSON, and as one HTML page with the failing cases."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from router.evaluation.chunking_figures import ChunkingFigures
from router.evaluation.differences import Change, Comparison
from router.evaluation.judge import Outcome, Verdict
from router.evaluation.run import Run
from router.evaluation.summary import CUTS, Figures, Summary, summarise
from router.json_values import Json, to_json

_SHARES = {"accuracy", "precision", "coverage", "routing", "execution", "declined_right", "mrr"}
_SHOWN = 20
"""Failing cases that the terminal lists."""
_TEXT_WIDTH = 100


def run_json(run: Run) -> dict[str, Json]:
    """The whole run as one object: head, figures, segments, confusion, curve, outcomes."""
    summary = summarise(run.outcomes)
    return {
        "run": to_json(dict(run.head)),
        "figures": to_json(summary.all.named()),
        "segments": to_json({name: f.named() for name, f in summary.segments.items()}),
        "confusion": to_json(summary.confusion),
        "curve": to_json(summary.curve),
        "outcomes": to_json(run.outcomes),
    }


def run_text(run: Run) -> str:
    """Every figure, segments, precision over coverage, the confusion table, failing cases."""
    summary = summarise(run.outcomes)
    parts = [
        aligned(("figure", "all"), [(n, _number(n, v)) for n, v in summary.all.named().items()]),
        _segments_text(summary),
        _curve_text(summary),
        _confusion_text(summary),
        _failing_text(run.outcomes),
    ]
    return "\n\n".join(part for part in parts if part)


def comparison_text(comparison: Comparison) -> str:
    """Figures before and after, then each case that got better or worse."""
    moved = [
        (name, _number(name, before), _number(name, after))
        for name, (before, after) in comparison.figures.items()
        if before is not None or after is not None
    ]
    parts = [aligned(("figure", "before", "after"), moved)]
    for title, changes in (("worse", comparison.worse), ("better", comparison.better)):
        parts.append(f"{title}: {len(changes)}")
        parts += [f"  {_change(change)}" for change in changes]
    missing = (("second", comparison.only_before), ("first", comparison.only_after))
    parts += [f"not in the {which} run: {', '.join(ids)}" for which, ids in missing if ids]
    return "\n".join(parts)


def comparison_json(comparison: Comparison) -> dict[str, Json]:
    """The comparison as one object."""
    return {
        "figures": to_json(comparison.figures),
        "better": [to_json(change) for change in comparison.better],
        "worse": [to_json(change) for change in comparison.worse],
        "only_before": to_json(comparison.only_before),
        "only_after": to_json(comparison.only_after),
    }


def chunkings_text(found: Sequence[ChunkingFigures]) -> str:
    """Chunkings side by side."""
    heads = ("chunking", "chunks", *_CHUNKING_SHARES, "context")
    rows = [
        (
            one.name,
            str(one.chunks),
            *(f"{getattr(one, name):.3f}" for name in _CHUNKING_SHARES),
            f"{one.context:.0f}",
        )
        for one in found
    ]
    return aligned(heads, rows)


_CHUNKING_SHARES = ("strict_at_1", "strict_at_3", "pair_at_1", "pair_at_3")


def chunkings_json(found: Sequence[ChunkingFigures]) -> list[Json]:
    """Chunkings as objects."""
    return [to_json(one) for one in found]


def aligned(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A plain table: the first column to the left, the rest to the right."""
    table = [tuple(heads), *(tuple(row) for row in rows)]
    widths = [max(len(row[index]) for row in table) for index in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if not index else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    )


_FIGURE_HEADS = (
    "segment",
    "cases",
    "right",
    "partial",
    "wrong",
    "declined",
    "failed",
    "accuracy",
    "precision",
    "coverage",
    "routing",
    *(f"strict@{k}" for k in CUTS),
    "MRR",
    "p50 ms",
    "p95 ms",
)


_TIMES = 2
"""Columns of times, the last ones; on the terminal they stand among all figures alone."""


def _figure_cells(figures: Figures) -> tuple[str, ...]:
    counts = (
        figures.cases,
        figures.right,
        figures.partial,
        figures.wrong,
        figures.declined,
        figures.failed,
    )
    shares = (figures.accuracy, figures.precision, figures.coverage, figures.routing)
    return (
        *map(str, counts),
        *(_share(value) for value in (*shares, *figures.strict, figures.mrr)),
        *(_milliseconds(value) for value in (figures.p50_ms, figures.p95_ms)),
    )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _number(name: str, value: float | int | None) -> str:
    if value is None:
        return "-"
    if name.endswith("_ms"):
        return f"{value:.0f}"
    return f"{value:.3f}" if name in _SHARES or "@" in name else f"{value:g}"


def _segments_text(summary: Summary) -> str:
    if not summary.segments:
        return ""
    rows = [(name, *_figure_cells(f)[:-_TIMES]) for name, f in summary.segments.items()]
    return aligned(_FIGURE_HEADS[:-_TIMES], rows)


def _curve_text(summary: Summary) -> str:
    if len(summary.curve) < 2:
        return ""
    points = [(f"{coverage:.3f}", f"{precision:.3f}") for coverage, precision in summary.curve]
    return aligned(("as lesser confidences are let in: coverage", "precision"), points)


def _confusion_text(summary: Summary) -> str:
    if not summary.confusion:
        return ""
    taken = sorted({route for row in summary.confusion.values() for route in row})
    rows = [
        (gold, *(str(row.get(route, 0)) for route in taken))
        for gold, row in sorted(summary.confusion.items())
    ]
    return aligned(("gold route, then taken:", *taken), rows)


def _failing(outcomes: Iterable[Outcome]) -> list[Outcome]:
    order = {Verdict.WRONG: 0, Verdict.FAILED: 1, Verdict.PARTIAL: 2, Verdict.DECLINED: 3}
    failing = [o for o in outcomes if o.verdict in order]
    return sorted(failing, key=lambda outcome: order[outcome.verdict])


def _failing_text(outcomes: Iterable[Outcome]) -> str:
    failing = _failing(outcomes)
    lines = [f"{o.verdict.value}: {o.id} {o.question}\n    {_beside(o)}" for o in failing[:_SHOWN]]
    if len(failing) > _SHOWN:
        lines.append(f"and {len(failing) - _SHOWN} more; --html and --json hold them all")
    return "\n".join(lines)


def _beside(outcome: Outcome) -> str:
    if outcome.verdict is not Verdict.WRONG:
        return _cut(outcome.why)
    return f"gold {_cut(_told(outcome.gold))}; given {_cut(_told(outcome.given))}"


def _change(change: Change) -> str:
    verdicts = f"{change.before.verdict.value} -> {change.after.verdict.value}"
    return f"{verdicts}: {change.after.id} {change.after.question}"


def _told(side: Mapping[str, Any]) -> str:
    for name in ("cell", "value", "rows", "contains", "text"):
        if name in side:
            return json.dumps(side[name], ensure_ascii=False)
    return json.dumps(side, ensure_ascii=False)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_WIDTH else f"{line[: _TEXT_WIDTH - 1]}…"


_STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #d9dee4 }
th:first-child, td:first-child, .case td, .case th { text-align: left; vertical-align: top }
.case td, .case th { width: 50% }
pre { white-space: pre-wrap; margin: 0 }
.wrong { color: #a40e26 } .declined { color: #8a5a00 } .failed { color: #5b2a86 }
"""


def run_html(run: Run) -> str:
    """One page that needs nothing else: figures, confusion, and each failing case side by side."""
    summary = summarise(run.outcomes)
    every = [(n, _number(n, v)) for n, v in summary.all.named().items()]
    figures = [("all", summary.all), *summary.segments.items()]
    failing = _failing(run.outcomes)
    settings = run.head.get("settings", {})
    told = {k: v for k, v in (run.head | settings).items() if k != "settings" and v is not None}
    head = ", ".join(escape(f"{name} {value}") for name, value in told.items())
    return "\n".join(
        [
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            f"<title>Evaluation</title><style>{_STYLE}</style></head><body>",
            f"<h1>Evaluation</h1><p>{head}</p>",
            _html_table(_FIGURE_HEADS, [(name, *_figure_cells(f)) for name, f in figures]),
            f"<details><summary>every figure</summary>{_html_table(('figure', 'all'), every)}",
            f"</details><pre>{escape(_curve_text(summary))}</pre>",
            f"<pre>{escape(_confusion_text(summary))}</pre>",
            f"<h2>{len(failing)} case{'s' * (len(failing) != 1)} to look at</h2>",
            *(_html_case(outcome) for outcome in failing),
            "</body></html>",
        ]
    )


def _html_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    return f"<table>{line(heads, 'th')}{''.join(line(row, 'td') for row in rows)}</table>"


def _html_case(outcome: Outcome) -> str:
    verdict = outcome.verdict.value
    hits = "".join(f"<li>{escape(hit)}</li>" for hit in outcome.hits)
    return (
        f'<h3><span class="{verdict}">{verdict}</span> {escape(outcome.id)}: '
        f"{escape(outcome.question)}</h3><p>{escape(outcome.why)}"
        f" (route {escape(outcome.route or '-')}, confidence {outcome.confidence:.2f})</p>"
        '<table class="case"><tr><th>gold</th><th>given</th></tr>'
        f"<tr><td>{_html_side(outcome.gold)}</td><td>{_html_side(outcome.given)}</td></tr></table>"
        + (f"<p>best rows</p><ol>{hits}</ol>" if hits else "")
    )


def _html_side(side: Mapping[str, Any]) -> str:
    shown = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in side.items()
    }
    return "".join(
        f"<div><b>{escape(name)}</b> <pre>{escape(value)}</pre></div>"
        for name, value in shown.items()
    )
