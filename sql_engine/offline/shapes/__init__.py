"""The forms that an answer may take: each takes a `Scope` and makes trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sql_engine.offline.scope import Made, Scope
from sql_engine.offline.shapes.cells import neighbours, projections, sortings
from sql_engine.offline.shapes.each import tops_of_each
from sql_engine.offline.shapes.extremes import ends, top_groups, top_rows
from sql_engine.offline.shapes.groups import groups, having, shares_of_groups
from sql_engine.offline.shapes.nested import (
    column_differences,
    column_sums,
    in_common,
    means_per_group,
    tallies,
    top_measures,
)
from sql_engine.offline.shapes.numbers import (
    against_average,
    aggregates,
    counts,
    existence,
    several_aggregates,
    several_columns,
)
from sql_engine.offline.shapes.pairs import between_columns, comparisons, differences, ranges
from sql_engine.offline.shapes.rates import rates
from sql_engine.offline.shapes.shares import shares
from sql_engine.offline.shapes.truths import changes_held, ends_held, truths

Shape = Callable[[Scope], Iterator[Made]]

SHAPES: tuple[Shape, ...] = (
    projections,
    neighbours,
    sortings,
    counts,
    aggregates,
    several_aggregates,
    several_columns,
    against_average,
    shares,
    existence,
    groups,
    having,
    shares_of_groups,
    top_rows,
    tops_of_each,
    top_groups,
    ends,
    differences,
    comparisons,
    ranges,
    between_columns,
    tallies,
    top_measures,
    means_per_group,
    column_differences,
    column_sums,
    truths,
    ends_held,
    changes_held,
    in_common,
    rates,
)

NARROWED: tuple[Shape, ...] = (
    counts,
    aggregates,
    top_rows,
    top_groups,
    neighbours,
    between_columns,
)
"""What may be asked of rows that are themselves at an end: "the largest city of the largest state".
"""

__all__ = ["NARROWED", "SHAPES", "Shape"]
