"""What the likeliest reading of a question may still get wrong, though every word has its place.

Takes the question with its reading, ready to be written; raises `CannotWrite` with what is unclear
and how to say it. A doubt that only a table's data can settle (a name that several have) belongs
here; words without a place are `coverage`'s, how likely a reading is `confidence`'s.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TypeGuard

from retrieval.table import Kind
from sql_engine.errors import CannotWrite
from sql_engine.offline.columns import ColumnData, TableData
from sql_engine.offline.compared import objection_to_comparison
from sql_engine.offline.conditions import says_nothing
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import column_kind, conditions_of, places
from sql_engine.offline.half_answers import half_answered
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import mentions
from sql_engine.offline.namesakes import shared_names, sharing
from sql_engine.offline.question import Question
from sql_engine.offline.reading import reading
from sql_engine.offline.repeated import things, things_of, things_of_kind
from sql_engine.offline.search import Reading
from sql_engine.offline.sense import amounts, objection
from sql_engine.offline.to_sql import to_sql
from sql_engine.offline.tree import (
    Agg,
    All,
    AnyOf,
    Arith,
    Beyond,
    Col,
    Filled,
    Grouped,
    Holds,
    In,
    NoneOf,
    Not,
    Slice,
    Tree,
    Values,
    Where,
    Within,
)
from sql_engine.value_index import text_stems
from sql_engine.words import fold, name_words

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
    _check_noun(question, best, data)
    _check_kind(question, best, data)
    _check_listed_noun(question, best)
    _check_numbered(question, best, data)
    _check_of_one(question, best, data)
    _check_nothing(question, best, data)
    _check_names(question, best, data)
    _check_namesakes(best)
    _check_parts(question, best)
    _check_only(question, best, data)
    _check_compared(question, best, data)
    _check_against_column(question, best, data)
    _check_sort(question, best, data)
    _check_half(question, best, data)
    _check_none_first(best, data)
    _check_lists(best, data)
    _check_all_alike(best, data)
    _check_none_by_a_part(question, best, data)
    _check_untold_total(question, best, data)
    _check_sense(best, data)
    _check_order(question, best)
    _check_exclusion(best)


def _check_exclusion(best: Reading) -> None:
    """Two stretches of one column that no row is in: "by card in 2023 or by cash in 2024". Raises
    CannotWrite.
    """
    stretches = [cond for cond in conditions_of(best.tree) if isinstance(cond, Within)]
    for one, other in itertools.combinations(stretches, 2):
        if one.col == other.col and (one.high <= other.low or other.high <= one.low):  # type: ignore[operator]
            raise CannotWrite(
                f"no row is in both {one.label or 'ranges'} and {other.label or 'the other'}",
                sql=to_sql(best.tree, best.relation),
                hint="Ask for each of the two.",
            )


def _check_order(question: Question, best: Reading) -> None:
    """A deed that comes first in time, told by the order of the rows. Raises CannotWrite."""
    tree = best.tree
    if not isinstance(tree, Values) or not isinstance(tree.rows, Slice) or tree.rows.single:
        return
    words = question.words
    for trigger in question.of("first", "last"):
        beside = (*words[trigger.first - 1 : trigger.first], *words[trigger.last + 1 :][:1])
        for word in beside:
            if word.stem in lexicon().beginnings and word.folded.endswith("ed"):
                raise CannotWrite(
                    f"no column tells when each {word.text}",
                    sql=to_sql(tree, best.relation),
                    hint="The order of the rows may be another one.",
                )


def _check_sort(question: Question, best: Reading, data: TableData) -> None:
    """Things of the rows, counted by what sort each is of: "how many objects" counts no sorts, nor
    a "none" among them. Raises CannotWrite.
    """
    tree = best.tree
    if not isinstance(tree, Agg) or tree.fn != "distinct" or tree.col is None:
        return
    if question.of("distinct") or best.relation.composed:
        return
    column, index = data.columns[tree.col.index], tree.col.index
    known = lexicon().who | lexicon().people
    named = set(name_words(column.name)) & known or column.kind is not Kind.TEXT
    nothing = says_nothing(column)
    if not nothing and (named or not _is_first_label(index, data)):
        return
    run, rows = Evaluator(data).run, Agg("count", tree.rows)
    if nothing or run(tree) != run(rows):
        raise CannotWrite(
            f"rows may be counted, or different values of {best.relation.names[index]}",
            sql=to_sql(tree, best.relation),
            hint=f'Say "different {column.name}" or "rows".',
        )


def _is_first_label(index: int, data: TableData) -> bool:
    """Whether a column is the first that says what the rows are, beside one that numbers them, and
    tells nothing else of its values.
    """
    columns = data.columns
    numbered = [i for i in range(index) if _numbers_rows(columns[i])]
    texts = [i for i, column in enumerate(columns) if column.kind is Kind.TEXT]
    labels = [i for i in texts if i not in numbered]
    return bool(numbered) and labels[:1] == [index] and not things_of_kind(data, index)


def _numbers_rows(column: ColumnData) -> bool:
    """Whether a column numbers the rows and does not name them: "R.12", no "Ada"."""
    digits = sum(any(map(str.isdigit, text)) for text in column.texts)
    return column.encoded().unique and digits == len(column.texts) and not column.temporal


def _check_half(question: Question, best: Reading, data: TableData) -> None:
    """What is answered by a part of what is asked for. Raises CannotWrite."""
    if against := half_answered(question, best.tree, data):
        raise CannotWrite(
            f"{against}: {reading(best.tree, best.relation)}",
            sql=to_sql(best.tree, best.relation),
            hint="Ask for one after the other.",
        )


def _check_none_first(best: Reading, data: TableData) -> None:
    """A "none" that most rows have is no kind of what is asked for. Raises CannotWrite."""
    tree = best.tree
    if not isinstance(tree, Grouped) or not tree.n or len(tree.keys) != 1 or not tree.show_keys:
        return
    nothing = says_nothing(data.columns[tree.keys[0].index])
    if nothing and any(row[0] in nothing for row in best.denotation.rows):
        raise CannotWrite(
            f"what has the most is {nothing[0]!r}, which says that there is none",
            sql=to_sql(tree, best.relation),
            hint=f"Leave out {nothing[0]!r}.",
        )


def _check_lists(best: Reading, data: TableData) -> None:
    """Groups by cells that each hold several things are groups of no thing. Raises CannotWrite."""
    keys = best.tree.keys if isinstance(best.tree, Grouped) else ()
    held = next((data.columns[key.index] for key in keys if data.columns[key.index].items), None)
    if held is not None:
        raise CannotWrite(
            f"the cells of {held.name} hold several things each, and rows are grouped by the cell",
            sql=to_sql(best.tree, best.relation),
            hint="Ask for one of the things.",
        )


def _check_all_alike(best: Reading, data: TableData) -> None:
    """Groups of which none has more rows than another rank by nothing. Raises CannotWrite."""
    tree = best.tree
    if not isinstance(tree, Grouped) or not tree.n or tree.measures[0].col is not None:
        return
    run = Evaluator(data).run
    groups, first = run(replace(tree, largest=None, n=None)).count, run(replace(tree, n=1)).count
    if 1 < groups == first:
        raise CannotWrite(
            f"all {groups} have the same number of rows: {reading(tree, best.relation)}",
            sql=to_sql(tree, best.relation),
            hint="Say what they are ranked by.",
        )


def _check_none_by_a_part(question: Question, best: Reading, data: TableData) -> None:
    """That there is none is no answer where a word or two of a long cell were taken to name it.
    Raises CannotWrite.
    """
    tree = best.tree
    if not isinstance(tree, Agg | Values) or len(Evaluator(data).rows(tree.rows)):
        return
    said = {word.stem for word in question.words}
    for cond in conditions_of(tree):
        if isinstance(cond, In) and not any(_half_said(text, said) for text in cond.texts):
            raise CannotWrite(
                f"no row fits, and {cond.texts[0]} may not be meant",
                sql=to_sql(tree, best.relation),
                hint="Say more of the name.",
            )


def _half_said(text: str, said: set[str]) -> bool:
    stems = set(text_stems(text))
    return 2 * len(stems & said) >= len(stems)


def _check_untold_total(question: Question, best: Reading, data: TableData) -> None:
    """The "highest fee" of a group is the highest of its fees or all of them together. Raises
    CannotWrite where these differ.
    """
    tree = best.tree
    if not isinstance(tree, Grouped) or not tree.n or tree.having or question.of("sum", "most"):
        return
    measure = tree.measures[0]
    if measure.fn != "sum" or measure.col is None or not question.of("superlative"):
        return
    if not set(name_words(data.columns[measure.col.index].name)) & lexicon().charged:
        return
    fn = "max" if tree.largest else "min"
    run = Evaluator(data).run
    by_total, by_one = (
        replace(tree, show=False),
        replace(tree, show=False, measures=(replace(measure, fn=fn),)),
    )
    if run(by_total).key() != run(by_one).key():
        raise CannotWrite(
            "the total may be meant or a single one, and the answers differ",
            sql=to_sql(tree, best.relation),
            hint='Say "total", or "single".',
        )


def _check_compared(question: Question, best: Reading, data: TableData) -> None:
    """Two groups compared by one row of each, or by sums where averages tell otherwise. Raises
    CannotWrite.
    """
    against = objection_to_comparison(question, best.tree, data)
    if against:
        raise CannotWrite(
            against,
            sql=to_sql(best.tree, best.relation),
            hint="Say which is compared: the total, the average, or the number of rows.",
        )


def _check_against_column(question: Question, best: Reading, data: TableData) -> None:
    """An "over" before a column that holds a bound, as in "over budget". Raises CannotWrite."""
    tree = best.tree
    if best.relation.composed or isinstance(tree, Arith | Holds):
        return
    if any(isinstance(cond, Beyond) for cond in conditions_of(tree)):
        return
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
            raise CannotWrite(
                f"{words[trigger.first].text!r} compares with {words[after].text!r}, and this "
                f"reading does not: {reading(tree, best.relation)}",
                sql=to_sql(tree, best.relation),
                hint="Ask for the two columns of the rows.",
            )


BOUND_NAMED = 0.6
"""How well a column must be named to be what rows are held against."""
_OVER = frozenset(["over", "under", "above", "below", "beyond", "exceeding", "exceeds", "exceed"])
_ARTICLES = frozenset(["the", "its", "their"])


def _check_sense(best: Reading, data: TableData) -> None:
    """What makes no sense over the data, such as a sum over several currencies."""
    against = objection(best.tree, best.relation, data)
    if against:
        raise CannotWrite(
            against,
            sql=to_sql(best.tree, best.relation),
            hint="Ask for one of them, or for each of them apart.",
        )


def _check_noun(question: Question, best: Reading, data: TableData) -> None:
    """A noun that names the rows and a column as well may count either. Raises CannotWrite."""
    tree = best.tree
    if question.of("distinct") or best.relation.joins or not _counts(tree):
        return
    found = mentions(question, best.relation.tables[0])
    counts = [t.last + 1 for t in question.of("count") if found.twofold >> (t.last + 1) & 1]
    if not counts:
        return
    noun, run = question.words[counts[0]].text, Evaluator(data).run
    named = {m.column for m in found.columns if m.mask >> counts[0] & 1}
    if _counted_columns(tree) & named & things(data).keys():
        return  # each thing of several lines is counted once
    for column in named:
        distinct = Agg("distinct", tree.rows, Col(column))
        if run(distinct) != run(Agg("count", tree.rows)):
            name = best.relation.name
            raise CannotWrite(
                f"{noun!r} may mean the rows of {name} or different values of a column",
                sql=to_sql(tree, best.relation),
                hint=f'Say "different {noun}" or "rows".',
            )


def _counts(tree: Tree) -> TypeGuard[Agg | Grouped]:
    """Whether rows or different values are counted."""
    counting = ("count", "distinct")
    if isinstance(tree, Grouped):
        return all(measure.fn in counting for measure in tree.measures)
    return isinstance(tree, Agg) and tree.fn in counting


def _counted_columns(tree: Agg | Grouped) -> set[int]:
    """The columns whose different values are counted."""
    counted = tree.measures if isinstance(tree, Grouped) else (tree,)
    return {one.col.index for one in counted if one.fn == "distinct" and one.col is not None}


def _check_kind(question: Question, best: Reading, data: TableData) -> None:
    """A kind that is counted may mean things of it, which have several rows each: "how many pugs"
    in a table of visits. Raises CannotWrite.
    """
    tree = best.tree
    dated = any(column.temporal for column in data.columns)
    if not (isinstance(tree, Agg) and tree.fn == "count" and dated) or question.of("distinct"):
        return
    for cond in conditions_of(tree):
        if not isinstance(cond, In) or not _is_noun_counted(question, cond):
            continue
        for key in things_of(data, cond.col.index):
            things_counted, run = Agg("distinct", tree.rows, Col(key)), Evaluator(data).run
            if run(things_counted) != run(tree):
                name = best.relation.names[key]
                raise CannotWrite(
                    f"{cond.texts[0]!r} may be counted in every row, or once for each {name}",
                    sql=to_sql(tree, best.relation),
                    hint=f'Say "different {name}" or "rows".',
                )


def _is_noun_counted(question: Question, cells: In) -> bool:
    """Whether cells are told by the noun right after "how many", in the plural."""
    stems = [word.stem for word in question.words]
    nouns = [t.last + 1 for t in question.of("count")]
    said = [text_stems(text) for text in cells.texts]
    return any(
        len(told) == 1 and stems[n : n + 1] == list(told) and _plural(question.words[n].folded)
        for n in nouns
        for told in said
    )


def _check_listed_noun(question: Question, best: Reading) -> None:
    """A noun that names the rows and a column as well may list either. Raises CannotWrite."""
    tree = best.tree
    if not isinstance(tree, Values) or len(tree.cols) != 1 or best.relation.joins:
        return
    found = mentions(question, best.relation.tables[0])
    named = [
        m.mask
        for m in found.columns
        if m.column == tree.cols[0].index and m.mask & found.twofold & found.table_words
    ]
    if not named or not tree.distinct or question.of("distinct", "count"):
        return
    noun = " ".join(question.text_of(named[0]))
    if _plural(noun) and not _plural(best.relation.names[tree.cols[0].index]):
        raise CannotWrite(
            f"{noun!r} may mean the rows of {best.relation.name} or the values of a column",
            sql=to_sql(tree, best.relation),
            hint=f'Say "different {noun}", or "all rows".',
        )


def _check_numbered(question: Question, best: Reading, data: TableData) -> None:
    """Numbers that a plural counts are not added up: the "tables" of a column "Table" may be their
    numbers. Raises CannotWrite.
    """
    if question.of("sum", "count_in_all"):
        return
    said = {word.stem for word in question.words if _plural(word.folded)}
    for place, col in places(best.tree):
        column = data.columns[col.index]
        names = name_words(column.name)
        bare = column.kind is Kind.INTEGER and column.unit is None and len(names) == 1
        whole = bare and names[0] in said and names[0] not in amounts()
        if place == "measure" and whole and _sums(best.tree) and not _plural(column.name):
            raise CannotWrite(
                f"{column.name} may number them rather than say how many there are",
                sql=to_sql(best.tree, best.relation),
                hint=f'Say "total {column.name}", or "different {column.name}".',
            )


def _check_of_one(question: Question, best: Reading, data: TableData) -> None:
    """What one thing costs or weighs is no sum over several rows. Raises CannotWrite."""
    tree = best.tree
    if not _OF_ONE.match(question.text.strip()) or not isinstance(tree, Agg) or tree.fn != "sum":
        return
    if {word.folded for word in question.words} & _TOGETHER:
        return
    if len(Evaluator(data).rows(tree.rows)) > 1:
        raise CannotWrite(
            f"one is asked for, and this adds up several: {reading(tree, best.relation)}",
            sql=to_sql(tree, best.relation),
            hint='Say "total", or which row is meant.',
        )


_TOGETHER = frozenset(["together", "altogether", "combined", "all", "both", "total"])


def _check_nothing(question: Question, best: Reading, data: TableData) -> None:
    """Rows "without a discount" may have none told, or one of 0. Raises CannotWrite."""
    if {word.folded for word in question.words} & (lexicon().blank | _TOLD):
        return
    for cond in conditions_of(best.tree):
        if not isinstance(cond, Not) or not isinstance(cond.cond, Filled):
            continue
        column = data.columns[cond.cond.col.index]
        if column.numeric and 0.0 in column.encoded().floats:
            raise CannotWrite(
                f"some rows have no {column.name}, and others one of 0",
                sql=to_sql(best.tree, best.relation),
                hint=f'Say "{column.name} of 0" or "{column.name} missing".',
            )


_TOLD = frozenset(["recorded", "given", "entered", "known", "stated", "listed", "filled"])


def _sums(tree: Tree) -> bool:
    if isinstance(tree, Agg):
        return tree.fn == "sum"
    return isinstance(tree, Grouped) and any(m.fn == "sum" for m in tree.measures)


def _plural(noun: str) -> bool:
    return fold(noun).endswith("s") and not fold(noun).endswith("ss")


def _check_names(question: Question, best: Reading, data: TableData) -> None:
    """A part of a name that several have says of none which one is meant. Raises CannotWrite."""
    said = {word.stem for word in question.words}
    for cond in conditions_of(best.tree):
        cells = cond.cond if isinstance(cond, Not) else cond
        if not isinstance(cells, In) or not 1 < len(cells.texts) <= MAX_NAMES:
            continue
        who = column_kind(data.columns[cells.col.index]) in ("name", "person")
        if who and not any(set(text_stems(text)) <= said for text in cells.texts):
            raise CannotWrite(
                f"several are called so: {', '.join(cells.texts)}",
                sql=to_sql(best.tree, best.relation),
                hint="Say the whole name.",
            )


def _check_namesakes(best: Reading) -> None:
    """A name that several rows of a joined table have is the name of one of them. Raises
    CannotWrite.
    """
    relation = best.relation
    for cond in conditions_of(best.tree):
        key = shared_names(relation).get(cond.col.index) if isinstance(cond, In) else None
        if key is None or not isinstance(cond, In):
            continue
        alike = sharing(relation, cond.col.index, cond.texts)
        if len(alike) > len(cond.texts):
            name, named = relation.columns[key].name, ", ".join(map(str, alike[:MAX_NAMES]))
            raise CannotWrite(
                f"several are called {' or '.join(cond.texts)}: {name} {named}",
                sql=to_sql(best.tree, relation),
                hint=f"Say which {name}.",
            )


def _gives_pieces(best: Reading) -> bool:
    """Whether it gives how many pieces there are."""
    tree = best.tree
    cols = tree.cols if isinstance(tree, Values) else (tree.col,) if isinstance(tree, Agg) else ()
    names = [best.relation.names[col.index] for col in cols if col is not None]
    return any(set(name_words(name)) & lexicon().quantities for name in names)


def _check_only(question: Question, best: Reading, data: TableData) -> None:
    """What only some groups are is said of all their rows. Raises CannotWrite where it differs."""
    tree, conds = best.tree, conditions_of(best.tree)
    said = any(word.folded == "only" for word in question.words[1:])
    if not said or not conds or not isinstance(tree, Values) or len(tree.cols) != 1:
        return
    key = tree.cols[0]
    if data.columns[key.index].encoded(key.facet).unique:
        return
    others = NoneOf(key, AnyOf(tuple(Not(cond) for cond in conds)))
    whole = replace(tree, rows=Where(All(), (*conds, others)), distinct=True)
    run = Evaluator(data).run
    if run(whole).key() != run(replace(tree, distinct=True)).key():
        raise CannotWrite(
            "'only' may be said of single rows or of all rows of a group, and the answers differ",
            sql=to_sql(tree, best.relation),
            hint="Say which is meant.",
        )


def _check_parts(question: Question, best: Reading) -> None:
    """Two counts, a sum of two columns, or the value of some pieces are no one number. Raises
    CannotWrite.
    """
    sign = _SIGNS.search(question.text) or (_gives_pieces(best) and _VALUE.search(question.text))
    twice = len(question.apart("count")) > 1 and isinstance(best.tree, Agg)
    if (sign and not isinstance(best.tree, Arith)) or twice:
        what = f'"{sign[1]}"' if sign else "the second count"
        raise CannotWrite(
            f"this reading leaves out {what}: {reading(best.tree, best.relation)}",
            sql=to_sql(best.tree, best.relation),
            hint="Ask for one after the other.",
        )
