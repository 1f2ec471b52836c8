"""A closing row is known by its label, in each language and with marks around it."""

import pytest

from retrieval.reading import read_source

TOTALS = """
Total|Grand total|Sub-total|Sum|Overall|All|Insgesamt|Zwischensumme|Endsumme|Summe|Gesamtbetrag
Totaux|Totale|Celkem|Итого|Всего|合计|总计|小計|- Total -|Total*|TOTAL:|Total [1]
"""
MEANS = "Average|Overall average|Avg|Mean|Medians|Durchschnitt"
BALANCES = """
Balance|Closing balance|Opening balance 1 May|Brought forward|Carried forward|Kontostand
Neuer Saldo|Endbestand|Übertrag|Nouveau solde|Saldo final|Saldovortrag|Ancien solde
"""


def each(names):
    return names.strip().replace("\n", "|").split("|")


def totals_of(label, amount):
    rows = [["Day", "Payee", "Paid"], ["3 May 2024", "Ann", "40"], ["4 May 2024", "Bo", "20"]]
    (result,) = read_source([*rows, ["5 May 2024", "Cy", "45"], ["", label, amount]])
    return result.document.tables[0].totals


@pytest.mark.parametrize("label", each(TOTALS))
def test_a_row_that_is_called_a_total_is_one(label):
    assert totals_of(label, "105") == {3}


@pytest.mark.parametrize("label", each(MEANS))
def test_a_row_that_is_called_a_mean_is_no_record(label):
    assert totals_of(label, "35") == {3}


@pytest.mark.parametrize("label", each(BALANCES))
def test_a_row_that_is_called_a_balance_is_no_record(label):
    assert totals_of(label, "977") == {3}


@pytest.mark.parametrize("label", ["Totem", "Allan", "Sumo", "Balancing bike", "Average Joe"])
def test_a_row_that_is_called_something_else_is_a_record(label):
    assert totals_of(label, "977") == set()
