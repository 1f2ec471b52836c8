"""Answers everyday questions without a model; runs in the peer's Python.

Standard input: {"peer", "database", "questions"}: a SQLite file with one table `orders`. Standard
output: for each question {"rows"} or {"declined"}.
"""

import json
import sqlite3
import sys


def text2sql_lite(job):
    from text2sql_lite import translate
    from text2sql_lite.dialects import Dialect
    from text2sql_lite.introspect import introspect_sqlite

    schema = introspect_sqlite(job["database"])
    return lambda question: translate(question, schema=schema, dialect=Dialect.SQLITE).sql


def main():
    job = json.load(sys.stdin)
    write = {"text2sql-lite": text2sql_lite}[job["peer"]](job)
    connection = sqlite3.connect(job["database"])
    answers = []
    for question in job["questions"]:
        try:
            sql = write(question)
            if not sql:
                raise ValueError("no SQL")
            answers.append({"rows": connection.execute(sql).fetchall(), "sql": sql})
        except Exception as error:
            answers.append({"declined": f"{type(error).__name__}: {error}"[:200]})
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
