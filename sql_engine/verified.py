"""Confirmed pairs of question and SQL, kept in a readable file.

The file is SQL: each statement right under the lines of comment that hold its question. Takes
questions; gives the pair of the same question, or the most similar ones as examples for a writer. A
pair whose statement the guard no longer passes over the present tables is not given.
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
_FORM = "write -- and the question on the line above its SQL, and ; after it"


class VerifiedError(SqlEngineError):
    """The file of confirmed queries cannot be read."""

    code = "verified_error"


@dataclass(frozen=True)
class VerifiedQueries:
    """The pairs, oldest first; one a question."""

    examples: tuple[Example, ...] = ()

    @classmethod
    def read(cls, path: Path) -> VerifiedQueries:
        """The pairs of a file; none where there is no file yet. Raises VerifiedError, with the
        line, where a statement has no question, or a question is there twice.
        """
        try:
            text = path.read_text(encoding="utf-8") if path.exists() else ""
        except UnicodeDecodeError as error:
            raise VerifiedError(f"{path} is not UTF-8", hint="save it as UTF-8") from error
        kept, end = cls(), 0
        for statement in split_statements(text):
            start = max(text.find(statement, end), end)
            end = start + len(statement)
            question, sql = _parted(statement)
            first = start + len(statement) - len(statement.lstrip())
            place = f"{path}, line {text.count(chr(10), 0, first) + 1}"
            if not question:
                raise VerifiedError(f"{place}: a statement without its question", hint=_FORM)
            if len(kept.with_pair(question, sql).examples) == len(kept.examples):
                raise VerifiedError(f"{place}: {question!r} is there twice", hint="keep one")
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

    def fault(self, question: str, catalog: Catalog) -> SqlEngineError | None:
        """Why the pair of this question may not run over the present tables."""
        asked = words(question)
        for pair in self.examples:
            if words(pair.question) == asked:
                try:
                    check(pair.sql, catalog)
                except SqlEngineError as error:
                    return error
        return None

    def similar(self, question: str, catalog: Catalog, k: int = 3) -> tuple[Example, ...]:
        """The pairs whose questions share most words with this one, most similar first."""
        asked = content_stems(question)
        scored = [
            (_similarity(asked, content_stems(pair.question)), pair) for pair in self.examples
        ]
        near = sorted((s for s in scored if s[0] >= MIN_SIMILARITY), key=lambda s: -s[0])
        standing = (pair for _, pair in near if _stands(pair, catalog))
        return tuple(islice(standing, k))


def _parted(statement: str) -> tuple[str, str]:
    """The question, told by the lines of comment right above the SQL, and the SQL."""
    lines = statement.strip().splitlines()
    first = next((i for i, line in enumerate(lines) if not _is_remark(line)), len(lines))
    told: list[str] = []
    for line in reversed(lines[:first]):
        if not line.strip():
            break
        told.insert(0, line.lstrip().removeprefix(_QUESTION.strip()).strip())
    return " ".join(filter(None, told)), "\n".join(lines[first:]).strip()


def _is_remark(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith(_QUESTION.strip())


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
