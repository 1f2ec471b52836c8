"""`tabroute demo`: nine questions over the sample tables, offline.

Prints for each the answer, the route with its reason, the SQL if any, and the citation.
"""

from __future__ import annotations

from pathlib import Path

import click

from router import render
from router.answer import cite
from router.errors import EXIT_ANSWERED, UsageError

QUESTIONS = (
    "What is the return window of a signed edition?",
    "Which library plans are there?",
    "How many item types cannot be returned?",
    "What is the total amount by region?",
    "Who are the top 3 customers by total amount?",
    "How many orders were placed in March 2025?",
    "Which department had the highest income in H2 of FY2025?",
    "What happens when a book arrives damaged?",
    "What is the phone number of the Bandra store?",
)
_FOLDER = "sample_tables"


def run() -> int:
    """Ask the questions and print the answers. Raises UsageError where the tables are missing."""
    from router.router import Router

    with Router(writer="offline") as tables:
        tables.add(folder())
        for question in QUESTIONS:
            answer = tables.ask(question)
            click.echo(f"\n? {question}")
            click.echo(render.answer(answer))
            click.echo(f"  route: {answer.route.value}: {answer.reason}")
            if answer.sql:
                click.echo(f"  sql: {answer.sql}")
            for warning in answer.warnings:
                click.echo(f"  warning: {warning}")
            for citation in answer.citations:
                click.echo(f"  source: {cite(citation)}")
    return EXIT_ANSWERED


def folder() -> Path:
    """The sample tables: beside the package, else under the current folder."""
    beside = Path(__file__).resolve().parent.parent / _FOLDER
    here = Path.cwd() / _FOLDER
    for candidate in (beside, here):
        if candidate.is_dir():
            return candidate
    raise UsageError(
        f"no folder {_FOLDER} beside the package or here",
        hint="Run it in a clone of the repository, or ask over your own file: tabroute ask …",
    )
