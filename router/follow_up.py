"""Follow-ups: "and by month?", "only the paid ones", "what about West?", read as whole questions.

Takes the new question, the question before it and a linker; gives the whole question that is meant,
or None where the question stands on its own. A follow-up that cannot be placed is never guessed.
Works on the words alone, so it needs no model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from router.answer import Answer, Route, cite
from router.errors import RouterError, UsageError
from sql_engine.links import ColumnLink, Links, Span, ValueLink
from sql_engine.name_stems import stems
from sql_engine.writer import Example

Linker = Callable[[str], Links]

_OPENING = re.compile(
    r"(?:(?:and|but|now|then|ok|okay|so|also|please|show(?: me)?|give(?: me)?)\b[\s,]*)+",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"(?:what|how) about\b\s*", re.IGNORECASE)
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
    r"(?:without|excluding|except(?: for)?|not|outside(?: of)?|other than|apart from|aside from)\b"
    r"\s*(?P<rest>.+)",
    re.IGNORECASE,
)
_THEM = re.compile(
    r"(?:who|what|which) (?:are|were) (?:they|those|these|them)|which ones?|who"
    r"|(?:list|name|show|give)(?: me)?(?: all(?: of)?)? (?:them|those|these)(?: all)?",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:they|them|theirs?|its|he|she|him|his|hers?)\b", re.IGNORECASE)
_POINTING = re.compile(r"\b(?:those|these|ones?|that|it)\b", re.IGNORECASE)
_POINTED = 5
"""A line of so few words that points at something points at the last answer."""
_OTHERS = re.compile(r"(?:the )?(?:others?|rest|remaining(?: ones)?|other ones)", re.IGNORECASE)
_WHY = re.compile(
    r"(?:but )?(?:why(?: (?:is|was) that| so)?|how so|how come|explain(?: (?:that|this|it))?"
    r"|how did you (?:get|find|compute) (?:that|this|it)|where does (?:that|this|it) come from)",
    re.IGNORECASE,
)
_PREPOSED = re.compile(r"(?:in|for|from|at|on|to|with|of|during)\b\s+", re.IGNORECASE)
_GROUPING = re.compile(r"\s+(?:by|per|for each|for every|in each|of each|each)\s+", re.IGNORECASE)
_CLAUSE = re.compile(
    r"\s(?:where|excluding|except|without|in|for|with|from|of|at|above|below|over|under|that|who)\b",
    re.IGNORECASE,
)
"""What may follow a group and does not belong to it."""
_WHERE = re.compile(r"\s+where\b", re.IGNORECASE)
_LISTING = re.compile(
    r"^(?:list|show|give|which|what are|find)\b(?: me)?(?: all)?(?: the)?\s+", re.IGNORECASE
)
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
_YEAR = re.compile(r"\b(?:19|20)\d{2}\b")
_WHOLE = re.compile(
    r"(?:what|which|who|whom|whose|when|where|how|is|are|was|were|do|does|did|can|may|list|count"
    r"|find|sum|total|average|name|display|tell)\b",
    re.IGNORECASE,
)
_MEASURES = (
    ("total", "sum of the", "sum of"),
    ("average", "mean"),
    ("highest", "maximum", "largest", "max", "most"),
    ("lowest", "minimum", "smallest", "min", "fewest", "least"),
    ("median",),
)
_EXTREMES = _MEASURES[2:4]
_SHORT = 4
"""Words of a fragment that only makes sense after another question."""


class UnplacedFollowUp(RouterError):
    """The words of a follow-up do not say what of the last question they change."""

    code = "unplaced_follow_up"


@dataclass(frozen=True)
class Turn:
    """An earlier question with what came of it."""

    question: str
    """The whole question, where it was a follow-up itself."""
    sql: str | None = None
    answer: Answer | None = None


def turns(history: Sequence[object] | None) -> tuple[Turn, ...]:
    """The history as a caller may give it: answers, mappings, pairs of question and SQL, texts.

    Raises:
        UsageError: an element is none of these.
    """
    return tuple(map(_turn, history or ()))


def examples(history: tuple[Turn, ...]) -> tuple[Example, ...]:
    """The turns that were answered with SQL, as a writer takes them."""
    return tuple(Example(turn.question, turn.sql) for turn in history if turn.sql)


def resolve(question: str, history: tuple[Turn, ...], link: Linker) -> str | Answer:
    """The whole question to ask, or the last answer with its grounds where "why?" was asked.

    A follow-up that the words do not decide is a declined answer.
    """
    if not history:
        return question
    if _WHY.fullmatch(_bare(question)):
        return _grounds(question, history[-1])
    last = _base(history, link)
    try:
        meant = read(question, last.question, link)
    except UnplacedFollowUp as error:
        return _unplaced(question, error)
    if meant is not None and last.answer is not None and last.answer.declined:
        return _unplaced(question, UnplacedFollowUp("the last question has no answer to build on"))
    return meant or question


def _base(history: tuple[Turn, ...], link: Linker) -> Turn:
    """The turn to build on: the last, but for follow-ups that were declined."""
    for number in range(len(history) - 1, 0, -1):
        turn = history[number]
        if turn.answer is None or not turn.answer.declined:
            return turn
        try:
            if read(turn.answer.question, history[number - 1].question, link) is None:
                return turn
        except UnplacedFollowUp:
            continue
    return history[0]


def read(question: str, previous: str, link: Linker) -> str | None:
    """The whole question that a follow-up means; None where it stands on its own.

    Raises:
        UnplacedFollowUp: it is a follow-up, but not one that the words decide.
    """
    text, before = _bare(question), _bare(previous)
    opened = _OPENING.match(text)
    rest = text[opened.end() :] if opened else text
    about = _ABOUT.match(rest)
    rest = rest[about.end() :] if about else rest
    if _THEM.fullmatch(text) or _THEM.fullmatch(rest):
        whole = _listed(before)
    elif not _follows(text, rest, link, opened=bool(opened or about), about=bool(about)):
        return None
    else:
        whole = _changed(rest, before, link)
    if whole is not None:
        return whole
    if not (opened or about or _is_change(rest) or _PREPOSED.match(rest) or _points(text)):
        return None  # a few words that change nothing of the last question are one of their own
    raise UnplacedFollowUp(
        f'"{question.strip()}" does not say what to change in "{previous.strip()}"',
        hint="Ask the whole question.",
    )


def _bare(question: str) -> str:
    return question.strip().rstrip("?!. ")


def _follows(text: str, rest: str, link: Linker, *, opened: bool, about: bool) -> bool:
    """Whether a line speaks of the question before it rather than standing on its own."""
    is_fragment = not _WHOLE.match(rest) and len(rest.split()) <= _SHORT
    if not rest or not (about or is_fragment or _is_change(rest) or _points(text)):
        return False
    told = opened or _is_change(rest) or _points(text) or bool(_PREPOSED.match(rest))
    return told or not _stands_alone(rest, link)


def _points(text: str) -> bool:
    """Whether a line speaks of what an earlier answer named."""
    return bool(_PRONOUN.search(text)) or (
        bool(_POINTING.search(text)) and len(text.split()) <= _POINTED
    )


def _listed(previous: str) -> str | None:
    """What was counted, listed: "How many orders were returned" made "Which orders …"."""
    counted = _COUNT.match(previous)
    return f"Which{previous[counted.end() :]}" if counted else None


def _is_change(rest: str) -> bool:
    return any(p.match(rest) for p in (_GROUP, _ONLY, _WITHOUT)) or bool(_OTHERS.fullmatch(rest))


def _stands_alone(rest: str, link: Linker) -> bool:
    """A fragment that names both a column and a value ("return window signed edition")."""
    links = link(rest)
    spans = {column.span for column in links.columns} - {value.span for value in links.values}
    return bool(spans and links.values)


def _changed(rest: str, previous: str, link: Linker) -> str | None:
    before = link(previous)
    if _OTHERS.fullmatch(rest):
        return _others(previous, before)
    if found := _GROUP.fullmatch(rest):
        return _regrouped(previous, found["column"])
    if found := _WITHOUT.fullmatch(rest):
        return _excluded(found["rest"], previous, before, link)
    if found := _ONLY.fullmatch(rest):
        counted = _LISTING.sub("How many ", previous) if _COUNT.match(rest) else previous
        return _narrowed(found["rest"], counted, link(counted), link)
    return _swapped(rest, previous, before, link)


def _others(previous: str, before: Links) -> str | None:
    """The same for every value of the column whose one value was asked ("in the West")."""
    value = _best_value(before)
    if value is None:
        return None
    start = value.span.start
    head = _PREPOSED_TAIL.sub("", previous[:start])
    return f"{_joined(head, previous[value.span.end :])} by {value.column}"


_PREPOSED_TAIL = re.compile(r"\s+(?:(?:in|for|from|at|on|to|with|of|during|the)\s+)*$", re.I)


def _narrowed(rest: str, previous: str, before: Links, link: Linker) -> str | None:
    """Adds the conditions that `rest` names, each in the place of one on the same column."""
    values = _chosen(link(rest).values, before)
    period = _PERIOD.search(_without_spans(rest, values))
    if values:
        if _left_open(rest, values, period[0] if period else ""):
            return None
        whole = _with_values(values, previous, before, add=True)
        return f"{whole} in {period[0]}" if whole and period else whole
    stripped = re.sub(r"\b(?:the|ones?|those|these|rows?)\b\s*", "", rest, flags=re.I).strip()
    return f"{previous} {stripped}" if _PREPOSED.match(rest) or _has_number(stripped) else None


def _excluded(rest: str, previous: str, before: Links, link: Linker) -> str | None:
    """Leaves out what `rest` names; what the question asked for itself is denied in its place."""
    values = _chosen(link(rest).values, before)
    for value in values:
        same = next((v for v in before.values if _same_column(v, value)), None)
        if same is not None and same.value == value.value:
            if len(values) > 1 or _left_open(rest, values):
                return None
            preposed = _PREPOSED_BEFORE.search(previous[: same.span.start])
            place = preposed.start() if preposed else same.span.start
            return f"{previous[:place]}not {previous[place:]}"
    return _before_group(previous, f" excluding {rest}")


_PREPOSED_BEFORE = re.compile(r"\b(?:in|for|from|at|on|to|with|of|during)\s+(?:the\s+)?$", re.I)


def _swapped(rest: str, previous: str, before: Links, link: Linker) -> str | None:
    """Puts the value, column or measure that `rest` names in the place of its like, as said.

    What is said is never replaced by what it was linked to: a code that does not exist stays one.
    """
    bare = re.sub(r"^(?:the|a|an)\s+", "", _PREPOSED.sub("", rest, count=1), flags=re.I)
    if (moved := _other_period(bare, previous)) is not None:
        return moved
    if (measured := _other_measure(bare, previous)) is not None:
        return measured
    links = link(bare)
    values = _chosen(links.values, before)
    if values:
        add = bool(_PREPOSED.match(rest))
        whole = _with_values(values, previous, before, add=add, said=bare)
        if whole is not None:
            return whole
    if links.columns and (column := _measured_column(links.columns[0], before)) is not None:
        return _replaced(previous, column.span, bare)
    return None


def _with_values(
    values: list[ValueLink], previous: str, before: Links, *, add: bool, said: str = ""
) -> str | None:
    """The question with each value in the place of one of its column, or added where `add`.

    None where one has no place, or where words of `said` are left beside them.
    """
    columns = [value.column.casefold() for value in values]
    if len(set(columns)) != len(columns):
        return None
    like = [next((v for v in before.values if _same_column(v, value)), None) for value in values]
    alone = len(values) == 1
    if said and _left_open(said, values) and not (alone and like[0] is not None):
        return None
    whole = previous
    for value, same in zip(values, like, strict=True):
        text = said if said and alone else value.span.text
        if same is not None and alone:
            whole = _replaced(whole, same.span, text)
        elif same is not None or not add:
            return None
        else:
            whole = _restricted(whole, value)
    return whole


_CARRYING = stems(
    "the a an in for from at on to with of during and or one ones those these that are is was were "
    "who which row rows only just also then please all"
)


def _left_open(text: str, values: list[ValueLink], period: str = "") -> bool:
    """Whether words are left that no value, no period and no name of their column or table says."""
    rest = _without_spans(text, values)
    rest = rest.replace(period, " ") if period else rest
    named = stems(" ".join(f"{value.column} {value.table}" for value in values))
    return bool(stems(rest) - named - _CARRYING)


def _without_spans(text: str, values: list[ValueLink]) -> str:
    for value in sorted(values, key=lambda v: -v.span.start):
        text = _replaced(text, value.span, " ")
    return text


def _other_measure(bare: str, previous: str) -> str | None:
    """The last question with another measure: its "total" made "average"."""
    wanted = next((m for m in _MEASURES if bare.casefold() in m), None)
    if wanted is None:
        return None
    extremes = [m for m in _MEASURES if m in _EXTREMES]
    first = extremes if wanted in _EXTREMES else []
    for names in (*first, *_MEASURES):
        for name in names:
            pattern = re.compile(rf"\b{name}\b", re.IGNORECASE)
            if pattern.search(previous):
                return pattern.sub(_like(name, names, wanted), previous, count=1)
    return None


def _like(name: str, names: tuple[str, ...], wanted: tuple[str, ...]) -> str:
    """The word of the wanted measure that stands at the same place: "most" for "fewest"."""
    place = names.index(name)
    both = names in _EXTREMES and wanted in _EXTREMES
    return wanted[place] if both and place < len(wanted) else wanted[0]


def _other_period(bare: str, previous: str) -> str | None:
    """The last question about another month, day or year of the same shape."""
    if not _PERIOD.fullmatch(bare):
        return None
    found = _PERIOD.search(previous)
    if found is None:
        return None
    year = _YEAR.search(found[0])
    if year and re.fullmatch(rf"(?:{_MONTHS}|q[1-4])", bare, re.IGNORECASE):
        bare = f"{bare} {year[0]}"
    return previous[: found.start()] + bare + previous[found.end() :]


def _measured_column(new: ColumnLink, before: Links) -> ColumnLink | None:
    """The one column of the last question, in the same table, that `new` can stand for."""
    named = [value.span for value in before.values] + [table.span for table in before.tables]
    rows = {(value.table, value.column) for value in before.values}
    like = [
        c
        for c in before.columns
        if c.table == new.table
        and c.column != new.column
        and (c.table, c.column) not in rows
        and not any(_overlap(c.span, span) for span in named)
    ]
    whole = [c for c in like if c.score == max(link.score for link in like)]
    return whole[0] if len({c.span for c in whole}) == 1 else None


def _chosen(values: tuple[ValueLink, ...], before: Links) -> list[ValueLink]:
    """One value a span: of a column that the last question's table has, the best first."""
    tables = tables_of(before)
    columns = {(v.table, v.column) for v in before.values}
    ranked = sorted(
        values,
        key=lambda v: (
            (v.table, v.column) not in columns,
            bool(tables) and v.table not in tables,
            -(v.span.end - v.span.start),
            -v.score,
        ),
    )
    chosen: list[ValueLink] = []
    for value in ranked:
        if not any(_overlap(value.span, kept.span) for kept in chosen):
            chosen.append(value)
    return sorted(chosen, key=lambda v: v.span.start)


def tables_of(links: Links) -> dict[str, None]:
    """The tables that links speak of, in order, each once."""
    named = [link.table for link in links.tables]
    named += [link.table for link in links.columns]
    return dict.fromkeys(named + [link.table for link in links.values])


def _best_value(links: Links) -> ValueLink | None:
    return max(links.values, key=lambda v: (v.score, v.span.end - v.span.start), default=None)


def _same_column(one: ValueLink, other: ValueLink) -> bool:
    return one.column.casefold() == other.column.casefold()


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _replaced(text: str, span: Span, new: str) -> str:
    return text[: span.start] + new + text[span.end :]


def _regrouped(previous: str, column: str) -> str:
    """The question grouped by `column`, in the place of its last group; conditions stay."""
    found = list(_GROUPING.finditer(previous))
    if not found:
        condition = _WHERE.search(previous)
        cut = condition.start() if condition else len(previous)
        return f"{previous[:cut]} by {column}{previous[cut:]}"
    start, rest = found[-1].start(), previous[found[-1].end() :]
    clause = _CLAUSE.search(rest)
    conditions = rest[clause.start() :] if clause else ""
    return f"{previous[:start]} by {column}{conditions}"


def _restricted(question: str, value: ValueLink) -> str:
    """The question with one more condition, before its group."""
    condition = f"{_conjunction(question)} {value.column} is {value.span.text}"
    return _before_group(question, condition)


def _before_group(question: str, condition: str) -> str:
    found = list(_GROUPING.finditer(question))
    cut = found[-1].start() if found else len(question)
    return question[:cut] + condition + question[cut:]


def _conjunction(text: str) -> str:
    return " and" if re.search(r"\bwhere\b", text, re.IGNORECASE) else " where"


def _joined(head: str, tail: str) -> str:
    return f"{head.rstrip()} {tail.lstrip()}".strip()


def _has_number(text: str) -> bool:
    return any(char.isdigit() for char in text)


def _turn(given: object) -> Turn:
    if isinstance(given, Answer):
        return Turn(given.read_as or given.question, given.sql, given)
    if isinstance(given, Mapping) and isinstance(given.get("question"), str):
        return Turn(str(given.get("read_as") or given["question"]), given.get("sql"))
    if isinstance(given, str):
        return Turn(given)
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str):
        return Turn(given[0], given[1])
    raise UsageError(
        f"history holds a {type(given).__name__}",
        hint='Pass earlier answers, or mappings with "question" and "sql".',
    )


def _unplaced(question: str, error: UnplacedFollowUp) -> Answer:
    """A follow-up that cannot be read is declined, and never guessed."""
    told = f"{str(error)[0].upper()}{str(error)[1:]}. {error.hint}".strip()
    return Answer(question=question, route=Route.DECLINED, text=told, reason=told)


def _grounds(question: str, last: Turn) -> Answer:
    """The last answer again, its text saying what it rests on."""
    if last.answer is None:
        raise UnplacedFollowUp(
            "there is no earlier answer to explain", hint="Ask a question first."
        )
    answer = last.answer
    parts = [answer.reason]
    if answer.sql:
        parts.append(f"SQL: {answer.sql}")
    parts += [f"Source: {cite(citation)}" for citation in answer.citations]
    return replace(
        answer,
        text="\n".join(parts),
        value=None,
        columns=(),
        rows=[],
        truncated=False,
        total_rows=None,
        alternatives=(),
        read_as=last.question,
    )
