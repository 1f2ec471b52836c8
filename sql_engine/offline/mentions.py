"""What the words of a question may mean in one table: its columns, its cells, its rows.

Takes a `Question` and a table; gives `Mentions`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from rapidfuzz import fuzz

from retrieval.table import NUMERIC, TEMPORAL, Kind
from retrieval.word_forms import DENYING
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.deeds import deed
from sql_engine.offline.columns import table_data
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.opposites import opposites
from sql_engine.offline.question import ColumnMention, Mention, Question, ValueMention
from sql_engine.offline.relation import Relation
from sql_engine.offline.value_mentions import value_mentions, veiled_values
from sql_engine.value_index import text_stems
from sql_engine.words import Word, fold, folded_words, name_words, split_name, stem

MANNER = 0.8
"""How well "how old" names a column of ages."""
FLOW = 0.8
"""How well "turnover" names a column of amounts."""
OTHER_FORM = 0.8
"""How well a noun names a column that is called by its participle."""
WHOLE_NAME = 0.95
"""Score from which words are the whole name of a column."""
AS_WRITTEN = 1.0
"""The score of words that are a whole cell with the same endings."""
LABEL_SCORE = 0.72
"""How well the name of a joined table names the column that labels its rows."""


@dataclass(frozen=True)
class Mentions:
    """Everything the question may say about one table."""

    columns: tuple[ColumnMention, ...]
    values: tuple[ValueMention, ...]
    rows: int
    """Mask of the words that name the rows of this table: "orders", "records"."""
    table_words: int = 0
    """Mask of the words of the table's own name."""
    veiled: int = 0
    """Mask of the small words that stand where a cell would, and are one but for their case."""
    deeds: int = 0
    """Mask of the verbs that say no more than the table's own noun: "booked" of bookings."""
    undone: int = 0
    """Mask of such verbs that are denied: "never booked" is of no bookings."""
    twofold: int = 0
    """Mask of the words that name the table, and a column of names that repeat: "patients"."""
    opposed: tuple[ValueMention, ...] = ()
    """Cells that say the opposite of a word, which no cell says: "unsold" of "sold"."""


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
    named = veiled = twofold = 0
    deeds = done
    for each in found:
        named |= each.table_words
        veiled |= each.veiled
        deeds |= each.deeds
        twofold |= each.twofold
    return Mentions(
        tuple(columns),
        tuple(values),
        found[0].rows,
        named,
        veiled,
        deeds,
        twofold=twofold,
        opposed=tuple(opposed),
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


_TAKING_PART = frozenset(["who", "whom", "what"])
COUNT_SCORE = 0.9
"""How well the name of a table names the count of its rows."""


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


_ARTICLES = frozenset(["a", "an", "the"])
_OWNING = frozenset(["with", "without", "have", "has", "had", "of", "any", "no", "most", "fewest"])


def _is_ranked_itself(question: Question, first: int) -> bool:
    """Whether a superlative or "last" stands right before the noun: "the largest city" is one of
    the cities, whose number it does not rank.
    """
    return any(t.last + 1 == first for t in question.of("superlative", "first", "last"))


def label_column(table: CatalogTable) -> int | None:
    """The column that says what each row is called: a name or title, else its first text."""
    columns = enumerate(table.columns)
    texts = [i for i, c in columns if c.kind is Kind.TEXT and not c.as_text]
    for i in texts:
        if {"name", "titl"} & set(name_words(table.columns[i].name)):
            return i
    return texts[0] if texts else None


def mentions(question: Question, table: CatalogTable) -> Mentions:
    """What the question may say about one table."""
    columns = tuple(_column_mentions(question, table))
    columns += tuple(_flow_mentions(question, table, columns))
    values = tuple(value_mentions(question, table, _said_columns(columns)))
    rows, named = _row_words(question, table)
    rows |= _key_said(question, table, columns)
    twofold = rows & _repeating(table, columns)
    measures = _measures_said(question, table)
    rows &= ~(twofold | measures)
    named &= ~_numbers_said(question, table, measures)
    values = tuple(v for v in values if not _only_like(v, rows, columns))
    called = _called(question, table)
    values = tuple(v for v in values if v.mask & ~called)
    rows, named = rows | called, named | called
    columns = tuple(m for m in columns if not _better_named(m, columns))
    columns = tuple(m for m in columns if not _cell_instead(question, table, m, values))
    columns = tuple(m for m in columns if not _told_elsewhere(m, columns, table))
    light = question.light
    times = {i for i, column in enumerate(table.columns) if column.kind in TEMPORAL}
    columns = tuple(
        _unless_small(
            _unless_small(m, rows, 0.5),
            light & ~question.date_words if m.column in times else light,
            0.65,
        )
        for m in columns
    )
    serial = {i for i, column in enumerate(table_data(table).columns) if column.identifier}
    columns = tuple(
        replace(m, score=m.score * 0.4) if m.column in serial and not m.mask & ~rows else m
        for m in columns
    )
    columns += tuple(_names_for_keys(table, columns, rows))
    veiled = veiled_values(question, table)
    deeds, undone = _deeds(question, table)
    if any(_spelt_otherwise(question, value) for value in values):
        deeds = 0  # a name that is read as another, beside a verb that is none: too much of a guess
    opposed = tuple(opposites(question, table))
    return Mentions(columns, values, rows, named, veiled, deeds, undone, twofold, opposed)


def _only_like(value: ValueMention, rows: int, columns: Iterable[ColumnMention]) -> bool:
    """Whether words that are no cell as they stand name the rows, or are the word of a header:
    "bookings" is no channel "Bookly", "serviced" no state "In service" beside "Last service".
    """
    if not value.mask & ~rows:
        return value.score < AS_WRITTEN
    return not value.exact and any(not value.mask & ~column.mask for column in columns)


def _names_for_keys(
    table: CatalogTable, columns: Iterable[ColumnMention], rows: int
) -> Iterator[ColumnMention]:
    """The name of a thing, where its noun is but a part of its key's name: "which member" asks for
    no "Member ID".
    """
    label = label_column(table)
    if label is None or not {"name", "titl"} & set(name_words(table.columns[label].name)):
        return
    if not _unique(table, label):
        return
    for mention in columns:
        part = mention.score < WHOLE_NAME and not mention.mask & ~rows
        if part and mention.column != label and _unique(table, mention.column):
            yield ColumnMention(mention.first, mention.last, label, LABEL_SCORE)


def _spelt_otherwise(question: Question, value: ValueMention) -> bool:
    """Whether a word of a cell is taken for a misspelling."""
    held = {stem for text in value.texts for stem in text_stems(text)}
    said = (w for i, w in enumerate(question.words) if (value.mask & question.content) >> i & 1)
    return any(word.stem not in held for word in said)


def _deeds(question: Question, table: CatalogTable) -> tuple[int, int]:
    """Masks of the verbs for the table's rows: of those that are said, and of those denied."""
    nouns = _table_nouns(table)
    heads = {w for c in table.columns for w in folded_words(" ".join(split_name(c.name)))}
    mask = 0
    for i, word in enumerate(question.words):
        told = word.stem in nouns and word.folded not in heads
        if told and _is_participle(question, i, nouns):
            mask |= 1 << i
    ends = [negation.last for negation in question.of("negation")]
    done = _done_to_all(question, table)
    places = (i for i in range(len(question.words)) if done >> i & 1)
    denied = sum(1 << i for i in places if any(0 < i - end <= DENIED_WITHIN for end in ends))
    return (mask | done) & ~denied, denied


def _done_to_all(question: Question, table: CatalogTable) -> int:
    """Mask of the verbs whose date every row has: to have borrowed is to be in a row of loans, by
    their column "Borrowed". Where a time is asked for or told, the date is meant itself.
    """
    if question.periods or question.date_words or question.of(*_IN_TIME):
        return 0
    verbs = {deed(column) for column in table.columns}
    said = (i for i, word in enumerate(question.words) if word.stem in verbs - {""})
    return sum(1 << i for i in said if _is_verb(question, i))


def _is_verb(question: Question, place: int) -> bool:
    """Whether a word is a verb: a participle, or after a "did"; an "open" call is no opening."""
    before = {word.folded for word in question.words[:place]}
    return question.words[place].folded.endswith("ed") or bool(before & _HELPING)


_HELPING = frozenset(["did", "do", "does", "didn't", "don't", "doesn't"])
DENIED_WITHIN = 3
"""Words from a "not" to the verb that it denies: "have not yet been borrowed"."""
_IN_TIME = ("first", "last", "superlative")
"""Operators under which a verb names the date: "who joined first"."""


def _repeating(table: CatalogTable, columns: Iterable[ColumnMention]) -> int:
    """Mask of the words that are the whole name of a column whose texts or numbers repeat."""
    mask, data = 0, table_data(table).columns
    for mention in columns:
        column = data[mention.column]
        if mention.score >= WHOLE_NAME and (column.kind is Kind.TEXT or column.identifier):
            mask |= 0 if _unique(table, mention.column) else mention.mask
    return mask


def _measures_said(question: Question, table: CatalogTable) -> int:
    """Mask of the words that are the whole name of an amount: they ask for it, though the table may
    be called so as well: "turnout" in a table "Turnout by ward".
    """
    amounts = {
        stems[0]
        for i, column in enumerate(table_data(table).columns)
        if column.amount and not (i == table.table.key or column.numbers_rows)
        if len(stems := _bare_stems(column.name)) == 1
    }
    return sum(1 << i for i, word in enumerate(question.words) if word.stem in amounts)


def _numbers_said(question: Question, table: CatalogTable, measures: int) -> int:
    """Mask of the measures that are called by a plural: a column "Launches" tells how many there
    were, one called "Payment" may tell of each of the payments that the table is called by.
    """
    heads = {word for column in table.columns for word in folded_words(_plain(column.name))}
    words = enumerate(question.words)
    plurals = (i for i, w in words if w.folded in heads and _singular(w.folded) != w.folded)
    return measures & sum(1 << i for i in plurals)


def _bare_stems(name: str) -> tuple[str, ...]:
    """The stems of a name's words, without its unit: "Turnout %", "Size (sqm)"."""
    return tuple(filter(str.isalnum, name_words(_plain(name))))


def _unique(table: CatalogTable, column: int) -> bool:
    return table_data(table).columns[column].encoded().unique


def _said_columns(columns: Iterable[ColumnMention]) -> int:
    """Mask of the words that are whole column names."""
    mask = 0
    for mention in columns:
        if mention.score >= WHOLE_NAME:
            mask |= mention.mask
    return mask


def _unless_small(mention: ColumnMention, small: int, factor: float) -> ColumnMention:
    """A part of a column name that also names the rows, or says little, hardly names the column."""
    if mention.score >= WHOLE_NAME or mention.mask & ~small:
        return mention
    return replace(mention, score=mention.score * factor)


def _key_said(question: Question, table: CatalogTable, columns: Iterable[ColumnMention]) -> int:
    """Mask of the words that name the column which names each row: "item types"."""
    mask = 0
    for mention in columns:
        if mention.score >= WHOLE_NAME and _names_each_row(table, mention.column):
            mask |= mention.mask
    words = enumerate(question.words)
    return mask & ~sum(1 << i for i, word in words if word.stem in _IDENTIFIERS)


def _names_each_row(table: CatalogTable, column: int) -> bool:
    """Whether it is the key, numbers the rows one by one ("Lot", no "Goals"), or is among the first
    texts, no two the same.
    """
    head = fold(table.columns[column].name)
    numbered = table_data(table).columns[column].numbers_rows and _singular(head) == head
    if column == table.table.key or numbered:
        return True
    texts = (i for i, c in enumerate(table.columns) if c.kind is Kind.TEXT and not c.as_text)
    return column in islice(texts, 2) and _unique(table, column)


def _better_named(mention: ColumnMention, columns: Iterable[ColumnMention]) -> bool:
    """Whether the same words are the whole name of another column, and of this one a part."""
    return mention.score < 0.7 and any(
        other.score >= 0.99 and other.column != mention.column and not mention.mask & ~other.mask
        for other in columns
    )


def _told_elsewhere(
    mention: ColumnMention, columns: Iterable[ColumnMention], table: CatalogTable
) -> bool:
    """Whether the words are the last part of a path, and another path that ends so is told whole:
    "plan … in March" is of March > Plan and not of May > Plan.
    """
    path = table.columns[mention.column].source.path
    return len(path) > 1 and any(
        other.column != mention.column
        and other.score >= WHOLE_NAME
        and mention.mask & other.mask == mention.mask != other.mask
        and table.columns[other.column].source.path[-1:] == path[-1:]
        for other in columns
    )


def _cell_instead(
    question: Question, table: CatalogTable, mention: ColumnMention, values: Sequence[ValueMention]
) -> bool:
    """Whether a word that only a synonym ties to the column is a whole cell of another: "open"
    among states, beside a column of hours.
    """
    if mention.first != mention.last:
        return False
    if question.words[mention.first].stem in name_words(table.columns[mention.column].name):
        return False
    return any(v.exact and v.mask == mention.mask and v.column != mention.column for v in values)


def column_stems(table: CatalogTable) -> list[tuple[tuple[str, ...], ...]]:
    """For each column, the ways its name may be said: the whole path, and its last part."""
    ways = []
    bare = Counter(_bare_stems(column.name) for column in table.columns)
    for column in table.columns:
        names = (*column.source.path, column.name)
        options: dict[tuple[str, ...], None] = {}
        plain, alone = _bare_stems(column.name), len(column.source.path) < 2
        if plain and alone and bare[plain] == 1:
            options[plain] = None
        for said in (names, tuple(map(_plain, names))):
            parts = [name_words(part) for part in said]
            joined = tuple(stem for part in parts[:-1] for stem in part)
            options |= dict.fromkeys(p for p in (joined, parts[-2], parts[-1]) if p)
        ways.append(tuple(options))
    return ways


def _plain(name: str) -> str:
    """A name without what stands in brackets after it: "Size (sqm)"."""
    return _BRACKETED.sub("", name) or name


_BRACKETED = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*$")


def _column_mentions(question: Question, table: CatalogTable) -> Iterable[ColumnMention]:
    stems, function = column_stems(table), lexicon().function
    parting = _parting(stems)
    nouns = frozenset(map(_singular, _table_words(table)))
    for index, (column, ways) in enumerate(zip(table.columns, stems, strict=True)):
        best: dict[tuple[int, int], float] = {}
        forms = frozenset(folded_words(" ".join(split_name(column.name))))
        foreign = nouns - frozenset(map(_singular, forms))
        for way in ways:
            for first, last, score in _name_matches(question.words, way, function - parting, forms):
                if first == last and question.words[first].stem in parting:
                    continue
                best[first, last] = max(best.get((first, last), 0.0), score)
        for (first, last), score in best.items():
            if _counts(question.words, first) and first < last:
                first, score = first + 2, min(score, 0.65)
            if first == last:
                word = question.words[first].folded
                if _hardly_names(word, column.name, score) or _singular(word) in foreign:
                    continue
                score = min(score, OTHER_FORM) if _other_form(word, column.name) else score
            yield ColumnMention(first, last, index, score)
        yield from _along_path(question, index, column.source.path)
        yield from _asked_manner(question, index, column)


def _parting(stems: Sequence[tuple[tuple[str, ...], ...]]) -> frozenset[str]:
    """The function words that alone tell columns from each other: "Check-in" and "Check-out"."""
    function = lexicon().function
    wholes: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for ways in filter(None, stems):  # a header of signs alone has no words
        wholes.setdefault(tuple(w for w in ways[0] if w not in function), set()).add(ways[0])
    alike = [said for core, said in wholes.items() if core and len(said) > 1]
    return frozenset(word for said in alike for way in said for word in way) & function


def _other_form(folded: str, name: str) -> bool:
    """Whether the word is the noun of a participle that names a column: "listings", "Listed"."""
    participle = fold(name).endswith("ed")
    return participle and not folded.endswith("ed") and fold(name) != folded


def _asked_manner(question: Question, index: int, column: CatalogColumn) -> Iterable[ColumnMention]:
    """A number that "how old" or "how long" asks for by what its column is called."""
    known, names = lexicon().manner, set(name_words(column.name))
    if column.kind not in NUMERIC:
        return
    for i, word in enumerate(question.words[1:], 1):
        asked = question.words[i - 1].folded == "how"
        if asked and known.get(word.folded, frozenset()) & names:
            yield ColumnMention(i, i, index, MANNER)


def _flow_mentions(
    question: Question, table: CatalogTable, named: Sequence[ColumnMention]
) -> Iterable[ColumnMention]:
    """The amounts that "turnover" or "sales" asks for, where no number is called so."""
    known = lexicon()
    columns = table_data(table).columns
    counted = {trigger.last + 1 for trigger in question.of("count")}
    for i, word in enumerate(question.words):
        if word.folded not in known.money_flows or i in counted:
            continue
        if any(m.mask >> i & 1 and m.score >= FLOW and columns[m.column].amount for m in named):
            continue
        called = known.flow_named
        if word.folded == "sales":
            called |= known.quantities  # of money or of pieces: both are told, and neither is taken
        for index, column in enumerate(columns):
            told = column.amount and not column.intensive
            if told and called & set(name_words(column.name)):
                yield ColumnMention(i, i, index, FLOW)


def _counts(found: Sequence[Word], first: int) -> bool:
    """Whether "number of" begins here: it counts, and is no part of "Invoice number"."""
    return tuple(word.folded for word in found[first : first + 2]) == ("number", "of")


def _along_path(question: Question, index: int, path: tuple[str, ...]) -> Iterable[ColumnMention]:
    """A header of several levels whose levels the question names apart from each other."""
    if len(path) < 2:
        return
    function, mask, said, whole = lexicon().function, 0, 0, 0
    for part in path:
        names = name_words(part)
        whole += len(names)
        found = [m for m in _name_matches(question.words, names, function) if m[2] >= 0.8]
        if found:
            first, last, _ = max(found, key=lambda m: (m[2], m[1] - m[0]))
            mask |= Mention(first, last).mask
            said += len(names)
    if mask.bit_count() >= 2:
        first = (mask & -mask).bit_length() - 1
        yield ColumnMention(first, mask.bit_length() - 1, index, 0.4 + 0.6 * said / whole, mask)


def _hardly_names(folded: str, name: str, score: float) -> bool:
    """A "no" that is half a name, or a participle that is not all of it ("measured_at")."""
    if folded in ("no", "number"):
        return score < 0.95
    whole = folded_words(name) == (folded,)  # also "Paid?"
    others = lexicon().synonyms.get(stem(folded), frozenset())
    whole = whole or (len(words := name_words(name)) == 1 and words[0] in others)
    return folded in lexicon().participles and not whole and "date" not in name.lower()


def _name_matches(
    found: Sequence[Word],
    way: tuple[str, ...],
    function: frozenset[str],
    forms: frozenset[str] = frozenset(),
) -> Iterable[tuple[int, int, float]]:
    """Stretches of the question that say a column name, with how well they do."""
    small = function if not forms else function & forms  # "own" of "Owned by" says much
    names = [stem for stem in way if stem not in small] or list(way)
    likeness = [_best_name(word, names, function, forms) for word in found]
    for i, word in enumerate(found[:-1]):
        if word.folded == "number" and found[i + 1].folded == "of" and likeness[i][1] < 1:
            likeness[i] = (-1, 0.0)
    for i, word in enumerate(found):
        if word.folded in DENYING and not _is_label(found, likeness, i):
            likeness[i] = (-1, 0.0)
    first = 0
    while first < len(found):
        if likeness[first][1] <= 0:
            first += 1
            continue
        last, total = _run(found, likeness, first, function)
        share = total / len(names)
        within = range(first + 1, last + 1) if last - first >= len(names) else ()
        closer = (at for at in within if _is_whole(found, likeness, at, names, function))
        if share >= 0.99 and (nearer := next(closer, None)) is not None:
            first = nearer  # "spent 2024" of "planned 2024 and spent 2024"
            continue
        yield first, last, share if share >= 0.99 else 0.4 + 0.5 * share
        first = last + 1


def _run(
    found: Sequence[Word],
    likeness: Sequence[tuple[int, float]],
    first: int,
    function: frozenset[str],
) -> tuple[int, float]:
    """The last word of the stretch that says parts of a name, and how much of it is said."""
    used, total, last, probe = {likeness[first][0]}, likeness[first][1], first, first + 1
    while probe < len(found) and probe - last <= 2:
        name, score = likeness[probe]
        if score > 0 and name not in used:
            used.add(name)
            total += score
            last = probe
        elif score > 0 or found[probe].folded not in function:
            break
        probe += 1
    return last, total


def _is_whole(
    found: Sequence[Word],
    likeness: Sequence[tuple[int, float]],
    first: int,
    names: Sequence[str],
    function: frozenset[str],
) -> bool:
    """Whether a whole name begins at a word, with nothing in between."""
    if likeness[first][1] <= 0:
        return False
    last, total = _run(found, likeness, first, function)
    return last - first + 1 == len(names) and total >= 0.99 * len(names)


def _is_label(found: Sequence[Word], likeness: Sequence[tuple[int, float]], place: int) -> bool:
    """Whether a word that may deny is a header's: it stands beside the header's other words, and
    what follows is none that it could deny. "Visit no 12", never "visits with no fee".
    """
    names = {name for name, score in likeness if score > 0}
    beside = {likeness[i][0] for i in (place - 1, place + 1) if 0 <= i < len(found)}
    if len(names) > 1 and not beside & (names - {likeness[place][0]}):
        return False
    after = found[place + 1] if place + 1 < len(found) else None
    denies = after is not None and likeness[place + 1][1] <= 0 and not after.folded.isdigit()
    return after is None or not denies or after.folded in lexicon().function


def _best_name(
    word: Word, names: Sequence[str], function: frozenset[str], forms: frozenset[str]
) -> tuple[int, float]:
    best = (-1, 0.0)
    for position, name in enumerate(names):
        score = likeness(word, name)
        if score == 1 and word.stem == name and _is_other_noun(word.folded, name, forms):
            score = 0.0
        if word.folded in function and score < 1:
            score = 0.0
        if score > best[1]:
            best = (position, score)
    return best


def _is_other_noun(folded: str, name: str, forms: frozenset[str]) -> bool:
    """Whether a word is derived from a stem in another way than the header's: "applications"
    are no applicants.
    """
    own = _derivation(folded)
    others = [_derivation(form) for form in forms if stem(form) == name]
    deed = own in _DEEDS and own not in others
    return bool(others) and (deed or (bool(own) and any(o not in ("", own) for o in others)))


def _derivation(folded: str) -> str:
    """The ending that makes a noun of a person or of a deed."""
    singular = folded.removesuffix("s")
    return next((ending for ending in _DERIVED if singular.endswith(ending)), "")


_DEEDS = ("ation", "ition", "ion", "ment")
_DERIVED = ("ation", "ition", "ion", "ment", "ant", "ent", "or", "er", "ee", "ing")


def likeness(word: Word, name: str) -> float:
    """How well a word of the question says a word of a name: 0 to 1."""
    if word.stem == name or word.folded == name:
        return 1.0
    if name in lexicon().synonyms.get(word.stem, ()):
        return 0.8
    if len(word.folded) >= 4 and len(name) >= 4 and not word.folded.isdigit():
        if word.stem.startswith(name) or name.startswith(word.stem):
            return 0.85 if abs(len(name) - len(word.stem)) <= 3 else 0.7
        if len(name) >= 5 and fuzz.ratio(word.stem, name) >= 85:
            return 0.8
    return 0.0


def _called(question: Question, table: CatalogTable) -> int:
    """Mask of the table's whole name, where that is several words: the x of "sales x" is no cell of
    the table "sales_x".
    """
    name = list(folded_words(" ".join(split_name(table.name))))
    said, count = [word.folded for word in question.words], len(name)
    starts = range(len(said) - count + 1) if count > 1 else ()
    return sum(((1 << count) - 1) << i for i in starts if said[i : i + count] == name)


def _row_words(question: Question, table: CatalogTable) -> tuple[int, int]:
    known = lexicon()
    nouns = _table_nouns(table)
    names = {n for n in nouns if not n.isdigit()}
    names |= {s for n in names for s in known.synonyms.get(n, ())} - known.money_asked
    names |= {s for n in names for s in known.collections.get(n, ())}
    literal = set(map(_singular, _table_words(table)))
    keys = _key_words(table)
    people = known.people if _about_people(table) else frozenset()
    rows = named = 0
    for i, word in enumerate(question.words):
        if word.folded in known.participles or _is_participle(question, i, nouns):
            continue
        general = word.stem in known.rows and _singular(word.folded) not in literal
        if word.stem in names and not general:
            named |= 1 << i
        if word.stem in names | keys | known.rows | people:
            rows |= 1 << i
    return rows, named | _years_said(question, table, nouns)


def _table_nouns(table: CatalogTable) -> set[str]:
    """The stems of the table's name and title, without small words."""
    return set(map(stem, _table_words(table)))


def _table_words(table: CatalogTable) -> set[str]:
    """The folded words of the table's name and title, without small words."""
    found = folded_words(" ".join((*split_name(table.name), table.table.title)))
    return set(found) - lexicon().function


def _singular(folded: str) -> str:
    """A noun without the ending of its plural: what it is derived from, it is not."""
    return folded.removesuffix("s") if len(folded) > 3 and not folded.endswith("ss") else folded


def _is_participle(question: Question, place: int, names: set[str]) -> bool:
    """Whether a word has a noun's stem and is none: "elected" in a table of an election."""
    folded = question.words[place].folded
    return (
        folded.endswith("ed")
        and len(folded) > 4
        and folded not in names
        and (question.words[place].stem != folded)
    )


def _years_said(question: Question, table: CatalogTable, names: set[str]) -> int:
    """Mask of a year that the table's own name tells, where no column tells when."""
    if any(column.kind in TEMPORAL or _names_year(column.name) for column in table.columns):
        return 0
    years = {n for n in names if n.isdigit() and len(n) == 4}
    return sum(1 << i for i, word in enumerate(question.words) if word.folded in years)


def _names_year(name: str) -> bool:
    stems = name_words(name)
    return "year" in stems or any(s.isdigit() and len(s) == 4 for s in stems)


def _key_words(table: CatalogTable) -> set[str]:
    """Words of the columns that name each row ("order_id" says the rows are orders)."""
    found: set[str] = set()
    for column in table_data(table).columns[:3]:
        name = set(name_words(column.name))
        named = name & _IDENTIFIERS and len(name) > 1
        if (named or column.identifier) and column.encoded().unique:
            found |= name - _IDENTIFIERS
    return found


_IDENTIFIERS = {"id", "no", "number", "code", "name", "key", "ref", "num", "nr", "#"}


def _about_people(table: CatalogTable) -> bool:
    """Whether the rows are people: the name of the table says so, or what is told of each."""
    people, who = lexicon().people, lexicon().who
    heads = {stem for column in table.columns for stem in name_words(column.name)}
    if any(_repeats_people(table, i) for i in range(len(table.columns))):
        return False
    if set(name_words(table.name)) & people or heads & (_OF_PEOPLE | people):
        return True
    keyed = (
        column
        for i, column in enumerate(table.columns)
        if column.kind is Kind.TEXT and _names_each_row(table, i)
    )
    return any(set(name_words(column.name)) & who for column in keyed)


def _repeats_people(table: CatalogTable, column: int) -> bool:
    """Whether a column says who in every row, and the same several times."""
    known = lexicon().people | lexicon().who
    says = name_words(table.columns[column].name)
    who = len(says) == 1 and says[0] in known and table.columns[column].kind is Kind.TEXT
    return who and not _unique(table, column)


_OF_PEOPLE = frozenset(
    map(stem, ["salary", "surname", "hire", "employee", "emp", "payroll", "wage", "boss"])
)
"""Stems of headers that tell something of people alone."""
