"""Who did it, told by "by" or before the verb: "the deposit paid by a guest", "loans by student
members", "how much did customers spend".

Such words restrict the rows, or say no more than that somebody did it; "by guest" and "by guests"
alone name a group. Takes a question and its mentions of one table; gives masks of words.
"""

from __future__ import annotations

from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.question import ColumnMention, Question, Trigger, covering
from sql_engine.offline.table_words import WHOLE_NAME

LEAST = 0.5
"""How well the noun must name a column, or the rows."""
_ASKING = frozenset(["did", "do", "does", "have", "had", "our"])
_DONE = frozenset(["spent", "paid", "placed", "bought", "made", "ordered", "owed", "borrowed"])
_ONE = frozenset(["a", "an", "any", "some"])
_RESTRICTING = frozenset(
    ["who", "that", "whose", "aged", "between", "with", "without", "from", "in", "at", "living"]
)


def doers(question: Question, found: Mentions) -> int:
    """Mask of each "by" with the noun of those who did it, and the small word in between."""
    mask = 0
    for trigger in question.of("group"):
        if question.words[trigger.last].folded != "by":
            continue
        for noun in found.columns:
            if noun.score >= LEAST and _does(question, found, trigger, noun):
                mask |= trigger.mask | noun.mask
    return mask | _subjects(question, found)


def _subjects(question: Question, found: Mentions) -> int:
    """Mask of all of those who do: "did customers spend", no "did each customer spend"."""
    words, who = question.words, lexicon().who
    told = covering(value for value in found.values if value.exact)
    return sum(
        {
            noun.mask
            for noun in found.columns
            if noun.first == noun.last > 0
            and noun.score >= WHOLE_NAME
            and words[noun.first - 1].folded in _ASKING
            and words[noun.first].folded.endswith("s")
            and words[noun.first].stem in who
            and not told & noun.mask
        }
    )


def _does(question: Question, found: Mentions, by: Trigger, noun: ColumnMention) -> bool:
    words, after = question.words, by.last + 1
    if words[after : after + 1] and words[after].folded in _ONE:
        return noun.first == after + 1
    plural = words[noun.last].folded.endswith("s")
    if any(v.exact and v.first == after and v.last + 1 == noun.first for v in found.values):
        return plural  # "by student members"
    if noun.first != after or not plural:
        return False
    if by.first and words[by.first - 1].folded in _DONE:
        return True  # "spent by customers in Pune", where "total by customers" groups
    if noun.last + 1 >= len(words):
        return False
    restricted = words[noun.last + 1].folded in _RESTRICTING
    compared = any(t.first == noun.last + 1 for t in question.of("compare_number"))
    return compared or (restricted and _goes_on(question, found, noun.last + 1))


def _goes_on(question: Question, found: Mentions, place: int) -> bool:
    """Whether a cell or number follows a "from" or "in": the doers are those of it."""
    word = question.words[place].folded
    if word not in ("from", "in", "at"):
        return True
    told = (*found.values, *question.numbers, *question.periods)
    cells = (m for m in told if getattr(m, "exact", True))
    return word == "from" and any(0 < m.first - place <= 3 for m in cells)
