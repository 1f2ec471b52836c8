"""Any value that a query can give leaves as strict JSON."""

import datetime as dt
import json
import uuid
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from router.json_values import to_json

VALUES = [
    (Decimal("1.10"), "1.10"),
    (Decimal("1E+2"), "100"),
    (Decimal("NaN"), None),
    (float("nan"), None),
    (float("-inf"), None),
    (2**53, 2**53),
    (2**53 + 1, "9007199254740993"),
    (-(2**63), "-9223372036854775808"),
    (dt.date(2024, 3, 5), "2024-03-05"),
    (dt.datetime(2024, 3, 5, 10), "2024-03-05 10:00:00"),
    (dt.time(1, 2, 3), "01:02:03"),
    (dt.timedelta(days=3), "3 days, 0:00:00"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (b"ab", "6162"),
    ([1, [Decimal("2.5")]], [1, ["2.5"]]),
    ({"a": dt.date(2024, 1, 1), 3: None}, {"a": "2024-01-01", "3": None}),
    (True, True),
]


@pytest.mark.parametrize(("value", "expected"), VALUES, ids=lambda v: repr(v)[:30])
def test_each_type_has_one_strict_json_form(value, expected):
    assert to_json(value) == expected
    json.dumps(to_json(value), allow_nan=False)


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.decimals(), st.binary(),
    st.dates(), st.datetimes(), st.times(), st.timedeltas(), st.uuids(),
)  # fmt: skip
NESTED = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(NESTED)
def test_nothing_that_python_can_hold_breaks_strict_json(value):
    json.dumps(to_json(value), allow_nan=False)
