"""The period that the question asks for, held against the dates of the query.

Takes the question with its day, the query's tree and a probe; gives a `Problem` where the period is
left out, goes on too long or ends too early, and where the machine's clock stands for the day.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.table import TEMPORAL, Kind
from sql_engine.checks import Probe, Problem
from sql_engine.offline.periods import Period
from sql_engine.offline.question import read_question
from sql_engine.sql_names import quote
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp

_OPEN_ENDED = re.compile(
    r"\b(since|after|from|start(?:s|ed|ing)?|onwards?|until|before|between|through|later|earlier)\b",
    re.IGNORECASE,
)
_WHOLE = frozenset({"month", "quarter", "year"})
_DAY = dt.timedelta(days=1)


def clock_problems(today: dt.date, tree: SqlTree) -> Iterator[Problem]:
    """A query that asks the machine for the date, where another day counts as today."""
    from sqlglot import exp

    asks = (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentDatetime)
    called = {str(call.this).casefold() for call in tree.root.find_all(exp.Anonymous)}
    if today != dt.date.today() and (tree.root.find(*asks) is not None or called & _CLOCK):
        yield Problem(
            "other_today",
            f"the query reads the machine's clock, though today is taken to be {today:%Y-%m-%d}",
            f"today is {today:%Y-%m-%d}: write DATE '{today:%Y-%m-%d}' instead of CURRENT_DATE",
        )


def period_problems(question: str, today: dt.date, tree: SqlTree) -> Iterator[Problem]:
    """A stretch of time told from today ("the last 7 days"), and no time in the query's conditions.

    A date or year in digits is looked for with the other values of the question.
    """
    from sqlglot import exp

    read = read_question(question, today)
    phrases = [" ".join(read.text_of(mention.mask)) for mention in read.periods]
    relative = next((phrase for phrase in phrases if not _IN_DIGITS.search(phrase)), "")
    literals = (str(one.this) for one in tree.root.find_all(exp.Literal))
    clock = (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentDatetime, exp.Anonymous)
    if not relative or any(map(_IN_DIGITS.search, literals)) or tree.root.find(*clock):
        return
    timed = [c for table in tree.tables for c in table.columns if c.kind in TEMPORAL]
    compared = (exp.Where, exp.Having, exp.Join, exp.Case, exp.Filter)
    used = {id(n) for part in tree.root.find_all(*compared) for n in part.find_all(exp.Column)}
    if timed and not any(id(node) in used and c in timed for _, node, c in tree.columns()):
        yield Problem(
            "dropped_condition",
            f'the question says "{relative}", the query heeds no time',
            f'the query leaves out the period "{relative}": compare {quote(timed[0].name)} with it',
        )


_IN_DIGITS = re.compile(r"[12]\d{3}")


_CLOCK = frozenset(["now", "today", "get_current_timestamp", "current_localtimestamp"])


@dataclass(frozen=True)
class _Bound:
    """A comparison of something with one day."""

    node: exp.Expr
    compared: exp.Expr
    day: dt.date
    upper: bool
    taken_in: bool

    @property
    def edge(self) -> dt.date:
        """The first day that is in, of a lower bound; of an upper one the first that is not."""
        return self.day + _DAY if self.upper is self.taken_in else self.day


def period_ends(question: str, today: dt.date, tree: SqlTree, probe: Probe) -> Iterator[Problem]:
    """A month, quarter or year that is asked for whole, and a query that takes more or less."""
    asked = _asked_whole(question, today)
    if asked is None:
        return
    bounds = list(_bounds(tree))
    starts = any(not b.upper and b.edge == asked.first for b in bounds)
    ends = [b for b in bounds if b.upper and b.day.year > 1]
    told = question[asked.start : asked.end]
    if not ends and any(not b.upper and asked.first <= b.day < asked.after for b in bounds):
        yield from _open(told, asked, tree)
    for bound in ends if starts else ():
        if bound.edge != asked.after:
            last = bound.edge - _DAY
            yield Problem(
                "other_bound",
                f"the question asks for {told}, the query ends with {last:%Y-%m-%d}",
                f"the last day of {told} is {asked.after - _DAY:%Y-%m-%d}: "
                f"compare with < '{asked.after:%Y-%m-%d}'",
            )
        elif bound.taken_in and _loses_hours(tree, bound, probe):
            yield Problem(
                "other_bound",
                f"of the last day of {told} the query takes midnight alone",
                f"times are compared: write < '{asked.after:%Y-%m-%d}', so that the last day "
                "counts whole",
            )


def _open(told: str, asked: Period, tree: SqlTree) -> Iterator[Problem]:
    from sqlglot import exp

    if tree.root.find(exp.LT, exp.LTE, exp.Between, exp.EQ, exp.Like) is None:
        yield Problem(
            "open_period",
            f"the question asks for {told} alone, the query goes on after it",
            f"{told} ends: compare with < '{asked.after:%Y-%m-%d}' as well",
        )


def _asked_whole(question: str, today: dt.date) -> Period | None:
    """The one month, quarter or year of the question, where it is neither start nor end."""
    periods = [mention.period for mention in read_question(question, today).periods]
    if len(periods) != 1 or periods[0].unit not in _WHOLE or _OPEN_ENDED.search(question):
        return None
    return periods[0]


def _bounds(tree: SqlTree) -> Iterator[_Bound]:
    from sqlglot import exp

    signs: dict[type[exp.Expr], tuple[bool, bool]] = {
        exp.GT: (False, False),
        exp.GTE: (False, True),
        exp.LT: (True, False),
        exp.LTE: (True, True),
    }
    for node in tree.root.find_all(exp.Between, *signs):
        if isinstance(node, exp.Between):
            sides = [(node.args["low"], (False, True)), (node.args["high"], (True, True))]
        else:
            sides = [(node.expression, signs[type(node)])]
        for side, (upper, taken_in) in sides:
            if (day := _day_of(side)) is not None:
                yield _Bound(node, node.this, day, upper, taken_in)


def _day_of(side: exp.Expr) -> dt.date | None:
    """The day of a literal, maybe cast to a date; None for anything that is computed."""
    from sqlglot import exp

    literal = side.this if isinstance(side, exp.Cast) else side
    if not isinstance(literal, exp.Literal) or not literal.is_string:
        return None
    try:
        return dt.date.fromisoformat(str(literal.this))
    except ValueError:
        return None


def _loses_hours(tree: SqlTree, bound: _Bound, probe: Probe) -> bool:
    """Whether times of the last day are after its midnight, with which they are compared."""
    from sqlglot import exp

    timed = {id(n) for _, n, c in tree.columns() if c.kind is Kind.TIMESTAMP}
    if id(bound.compared) not in timed:
        return False
    select = bound.node.find_ancestor(exp.Select)
    if select is None:
        return False
    probing = select.copy()
    for part in ("where", "group", "having", "qualify", "order", "limit", "offset", "distinct"):
        probing.set(part, None)
    low, high = (exp.Literal.string(day.isoformat()) for day in (bound.day, bound.day + _DAY))
    lost = exp.and_(
        exp.GT(this=bound.compared.copy(), expression=low),
        exp.LT(this=bound.compared.copy(), expression=high),
    )
    probing.set("expressions", [exp.Count(this=exp.Star())])
    found = probe(probing.where(lost).sql(dialect="duckdb"))
    return found is not None and bool(found.rows) and found.rows[0][0] not in (None, 0)
