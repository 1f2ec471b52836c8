"""Follow-ups: "and by month?", "only the paid ones", "what about West?", read as whole questions.

Takes the new question, the turns before it and the loaded tables; gives the whole question that is
meant, which is the new one where it stands on its own. A follow-up is never guessed at: each word
of it that tells something has to have its place. Works on the words alone, so it needs no model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from router.answer import Answer, Route, cite
from router.cues import denials, operations
from router.errors import UsageError
from router.named import (
    Base,
    UnplacedFollowUp,
    cells_named,
    column_named,
    is_cell,
    not_found,
    overlap,
)
from router.rows_behind import rows_behind
from sql_engine.catalog import Catalog
from sql_engine.linking import link
from sql_engine.links import ColumnLink, Span, ValueLink
from sql_engine.offline.lexicon import lexicon
from sql_engine.words import in_capitals, words
from sql_engine.writer import Draft, Example

_HINT = "Ask the whole question."
_TOLD = "A follow-up without its place"
"""Begins the reason of a follow-up that could not be read."""

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
    r"(?:(?:all |everything |everyone )?but not|(?:without|excluding|except(?: for)?|not|other than"
    r"|outside(?: of)?|apart from|aside from|besides))\b\s*(?P<rest>.+)",
    re.IGNORECASE,
)
_THEM = re.compile(r"(?:how many )?of (?:them|those|these)\b", re.IGNORECASE)
_LISTED = re.compile(
    r"(?:(?:and|but|so|now|then|ok|okay|please|can you|could you)[\s,]+)*"
    r"(?:(?:who|which|what) (?:are|were|is|was) (?:they|them|those|these|it|the ones)(?: all)?"
    r"|(?:which|what) (?:ones?|rows)(?: (?:are|were) (?:they|those|these))?"
    r"|(?:list|show|name|give|display|see|print)(?: me)?(?: all)?(?: of)?"
    r"(?: (?:them|those|these|it|the (?:rows|list)|all))?(?: all)?|the (?:rows|list))"
    r"(?:[\s,]+please)?",
    re.IGNORECASE,
)
"""Asks for the rows of the last answer."""
_OF_ROWS = re.compile(
    r"(?:and |so |but )?who (?:are|were|is|was) (?:the|their) (?P<column>[^\W\d]+(?: [^\W\d]+)?)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:they|them|their|theirs|he|she|him|his|hers|its)\b|\b(?:these|those)$"
    r"|\b(?:of|is|was) (?:it|that)$",
    re.IGNORECASE,
)
"""Words that stand for what the last question was about."""
_IT = re.compile(r"\bit\b(?! (?:take|cost|possible|allowed|happen)s? \w)")
_ELLIPTIC = re.compile(
    r"(?:how many (?:are|were|is|was|have been)|(?:what|which) (?:is|was|are|were)"
    r"(?= (?:the )?[\w]+$))\s+(?!there\b)",
    re.IGNORECASE,
)
"""A question that leaves out what it is about: "how many are closed"."""
_ASKED_KIND = re.compile(r"^(?:who|when|where) (?=(?:is|was|are|were)\b)", re.IGNORECASE)
"""Asks for a person, a time or a place, which another column need not tell."""
_WHAT_IS = re.compile(r"(?:what|which) (?:is|was|are|were)\b", re.IGNORECASE)
_OWN = re.compile(r"^(?:(?:its|their|his|her) )+", re.IGNORECASE)
_JOINED = re.compile(r"(?:and|but|also)\b", re.IGNORECASE)
_ASKS = re.compile(
    r",|\b(?:what|which|who|whose|when|where|how|is there|are there|total|average)\b(?=.* )",
    re.IGNORECASE,
)
"""What makes a line a question of its own, wherever it stands."""
_BOUND = re.compile(
    r"(?:with |of |that |who |(?:is|are|was|were) )*(?:above|below|over|under|more|less|fewer"
    r"|at least|at most|between|before|after|since|until|greater|higher|lower)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d{2}\b")
_RELATIVE = re.compile(r"(?:last|this|next|today|yesterday)\b", re.IGNORECASE)
_MODAL = re.compile("may")
"""The month is written with a capital."""
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


@dataclass(frozen=True)
class Turn:
    """An earlier question with what came of it."""

    question: str
    """The whole question, where it was a follow-up itself."""
    sql: str | None = None
    answer: Answer | None = None

    @property
    def failed(self) -> bool:
        """Whether it was declined."""
        return self.answer is not None and self.answer.declined

    @property
    def followed(self) -> bool:
        """Whether it was read as a follow-up, or could not be."""
        given = self.answer
        return given is not None and (given.read_as is not None or given.reason.startswith(_TOLD))


@dataclass(frozen=True)
class Listing:
    """The rows of the last answer are asked for."""

    question: str
    """The question that they belong to."""
    draft: Draft


def turns(history: Sequence[object] | None) -> tuple[Turn, ...]:
    """The history as a caller may give it: answers, mappings, pairs of question and SQL, texts.

    Raises:
        UsageError: an element is none of these.
    """
    return tuple(map(_turn, history or ()))


def examples(history: tuple[Turn, ...]) -> tuple[Example, ...]:
    """The turns that were answered with SQL, as a writer takes them."""
    return tuple(Example(turn.question, turn.sql) for turn in history if turn.sql)


def resolve(question: str, history: tuple[Turn, ...], catalog: Catalog) -> str | Answer | Listing:
    """The whole question to ask; the last answer with its grounds where "why?" was asked; or the
    statement of its rows where "list them" was. A follow-up that the words do not decide is a
    declined answer.
    """
    if not history:
        return question
    try:
        return _resolved(question, history, catalog)
    except UnplacedFollowUp as error:
        return _unplaced(question, error)


def base_of(history: tuple[Turn, ...]) -> Turn:
    """The turn that a follow-up builds on: the last one that is no failed follow-up."""
    standing = [turn for turn in history if not (turn.failed and turn.followed)]
    return standing[-1] if standing else history[-1]


def _resolved(question: str, history: tuple[Turn, ...], catalog: Catalog) -> str | Answer | Listing:
    last = base_of(history)
    text = _plain(question)
    if _WHY.fullmatch(text):
        return _grounds(question, last)
    listed = _LISTED.fullmatch(text)
    of_rows = _OF_ROWS.fullmatch(text)
    if not (listed or of_rows or _follows(text, catalog)):
        return question
    if last.failed:
        raise UnplacedFollowUp("the last question has no answer to build on", hint=_HINT)
    cited = last.answer.citations if last.answer else ()
    tables = tuple(citation.table_id for citation in cited if citation.table_id)
    base = Base(_plain(last.question), catalog, last.sql, tables)
    if of_rows and (whose := _column_of_rows(of_rows["column"], base)) is not None:
        return whose
    if of_rows:
        return question
    if listed:
        return _listed(base)
    try:
        return _whole(text, base)
    except UnplacedFollowUp:
        if _on_its_own(text):
            return question
        raise


def _on_its_own(text: str) -> bool:
    """Whether words that change nothing of the last question may be one: "cheapest house"."""
    rest, about = _rest(text)
    if _WHAT_IS.match(text) and not any(_bare(rest).casefold() in m for m in _MEASURES):
        return not _PRONOUN.search(text)
    bound = about or rest != text or _is_change(rest) or _PREPOSED.match(rest)
    return not bound and not _PRONOUN.search(text) and len(_naming(rest)) > 1


def _naming(rest: str) -> list[str]:
    """Words that name a thing: no numbers, and none that only compute, like those of "top 2"."""
    computing = {word for cue in operations(rest) for word in cue.phrase}
    return [word for word in _telling(rest) if word.isalpha() and word not in computing]


def _plain(question: str) -> str:
    return question.strip().rstrip("?!. ")


def _listed(base: Base) -> Listing:
    sql = rows_behind(base.sql, base.catalog) if base.sql else None
    if sql is None:
        raise UnplacedFollowUp(
            f'the rows of "{base.question}" cannot be told for certain', hint=_HINT
        )
    return Listing(base.question, Draft(sql, "the rows that the last answer rests on"))


def _column_of_rows(name: str, base: Base) -> Listing | None:
    """The different cells of a column in the rows of the last answer; None where it has none."""
    column = column_named(name, base)
    if column is None:
        return None
    sql = rows_behind(base.sql, base.catalog, column.column) if base.sql else None
    if sql is None:
        raise UnplacedFollowUp(
            f'the rows of "{base.question}" cannot be told for certain', hint=_HINT
        )
    told = f"different {column.column} in the rows that the last answer rests on"
    return Listing(base.question, Draft(sql, told))


def _rest(text: str) -> tuple[str, bool]:
    """A line without what opens a follow-up, and whether something did."""
    opened = _OPENING.match(text)
    rest = text[opened.end() :] if opened else text
    about = _ABOUT.match(rest)
    rest = rest[about.end() :] if about else rest
    elliptic = _ELLIPTIC.match(rest)
    rest = rest[elliptic.end() :] if elliptic else rest
    return _OWN.sub("", rest), bool(about or elliptic)


def _follows(text: str, catalog: Catalog) -> bool:
    """Whether a line only makes sense after another question."""
    rest, about = _rest(text)
    if _PRONOUN.search(text) or not _tells(rest) or _points(text, catalog):
        return True
    if _THEM.match(rest):
        return True
    if _is_change(rest) or about:
        return not _ASKS.search(rest)
    joined = _JOINED.match(text) is not None or _PREPOSED.match(rest) is not None
    is_fragment = not _WHOLE.match(rest) and len(rest.split()) <= _SHORT
    if joined and not _ASKS.search(rest):
        return True
    return is_fragment and not (_OPENING.match(text) is None and _stands_alone(rest, catalog))


def _points(text: str, catalog: Catalog) -> bool:
    """Whether an "it" stands for something of the last question, as nothing else is named."""
    return _IT.search(text) is not None and not any(map(is_cell, link(text, catalog).values))


def _tells(rest: str) -> bool:
    """Whether a line has a word that is none of those that carry a sentence."""
    return bool(_telling(rest)) or _PERIOD.fullmatch(_bare(rest)) is not None


def _telling(rest: str) -> list[str]:
    found, function = words(rest), lexicon().function
    capitals = in_capitals(found, rest)  # "IT" and "US" may be cells
    return [w.folded for i, w in enumerate(found) if w.folded not in function or capitals >> i & 1]


def _whole(text: str, base: Base) -> str:
    """The whole question that a follow-up means. Raises UnplacedFollowUp."""
    rest, _ = _rest(text)
    if not _tells(rest):
        raise UnplacedFollowUp(f'"{text}" names nothing of the tables', hint=_HINT)
    read = _THEM.match(rest) or not _WHOLE.match(rest)
    whole = _changed(rest, base) if read else None
    if whole is None or whole.casefold() == base.question.casefold():
        raise not_found(rest or text, base)
    return whole


def _is_change(rest: str) -> bool:
    return any(p.match(rest) for p in (_GROUP, _ONLY, _WITHOUT)) or bool(_OTHERS.fullmatch(rest))


def _stands_alone(rest: str, catalog: Catalog) -> bool:
    """A fragment that names both a column and a value ("return window signed edition")."""
    links = link(rest, catalog)
    spans = {column.span for column in links.columns} - {value.span for value in links.values}
    return bool(spans and links.values)


def _changed(rest: str, base: Base) -> str | None:
    if _OTHERS.fullmatch(rest):
        return _others(base)
    if found := _GROUP.fullmatch(rest):
        return _regrouped(base, found["column"])
    if found := _WITHOUT.fullmatch(rest):
        return _excluded(found["rest"], base)
    if found := _ONLY.fullmatch(rest):
        return _of_them(found["rest"], base) if _THEM.match(rest) else _only(found["rest"], base)
    return _swapped(rest, base)


def _others(base: Base) -> str | None:
    """The same for every value of the column whose one value was asked ("in the West")."""
    if len(base.conditions) != 1 or denials(base.question):
        return None
    value = base.conditions[0]
    head = _PREPOSED_TAIL.sub("", base.question[: value.span.start])
    return f"{_joined(head, base.question[value.span.end :])} by {value.column}"


_PREPOSED_TAIL = re.compile(r"\s+(?:(?:in|for|from|at|on|to|with|of|during|the)\s+)*$", re.I)


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
    counted = replace(base, question=_LISTING.sub("How many ", base.question))
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
    return _narrowed(values, base) if values else _compared(rest, base)


def _narrowed(values: list[ValueLink], base: Base) -> str | None:
    """The question with one more condition for each cell; two of one column are not guessed at."""
    if len({value.column for value in values}) < len(values):
        return None
    for value in values:
        condition = f"{_conjunction(base.question)} {value.column} is {value.value}"
        base = replace(base, question=_before_group(base, condition))
    return base.question


def _compared(rest: str, base: Base) -> str | None:
    """The question with a bound in numbers, where it makes no groups that might be meant."""
    bare = _bare(rest)
    if _PERIOD.fullmatch(bare):
        return _other_period(bare, base)
    stripped = re.sub(r"^(?:the|those|these)?\s*(?:ones|rows)\b\s*", "", rest, flags=re.I).strip()
    bounded = any(map(str.isdigit, stripped)) and _BOUND.match(stripped)
    return f"{base.question} {stripped}" if bounded and not _groups(base) else None


def _bare(rest: str) -> str:
    return re.sub(r"^(?:the|a|an)\s+", "", _PREPOSED.sub("", rest, count=1), flags=re.I)


def _swapped(rest: str, base: Base) -> str | None:
    """Puts the value, column or measure that `rest` names in the place of its like."""
    bare = _bare(rest)
    if _PERIOD.fullmatch(bare):
        return _other_period(bare, base)
    if (measured := _other_measure(bare, base.question)) is not None:
        return measured
    values = cells_named(rest, base)
    if len(values) == 1:
        same = base.condition_on(values[0])
        if same is not None:
            return None if denials(base.question) else _replaced(base, same.span, values[0].value)
        return _narrowed(values, base) if _PREPOSED.match(rest) else None
    column = None if values else column_named(rest, base)
    old = None if column is None else _measured_column(column, base)
    if column is None or old is None:
        return None
    return _ASKED_KIND.sub("What ", _replaced(base, old, column.column))


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
    reason = f"{_TOLD}: {told}"
    return Answer(question=question, route=Route.DECLINED, text=told, reason=reason)


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
