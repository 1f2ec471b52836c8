"""What a language model may add to the routes: it names evidence, and words rows.

When no route answers on its own, it names the piece of evidence that does.

Only where the settings let rows reach a model (`share="rows"`). Takes the question with what was
found for it; gives the row's cell or the paragraph as published, nothing in the model's words.
"""

from __future__ import annotations

from dataclasses import replace

from router.answer import Answer
from router.by_row import cell_answer
from router.by_text import paragraph_answer
from router.question import Asked, Nothing
from sql_engine.evidence_naming import Naming, Paragraph, Row, name_evidence
from sql_engine.openai_writer import OpenAIWriter
from sql_engine.result import Result
from sql_engine.wording import word_answer
from sql_engine.writer import Usage

CONFIDENCE = 0.6
"""Of an answer whose evidence a model named: its words did not cover the question."""


def answer(asked: Asked) -> Answer | Nothing:
    """The named evidence. Raises WriterError where the model fails."""
    writer = asked.writer
    if not isinstance(writer, OpenAIWriter) or writer.share != "rows":
        return Nothing()
    rows, text = list(asked.evidence.rows), asked.evidence.text
    pieces: list[Paragraph | Row] = [Row(hit.title, tuple(hit.cells.items())) for hit in rows]
    if text is not None:
        pieces.append(Paragraph(text.hit.text))
    if not pieces:
        return Nothing()
    named = name_evidence(writer.chat, asked.question, pieces)
    found = _found(asked, named)
    return Nothing("the model finds no evidence") if found is None else found


def worded(asked: Asked, answered: Answer, result: Result) -> Answer:
    """The answer in a model's words, where that is wanted and its figures hold."""
    writer = asked.writer
    if not isinstance(writer, OpenAIWriter) or not writer.words_answers:
        return answered
    text, usage = word_answer(writer.chat, asked.question, result)
    return replace(answered, text=text or answered.text, usage=(answered.usage or Usage()) + usage)


def _found(asked: Asked, named: Naming) -> Answer | None:
    if named.piece is None:
        return None
    rows, text = asked.evidence.rows, asked.evidence.text
    if named.piece < len(rows):
        hit = rows[named.piece]
        table = asked.table(hit.table_id).table
        column = table.headers.index(named.column) if named.column else None
        found = cell_answer(asked.question, table, hit.row_position, column, CONFIDENCE)
        reason = f"A model names this row of {hit.title} as the evidence."
    elif text is not None:
        found = paragraph_answer(asked.question, text.hit, CONFIDENCE)
        reason = f'A model names this paragraph as the evidence: "{named.span}".'
    else:
        return None
    return replace(found, reason=reason, usage=named.usage)
