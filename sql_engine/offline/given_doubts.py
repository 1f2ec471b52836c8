"""Whether what a reading gives is of the kind that is asked for: the noun after "which", one thing
for a singular, a cell where one stands there.

Takes the question with its reading and arrays; gives each doubt, or None. What is counted is
`counting_doubts`', how cells are compared or added up `doubts`'.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from retrieval.table import Kind
from sql_engine.offline.blanks import Blanks
from sql_engine.offline.columns import TableData, holds_years
from sql_engine.offline.doubt import Doubt
from sql_engine.offline.elapsed import asks_how_long
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import (
    column_kind,
    condition_column,
    conditions_of,
    number_asked,
    places,
    question_word,
)
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import mentions
from sql_engine.offline.money import holds_money
from sql_engine.offline.parts import NAMED
from sql_engine.offline.question import Question
from sql_engine.offline.reading import reading
from sql_engine.offline.search import Reading
from sql_engine.offline.tree import (
    Agg,
    Beyond,
    Grouped,
    Holds,
    In,
    Shift,
    Slice,
    Top,
    Tree,
    Values,
)
from sql_engine.words import folded_words, name_words, stem


def given_doubts(question: Question, best: Reading, data: TableData) -> Iterator[Doubt | None]:
    """Each doubt about what is given, in the order in which they are told."""
    yield _beside_several(question, best, data)
    yield _ties_above(best, data)
    yield _of_each(question, best)
    yield _how_long_or_which(question, best)
    yield _worth(question, best, data)
    yield _name_or_year(question, best, data)
    yield _who_it_is(question, best)
    yield _no_cell(best)
    yield _next_or_all(question, best, data)
    yield _other_noun(question, best, data)
    yield _who(question, best, data)
    yield _whether_alone(question, best, data)
    yield _beside_an_end(best, data)
    yield _had(question, best, data)
    yield _turned_round(question, best)
    yield _other_end(question, best, data)


def _of_each(question: Question, best: Reading) -> Doubt | None:
    """The first in all, or the one group with the most, where one of each group is asked for."""
    tree = best.tree
    told = ("each", "every", "per") if isinstance(tree, Grouped) else ("each", "every")
    each = [t for t in question.of("group") if question.words[t.last].folded in told]
    in_all = isinstance(tree, Values) and isinstance(tree.rows, Top | Slice)
    if isinstance(tree, Values) and isinstance(tree.rows, Top) and tree.rows.within is not None:
        return None
    if each and (in_all or (isinstance(tree, Grouped) and tree.n is not None)):
        said = " ".join(question.text_of(each[0].mask))
        return Doubt(f"{said!r} asks for one of each, and this gives the first of all", "Name one.")
    return None


def _how_long_or_which(question: Question, best: Reading) -> Doubt | None:
    """How long it took, where "the fastest delivery" may well ask which one it was."""
    tree, lasting = best.tree, best.relation.elapsed
    if lasting is None or not isinstance(tree, Agg) or tree.fn not in ("max", "min"):
        return None
    if asks_how_long(question):
        return None
    return Doubt(
        f"which one it was or how long it took may be asked for: {lasting.shown.name}",
        'Say "which", or "how long".',
    )


def _worth(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """How many there are, for "the value of the stock", which is so much money."""
    words = [word.folded for word in question.words]
    asked = [i for i, word in enumerate(words[:-1]) if word in _WORTH and words[i + 1] == "of"]
    told = [col for place, col in places(best.tree) if place in ("out", "measure")]
    pieces = [c for c in told if set(name_words(data.columns[c.index].name)) & lexicon().quantities]
    if not asked or not pieces or any(holds_money(data.columns[c.index]) for c in told):
        return None
    name = best.relation.names[pieces[0].index]
    return Doubt(f"{words[asked[0]]!r} is asked for, and {name} tells how many", "Name the column.")


_WORTH = frozenset(["value", "worth"])


def _name_or_year(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """The thing that is called "1984", for "from 1984", where a column has that year as well."""
    words = [word.folded for word in question.words]
    for cond in conditions_of(best.tree):
        if not isinstance(cond, In) or data.columns[cond.col.index].kind is not Kind.TEXT:
            continue
        for text in filter(str.isdecimal, cond.texts):
            at = words.index(text) if text in words else 0
            years = (column for column in data.columns if holds_years(column))
            dated = [column for column in years if float(text) in column.encoded().values]
            if at and dated and words[at - 1] in _IN_YEAR:
                return Doubt(f"{text} is a name and a {dated[0].name}", "Name the column.")
    return None


_IN_YEAR = frozenset(["in", "from", "since", "of", "during", "before", "after"])


def _who_it_is(question: Question, best: Reading) -> Doubt | None:
    """The club, for "the cox of Anna's club": the cell before the "of" says who is asked for."""
    tree = best.tree
    if not isinstance(tree, Values) or len(tree.cols) != 1:
        return None
    held = {cond.col.index for cond in conditions_of(tree) if isinstance(cond, In)}
    words, relation = [word.folded for word in question.words], best.relation
    shown = tree.cols[0].index
    for place, table in enumerate(relation.tables):
        found, first = mentions(question, table), relation.offset(place)
        heads = [
            value.last
            for value in found.values
            if value.exact and first + value.column in held
            if words[value.last + 1 : value.last + 2] == ["of"]
            and _OPENS.issuperset(words[: value.first])
        ]
        name = relation.columns[shown].name  # of the key, or of what it points to
        named = (m for m in found.columns if table.columns[m.column].name == name)
        if heads and any(mention.first > heads[0] for mention in named):
            said = words[heads[0]]
            return Doubt(f"{said!r} is asked for, and this gives its {name}", "Name the column.")
    return None


_OPENS = frozenset(["who", "is", "was", "the", "a", "which", "what", "are", "were"])


def _turned_round(question: Question, best: Reading) -> Doubt | None:
    """Whom somebody coaches, for "who is the coach of Ann" and "who coaches Ann"."""
    if question_word(question) not in ("who", "whom") or best.relation.composed:
        return None
    conds = [cond for cond in conditions_of(best.tree) if isinstance(cond, In)]
    found = mentions(question, best.relation.tables[0])
    said = [word.folded for word in question.words]
    starts = {v.first for v in found.values if v.exact}
    for mention in found.columns:
        after = mention.last + 1
        of = said[after : after + 1] in (["of"], ["for"])
        named = said[mention.last] in folded_words(best.relation.names[mention.column])
        verb = mention.last == 1 and not named
        if not (of or verb) or after + of not in starts or mention.first != mention.last:
            continue
        if any(cond.col.index == mention.column for cond in conds):
            name = best.relation.names[mention.column]
            return Doubt(f"the {name} is asked for, and this gives others", "Name the column.")
    return None


def _other_end(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """When something began, for "ending in March"."""
    ends = [i for i, word in enumerate(question.words) if word.stem == "end"]
    dated = {
        i
        for i in map(condition_column, conditions_of(best.tree))
        if data.columns[i].temporal or data.columns[i].spans
    }
    timed = any(0 < p.first - i <= NEAR_END for i in ends for p in question.periods)
    if not timed or not dated or any(_ENDS & set(name_words(data.columns[i].name)) for i in dated):
        return None
    name = best.relation.names[min(dated)]
    return Doubt(f"{name} does not tell when it ends", "Name the column that does.")


NEAR_END = 3
"""Words from an "ending" to its date, at most."""
_ENDS = frozenset(map(stem, ["end", "ends", "ended", "to", "until", "till", "finish", "finished"]))
_ENDS |= frozenset(map(stem, ["closed", "closing", "return", "returned", "departure", "expires"]))
_ENDS |= frozenset(map(stem, ["expiry", "due", "last", "completed", "valid"]))


def _had(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """All rows for those "with a partner", where some have none."""
    if best.relation.composed or not isinstance(best.tree, Values):
        return None
    had = set(Blanks(question, mentions(question, best.relation.tables[0]), data).had())
    conditioned = set(map(condition_column, conditions_of(best.tree)))
    missed = sorted(had - conditioned)
    if not missed or isinstance(best.tree.rows, Top):
        return None
    name = best.relation.names[missed[0]]
    return Doubt(f"some rows have no {name}, and are told as well", f'Say "{name} is given".')


def _beside_several(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """The row after or before one, where several rows are called so."""
    tree = best.tree
    if not isinstance(tree, Values) or not isinstance(tree.rows, Shift):
        return None
    beside = len(Evaluator(data).rows(tree.rows.rows))
    if beside > 1 and best.denotation.count > 1:
        return Doubt(
            f"{beside} rows are called so, and each has a row beside it",
            "Say which of them is meant.",
        )
    return None


def _ties_above(best: Reading, data: TableData) -> Doubt | None:
    """The third of rows of which several share a place before it: by place it is another row."""
    tree = best.tree
    rows = tree.rows if isinstance(tree, Values) and not tree.distinct else None
    if not isinstance(rows, Top) or not rows.single:
        return None
    run = Evaluator(data)
    counted = set(run.rows(replace(rows, single=False)).tolist())
    if set(run.rows(rows).tolist()) <= counted:
        return None
    return Doubt(
        "several rows share a place before it, so that it may be counted in two ways",
        f"Ask for the first {rows.n + 1}.",
    )


def _no_cell(best: Reading) -> Doubt | None:
    """A blank beside a row answers nothing, nor does a comparison with one."""
    tree, rows = best.tree, best.denotation.rows
    if isinstance(tree, Holds) and any(cell is None for row in rows for cell in row):
        return Doubt("one of the two has no value to compare", "Ask for each of the two.")
    if not isinstance(tree, Values) or not isinstance(tree.rows, Shift) or not rows:
        return None
    if all(cell is None for row in rows for cell in row):
        return Doubt("the row beside it holds nothing there", "Ask for the whole row.")
    return None


def _next_or_all(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """One that came after another, of which there are several: the next, or any later one."""
    tree = best.tree
    if not isinstance(tree, Values) or best.denotation.count < 2:
        return None
    if number_asked(question) != "singular":
        return None
    for cond in conditions_of(tree):
        if not isinstance(cond, Beyond):
            continue
        column = data.columns[cond.col.index]
        timed = any(word.folded in _NEXT for word in question.words)
        if timed or column.temporal or column.runs or holds_years(column):
            return Doubt(
                f"{best.denotation.count} come {'after' if cond.op == '>' else 'before'} it",
                'Say "next", "previous", or "all".',
            )
    return None


def _other_noun(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Another column than the one that "which" or "what" asks for."""
    tree = best.tree
    given = _given(tree)
    if best.relation.composed or given is None:
        return None
    asked = _asked_for(question, best)
    if isinstance(tree, Agg) and any(data.columns[i].numeric for i in asked):
        return None  # "what total …" may be told by another amount
    if asked and given not in asked:
        names = ", ".join(best.relation.names[i] for i in sorted(asked))
        return Doubt(
            f"{names} is asked for, and this gives another: {reading(tree, best.relation)}",
            "Name the column that is asked for.",
        )
    return None


def _given(tree: Tree) -> int | None:
    """The one column of which cells are given, or the largest or least."""
    if isinstance(tree, Values) and len(tree.cols) == 1:
        return tree.cols[0].index
    if isinstance(tree, Agg) and tree.fn in ("max", "min") and tree.col is not None:
        return tree.col.index
    return None


def _who(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Numbers or months for people."""
    tree = best.tree
    if question_word(question) not in ("who", "whom") or best.relation.composed:
        return None
    if not isinstance(tree, Values) or len(tree.cols) != 1:
        return None
    given = tree.cols[0].index
    if column_kind(data.columns[given]) in ("name", "person"):
        return None  # a respondent may be called "R06"
    named = {m.column for m in mentions(question, best.relation.tables[0]).columns}
    cells = [str(row[0]) for row in best.denotation.rows]
    told = _opens_with_digit if given in named else _holds_digit
    if cells and all(map(told, cells)):
        return Doubt(
            f"who is asked for, and this gives none: {reading(tree, best.relation)}",
            "Name the column that is asked for.",
        )
    return None


def _whether_alone(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Who it is, of a thing that the question names, where a column tells only whether there is
    one: the warden of a hut with a warden is nobody in the table.
    """
    if best.relation.composed:
        return None
    given = _given(best.tree)
    if given is not None and data.columns[given].kind is Kind.BOOLEAN and _asks_a_name(question):
        return _whether(best, given)
    if question_word(question) not in ("who", "whom", "whose"):
        return None
    asked = set(map(condition_column, conditions_of(best.tree)))
    flags = [i for i in asked if data.columns[i].kind is Kind.BOOLEAN]
    named = any(data.columns[i].encoded().unique for i in asked)
    if not flags or not named:
        return None
    return _whether(best, flags[0])


def _asks_a_name(question: Question) -> bool:
    """Whether a name is asked for: "what is the name of", "the warden's name"."""
    return any(word.stem == "name" for word in question.words[1:])


def _whether(best: Reading, column: int) -> Doubt:
    return Doubt(
        f"{best.relation.names[column]} tells whether there is one, and not who",
        "Ask whether there is one.",
    )


def _opens_with_digit(cell: str) -> bool:
    return cell.strip()[:1].isdigit()


def _holds_digit(cell: str) -> bool:
    return any(map(str.isdigit, cell))


def _beside_an_end(best: Reading, data: TableData) -> Doubt | None:
    """What comes after the largest of one row is no largest after that row."""
    tree = best.tree
    if not isinstance(tree, Values) or not isinstance(tree.rows, Shift):
        return None
    end = tree.rows.rows
    if isinstance(end, Top) and len(Evaluator(data).rows(end.rows)) == 1:
        return Doubt("the end of a single row is that row", "Ask for one after the other.")
    return None


def _asked_for(question: Question, best: Reading) -> frozenset[int]:
    """The columns that the noun right after "which" or "what" names."""
    found = mentions(question, best.relation.tables[0])
    words = question.words
    for i, word in enumerate(words[:-1]):
        if word.folded in ("which", "what"):
            first = i + 1
            while first < len(words) and words[first].folded in _BETWEEN:
                first += 1
            named = (m for m in found.columns if m.first == first and m.score >= NAMED)
            return frozenset(m.column for m in named)
    return frozenset()


_BETWEEN = frozenset(["is", "was", "are", "were", "the", "other"])
_NEXT = frozenset(["after", "before", "following", "preceding"])
