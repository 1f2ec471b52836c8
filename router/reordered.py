"""The groups of the last answer once more: sorted, or as shares of all.

Takes a follow-up that names none of its columns ("sort descending", "as a percentage")
and the query of the last answer; gives a query over it with what it does, or None where the last
answer has no groups with one measure.
"""

from __future__ import annotations

import re

from sqlglot import exp

from router.rows_behind import groups_of
from sql_engine.sql_names import quote

_BEFORE = r"(?:(?:and|now|then|just|only|please|show|give|me|it|them|that|those)\s+)*"
_SORTED = re.compile(
    rf"{_BEFORE}(?:(?:sort|order|rank)(?:ed)?(?: (?:it|them|these|those))?,? (?:in )?"
    r"(?:(?P<down>descending|desc)|ascending|asc)(?: order)?"
    r"|(?:the )?(?:(?P<most>highest|largest|biggest|most)|lowest|smallest|least|fewest) first)",
    re.IGNORECASE,
)
_SHARES = re.compile(
    rf"{_BEFORE}(?:as|in) (?:an? )?(?:percent(?:ages?)?|per cent|%|shares?)"
    r"(?: of (?:the )?(?:total|whole|all))?",
    re.IGNORECASE,
)


def reordered(text: str, sql: str) -> tuple[str, str] | None:
    """The query that a follow-up makes of the last one, and what is told of it."""
    groups = groups_of(sql)
    if groups is None or len(groups.measures) != 1:
        return None
    measure = quote(groups.measures[0].alias_or_name)
    over, of_last = f"SELECT * FROM ({sql}) AS q", "groups of the last answer"
    if found := _SORTED.fullmatch(text):
        down = found["down"] or found["most"]
        return (
            f"{over} ORDER BY {measure} {_way(down)} NULLS LAST",
            f"the {of_last}, sorted",
        )
    if _SHARES.fullmatch(text) and _adds_up(groups.measures[0]) and not groups.restricted:
        keys = ", ".join(map(quote, groups.keys))
        share = f'100.0 * {measure} / NULLIF(SUM({measure}) OVER (), 0) AS "percent of all"'
        return (
            f"SELECT {keys}, {share} FROM ({sql}) AS q",
            f"the {of_last}, as shares of all",
        )
    return None


def _way(down: str | None) -> str:
    return "DESC" if down else "ASC"


def _adds_up(measure: exp.Expression) -> bool:
    """Whether the groups' figures together are those of all rows: a count of rows, or a sum."""
    told = measure.unalias()
    return isinstance(told, exp.Sum | exp.Count) and not told.find(exp.Distinct)
