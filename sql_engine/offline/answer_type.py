"""Whether a tree gives the kind of answer that the question asks for.

"Who" asks for a name, "when" for a time, "how many" for a number: features of the question word
and of what the tree puts out, before and after it is computed.
"""

from __future__ import annotations

from sql_engine.offline.columns import ColumnData, TableData
from sql_engine.offline.evaluate import Denotation
from sql_engine.offline.mentions import Question
from sql_engine.offline.parts import Features
from sql_engine.offline.tree import Agg, Arith, Facet, Grouped, Holds, Top, Tree, Values
from sql_engine.words import name_words

_WH = ("how many", "how much", "how long", "who", "whom", "when", "where", "which", "what", "why")
_OPENERS = {"list": "list", "show": "list", "give": "list", "find": "list", "name": "list"}
_TRUTH = frozenset(["is", "are", "was", "were", "does", "do", "did", "has", "have", "can"])
_PLACE = frozenset({"place", "locat", "citi", "countri", "venu", "site", "town", "state", "region"})


def question_word(question: Question) -> str:
    """The word that tells what kind of answer is wanted."""
    folded = [word.folded.removesuffix("'s") for word in question.words]
    if folded[0] in _OPENERS:
        return _OPENERS[folded[0]]
    if folded[0] in _TRUTH:
        return "truth"
    text = f" {' '.join(folded)} "
    found = [(text.find(f" {word} "), word) for word in _WH if f" {word} " in text]
    return min(found)[1] if found else "none"


def answer_type(tree: Tree, data: TableData) -> str:
    """What a tree puts out."""
    if isinstance(tree, Holds):
        return "truth"
    if isinstance(tree, Agg | Arith):
        return "number" if isinstance(tree, Arith) or tree.fn not in ("max", "min") else "extreme"
    if isinstance(tree, Grouped):
        return "groups" if tree.largest is None or not tree.n else "group"
    if len(tree.cols) != 1:
        return "rows"
    col = tree.cols[0]
    if col.facet is Facet.YEAR:
        return "time"
    return column_kind(data.columns[col.index])


def column_kind(column: ColumnData) -> str:
    """The kind of answer that a column's cells are."""
    stems = set(name_words(column.name))
    if column.temporal or stems & {"date", "year", "time", "season"}:
        return "time"
    if column.numeric and not column.identifier:
        return "number"
    if not column.identifier and stems & {
        "name",
        "person",
        "player",
        "driver",
        "author",
        "employe",
    }:
        return "name"
    return "place" if stems & _PLACE else "text"


def answer_features(question: Question, tree: Tree, data: TableData, rows: int) -> Features:
    """The pair of question word and answer kind, as one feature."""
    word, kind = question_word(question), answer_type(tree, data)
    pair = (f"asks_{word}_gives_{kind}", 1.0)
    if word in ("which", "what") and kind == "name" and _asks_for_rows(question, rows):
        return (pair, ("label_of_rows", 1.0))
    return (pair,)


def _asks_for_rows(question: Question, rows: int) -> bool:
    """Whether the noun right after the question word names the rows."""
    counted = sum(number.mask for number in question.numbers)
    for i, word in enumerate(question.words):
        if word.folded in ("which", "what"):
            return bool(rows >> (i + 1 + (counted >> (i + 1) & 1)) & 1)
    return False


def result_features(tree: Tree, denotation: Denotation) -> Features:
    """What the result itself says for or against a tree."""
    features = [("empty", float(denotation.empty))]
    if isinstance(tree, Values) and isinstance(tree.rows, Top) and tree.rows.n > 1:
        repeated = len(tree.cols) == 1 and len(set(denotation.rows)) < len(denotation.rows)
        features.append(("repeated_top", float(repeated)))
    return tuple(features)
