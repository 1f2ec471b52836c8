"""Gold results of the twenty everyday kinds over four tables, with plain pandas.

A kind is named `table.kind`. Used by `benchmarks.gold`; imports nothing of the product.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.gold import between, by_month, column, keys, rows, strict_top, value

FOLDER = Path(__file__).parent.parent / "tests" / "data" / "everyday"

Gold = dict[str, Any]


def read(name: str, delimiter: str = ",") -> tuple[pd.DataFrame, pd.DataFrame]:
    """A table twice: to be typed by hand, and every cell as published."""
    published = pd.read_csv(FOLDER / f"{name}.csv", dtype=str, sep=delimiter)
    return published.copy(), published


def record(frame: pd.DataFrame, published: pd.DataFrame, key: str) -> Gold:
    """One row: as typed, or as published."""
    position = published.index[published.iloc[:, 0] == key][0]
    typed = [plain(item) for item in frame.loc[position].tolist()]
    return {"rows": [typed], "accepted": [[published.loc[position].tolist()]]}


def plain(item: Any) -> Any:
    """A value as JSON has it; a moment without seconds, a day without hours."""
    if isinstance(item, pd.Timestamp):
        return f"{item:%Y-%m-%d}" if item == item.normalize() else f"{item:%Y-%m-%d %H:%M}"
    return item.item() if hasattr(item, "item") else item


def orders() -> dict[str, Gold]:
    """The garden wholesaler."""
    o, published = read("orders")
    o["Order Number"] = o["Order Number"].astype(int)
    o["Placed On"] = pd.to_datetime(o["Placed On"], format="%d %b %Y")
    o["Qty"] = o["Qty"].astype(int)
    o["Order Total"] = o["Order Total"].str.replace("[$,]", "", regex=True).astype(float)
    total, placed = o["Order Total"], o["Placed On"]
    per_customer = o.Customer.value_counts()
    return {
        "count": value(len(o)),
        "count_filtered": value((o.Status == "pending").sum()),
        "sum": value(total.sum()),
        "average": value(total.mean()),
        "maximum": value(total.max()),
        "sum_by_group": rows(total.groupby(o.Region).sum().round(4)),
        "count_by_group": rows(o.Status.value_counts()),
        "average_by_group": rows(total.groupby(o.Product).mean().round(6)),
        "top_three": strict_top(total.groupby(o.Customer).sum(), 3) | {"ordered": True},
        "top_one": strict_top(total.groupby(o.Product).sum(), 1),
        "list_over": column(o[total > 6500]["Order Number"]),
        "sum_filtered": value(total[o.Status == "shipped"].sum()),
        "in_month": value(between(placed, "2025-05-01", "2025-05-31").sum()),
        "between_dates": value(between(placed, "2025-03-10", "2025-03-24").sum()),
        "details": record(o, published, "70142"),
        "one_field": {"rows": [[published.set_index("Order Number").at["70087", "Customer"]]]},
        "distinct": column(o.Status.drop_duplicates()),
        "count_distinct": value(o.Customer.nunique()),
        "by_month": by_month(placed),
        "having": keys(per_customer[per_customer > 35]),
    }


def staff() -> dict[str, Gold]:
    """The company's people."""
    s, published = read("staff")
    s["Hired on"] = pd.to_datetime(s["Hired on"])
    s["Salary"] = s["Salary"].astype(int)
    salary, hired = s.Salary, s["Hired on"]
    per_department = s.Department.value_counts()
    return {
        "count": value(len(s)),
        "count_filtered": value((s.Status == "on leave").sum()),
        "sum": value(salary.sum()),
        "average": value(salary.mean()),
        "maximum": value(salary.max()),
        "sum_by_group": rows(salary.groupby(s.Department).sum()),
        "count_by_group": rows(s.Status.value_counts()),
        "average_by_group": rows(salary.groupby(s["Job title"]).mean().round(6)),
        "top_three": strict_top(salary.groupby(s.Office).sum(), 3) | {"ordered": True},
        "top_one": strict_top(salary.groupby(s.Department).sum(), 1),
        "list_over": column(s[salary > 95000].Name),
        "sum_filtered": value(salary[s.Status == "on leave"].sum()),
        "in_month": value(between(hired, "2021-06-01", "2021-06-30").sum()),
        "between_dates": value(between(hired, "2019-04-01", "2019-09-30").sum()),
        "details": record(s, published, "E-1063"),
        "one_field": {"rows": [[published.set_index("Employee ID").at["E-1117", "Office"]]]},
        "distinct": column(s.Office.drop_duplicates()),
        "count_distinct": value(s["Job title"].nunique()),
        "by_month": by_month(hired[hired.dt.year == 2023]),
        "having": keys(per_department[per_department > 30]),
    }


def sensors() -> dict[str, Gold]:
    """The weather stations."""
    r, published = read("sensors")
    r["Reading"] = r["Reading"].astype(int)
    r["Taken at"] = pd.to_datetime(r["Taken at"])
    r["Temperature (°C)"] = r["Temperature (°C)"].astype(float)
    r["Rain (mm)"] = r["Rain (mm)"].astype(float)
    rain, warmth, taken = r["Rain (mm)"], r["Temperature (°C)"], r["Taken at"]
    per_station = r.Station.value_counts()
    return {
        "count": value(len(r)),
        "count_filtered": value((r.Status == "warning").sum()),
        "sum": value(rain.sum().round(4)),
        "average": value(warmth.mean()),
        "maximum": value(warmth.max()),
        "sum_by_group": rows(rain.groupby(r.Site).sum().round(4)),
        "count_by_group": rows(r.Status.value_counts()),
        "average_by_group": rows(warmth.groupby(r.Station).mean().round(6)),
        "top_three": strict_top(rain.groupby(r.Station).sum().round(4), 3) | {"ordered": True},
        "top_one": strict_top(rain.groupby(r.Site).sum().round(4), 1),
        "list_over": column(r[warmth > 22].Reading),
        "sum_filtered": value(rain[r.Status == "ok"].sum().round(4)),
        "in_month": value(between(taken, "2025-04-01", "2025-04-30").sum()),
        "between_dates": value(between(taken, "2025-03-03", "2025-03-16").sum()),
        "details": record(r, published, "8954"),
        "one_field": {"rows": [[published.set_index("Reading").at["9071", "Station"]]]},
        "distinct": column(r.Site.drop_duplicates()),
        "count_distinct": value(r.Station.nunique()),
        "by_month": by_month(taken),
        "having": keys(per_station[per_station > 30]),
    }


def invoices() -> dict[str, Gold]:
    """The ledger."""
    i, published = read("invoices", ";")
    for name in ("Issued", "Due"):
        i[name] = pd.to_datetime(i[name], format="%d.%m.%Y")
    amount = i["Net amount (EUR)"].str.replace(".", "").str.replace(",", ".").astype(float)
    i["Net amount (EUR)"] = amount
    issued, by_number = i.Issued, published.set_index("Invoice No")
    per_supplier = i.Supplier.value_counts()
    return {
        "count": value(len(i)),
        "count_filtered": value((i.Status == "disputed").sum()),
        "sum": value(amount.sum().round(4)),
        "average": value(amount.mean()),
        "maximum": value(amount.max()),
        "sum_by_group": rows(amount.groupby(i["Cost centre"]).sum().round(4)),
        "count_by_group": rows(i.Status.value_counts()),
        "average_by_group": rows(amount.groupby(i.Supplier).mean().round(6)),
        "top_three": strict_top(amount.groupby(i.Supplier).sum(), 3) | {"ordered": True},
        "top_one": strict_top(amount.groupby(i["Cost centre"]).sum(), 1),
        "list_over": column(i[amount > 14000]["Invoice No"]),
        "sum_filtered": value(amount[i.Status == "open"].sum().round(4)),
        "in_month": value(between(issued, "2025-06-01", "2025-06-30").sum()),
        "between_dates": value(between(issued, "2025-02-03", "2025-02-21").sum()),
        "details": record(i, published, "INV-2025-0077"),
        "one_field": {"rows": [[by_number.at["INV-2025-0158", "Supplier"]]]},
        "distinct": column(i.Supplier.drop_duplicates()),
        "count_distinct": value(i.Supplier.nunique()),
        "by_month": by_month(issued),
        "having": keys(per_supplier[per_supplier > 35]),
    }


def gold() -> dict[str, Gold]:
    """Gold by `table.kind`."""
    tables: tuple[Callable[[], dict[str, Gold]], ...] = (orders, staff, sensors, invoices)
    return {
        f"{table.__name__}.{kind}": answer for table in tables for kind, answer in table().items()
    }
