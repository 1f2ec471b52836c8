"""Whether an answer can be one at all: a time for "when", a name for a name, one for "the only".

Takes the question with its reading and arrays; gives each doubt, or None. These hold whatever words
the reading has a place for; `given_doubts` compares what is given with the noun that is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData, holds_years
from sql_engine.offline.doubt import Doubt
from sql_engine.offline.either_or import LEFT_OPEN, chooses, offered
from sql_engine.offline.features import column_kind, conditions_of, question_word
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import mentions
from sql_engine.offline.question import Question, covering
from sql_engine.offline.reading import reading
from sql_engine.offline.search import Reading
from sql_engine.offline.table_words import bare_stems
from sql_engine.offline.tree import (
    Agg,
    AnyOf,
    Beyond,
    Col,
    Facet,
    Grouped,
    Holds,
    In,
    NoneOf,
    Not,
    Shares,
    Shift,
    Slice,
    Top,
    Tree,
    Values,
    Where,
)
from sql_engine.words import name_words


def kind_doubts(question: Question, best: Reading, data: TableData) -> Iterator[Doubt | None]:
    """Each doubt about the kind of answer, in the order in which they are told."""
    yield _no_time(question, best, data)
    yield _truth_of_two(question, best)
    yield _several_of_one(question, best)
    yield _key_for_a_name(question, best, data)
    yield _no_amount(question, best, data)
    yield _amount_for_a_thing(question, best, data)
    yield _grouped_by_amounts(question, best, data)
    yield _best_of_times(question, best, data)
    yield _number_of_one(question, best)
    yield _noun_as_cell(question, best)
    yield _denied_in_part(question, best)
    yield _nothing_beside(best)
    yield _place_or_number(question, best, data)
    yield _than_unsaid(question, best)
    yield _in_both(question, best)
    yield _nobody(question, best, data)
    yield _how_much_is_no_time(question, best, data)
    yield _people_for_a_place(question, best, data)
    yield _none_of_something(question, best)


def _in_both(question: Question, best: Reading) -> Doubt | None:
    """The rows of either for "who is in both": each row is in one of them."""
    if not isinstance(best.tree, Values) and not _is_count(best.tree):
        return None
    both = {i + 1 for i, word in enumerate(question.words) if word.folded == "both"}
    tables = best.relation.tables if both else ()
    found = (value for table in tables for value in mentions(question, table).values)
    named = any(value.exact and value.first in both for value in found)
    if named and any(isinstance(c, In | AnyOf | Shares) for c in conditions_of(best.tree)):
        return _told(best, "who or what is in both is not told by the rows of either", "")
    return None


def _is_count(tree: Tree) -> bool:
    return isinstance(tree, Agg) and tree.fn in ("count", "distinct")


def _nobody(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Rows without anybody's name for "who": a key points to somebody."""
    tree = best.tree
    if question_word(question) not in ("who", "whom") or not isinstance(tree, Values) or tree.cols:
        return None
    if not isinstance(tree.rows, Where) or any(map(_names_somebody, data.columns)):
        return None
    return _told(best, "nobody is named in these rows", "Name the column that says who.")


def _how_much_is_no_time(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Dates for "how much was paid late"."""
    words = [word.folded for word in question.words[:2]]
    given = _given(best.tree, data)
    if words != ["how", "much"] or not given or not all(c.temporal for _, c in given):
        return None
    return _told(best, "an amount is asked for, and this gives dates", "Name the column.")


def _names_somebody(column: ColumnData) -> bool:
    keyed = column.coded or bool(_KEY & set(name_words(column.name)))
    return column.kind is Kind.TEXT and not keyed and column_kind(column) in ("name", "person")


def _people_for_a_place(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """People for "where do they play"."""
    given = _given(best.tree, data)
    if question_word(question) != "where" or not given:
        return None
    if all(set(name_words(column.name)) & lexicon().who for _, column in given):
        return _told(best, "a place is asked for, and this gives people", "Name the column.")
    return None


def _none_of_something(question: Question, best: Reading) -> Doubt | None:
    """The rows of others for "no reading for the office": what there is none of has no place."""
    denied: list[object] = [
        cond.cond
        for cond in conditions_of(best.tree)
        if isinstance(cond, Not) and isinstance(cond.cond, In)
    ]
    denied += [c.cond for c in conditions_of(best.tree) if isinstance(c, NoneOf)]
    cells = {text for cond in denied if isinstance(cond, In) for text in cond.texts}
    if not cells:
        return None
    found = [mentions(question, table) for table in best.relation.tables]
    held = covering(v for each in found for v in each.values if cells & set(v.texts))
    named = held | found[0].rows | found[0].table_words
    named |= covering(column for each in found for column in each.columns)
    for trigger in question.of("negation"):
        after = trigger.last + 1
        if question.words[trigger.last].folded != "no" or after >= len(question.words):
            continue
        if not (named | question.function) >> after & 1:
            return _told(best, "what there is none of is not told", "Say which column is empty.")
    return None


def _told(best: Reading, why: str, hint: str) -> Doubt:
    return Doubt(f"{why}: {reading(best.tree, best.relation)}", hint)


def _given(tree: Tree, data: TableData) -> list[tuple[Col, ColumnData]]:
    """The columns whose cells are given."""
    cols: tuple[Col, ...] = ()
    if isinstance(tree, Values):
        cols = tree.cols
    elif isinstance(tree, Grouped) and tree.show_keys:
        cols = tree.keys
    return [(col, data.columns[col.index]) for col in cols]


# ---------------------------------------------------------------- times and truths


def _no_time(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Cells without a digit, of columns that tell no time, for "when"."""
    given = _given(best.tree, data)
    others = {word.folded for word in question.words} & _ASKING
    if question_word(question) != "when" or others or not given:
        return None
    if any(col.facet is not Facet.VALUE or _tells_time(column) for col, column in given):
        return None
    cells = [str(cell) for row in best.denotation.rows for cell in row if cell is not None]
    amounts = all(column.measured for _, column in given)
    if amounts or not any(any(map(str.isdigit, cell)) for cell in cells):
        return _told(best, "no time is given", "Name the column of the date.")
    return None


_ASKING = frozenset(["what", "which", "who", "whom", "where", "how"])
"""Beside one of these a "when" only says in which case."""


def _tells_time(column: ColumnData) -> bool:
    return bool(
        column.temporal or column.spans or column.kind is Kind.TIME or holds_years(column)
    ) or (column_kind(column) == "time")


def _truth_of_two(question: Question, best: Reading) -> Doubt | None:
    """Yes or no to "was it at one or at two"."""
    if not isinstance(best.tree, Holds) or not question.of("or"):
        return None
    if any(word.folded in LEFT_OPEN for word in question.words):
        return None
    if any(_is_choice(cond) for cond in conditions_of(best.tree)):
        return _told(best, "one of two is asked for", "Ask for each of the two.")
    return None


def _is_choice(cond: object) -> bool:
    if isinstance(cond, AnyOf):
        return len({each.col for each in cond.conds if hasattr(each, "col")}) == 1
    return isinstance(cond, In) and len(cond.texts) > 1


def _several_of_one(question: Question, best: Reading) -> Doubt | None:
    """More than one for "the only one", more or fewer than two for "the only two"."""
    found = _ONLY.search(question.text)
    if found is None or not isinstance(best.tree, Values | Grouped):
        return None
    wanted = _NUMBERS.get((found[1] or "one").lower(), 1)
    count = len(set(best.denotation.rows))
    if found[1] is None and found[2].lower().endswith("s"):
        return None
    if count != wanted:
        return _told(best, f"{count} are found, and {wanted} is told to be the only", "")
    return None


_ONLY = re.compile(r"\bthe only (?:(one|two|three|four|five)\b\s*)?([^\W\d]*)", re.IGNORECASE)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


# ---------------------------------------------------------------- names, keys and amounts


def _key_for_a_name(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """A number that points to a thing, where its name is asked for."""
    said = {word.folded for word in question.words}
    given = _given(best.tree, data)
    if not given or not said & _NAME or said & _KEY:
        return None
    if all(column.identifier or _is_called_key(column) for _, column in given):
        return _told(best, "a name is asked for, and this gives a key", "Name the column.")
    return None


def _is_called_key(column: ColumnData) -> bool:
    return column.numeric and bool({"id", "key", "code"} & set(name_words(column.name)))


_NAME = frozenset(["name", "names", "title", "titles"])
_KEY = frozenset(["id", "ids", "number", "numbers", "code", "codes", "key", "keys", "no"])


def _no_amount(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """A text without a digit for "how high" and the like."""
    words = question.words
    asked = words[0].folded == "how" and len(words) > 1 and words[1].folded in lexicon().manner
    if not asked or not isinstance(best.tree, Values) or not best.tree.cols:
        return None
    cells = [str(cell) for row in best.denotation.rows for cell in row if cell is not None]
    if cells and not any(any(map(str.isdigit, cell)) for cell in cells):
        return _told(best, f"how {words[1].text} is asked for, and no amount given", "")
    return None


def _amount_for_a_thing(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """An amount for "which area has the most people" or "the largest tower": the word stands in the
    amount's name, and asks for what has it.
    """
    tree = best.tree
    if not isinstance(tree, Values) or not isinstance(tree.rows, Top) or len(tree.cols) != 1:
        return None
    column = data.columns[tree.cols[0].index]
    if tree.rows.key == tree.cols[0] or not _says_amount(column) or _tells_time(column):
        return None
    noun, stems = _noun_asked(question), bare_stems(column.name)
    whole = question_word(question) == "which" and (column.unit or _bracketed(column))
    said = {word.stem for word in question.words}
    if noun in stems and (stems[-1] not in said or (whole and stems == (noun,))):
        return _told(best, "a thing is asked for, and this gives an amount", "Name the column.")
    return None


def _says_amount(column: ColumnData) -> bool:
    return column.measured or column.text_numbers > MOSTLY


MOSTLY = 0.5
"""The share of texts that open with a number in a column of amounts."""


def _bracketed(column: ColumnData) -> bool:
    return column.name.rstrip().endswith((")", "]"))


def _noun_asked(question: Question) -> str | None:
    """The stem of the word right after "which", or after "what is the" and an end."""
    words = question.words
    for i, word in enumerate(words):
        if word.folded not in ("which", "what"):
            continue
        after = i + 1
        ends = covering(question.of("superlative"))
        while after < len(words) and (words[after].folded in _BETWEEN or ends >> after & 1):
            after += 1
        return words[after].stem if after < len(words) else None
    return None


_BETWEEN = frozenset(["is", "was", "are", "were", "the"])


def _grouped_by_amounts(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """The amount that most rows have, for "which season had the most contestants"."""
    tree = best.tree
    if not isinstance(tree, Grouped) or not tree.n or len(tree.keys) != 1:
        return None
    key = data.columns[tree.keys[0].index]
    if tree.keys[0].facet is not Facet.VALUE or holds_years(key) or not _counts(key):
        return None
    noun = _noun_asked(question)
    if tree.measures[0].fn == "count" and noun not in bare_stems(key.name)[-1:]:
        return _told(best, "a thing is asked for, and this gives an amount", "")
    return None


def _counts(column: ColumnData) -> bool:
    """Whether a column's numbers say how much or how many."""
    return column.amount or (column.spans is None and column.text_numbers > MOSTLY)


def _best_of_times(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """The latest for "the best" of a time: which year was best is told by no year."""
    tree = best.tree
    if not isinstance(tree, Values) or not isinstance(tree.rows, Top):
        return None
    key = data.columns[tree.rows.key.index]
    said = {
        word.folded
        for trigger in question.of("superlative")
        for word in question.words[trigger.first : trigger.last + 1]
    }
    if said & _GOOD and (key.temporal or holds_years(key)):
        return _told(best, "no time is the best of times", "Say the latest, or name an amount.")
    return None


_GOOD = frozenset(["best", "worst", "top", "biggest", "largest", "greatest"])


def _noun_as_cell(question: Question, best: Reading) -> Doubt | None:
    """The rows whose cells have the counted noun for a part: "how many companies" of the "Edwards
    Car Company" alone.
    """
    if not dict(best.features).get("value_partial") or best.relation.composed:
        return None
    held = {
        (cond.col.index, text)
        for cond in conditions_of(best.tree)
        if isinstance(cond, In)
        for text in cond.texts
    }
    counted = {trigger.last + 1 for trigger in question.of("count")}
    for value in mentions(question, best.relation.tables[0]).values:
        told = {(value.column, text) for text in value.texts}
        if not value.exact and value.first in counted and told & held:
            return _told(best, "what is counted is taken for a part of a name", "")
    return None


def _denied_in_part(question: Question, best: Reading) -> Doubt | None:
    """One of two denied, where a "not" stands before both: "not in January or February"."""
    for cond in conditions_of(best.tree):
        if not isinstance(cond, AnyOf) or not question.of("negation"):
            continue
        denied = [isinstance(each, Not) for each in cond.conds]
        if any(denied) and not all(denied):
            return _told(best, "both may be denied, and this denies one", "Ask for each of them.")
    return None


def _number_of_one(question: Question, best: Reading) -> Doubt | None:
    """One row, counted for "what is the number of the player": its number is asked for."""
    tree = best.tree
    if not isinstance(tree, Agg) or tree.fn not in ("count", "distinct"):
        return None
    if best.denotation.rows[0][0] == 1 and _NUMBER_OF_ONE.search(question.text):
        return _told(best, "a number that one has is asked for, and this counts it", "")
    return None


_NUMBER_OF_ONE = re.compile(
    r"\b(?:(?:order|rank|jersey|serial|page|track|lot|room|seat|account|phone|model|house) number"
    r"|number rank|number of the (?!\w+s\b)\w+)\b",
    re.IGNORECASE,
)


# ---------------------------------------------------------------- rows beside others


def _nothing_beside(best: Reading) -> Doubt | None:
    """No row before the first, after the last, beyond one or alike: the table may run otherwise;
    nor anything told at an end, where what is asked for is blank.
    """
    tree = best.tree
    if not isinstance(tree, Values) or any(any(c is not None for c in r) for r in _rows(best)):
        return None
    beside = isinstance(tree.rows, Shift | Slice) or any(
        isinstance(cond, Beyond | Shares) for cond in _all_conditions(tree)
    )
    if beside:
        return _told(best, "no row is so", "Ask for the row that is told by a value.")
    return None


def _rows(best: Reading) -> tuple[tuple[object, ...], ...]:
    return best.denotation.rows


def _all_conditions(tree: Values) -> tuple[object, ...]:
    rows: object = tree.rows
    found: list[object] = []
    while hasattr(rows, "rows"):
        if isinstance(rows, Where):
            found.extend(rows.conds)
        rows = rows.rows
    return tuple(found)


def _place_or_number(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """The fourth row for "the 4th match", where another row has the match number 4."""
    tree = best.tree
    if not isinstance(tree, Values) or best.relation.composed:
        return None
    rows = tree.rows
    if not isinstance(rows, Slice) or not rows.single or rows.from_end:
        return None
    ends = {number.last + 1: number for number in question.numbers if number.ordinal}
    for mention in mentions(question, best.relation.tables[0]).columns:
        number, column = ends.get(mention.first), data.columns[mention.column]
        if number is None or column.kind is not Kind.INTEGER:
            continue
        places = [i for i, value in enumerate(column.encoded().row_floats) if value == number.value]
        if places and places != [rows.n - 1]:
            return _told(best, f"another row has the {column.name} {number.value:g}", "")
    return None


def _than_unsaid(question: Question, best: Reading) -> Doubt | None:
    """A superlative for a comparison: "smaller than that of any other"."""
    if not _THAN.search(question.text) or not isinstance(best.tree, Grouped):
        return None
    if best.tree.n and not best.tree.having and not chooses(best.tree, _chosen(question, best)):
        return _told(best, "two are compared, and this gives an end of all", "")
    return None


def _chosen(question: Question, best: Reading) -> frozenset[int]:
    return offered(question, mentions(question, best.relation.tables[0]))


_THAN = re.compile(
    r"\b(?:smaller|larger|higher|lower|greater|fewer|less|more|bigger|longer|shorter)(?: \w+)?"
    r" than (?:that|those|any|the|all|every|each|in)\b",
    re.IGNORECASE,
)
