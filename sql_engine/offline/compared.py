"""Whether a yes or no is told, and two groups are compared by what the question asks for.

Takes the question with its tree; gives the reason against the comparison, or None. "Did A pay more
than B" adds up; "was A longer than B" tells of each row how long, so sum and average must agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sql_engine.offline.carried import asks_for_money
from sql_engine.offline.columns import TableData
from sql_engine.offline.directions import spoken_of
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import conditions_of, places, question_word
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.money import holds_money
from sql_engine.offline.question import Question
from sql_engine.offline.sense import adds_up_to_nothing
from sql_engine.offline.tree import Agg, Arith, Beyond, Cmp, Holds, Tree, Where
from sql_engine.words import name_words

_COMPARING = ("compare", "compare_less", "compare_number")
_ADDING = frozenset(["more", "less", "fewer"])
"""Words that compare how much there is in all."""
_ANY = frozenset(["any", "anyone", "anybody", "ever", "some"])


def objection_to_comparison(question: Question, tree: Tree, data: TableData) -> str | None:
    """Why the answer to "is A more than B" may be another one."""
    said = {word.folded for word in question.words}
    if question_word(question) != "truth" or question.of("courtesy"):
        return None
    if isinstance(tree, Agg | Arith) and not question.of("count", "count_in_all"):
        return "the question asks whether something is so, and this is an amount"
    if "than" not in said:
        return None
    if not isinstance(tree, Holds):
        return "the question asks whether one is more than the other, and that is not compared"
    if not _names_measure(question, tree, data):
        return "no column says what is compared"
    sides = {side.fn for side in (tree.left, tree.right) if isinstance(side, Agg)}
    if len(sides) > 1:
        return "the two sides are not of one kind"
    run = Evaluator(data)
    if _by_one_row(tree, run) and not said & _ANY:
        return "one row of a group of several is compared with the highest of the other"
    header = {w for _, col in places(tree) for w in name_words(data.columns[col.index].name)}
    if not _levels(question, header) or not _sums_differ(tree, run):
        return None
    return "by the total and by the average of each the answers differ"


def objection_to_one(question: Question, tree: Tree, data: TableData) -> str | None:
    """Why "do the huts have more than 100 beds" may be told otherwise: by one hut it is so or not,
    and by all of them together the other way.
    """
    if not isinstance(tree, Holds):
        return None
    run = Evaluator(data)
    told = run.run(tree).rows
    if any(run.run(total).rows != told for total in totals_held(question, tree, data)):
        return "of one row and of all together the answers differ"
    return None


def totals_held(question: Question, tree: Holds, data: TableData) -> Iterator[Holds]:
    """Whether what the rows come to keeps a bound, where a tree asks whether one of them does:
    "did Ada sell more than 700 tickets" asks for no one row of hers.
    """
    counted = isinstance(tree.left, Agg) and tree.left.fn == "count" and tree.right == 0.0
    if not counted or not isinstance(tree.left.rows, Where):  # type: ignore[union-attr]
        return
    rows = tree.left.rows  # type: ignore[union-attr]
    for bound in rows.conds:
        if not isinstance(bound, Cmp) or not isinstance(bound.bound, float):
            continue
        column = data.columns[bound.col.index]
        added = column.amount and not column.intensive and adds_up_to_nothing(column) is None
        others = tuple(cond for cond in rows.conds if cond is not bound)
        one = means_one(question, set(name_words(column.name)))
        if others and added and bound.op in ("<", ">", "<=", ">=") and not one:
            total = Agg("sum", replace(rows, conds=others), bound.col)
            yield Holds(bound.op, total, bound.bound)


def means_one(question: Question, names: set[str]) -> bool:
    """Whether one of several rows is meant, or each: "an order over 70", "ever"; not "a cost over
    70", by the words of an amount's name.
    """
    words = question.words
    for i, word in enumerate(words):
        if word.folded in _ONE_OF_THEM:
            return True
        if word.folded in ("a", "an") and i + 1 < len(words) and words[i + 1].stem not in names:
            return True
    return False


_ONE_OF_THEM = _ANY | {"once", "single", "one", "someone", "each", "every", "all", "both"}


def _names_measure(question: Question, tree: Holds, data: TableData) -> bool:
    """Whether the question names a column that is compared, or rows are counted; or there is but
    one that adds up to what "did A pay more than B" asks.
    """
    sides = [side.col for side in (tree.left, tree.right) if isinstance(side, Agg)]
    sides += [cond.col for cond in conditions_of(tree) if isinstance(cond, Beyond)]
    if {col.index for col in sides if col is not None} == set(_that_add_up(question, data)):
        return True
    meant = {i for t in question.of(*_COMPARING) for i in spoken_of(t, data.columns)}
    if any(col is not None and col.index in meant for col in sides):
        return True
    names = [set(name_words(data.columns[col.index].name)) for col in sides if col is not None]
    said = {word.stem for word in question.words}
    said |= {other for stem in said for other in lexicon().synonyms.get(stem, ())}
    return not names or any(name & said for name in names)


def _that_add_up(question: Question, data: TableData) -> Iterator[int]:
    """The columns of amounts, of money where money is asked for, whose sum means something."""
    money = asks_for_money(question)
    for index, column in enumerate(data.columns):
        if not column.amount or column.repeats or (money and not holds_money(column)):
            continue
        if not column.intensive and not adds_up_to_nothing(column):
            yield index


def _levels(question: Question, header: set[str]) -> bool:
    """Whether no word says what is added up: "longer", "more costly", but not "more tons"."""
    if question.of("sum", "mean", "count", "median"):
        return False
    adding = [i for i, word in enumerate(question.words) if word.folded in _ADDING]
    after = [question.words[i + 1] for i in adding if i + 1 < len(question.words)]
    return not any(word.folded == "than" or word.stem in header for word in after)


def _by_one_row(tree: Holds, run: Evaluator) -> bool:
    """Whether it holds as soon as one of several rows exceeds the extreme of several others."""
    left = tree.left
    if not isinstance(left, Agg) or not isinstance(left.rows, Where):
        return False
    beyond = [cond for cond in left.rows.conds if isinstance(cond, Beyond)]
    if not beyond:
        return False
    others = tuple(cond for cond in left.rows.conds if not isinstance(cond, Beyond))
    group = run.rows(replace(left.rows, conds=others))
    return len(group) > 1 or any(len(run.rows(cond.bound.rows)) > 1 for cond in beyond)


def _sums_differ(tree: Holds, run: Evaluator) -> bool:
    """Whether sums compare otherwise than averages."""
    left, right = tree.left, tree.right
    if not isinstance(left, Agg) or not isinstance(right, Agg) or left.fn != "sum":
        return False
    means = replace(tree, left=replace(left, fn="mean"), right=replace(right, fn="mean"))
    return run.run(means).rows != run.run(tree).rows
