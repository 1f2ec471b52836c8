"""What of a table goes into a prompt: one row, the rows named, the columns asked for, or all of it.

Takes a table with the rows a question is about (`MatchingRows`); gives text. A table that does not
fit is cut into slices that repeat the header; of many chunks the best stand first and last, where a
language model reads best (Liu et al. 2024, "Lost in the Middle").
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeVar

from retrieval.cell_choice import choose_cell
from retrieval.hits import MatchingRows
from retrieval.serialize import breadcrumb
from retrieval.table import Table
from retrieval.tokenize import STOP_WORDS, tokens
from retrieval.widening import WIDE_SHARE

SMALL_TABLE_TOKENS = 2000
"""A table of at most so many tokens goes whole where the whole table is asked for."""

_CHARACTERS_PER_TOKEN = 2.5
"""What tables of figures and names come to as Markdown with current tokenizers, about. Prose has 4;
Llama 2's tokenizer, to which each digit is a token, sees 1.5 to 3 in the sample tables."""

Chunk = TypeVar("Chunk")


def estimated_tokens(text: str) -> int:
    """About how many tokens a language model sees in a table's `text`."""
    return math.ceil(len(text) / _CHARACTERS_PER_TOKEN)


def widened(matching: MatchingRows, table: Table) -> list[int]:
    """The rows to give: those that match, or all where most do or none is told from the others."""
    rows: list[int] = matching.rows.tolist()
    if not rows or matching.share > WIDE_SHARE:
        return list(range(table.row_count))
    return rows


def asked_columns(question: str, table: Table, rows: Sequence[int]) -> list[int]:
    """The columns a question needs: the row's name, headers said, the cells it asks for."""
    said = set(tokens(question)) - STOP_WORDS
    named = 0 if table.key is None else table.key
    found = {named}
    for number, column in enumerate(table.columns):
        header = set(tokens(column.name)) - STOP_WORDS
        if said & header:
            found.add(number)
    for row in rows[:1]:
        choice = choose_cell(question, table, row)
        if choice is not None:
            found.add(choice.column)
    return sorted(found) if len(found) > 1 else list(range(len(table.columns)))


def table_slices(
    table: Table,
    rows: Sequence[int] | None = None,
    columns: Sequence[int] | None = None,
    *,
    max_tokens: int = SMALL_TABLE_TOKENS,
) -> Iterator[str]:
    """A table (or some rows and columns of it) as Markdown, its header repeated on every slice.

    A slice has at most `max_tokens` estimated tokens, or one row.
    """
    chosen = range(len(table.columns)) if columns is None else columns
    head = _head(table, chosen)
    room = int(max_tokens * _CHARACTERS_PER_TOKEN) - len(head)
    lines: list[str] = []
    used = 0
    for row in range(table.row_count) if rows is None else rows:
        line = _line([table.columns[i].text_at(row) for i in chosen])
        if lines and used + len(line) + 1 > room:
            yield "\n".join([head, *lines])
            lines, used = [], 0
        lines.append(line)
        used += len(line) + 1
    if lines:
        yield "\n".join([head, *lines])


def small_table(table: Table) -> str | None:
    """The whole of a table as Markdown; None where it has more than `SMALL_TABLE_TOKENS`."""
    texts = (text for column in table.columns for text in (column.name, *column.texts))
    if estimated_tokens("".join(texts)) > SMALL_TABLE_TOKENS:
        return None
    slices = list(table_slices(table))
    return slices[0] if len(slices) == 1 else None


def part_of_table(question: str, table: Table, matching: MatchingRows) -> str | None:
    """Of a large table, the rows and columns that a question needs, under a line that says how much
    that is; None where they come to more than `SMALL_TABLE_TOKENS`.
    """
    rows = matching.rows.tolist()
    columns = asked_columns(question, table, rows)
    told = (
        f"{len(rows):,} of {table.row_count:,} rows, {len(columns)} of {len(table.columns)} columns"
    )
    if not rows or len(rows) > SMALL_TABLE_TOKENS:
        return None
    slices = list(table_slices(table, rows, columns))
    return f"{told}\n\n{slices[0]}" if len(slices) == 1 else None


def context(question: str, table: Table, matching: MatchingRows) -> str:
    """The part of `table` that answers `question`: its rows by its columns, or the whole."""
    rows = widened(matching, table)
    if len(rows) == table.row_count:
        return "\n\n".join(table_slices(table))
    return "\n\n".join(table_slices(table, rows, asked_columns(question, table, rows)))


def best_at_the_ends(best_first: Sequence[Chunk]) -> list[Chunk]:
    """The same chunks, the best first and the second best last, the weakest in the middle."""
    return [*best_first[::2], *reversed(best_first[1::2])]


def _head(table: Table, columns: Sequence[int]) -> str:
    lines = [f"**{breadcrumb(table)}**"]
    if table.unit:
        lines.append(f"Unit: {table.unit}")
    lines += ["", _line([table.columns[i].name for i in columns])]
    return "\n".join([*lines, "|" + " --- |" * len(columns)])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |"
