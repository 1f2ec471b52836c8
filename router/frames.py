"""Rows as a pandas frame that computes and plots: numbers, dates and truths are columns of those.

Takes column names and rows of Python values; gives a frame. A column that mixes kinds, and text,
stay as they are.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_INT64 = range(-(2**63), 2**63)


def frame(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """The rows as a frame; decimals become floats, as pandas computes with them."""
    import pandas as pd

    made = pd.DataFrame({i: _series([row[i] for row in rows]) for i in range(len(columns))})
    made.columns = pd.Index(list(columns), dtype=object)
    return made


def _series(values: list[Any]) -> pd.Series[Any]:
    import pandas as pd

    present = [value for value in values if value is not None]
    kinds = {type(value) for value in present}
    missing = len(present) < len(values)
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean" if missing else "bool")
    if kinds == {int} and all(value in _INT64 for value in present):
        return pd.Series(values, dtype="Int64" if missing else "int64")
    if kinds and kinds <= {int, float, Decimal} and kinds != {int}:
        return pd.Series([None if v is None else float(v) for v in values], dtype="float64")
    if kinds in ({dt.date}, {dt.datetime}):
        return pd.Series(pd.to_datetime(pd.Series(values, dtype=object)))
    return pd.Series(values, dtype=object)
