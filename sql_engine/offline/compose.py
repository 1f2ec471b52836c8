"""Composes the trees that a question may be read as, over one table.

Takes the question, its mentions and the table's arrays; gives `Candidate`s, each with the words it
explains and the features that tell why it was made. Columns and operators that no word names may
be used at the price of a feature; the ranker decides what that costs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from functools import cached_property

from retrieval.table import Kind
from sql_engine.offline.carried import Carried
from sql_engine.offline.columns import ColumnData, TableData
from sql_engine.offline.conditions import (
    Conditions,
    ConditionSet,
    has_zeros,
    opens_some,
)
from sql_engine.offline.counted import Counted
from sql_engine.offline.doers import doers
from sql_engine.offline.either_or import chooses, offered
from sql_engine.offline.features import (
    answer_kind,
    columns_of,
    condition_column,
    conditions_of,
    question_word,
)
from sql_engine.offline.flags import flag
from sql_engine.offline.listed import listed
from sql_engine.offline.mentions import WHOLE_NAME, Mentions
from sql_engine.offline.parts import Candidate, Part
from sql_engine.offline.question import ColumnMention, NumberMention, Question
from sql_engine.offline.relation import Relation
from sql_engine.offline.scope import LABELLED, TRUTH_OPENERS, Scope
from sql_engine.offline.sense import is_of_one_piece, numbers_things, summed_columns
from sql_engine.offline.shapes import NARROWED, SHAPES, Shape
from sql_engine.offline.shapes.extremes import narrowings
from sql_engine.offline.tree import (
    Agg,
    All,
    Beyond,
    Cmp,
    Col,
    Filled,
    Grouped,
    Holds,
    In,
    Not,
    Slice,
    Top,
    Tree,
    Values,
    Where,
)
from sql_engine.words import folded_words

NAMED = 0.8
"""How well a column must be named after "by" to be grouped by."""
FULL = 0.9
"""The share of texts with numbers from which a column names nobody."""
MAX_CANDIDATES = 5000
"""Trees made of one question over one relation; the likeliest conditions come first."""
MAX_NARROWED = 8
"""Sets of conditions whose rows at an end are asked about."""
_ENDS = frozenset(["superlative", "most", "least", "maximum", "minimum"])
_OPERATIONS = frozenset([*_ENDS, "count", "sum", "mean", "difference", "next", "previous"])
_TIMES = frozenset(["time", "extreme", "rows", "number"])
"""Kinds of answer that may say when."""


_AUXILIARIES = frozenset(["was", "were", "is", "are", "has", "have", "got"])
_BEING = frozenset(["is", "are", "was", "were", "be"])
_DOING = frozenset(["do", "does", "did"])
_ASKING = frozenset(["what", "where", "when", "how", "which"])
ASKING = 4
"""The first words of a question, among which its verb stands."""
_CALLED = frozenset(["named", "called", "titled", "name", "names"])
_ADDRESSED = frozenset(["you", "we", "i", "there"])
"""After "do" they ask for what is there, more than whether: "do we have the number of Ada"."""
_NO_PERSON = frozenset(["time", "extreme", "number", "numbers"])


class Composer:
    """Makes the candidates of one question over one table."""

    def __init__(
        self, question: Question, found: Mentions, relation: Relation, data: TableData
    ) -> None:
        self.question = question
        self.found = found
        self.relation = relation
        self.data = data
        self._carried = Carried(question, found, data)
        self._counted = Counted(question, found, data)

    def candidates(self) -> Iterator[Candidate]:
        """All candidates; the masks hold every word that the tree accounts for."""
        return itertools.islice(self._candidates(), MAX_CANDIDATES)

    def _candidates(self) -> Iterator[Candidate]:
        for reserved, n in self._counts():
            found = Conditions(self.question, self.found, self.data).sets(reserved)
            for place, conditions in enumerate(found):
                scope = Scope(self.question, self.found, self.data, conditions, n, reserved)
                yield from self._over(scope, SHAPES)
                if n is None and self._nests and place < MAX_NARROWED:
                    yield from self._narrowed(conditions, scope)

    def _may_tell_who(self, tree: Tree) -> bool:
        """Whether what a tree gives may be people: no numbers, no time, no texts full of them."""
        if answer_kind(tree, self.data) in _NO_PERSON:
            return False
        cols = tree.cols if isinstance(tree, Values) else ()
        return len(cols) != 1 or self.data.columns[cols[0].index].text_numbers < FULL

    @cached_property
    def _nests(self) -> bool:
        """Whether the question has an end and another operation beside it."""
        told = {t.mask for t in self.question.triggers if t.sense.operator in _ENDS}
        others = {t.mask for t in self.question.triggers if t.sense.operator in _OPERATIONS}
        return bool(told) and len(told | others) > 1

    def _narrowed(self, conditions: ConditionSet, scope: Scope) -> Iterator[Candidate]:
        """The trees over the rows at an end."""
        for rows, mask, features in narrowings(scope):
            told = Part(conditions.node, conditions.mask, (*conditions.features, *features))
            narrowed = (rows, mask, features)
            inner = Scope(self.question, self.found, self.data, told, narrowed=narrowed)
            yield from self._over(inner, NARROWED)

    def _over(self, scope: Scope, shapes: tuple[Shape, ...]) -> Iterator[Candidate]:
        """The trees of these shapes over one set of conditions."""
        for shape in shapes:
            name = (f"shape_{shape.__name__}", 1.0)
            for made, mask, features in shape(scope):
                tree = self._counted.meant(made)
                if tree is None:
                    continue
                tree = listed(self.question, self.found, self.data, tree)
                if scope.n is not None and scope.n not in _numbers_kept(tree):
                    continue
                if self._lists_flags(tree) or self._adds_over_rows(tree) or self._adds_rates(tree):
                    continue
                if self._says_again(tree) or self._compares_with_one(tree):
                    continue
                if self._gives_subject(tree):
                    continue
                if self._asks_than and not isinstance(tree, Holds):
                    continue
                if self._offered and not self._chooses(tree):
                    continue
                if self._wants_truth and not self._tells_truth(tree):
                    continue
                if self._lists_counted_groups(tree):
                    continue
                if self._wants_name and not isinstance(tree, Values | Grouped):
                    continue
                if self._wants_who and not self._may_tell_who(tree):
                    continue
                if self._wants_time and not self._tells_time(tree):
                    continue
                used = columns_of(tree)
                if self.relation.composed and not self.relation.needs(used):
                    continue
                explained = self._explained(used, mask | scope.taken)
                if isinstance(tree, Values) and self._grouping & ~explained:
                    continue
                told = (("n_told", 1.0),) if scope.n is not None else ()
                yield Part(tree, explained, (*scope.conditions.features, *features, *told, name))

    @cached_property
    def _wants_time(self) -> bool:
        """Whether "when …" is asked of a relation that holds times."""
        columns, words = self.data.columns, [word.folded for word in self.question.words[:3]]
        if "what time" in " ".join(words):
            return any(column.kind is Kind.TIME for column in columns)
        return words[0] == "when" and any(column.temporal or column.runs for column in columns)

    def _tells_time(self, tree: Tree) -> bool:
        """Whether a tree may say when: no amount does, not the highest either."""
        columns = self.data.columns
        if isinstance(tree, Agg) and tree.col is not None:
            return not columns[tree.col.index].amount
        cols = tree.cols if isinstance(tree, Values) else ()
        if any(columns[col.index].runs for col in cols):
            return True
        if cols and all(columns[col.index].amount for col in cols):
            return False
        return answer_kind(tree, self.data) in _TIMES

    @cached_property
    def _grouping(self) -> int:
        """Mask of each "by" right before a column whose texts repeat: a list of rows is no answer.

        Not where the words are about an order.
        """
        if self.question.of("order"):
            return 0
        mask = 0
        done = doers(self.question, self.found)
        for trigger in self.question.of("group"):
            if trigger.mask & done:
                continue
            for mention in self.found.columns:
                named = mention.score >= NAMED and mention.first == trigger.last + 1
                if named and _is_label(self.data.columns[mention.column]):
                    mask |= trigger.mask
        return mask

    def _adds_over_rows(self, tree: Tree) -> bool:
        """Whether it is one sum where one for each row is asked: "total cost per item"."""
        if not isinstance(tree, Agg) or tree.fn not in ("sum", "count", "distinct"):
            return False
        labels = (m for m in self.found.columns if m.score >= NAMED)
        done = doers(self.question, self.found)
        columns = self.data.columns
        firsts = {m.first for m in labels if columns[m.column].kind is Kind.TEXT}
        firsts = {first for first in firsts if not done >> first & 1}
        return any(t.last + 1 in firsts for t in self.question.of("group"))

    def _adds_rates(self, tree: Tree) -> bool:
        """Whether prices of one piece are added up though nobody named them ("how much was sold"
        asks for no sum of unit prices), or the numbers of lots are averaged for how many there are.
        """
        summed = {col.index for col in summed_columns(tree)} - self._named_columns
        if any(is_of_one_piece(self.data.columns[i]) for i in summed):
            return True
        counting = bool(self.question.of("count"))
        return counting and any(numbers_things(self.data.columns[i]) for i in _averaged(tree))

    @cached_property
    def _named_columns(self) -> set[int]:
        return {m.column for m in self.found.columns if m.score >= NAMED}

    def _compares_with_one(self, tree: Tree) -> bool:
        """Whether yes or no is told by one row of many against the largest of others: "did A
        spend more than B" holds their amounts against each other.
        """
        if not isinstance(tree, Holds):
            return False
        beyond = [c for c in conditions_of(tree) if isinstance(c, Beyond)]
        sides = [c for b in beyond for c in conditions_of(b.bound.rows)]
        columns = self.data.columns
        return any(isinstance(c, In) and not columns[c.col.index].encoded().unique for c in sides)

    @cached_property
    def _offered(self) -> frozenset[int]:
        """The columns of which the question offers two cells to choose from."""
        return offered(self.question, self.found)

    @cached_property
    def _wants_truth(self) -> bool:
        """Whether a question of two conditions asks for yes or no: "did Ada pay more than 5"."""
        words = [word.folded for word in self.question.words[:3]]
        asked = words[0] in TRUTH_OPENERS and not _ADDRESSED & set(words[1:])
        return asked and not self._offered and not self.question.of("courtesy", "exists")

    def _tells_truth(self, tree: Tree) -> bool:
        """Whether it is a yes or no, or the cell of a column that says it."""
        if not isinstance(tree, Values):
            return not isinstance(tree, Grouped)
        columns = (self.data.columns[col.index] for col in tree.cols)
        held = {condition_column(cond) for cond in conditions_of(tree)}
        shown = {col.index for col in tree.cols}
        said = any(c.kind is Kind.BOOLEAN or c.text_numbers == 0 for c in columns)
        return not tree.cols or (said and not shown & held and len(held) < 2)

    def _lists_counted_groups(self, tree: Tree) -> bool:
        """Whether groups that reach a bound are listed, where "how many" asks for their number."""
        if not isinstance(tree, Grouped) or not tree.having:
            return False
        return any(key.index in self._nouns_counted for key in tree.keys)

    @cached_property
    def _wants_name(self) -> bool:
        """Whether "name a country …" asks for things, of which no number is one."""
        return self.question.words[0].folded == "name"

    def _chooses(self, tree: Tree) -> bool:
        """Whether a tree gives one of the cells that are offered, and leaves out none of them."""
        kept = (c for c in conditions_of(tree) if isinstance(c, In) and len(c.texts) > 1)
        return chooses(tree, self._offered) and any(c.col.index in self._offered for c in kept)

    @cached_property
    def _asks_than(self) -> bool:
        """Whether yes or no is asked of one thing more than another."""
        asked = question_word(self.question) == "truth" and not self.question.of("courtesy")
        return asked and any(word.folded == "than" for word in self.question.words)

    def _says_again(self, tree: Tree) -> bool:
        """Whether it gives back a cell that the question names, or counts the rows of that name:
        "how many states border Iowa" counts no states that are called Iowa.
        """
        listed = isinstance(tree, Values)
        said = self._cells_said if listed else self._names_said
        told = {
            cond.col for cond in conditions_of(tree) if isinstance(cond, In) and cond.texts in said
        }
        if not told or self._tells_names:
            return False
        if isinstance(tree, Values):
            plain = isinstance(tree.rows, Where) and bool(tree.cols)
            return plain and set(tree.cols) <= told
        if not isinstance(tree, Agg) or tree.fn not in ("count", "distinct"):
            return False
        if not isinstance(tree.rows, Where):
            return False
        return tree.col in told or any(col.index in self._nouns_counted for col in told)

    def _gives_subject(self, tree: Tree) -> bool:
        """Whether it gives nothing but who does it: "what does the newest worker earn" asks for no
        worker.
        """
        cols = {col.index for col in tree.cols} if isinstance(tree, Values) else set()
        return bool(cols) and cols <= self._subjects

    @cached_property
    def _subjects(self) -> frozenset[int]:
        """The columns named after the "does" of a question, or the "is" of "where is"."""
        words = [word.folded for word in self.question.words[:ASKING]]
        verbs = _BEING | _DOING if words[0] == "where" else _DOING
        places = [i for i, word in enumerate(words) if i and word in verbs]
        if not places or words[0] not in _ASKING:
            return frozenset()
        after = (m for m in self.found.columns if m.first > places[0] and m.score >= WHOLE_NAME)
        first = min(after, key=lambda m: m.first, default=None)
        if first is None or self._follows_cell(first.first, places[0]):
            return frozenset()
        return frozenset([first.column])

    def _follows_cell(self, place: int, verb: int) -> bool:
        """Whether a cell is said between a verb and a place: "what did Ada score in physics"."""
        return any(v.exact and verb < v.first < place for v in self.found.values)

    @cached_property
    def _names_said(self) -> frozenset[tuple[str, ...]]:
        """Cells that the question names as a whole, and not as what is said of the rows: "how many
        chassis were Penske".
        """
        words, said = self.question.words, []
        for value in self.found.values:
            before = words[value.first - 1].folded if value.first else ""
            if value.exact and len(value.texts) == 1 and before not in _BEING:
                said.append(value.texts)
        return frozenset(said)

    @cached_property
    def _cells_said(self) -> frozenset[tuple[str, ...]]:
        """Cells that the question says, as a name or of the rows."""
        found = self.found.values
        return frozenset(v.texts for v in found if v.exact and len(v.texts) == 1)

    @cached_property
    def _tells_names(self) -> bool:
        """Whether yes or no is asked, or how many are called so."""
        words = self.question.words
        asked = words[0].folded in TRUTH_OPENERS or bool(self.question.of("exists"))
        return asked or any(word.folded in _CALLED for word in words)

    @cached_property
    def _nouns_counted(self) -> frozenset[int]:
        """The columns of texts that the noun after "how many" names."""
        nouns = {trigger.last + 1 for trigger in self.question.of("count")}
        named = (m for m in self.found.columns if m.score >= LABELLED and m.first in nouns)
        columns = self.data.columns
        return frozenset(m.column for m in named if columns[m.column].kind is Kind.TEXT)

    def _lists_flags(self, tree: Tree) -> bool:
        """Whether it gives the cells of a column of yes and no, which nobody asks for:
        "billable hours" are those that are so.
        """
        cols: tuple[Col | None, ...] = ()
        if isinstance(tree, Values):
            cols = tree.cols
        elif isinstance(tree, Agg) and tree.fn == "distinct":
            cols = (tree.col,)
        if any(col is not None and col.index in self._attributes for col in cols):
            return True
        if len(cols) == 1 and cols[0] in set(self._fixed_cells(tree)):
            return True  # "what cannot be returned" asks for no "No", "what leaves at 3" for no 3
        if isinstance(tree, Values) and self._deeds and not self._tells_what(tree):
            return True
        if isinstance(tree, Agg) and tree.col is not None and tree.col.index in self._deeds:
            return True  # "what was acquired last" asks for no date
        if len(cols) != 1 or cols[0] is None or self.question.of("distinct", "details"):
            return False
        asked = question_word(self.question) in ("truth", "what")
        if isinstance(tree, Values) and isinstance(tree.rows, All):
            asked = False  # "what can be returned": of all rows it is both
        index = cols[0].index
        return not asked and flag(index, self.data.columns[index]) is not None

    def _fixed_cells(self, tree: Tree) -> Iterator[Col]:
        """The columns of which the conditions leave one value: a number, a time, yes or no."""
        for cond in conditions_of(tree):
            inner = cond.cond if isinstance(cond, Not) else cond
            if isinstance(inner, Cmp) and inner.op == "=" and inner is cond:
                yield inner.col
            if isinstance(inner, Filled) and len(self.data.columns[inner.col.index].texts) == 1:
                yield inner.col
            if isinstance(inner, In) and len(inner.texts) == 1:
                column = self.data.columns[inner.col.index]
                if column.kind is Kind.BOOLEAN or flag(inner.col.index, column) is not None:
                    yield inner.col

    def _tells_what(self, tree: Values) -> bool:
        """Whether "what was acquired" is told by rows or by a column that is named."""
        shown = {col.index for col in tree.cols}
        return not shown & self._deeds and (not shown or bool(shown & self._named_columns))

    @cached_property
    def _deeds(self) -> frozenset[int]:
        """The columns of times that are called by the verb of "what was acquired": what it
        happened to is asked for.
        """
        words = self.question.words
        if words[0].folded != "what" or len(words) < 3:
            return frozenset()
        place = 2 if words[1].folded in _AUXILIARIES else 1
        named = (m for m in self.found.columns if m.first == m.last == place)
        columns = self.data.columns
        verbs = words[place].folded.endswith(("ed", "s"))
        return frozenset(m.column for m in named if verbs and columns[m.column].temporal)

    @cached_property
    def _attributes(self) -> frozenset[int]:
        """The columns that say right before the rows what is so of them: "billable hours", by a
        column of yes and no; "insured visits", where a column says by whom.
        """
        rows, columns = self.found.rows, self.data.columns
        before = [m for m in self.found.columns if rows >> (m.last + 1) & 1]
        return self._said_some | frozenset(
            m.column
            for m in before
            if (m.score >= 0.7 and flag(m.column, columns[m.column]) is not None)
            or (m.score >= NAMED and not self.question.of("group") and _is_label(columns[m.column]))
            or self._tells_deed(m)
            or self._is_only_alike(m)
        )

    @cached_property
    def _said_some(self) -> frozenset[int]:
        """The amounts of which the rows are said to have some: "orders with a discount"."""
        columns = self.data.columns
        return frozenset(
            m.column
            for m in self.found.columns
            if columns[m.column].amount
            and opens_some(self.question, m)
            and has_zeros(columns[m.column])
        )

    def _is_only_alike(self, mention: ColumnMention) -> bool:
        """Whether a word right before the rows is no word of the header: "open" of "Opened"."""
        word = self.question.words[mention.last].folded
        header = folded_words(self.data.columns[mention.column].name)
        return mention.first == mention.last and word not in header

    def _tells_deed(self, mention: ColumnMention) -> bool:
        """Whether a participle names a column that is called by more or otherwise: "insured" of
        "Insurer", "assigned" of "Assigned driver".
        """
        word = self.question.words[mention.last].folded
        header = folded_words(self.data.columns[mention.column].name)
        return mention.first == mention.last and word.endswith("ed") and header != (word,)

    @cached_property
    def _wants_who(self) -> bool:
        """Whether "who …" is asked: no number and no time answers that."""
        return question_word(self.question) in ("who", "whom")

    def _counts(self) -> Iterable[tuple[int, int | None]]:
        """The number of things asked for ("top 3", "five largest"), as a mask and a number."""
        yield 0, None
        for number in self.question.numbers:
            whole = number.counts and number.value == int(number.value)
            if not whole or not 0 < number.value <= 1000:
                continue
            for trigger in self.question.triggers:
                if trigger.sense.operator in ("superlative", "first", "last") and (
                    trigger.last + 1 == number.first or number.last + 1 == trigger.first
                ):
                    yield number.mask, int(number.value)
                    break
            else:
                if self._counts_nouns(number):
                    yield number.mask, int(number.value)

    def _counts_nouns(self, number: NumberMention) -> bool:
        """Whether the number stands before a noun for rows or a column, with a superlative."""
        after = 1 << (number.last + 1)
        nouns = self.found.rows | sum(1 << m.first for m in self.found.columns)
        ranked = any(
            t.sense.operator in ("superlative", "first", "last", "most", "least")
            for t in self.question.triggers
        )
        return ranked and bool(nouns & after)

    def _explained(self, used: set[int], mask: int) -> int:
        """The mask with the words that the columns used, and the rows, carry along."""
        return mask | self._carried.always | self._carried.by_columns(used)


def _averaged(tree: Tree) -> set[int]:
    """The columns of which a mean is taken."""
    if isinstance(tree, Grouped):
        return {m.col.index for m in tree.measures if m.fn == "mean" and m.col is not None}
    mean = isinstance(tree, Agg) and tree.fn == "mean" and tree.col is not None
    return {tree.col.index} if mean else set()  # type: ignore[union-attr]


def _is_label(column: ColumnData) -> bool:
    return not column.measured and not column.temporal and not column.encoded().unique


def _numbers_kept(tree: Tree) -> set[int]:
    """How many rows or groups the tree keeps, wherever it cuts."""
    if isinstance(tree, Grouped):
        return {tree.n} if tree.n else set()
    rows = getattr(tree, "rows", None)
    return {rows.n} if isinstance(rows, Top | Slice) else set()
