"""What the words of a question may mean in a relation of joined tables.

Takes the `Mentions` of its tables; gives those of the relation, with what names the rows of a
joined table, or how many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from sql_engine.offline.mentions import Mentions
from sql_engine.offline.question import ColumnMention, Question
from sql_engine.offline.relation import Relation
from sql_engine.offline.table_words import LABEL_SCORE, label_column

_TAKING_PART = frozenset(["who", "whom", "what"])
COUNT_SCORE = 0.9
"""How well the name of a table names the count of its rows."""
_ARTICLES = frozenset(["a", "an", "the"])
_OWNING = frozenset(["with", "without", "have", "has", "had", "of", "any", "no", "most", "fewest"])


def combined(
    question: Question,
    relation: Relation,
    found: Sequence[Mentions],
    counted: int = 0,
    done: int = 0,
) -> Mentions:
    """The mentions of a relation's tables as those of one; what names a joined table names its
    rows by their label. `counted` masks the words that name what is counted, `done` the verbs for
    it.
    """
    columns, values, opposed = [], [], []
    for i, (table, each) in enumerate(zip(relation.tables, found, strict=True)):
        start = relation.offset(i)
        columns += [replace(m, column=m.column + start) for m in each.columns]
        values += [replace(m, column=m.column + start) for m in each.values]
        opposed += [replace(m, column=m.column + start) for m in each.opposed]
        asked = takes_part(question, found[0], each) if i else 0
        if i and (words := each.table_words or asked):
            first = (words & -words).bit_length() - 1
            label = label_column(table)
            if label is not None:
                columns.append(ColumnMention(first, first, label + start, LABEL_SCORE))
    if relation.counted is not None:
        objects = {value.first for value in values if value.exact}
        columns += _count_mentions(question, relation, counted, objects)
    named = veiled = twofold = numbers = now = near = 0
    deeds = done
    for each in found:
        named |= each.table_words
        veiled |= each.veiled
        deeds |= each.deeds
        twofold |= each.twofold
        numbers |= each.header_numbers
        now |= each.present
        near |= each.near
    return Mentions(
        tuple(columns),
        tuple(values),
        found[0].rows,
        named,
        veiled,
        deeds,
        twofold=twofold,
        opposed=tuple(opposed),
        header_numbers=numbers,
        present=now,
        near=near,
    )


def takes_part(question: Question, first: Mentions, other: Mentions) -> int:
    """Mask of the "who" or "what" that has part in a deed of the first table's rows, and is called
    as in another table, none of whose cells is named: "who borrowed Dune" is no author.
    """
    return 0 if other.values else asked_part(question, first)


def asked_part(question: Question, first: Mentions) -> int:
    """Mask of the "who" or "what" that asks for a part in a deed of the first table's rows."""
    if not first.deeds:
        return 0
    places = (i for i, word in enumerate(question.words) if word.folded in _TAKING_PART)
    return next((1 << i for i in places), 0)


def _count_mentions(
    question: Question, relation: Relation, counted: int, objects: Collection[int]
) -> Iterable[ColumnMention]:
    """The words that name what is counted, with a "number of" right before them; no verb that has
    one of `objects`, the first words of cells.
    """
    assert relation.count_index is not None
    first = 0
    while counted >> first:
        last = first
        while counted >> last & 1:
            last += 1
        before = [t for t in question.of("count") if t.last + 1 == first]
        deed = not before and _has_object(question, first, last, objects)
        if last > first and not deed and not _is_ranked_itself(question, first):
            start = min((t.first for t in before), default=first)
            yield ColumnMention(start, last - 1, relation.count_index, COUNT_SCORE)
        first = last + 1


def _has_object(question: Question, first: int, end: int, objects: Collection[int]) -> bool:
    """Whether the words are a verb that something is told of: "states that border the largest", no
    "customers with orders".
    """
    words = question.words
    before = words[first - 1].folded if first else ""
    after = end + (end < len(words) and words[end].folded == "on")
    told = after in objects or (after < len(words) and words[after].folded in _ARTICLES)
    return told and before not in _OWNING


def _is_ranked_itself(question: Question, first: int) -> bool:
    """Whether a superlative or "last" stands right before the noun: "the largest city" is one of
    the cities, whose number it does not rank.
    """
    return any(t.last + 1 == first for t in question.of("superlative", "first", "last"))
