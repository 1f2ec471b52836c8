"""Medians and quantiles of decimals: DuckDB gives them the column's own scale, and so cuts digits.

The median of 1.1 and 1.2 is 1.15, and 1.1 to DuckDB where both are DECIMAL(3,1). Takes a checked
text with the columns it names; gives edits that read the argument as DOUBLE, as DuckDB's own AVG
does. Where the argument is more than columns and numbers, a warning is all that can be given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from retrieval.table import NUMERIC, Kind
from sql_engine.catalog import CatalogColumn
from sql_engine.edits import Edit
from sql_engine.sql_names import fold
from sql_engine.tokens import Token, Words, span, tokens

INTERPOLATING = frozenset({"median", "quantile_cont", "percentile_cont", "mad"})
"""Aggregates whose result may lie between two values of the column."""

MAY_BE_CUT = "a median of decimals may have lost digits: cast what it is taken of to DOUBLE"


@dataclass(frozen=True)
class Widened:
    """What to change in a text, and what could not be changed."""

    edits: tuple[Edit, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    """How the engine names a changed argument in a label, and how it was written."""
    notes: tuple[str, ...] = ()


def widened(text: str, columns: Sequence[CatalogColumn], defined: Collection[str]) -> Widened:
    """The edits for every interpolating aggregate over decimals.

    Args:
        text: a checked statement.
        columns: the base columns that it names.
        defined: folded names that it makes itself.
    """
    if not any(column.kind is Kind.DECIMAL for column in columns):
        return Widened()
    kinds: dict[str, set[Kind]] = {}
    for column in columns:
        kinds.setdefault(fold(column.name), set()).add(column.kind)
    known = {name: found for name, found in kinds.items() if name not in defined}
    edits, renamed, unsure = [], [], False
    for argument in _arguments(Words([t for t in tokens(text) if t.kind != "comment"])):
        named = _kinds_in(argument, known)
        if named is None:
            unsure = True
        elif Kind.DECIMAL in named:
            start, end = span(argument)
            written = text.encode()[start:end].decode()
            edits.append(Edit(start, end, f"CAST({written} AS DOUBLE)"))
            renamed.append((f"CAST({written} AS DOUBLE)", written))
    return Widened(tuple(edits), tuple(renamed), (MAY_BE_CUT,) if unsure else ())


def _arguments(words: Words) -> Iterator[tuple[Token, ...]]:
    """What each interpolating aggregate is taken of."""
    for index in range(len(words.tokens)):
        call = words.call(index) if words.lower(index) in INTERPOLATING else None
        if call is None or not call.arguments:
            continue
        close = words.tokens.index(call.close)
        if words.lower(close + 1) == "within":  # percentile_cont(0.5) WITHIN GROUP (ORDER BY x)
            ordered = words.call(close + 2)
            yield _sorted_by(ordered.arguments[0]) if ordered and ordered.arguments else ()
        else:
            yield _bare(call.arguments[0])


def _bare(argument: tuple[Token, ...]) -> tuple[Token, ...]:
    """The argument without DISTINCT before and ORDER BY after it."""
    texts = [token.text.lower() for token in argument]
    end = texts.index("order") if "order" in texts else len(texts)
    return argument[1 if texts[:1] in (["distinct"], ["all"]) else 0 : end]


def _sorted_by(argument: tuple[Token, ...]) -> tuple[Token, ...]:
    """The sort key of `ORDER BY x DESC`."""
    kept = argument[2:]
    while kept and kept[-1].text.lower() in ("asc", "desc", "nulls", "first", "last"):
        kept = kept[:-1]
    return kept


def _kinds_in(argument: tuple[Token, ...], known: dict[str, set[Kind]]) -> set[Kind] | None:
    """The kinds of the columns in an expression of columns and numbers; None for any other."""
    if _is_double(argument):
        return {Kind.DOUBLE}
    found: set[Kind] = set()
    for place, token in enumerate(argument):
        following = argument[place + 1].text if place + 1 < len(argument) else ""
        if token.kind == "identifier" and following != ".":
            kinds = known.get(fold(_unquoted(token.text)))
            if kinds is None or following == "(" or not kinds <= NUMERIC:
                return None
            found |= kinds
        elif token.kind not in ("identifier", "numeric_const") and token.text not in "+-*/().":
            return None
    return found or None


def _is_double(argument: tuple[Token, ...]) -> bool:
    """Whether the whole argument is one cast to DOUBLE already."""
    texts = [token.text.lower() for token in argument]
    if texts[:2] not in (["cast", "("], ["try_cast", "("]) or texts[-3:] != ["as", "double", ")"]:
        return False
    depths = list(accumulate((text == "(") - (text == ")") for text in texts[1:]))
    return 0 not in depths[:-1]


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name
