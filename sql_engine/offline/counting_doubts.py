"""What "how many" and "the most" may count: rows, things of several rows, sorts, or a number's sum.

A doubt belongs here where a figure or a rank rests on how many there are, and the noun behind it
may mean something else: one row, another column, a group's total. Takes the question with its
reading and arrays; gives each doubt that the data raise, or None. Whether what is given is of the
kind that is asked for is `given_doubts`'; what stands in cells that are compared, listed or added
up is `doubts`'.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from retrieval.table import Kind
from sql_engine.offline.blanks import says_nothing
from sql_engine.offline.columns import TableData, encoded_column, holds_years
from sql_engine.offline.doubt import Doubt
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import conditions_of, places
from sql_engine.offline.first_label import is_first_label
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import mentions
from sql_engine.offline.question import Question, Trigger
from sql_engine.offline.reading import reading
from sql_engine.offline.repeated import things, things_of
from sql_engine.offline.search import Reading
from sql_engine.offline.sense import adds_up_to_nothing, amounts, numbers_groups
from sql_engine.offline.told_counts import told_count
from sql_engine.offline.tree import (
    Agg,
    Arith,
    Cmp,
    Col,
    Facet,
    Grouped,
    Holds,
    In,
    Measure,
    Tally,
    Top,
    Tree,
    Values,
)
from sql_engine.value_index import text_stems
from sql_engine.words import fold, folded_words, name_words, stem


def counting_doubts(question: Question, best: Reading, data: TableData) -> Iterator[Doubt | None]:
    """Each doubt about what is counted, in the order in which they are told."""
    yield _noun(question, best, data)
    yield _kind(question, best, data)
    yield _listed_noun(question, best, data)
    yield _numbered(question, best, data)
    yield _so_many_of(question, best, data)
    yield _sort(question, best, data)
    yield _one_record(question, best, data)
    yield _told_of_another(question, best, data)
    yield told_count(best.tree, data)
    yield _label(question, best, data)
    yield _one_each(best, data)
    yield _none_first(best, data)
    yield _all_alike(best, data)
    yield _ranked_singly(question, best, data)
    yield _mean_of_one(question, best, data)
    yield _several_times(best, data)


def _sort(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Things of the rows, counted by what sort each is of: "how many objects" counts no sorts, nor
    a "none" among them.
    """
    tree, col = best.tree, _sort_counted(best.tree)
    if col is None or question.of("distinct") or best.relation.composed:
        return None
    column, index = data.columns[col.index], col.index
    known = lexicon().who | lexicon().people
    named = set(name_words(column.name)) & known or column.kind is not Kind.TEXT
    nothing = says_nothing(column)
    if not nothing and (named or not is_first_label(index, data)):
        return None
    run = Evaluator(data).run
    if nothing or run(tree).key() != run(_rows_counted(tree)).key():
        return Doubt(
            f"rows may be counted, or different values of {best.relation.names[index]}",
            f'Say "different {column.name}" or "rows".',
        )
    return None


MOST_NUMBERED = 1000
"""Higher numbers than this are amounts, and number no things."""
LABELS = 0.8
"""The share of different values from which a column says what each row is."""


def _label(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Names that hardly ever come twice, counted once each: the rows may be what is counted."""
    tree = best.tree
    if not isinstance(tree, Agg) or tree.fn != "distinct" or tree.col is None:
        return None
    column = data.columns[tree.col.index]
    encoded = column.encoded(tree.col.facet)
    if question.of("distinct") or best.relation.composed or encoded.unique:
        return None
    if len(encoded.values) < LABELS * data.row_count:
        return None
    run = Evaluator(data).run
    if run(tree) != run(Agg("count", tree.rows)):
        return Doubt(
            f"some rows have the same {column.name}: each may be counted, or each row",
            f'Say "different {column.name}" or "rows".',
        )
    return None


def _sort_counted(tree: Tree) -> Col | None:
    """The column whose different values are counted, in all or for each group."""
    if isinstance(tree, Agg):
        return tree.col if tree.fn == "distinct" else None
    measures = tree.measures if isinstance(tree, Grouped) else ()
    return next((m.col for m in measures if m.fn == "distinct"), None)


def _rows_counted(tree: Tree) -> Tree:
    """The same with the rows counted."""
    if isinstance(tree, Grouped):
        return replace(tree, measures=(Measure("count"),))
    assert isinstance(tree, Agg)
    return Agg("count", tree.rows)


def _one_each(best: Reading, data: TableData) -> Doubt | None:
    """How many more of something one row has than another is told by no number of rows."""
    tree = best.tree
    if not isinstance(tree, Arith) or tree.op not in ("-", "|-|"):
        return None
    sides = [side for side in (tree.left, tree.right) if isinstance(side, Agg)]
    if len(sides) < 2 or any(side.fn != "count" for side in sides):
        return None
    if all(len(Evaluator(data).rows(side.rows)) == 1 for side in sides):
        return Doubt("each of the two is one row", "Name the column that is compared.")
    return None


def _none_first(best: Reading, data: TableData) -> Doubt | None:
    """A "none" that most rows have is no kind of what is asked for."""
    tree = best.tree
    if not isinstance(tree, Grouped) or not tree.n or len(tree.keys) != 1 or not tree.show_keys:
        return None
    nothing = says_nothing(data.columns[tree.keys[0].index])
    if nothing and any(row[0] in nothing for row in best.denotation.rows):
        return Doubt(
            f"what has the most is {nothing[0]!r}, which says that there is none",
            f"Leave out {nothing[0]!r}.",
        )
    return None


def _all_alike(best: Reading, data: TableData) -> Doubt | None:
    """Groups of which none has more rows than another rank by nothing."""
    tree = best.tree
    if not isinstance(tree, Grouped) or not tree.n or tree.measures[0].col is not None:
        return None
    run = Evaluator(data).run
    groups, first = run(replace(tree, largest=None, n=None)).count, run(replace(tree, n=1)).count
    if 1 < groups == first:
        return Doubt(
            f"all {groups} have the same number of rows: {reading(tree, best.relation)}",
            "Say what they are ranked by.",
        )
    return None


def _mean_of_one(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """The "average per month" of a table with one row a month is no list of the months' figures."""
    tree = best.tree
    if not isinstance(tree, Grouped) or len(tree.keys) != 1 or tree.n is not None:
        return None
    means = [m for m in tree.measures if m.fn in ("mean", "median")]
    per = any(question.words[t.last].folded == "per" for t in question.of("group"))
    key = tree.keys[0]
    if means and per and data.columns[key.index].encoded(key.facet).unique:
        name = best.relation.names[key.index]
        return Doubt(f"each {name} has one row", "Ask for the average alone, or list the rows.")
    return None


def _ranked_singly(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """The season of the one episode with the fewest listeners, where those of each season may be
    added up: numbers of seasons and years group rows as texts do.
    """
    tree = best.tree
    if not isinstance(tree, Values) or not isinstance(tree.rows, Top) or len(tree.cols) != 1:
        return None
    group, ranked = data.columns[tree.cols[0].index], data.columns[tree.rows.key.index]
    groups = (numbers_groups(group) or holds_years(group)) and not group.encoded().unique
    if not groups or not ranked.amount or not question.of("most", "least"):
        return None
    total = Measure("sum", tree.rows.key)
    in_all = Grouped(
        tree.rows.rows, tree.cols, (total,), largest=tree.rows.largest, n=tree.rows.n, show=False
    )
    if adds_up_to_nothing(ranked) or set(Evaluator(data).run(in_all).rows) == set(
        best.denotation.rows
    ):
        return None
    return Doubt(
        f"single rows may be ranked by {ranked.name}, or all rows of each {group.name}",
        f'Say "highest {ranked.name}" or "highest total {ranked.name}".',
    )


def _noun(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """A noun that names the rows and a column as well may count either."""
    tree = best.tree
    if question.of("distinct") or not _counts(tree):
        return None
    found = mentions(question, best.relation.tables[0])
    told = bool(conditions_of(tree) or question.of("count_in_all")) and not _sort_counted(tree)
    twofold = found.twofold | (0 if told or isinstance(tree, Grouped) else found.happened)
    counts = [t.last + 1 for t in question.of("count") if twofold >> (t.last + 1) & 1]
    if not counts:
        return None
    noun, run = question.words[counts[0]].text, Evaluator(data).run
    named = {m.column for m in found.columns if m.mask >> counts[0] & 1}
    if _counted_columns(tree) & named & things(data).keys():
        return None  # each thing of several lines is counted once
    for column in named:
        distinct = Agg("distinct", tree.rows, Col(column))
        if run(distinct) != run(Agg("count", tree.rows)):
            name = best.relation.name
            return Doubt(
                f"{noun!r} may mean the rows of {name} or different values of a column",
                f'Say "different {noun}" or "rows".',
            )
    return None


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


def _kind(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """A kind that is counted may mean things of it, which have several rows each: "how many pugs"
    in a table of visits.
    """
    tree = best.tree
    dated = any(column.temporal for column in data.columns)
    if not (isinstance(tree, Agg) and tree.fn == "count" and dated) or question.of("distinct"):
        return None
    for cond in conditions_of(tree):
        if not isinstance(cond, In) or not _is_noun_counted(question, cond):
            continue
        for key in things_of(data, cond.col.index):
            things_counted, run = Agg("distinct", tree.rows, Col(key)), Evaluator(data).run
            if run(things_counted) != run(tree):
                name = best.relation.names[key]
                return Doubt(
                    f"{cond.texts[0]!r} may be counted in every row, or once for each {name}",
                    f'Say "different {name}" or "rows".',
                )
    return None


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


def _one_record(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Rows that a key names are one each: "how many mattresses may I bring" and "how many goals did
    Ann and Bo score" ask for a number of those rows, unless the noun is what the rows are called.
    """
    tree = best.tree
    if not _counts(tree) or _sort_counted(tree) is not None or best.relation.composed:
        return None
    conds, found = conditions_of(tree), mentions(question, best.relation.tables[0])
    nouns = [t.last + 1 for t in question.of("count") if _follows(question, t)]
    called = [n for n in nouns if found.table_words >> n & 1 or question.words[n].stem in _TIMES]
    for cond in conds:
        alone = len(conds) == 1 and nouns and not called
        if not isinstance(cond, In) or not (alone or _is_noun_counted(question, cond)):
            continue
        if data.columns[cond.col.index].encoded().unique:
            each = " and ".join(map(repr, cond.texts[:2]))
            return Doubt(
                f"{each} is one row of {best.relation.name}, and no rows to count",
                "Name the column that says how many.",
            )
    return None


_TIMES = frozenset(map(stem, ["times", "rows", "entries", "records"]))


_OF = frozenset(["of", "for", "per", "by", "in", "at", "to", "from"])


def _told_of_another(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """A noun that only says of what a column tells: the matches of a "Player of the match"."""
    counted = _sort_counted(best.tree)
    if counted is None or question.of("distinct"):
        return None
    words = folded_words(data.columns[counted.index].name)
    end = next((i for i, word in enumerate(words) if i and word in _OF), len(words))
    nouns = {question.words[t.last + 1].stem for t in question.of("count") if _follows(question, t)}
    if nouns & set(map(stem, words[end:])) - set(map(stem, words[:end])):
        name = best.relation.names[counted.index]
        return Doubt(f"{name} tells something of each, and is not what is counted", 'Say "rows".')
    return None


def _follows(question: Question, trigger: Trigger) -> bool:
    return trigger.last + 1 < len(question.words)


def _listed_noun(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """A noun that names the rows and a column as well may list either."""
    tree = best.tree
    if not isinstance(tree, Values) or len(tree.cols) != 1 or best.relation.joins:
        return None
    found = mentions(question, best.relation.tables[0])
    named = [
        m.mask
        for m in found.columns
        if m.column == tree.cols[0].index
        and m.mask & (found.twofold & found.table_words | found.happened)
    ]
    if not named or not tree.distinct or question.of("distinct", "count"):
        return None
    if len(Evaluator(data).rows(tree.rows)) == best.denotation.count:
        return None  # each comes once, whichever is meant
    noun = " ".join(question.text_of(named[0]))
    if _plural(noun) and not _plural(best.relation.names[tree.cols[0].index]):
        return Doubt(
            f"{noun!r} may mean the rows of {best.relation.name} or the values of a column",
            f'Say "different {noun}", or "all rows".',
        )
    return None


def _numbered(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Numbers that a plural counts are not added up: the "tables" of a column "Table" may be their
    numbers.
    """
    if question.of("sum", "count_in_all"):
        return None
    said = {word.stem for word in question.words if _plural(word.folded)}
    for place, col in places(best.tree):
        column = data.columns[col.index]
        names = name_words(column.name)
        bare = column.kind is Kind.INTEGER and column.unit is None and len(names) == 1
        if bare and float(column.encoded().floats.max(initial=0)) > MOST_NUMBERED:
            continue
        whole = bare and names[0] in said and names[0] not in amounts()
        if place == "measure" and whole and _sums(best.tree) and not _plural(column.name):
            return Doubt(
                f"{column.name} may number them rather than say how many there are",
                f'Say "total {column.name}", or "different {column.name}".',
            )
    return None


def _so_many_of(question: Question, best: Reading, data: TableData) -> Doubt | None:
    """Races are counted by "in at least 3 races": that bounds neither their lengths in a column
    "Race" of metres, nor the number in the name of each.
    """
    words = question.words
    counted = {
        words[number.last + 1].stem
        for number in question.numbers
        if number.last + 1 < len(words) and _plural(words[number.last + 1].folded)
    }
    bounded = [cond.col for cond in conditions_of(best.tree) if isinstance(cond, Cmp)]
    if isinstance(best.tree, Grouped) and best.tree.having:
        bounded += [m.col for m in best.tree.measures if m.fn == "sum" and m.col is not None]
    for col in bounded:
        column = data.columns[col.index]
        told = col.facet is Facet.NUMBER or column.unit is not None
        if told and set(name_words(column.name)[-1:]) & counted and not _plural(column.name):
            return Doubt(
                f"{column.name} tells something of each, and not how many there are",
                "Say what is counted.",
            )
    return None


def _sums(tree: Tree) -> bool:
    if isinstance(tree, Agg):
        return tree.fn == "sum"
    return isinstance(tree, Grouped) and any(m.fn == "sum" for m in tree.measures)


def _plural(noun: str) -> bool:
    return fold(noun).endswith("s") and not fold(noun).endswith("ss")


def _several_times(best: Reading, data: TableData) -> Doubt | None:
    """Things counted by the rows of a bridge, which name some of them several times: plays by
    their performances.
    """
    counted, tree = best.relation.counted, best.tree
    told = {col.index for _, col in places(tree)}
    if counted is None or counted.onward is None or best.relation.count_index not in told:
        return None
    if isinstance(tree, Arith | Holds | Tally):
        return None
    names = [column.name for column in best.relation.tables[0].columns]
    keys = data.columns[names.index(counted.key)].encoded()
    held = {keys.values[code] for code in set(keys.codes[Evaluator(data).rows(tree.rows)]) - {-1}}
    near, far = (encoded_column(counted.table, c) for c in (counted.column, counted.onward))
    among = np.array([value in held for value in near.values] + [False])[near.codes]
    pairs = list(zip(near.codes[among].tolist(), far.codes[among].tolist(), strict=True))
    if len(set(pairs)) == len(pairs):
        return None
    thing, each = counted.named.name, counted.table.name
    return Doubt(
        f"rows of {each} may be counted, or each of {thing} once, and the answers differ",
        f'Say "different {thing}", or ask how many {each} there are.',
    )
