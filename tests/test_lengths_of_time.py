"""Lengths of time are numbers with their unit; times of day stay times, and doubt stays text."""

import pytest

from retrieval.cells import decide

LENGTHS = [
    ("Duration (min)", ["4:35", "12:05"], "seconds", ["275", "725"]),
    ("Pace", ["5:10", "4:59"], "seconds", ["310", "299"]),
    ("Runtime (mm:ss)", ["61:10", "59:00"], "seconds", ["3670", "3540"]),
    ("Lap", ["1:23.456", "1:22.900"], "seconds", ["83.456", "82.9"]),
    ("Result", ["59:48", "1:02:10"], "seconds", ["3588", "3730"]),
    ("Time taken", ["0:00:45", "1:00:10"], "seconds", ["45", "3610"]),
    ("Time taken", ["1h 20m", "45 min"], "minutes", ["80", "45"]),
    ("Hours worked", ["7:30", "38:30"], "minutes", ["450", "2310"]),
    ("Überstunden", ["2:30", "-1:15"], "minutes", ["150", "-75"]),
    ("Fahrzeit", ["0:45", "-"], "minutes", ["45", None]),
    ("Reisedauer (h:mm)", ["2:00", "11:00"], "hours", ["2", "11"]),
    ("Stay", ["26:30:00", "08:15:00"], "minutes", ["1590", "495"]),
]


@pytest.mark.parametrize(("header", "cells", "unit", "values"), LENGTHS)
def test_lengths_of_time_are_numbers(header, cells, unit, values):
    kind, canonical = decide(cells, [1] * len(cells), header=header)
    assert (kind.unit, list(canonical)) == (unit, values)
    assert kind.warnings == ()


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("Departs", ["9:15", "22:40"]),
        ("Departure (hh:mm)", ["9:15", "22:40"]),
        ("Opening hours", ["9:15", "8:00"]),
        ("Abfahrt (h)", ["9:15", "8:00"]),
        ("Time", ["09:15", "09:15:30"]),
        ("Start", ["09:15:00", "10:15:30"]),
    ],
)
def test_times_of_day_are_times(header, cells):
    assert decide(cells, [1, 1], header=header)[0].kind == "time"


@pytest.mark.parametrize(
    ("header", "cells"), [("Length", ["4:35", "3:10"]), ("x", ["61:10", "4:35"])]
)
def test_two_parts_of_which_nothing_tells_the_unit_stay_text(header, cells):
    kind, canonical = decide(cells, [1, 1], header=header)
    assert (kind.kind, canonical) == ("text", None)
    assert "hours and minutes or minutes and seconds" in kind.warnings[0]
