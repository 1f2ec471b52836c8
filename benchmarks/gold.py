"""Gold results of the sample and everyday questions, computed with plain pandas.

    python -m benchmarks.gold            # compare the files with what pandas says
    python -m benchmarks.gold --write    # fill the gold into the question files

Independent of the product on purpose: nothing here imports it. Gold of the small tables (pages,
workbook) is read off by hand and stands in the question files alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "sample_tables"

Frame = pd.DataFrame
Gold = dict[str, Any]


def rows(frame: Frame | pd.Series) -> Gold:
    """A frame as gold rows; of a series, the index comes first."""
    table = frame.reset_index() if isinstance(frame, pd.Series) else frame
    return {"rows": json.loads(table.to_json(orient="values", date_format="iso"))}


def keys(series: pd.Series) -> Gold:
    """The index of a series alone: what a ranking question asks for."""
    return {"rows": [[str(key)] for key in series.index]}


def value(number: float | int | str) -> Gold:
    """One cell."""
    if isinstance(number, str):
        return {"rows": [[number]]}
    return {"rows": [[round(float(number), 6) if number % 1 else int(number)]]}


def column(values: pd.Series) -> Gold:
    """One column of several rows."""
    return {"rows": [[item] for item in values.tolist()]}


def percentage(part: int, whole: int) -> Gold:
    """A share, admissible as a percentage and as a fraction."""
    share = part / whole
    return {"rows": [[round(100 * share, 6)]], "accepted": [[[round(share, 6)]]]}


def by_month(dates: pd.Series) -> Gold:
    """Rows counted a month, admissible with every usual way to name the month."""
    counts = dates.dt.strftime("%Y-%m").value_counts().sort_index()
    pairs = [(str(month), int(count)) for month, count in counts.items()]
    forms: list[Callable[[str], Any]] = [
        lambda month: f"{month}-01",
        lambda month: int(month[5:]),
        lambda month: pd.Timestamp(f"{month}-01").strftime("%B"),
    ]
    if dates.dt.year.nunique() > 1:
        forms = forms[:1]
    return {
        "rows": [[month, count] for month, count in pairs],
        "accepted": [[[form(month), count] for month, count in pairs] for form in forms],
    }


def strict_top(series: pd.Series, count: int, *, lowest: bool = False) -> Gold:
    """The first `count` of a ranking; the cut must not fall on a tie."""
    ranked = series.sort_values(ascending=lowest)
    assert ranked.iloc[count - 1] != ranked.iloc[count], "a tie at the cut has no single answer"
    return keys(ranked.head(count))


def between(dates: pd.Series, first: str, last: str) -> pd.Series:
    """Rows from the first to the last day, both included."""
    return dates.between(pd.Timestamp(first), pd.Timestamp(f"{last} 23:59:59.999999"))


def sample_gold() -> dict[str, Gold]:
    """Gold of the questions over `sample_tables/orders.csv`, by question id."""
    o = pd.read_csv(SAMPLE / "orders.csv", parse_dates=["order_date"])
    published = pd.read_csv(SAMPLE / "orders.csv", dtype=str).set_index("order_id", drop=False)
    amount_by = {
        key: o.groupby(key).amount.sum() for key in ("region", "customer", "product", "category")
    }
    count_by_customer = o.customer.value_counts()
    west = o[o.region == "West"].city.value_counts()
    north_less_east = amount_by["region"]["North"] - amount_by["region"]["East"]
    delivered_upi = (o.status == "delivered") & (o.payment_method == "UPI")
    south_2024 = (o.region == "South") & (o.order_date.dt.year == 2024)
    quantity_by_product = o.groupby("product").quantity.sum()
    income = pd.read_excel(
        SAMPLE / "department_income.xlsx", header=None, skiprows=4, nrows=7, engine="openpyxl"
    )
    return {
        "row-24": {"cell": published.at["LB-100217", "status"]},
        "row-25": {"cell": published.at["LB-101544", "customer"]},
        "row-26": {"cell": published.at["LB-102803", "city"]},
        "row-27": {"rows": [published.loc["LB-100950"].tolist()]},
        "sql-01": value(len(o)),
        "sql-02": value((o.status == "cancelled").sum()),
        "sql-03": value(o.amount.sum()),
        "sql-04": value(o.amount.mean()),
        "sql-05": value(o.amount.max()),
        "sql-06": rows(amount_by["region"]),
        "sql-07": rows(o.status.value_counts()),
        "sql-08": rows(o.groupby("category").quantity.mean().round(6)),
        "sql-09": strict_top(amount_by["customer"], 5),
        "sql-10": strict_top(amount_by["product"], 1),
        "sql-11": column(o[o.amount > 12000].order_id),
        "sql-12": value(o[o.status == "returned"].amount.sum()),
        "sql-13": value(between(o.order_date, "2025-03-01", "2025-03-31").sum()),
        "sql-14": value(between(o.order_date, "2024-05-01", "2024-05-15").sum()),
        "sql-15": column(o.payment_method.drop_duplicates()),
        "sql-16": value(o.customer.nunique()),
        "sql-17": by_month(o[o.order_date.dt.year == 2025].order_date),
        "sql-18": keys(count_by_customer[count_by_customer > 60]),
        "sql-19": value(o[south_2024].amount.sum()),
        "sql-20": value(o[delivered_upi].amount.mean()),
        "sql-21": strict_top(o.region.value_counts(), 1, lowest=True),
        "sql-22": percentage((o.status == "returned").sum(), len(o)),
        "sql-23": value(north_less_east),
        "sql-24": value((o.quantity >= 5).sum()),
        "sql-25": strict_top(west, 1),
        "sql-26": value(o.unit_price.min()),
        "sql-27": value((o.status != "delivered").sum()),
        "sql-28": keys(amount_by["category"][amount_by["category"] > 700_000]),
        "sql-29": value(str(o.order_date.min().date())),
        "sql-30": value(((o.payment_method == "card") & (o.status == "returned")).sum()),
        "sql-31": value(o[o["product"] == "Fountain Pen"].quantity.sum()),
        "sql-32": strict_top(quantity_by_product, 3, lowest=True),
        "sql-33": value(count_by_customer["Hema Sethi"]),
        "sql-34": value(o[o.category.isin(["Comics", "Stationery"])].amount.sum()),
        "sql-46": value(income[2].mean()),
    }


def everyday_gold() -> dict[str, Gold]:
    """Gold of the everyday questions by `table-kind`."""
    from benchmarks.gold_everyday import gold

    return gold()


def load(path: Path) -> list[Gold]:
    """The questions of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def question_files() -> list[tuple[Path, str, dict[str, Gold]]]:
    """Each question file, the field that names its gold, and the gold."""
    everyday = ROOT / "tests" / "data" / "everyday" / "questions.jsonl"
    files = [(SAMPLE / "questions.jsonl", "id", sample_gold())]
    if everyday.exists():
        files.append((everyday, "kind", everyday_gold()))
    return files


def differences() -> list[str]:
    """Every question whose stored gold is not what pandas says."""
    return [
        f"{question['id']}: {name} is {question.get(name)!r}, pandas says {wanted!r}"
        for path, field, gold in question_files()
        for question in load(path)
        for name, wanted in gold.get(question[field], {}).items()
        if question.get(name) != wanted
    ]


def write() -> None:
    """Fill the gold into the question files."""
    for path, field, gold in question_files():
        questions = [question | gold.get(question[field], {}) for question in load(path)]
        lines = (json.dumps(question, ensure_ascii=False) for question in questions)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help="fill the gold into the files")
    if parser.parse_args().write:
        write()
    sys.exit("\n".join(differences()) or None)
