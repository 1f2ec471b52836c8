"""Whether one published cell may state what a question asks to be computed.

Takes the question, the cell's column and table; tells whether the cell can be that count or that
difference at all. A count is stated where its column holds amounts of what is counted: the number
of a week or a game counts none of them, and how many pupils a school has is no number of schools.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.cell_choice import CellChoice, tells_change
from retrieval.table import Column, Table
from router.amounts import holds_amounts, numbers_what_is_counted
from router.coverage import stems_of
from router.cues import Cue
from sql_engine.offline.lexicon import lexicon
from sql_engine.words import Word, words

COUNTED = frozenset(("count", "distinct"))
"""Operations that only a cell among amounts may state: a name, a date or a number of a row is no
count."""


def may_count(question: str, cue: Cue, table: Table, row: int, cell: CellChoice) -> bool:
    """Whether a cell may tell how many there are of what is counted: its header or another cell of
    its row names it, or its own unit does ("8 episodes").
    """
    column, header = table.columns[cell.column], words(cell.header)
    counted = _counted(words(question), cue.phrase)
    told = stems_of([cell.text])
    if any(noun.stem in told for noun in counted):
        return True
    if not holds_amounts(column) or numbers_what_is_counted(question, column):
        return False
    if all(word.folded in lexicon().wholes for word in header):
        return True
    named = stems_of((cell.header, *table.row(row)))
    return any(noun.stem in named for noun in counted)


def tells_difference(column: Column) -> bool:
    """Whether the header of a column says that it tells a change."""
    return tells_change(column.path)


_OPENING = frozenset(["of", "the", "all", "these", "those"])
"""Small words between "how many" and what is counted."""


def _counted(asked: Sequence[Word], phrase: tuple[str, ...]) -> Sequence[Word]:
    """The words behind the words of counting, as far as the next small one."""
    folded, function = [word.folded for word in asked], lexicon().function
    for start in range(len(asked) - len(phrase) + 1):
        if tuple(folded[start : start + len(phrase)]) == phrase:
            after = start + len(phrase)
            while folded[after : after + 1] and folded[after] in _OPENING:
                after += 1
            rest = asked[after:]
            ends = (i for i, word in enumerate(rest) if word.folded in function)
            return rest[: next(ends, len(rest))]
    return ()
