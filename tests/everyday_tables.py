"""Four plain tables of invented data, and DuckDB loaded with what the catalog says of them."""

import datetime as dt
import random

import duckdb

from retrieval.build import build_table
from retrieval.table import Table
from sql_engine.catalog import ROW_COLUMN, Catalog
from sql_engine.sql_names import quote

TODAY = dt.date(2025, 5, 10)


def table(name: str, head: list[str], rows: list[list[str]]) -> Table:
    columns = [((title,), [row[i] for row in rows]) for i, title in enumerate(head)]
    return build_table(columns, document=f"{name}.csv", name=name)


def _day(rng: random.Random, first: str, days: int) -> dt.date:
    return dt.date.fromisoformat(first) + dt.timedelta(days=rng.randrange(days))


def orders() -> Table:
    rng = random.Random(1)
    customers = ["Ada Lovelace", "Bo Chen", "Cara Diaz", "Dev Patel", "Eli Stone", "Fay Wu"]
    products = ["Desk Lamp", "Office Chair", "Notebook", "Pen Set", "Monitor"]
    rows = [
        [
            str(1001 + i),
            _day(rng, "2024-01-01", 500).isoformat(),
            rng.choice(customers),
            rng.choice(products),
            rng.choice(["North", "South", "East", "West"]),
            rng.choice(["paid", "pending", "cancelled", "shipped"]),
            str(rng.randint(1, 9)),
            f"{rng.uniform(5, 900):.2f}",
        ]
        for i in range(200)
    ]
    head = "order_id,order_date,customer,product,region,status,quantity,amount"
    return table("orders", head.split(","), rows)


def staff() -> Table:
    rng = random.Random(2)
    first = ["Ana", "Ben", "Chloe", "Dan", "Eva", "Finn", "Gia", "Hugo", "Ivy", "Jon"]
    last = ["Ruiz", "Okoro", "Novak"]
    rows = [
        [
            str(i + 1),
            f"{first[i % 10]} {last[i // 10]}",
            rng.choice(["Engineering", "Sales", "Support", "Finance"]),
            rng.choice(["Analyst", "Manager", "Engineer", "Clerk"]),
            rng.choice(["Lisbon", "Oslo", "Turin"]),
            str(30000 + 137 * rng.randrange(400)),
            _day(rng, "2018-01-01", 2200).isoformat(),
        ]
        for i in range(30)
    ]
    head = "employee_id,name,department,job_title,city,salary,hire_date"
    return table("staff", head.split(","), rows)


def sensors() -> Table:
    rng = random.Random(3)
    rooms = {"S-01": "Basement", "S-02": "Attic", "S-03": "Kitchen", "S-04": "Basement"}
    rows = []
    for i in range(120):
        name = rng.choice(list(rooms))
        day = dt.date(2025, 1, 20) + dt.timedelta(days=i // 3)
        temperature, humidity = f"{rng.uniform(12, 31):.1f}", str(rng.randint(25, 70))
        rows.append([str(i + 1), name, rooms[name], day.isoformat(), temperature, humidity])
    head = "reading_id,sensor,room,measured_at,temperature,humidity"
    return table("sensors", head.split(","), rows)


def invoices() -> Table:
    rng = random.Random(4)
    suppliers = ["Acme Paper", "Blue Ink", "Cargo Line", "Delta Foods"]
    rows = []
    for i in range(60):
        issued = _day(rng, "2023-10-01", 400)
        rows.append(
            [
                f"INV-{i + 1:04d}",
                rng.choice(suppliers),
                issued.isoformat(),
                (issued + dt.timedelta(days=30)).isoformat(),
                f"{rng.uniform(20, 1000):.2f}",
                f"{rng.uniform(2, 200):.2f}",
                rng.choice(["open", "paid", "overdue"]),
            ]
        )
    head = "Invoice no,supplier,issued,Due date,Net amount,Tax,state"
    return table("invoices", head.split(","), rows)


TABLES = {"orders": orders, "staff": staff, "sensors": sensors, "invoices": invoices}


def connect(catalog: Catalog) -> duckdb.DuckDBPyConnection:
    """A database that holds every table of the catalog."""
    connection = duckdb.connect()
    for entry in catalog:
        columns = [f"{quote(c.name)} {c.sql_type}" for c in entry.columns]
        columns.append(f"{quote(ROW_COLUMN)} BIGINT")
        connection.execute(f"CREATE TABLE {quote(entry.name)} ({', '.join(columns)})")
        marks = ", ".join("?" * len(columns))
        rows = [
            [
                c.source.text_at(r) or None if c.as_text else c.source.canonical_at(r)
                for c in entry.columns
            ]
            + [r]
            for r in entry.table.data_rows.tolist()
        ]
        connection.executemany(f"INSERT INTO {quote(entry.name)} VALUES ({marks})", rows)
    return connection
