"""Follow-ups: "and by month?", "only the paid ones", "why?", read in the light of the turns before.

Takes the new question, the turns before it and the loaded tables; tells whether it stands on its
own, and gives the whole question that is meant, the last answer's grounds, or its rows. A follow-up
is never guessed at: each word of it that tells something has to have its place. How the last
question is changed is `rewriting`'s, what a word names `named`'s. Needs no model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.table import TEMPORAL
from router.answer import Answer, Route, cite
from router.cues import operations
from router.errors import UsageError
from router.measured import is_measure, other_measure
from router.named import Base, UnplacedFollowUp, cells_named, column_named, is_cell, not_found
from router.reordered import reordered
from router.rewriting import (
    PREPOSED,
    THEM,
    counted,
    is_change,
    is_period,
    names_measure,
    rewritten,
)
from router.rows_behind import most_of_groups, rows_behind, sorted_groups
from sql_engine.catalog import Catalog
from sql_engine.linking import link
from sql_engine.offline.lexicon import lexicon
from sql_engine.words import in_capitals, words
from sql_engine.writer import Draft, Example

_HINT = "Ask the whole question."
OF_THE_LAST = "The rows of the last answer."
"""The reason of an answer that points at what the last one rests on."""
_TOLD = "A follow-up without its place"
"""Begins the reason of a follow-up that could not be read."""

_OPENING = re.compile(
    r"(?:(?:and|but|now|then|ok|okay|so|also|please|show(?: me)?|give(?: me)?)\b[\s,]*)+",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"(?:(?:what|how) about|(?:the )?same (?:for|with|of))\b\s*", re.IGNORECASE)
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
_WHICH = re.compile(
    r"(?:and |but |so )?(?:which|what) (?!is\b|are\b|was\b|were\b)"
    r"(?P<column>[^\W\d]+(?: [^\W\d]+)?)(?: (?:is|was|were|are) (?:it|that|this|they|those))?",
    re.IGNORECASE,
)
"""Asks what has the value, or which of something the rows were."""
_WHEN = re.compile(r"(?:and )?when (?:is|was|were) (?:it|that|this|they|those)", re.IGNORECASE)
_MOST = re.compile(
    r"(?:and |but |so )?(?:which|what|who)(?: ones?)? (?:is|are|was|were|has|have|had) (?:the )?"
    r"(?:most common|most frequent|most|highest|largest|biggest"
    r"|(?P<least>least common|rarest|least|fewest|lowest|smallest))",
    re.IGNORECASE,
)
_SORTED = re.compile(
    r"(?:(?:and|now|then) )?(?:sort|order|rank)(?:ed)?(?: (?:it|them|these|those))? by (?:the )?"
    r"(?P<by>.+?)(?:,? (?:in )?(?:ascending|descending|asc|desc)(?: order)?"
    r"|,? (?:highest|largest|biggest|most|lowest|smallest|least) first)?",
    re.IGNORECASE,
)
_DOWN = re.compile(r"\b(?:desc|descending|(?:highest|largest|biggest|most) first)\b", re.I)
_HOW_MANY = re.compile(
    r"(?:and |so |but )?how many(?: (?:are|were) (?:there|they|those|these|that)| rows)?", re.I
)
"""Asks for the number of rows that were listed."""
_ELIDED = re.compile(
    r"(?:and |but )?how (?:many|much) (?:did|does|do|has|have|had|is|are) (?P<who>.+)",
    re.IGNORECASE,
)
"""Leaves out what is done: "how many did Ada"."""
_PRONOUN = re.compile(
    r"\b(?:they|them|their|theirs|he|she|him|his|hers|its)\b|\b(?:these|those)$"
    r"|\b(?:of|is|was) (?:it|that)$",
    re.IGNORECASE,
)
"""Words that stand for what the last question was about."""
_ONES = re.compile(r"\bones?$", re.IGNORECASE)
_IT = re.compile(r"\bit\b(?! (?:take|cost|possible|allowed|happen)s? \w)")
_ELLIPTIC = re.compile(
    r"(?:how many (?:are|were|is|was|have been)|(?:what|which) (?:is|was|are|were)"
    r"(?= (?:the )?[\w]+$| (?:their|its)\b|.* (?:of|for) (?:them|those|these)$))\s+(?!there\b)",
    re.IGNORECASE,
)
"""A question that leaves out what it is about: "how many are closed"."""
_ONE_NOUN = re.compile(r"(?:and |but |so )?(?:which|what) (?!is\b|are\b)[^\W\d]+", re.IGNORECASE)
"""Asks which of something the last answer was about: "which match"."""
_WHAT_IS = re.compile(r"(?:what|which) (?:is|was|are|were)\b", re.IGNORECASE)
_OWN = re.compile(r"^(?:(?:its|their|his|her) )+", re.IGNORECASE)
_JOINED = re.compile(r"(?:and|but|also)\b", re.IGNORECASE)
_ASKS = re.compile(
    r",|\b(?:what|which|who|whose|when|where|how|is there|are there|total|average)\b(?=.* )",
    re.IGNORECASE,
)
"""What makes a line a question of its own, wherever it stands."""
_WHY = re.compile(
    r"(?:but )?(?:why(?: (?:is|was) that| so)?|how so|how come|explain(?: (?:that|this|it))?"
    r"|how did you (?:get|find|compute) (?:that|this|it)|where does (?:that|this|it) come from)",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"(?:what|which|who|whom|whose|when|where|how|is|are|was|were|do|does|did|can|may|list|count"
    r"|find|sum|total|average|name|display|tell)\b",
    re.IGNORECASE,
)
_SHORT = 4
"""Words of a fragment that only makes sense after another question."""


_TURNS_HINT = 'Pass a list of earlier answers, or of mappings with "question" and "sql".'


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
    def pointed(self) -> bool:
        """Whether it only showed rows or groups of the answer before it."""
        return self.answer is not None and self.answer.reason == OF_THE_LAST

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
        UsageError: it is no sequence of these.
    """
    if history is not None and not isinstance(history, list | tuple):
        raise UsageError(f"history is a {type(history).__name__}, not a list", hint=_TURNS_HINT)
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


def grounds(history: tuple[Turn, ...], catalog: Catalog) -> Iterator[str]:
    """The ids of the tables that the turn which a follow-up builds on cites or reads."""
    last = base_of(history)
    yield from (c.table_id for c in (last.answer.citations if last.answer else ()) if c.table_id)
    sql = (last.sql or "").casefold()
    yield from (entry.table.table_id for entry in catalog if entry.name.casefold() in sql)


def base_of(history: tuple[Turn, ...]) -> Turn:
    """The turn that a follow-up builds on: the last one that is no failed follow-up and does more
    than to point at the rows of another.
    """
    standing = [t for t in history if not ((t.failed and t.followed) or t.pointed)]
    return standing[-1] if standing else history[-1]


def left_out(history: tuple[Turn, ...]) -> tuple[str, ...]:
    """A warning for each follow-up since the last answer that was not understood: it is no part of
    the next one's base.
    """
    since: list[str] = []
    for turn in reversed(history):
        if not turn.failed:
            break
        if turn.followed:
            since.insert(0, f'"{turn.question}" was not understood and is not heeded here')
    return tuple(since)


def _resolved(question: str, history: tuple[Turn, ...], catalog: Catalog) -> str | Answer | Listing:
    last = base_of(history)
    text = _plain(question)
    if _WHY.fullmatch(text):
        return _grounds(question, last)
    listed = _LISTED.fullmatch(text)
    of_rows = _OF_ROWS.fullmatch(text)
    base = _base(last, catalog)
    if not last.failed and (pointed := _pointed(text, base)) is not None:
        return pointed
    again = None if last.failed else _again(text, base)
    if not (listed or of_rows or _follows(text, catalog)):
        return again or _unless_of_rows(question, base)
    if last.failed:
        if not _is_bound(text) and len(text.split()) > 1 and _naming(_rest(text)[0]):
            return question
        raise UnplacedFollowUp("the last question has no answer to build on", hint=_HINT)
    if of_rows and (whose := _column_of_rows(of_rows["column"], base)) is not None:
        return whose
    if of_rows:
        return question
    if listed:
        return _listed(base)
    try:
        return _whole(text, base)
    except UnplacedFollowUp:
        if again is not None:
            return again
        if _on_its_own(text, catalog):
            return question
        raise


def _base(last: Turn, catalog: Catalog) -> Base:
    cited = last.answer.citations if last.answer else ()
    tables = tuple(citation.table_id for citation in cited if citation.table_id)
    return Base(_plain(last.question), catalog, last.sql, tables)


def _pointed(text: str, base: Base) -> str | Listing | None:
    """What a line means that only points: at the number of the rows listed, at what has the highest
    value, at the same of somebody else. None where it does not.
    """
    if _HOW_MANY.fullmatch(text):
        return counted(base)
    if found := _MOST.fullmatch(text):
        sql = most_of_groups(base.sql, least=found["least"] is not None) if base.sql else None
        return _listing(sql, base, "the groups of the last answer with the most or the least")
    if found := _SORTED.fullmatch(text):
        down = _DOWN.search(text) is not None
        sql = sorted_groups(base.sql, found["by"], down=down) if base.sql else None
        return _listing(sql, base, f"the groups of the last answer, sorted by {found['by']}")
    if found := _WHICH.fullmatch(text):
        column = column_named(found["column"], base)
        if column is None and _says_more(found["column"], base):
            raise not_found(found["column"], base)
        return None if column is None else _of_one(column.column, base)
    if _WHEN.fullmatch(text):
        times = [c.name for entry in base.tables for c in entry.columns if c.kind in TEMPORAL]
        return _of_one(times[0], base) if len(times) == 1 else None
    if (found := _ELIDED.fullmatch(text)) and cells_named(found["who"], base):
        return rewritten(found["who"], base)
    return None


def _says_more(told: str, base: Base) -> bool:
    """Whether words begin with the name of a column, and go on with what is nowhere: "home team"
    where the column is "Home".
    """
    opening, _, more = told.partition(" ")
    known, tables = link(more, base.catalog), {entry.name for entry in base.tables}
    found = [*(one.table for one in known.columns), *(one.table for one in known.values)]
    placed = not tables.isdisjoint(found)
    return bool(more and not placed and column_named(opening, base))


def _of_one(column: str, base: Base) -> Listing | None:
    """The cells of a column in the rows that were listed, counted, or have an extreme value."""
    if base.sql is None or _ADDED.search(base.sql):
        return None
    sql = rows_behind(base.sql, base.catalog, column)
    return _listing(sql, base, f"different {column} in the rows that the last answer rests on")


def _again(text: str, base: Base) -> Listing | None:
    """The groups of the last answer once more, where a line says no more than how."""
    found = reordered(text, base.sql) if base.sql else None
    return None if found is None else _listing(found[0], base, found[1])


def _listing(sql: str | None, base: Base, told: str) -> Listing | None:
    return None if sql is None else Listing(base.question, Draft(sql, told))


_ADDED = re.compile(r"\b(?:SUM|AVG|MEDIAN)\(")


def _unless_of_rows(question: str, base: Base) -> str:
    """The question, which stands on its own. Raises UnplacedFollowUp where a bare measure may be
    of the rows of the last answer, or of all: "total price" after "the orders of Ada".
    """
    text = _plain(question)
    some = base.sql is not None and re.search(r"\b(?:WHERE|QUALIFY)\b", base.sql) is not None
    if some and _asks_who_of(text, base):
        raise UnplacedFollowUp(
            f'"{text}" may be of the last rows or of all', hint='Say "of them", or "of all".'
        )
    if some and is_measure(text) and other_measure(text, base) is not None:
        raise UnplacedFollowUp(
            f'"{text}" may be of the last rows or of all',
            hint=f'Ask for "their {text}", or for "{text} of all {base.tables[0].name}".',
        )
    return question


def _asks_who_of(text: str, base: Base) -> bool:
    """Whether a line asks which of some is first or last, after rows were listed, and names neither
    a table nor a cell: "who started first".
    """
    listed = _SINGLED.match(base.sql or "") and not _ADDED.search(base.sql or "")
    ends = any(cue.operator in ("first", "last") for cue in operations(text))
    if not (listed and ends and _WHO_OF.match(text)):
        return False
    known = link(text, base.catalog)
    return not known.tables and not any(map(is_cell, known.values))


_WHO_OF = re.compile(r"(?:and |but |so )?(?:who|which (?:one|of them))\b", re.IGNORECASE)
_SINGLED = re.compile(r'SELECT (?:DISTINCT )?"')


def _on_its_own(text: str, catalog: Catalog) -> bool:
    """Whether words that change nothing of the last question may be one: "cheapest house", or one
    that names a table.
    """
    rest, _ = _rest(text)
    if not _is_bound(text) and link(rest, catalog).tables:
        return True
    if _WHAT_IS.match(text) and not names_measure(rest):
        return not _PRONOUN.search(text)
    return not _is_bound(text) and len(_naming(rest)) > 1


def _is_bound(text: str) -> bool:
    """Whether a line says by its form that it goes on with another: "and …", "of them"."""
    rest, about = _rest(text)
    opened = about or rest != text or is_change(rest) or PREPOSED.match(rest)
    return bool(opened or _PRONOUN.search(text) or _ONES.search(text))


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
    return _OWN.sub("", _without_manner(rest)), bool(about or elliptic)


def _without_manner(rest: str) -> str:
    """A line without an "instead"; an "only" at its end stands before what it is of."""
    rest = _INSTEAD.sub("", rest).strip(" ,")
    only = _ONLY_LAST.search(rest)
    return f"only {rest[: only.start()]}" if only else rest


_INSTEAD = re.compile(r"^(?:instead|rather)\b[\s,]*|[\s,]+(?:instead|rather|then|though)$", re.I)
_ONLY_LAST = re.compile(r"\s+(?:only|alone)$", re.IGNORECASE)


def _follows(text: str, catalog: Catalog) -> bool:
    """Whether a line only makes sense after another question."""
    rest, about = _rest(text)
    if _PRONOUN.search(text) or not _tells(rest) or _points(text, catalog):
        return True
    if THEM.match(rest) or _ONE_NOUN.fullmatch(text):
        return True
    if is_change(rest) or about:
        return is_measure(rest) or not _ASKS.search(rest)
    joined = _JOINED.match(text) is not None or PREPOSED.match(rest) is not None
    is_fragment = not _WHOLE.match(rest) and len(rest.split()) <= _SHORT
    if joined and not _ASKS.search(rest):
        return True
    return is_fragment and not (_OPENING.match(text) is None and _stands_alone(rest, catalog))


def _points(text: str, catalog: Catalog) -> bool:
    """Whether an "it" stands for something of the last question, as nothing else is named."""
    return _IT.search(text) is not None and not any(map(is_cell, link(text, catalog).values))


def _tells(rest: str) -> bool:
    """Whether a line has a word that is none of those that carry a sentence."""
    return bool(_telling(rest)) or is_period(rest)


def _telling(rest: str) -> list[str]:
    found, function = words(rest), lexicon().function
    capitals = in_capitals(found, rest)  # "IT" and "US" may be cells
    return [w.folded for i, w in enumerate(found) if w.folded not in function or capitals >> i & 1]


def _whole(text: str, base: Base) -> str:
    """The whole question that a follow-up means. Raises UnplacedFollowUp."""
    rest, _ = _rest(text)
    if not _tells(rest):
        raise UnplacedFollowUp(f'"{text}" names nothing of the tables', hint=_HINT)
    read = THEM.match(rest) or is_measure(rest) or not _WHOLE.match(rest)
    whole = rewritten(rest, base) if read else None
    if whole is None or whole.casefold() == base.question.casefold():
        raise not_found(rest or text, base)
    return whole


def _stands_alone(rest: str, catalog: Catalog) -> bool:
    """A fragment that names both a column and a value ("return window signed edition")."""
    links = link(rest, catalog)
    spans = {column.span for column in links.columns} - {value.span for value in links.values}
    return bool(spans and links.values)


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
        hint=_TURNS_HINT,
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
        typed=None,
        truncated=False,
        total_rows=None,
        alternatives=(),
        read_as=last.question,
    )
