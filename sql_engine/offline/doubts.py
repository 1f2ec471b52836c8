"""What the likeliest reading of a question may still get wrong, though every word has its place.

Takes the question with its reading, ready to be written; raises `CannotWrite` with what is unclear
and how to say it. A doubt that only a table's data can settle (a name that several have) belongs
here, what is counted in `counting_doubts`; words without a place are `coverage`'s, how likely a
reading is `confidence`'s. Each doubt gives itself or None; one place raises.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from sql_engine.errors import CannotWrite
from sql_engine.offline.asked_kinds import kind_doubts
from sql_engine.offline.columns import TableData
from sql_engine.offline.compared import objection_to_comparison, objection_to_one
from sql_engine.offline.counting_doubts import counting_doubts
from sql_engine.offline.doubt import Doubt
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import column_kind, condition_column, conditions_of
from sql_engine.offline.given_doubts import given_doubts
from sql_engine.offline.half_answers import half_answered
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import mentions
from sql_engine.offline.namesakes import shared_names, sharing
from sql_engine.offline.one_or_all import one_or_all
from sql_engine.offline.own_date import is_own_date
from sql_engine.offline.question import Question
from sql_engine.offline.reading import reading
from sql_engine.offline.repeated_rows import repeated_by_join
from sql_engine.offline.search import Reading
from sql_engine.offline.sense import objection
from sql_engine.offline.set_aside import set_aside
from sql_engine.offline.substrings import says_part
from sql_engine.offline.to_sql import to_sql
from sql_engine.offline.tree import (
    Against,
    Agg,
    All,
    AnyOf,
    Arith,
    Beyond,
    Cmp,
    Filled,
    Grouped,
    Holds,
    In,
    NoneOf,
    Not,
    Slice,
    Values,
    Where,
    Within,
)
from sql_engine.offline.whose import pointed_at
from sql_engine.value_index import text_stems
from sql_engine.words import folded_words, name_words

MAX_NAMES = 5
"""More names than this share a word that is none of theirs."""
_VALUE = re.compile(r"\b(values?|worth)\b", re.IGNORECASE)
_OF_ONE = re.compile(
    r"how much (?:(?:is|was) (?:an?|one)\b|(?:does|did|do) .+ (?:weigh|cost|measure)\b)",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"(?<=\w)\s+([+×*]|plus|minus)\s+(?=\w)", re.IGNORECASE)


def check(question: Question, best: Reading, data: TableData) -> None:
    """Raises CannotWrite where the question may mean something else than this reading."""
    for doubt in _doubts(question, best, data):
        if doubt is not None:
            raise CannotWrite(doubt.why, sql=to_sql(best.tree, best.relation), hint=doubt.hint)


def _doubts(question: Question, best: Reading, data: TableData) -> Iterator[Doubt | None]:
    yield from counting_doubts(question, best, data)
    yield from given_doubts(question, best, data)
    yield from kind_doubts(question, best, data)
    yield _of_one(question, best, data)
    yield _nothing(question, best, data)
    yield _names(question, best, data)
    yield _namesakes(best)
    yield _step_short(question, best, data)
    yield _parts(question, best)
    yield _only(question, best, data)
    yield _compared(question, best, data)
    yield _against_column(question, best, data)
    yield _half(question, best, data)
    yield _one_or_all(question, best, data)
    yield _lists(best, data)
    yield set_aside(best)
    yield _none_by_a_part(question, best, data)
    yield _none_by_a_far_bound(best)
    yield _untold_total(question, best, data)
    yield _sense(best, data)
    yield repeated_by_join(best, data)
    yield _order(question, best)
    yield _exclusion(best)


def _exclusion(best: Reading) -> Doubt | None:
    """Two stretches of one column that no row is in: "by card in 2023 or by cash in 2024"."""
    stretches = [cond for cond in conditions_of(best.tree) if isinstance(cond, Within)]
    for one, other in itertools.combinations(stretches, 2):
        if one.col == other.col and (one.high <= other.low or other.high <= one.low):  # type: ignore[operator]
            return Doubt(
                f"no row is in both {one.label or 'ranges'} and {other.label or 'the other'}",
                "Ask for each of the two.",
            )
    told = conditions_of(best.tree)
    blank = {c.cond.col for c in told if isinstance(c, Not) and isinstance(c.cond, Filled)}
    if any(isinstance(c, In) and c.col in blank for c in told):
        return Doubt("no row holds a value and none", "Ask for one of the two.")
    return None


def _order(question: Question, best: Reading) -> Doubt | None:
    """A deed that comes first in time, told by the order of the rows."""
    tree = best.tree
    if not isinstance(tree, Values) or not isinstance(tree.rows, Slice) or tree.rows.single:
        return None
    words = question.words
    for trigger in question.of("first", "last"):
        beside = (*words[trigger.first - 1 : trigger.first], *words[trigger.last + 1 :][:1])
        for word in beside:
            if word.stem in lexicon().beginnings and word.folded.endswith("ed"):
                return Doubt(
                    f"no column tells when each {word.text}",
                    "The order of the rows may be another one.",
                )
    return None


def _half(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """What is answered by a part of what is asked for."""
    if against := half_answered(question, best.tree, data):
        return Doubt(
            f"{against}: {reading(best.tree, best.relation)}",
            "Ask for one after the other.",
        )
    return None


def _one_or_all(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Amounts that are compared or ranked one by one, or all of each together."""
    if best.relation.composed:
        return None
    found = mentions(question, best.relation.tables[0])
    if against := one_or_all(question, found, best.tree, data):
        return Doubt(
            f"{against}: {reading(best.tree, best.relation)}",
            'Say "in total", "single" or "how often".',
        )
    return None


def _lists(best: Reading, data: TableData) -> Doubt | None:
    """Groups by cells that each hold several things are groups of no thing."""
    keys = best.tree.keys if isinstance(best.tree, Grouped) else ()
    held = next((data.columns[key.index] for key in keys if data.columns[key.index].items), None)
    if held is not None:
        return Doubt(
            f"the cells of {held.name} hold several things each, and rows are grouped by the cell",
            "Ask for one of the things.",
        )
    return None


def _none_by_a_far_bound(best: Reading) -> Doubt | None:
    """No row, by a number that stands far from the name of the column it bounds: "charge for zone C
    over 500" may bound another.
    """
    if not best.denotation.empty:
        return None
    told = dict(best.features)
    loose = told.get("bound_floating") or told.get("bound_only")
    if "bound_number" in told and (loose or told.get("bound_distance", 0.0) > NEAR_NAME):
        return Doubt("no row fits, and the number may be of another column", _BESIDE)
    return None


NEAR_NAME = 1
"""Words between a column's name and its bound, at most."""
_BESIDE = "Say the number right beside the name of its column."


def _none_by_a_part(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """That there is none is no answer where a word or two of a long cell were taken to name it, or
    a date that no word names and the rows did not come about on.
    """
    tree = best.tree
    if not isinstance(tree, Agg | Values) or len(Evaluator(data).rows(tree.rows)):
        return None
    said = {word.stem for word in question.words}
    written = {word.folded for word in question.words}
    if told := _date_untold(question, best, data):
        return Doubt(f"no row fits, and {told} may not be the date that is meant", "Name the date.")
    for cond in conditions_of(tree):
        if not isinstance(cond, In):
            continue
        who = column_kind(data.columns[cond.col.index]) in ("name", "person")
        if not any(_half_said(text, said, written if who else None) for text in cond.texts):
            return Doubt(
                f"no row fits, and {cond.texts[0]} may not be meant",
                "Say more of the name.",
            )
    return None


def _date_untold(question: Question, best: Reading, data: TableData) -> str | None:
    """The date that a condition holds against, where no word names it, the rows did not come about
    on it, and only some of them have one.
    """
    if best.relation.composed:
        return None
    found = mentions(question, best.relation.tables[0])
    named = {mention.column for mention in found.columns}
    for cond in conditions_of(best.tree):
        column = data.columns[condition_column(cond)]
        told = isinstance(cond, Cmp | Within) and column.temporal
        if told and condition_column(cond) not in named:
            some = bool((column.encoded().codes < 0).any())
            return column.name if some and not is_own_date(column, found, question) else None
    return None


def _half_said(text: str, said: set[str], written: set[str] | None) -> bool:
    """Whether half of a cell's words are in the question; of a name every one that stands there
    is as it is written: Dunne is not Dunn.
    """
    stems = set(text_stems(text))
    like = written is not None and any(
        word not in written and stem in said
        for word, stem in zip(folded_words(text), text_stems(text), strict=False)
    )
    return 2 * len(stems & said) >= len(stems) and not like


def _untold_total(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """The "highest fee" of a group is the highest of its fees or all of them together, and these
    differ.
    """
    tree = best.tree
    if not isinstance(tree, Grouped) or not tree.n or tree.having or question.of("sum", "most"):
        return None
    measure = tree.measures[0]
    if measure.fn != "sum" or measure.col is None or not question.of("superlative"):
        return None
    if not set(name_words(data.columns[measure.col.index].name)) & lexicon().charged:
        return None
    fn = "max" if tree.largest else "min"
    run = Evaluator(data).run
    by_total, by_one = (
        replace(tree, show=False),
        replace(tree, show=False, measures=(replace(measure, fn=fn),)),
    )
    if run(by_total).key() != run(by_one).key():
        return Doubt(
            "the total may be meant or a single one, and the answers differ",
            'Say "total", or "single".',
        )
    return None


def _compared(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Two groups compared by one row of each, or by sums where averages tell otherwise."""
    against = objection_to_comparison(question, best.tree, data)
    if against:
        return Doubt(
            against,
            "Say which is compared: the total, the average, or the number of rows.",
        )
    against = objection_to_one(question, best.tree, data)
    return Doubt(against, 'Say "in total", or "any of them".') if against else None


def _against_column(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """An "over" before a column that holds a bound, as in "over budget"."""
    tree = best.tree
    if best.relation.composed or isinstance(tree, Arith | Holds):
        return None
    held = (cond.cond if isinstance(cond, Not) else cond for cond in conditions_of(tree))
    if any(isinstance(cond, Against | Beyond) for cond in held):
        return None
    words = question.words
    firsts = {
        m.first
        for m in mentions(question, best.relation.tables[0]).columns
        if m.score >= BOUND_NAMED and data.columns[m.column].amount
    }
    for trigger in question.of("compare_number"):
        after = trigger.last + 1
        after += after < len(words) and words[after].folded in _ARTICLES
        told = words[trigger.first].folded in _OVER and trigger.first == trigger.last
        if told and after in firsts:
            return Doubt(
                f"{words[trigger.first].text!r} compares with {words[after].text!r}, and this "
                f"reading does not: {reading(tree, best.relation)}",
                "Ask for the two columns of the rows.",
            )
    return None


BOUND_NAMED = 0.6
"""How well a column must be named to be what rows are held against."""
_OVER = frozenset(["over", "under", "above", "below", "beyond", "exceeding", "exceeds", "exceed"])
_ARTICLES = frozenset(["the", "its", "their"])


def _sense(best: Reading, data: TableData) -> Doubt | None:
    """What makes no sense over the data, such as a sum over several currencies."""
    against = objection(best.tree, best.relation, data)
    if against:
        return Doubt(
            against,
            "Ask for one of them, or for each of them apart.",
        )
    return None


def _of_one(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """What one thing costs or weighs is no sum over several rows."""
    tree = best.tree
    if not _OF_ONE.match(question.text.strip()) or not isinstance(tree, Agg) or tree.fn != "sum":
        return None
    if {word.folded for word in question.words} & _TOGETHER:
        return None
    if len(Evaluator(data).rows(tree.rows)) > 1:
        return Doubt(
            f"one is asked for, and this adds up several: {reading(tree, best.relation)}",
            'Say "total", or which row is meant.',
        )
    return None


_TOGETHER = frozenset(["together", "altogether", "combined", "all", "both", "total"])


def _nothing(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Rows "without a discount" may have none told, or one of 0."""
    if {word.folded for word in question.words} & (lexicon().blank | _TOLD):
        return None
    for cond in conditions_of(best.tree):
        if not isinstance(cond, Not) or not isinstance(cond.cond, Filled):
            continue
        column = data.columns[cond.cond.col.index]
        if column.numeric and 0.0 in column.encoded().floats:
            return Doubt(
                f"some rows have no {column.name}, and others one of 0",
                f'Say "{column.name} of 0" or "{column.name} missing".',
            )
    return None


_TOLD = frozenset(["recorded", "given", "entered", "known", "stated", "listed", "filled"])


def _names(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """A part of a name that several have says of none which one is meant."""
    said = {word.stem for word in question.words}
    for cond in conditions_of(best.tree):
        cells = cond.cond if isinstance(cond, Not) else cond
        if not isinstance(cells, In) or not 1 < len(cells.texts) <= MAX_NAMES:
            continue
        who = column_kind(data.columns[cells.col.index]) in ("name", "person")
        who = who and not says_part(question)
        if who and not any(set(text_stems(text)) <= said for text in cells.texts):
            return Doubt(
                f"several are called so: {', '.join(cells.texts)}",
                "Say the whole name.",
            )
    return None


def _step_short(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """What is told of the row that another points to, taken for what is told of the row itself."""
    if best.relation.composed:
        return None
    texts = {column.name: column.texts for column in data.columns}
    name = pointed_at(question.words, texts, data.row_count)
    if name is None:
        return None
    return Doubt(f"what is told is told of {name}, and not of the rows", f"Ask who each {name} is.")


def _namesakes(best: Reading) -> Doubt | None:
    """A name that several rows of a joined table have is the name of one of them."""
    relation = best.relation
    for cond in conditions_of(best.tree):
        key = shared_names(relation).get(cond.col.index) if isinstance(cond, In) else None
        if key is None or not isinstance(cond, In):
            continue
        alike = sharing(relation, cond.col.index, cond.texts)
        if len(alike) > len(cond.texts):
            name, named = relation.columns[key].name, ", ".join(map(str, alike[:MAX_NAMES]))
            return Doubt(
                f"several are called {' or '.join(cond.texts)}: {name} {named}",
                f"Say which {name}.",
            )
    return None


def _gives_pieces(best: Reading) -> bool:
    """Whether it gives how many pieces there are."""
    tree = best.tree
    cols = tree.cols if isinstance(tree, Values) else (tree.col,) if isinstance(tree, Agg) else ()
    names = [best.relation.names[col.index] for col in cols if col is not None]
    return any(set(name_words(name)) & lexicon().quantities for name in names)


def _only(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """What only some groups are is said of all their rows.. Told where it differs."""
    tree, conds = best.tree, conditions_of(best.tree)
    said = any(word.folded == "only" for word in question.words[1:])
    if not said or not conds or not isinstance(tree, Values) or len(tree.cols) != 1:
        return None
    key = tree.cols[0]
    if data.columns[key.index].encoded(key.facet).unique:
        return None
    others = NoneOf(key, AnyOf(tuple(Not(cond) for cond in conds)))
    whole = replace(tree, rows=Where(All(), (*conds, others)), distinct=True)
    run = Evaluator(data).run
    if run(whole).key() != run(replace(tree, distinct=True)).key():
        return Doubt(
            "'only' may be said of single rows or of all rows of a group, and the answers differ",
            "Say which is meant.",
        )
    return None


def _parts(question: Question, best: Reading) -> Doubt | None:
    """Two counts, a sum of two columns, or the value of some pieces are no one number."""
    sign = _SIGNS.search(question.text) or (_gives_pieces(best) and _VALUE.search(question.text))
    twice = len(question.apart("count")) > 1 and isinstance(best.tree, Agg)
    if (sign and not isinstance(best.tree, Arith)) or twice:
        what = f'"{sign[1]}"' if sign else "the second count"
        return Doubt(
            f"this reading leaves out {what}: {reading(best.tree, best.relation)}",
            "Ask for one after the other.",
        )
    return None
