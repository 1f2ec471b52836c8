"""What a tree over one relation cannot be the answer to, told by its form.

Takes the question with its mentions and the relation's arrays; tells for each composed tree whether
it answers another kind of question: one sum where one of each is asked, a constant that the
question says itself, a number where a person is asked for.
"""

from __future__ import annotations

from functools import cached_property

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData, holds_years
from sql_engine.offline.doers import doers
from sql_engine.offline.either_or import chooses, offered
from sql_engine.offline.features import (
    answer_kind,
    columns_of,
    condition_column,
    conditions_of,
    number_asked,
    question_word,
)
from sql_engine.offline.flags import flag
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.money import holds_money
from sql_engine.offline.parts import NAMED
from sql_engine.offline.question import Question, covering
from sql_engine.offline.said_of_rows import SaidOfRows, given
from sql_engine.offline.scope import LABELLED, TRUTH_OPENERS
from sql_engine.offline.sense import (
    adds_up_to_nothing,
    is_of_one_piece,
    numbers_groups,
    numbers_things,
    summed_columns,
)
from sql_engine.offline.sides import tells_one_side
from sql_engine.offline.table_words import WHOLE_NAME
from sql_engine.offline.tree import (
    Agg,
    All,
    Arith,
    Beyond,
    Facet,
    Filled,
    Grouped,
    Holds,
    In,
    Measure,
    Shift,
    Top,
    Tree,
    Values,
    Where,
)
from sql_engine.words import stem

_TIMES = frozenset(["time", "extreme", "rows", "number"])
"""Kinds of answer that may say when."""
_AUXILIARIES = frozenset(["was", "were", "is", "are", "has", "have", "got"])
_BEING = frozenset(["is", "are", "was", "were", "be"])
_DOING = frozenset(["do", "does", "did"])
_EACH = frozenset(["each", "every"])
_ASKING = frozenset(["what", "where", "when", "how", "which"])
ASKING = 4
"""The first words of a question, among which its verb stands."""
_ADDRESSED = frozenset(["you", "we", "i", "there"])
"""After "do" they ask for what is there, more than whether: "do we have the number of Ada"."""
_CALLED = frozenset(["named", "called", "titled", "name", "names"])
_CHANGING = frozenset(
    map(stem, ["grow", "grew", "grown", "growth", "shrink", "shrank", "decline", "rose", "change"])
)
_SPENDING = frozenset(["spend", "spending", "spent"])
_OF_THINGS = frozenset(["which", "who", "whose", "whom"])
_AHEAD = frozenset(["for", "in", "on", "at", "of", "from"])
"""Before "which" they leave it the word that asks."""
_OPENING = frozenset(["what", "list"])
_BEFORE_HEAD = frozenset(["is", "are", "was", "were", "the", "all", "different"])
_ASKING_MORE = frozenset(["and", "what", "which", "who", "whose", "where", "when"])
_NO_PERSON = frozenset(["time", "extreme", "number", "numbers"])
_NUMBER_WORDS = frozenset(["number", "numbers", "count", "amount", "size", "many", "quantity"])
"""Nouns that ask for a number."""
FULL = 0.9
"""The share of texts with numbers from which a column names nobody."""
BEFORE_NOUN = 3
"""Words from a "cheapest" to the noun that it is said of, at most: "cheapest history book"."""


class Refusals:
    """Tells which trees cannot answer one question over one relation."""

    def __init__(self, question: Question, found: Mentions, data: TableData) -> None:
        self._question = question
        self._found = found
        self._data = data
        self._said = SaidOfRows(question, found, data)

    def refuses(self, tree: Tree) -> bool:
        """Whether a tree answers another kind of question."""
        return (
            self._is_of_another_kind(tree)
            or self._said.is_given_back(tree)
            or self._gives_time_of_deed(tree)
            or self._lists_flags(tree)
            or self._adds_over_rows(tree)
            or self._adds_rates(tree)
            or self._says_again(tree)
            or self._compares_with_one(tree)
            or self._gives_subject(tree)
            or self._lists_counted_groups(tree)
            or self._counts_other_rows(tree)
            or self._is_of_one_side(tree)
            or self._ranks_amounts(tree)
            or self._ranks_payments(tree)
            or self._prices_things(tree)
            or self._uses_asked(tree)
            or self._ranks_by_one_end(tree)
            or self._tells_no_manner(tree)
            or self._averages_spending(tree)
            or self._gives_the_next_alone(tree)
            or self._parts_by_an_amount(tree)
            or self._adds_years(tree)
            or self._gives_no_figure(tree)
            or self._counts_unasked(tree)
            or self._drops_some(tree)
            or self._adds_up_unsaid(tree)
        )

    def _counts_unasked(self, tree: Tree) -> bool:
        """Whether a number of rows is given for "what's free", which asks for them."""
        if not isinstance(tree, Agg) or tree.fn not in ("count", "distinct"):
            return False
        asked = self._question.words[0].folded in ("what's", "what", "which", "who", "where")
        return asked and not self._asks_number

    @cached_property
    def _asks_number(self) -> bool:
        """Whether a word of the question asks for a number."""
        told = ("count", "count_in_all", "sum", "mean", "share", "difference", "distinct")
        words = {word.folded for word in self._question.words}
        return bool(self._question.of(*told)) or not words.isdisjoint(_NUMBER_WORDS)

    def _is_of_another_kind(self, tree: Tree) -> bool:
        """Whether no yes or no, no person, thing or time is told where one is asked for."""
        return (
            (self._asks_than and not isinstance(tree, Holds))
            or (bool(self._offered) and not self._chooses(tree))
            or (self._wants_truth and not self._tells_truth(tree))
            or (self._wants_one and isinstance(tree, Agg) and tree.fn == "count")
            or (self._wants_name and not isinstance(tree, Values | Grouped))
            or (self._wants_who and not self._may_tell_who(tree))
            or (self._wants_who and self._shows_flagged(tree))
            or (self._wants_time and not self._tells_time(tree))
        )

    def _parts_by_an_amount(self, tree: Tree) -> bool:
        """Whether "rent per m²" is told for the rows of each size."""
        if not isinstance(tree, Grouped) or not any(m.col for m in tree.measures):
            return False
        keys = {key.index for key in tree.keys if self._data.columns[key.index].amount}
        columns = self._data.columns
        keys -= {i for i in keys if adds_up_to_nothing(columns[i]) or numbers_groups(columns[i])}
        per = [i for i, word in enumerate(self._question.words) if word.folded == "per"]
        named = (m for m in self._found.columns if m.column in keys)
        return any(0 < m.first - i <= 2 for m in named for i in per)

    def _adds_years(self, tree: Tree) -> bool:
        """Whether years are added up that nobody asked to add up: "members since 2015"."""
        if self._question.of("sum"):
            return False
        if isinstance(tree, Grouped):
            added = [m.col for m in tree.measures if m.fn == "sum"]
        else:
            added = [tree.col] if isinstance(tree, Agg) and tree.fn == "sum" else []
        return any(col is not None and holds_years(self._data.columns[col.index]) for col in added)

    def _gives_the_next_alone(self, tree: Tree) -> bool:
        """Whether one row that follows is given where "which fairs came after" asks for all."""
        after = isinstance(tree, Values) and isinstance(tree.rows, Shift)
        return after and number_asked(self._question) == "plural" and not self._question.numbers

    def _tells_no_manner(self, tree: Tree) -> bool:
        """Whether "how did she pay" is told by a number: how much she paid is another question."""
        words = [word.folded for word in self._question.words[:2]]
        asked = words[:1] == ["how"] and words[1:] and words[1] in _DOING
        return bool(asked) and answer_kind(tree, self._data) in ("number", "numbers")

    def _ranks_by_one_end(self, tree: Tree) -> bool:
        """Whether one year alone ranks what "grew most between 2018 and 2023"."""
        rows = tree.rows if isinstance(tree, Values) else None
        if not isinstance(rows, Top) or not any(w.stem in _CHANGING for w in self._question.words):
            return False
        named = self._named_columns
        years = {i for i in named if self._data.columns[i].name.strip()[:4].isdigit()}
        return len(years) > 1 and rows.key.index in years

    def _averages_spending(self, tree: Tree) -> bool:
        """Whether single payments are averaged, where "the average spend per member" is what each
        paid in all.
        """
        spent = any(word.folded in _SPENDING for word in self._question.words)
        return spent and isinstance(tree, Grouped) and any(m.fn == "mean" for m in tree.measures)

    @cached_property
    def _wants_one(self) -> bool:
        """Whether "which …" asks for things, however many: "which hive had the highest count",
        "what are the months with a number of boats over 5".
        """
        words = self._question.words
        if any(word.folded in _OF_THINGS for word in words[: 1 + (words[0].folded in _AHEAD)]):
            return True
        return words[0].folded in _OPENING and bool(self._things >> self._head & 1)

    @property
    def _head(self) -> int:
        """The place of the first word after "what are the"."""
        words = self._question.words
        places = range(1, len(words))
        return next((i for i in places if words[i].folded not in _BEFORE_HEAD), len(words))

    @cached_property
    def _things(self) -> int:
        """Mask of the words that name rows or what tells them apart, and no amount."""
        columns = self._data.columns
        labels = (m for m in self._found.columns if m.score >= LABELLED)
        named = covering(m for m in labels if not columns[m.column].measured)
        return (named | self._found.rows) & ~covering(self._question.of("count", "sum"))

    def _gives_no_figure(self, tree: Tree) -> bool:
        """Whether rows or names are given where "what is the lowest number of …" asks for it."""
        if not self._wants_figure:
            return False
        if isinstance(tree, Grouped):
            return tree.show_keys and bool(tree.keys) and not self._question.of("group")
        if not isinstance(tree, Values):
            return False
        columns = (self._data.columns[col.index] for col in tree.cols)
        return not tree.cols or not all(c.numeric or c.text_numbers > 0 for c in columns)

    @cached_property
    def _wants_figure(self) -> bool:
        """Whether nothing but a figure at an end is asked for: "what is the lowest number of"."""
        words = [word.folded for word in self._question.words]
        opened = words[:1] == ["what"] and words[1:2] in (["is"], ["was"]) and words[2:3] == ["the"]
        asked = any(word in _ASKING_MORE for word in words[1:])
        counting = {t.first for t in self._question.of("count")}
        ends = self._question.of("maximum", "minimum", "superlative", "mean", "median", "sum")
        return opened and not asked and any(t.first == 3 and t.last + 1 in counting for t in ends)

    def _uses_asked(self, tree: Tree) -> bool:
        """Whether the rows that the question opens with only restrict others by how many there are:
        "performances of plays by Ada" asks for no plays.
        """
        if not isinstance(tree, Values | Agg) or self._question.of("count", "most", "least"):
            return False
        function, words = self._question.function, self._question.words
        first = next((i for i in range(len(words)) if not function >> i & 1), None)
        columns = self._data.columns
        opens = {m.column for m in self._found.columns if m.first == first}
        counted = {i for i in opens if i < len(columns) and columns[i].counts}
        if counted & columns_of(tree) and not isinstance(tree.rows, Top):
            return True
        shown = tree.cols if isinstance(tree, Values) else ()
        return self._opens_with_own(first) and any(columns[c.index].repeats for c in shown)

    def _opens_with_own(self, first: int | None) -> bool:
        """Whether the question opens with the rows and an "of": "loans of books by Ada"."""
        words = self._question.words
        of = first is not None and [w.folded for w in words[first + 1 : first + 2]] == ["of"]
        return of and bool(self._found.rows >> (first or 0) & 1)

    def _prices_things(self, tree: Tree) -> bool:
        """Whether a price is told for the things themselves: "cheapest history book" asks for one
        of the rows, and so does "cheapest novel" where novels are of one kind.
        """
        if not isinstance(tree, Agg) or tree.fn not in ("min", "max") or tree.col is None:
            return False
        if tree.col.index in self._named_columns or self._question.words[0].folded == "how":
            return False
        said = self._question.of("superlative")
        things = {value.first for value in self._found.values}
        return any(
            self._found.rows >> (t.last + 1) & (1 << BEFORE_NOUN) - 1
            or (t.sense.hints and t.last + 1 in things)
            for t in said
        )

    @cached_property
    def _wants_time(self) -> bool:
        """Whether "when …" is asked of a relation that holds times."""
        columns, words = self._data.columns, [word.folded for word in self._question.words[:3]]
        if "what time" in " ".join(words):
            return any(column.kind is Kind.TIME for column in columns)
        return words[0] == "when" and any(column.temporal or column.runs for column in columns)

    def _tells_time(self, tree: Tree) -> bool:
        """Whether a tree may say when: no amount does, not the highest either."""
        columns = self._data.columns
        if isinstance(tree, Agg) and tree.col is not None:
            return not columns[tree.col.index].amount
        cols = tree.cols if isinstance(tree, Values) else ()
        if any(columns[col.index].runs for col in cols):
            return True
        if cols and all(columns[col.index].amount for col in cols):
            return False
        return answer_kind(tree, self._data) in _TIMES

    def _adds_over_rows(self, tree: Tree) -> bool:
        """Whether it is one sum where one for each row is asked: "total cost per item", "how many
        seats has each boat".
        """
        if not isinstance(tree, Agg) or tree.fn not in ("sum", "count", "distinct"):
            return False
        words = self._question.words
        if any(words[t.last].folded in _EACH for t in self._question.of("group")):
            return True
        labels = (m for m in self._found.columns if m.score >= NAMED)
        done = doers(self._question, self._found)
        columns = self._data.columns
        firsts = {m.first for m in labels if columns[m.column].kind is Kind.TEXT}
        firsts = {first for first in firsts if not done >> first & 1}
        return any(t.last + 1 in firsts for t in self._question.of("group"))

    def _adds_rates(self, tree: Tree) -> bool:
        """Whether prices of one piece or rates in percent are added up though nobody named them
        ("how much was sold" asks for no sum of unit prices), the numbers of rooms are added up, or
        those of lots are averaged for how many there are.
        """
        columns = self._data.columns
        summed = {col.index for col in summed_columns(tree)}
        if any(columns[i].numbers_names for i in summed):
            return True
        if any(_has_no_sum(columns[i]) for i in summed - self._named_columns):
            return True
        counting = bool(self._question.of("count"))
        return counting and any(numbers_things(columns[i]) for i in _averaged(tree))

    @cached_property
    def _named_columns(self) -> set[int]:
        return {m.column for m in self._found.columns if m.score >= NAMED}

    def _compares_with_one(self, tree: Tree) -> bool:
        """Whether yes or no is told by one row of many against the largest of others: "did A
        spend more than B" holds their amounts against each other.
        """
        if not isinstance(tree, Holds):
            return False
        beyond = [c for c in conditions_of(tree) if isinstance(c, Beyond)]
        sides = [c for b in beyond for c in conditions_of(b.bound.rows)]
        columns = self._data.columns
        return any(isinstance(c, In) and not columns[c.col.index].encoded().unique for c in sides)

    @cached_property
    def _offered(self) -> frozenset[int]:
        """The columns of which the question offers two cells to choose from."""
        return offered(self._question, self._found)

    @cached_property
    def _wants_truth(self) -> bool:
        """Whether a question of two conditions asks for yes or no: "did Ada pay more than 5"."""
        words = [word.folded for word in self._question.words[:3]]
        asked = words[0] in TRUTH_OPENERS and not _ADDRESSED & set(words[1:])
        return asked and not self._offered and not self._question.of("courtesy", "exists")

    def _tells_truth(self, tree: Tree) -> bool:
        """Whether it is a yes or no, or the cell of a column that says it."""
        if isinstance(tree, Agg):
            return tree.fn in ("count", "distinct")
        if not isinstance(tree, Values):
            return not isinstance(tree, Grouped | Arith)
        columns = (self._data.columns[col.index] for col in tree.cols)
        held = {condition_column(cond) for cond in conditions_of(tree)}
        shown = {col.index for col in tree.cols}
        said = any(c.kind is Kind.BOOLEAN or c.text_numbers == 0 for c in columns)
        return not tree.cols or (said and not shown & held and len(held) < 2)

    def _lists_counted_groups(self, tree: Tree) -> bool:
        """Whether groups that reach a bound are listed, where "how many" asks for their number."""
        if not isinstance(tree, Grouped) or not tree.having:
            return False
        return any(key.index in self._nouns_counted for key in tree.keys)

    def _is_of_one_side(self, tree: Tree) -> bool:
        """Whether a column of one side is told of a name on either: "the goals of Leeds"."""
        used = columns_of(tree)
        return any(tells_one_side(cond, used, self._data) for cond in conditions_of(tree))

    def _counts_other_rows(self, tree: Tree) -> bool:
        """Whether rows are counted where things of a joined table are asked for: "how many senior
        members borrowed a map" counts no loans.
        """
        counted = tree.measures if isinstance(tree, Grouped) else (tree,)
        return self._others_counted and any(
            isinstance(one, Agg | Measure) and one.fn == "count" for one in counted
        )

    @cached_property
    def _others_counted(self) -> bool:
        """Whether the noun after "how many" names what a joined table tells of, or is a cell of it:
        "how many dogs were vaccinated".
        """
        found, columns = self._found, self._data.columns
        cells = {value.first: value for value in found.values if value.exact}
        named = {
            m.first: columns[m.column].repeats
            for m in sorted(found.columns, key=lambda m: m.score)
            if m.score >= LABELLED and columns[m.column].kind is Kind.TEXT
        }
        for trigger in self._question.of("count"):
            place, joined = trigger.last + 1, False
            while place in cells:
                joined = columns[cells[place].column].repeats
                place = cells[place].last + 1
            if not (found.rows >> place & 1 or place in named):
                return joined
            if named.get(place) and not found.rows >> place & 1:
                return not self._is_done_to(place)
        return False

    def _is_done_to(self, noun: int) -> bool:
        """Whether something is done to things that may come again, and each time counts: "how many
        books were borrowed", "how many did Ada borrow", no "how many members were fined".
        """
        words, known = self._question.words, lexicon()
        if words[noun].stem in known.who | known.people:
            return False
        after = words[noun + 1 : noun + 2]
        return bool(after) and after[0].folded in _BEING | _DOING

    def _ranks_payments(self, tree: Tree) -> bool:
        """Whether rows that are payments by what they hold ("the biggest receipt") are ranked by
        what nobody named and is no money.
        """
        rows = tree.rows if isinstance(tree, Values) else None
        if not self._found.kinds or not isinstance(rows, Top):
            return False
        columns, key = self._data.columns, rows.key.index
        paid = any(column.amount and holds_money(column) for column in columns)
        untold = key not in self._named_columns and columns[key].measured
        return paid and untold and not holds_money(columns[key])

    def _ranks_amounts(self, tree: Tree) -> bool:
        """Whether the cells of an amount are ranked by how many rows have each, or by another:
        "the most contestants" is the largest number of them.
        """
        if not isinstance(tree, Grouped) or not tree.n or not tree.keys:
            return False
        known, words = lexicon().frequent, self._question.words
        if any(word.folded in known or word.stem in known for word in words):
            return False
        columns = self._data.columns
        return all(key.facet is Facet.VALUE and columns[key.index].amount for key in tree.keys)

    @cached_property
    def _wants_name(self) -> bool:
        """Whether "name a country …" asks for things, of which no number is one."""
        return self._question.words[0].folded == "name"

    def _chooses(self, tree: Tree) -> bool:
        """Whether a tree gives one of the cells that are offered, and leaves out none of them."""
        kept = (c for c in conditions_of(tree) if isinstance(c, In) and len(c.texts) > 1)
        return chooses(tree, self._offered) and any(c.col.index in self._offered for c in kept)

    def _may_tell_who(self, tree: Tree) -> bool:
        """Whether what a tree gives may be people: no numbers, no time, no texts full of them."""
        if answer_kind(tree, self._data) in _NO_PERSON:
            return False
        cols = tree.cols if isinstance(tree, Values) else ()
        return len(cols) != 1 or self._data.columns[cols[0].index].text_numbers < FULL

    def _shows_flagged(self, tree: Tree) -> bool:
        """Whether whole rows are shown where "who approved it" is asked, of which a column says
        that they were and none by whom.
        """
        if not isinstance(tree, Values) or tree.cols:
            return False
        flags = (c.col.index for c in conditions_of(tree) if isinstance(c, Filled))
        return any(flag(index, self._data.columns[index]) is not None for index in flags)

    @cached_property
    def _asks_than(self) -> bool:
        """Whether yes or no is asked of one thing more than another."""
        asked = question_word(self._question) == "truth" and not self._question.of("courtesy")
        return asked and any(word.folded == "than" for word in self._question.words)

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
        words = [word.folded for word in self._question.words[:ASKING]]
        verbs = _BEING | _DOING if words[0] == "where" else _DOING
        places = [i for i, word in enumerate(words) if i and word in verbs]
        if not places or words[0] not in _ASKING:
            return frozenset()
        after = (m for m in self._found.columns if m.first > places[0] and m.score >= WHOLE_NAME)
        first = min(after, key=lambda m: m.first, default=None)
        if first is None or self._follows_cell(first.first, places[0]):
            return frozenset()
        return frozenset([first.column])

    def _follows_cell(self, place: int, verb: int) -> bool:
        """Whether a cell is said between a verb and a place: "what did Ada score in physics"."""
        return any(v.exact and verb < v.first < place for v in self._found.values)

    @cached_property
    def _names_said(self) -> frozenset[tuple[str, ...]]:
        """Cells that the question names as a whole, and not as what is said of the rows: "how many
        chassis were Penske".
        """
        words, said = self._question.words, []
        for value in self._found.values:
            before = words[value.first - 1].folded if value.first else ""
            if value.exact and len(value.texts) == 1 and before not in _BEING:
                said.append(value.texts)
        return frozenset(said)

    @cached_property
    def _cells_said(self) -> frozenset[tuple[str, ...]]:
        """Cells that the question says, as a name or of the rows."""
        found = self._found.values
        return frozenset(v.texts for v in found if v.exact and len(v.texts) == 1)

    @cached_property
    def _tells_names(self) -> bool:
        """Whether yes or no is asked, or how many are called so."""
        words = self._question.words
        asked = words[0].folded in TRUTH_OPENERS or bool(self._question.of("exists"))
        return asked or any(word.folded in _CALLED for word in words)

    @cached_property
    def _nouns_counted(self) -> frozenset[int]:
        """The columns of texts that the noun after "how many" names."""
        nouns = {trigger.last + 1 for trigger in self._question.of("count")}
        named = (m for m in self._found.columns if m.score >= LABELLED and m.first in nouns)
        columns = self._data.columns
        return frozenset(m.column for m in named if columns[m.column].kind is Kind.TEXT)

    def _gives_time_of_deed(self, tree: Tree) -> bool:
        """Whether "what was acquired last" is answered by the date."""
        if isinstance(tree, Values):
            return bool(self._deeds) and not self._tells_what(tree)
        return isinstance(tree, Agg) and tree.col is not None and tree.col.index in self._deeds

    def _lists_flags(self, tree: Tree) -> bool:
        """Whether it gives the cells of a column of yes and no, which nobody asks for."""
        cols = given(tree)
        if len(cols) != 1 or self._question.of("distinct", "details"):
            return False
        asked = question_word(self._question) in ("truth", "what")
        if isinstance(tree, Values) and isinstance(tree.rows, All):
            asked = False  # "what can be returned": of all rows it is both
        return not asked and flag(cols[0].index, self._data.columns[cols[0].index]) is not None

    def _tells_what(self, tree: Values) -> bool:
        """Whether "what was acquired" is told by rows or by a column that is named."""
        shown = {col.index for col in tree.cols}
        return not shown & self._deeds and (not shown or bool(shown & self._named_columns))

    @cached_property
    def _deeds(self) -> frozenset[int]:
        """The columns of times that are called by the verb of "what was acquired": what it
        happened to is asked for.
        """
        words = self._question.words
        if words[0].folded != "what" or len(words) < 3:
            return frozenset()
        place = 2 if words[1].folded in _AUXILIARIES else 1
        named = (m for m in self._found.columns if m.first == m.last == place)
        columns = self._data.columns
        verbs = words[place].folded.endswith(("ed", "s"))
        return frozenset(m.column for m in named if verbs and columns[m.column].temporal)

    def _adds_up_unsaid(self, tree: Tree) -> bool:
        """Whether another amount is added up or averaged for "the sum of rooms", whose numbers only
        tell them apart.
        """
        if not isinstance(tree, Agg) or tree.col is None or tree.fn not in ("sum", "mean"):
            return False
        if tree.col.index in self._named_columns:
            return False
        columns = self._data.columns
        nouns = {t.last + 1 for t in self._question.of("sum", "mean")}
        return any(m.first in nouns and columns[m.column].identifier for m in self._found.columns)

    def _drops_some(self, tree: Tree) -> bool:
        """Whether rows with none of an amount are taken in: "the average fine of those fined"."""
        apart = {some.column for some in self._said.some if some.apart}
        return bool(apart) and not apart <= {condition_column(c) for c in conditions_of(tree)}

    @cached_property
    def _wants_who(self) -> bool:
        """Whether "who …" is asked: no number and no time answers that."""
        return question_word(self._question) in ("who", "whom")


def _has_no_sum(column: ColumnData) -> bool:
    """Whether the sum of a column's cells is of no use: prices of one piece, percentages, codes."""
    return is_of_one_piece(column) or adds_up_to_nothing(column) is not None or column.coded


def _averaged(tree: Tree) -> set[int]:
    """The columns of which a mean is taken."""
    if isinstance(tree, Grouped):
        return {m.col.index for m in tree.measures if m.fn == "mean" and m.col is not None}
    mean = isinstance(tree, Agg) and tree.fn == "mean" and tree.col is not None
    return {tree.col.index} if mean else set()  # type: ignore[union-attr]
