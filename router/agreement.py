"""A published cell and a computed answer to the same question: they agree, or one is doubted.

Takes what one of the two routes found and asks the other. Two readings that agree are sure; where a
query that is certain of itself says something else than the cell, neither is given as the answer,
and both are shown. Where every question is to be answered, the query's is taken then.
"""

from __future__ import annotations

from dataclasses import replace

from retrieval.table import NUMERIC, Column
from router import by_row, by_sql
from router.answer import Answer, Route
from router.asked_cell import fits
from router.cell_query import as_query
from router.coverage import Stems, stems_of, telling_stems
from router.cues import Cue, operations
from router.evaluation.sameness import same_cell
from router.intent import STATED
from router.question import Asked, Nothing
from router.question_forms import asks_whether
from router.readings import of_answer
from router.row_evidence import RowEvidence
from router.stated import COUNTED, may_count, tells_difference
from router.wording import as_read
from sql_engine.errors import Cancelled, LimitExceeded, SqlEngineError

CERTAIN = 0.5
"""Confidence of a query from which it casts doubt on a cell that says something else."""


def computed(asked: Asked) -> Answer | Nothing:
    """The query's answer to what one published cell may state; the cell's where the query fails."""
    cell = by_row.answer(asked)
    if isinstance(cell, Answer) and cell.declined:
        return cell
    if not isinstance(cell, Answer) or cell.value is None:
        return by_sql.answer(asked)
    try:
        query = _query(asked)
    except LimitExceeded as error:
        return _unweighed(cell, error)
    if query is None or not _agree(cell, query):
        return _read(asked, _weighed(asked, cell, query), cell)
    return replace(
        query,
        text=cell.text,
        citations=cell.citations,
        warnings=tuple(dict.fromkeys((*cell.warnings, *query.warnings))),
        confidence=max(cell.confidence, query.confidence),
    )


def _read(asked: Asked, weighed: Answer, cell: Answer) -> Answer:
    """The published cell by the query that reads it, where one row alone fits."""
    row = asked.evidence.row
    if weighed is not cell or row is None:
        return weighed
    return as_query(asked, cell, row) or cell


def looked_up(asked: Asked) -> Answer | Nothing:
    """The cell that answers, where no certain query says something else."""
    cell, row = by_row.answer(asked), asked.evidence.row
    literal = not asked.writer.knows_language
    if not isinstance(cell, Answer) or not _tells_one(cell) or row is None:
        return cell
    if row.named_in_full and not _is_unverified(asked):
        return cell
    try:
        return _weighed(asked, cell, _query(asked)) if literal else cell
    except LimitExceeded as error:
        return _unweighed(cell, error)


def surer(asked: Asked, *, computed: bool) -> Answer | Nothing:
    """The query's answer; where every question is answered, the cell's if that is surer.

    What has to be computed may be stated by the figure of a measure.
    """
    query, row = by_sql.answer(asked), asked.evidence.row
    if asked.min_confidence or row is None:
        return query
    sure = query.confidence if isinstance(query, Answer) else 0.0
    cell = by_row.answer(asked) if sure < row.confidence else Nothing()
    if not isinstance(cell, Answer) or not _tells_one(cell):
        return query
    if computed and not _may_be_stated(asked, row, query):
        return query
    if isinstance(query, Answer) and _is_one_of_several(cell, query):
        return query
    return replace(cell, reason="No query is as sure as the cell that may state what is asked.")


def _may_be_stated(asked: Asked, row: RowEvidence, query: Answer | Nothing) -> bool:
    """Whether the cell that the question names may state what has to be computed.

    Under a header that is a stretch of time a row is a measure: its figures are published, and
    there are no records to count. Of a record an amount may be told where no query could be
    formed.
    """
    chosen, cues = row.cell or row.guess, operations(asked.question)
    if chosen is None or asks_whether(asked.question):
        return False
    table = asked.table(row.hit.table_id).table
    if not all(_states(cue, table.columns[chosen.column]) for cue in cues):
        return False
    if row.is_of_a_measure:
        return True
    counting = [cue for cue in cues if cue.operator in COUNTED]
    place = row.hit.row_position
    counts = all(may_count(asked.question, cue, table, place, chosen) for cue in counting)
    return counts and row.tells_amount and isinstance(query, Nothing)


def _states(cue: Cue, column: Column) -> bool:
    return tells_difference(column) if cue.operator == "difference" else cue.operator in STATED


def _is_one_of_several(cell: Answer, query: Answer) -> bool:
    """Whether a certain query tells more rows, of which the cell is of one."""
    if query.confidence < CERTAIN or query.declined or len(query.rows) < 2:
        return False
    return any(same_cell(cell.value, told) for row in query.rows for told in row)


def _query(asked: Asked) -> Answer | None:
    """What a query answers at any confidence, where that is one value.

    Raises Cancelled and LimitExceeded: what was not computed agrees with nothing.
    """
    try:
        found = by_sql.answer(replace(asked, min_confidence=0.0))
    except (Cancelled, LimitExceeded):
        raise
    except SqlEngineError:
        return None
    return found if isinstance(found, Answer) and _tells_one(found) else None


def _tells_one(found: Answer) -> bool:
    return not found.declined and found.value is not None


def _agree(cell: Answer, query: Answer) -> bool:
    return same_cell(cell.value, query.value)


def _is_unverified(asked: Asked) -> bool:
    """Whether the cell is of a totals row that does not add up: what the rows say is told too."""
    row = asked.evidence.row
    return (
        row is not None and row.hit.row_position in asked.table(row.hit.table_id).table.unverified
    )


def _is_guess(asked: Asked) -> bool:
    """Whether the question names no column of the cell: told only where all is to be answered."""
    row = asked.evidence.row
    return row is not None and row.cell is None and not asked.min_confidence


def _casts_doubt(asked: Asked, cell: Answer, query: Answer) -> bool:
    """Whether a query says something of its own: certain, and with every word of the question.

    That there is one row, where one row is named, is no other answer.
    """
    if query.confidence < CERTAIN or _counts_the_row(cell, query):
        return False
    return not _left_open(asked.question, query) and not _tells_another_kind(asked, query)


def _counts_the_row(cell: Answer, query: Answer) -> bool:
    return query.value == 1 and _rows_of(query) == _rows_of(cell)


def _tells_another_kind(asked: Asked, query: Answer) -> bool:
    """Whether a query computes from columns none of which can hold what is asked for."""
    read = [
        asked.table(cited.table_id).column(name)
        for cited in query.citations
        if cited.table_id is not None
        for name in cited.columns
    ]
    amounts = [column.source for column in read if column and column.kind in NUMERIC]
    return bool(amounts) and not any(fits(asked.question, column) for column in amounts)


def _rows_of(answer: Answer) -> set[tuple[str | None, int]]:
    return {(cited.table_id, row) for cited in answer.citations for row in cited.rows}


def _left_open(question: str, query: Answer) -> Stems:
    """Words of the question that neither the query nor its operations say."""
    computed = stems_of(" ".join(cue.phrase) for cue in operations(question))
    return telling_stems(question) - computed - stems_of([query.sql or "", query.text])


def _unweighed(cell: Answer, error: LimitExceeded) -> Answer:
    """The published cell, with the word that no query over the rows was held against it."""
    return replace(cell, warnings=(*cell.warnings, f"not compared with the rows: {error}"))


def _weighed(asked: Asked, cell: Answer, query: Answer | None) -> Answer:
    if query is None or _agree(cell, query):
        return cell
    if _is_guess(asked) and query.confidence > cell.confidence:
        return query
    if not _is_unverified(asked) and not _casts_doubt(asked, cell, query):
        return cell
    if not asked.min_confidence:
        return query
    readings = (of_answer(cell), of_answer(query))
    told = " or ".join(str(as_read(reading.value)) for reading in readings)
    return Answer(
        question=asked.question,
        route=Route.DECLINED,
        text=f"The question can be read in two ways, which say {told}: say which is meant.",
        sql=query.sql,
        alternatives=readings,
        warnings=cell.warnings,
        confidence=cell.confidence / 2,
        reason="A cell and a query over the rows answer this differently.",
    )
