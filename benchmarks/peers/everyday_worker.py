"""Answers everyday questions without a model; runs in the peer's Python.

Standard input: {"peer", "database", "questions"}: a SQLite file with one table `orders`. Standard
output: for each question {"rows"} or {"declined"}.
"""

import json
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path


def text2sql_lite(job):
    from text2sql_lite import translate
    from text2sql_lite.dialects import Dialect
    from text2sql_lite.introspect import introspect_sqlite

    schema = introspect_sqlite(job["database"])
    connection = sqlite3.connect(job["database"])

    def ask(question):
        sql = translate(question, schema=schema, dialect=Dialect.SQLITE).sql
        if not sql:
            raise ValueError("no SQL")
        return connection.execute(sql).fetchall()

    return ask


COLUMNS = {
    "order_number": "BIGINT",
    "placed_on": "DATE",
    "customer": "VARCHAR",
    "region": "VARCHAR",
    "product": "VARCHAR",
    "status": "VARCHAR",
    "qty": "INTEGER",
    "order_total": "DECIMAL(18,2)",
}
METRICS = {
    "order_count": ("Order Count", "count", None),
    "order_total": ("Order Total", "sum", "order_total"),
    "average_order_total": ("Average Order Total", "avg", "order_total"),
    "highest_order_total": ("Highest Order Total", "max", "order_total"),
    "customer_count": ("Customer Count", "count_distinct", "customer"),
}


def gibran(job):
    """gibran answers over metrics that somebody declares first: here, those the questions need."""
    import duckdb
    from gibran.governance.default import DefaultGovernance
    from gibran.governance.types import IdentityContext
    from gibran.nl.runner import run_nl_query

    home = Path(tempfile.mkdtemp())
    command = str(Path(sys.executable).parent / "gibran")
    subprocess.run([command, "init"], cwd=home, check=True, capture_output=True)
    rows = sqlite3.connect(job["database"]).execute(f"SELECT {', '.join(COLUMNS)} FROM orders")
    connection = duckdb.connect(str(home / "gibran.duckdb"))
    made = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    connection.execute(f"CREATE TABLE orders ({made})")
    marks = ", ".join("?" * len(COLUMNS))
    connection.executemany(f"INSERT INTO orders VALUES ({marks})", rows.fetchall())
    connection.close()
    (home / "gibran.yaml").write_text(gibran_yaml(), encoding="utf-8")
    subprocess.run([command, "sync"], cwd=home, check=True, capture_output=True)
    connection = duckdb.connect(str(home / "gibran.duckdb"))
    governance = DefaultGovernance(connection)
    identity = IdentityContext(user_id="asker", role_id="admin", attributes={}, source="cli")

    def ask(question):
        found = run_nl_query(connection, governance, identity, question, "orders")
        result = found.run_result.query_result if found.run_result else None
        if result is None or result.status != "ok":
            raise ValueError("no answer")
        return [list(row) for row in result.rows or ()]

    return ask


def gibran_yaml():
    dimensions = [name for name in COLUMNS if name not in ("order_number", "qty", "order_total")]
    config = {
        "sources": [
            {
                "id": "orders",
                "display_name": "Orders",
                "type": "duckdb_table",
                "uri": "orders",
                "primary_grain": "order_number",
                "columns": [
                    {"name": name, "type": kind, "sensitivity": "public"}
                    for name, kind in COLUMNS.items()
                ],
                "dimensions": [
                    {
                        "id": f"orders.{name}",
                        "column": name,
                        "display_name": name.replace("_", " ").title(),
                        "type": "temporal" if name == "placed_on" else "categorical",
                    }
                    for name in dimensions
                ],
            }
        ],
        "metrics": [
            {"id": name, "source": "orders", "display_name": shown, "type": kind}
            | ({"column" if kind == "count_distinct" else "expression": of} if of else {})
            for name, (shown, kind, of) in METRICS.items()
        ],
        "roles": [{"id": "admin", "display_name": "Admin", "is_break_glass": True}],
        "policies": [
            {
                "id": "admin_orders",
                "role": "admin",
                "source": "orders",
                "default_column_mode": "allow",
            }
        ],
    }
    return json.dumps(config)


def main():
    job = json.load(sys.stdin)
    asks = {"text2sql-lite": text2sql_lite, "gibran": gibran}
    ask = asks[job["peer"]](job)
    answers = []
    for question in job["questions"]:
        try:
            answers.append({"rows": ask(question)})
        except Exception as error:
            answers.append({"declined": f"{type(error).__name__}: {error}"[:200]})
    print(json.dumps(answers, default=str))


if __name__ == "__main__":
    main()
