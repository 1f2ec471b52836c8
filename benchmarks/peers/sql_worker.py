"""Runs one statement through a peer whose language model is scripted; runs in the peer's Python.

Standard input: {"peer", "csv", "statement", "folder", "root"}. The model answers with a
control query, with the statement, with the control query again. Printed: what came of each.
The worker limits its own address space, so that a runaway statement ends here.
"""

import ast
import json
import resource
import sqlite3
import sys
import time
from pathlib import Path

CONTROL = "SELECT COUNT(*), SUM(quantity) FROM orders"
MEMORY = 3 * 1024**3


def llama_index(job, sql):
    """NLSQLTableQueryEngine over SQLite, as its documentation sets it up."""
    from llama_index.core import MockEmbedding, SQLDatabase
    from llama_index.core.indices.struct_store.sql_query import NLSQLTableQueryEngine
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
    from llama_index.core.llms.callbacks import llm_completion_callback
    from sqlalchemy import create_engine

    class Scripted(CustomLLM):
        @property
        def metadata(self):
            return LLMMetadata()

        @llm_completion_callback()
        def complete(self, prompt, **_):
            return CompletionResponse(text=sql())

        @llm_completion_callback()
        def stream_complete(self, prompt, **_):
            yield CompletionResponse(text=sql())

    engine = create_engine(f"sqlite:///{sqlite_of(job)}")
    queries = NLSQLTableQueryEngine(
        sql_database=SQLDatabase(engine, include_tables=["orders"]),
        tables=["orders"],
        llm=Scripted(),
        embed_model=MockEmbedding(embed_dim=1),
        synthesize_response=False,
    )

    def ask():
        response = queries.query("question")
        result = response.metadata.get("result")
        if result is None:
            raise RuntimeError(str(response)[:200])
        return result

    return ask


def langchain(job, sql):
    """create_sql_query_chain and SQLDatabase.run over SQLite."""
    from langchain_classic.chains import create_sql_query_chain
    from langchain_community.utilities import SQLDatabase
    from langchain_core.language_models.fake import FakeListLLM

    database = SQLDatabase.from_uri(f"sqlite:///{sqlite_of(job)}", include_tables=["orders"])

    def ask():
        chain = create_sql_query_chain(FakeListLLM(responses=[sql()]), database)
        text = database.run(chain.invoke({"question": "question"}), fetch="all")
        return ast.literal_eval(text) if text else []

    return ask


def vanna(job, sql):
    """The SQL path of vanna's classic interface over DuckDB."""
    import duckdb
    import pandas as pd

    try:
        from vanna.legacy.base import VannaBase
    except ImportError:
        from vanna.base import VannaBase

    class Scripted(VannaBase):
        def submit_prompt(self, prompt, **_):
            return sql()

    def stub(self, *_, **__):
        return []

    for name in VannaBase.__abstractmethods__ - {"submit_prompt"}:
        setattr(Scripted, name, stub)
    Scripted.__abstractmethods__ = frozenset()
    model = Scripted(config={})
    connection = duckdb.connect()
    connection.execute("CREATE TABLE orders AS SELECT * FROM read_csv(?)", [job["csv"]])
    model.run_sql = lambda text: connection.execute(text).df()
    model.run_sql_is_set = True

    def ask():
        written = model.generate_sql("question", allow_llm_to_see_data=True)
        frame = model.run_sql(written)
        assert isinstance(frame, pd.DataFrame)
        return [tuple(row) for row in frame.itertuples(index=False)]

    return ask


def pandasai(job, sql):
    """DataFrame.chat; the scripted model gives the Python that PandasAI asks for."""
    import pandasai
    from pandasai.llm.base import LLM

    class Scripted(LLM):
        def call(self, instruction, context=None):
            return (
                "```python\n"
                f"frame = execute_sql_query({sql()!r})\n"
                'result = {"type": "dataframe", "value": frame}\n'
                "```"
            )

        @property
        def type(self):
            return "scripted"

    pandasai.config.set({"llm": Scripted(), "save_logs": False, "verbose": False})
    frame = pandasai.read_csv(job["csv"])
    frame.schema.name = "orders"

    def ask():
        response = frame.chat("question")
        value = getattr(response, "value", response)
        if not hasattr(value, "itertuples"):
            raise RuntimeError(str(value)[:200])
        return [tuple(row) for row in value.itertuples(index=False)]

    return ask


def tabroute(job, sql):
    """Router.ask with a scripted writer."""
    sys.path.insert(0, job["root"])
    from router import Router
    from sql_engine.writer import Draft

    class Scripted:
        name = "scripted"
        max_attempts = 1
        knows_language = True

        def write(self, request):
            return Draft(sql())

    router = Router(writer=Scripted())
    router.add(job["csv"])

    def ask():
        answer = router.ask("What is asked?", route="sql")
        if answer.route != "sql":
            raise RuntimeError(answer.reason or answer.text)
        told["truncated"] = answer.truncated
        return answer.rows

    return ask


told = {}
"""What a peer says of a result beside its rows."""


def sqlite_of(job):
    """The orders as a SQLite file in the job's folder."""
    import csv

    path = Path(job["folder"]) / "orders.sqlite"
    if not path.exists():
        with Path(job["csv"]).open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        numeric = {"quantity": "INTEGER", "unit_price": "REAL", "amount": "REAL"}
        columns = ", ".join(f"{name} {numeric.get(name, 'TEXT')}" for name in head)
        connection = sqlite3.connect(path)
        connection.execute(f"CREATE TABLE orders ({columns})")
        marks = ", ".join("?" * len(head))
        connection.executemany(f"INSERT INTO orders VALUES ({marks})", rows)
        connection.commit()
        connection.close()
    return path


def timed(ask):
    """What one question comes to: rows or the error, and the time it took."""
    started = time.perf_counter()
    try:
        rows = ask()
        found = {"rows": len(rows), "first": repr(rows[:1])[:200], **told}
    except MemoryError:
        found = {"error": "out of memory"}
    except Exception as error:
        found = {"error": f"{type(error).__name__}: {error}"[:200]}
    return found | {"ms": round((time.perf_counter() - started) * 1000, 2)}


def main():
    job = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    current = {"sql": CONTROL}
    makers = {
        "llama-index": llama_index,
        "langchain": langchain,
        "vanna": vanna,
        "pandasai": pandasai,
        "tabroute": tabroute,
    }
    ask = makers[job["peer"]](job, lambda: current["sql"])
    before = timed(ask)
    print(json.dumps({"before": before}), flush=True)
    current["sql"] = job["statement"]
    found = [timed(ask) for _ in range(job.get("times", 1))]
    current["sql"] = CONTROL
    print(json.dumps({"before": before, "runs": found, "after": timed(ask)}))


if __name__ == "__main__":
    main()
