"""A language model words an answer from its rows; every figure and name in the words is checked.

Takes a model, a question and a result; gives one or two sentences, or None where a number, in
digits or in letters, or a name in them is in neither the rows nor the question. Off unless asked
for: the rows are the answer.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from sql_engine.errors import UnusableReply
from sql_engine.evidence_naming import Completes
from sql_engine.name_stems import stems
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import NUMBER_WORDS
from sql_engine.prompt import Message, sql_literal
from sql_engine.prompts import render
from sql_engine.result import Result
from sql_engine.writer import Usage

MAX_ROWS = 20
"""A longer result is not worded: a sentence about some of its rows is not the answer."""
_FIGURE = re.compile(r"(?:(?<!\w)[-−])?\d[\d,]*(?:\.\d+)?")
_NAME = re.compile(r"\b[^\W\d_a-z][^\W\d_]+")
"""A word that begins with a capital, or is of letters that have none."""
_LETTERS = frozenset(
    (*NUMBER_WORDS, "thousand", "million", "billion", "half", "third", "quarter", "double")
)


def word_answer(chat: Completes, question: str, result: Result) -> tuple[str | None, Usage]:
    """Words for a result with what they cost. Raises WriterError where the model fails."""
    if result.truncated or not 0 < len(result.rows) <= MAX_ROWS:
        return None, Usage()
    rows = "\n".join(", ".join(sql_literal(str(value)) for value in row) for row in result.rows)
    prompt = render(
        "wording",
        columns=", ".join(map(sql_literal, result.columns)),
        rows=rows,
        question=" ".join(question.split()),
    )
    try:
        reply = chat.complete([Message("user", prompt)])
    except UnusableReply as error:
        return None, error.usage or Usage()
    text = " ".join(reply.texts[0].split())
    return (text if holds(text, question, result) else None), reply.usage


def holds(text: str, question: str, result: Result) -> bool:
    """Whether each number in a text is a value of the result, rounded or not, or is in the
    question, or counts the rows; and each name is in a cell, a header or the question.
    """
    told = " ".join([question, *result.columns, *(str(v) for row in result.rows for v in row)])
    return _figures_hold(text, question, result) and _words_hold(text, told)


def _figures_hold(text: str, question: str, result: Result) -> bool:
    known = [number for row in result.rows for value in row for number in _numbers(str(value))]
    known += [*_numbers(question), Decimal(len(result.rows))]
    return all(any(_same(figure, number) for number in known) for figure in _numbers(text))


def _words_hold(text: str, told: str) -> bool:
    """Whether numbers in letters are told in letters, and capitalised words are told at all."""
    known = stems(told)
    spelled = [word for word in re.findall(r"[a-z]+", text.casefold()) if word in _LETTERS]
    named = [name for name in _NAME.findall(text) if name.casefold() not in lexicon().function]
    return all(stems(word) <= known for word in (*spelled, *named))


def _numbers(text: str) -> list[Decimal]:
    found = []
    for match in _FIGURE.finditer(text):
        try:
            found.append(Decimal(match[0].replace(",", "").replace("−", "-")))
        except InvalidOperation:
            continue
    return found


def _same(told: Decimal, known: Decimal) -> bool:
    """Equal, or equal when the known one is rounded to as many places as were told."""
    places = -int(told.as_tuple().exponent)
    return told == known or (places > 0 and round(known, places) == told)
