"""Write the tables of the everyday questions: orders, staff, sensors and invoices (CSV).

    python -m benchmarks.make_everyday_tables

Each is published differently on purpose: dollar amounts and spelled months, ISO dates and codes,
timestamps with units in the header, semicolons with decimal commas. The seed keeps them the same.
"""

from __future__ import annotations

import csv
import datetime as dt
import random
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "tests" / "data" / "everyday"
SEED = 1905

Row = Sequence[object]


def days(rng: random.Random, first: dt.date, last: dt.date, count: int) -> list[dt.date]:
    """Random days in order."""
    span = (last - first).days
    return sorted(first + dt.timedelta(rng.randint(0, span)) for _ in range(count))


def weighted(rng: random.Random, weights: dict[str, int]) -> str:
    """One key, drawn by its weight."""
    return rng.choices(list(weights), list(weights.values()))[0]


def orders(rng: random.Random) -> list[Row]:
    """A garden wholesaler's orders."""
    customers = {
        "Alder Nurseries": 9,
        "Bright & Sons": 5,
        "Cobble Hill Gardens": 14,
        "Dunmore Estates": 7,
        "Evergreen Supply": 11,
        "Foxglove Florists": 4,
        "Greystone Parks": 6,
        "Harbour Landscaping": 8,
        "Ivy House": 3,
    }
    prices = {
        "Cedar planter": 48.5,
        "Copper watering can": 36.25,
        "Gravel, 20 kg": 9.8,
        "Lawn seed": 14.4,
        "Pruning saw": 27.9,
        "Stone bench": 310.0,
        "Trellis panel": 62.75,
    }
    statuses = {"shipped": 60, "pending": 22, "cancelled": 10, "backordered": 8}
    regions = {"Coast": 5, "Highlands": 3, "Lowlands": 6, "Valley": 4}
    rows: list[Row] = []
    for number, day in enumerate(days(rng, dt.date(2025, 1, 2), dt.date(2025, 9, 30), 260), 70001):
        product = rng.choice(list(prices))
        quantity = rng.randint(1, 24)
        rows.append(
            (
                number,
                f"{day.day} {day:%b %Y}",
                weighted(rng, customers),
                weighted(rng, regions),
                product,
                weighted(rng, statuses),
                quantity,
                f"${quantity * prices[product]:,.2f}",
            )
        )
    return rows


def staff(rng: random.Random) -> list[Row]:
    """The people of a company."""
    jobs = {
        "Engineering": {"Developer": (52000, 96000), "Tester": (41000, 68000)},
        "Finance": {"Accountant": (43000, 71000), "Controller": (60000, 98000)},
        "Sales": {"Account manager": (39000, 88000), "Sales assistant": (29000, 42000)},
        "Support": {"Support agent": (28000, 45000), "Team lead": (46000, 63000)},
        "Legal": {"Counsel": (70000, 120000)},
    }
    departments = {"Engineering": 60, "Sales": 45, "Support": 38, "Finance": 20, "Legal": 7}
    offices = {"Lisbon": 30, "Oslo": 25, "Ghent": 20, "Krakow": 25}
    statuses = {"active": 82, "on leave": 11, "notice": 7}
    first = "Ada Bruno Clara Dario Elif Finn Greta Hugo Ines Jonas Kaja Luca Mira Nils Olga Piet"
    last = "Almeida Berg Costa Dahl Eriksen Ferro Groot Holm Ivanova Jansen Kowalski Lund"
    names = rng.sample([f"{a} {b}" for a in first.split() for b in last.split()], 170)
    rows: list[Row] = []
    hired = days(rng, dt.date(2016, 1, 4), dt.date(2024, 12, 16), 170)
    for number, (name, day) in enumerate(zip(names, hired, strict=True), 1001):
        department = weighted(rng, departments)
        job = rng.choice(list(jobs[department]))
        salary = rng.randrange(*jobs[department][job], 10)
        rows.append(
            (
                f"E-{number}",
                name,
                department,
                job,
                weighted(rng, offices),
                day.isoformat(),
                salary,
                weighted(rng, statuses),
            )
        )
    return rows


def sensors(rng: random.Random) -> list[Row]:
    """Readings of weather stations."""
    sites = {"Mill Pond": 6.0, "North Ridge": 2.5, "Old Quarry": 8.0, "Ferry Landing": 9.5}
    stations = {f"WS-{n:02}": rng.choice(list(sites)) for n in range(1, 15)}
    statuses = {"ok": 84, "warning": 11, "fault": 5}
    rows: list[Row] = []
    start = dt.datetime(2025, 2, 1, 0, 20)
    moments = sorted(start + dt.timedelta(minutes=10 * rng.randint(0, 17200)) for _ in range(400))
    for number, moment in enumerate(moments, 8801):
        station = rng.choice(list(stations))
        warmth = sites[stations[station]] + 3 * (moment.month - 2) + rng.uniform(-6, 6)
        rain = rng.choice((0, 0, 0.2, 0.4, 1.6, 3.8, 7.2)) + rng.choice((0, 0.2))
        rows.append(
            (
                number,
                f"{moment:%Y-%m-%d %H:%M}",
                station,
                stations[station],
                f"{warmth:.1f}",
                f"{rain:.1f}",
                weighted(rng, statuses),
            )
        )
    return rows


def invoices(rng: random.Random) -> list[Row]:
    """Supplier invoices as a German ledger exports them."""
    suppliers = {
        "Adler Druck": 12,
        "Brandt Logistik": 16,
        "Claasen Energie": 9,
        "Dorn IT-Service": 14,
        "Eifel Wasser": 6,
        "Falk Reinigung": 11,
    }
    centres = {"Marketing": 5, "Operations": 9, "Facilities": 6, "Research": 4}
    statuses = {"paid": 62, "open": 24, "disputed": 14}
    rows: list[Row] = []
    for number, day in enumerate(days(rng, dt.date(2025, 1, 7), dt.date(2025, 10, 31), 220), 1):
        net = rng.randint(4000, 1_450_000) / 100
        due = day + dt.timedelta(rng.choice((14, 30, 45)))
        rows.append(
            (
                f"INV-2025-{number:04}",
                f"{day:%d.%m.%Y}",
                f"{due:%d.%m.%Y}",
                weighted(rng, suppliers),
                weighted(rng, centres),
                f"{net:,.2f}".translate(str.maketrans(",.", ".,")),
                weighted(rng, statuses),
            )
        )
    return rows


HEADERS = {
    "orders": "Order Number,Placed On,Customer,Region,Product,Status,Qty,Order Total",
    "staff": "Employee ID,Name,Department,Job title,Office,Hired on,Salary,Status",
    "sensors": "Reading,Taken at,Station,Site,Temperature (°C),Rain (mm),Status",
    "invoices": "Invoice No,Issued,Due,Supplier,Cost centre,Net amount (EUR),Status",
}


def main() -> None:
    """Write the four files."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for make, delimiter in ((orders, ","), (staff, ","), (sensors, ","), (invoices, ";")):
        name = make.__name__
        rows = make(random.Random(f"{SEED} {name}"))
        with (FOLDER / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
            writer.writerow(HEADERS[name].split(","))
            writer.writerows(rows)


if __name__ == "__main__":
    main()
