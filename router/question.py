"""A question on its way through the routes: what is known of it, and what a route gives back."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from retrieval.tokenize import words
from retrieval.word_forms import PICTURE
from router.errors import UsageError
from router.evidence import Evidence
from sql_engine.catalog import Catalog, CatalogTable
from sql_engine.correct import Executes
from sql_engine.glossary import Glossary
from sql_engine.result import Limits
from sql_engine.writer import Example, SqlWriter, Usage

MAX_QUESTION = 4_000
"""Characters; longer text is a document, not a question."""


@dataclass(frozen=True)
class Asked:
    """All that the routes may use."""

    question: str
    catalog: Catalog
    evidence: Evidence
    writer: SqlWriter
    database: Executes
    limits: Limits
    min_confidence: float
    today: dt.date
    history: tuple[Example, ...] = ()
    examples: tuple[Example, ...] = ()
    """Confirmed queries of similar questions."""
    glossary: Glossary = field(default_factory=Glossary)

    def table(self, table_id: str) -> CatalogTable:
        """The loaded table of this id."""
        found = self.catalog.by_id(table_id)
        assert found is not None, f"the index found {table_id}, which is not in the catalog"
        return found


@dataclass(frozen=True)
class Nothing:
    """A route found no answer."""

    why: str = ""
    """For the person who asked, where it is not open words."""
    words: tuple[str, ...] = ()
    """Words of the question that the evidence leaves open."""
    sql: str | None = None
    """SQL that was written and not trusted."""
    usage: Usage = Usage()
    """What a language model cost on the way."""


def undecorated(question: str, known: Callable[[str], bool]) -> str:
    """The question without the emoji and other signs that no table holds: they restrict nothing."""
    kept = _PICTURE.sub(lambda sign: sign[0] if known(sign[0]) else " ", question).strip()
    return kept if words(kept) else question


_PICTURE = re.compile(PICTURE)


def checked_question(question: object) -> str:
    """The question without outer space. Raises UsageError where there is nothing to answer."""
    if not isinstance(question, str):
        raise UsageError(
            f"a question is text, not {type(question).__name__}", hint="Pass a string."
        )
    stripped = question.strip()
    if not words(stripped):
        raise UsageError(
            "the question has no words",
            hint='Ask in plain words, for example: "How many orders were returned?"',
        )
    if len(stripped) > MAX_QUESTION:
        raise UsageError(
            f"the question has {len(stripped):,} characters, {MAX_QUESTION:,} at most",
            hint="Ask in a few sentences; add long text as a document.",
        )
    return stripped
