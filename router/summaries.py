"""Summaries of tables that a language model writes as they are loaded, by the writer's leave.

Takes a document and the writer (`writes_summaries`); gives the document with a summary on each
table that got one, and a warning where the model failed. What the model is shown is bounded by
`share`: names and types, or the table's card.
"""

from __future__ import annotations

from dataclasses import replace

from retrieval.card import table_card
from retrieval.table import Document, Table
from sql_engine.errors import WriterError
from sql_engine.openai_writer import OpenAIWriter
from sql_engine.summarising import summarise
from sql_engine.writer import SqlWriter


def summarised(document: Document, writer: SqlWriter) -> tuple[Document, tuple[str, ...]]:
    """The document with its tables' summaries, and what went wrong: after one failure no more are
    asked for.
    """
    if not isinstance(writer, OpenAIWriter) or not writer.writes_summaries:
        return document, ()
    tables: list[Table] = []
    for table in document.tables:
        card = table_card(table, contents=writer.share != "schema")
        try:
            tables.append(replace(table, summary=summarise(writer.chat, card)))
        except WriterError as error:
            left = document.tables[len(tables) :]
            failed = f"{document.name}: no summary from the model: {error}"
            return replace(document, tables=(*tables, *left)), (failed,)
    return replace(document, tables=tuple(tables)), ()
