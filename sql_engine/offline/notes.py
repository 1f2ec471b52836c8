"""What a person should know beside the answer: ties, blanks, windows without data.

Takes a reading and the arrays it was computed on; gives sentences.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sql_engine.offline.columns import ColumnData, TableData
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import condition_column, conditions_of
from sql_engine.offline.flags import flag
from sql_engine.offline.question import Question
from sql_engine.offline.search import Reading
from sql_engine.offline.tree import (
    Against,
    Arith,
    Cmp,
    Col,
    Cond,
    Filled,
    Grouped,
    Holds,
    In,
    Not,
    Rows,
    Tally,
    Top,
    Tree,
    Values,
    Where,
    Within,
)
from sql_engine.offline.value_mentions import nearest_word
from sql_engine.respelt import respelt
from sql_engine.value_index import text_stems

MAX_CELLS = 5
"""More cells than this are no misspelling of one."""


def notes(question: Question, reading: Reading, data: TableData) -> tuple[str, ...]:
    """Notes on one answer."""
    found = [*_ties(reading), *_not_ended(reading, data), *_near(question, reading)]
    for cond in conditions_of(reading.tree):
        found += _mended(question, cond)
    for cond in conditions_of(reading.tree):
        found += _blanks(cond, reading, data)
        found += _one_of_two(cond, reading, data)
        found += _window(cond, reading, data)
        found += _unsaid(question, cond, reading, data)
    return tuple(dict.fromkeys(found))


def _not_ended(reading: Reading, data: TableData) -> Iterator[str]:
    """Rows that are asked of and have no length of time, since one of its two dates is missing."""
    lasting = reading.relation.elapsed
    if lasting is None or isinstance(reading.tree, Arith | Holds | Tally):
        return
    rows: Rows = reading.tree.rows
    rows = rows.rows if isinstance(rows, Top) else rows
    lengths = data.columns[-1]
    if isinstance(rows, Where):
        kept = tuple(c for c in rows.conds if lengths not in _columns_of(c, data))
        rows = replace(rows, conds=kept)
    codes = lengths.encoded().codes[Evaluator(data).rows(rows)]
    open_ended = int((codes < 0).sum())
    if open_ended:
        has = "has" if open_ended == 1 else "have"
        yield (
            f'{open_ended} of {len(codes)} rows {has} no "{lasting.start}" or no "{lasting.end}": '
            "how long is not known, and left out"
        )


def _columns_of(cond: Cond, data: TableData) -> list[ColumnData]:
    return [data.columns[condition_column(cond)]]


def _mended(question: Question, cond: Cond) -> Iterator[str]:
    """Words of the question that were taken for a cell that is spelt otherwise."""
    cells = cond.cond if isinstance(cond, Not) else cond
    if not isinstance(cells, In) or len(cells.texts) > MAX_CELLS:
        return
    yield from respelt(question.text, cells.texts)
    asked = {word.stem: word for word in question.words}
    for text in cells.texts:
        held = text_stems(text)
        for stem in asked.keys() - set(held):
            if nearest_word(asked[stem], [s for s in held if s not in asked]) is not None:
                yield f'"{asked[stem].text}" is read as "{text}"'


def _near(question: Question, reading: Reading) -> Iterator[str]:
    """Words that no name and no cell says."""
    for word in question.text_of(reading.coverage.near):
        yield f'"{word}" is no name here: it is read by the name nearest in meaning'


def _ties(reading: Reading) -> Iterator[str]:
    kept = _kept(reading.tree)
    if kept is not None and reading.denotation.count > kept:
        places = "first place" if kept == 1 else f"first {kept} places"
        places = "place" if _is_nth(reading.tree) else places
        yield f"{reading.denotation.count} rows share the {places}: those that tie are all shown"


def _is_nth(tree: Tree) -> bool:
    return isinstance(tree, Values) and isinstance(tree.rows, Top) and tree.rows.single


def _kept(tree: Tree) -> int | None:
    if isinstance(tree, Grouped):
        return tree.n if tree.largest is not None else None
    if isinstance(tree, Values) and isinstance(tree.rows, Top) and not tree.distinct:
        if tree.rows.within is not None:
            return None
        return 1 if tree.rows.single else tree.rows.n
    return None


def _one_of_two(cond: Cond, reading: Reading, data: TableData) -> Iterator[str]:
    """Rows that have no value in one of two columns which are held against each other."""
    for col in (cond.col, cond.other) if isinstance(cond, Against) else ():
        if blank := int((data.columns[col.index].encoded(col.facet).codes < 0).sum()):
            have, are = ("row has", "is") if blank == 1 else ("rows have", "are")
            name = reading.relation.names[col.index]
            yield f'{blank} {have} no "{name}" and {are} not compared'


def _blanks(cond: Cond, reading: Reading, data: TableData) -> Iterator[str]:
    if not isinstance(cond, Not) or isinstance(cond.cond, Filled):
        return
    col = getattr(cond.cond, "col", None)
    if not isinstance(col, Col):
        return
    blank = int((data.columns[col.index].encoded(col.facet).codes < 0).sum())
    if blank:
        name = reading.relation.names[col.index]
        yield f"{blank} row{'s have' if blank > 1 else ' has'} no {name}; counted as not being so"


def _unsaid(question: Question, cond: Cond, reading: Reading, data: TableData) -> Iterator[str]:
    """Rows of which a column says neither yes nor no, where those are asked for that are not so."""
    if not isinstance(cond, In) or not question.of("negation"):
        return
    column = data.columns[cond.col.index]
    said = flag(cond.col.index, column)
    blank = int((column.codes < 0).sum())
    if said is not None and said.no == cond and blank:
        name = reading.relation.names[cond.col.index]
        yield f"{blank} row{'s say' if blank > 1 else ' says'} nothing of {name}; left out"


def _window(cond: Cond, reading: Reading, data: TableData) -> Iterator[str]:
    """Where a stretch of time holds nothing: the stretch, and what the data covers."""
    if not isinstance(cond, Within | Cmp):
        return
    column = data.columns[cond.col.index]
    bound = cond.low if isinstance(cond, Within) else cond.bound
    if not column.temporal or not isinstance(bound, dt.date):
        return
    floats = column.encoded(cond.col.facet).floats
    if not len(floats) or np.isnan(floats).all():
        return
    values = column.encoded(cond.col.facet).values
    first, last = values[int(np.nanargmin(floats))], values[int(np.nanargmax(floats))]
    empty = reading.denotation.empty or reading.denotation.rows[0] in ((0,), (0.0,))
    if empty:
        name = reading.relation.names[cond.col.index]
        asked = f"{cond.low} to before {cond.high}" if isinstance(cond, Within) else f"{bound}"
        yield f"nothing for {name} {asked}; the data covers {first} to {last}"
