"""What many rows tell of each thing may be meant one by one or all together: "who gave over 500".

Takes a question with its tree and arrays; gives why it is not told which, where the answers differ.
"""

from __future__ import annotations

from dataclasses import replace

from retrieval.table import Kind
from sql_engine.offline.columns import TableData
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import conditions_of
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.question import Question
from sql_engine.offline.repeated import things_of_kind
from sql_engine.offline.sense import adds_up_to_nothing
from sql_engine.offline.tree import (
    Agg,
    All,
    Cmp,
    Col,
    Grouped,
    In,
    Measure,
    Once,
    Rows,
    Tree,
    Values,
    Where,
)
from sql_engine.words import name_words

NAMED = 0.6
"""How well words must name an amount for each single one to be meant."""
_SIGNS = frozenset(["<", "<=", ">", ">="])


def one_or_all(question: Question, found: Mentions, tree: Tree, data: TableData) -> str | None:
    """Why it is not told whether single amounts or all of them together are meant."""
    if isinstance(tree, Agg):
        return _each_person_once(question, found, tree, data)
    if isinstance(tree, Grouped):
        return _times_or_amount(question, tree, data)
    if not isinstance(tree, Values) or not isinstance(tree.rows, Where) or not tree.cols:
        return None
    if len(tree.cols) > 2:  # a key may stand before what is asked for
        return None
    chosen, tree = tree.rows, replace(tree, cols=tree.cols[-1:])
    bound = _bound(question, found, chosen, data)
    label = data.columns[tree.cols[0].index]
    if bound is None or label.kind is not Kind.TEXT or label.encoded().unique:
        return None
    rest = tuple(cond for cond in chosen.conds if cond != bound)
    rows: Rows = Where(All(), rest) if rest else All()
    total = Measure("sum", bound.col)
    having = ((bound.op, float(bound.bound)),)  # type: ignore[arg-type]
    groups = Grouped(rows, tree.cols, (total,), having=having, show=False)
    run = Evaluator(data).run
    if run(groups).key() == run(replace(tree, distinct=True)).key():
        return None
    return "single amounts may be compared or the total of each, and the answers differ"


def _speaks_of_money(question: Question) -> bool:
    known = lexicon()
    verbs = known.money_asked | known.money_earned | known.money_given
    return any(word.stem in verbs for word in question.words)


def _bound(question: Question, found: Mentions, rows: Where, data: TableData) -> Cmp | None:
    """The comparison of money that no word names, where a verb says that it was given or paid; of
    any amount, where "who has more than 20" asks what each has.
    """
    has = [word.folded for word in question.words[:2]] in (["who", "has"], ["who", "had"])
    if not (has or _speaks_of_money(question)):
        return None
    named = set() if has else {m.column for m in found.columns if m.score >= NAMED}
    for cond in rows.conds:
        if not isinstance(cond, Cmp) or cond.op not in _SIGNS or not isinstance(cond.bound, float):
            continue
        column = data.columns[cond.col.index]
        added = column.amount and not column.intensive and adds_up_to_nothing(column) is None
        if added and cond.col.index not in named:
            return cond
    return None


def _times_or_amount(question: Question, tree: Grouped, data: TableData) -> str | None:
    """A "most" without its article may say how often: "which fund did he give to most"."""
    measure = tree.measures[0]
    if not tree.n or tree.having or measure.fn != "sum" or not _speaks_of_money(question):
        return None
    bare = [t for t in question.apart("most", "least") if t.first == t.last]
    words, last = question.words, len(question.words) - 1
    if not any(t.last == last and words[t.first - 1].folded != "the" for t in bare):
        return None
    counted = replace(tree, measures=(Measure("count"),), show=False)
    run = Evaluator(data).run
    if run(counted).key() == run(replace(tree, show=False)).key():
        return None
    return "how often may be meant or how much, and the answers differ"


def _each_person_once(
    question: Question, found: Mentions, tree: Agg, data: TableData
) -> str | None:
    """What each person has or is, counted or averaged over rows of which a person has several,
    where cells say who is meant: "the average age of women" in a table of visits.
    """
    col = _told_of_persons(question, found, tree)
    for key, column in enumerate(data.columns) if col is not None else ():
        if not set(name_words(column.name)) & (lexicon().who | lexicon().people):
            continue
        if column.encoded().unique or col not in things_of_kind(data, key):
            continue
        run = Evaluator(data).run
        once = replace(tree, rows=Once(tree.rows, (Col(key),)))
        if run(once).key() != run(tree).key():
            return f"every row may be taken, or each {column.name} once, and the answers differ"
    return None


def _told_of_persons(question: Question, found: Mentions, tree: Agg) -> int | None:
    """The column that is averaged, or of which the cells after "how many" say who is counted."""
    if tree.fn in ("mean", "median", "sum") and tree.col is not None:
        return None if found.rows else tree.col.index
    if tree.fn != "count":
        return None
    nouns = {t.last + 1 for t in question.of("count")}
    told = {(v.column, v.texts) for v in found.values if v.exact and v.first in nouns}
    cells = (cond for cond in conditions_of(tree) if isinstance(cond, In))
    return next((c.col.index for c in cells if (c.col.index, c.texts) in told), None)
