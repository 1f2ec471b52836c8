"""Readings that a person chose: kept, and taken again where the same doubt comes up.

Takes an answer with several readings; gives the one that an earlier choice decides, or None. The
same question takes the same reading. Another question takes the chosen column only where its
readings differ in nothing but the columns that the choice was between, and it has the words that
the choice was about: "sales" read as the amount stays the amount, by shop or by month.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from router import by_sql
from router.answer import Answer, Reading, Route
from router.errors import StateError, UsageError
from router.question import Asked
from router.readings import of_answer
from router.review import GivenDraft
from sql_engine.catalog import Catalog
from sql_engine.errors import SqlEngineError
from sql_engine.guard import check
from sql_engine.name_stems import stems, words
from sql_engine.writer import Draft

ColumnName = tuple[str, str]
"""Table and column."""


@dataclass(frozen=True)
class Choice:
    """One reading taken for one question."""

    question: str
    reading: str
    """The sentence of the reading taken."""
    sql: str | None
    words: tuple[str, ...] = ()
    """Stems of the question that may mean either column; none: only this question is decided."""
    taken: ColumnName | None = None
    over: tuple[ColumnName, ...] = ()
    """Columns that the readings not taken have in the place of `taken`."""

    def told(self) -> str:
        """What a later answer says of it."""
        if self.taken is None:
            return f'read as "{self.reading}", as chosen for this question'
        columns = [self.taken, *self.over]
        alike = len({column for _, column in columns}) < len(columns)
        taken, *over = (f'"{t}"."{c}"' if alike else f'"{c}"' for t, c in columns)
        return f'{taken} is taken, not {" or ".join(over)}, as chosen for "{self.question}"'


@dataclass(frozen=True)
class Choices:
    """The choices made, oldest first; one a question."""

    made: tuple[Choice, ...] = ()

    def with_choice(self, choice: Choice) -> Choices:
        """These and one more, in the place of an earlier one of the same question."""
        return Choices((*self.without(choice.question).made, choice))

    def without(self, question: str) -> Choices:
        """These but for the one of this question."""
        asked = words(question)
        return Choices(tuple(c for c in self.made if words(c.question) != asked))

    def decide(
        self, question: str, answer: Answer, catalog: Catalog
    ) -> tuple[Reading, Choice] | None:
        """The reading that a choice decides, the latest first; None where none does."""
        readings = readings_of(answer)
        if not self.made or len(readings) < 2:
            return None
        for choice in reversed(self.made):
            if words(choice.question) == words(question):
                same = [r for r in readings if _is_of(choice, r)]
                if same:
                    return same[0], choice
        asked = stems(question)
        for choice in reversed(self.made):
            if choice.taken and asked.issuperset(choice.words):
                found = _by_column(choice, readings, catalog)
                if found is not None:
                    return found, choice
        return None

    def write(self, path: Path) -> None:
        """Keep them in a file."""
        made = [asdict(choice) for choice in self.made]
        path.write_text(json.dumps(made, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Choices:
        """The choices of a file; none where there is none. Raises StateError."""
        if not path.exists():
            return cls()
        try:
            return cls(tuple(map(_choice, json.loads(path.read_text(encoding="utf-8")))))
        except (ValueError, TypeError, KeyError) as error:
            raise StateError(f"{path} is damaged: {error}") from error


def readings_of(answer: Answer) -> tuple[Reading, ...]:
    """All readings of an answer: what it offers, and before it the one it was answered by."""
    if answer.declined:
        return answer.alternatives
    return (of_answer(answer), *answer.alternatives)


def numbered(answer: Answer, number: int) -> Reading:
    """The reading of this number among those an answer offers. Raises UsageError."""
    offered = len(answer.alternatives)
    if not offered:
        raise UsageError(
            "this question has one reading", hint="Only an answer with alternatives has a choice."
        )
    if not 1 <= number <= offered:
        raise UsageError(f"there is no reading {number}", hint=f"Choose from 1 to {offered}.")
    return answer.alternatives[number - 1]


def choice_of(question: str, answer: Answer, taken: Reading, catalog: Catalog) -> Choice:
    """What taking one reading of an answer decides: this question, and where they differ in one
    column, that column.
    """
    exact = Choice(question, taken.reading, taken.sql)
    mine = _columns(taken, catalog)
    others = [_columns(r, catalog) for r in readings_of(answer) if r.sql != taken.sql]
    if mine is None or not others or any(o is None for o in others):
        return exact
    pairs = {(mine - o, o - mine) for o in others if o is not None}
    mine_alone, over = {m for m, _ in pairs}, frozenset().union(*(o for _, o in pairs))
    if len(mine_alone) != 1 or not all(len(m) == 1 and len(o) == 1 for m, o in pairs):
        return exact
    (column,) = mine_alone.pop()
    about = _words_between(question, column, over)
    if not about:
        return exact
    return replace(exact, words=about, taken=column, over=tuple(sorted(over)))


def take(asked: Asked, answer: Answer, reading: Reading, note: str = "") -> Answer:
    """The answer by one of its readings; the others stay beside it."""
    if not answer.declined and reading == readings_of(answer)[0]:
        return answer
    found = _answered(asked, reading)
    return replace(
        found,
        alternatives=tuple(other for other in readings_of(answer) if other != reading),
        warnings=(*found.warnings, note) if note else found.warnings,
    )


def _answered(asked: Asked, reading: Reading) -> Answer:
    if reading.sql is not None:
        draft = Draft(reading.sql, reading.reading)
        chosen = replace(asked, writer=GivenDraft(draft), min_confidence=0.0)
        found = by_sql.answer(chosen)
        if isinstance(found, Answer):
            return replace(found, reason="Chosen among the readings.")
    return Answer(
        question=asked.question,
        route=Route.SQL if reading.sql else Route.ROW if len(reading.rows) == 1 else Route.TABLE,
        text=reading.reading,
        value=reading.value,
        columns=reading.columns,
        rows=list(reading.rows),
        truncated=reading.truncated,
        sql=reading.sql,
        confidence=1.0,
        reason="Chosen among the readings.",
    )


def _by_column(choice: Choice, readings: Sequence[Reading], catalog: Catalog) -> Reading | None:
    """The one reading with the chosen column, if the others differ in that column alone."""
    read = [(reading, _columns(reading, catalog)) for reading in readings]
    having = [(r, c) for r, c in read if c is not None and choice.taken in c]
    if len(having) != 1 or any(columns is None for _, columns in read):
        return None
    found, mine = having[0]
    rivals = [columns for reading, columns in read if reading is not found and columns is not None]
    if all(
        mine - o == {choice.taken} and o - mine and o - mine <= set(choice.over) for o in rivals
    ):
        return found
    return None


def _words_between(
    question: str, column: ColumnName, over: frozenset[ColumnName]
) -> tuple[str, ...]:
    """Stems of the question that speak of either column: the table's name, a word of both."""
    shared = stems(column[1]) & frozenset().union(*(stems(name) for _, name in over))
    return tuple(sorted(stems(question) & (shared | stems(column[0]))))


def _columns(reading: Reading, catalog: Catalog) -> frozenset[ColumnName] | None:
    if reading.sql is None:
        return None
    try:
        query = check(reading.sql, catalog)
    except SqlEngineError:
        return None
    return frozenset((table.name, column.name) for table, column in query.columns)


def _is_of(choice: Choice, reading: Reading) -> bool:
    if choice.sql is not None:
        return reading.sql == choice.sql
    return reading.reading == choice.reading


def _choice(told: dict[str, Any]) -> Choice:
    taken = told["taken"]
    return Choice(
        question=str(told["question"]),
        reading=str(told["reading"]),
        sql=told["sql"],
        words=tuple(map(str, told["words"])),
        taken=None if taken is None else _pair(taken),
        over=tuple(map(_pair, told["over"])),
    )


def _pair(told: Sequence[object]) -> ColumnName:
    table, column = map(str, told)
    return table, column
