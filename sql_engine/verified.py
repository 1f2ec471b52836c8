"""Confirmed pairs of question and SQL, kept in a readable file.

The file is SQL: each statement after the lines of comment that hold its question. Takes questions;
gives the pair of the same question, or the most similar ones as examples for a writer. A pair whose
statement the guard no longer passes over the present tables is not given.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sql_engine.catalog import Catalog
from sql_engine.errors import SqlEngineError
from sql_engine.extract import split_statements
from sql_engine.guard import check
from sql_engine.name_stems import content_stems, words
from sql_engine.writer import Draft, Example, SqlRequest

MIN_SIMILARITY = 0.3
"""Shared stems of all stems (Jaccard) from which a pair is an example."""
_QUESTION = "-- "


@dataclass(frozen=True)
class VerifiedQueries:
    """The pairs, oldest first; one a question."""

    examples: tuple[Example, ...] = ()

    @classmethod
    def read(cls, path: Path) -> VerifiedQueries:
        """The pairs of a file; none where there is no file yet."""
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        kept = cls()
        for statement in split_statements(text):
            lines = statement.splitlines()
            told = [line for line in lines if line.startswith(_QUESTION)]
            sql = "\n".join(line for line in lines if line not in told).strip()
            if told and sql:
                question = " ".join(line.removeprefix(_QUESTION).strip() for line in told)
                kept = kept.with_pair(question, sql)
        return kept

    def write(self, path: Path) -> None:
        """Write the file anew; a reader sees the whole of it or what was there before."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(path.name + ".tmp")
        draft.write_text(
            "\n".join(
                f"{_QUESTION}{' '.join(pair.question.split())}\n{pair.sql.rstrip('; ')}\n;\n"
                for pair in self.examples
            ),
            encoding="utf-8",
        )
        draft.replace(path)

    def with_pair(self, question: str, sql: str) -> VerifiedQueries:
        """These pairs and this one, in place of an earlier one of the same question."""
        kept = tuple(pair for pair in self.examples if words(pair.question) != words(question))
        return VerifiedQueries((*kept, Example(question, sql)))

    def without(self, question: str) -> VerifiedQueries:
        """These pairs but for the one of this question."""
        return VerifiedQueries(
            tuple(pair for pair in self.examples if words(pair.question) != words(question))
        )

    def same(self, question: str, catalog: Catalog) -> Example | None:
        """The pair of this question, letter case and punctuation aside."""
        asked = words(question)
        found = (pair for pair in self.examples if words(pair.question) == asked)
        return next((pair for pair in found if _stands(pair, catalog)), None)

    def similar(self, question: str, catalog: Catalog, k: int = 3) -> tuple[Example, ...]:
        """The pairs whose questions share most words with this one, most similar first."""
        asked = content_stems(question)
        scored = [
            (_similarity(asked, content_stems(pair.question)), pair) for pair in self.examples
        ]
        near = sorted((s for s in scored if s[0] >= MIN_SIMILARITY), key=lambda s: -s[0])
        standing = (pair for _, pair in near if _stands(pair, catalog))
        return tuple(islice(standing, k))


class VerifiedWriter:
    """Gives a confirmed statement; no model is asked."""

    name = "verified"
    knows_language = True
    max_attempts = 1

    def __init__(self, pair: Example) -> None:
        self._pair = pair

    def write(self, request: SqlRequest) -> Draft:
        """The confirmed statement."""
        return Draft(self._pair.sql, notes=("verified",))


def _similarity(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _stands(pair: Example, catalog: Catalog) -> bool:
    try:
        check(pair.sql, catalog)
    except SqlEngineError:
        return False
    return True
