"""The last question changed as a follow-up says: regrouped, narrowed, or one thing put for another.

Takes the words of a follow-up without what opens it, and the last question (`named.Base`); gives
the whole question that is meant, or None where the words do not decide it. Every cell and column
is named exactly (`named`), a denial is never turned round, and a time told less closely than
before changes nothing. Whether a line is a follow-up at all is `follow_up`'s.
"""

from __future__ import annotations

import re
from dataclasses import replace

from retrieval.table import TEMPORAL
from router import measured
from router.cues import denials, operations
from router.named import Base, cells_named, column_named, flag_said, overlap
from sql_engine.links import ColumnLink, Span, ValueLink

_GROUP = re.compile(
    r"(?:(?:the same|that|it|this|split|broken down|grouped)\s+)?(?:by|per|for each|for every|each)"
    r"\s+(?P<column>.+)",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"(?:only|just|(?:limit(?:ed)?|restrict(?:ed)?) (?:it )?to"
    r"|(?:how many )?of (?:them|those|these))\b\s*(?P<rest>.*)",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"(?:(?:all |everything |everyone )?but not|(?:without|excluding|except(?: for)?|not|other than"
    r"|outside(?: of)?|apart from|aside from|besides))\b\s*(?P<rest>.+)",
    re.IGNORECASE,
)
THEM = re.compile(r"(?:how many )?of (?:them|those|these)\b", re.IGNORECASE)
_ASKED_KIND = re.compile(r"^(?:who|when|where) (?=(?:is|was|are|were)\b)", re.IGNORECASE)
"""Asks for a person, a time or a place, which another column need not tell."""
_BOUND = re.compile(
    r"(?:with |of |that |who |(?:is|are|was|were) )*(?:above|below|over|under|more|less|fewer"
    r"|at least|at most|between|before|after|since|until|greater|higher|lower)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d{2}\b")
_RELATIVE = re.compile(r"(?:last|this|next|today|yesterday)\b", re.IGNORECASE)
_MODAL = re.compile("may")
"""The month is written with a capital."""
_ORDER = re.compile(
    r"(?:sort(?:ed)?|order(?:ed)?|rank(?:ed)?)(?: (?:it|them|these|those))? (?:by|from)\b.+"
    r"|(?:in )?(?:ascending|descending|alphabetical)(?: order)?|alphabetically"
    r"|(?:highest|largest|biggest|lowest|smallest|newest|oldest|latest|earliest|longest|shortest"
    r"|cheapest|most expensive) (?:one )?first",
    re.IGNORECASE,
)
_ORDERED = re.compile(rf",\s*(?:{_ORDER.pattern})$", re.IGNORECASE)
_OTHERS = re.compile(r"(?:the )?(?:others?|rest|remaining(?: ones)?|other ones)", re.IGNORECASE)
PREPOSED = re.compile(r"(?:in|for|from|at|on|to|with|of|during)\b\s+", re.IGNORECASE)
_GROUPING = re.compile(r"\s+(?:by|per|for each|for every|in each|of each|each)\s+", re.IGNORECASE)
_CLAUSE = re.compile(
    r"\s(?:where|excluding|except|without|in|for|with|from|of|at|above|below|over|under|that|who)\b",
    re.IGNORECASE,
)
"""What may follow a group and does not belong to it."""
_WHERE = re.compile(r"\s+where\b", re.IGNORECASE)
_COUNT = re.compile(r"how many\b", re.IGNORECASE)
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec"
)
_PERIOD = re.compile(
    rf"\b(?:\d{{4}}-\d{{2}}(?:-\d{{2}})?|(?:\d{{1,2}} )?(?:{_MONTHS})(?: \d{{1,2}},?)?(?: \d{{4}})?"
    r"|q[1-4](?: \d{4})?|(?:19|20)\d{2}|(?:last|this|next) (?:week|month|quarter|year)"
    r"|today|yesterday)\b",
    re.IGNORECASE,
)
_PREPOSED_TAIL = re.compile(r"\s+(?:(?:in|for|from|at|on|to|with|of|during|the)\s+)*$", re.I)


def rewritten(rest: str, base: Base) -> str | None:
    """The last question with the change; None where the words do not decide it."""
    if _OTHERS.fullmatch(rest):
        return _others(base)
    if found := _GROUP.fullmatch(rest):
        return _by(found["column"], base)
    if _ORDER.fullmatch(rest):
        return f"{_ORDERED.sub('', base.question)}, {rest}"
    if (first := measured.top(rest, base, _last_group(base))) is not None:
        return first
    if found := _WITHOUT.fullmatch(rest):
        return _excluded(found["rest"], base)
    if (found := _ONLY.fullmatch(rest)) and (group := _GROUP.fullmatch(found["rest"])):
        return _by(group["column"], base)
    if found := _ONLY.fullmatch(rest):
        return _of_them(found["rest"], base) if THEM.match(rest) else _only(found["rest"], base)
    return _swapped(rest, base)


def counted(base: Base) -> str | None:
    """How many the rows are that the last question lists; None where it computes something else."""
    if _COUNT.match(base.question):
        return base.question
    if base.sql is None or not _PLAIN_ROWS.match(base.sql) or _COMPUTED.search(base.sql):
        return None
    return f"How many {measured.LISTING.sub('', _ORDERED.sub('', base.question))}"


_PLAIN_ROWS = re.compile(r'SELECT (?:DISTINCT )?"')
_COMPUTED = re.compile(r"\b(?:GROUP BY|QUALIFY|LIMIT|UNION)\b|\b(?:COUNT|SUM|AVG|MIN|MAX|MEDIAN)\(")


def is_change(rest: str) -> bool:
    """Whether a line says by its form what to do: "by region", "only the paid", "the others"."""
    return any(p.match(rest) for p in (_GROUP, _ONLY, _WITHOUT, _ORDER)) or bool(
        _OTHERS.fullmatch(rest)
    )


def is_period(rest: str) -> bool:
    """Whether a line is a time and no more: "in June"."""
    return _PERIOD.fullmatch(_bare(rest)) is not None


def names_measure(rest: str) -> bool:
    """Whether a line is the name of a measure and no more: "the average"."""
    return measured.names_measure(_bare(rest))


def _by(name: str, base: Base) -> str | None:
    """The question grouped by a column, or of the rows of a cell: "by card" is no group."""
    if column_named(name, base) is None and cells_named(name, base):
        return _only(name, base)
    return _regrouped(base, name)


def _others(base: Base) -> str | None:
    """The same for every value of the column whose one value was asked ("in the West")."""
    if len(base.conditions) != 1 or denials(base.question):
        return None
    value = base.conditions[0]
    head = _PREPOSED_TAIL.sub("", base.question[: value.span.start])
    return f"{_joined(head, base.question[value.span.end :])} by {value.column}"


def _excluded(rest: str, base: Base) -> str | None:
    """The question without some rows; without those it asks for, it asks for all the others."""
    if denials(base.question):
        return None
    values = cells_named(rest, base)
    if len(values) != 1:
        column = None if values else column_named(rest, base)
        said = {link.column for link in base.links.columns}
        if column is None or column.column in said:
            return None
        return _before_group(base, f" without {column.column}")
    value = values[0]
    same = base.condition_on(value)
    if same is None:
        return _before_group(base, f" excluding {value.value}")
    if same.value != value.value:
        return None
    head, tail = base.question[: same.span.start], base.question[same.span.end :]
    before = _PREPOSED_TAIL.search(head)
    where = before.start() if before else len(head)
    return f"{head[:where].rstrip()} not {head[where:].lstrip()}{same.value}{tail}"


def _of_them(rest: str, base: Base) -> str | None:
    """How many of the rows meet one more condition."""
    counted = replace(base, question=measured.LISTING.sub("How many ", base.question))
    if (
        not _COUNT.match(counted.question)
        or len({cue.phrase for cue in operations(counted.question)}) > 1
    ):
        return None
    values = cells_named(rest, counted)
    if any(counted.condition_on(value) is not None for value in values):
        return None
    return _narrowed(values, counted) if values else _compared(rest, counted)


def _only(rest: str, base: Base) -> str | None:
    """The question with the conditions that `rest` names, in the place of one on their column."""
    values = cells_named(rest, base)
    if len(values) == 1 and (same := base.condition_on(values[0])) is not None:
        return None if denials(base.question) else _replaced(base, same.span, values[0].value)
    if any(base.condition_on(value) is not None for value in values):
        return None
    if not values and (flagged := flag_said(rest, base)):
        return None if denials(base.question) else _before_group(base, f" that are {flagged}")
    return _narrowed(values, base) if values else _compared(rest, base)


def _narrowed(values: list[ValueLink], base: Base) -> str | None:
    """The question with one more condition for each column; cells of one column are either of them.

    A share of some rows is one of other rows as well: what is narrowed is not told.
    """
    if _SHARE.search(base.question):
        return None
    cells: dict[str, list[str]] = {}
    for value in values:
        cells.setdefault(value.column, []).append(value.value)
    for column, held in cells.items():
        condition = f"{_conjunction(base.question)} {column} is {' or '.join(held)}"
        base = replace(base, question=_before_group(base, condition))
    return base.question


_SHARE = re.compile(r"\b(?:shares?|percentages?|percent|proportions?|fractions?|rates?)\b|%", re.I)


def _compared(rest: str, base: Base) -> str | None:
    """The question with a bound in numbers, where it makes no groups that might be meant."""
    bare = _bare(rest)
    if _PERIOD.fullmatch(bare):
        return _other_period(bare, base) or _in_period(rest, base)
    stripped = re.sub(r"^(?:the|those|these)?\s*(?:ones|rows)\b\s*", "", rest, flags=re.I).strip()
    bounded = any(map(str.isdigit, stripped)) and _BOUND.match(stripped)
    return f"{base.question} {stripped}" if bounded and not _groups(base) else None


def _bare(rest: str) -> str:
    return re.sub(r"^(?:the|a|an)\s+", "", PREPOSED.sub("", rest, count=1), flags=re.I)


def _swapped(rest: str, base: Base) -> str | None:
    """Puts the value, column or measure that `rest` names in the place of its like."""
    bare = _bare(rest)
    if _PERIOD.fullmatch(bare):
        return _other_period(bare, base) or _in_period(rest, base)
    if (changed := measured.other_measure(bare, base)) is not None:
        return changed
    if (changed := _other_extreme(bare, base) or _other_bound(rest, base)) is not None:
        return changed
    values = cells_named(rest, base)
    if len(values) == 1 and (same := base.condition_on(values[0])) is not None:
        return None if denials(base.question) else _replaced(base, same.span, values[0].value)
    if values:
        free = all(base.condition_on(value) is None for value in values)
        return _narrowed(values, base) if free and PREPOSED.match(rest) else None
    if not values and (flagged := flag_said(rest, base)):
        return _denied(flagged, base)
    column = None if values else column_named(rest, base)
    old = None if column is None else _measured_column(column, base)
    if column is None or old is None:
        return None
    return _ASKED_KIND.sub("What ", _replaced(base, old, column.column))


def _denied(flagged: str, base: Base) -> str | None:
    """The last question with its "paid" made "not paid", or the other way round."""
    name = flagged.removeprefix("not ")
    found = list(re.finditer(rf"\b(?:not\s+)?{re.escape(name)}\b", base.question, re.IGNORECASE))
    if len(found) != 1 or found[0][0].casefold() == flagged.casefold():
        return None
    return base.question[: found[0].start()] + flagged + base.question[found[0].end() :]


def _other_period(bare: str, base: Base) -> str | None:
    """The last question about another time: a month without a year is one of the same year.

    A time that is told less closely than the last one leaves open what of it still holds.
    """
    found = [m for m in _PERIOD.finditer(base.question) if not _MODAL.fullmatch(m[0])]
    if len(found) != 1:
        return None
    old, new = found[0][0], bare
    years = _YEAR.findall(old)
    if not _RELATIVE.match(new) and _YEAR.search(new) is None and years:
        new = f"{new} {years[0]}"
    if not _RELATIVE.match(new) and _closeness(new) < _closeness(old):
        return None
    return base.question[: found[0].start()] + new + base.question[found[0].end() :]


def _in_period(rest: str, base: Base) -> str | None:
    """The question narrowed to a time, where it tells none and its rows have one date."""
    dates = [c for entry in base.tables for c in entry.columns if c.kind in TEMPORAL]
    if len(dates) != 1 or _PERIOD.search(base.question) or not _DURING.match(rest):
        return None
    return None if _SHARE.search(base.question) else _before_group(base, f" {rest}")


_DURING = re.compile(r"(?:in|during)\b", re.IGNORECASE)


def _other_extreme(bare: str, base: Base) -> str | None:
    """The last question with the opposite extreme: its "most expensive" made "cheapest"."""
    wanted = _ONES.sub("", bare).casefold()
    family = next((names for names in _EXTREMES if wanted in names), ())
    found = [m for name in family for m in re.finditer(rf"\b{name}\b", base.question, re.I)]
    if len(found) != 1:
        return None
    return base.question[: found[0].start()] + wanted + base.question[found[0].end() :]


_ONES = re.compile(r"\s+(?:one|ones)$", re.IGNORECASE)
_EXTREMES = (
    ("most expensive", "least expensive", "cheapest", "priciest"),
    ("oldest", "newest", "youngest"),
    ("latest", "earliest"),
    ("longest", "shortest"),
    ("heaviest", "lightest"),
    ("fastest", "slowest"),
    ("largest", "biggest", "smallest"),
)


def _other_bound(rest: str, base: Base) -> str | None:
    """The last question with another number in its one bound: its "over 20" made "over 30"."""
    new = _NUMBER_BOUND.fullmatch(rest)
    found = list(_NUMBER_BOUND.finditer(base.question))
    if new is None or len(found) != 1 or found[0]["sign"].casefold() != new["sign"].casefold():
        return None
    return base.question[: found[0].start()] + new[0] + base.question[found[0].end() :]


_NUMBER_BOUND = re.compile(
    r"\b(?P<sign>above|below|over|under|(?:more|less|fewer) than|at least|at most|before|after)"
    r"\s+[\d.,]*\d(?: ?%)?",
    re.IGNORECASE,
)


def _closeness(period: str) -> int:
    """How many of day, month and year a time tells."""
    return len(re.findall(r"[^\W_]+", period)) if _RELATIVE.match(period) is None else 1


def _measured_column(new: ColumnLink, base: Base) -> Span | None:
    """Where the question names the one column, in the same table, that `new` can stand for."""
    named = [v.span for v in base.conditions] + [table.span for table in base.links.tables]
    rows = {(value.table, value.column) for value in base.conditions}
    like = [
        c
        for c in base.links.columns
        if c.table == new.table
        and c.column != new.column
        and (c.table, c.column) not in rows
        and not any(overlap(c.span, span) for span in named)
    ]
    whole = [c for c in like if c.score == max(link.score for link in like)]
    if len({c.span for c in whole}) != 1:
        return None
    span = whole[0].span
    said = re.search(re.escape(whole[0].column), base.question, re.IGNORECASE)
    return Span(said.start(), said.end(), said[0]) if said and said.start() <= span.start else span


def _replaced(base: Base, span: Span, new: str) -> str:
    return base.question[: span.start] + new + base.question[span.end :]


def _groups(base: Base) -> list[re.Match[str]]:
    """The groups of a question; "opened by Lena" is none."""
    taken = [value.span for value in base.conditions]
    return [
        found
        for found in _GROUPING.finditer(base.question)
        if not any(0 <= span.start - found.end() <= len("the ") for span in taken)
    ]


def _last_group(base: Base) -> re.Match[str] | None:
    found = _groups(base)
    return found[-1] if found else None


def _regrouped(base: Base, column: str) -> str | None:
    """The question grouped by `column`, in the place of its last group; conditions stay."""
    found = _groups(base)
    if not found:
        condition = _WHERE.search(base.question)
        cut = condition.start() if condition else len(base.question)
        return f"{base.question[:cut]} by {column}{base.question[cut:]}"
    start, rest = found[-1].start(), base.question[found[-1].end() :]
    clause = _CLAUSE.search(rest)
    conditions = rest[clause.start() :] if clause else ""
    kept = len(base.question) - len(conditions)
    if any(start <= value.span.start < kept for value in base.conditions):
        return None
    return f"{base.question[:start]} by {column}{conditions}"


def _before_group(base: Base, condition: str) -> str:
    found = _groups(base)
    cut = found[-1].start() if found else len(base.question)
    return base.question[:cut] + condition + base.question[cut:]


def _conjunction(text: str) -> str:
    return " and" if re.search(r"\bwhere\b", text, re.IGNORECASE) else " where"


def _joined(head: str, tail: str) -> str:
    return f"{head.rstrip()} {tail.lstrip()}".strip()
