"""What a language model may add to the routes: it names evidence, and words rows.

When no route answers on its own, it names the piece of evidence that does.

Only where the settings let rows reach a model (`share="rows"`). Takes the question with what was
found for it, the best first and last; gives the row's cell or the paragraph as published, nothing
in the model's words.
"""

from __future__ import annotations

from dataclasses import replace

from retrieval.context import best_at_the_ends
from retrieval.hits import ParagraphHit, RowHit
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
    hits = best_at_the_ends(_best_first(asked))
    if not hits:
        return Nothing()
    named = name_evidence(writer.chat, asked.question, [_piece(hit) for hit in hits])
    if named.piece is None:
        return Nothing("the model finds no evidence", usage=named.usage)
    return replace(_found(asked, hits[named.piece], named), usage=named.usage)


def _best_first(asked: Asked) -> list[RowHit | ParagraphHit]:
    """The best row, the paragraph, and the other rows."""
    rows, text = asked.evidence.rows, asked.evidence.text
    return [*rows[:1], *([text.hit] if text is not None else []), *rows[1:]]


def _piece(hit: RowHit | ParagraphHit) -> Row | Paragraph:
    if isinstance(hit, ParagraphHit):
        return Paragraph(hit.text)
    return Row(hit.title, tuple(hit.cells.items()))


def worded(asked: Asked, answered: Answer, result: Result) -> Answer:
    """The answer in a model's words, where that is wanted and its figures hold."""
    writer = asked.writer
    if not isinstance(writer, OpenAIWriter) or not writer.words_answers:
        return answered
    text, usage = word_answer(writer.chat, asked.question, result)
    return replace(answered, text=text or answered.text, usage=(answered.usage or Usage()) + usage)


def _found(asked: Asked, hit: RowHit | ParagraphHit, named: Naming) -> Answer:
    if isinstance(hit, ParagraphHit):
        found = paragraph_answer(asked.question, hit, CONFIDENCE)
        return replace(
            found, reason=f'A model names this paragraph as the evidence: "{named.span}".'
        )
    table = asked.table(hit.table_id).table
    column = table.headers.index(named.column) if named.column else None
    found = cell_answer(asked.question, table, hit.row_position, column, CONFIDENCE)
    return replace(found, reason=f"A model names this row of {hit.title} as the evidence.")
