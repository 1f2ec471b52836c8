"""Write the made parts of `sample_tables/`: the orders (CSV) and the department income (Excel).

    python -m benchmarks.make_sample_tables

Lantern Books and its customers are invented. The seed makes the files the same on every run.
"""

from __future__ import annotations

import csv
import datetime as dt
import random
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "sample_tables"
SEED = 20250705
ORDERS = 3200
FIRST_DAY = dt.date(2024, 1, 1)
LAST_DAY = dt.date(2025, 6, 30)

CITIES = {
    "Delhi": "North",
    "Jaipur": "North",
    "Lucknow": "North",
    "Mumbai": "West",
    "Pune": "West",
    "Ahmedabad": "West",
    "Bengaluru": "South",
    "Chennai": "South",
    "Kochi": "South",
    "Kolkata": "East",
    "Patna": "East",
    "Guwahati": "East",
}
CITY_WEIGHTS = (9, 4, 3, 8, 5, 3, 10, 6, 4, 6, 2, 2)

PRODUCTS = {
    "The Salt Road": ("Fiction", "349.00"),
    "Nine Monsoons": ("Fiction", "425.00"),
    "A House of Tamarind": ("Fiction", "299.00"),
    "The Clockmaker's Daughter-in-Law": ("Fiction", "510.00"),
    "Letters to a Lighthouse": ("Fiction", "275.50"),
    "Atlas of Small Rivers": ("Non-fiction", "1295.00"),
    "The Tea Ledger": ("Non-fiction", "640.00"),
    "How Bridges Breathe": ("Non-fiction", "780.00"),
    "A Short History of Ink": ("Non-fiction", "455.00"),
    "Kitchen Without Borders": ("Non-fiction", "899.00"),
    "Moti the Mongoose": ("Children", "225.00"),
    "The Upside-Down Kite": ("Children", "260.00"),
    "Counting Crows and Crayons": ("Children", "199.00"),
    "Grandmother's Rocket": ("Children", "315.00"),
    "Monsoon Detectives": ("Comics", "380.00"),
    "The Last Tram": ("Comics", "545.00"),
    "Captain Saffron": ("Comics", "330.00"),
    "Dotted Notebook": ("Stationery", "180.00"),
    "Brass Bookmark": ("Stationery", "145.00"),
    "Fountain Pen": ("Stationery", "1150.00"),
    "Linen Pencil Roll": ("Stationery", "590.00"),
    "River Crossing": ("Board games", "1499.00"),
    "Spice Traders": ("Board games", "1850.00"),
    "Word Bazaar": ("Board games", "975.00"),
}
STATUSES = {"delivered": 78, "shipped": 7, "returned": 9, "cancelled": 6}
PAYMENTS = {"UPI": 50, "card": 32, "cash on delivery": 18}

FIRST_NAMES = """
    Aarav Aditi Amir Ananya Arjun Bela Charu Deepa Dev Esha Farah Gautam Hema Imran Isha Jaya
    Kabir Kavya Lata Leela Manav Meera Mohan Naina Neel Omar Parul Pooja Rahul Ravi Rohan Sana
    Sara Tara Uma Varun Vikram Yash Zara Zubin
"""
LAST_NAMES = """
    Acharya Bakshi Chandra Dalal Fernandes Ghosh Haldar Iyer Joshi Kapoor Lobo Menon Nair Oberoi
    Pillai Qureshi Rao Sethi Thomas Verma
"""


def customers(rng: random.Random, count: int) -> list[tuple[str, str]]:
    """Customer names, each once, with the city where the customer lives."""
    names = [f"{first} {last}" for first in FIRST_NAMES.split() for last in LAST_NAMES.split()]
    cities = rng.choices(list(CITIES), CITY_WEIGHTS, k=count)
    return list(zip(rng.sample(names, count), cities, strict=True))


def orders() -> list[list[str]]:
    """Every order, oldest first."""
    rng = random.Random(SEED)
    people = customers(rng, 180)
    weights = [1 / (rank + 12) for rank in range(len(people))]
    days = (LAST_DAY - FIRST_DAY).days
    dates = sorted(FIRST_DAY + dt.timedelta(rng.randint(0, days)) for _ in range(ORDERS))
    rows = []
    for position, day in enumerate(dates):
        customer, city = rng.choices(people, weights)[0]
        product, (category, price) = rng.choice(list(PRODUCTS.items()))
        quantity = rng.choices(range(1, 9), (40, 25, 13, 8, 6, 4, 2, 2))[0]
        rows.append(
            [
                f"LB-{100001 + position}",
                day.isoformat(),
                customer,
                city,
                CITIES[city],
                product,
                category,
                str(quantity),
                price,
                f"{quantity * float(price):.2f}",
                rng.choices(list(STATUSES), list(STATUSES.values()))[0],
                rng.choices(list(PAYMENTS), list(PAYMENTS.values()))[0],
            ]
        )
    return rows


def write_orders(path: Path) -> None:
    """Write the orders as CSV."""
    header = (
        "order_id,order_date,customer,city,region,product,category,quantity,unit_price,amount,"
        "status,payment_method"
    )
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows(orders())


DEPARTMENTS = (
    ("Fiction", 6120, 7480, 6655, 8210),
    ("Non-fiction", 4985, 5360, 5110, 5975),
    ("Children", 3240, 4015, 3575, 4690),
    ("Comics", 1180, 1395, 1520, 1905),
    ("Stationery", 2070, 2640, 2215, 2880),
    ("Board games", 1465, 2930, 1610, 3345),
    ("Events*", 410, 655, 890, 1275),
)
"""Department, then income in thousands of rupees: first and second half of two years."""


def write_department_income(path: Path) -> None:
    """Write the workbook: caption with unit, two header rows, data, totals, footnote."""
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Department income"
    sheet["A1"] = "Income by department (₹ thousand)"
    sheet["A3"], sheet["B3"], sheet["D3"] = "Department", "FY2024", "FY2025"
    for column, half in zip("BCDE", ("H1", "H2", "H1", "H2"), strict=True):
        sheet[f"{column}4"] = half
    for span in ("A1:E1", "A3:A4", "B3:C3", "D3:E3"):
        sheet.merge_cells(span)
    for row in DEPARTMENTS:
        sheet.append(row)
    income = (values[1:] for values in DEPARTMENTS)
    sheet.append(("Total", *map(sum, zip(*income, strict=True))))
    sheet.append(())
    sheet.append(("* Events includes the festival tickets, counted elsewhere in FY2023.",))
    for cell in (
        sheet["A1"],
        sheet["A3"],
        sheet["B3"],
        sheet["D3"],
        sheet[f"A{sheet.max_row - 2}"],
    ):
        cell.font = Font(bold=True)
        cell.alignment = Alignment(horizontal="center")
    for row_cells in sheet.iter_rows(min_row=5, min_col=2, max_col=5):
        for cell in row_cells:
            cell.number_format = "#,##0"
    book.properties.created = book.properties.modified = dt.datetime(2025, 7, 5)
    book.save(path)


if __name__ == "__main__":
    write_orders(FOLDER / "orders.csv")
    write_department_income(FOLDER / "department_income.xlsx")
