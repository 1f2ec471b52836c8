"""Small invented tables of the kind that people keep: a name, some labels, amounts, a day, a flag.

Published tables hardly have days and flags, and their headers are of sport and film. Takes a random
generator; gives tables under common nouns, so that made questions speak of things as users do.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator

from retrieval.reading import read_source
from sql_engine.catalog import Catalog, CatalogTable

Cell = str | int | float
ROWS = (12, 60)
BLANK = 0.06
"""The share of labels and amounts that are not told."""
_NOUNS = """sessions rentals permits samples workshops boats gardens audits donors surveys pianos
courses tenants repairs parcels machines grants batches concerts cabins inspections volunteers
engines licences studios dogs trees journals fields vans"""
_FIRST = """Ines Tomas Wanda Jorge Mila Peter Aiko Leon Nora Samir Greta Hugo Vera Malik Ruth Oskar
Dina Felix Irma Yusuf Clara Bruno Anja Ravi"""
_LAST = """Holm Castro Becker Okoro Lindt Novak Tanaka Moreau Silva Reid Kaya Brandt Fischer Ekman
Sorel Quinn Adler Vance Tran Weber"""
_THINGS = """amber birch cedar delta ember falcon garnet harbour iris juniper kestrel lotus maple
nimbus opal pine quartz river sable tulip"""
_LABELS = {
    "Status": "open|closed|on hold|in review|done|cancelled",
    "Type": "standard|premium|basic|trial",
    "Area": "north|south|east|west|centre",
    "Town": "Lund|Porto|Ghent|Turin|Cork|Basel|Tampere",
    "Priority": "high|medium|low",
    "Material": "oak|steel|glass|clay|wool|copper",
    "Grade": "A|B|C|D",
    "Season": "spring|summer|autumn|winter",
    "Method": "card|cash|transfer|voucher",
    "Shift": "morning|evening|night",
    "Unit": "Kitchen|Laundry|Workshop|Archive|Garage",
    "Colour": "red|green|blue|black|white",
}
_PEOPLE = (
    "Owner",
    "Teacher",
    "Agent",
    "Driver",
    "Keeper",
    "Clerk",
    "Inspector",
    "Client",
    "Member",
)
_NAMES = ("Name", "Title", "Person", "Label", "Ref", "Code")
_AMOUNTS = {
    "Price": (5, 900, 2),
    "Cost": (5, 4000, 0),
    "Fee": (10, 300, 0),
    "Hours": (1, 60, 1),
    "Weight": (1, 90, 1),
    "Score": (0, 100, 0),
    "Seats": (2, 60, 0),
    "Age": (1, 90, 0),
    "Budget": (500, 90000, 0),
    "Points": (0, 40, 0),
    "Distance": (1, 400, 0),
    "Balance": (0, 5000, 2),
    "Length": (1, 30, 1),
    "Stock": (0, 500, 0),
    "Salary": (1200, 7000, 0),
    "Size": (10, 300, 0),
}
_DAYS = ("Date", "Start", "Opened", "Booked", "Received", "Joined", "Checked on", "Due")
FLAGS = (
    "Paid",
    "Active",
    "Insured",
    "Signed",
    "Urgent",
    "Heated",
    "Public",
    "Approved",
    "Certified",
)
_SAYING = (("yes", "no"), ("Yes", "No"), ("true", "false"), ("Y", "N"))


def invented(rng: random.Random) -> CatalogTable:
    """One table."""
    rows = rng.randint(*ROWS)
    columns = dict(_columns(rng, rows))
    records = [
        dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)
    ]
    (result,) = read_source(records, name=rng.choice(_NOUNS.split()))
    return Catalog().with_tables(result.document.tables).tables[0]


def _columns(rng: random.Random, rows: int) -> Iterator[tuple[str, list[Cell]]]:
    yield rng.choice(_NAMES), _keys(rng, rows)
    found: list[tuple[str, list[Cell]]] = []
    for name in rng.sample(sorted(_LABELS), rng.randint(1, 3)):
        pool = _LABELS[name].split("|")
        found.append((name, _some(rng, rows, lambda pool=pool: rng.choice(pool))))
    if rng.random() < 0.6:
        people = rng.sample(_people(), max(2, rows // 5))
        found.append((rng.choice(_PEOPLE), _some(rng, rows, lambda: rng.choice(people))))
    for name in rng.sample(sorted(_AMOUNTS), rng.randint(1, 3)):
        low, high, digits = _AMOUNTS[name]
        found.append((name, _some(rng, rows, _amount(rng, low, high, digits))))
    if rng.random() < 0.8:
        first = dt.date(rng.choice([2021, 2022, 2023, 2024]), 1, 1)
        span = rng.choice([90, 300, 700])
        days = [first + dt.timedelta(rng.randrange(span)) for _ in range(rows)]
        found.append((rng.choice(_DAYS), [day.isoformat() for day in days]))
    if rng.random() < 0.5:
        said = rng.choice(_SAYING)
        found.append((rng.choice(FLAGS), [rng.choice(said) for _ in range(rows)]))
    rng.shuffle(found)
    yield from found


def _keys(rng: random.Random, rows: int) -> list[Cell]:
    if rng.random() < 0.5:
        return list(rng.sample(_people(), rows))
    things = [
        f"{one} {two}" for one in _THINGS.split() for two in ("one", "house", "line", "point")
    ]
    return [name.title() for name in rng.sample(things, rows)]


def _people() -> list[str]:
    return [f"{one} {two}" for one in _FIRST.split() for two in _LAST.split()]


def _some(rng: random.Random, rows: int, cell: Callable[[], Cell]) -> list[Cell]:
    return ["" if rng.random() < BLANK else cell() for _ in range(rows)]


def _amount(rng: random.Random, low: int, high: int, digits: int) -> Callable[[], Cell]:
    def draw() -> Cell:
        value = low + (high - low) * rng.random() ** 2
        return round(value, digits) if digits else round(value)

    return draw
