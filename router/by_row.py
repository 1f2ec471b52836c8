"""The row route: the cell or the few rows that a question names, quoted as published.

Takes the rows found; gives the answer with the cell's unit and footnotes. Gives nothing where the
question has words that the row does not account for: a near row is no answer. The same words in
two tables are two readings, and both are shown.
"""

from __future__ import annotations

import re
from dataclasses import replace

from retrieval.cell_choice import choose_cell
from retrieval.hits import RowHit
from retrieval.table import Kind, Table
from router import row_doubts
from router.all_of_them import named_as_well
from router.answer import Answer, Citation, Reading, Route
from router.asked_cell import named_columns
from router.coordinated import coordinated, second_question
from router.coverage import stems_of
from router.cues import operations
from router.grouping import beyond_one
from router.json_values import to_text
from router.question import Asked, Nothing
from router.question_forms import asks_for_an_amount, asks_for_rows, asks_for_several
from router.row_evidence import NO_COLUMN, RowEvidence
from router.typed import typed_rows, value_at
from router.wording import short_title
from sql_engine.respelt import respelt

GUESSED = NO_COLUMN
"""Below this least confidence a cell is answered whose column the question does not name."""


def answer(asked: Asked) -> Answer | Nothing:
    """The asked cell, or the rows that match, where the question is covered."""
    found = asked.evidence.row
    if found is None:
        return Nothing()
    best, confidence = found.hit, found.confidence
    if confidence < asked.min_confidence:
        return Nothing(_why_not(found), found.open_words)
    if found.tied and asked.min_confidence:
        return Nothing("several rows have these words, and a look-up finds one")
    entry = asked.table(best.table_id)
    if left := beyond_one(asked, entry, () if best.total else best.cells.values()):
        return Nothing(words=tuple(left))
    rivals = _rivals(asked, best)
    if rivals:
        return _ask_back(asked, best, rivals, confidence)
    rows = found.matching.rows.tolist()
    several = len(rows) > 1 and best.row_position in rows and not found.stated
    told = rows if several else [best.row_position]
    others = 0 if best.total else named_as_well(asked.question, entry.table, best, told)
    if others and asked.min_confidence:
        return Nothing(f"{others:,} rows match, and a look-up finds {len(told):,} of them")
    if several:
        if _tells_some(entry.table, best):
            return Nothing("a column of yes and no tells some of these rows from others")
        if not asked.min_confidence and _stands_out(asked, found):
            return _one(asked, found)
        if found.cell is not None and operations(asked.question):
            return Nothing(f"{len(rows):,} rows match, which have to be put together")
        return row_doubts.doubt(asked, entry.table, rows) or _several(asked, found, rows)
    return row_doubts.doubt(asked, entry.table, [best.row_position]) or _one(asked, found)


def _stands_out(asked: Asked, found: RowEvidence) -> bool:
    """Whether one cell is asked for, and the best row that matches is better than the next."""
    question = asked.question
    several = asks_for_several(question) and not asks_for_an_amount(question)
    if found.guess is None or several or asks_for_rows(question):
        return False
    scores = [hit.score for hit in asked.evidence.rows if hit.table_id == found.hit.table_id]
    return len(scores) < 2 or scores[0] > scores[1]


def _tells_some(table: Table, best: RowHit) -> bool:
    """Whether the question names a column of yes and no: "paid orders of Ada" are some of hers."""
    said = stems_of(best.coverage.header_words)
    flags = (c for c in table.columns if c.type.kind is Kind.BOOLEAN)
    return any(stems_of([column.name]) <= said for column in flags)


def _why_not(found: RowEvidence) -> str:
    if found.open_words:
        return ""
    return f"no column of {found.hit.table} is named for the row that matches"


def _rivals(asked: Asked, best: RowHit) -> list[RowHit]:
    """Rows of other tables that the question covers as well."""
    wanted = set(best.coverage.cell_words) | set(best.coverage.header_words)
    found: dict[str, RowHit] = {}
    for hit in asked.evidence.rows:
        covered = set(hit.coverage.cell_words) | set(hit.coverage.header_words)
        as_named = len(hit.named) >= len(best.named)
        if hit.table_id != best.table_id and covered >= wanted and as_named:
            found.setdefault(hit.table_id, hit)
    return list(found.values())


def _ask_back(asked: Asked, best: RowHit, rivals: list[RowHit], confidence: float) -> Answer:
    """Rows of several tables fit: each is shown, none is given as the answer."""
    readings = tuple(_reading(asked, hit, confidence) for hit in (best, *rivals))
    names = ", ".join(asked.table(hit.table_id).name for hit in (best, *rivals))
    return Answer(
        question=asked.question,
        route=Route.DECLINED,
        text=f"The same words name a row in several tables ({names}): say which is meant.",
        alternatives=readings,
        confidence=confidence / len(readings),
        reason=f"Rows of {names} fit the question equally.",
    )


def _reading(asked: Asked, hit: RowHit, confidence: float) -> Reading:
    entry = asked.table(hit.table_id)
    choice = choose_cell(asked.question, entry.table, hit.row_position)
    column = None if choice is None else choice.column
    return Reading(
        reading=f"{entry.name}: {_sentence(entry.table, hit.row_position, column)}",
        sql=None,
        confidence=confidence,
        columns=entry.table.headers,
        rows=(entry.table.row(hit.row_position),),
        value=None if column is None else value_at(entry.table.columns[column], hit.row_position),
    )


def _one(asked: Asked, found: RowEvidence) -> Answer | Nothing:
    hit, table = found.hit, asked.table(found.hit.table_id).table
    naming = [column.name for column in named_columns(table, hit)]
    several = coordinated(asked.question, table, naming)
    if several:
        return _cells(asked, table, hit.row_position, several, found.confidence)
    if asked.min_confidence and (opened := second_question(asked.question)):
        return Nothing(words=(opened,))
    column = _column(found)
    if column is None and found.guess is not None and asked.min_confidence < GUESSED:
        column = found.guess.column
    told = cell_answer(asked.question, table, hit.row_position, column, found.confidence)
    read = tuple(respelt(asked.question, found.label_texts))
    return replace(told, warnings=(*told.warnings, *read))


def _cells(
    asked: Asked, table: Table, row: int, columns: tuple[int, ...], confidence: float
) -> Answer:
    """Several cells of a row, each quoted; no one of them is the value."""
    whole = cell_answer(asked.question, table, row, None, confidence)
    told = "; ".join(_sentence(table, row, column) for column in columns)
    return replace(whole, text=told)


def cell_answer(
    question: str, table: Table, row: int, column: int | None, confidence: float
) -> Answer:
    """One cell of a row, or the row where `column` is None."""
    return Answer(
        question=question,
        route=Route.ROW,
        text=_sentence(table, row, column),
        value=None if column is None else value_at(table.columns[column], row),
        columns=table.headers,
        rows=[table.row(row)],
        typed=typed_rows(table, [row]),
        total_rows=1,
        citations=(cite_rows(table, [row], column),),
        warnings=_warnings(table, [row], column),
        confidence=confidence,
    )


def _several(asked: Asked, found: RowEvidence, rows: list[int]) -> Answer:
    """Rows that match equally: shown together, none preferred."""
    table = asked.table(found.hit.table_id).table
    shown = rows[: asked.limits.max_rows]
    column = _column(found)
    return Answer(
        question=asked.question,
        route=Route.ROW,
        text=f"{len(rows):,} rows of {table.title} match.",
        columns=table.headers,
        rows=[table.row(row) for row in shown],
        typed=typed_rows(table, shown),
        truncated=len(shown) < len(rows),
        total_rows=len(rows),
        citations=(cite_rows(table, shown, column),),
        warnings=_warnings(table, shown, column),
        confidence=found.confidence,
    )


def _column(found: RowEvidence) -> int | None:
    return None if found.cell is None else found.cell.column


def _sentence(table: Table, row: int, column: int | None) -> str:
    """`7 days (Return window, Signed edition)`, with unit and footnotes; or the whole row."""
    name = row_name(table, row)
    if column is None:
        cells = (f"{c.name}: {t}" for c in table.columns if (t := c.text_at(row)) and t != name)
        return " ".join([f"{name} · " + " · ".join(cells), *_notes_of_row(table, row)])
    cell = table.columns[column]
    where = cell.name if column == table.key else f"{cell.name}, {name}"
    return " ".join([f"{_with_unit(table, row, column)} ({where})", *notes_of(table, row, column)])


def _with_unit(table: Table, row: int, column: int) -> str:
    """The cell as published, its unit added where the cell does not say it."""
    cell = table.columns[column]
    text, unit = cell.text_at(row) or "no value", cell.type.unit
    told = unit is None or unit.casefold() in text.casefold() or _SAYS_UNIT.search(text)
    return text if told or not any(char.isdigit() for char in text) else f"{text} {unit}"


_SAYS_UNIT = re.compile(r"\d\s?[^\W\d_]")
"""A cell that says its own unit: "900 kg" in a column counted in tonnes, "45m"."""


def row_name(table: Table, row: int) -> str:
    """What a person would call the row: its key's cell, else its first cell with text."""
    if table.key is not None and (text := table.columns[table.key].text_at(row)):
        return text
    return next((text for text in table.row(row) if text), f"row {row}")


def notes_of(table: Table, row: int, column: int) -> list[str]:
    """The footnotes of a cell, of its row's name and of its header."""
    places = {(row, column), (-1, column)}
    if table.key is not None:
        places.add((row, table.key))
    return [n.told for n in table.notes if places & set(n.cells)]


def _notes_of_row(table: Table, row: int) -> list[str]:
    """The footnotes of all the cells of a row."""
    return [n.told for n in table.notes if any(place == row for place, _ in n.cells)]


def cite_rows(table: Table, rows: list[int], column: int | None = None) -> Citation:
    """The citation of some rows of a table."""
    return Citation(
        document=table.document,
        version=table.version,
        table_id=table.table_id,
        title=table.title,
        rows=tuple(rows),
        columns=() if column is None else (table.columns[column].name,),
        page=table.page_of(rows[0]) if rows else None,
        line=table.line_of(rows[0]) if rows else None,
    )


def _warnings(table: Table, rows: list[int], column: int | None) -> tuple[str, ...]:
    found = [
        f"{to_text(row_name(table, row))} is a total or balance, no record, "
        f"of {short_title(table.title)}"
        for row in rows
        if row in table.totals
    ]
    found += [
        f"{to_text(row_name(table, row))} is labelled as total or mean but does not add up"
        for row in rows
        if row in table.unverified
    ]
    if column is not None:
        found += table.columns[column].type.warnings
    return tuple(found)
