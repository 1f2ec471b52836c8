"""Which words of a question name the rows of a table: its nouns, its key, its verbs.

Takes a question and a table; gives masks of words.
"""

from __future__ import annotations

from collections.abc import Iterator

from retrieval.kept import kept
from retrieval.table import TEMPORAL, Kind
from sql_engine.catalog import CatalogTable
from sql_engine.deeds import deed
from sql_engine.offline.columns import table_data
from sql_engine.offline.foreign import foreign_nouns
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import Question
from sql_engine.offline.table_words import (
    IDENTIFIERS,
    bare_stems,
    names_each_row,
    singular,
    table_nouns,
    table_words,
    unique,
    without_unit,
)
from sql_engine.value_index import value_index
from sql_engine.words import folded_words, name_words, split_name, stem

_HELPING = frozenset(["did", "do", "does", "didn't", "don't", "doesn't"])
DENIED_WITHIN = 3
"""Words from a "not" to the verb that it denies: "have not yet been borrowed"."""
_IN_TIME = ("first", "last", "superlative")
"""Operators under which a verb names the date: "who joined first"."""
_OF_PEOPLE = frozenset(
    map(stem, ["salary", "surname", "hire", "employee", "emp", "payroll", "wage", "boss"])
)
"""Stems of headers that tell something of people alone."""


def deed_words(question: Question, table: CatalogTable) -> tuple[int, int]:
    """Masks of the verbs for the table's rows: of those that are said, and of those denied."""
    nouns = table_nouns(table)
    heads = {w for c in table.columns for w in folded_words(" ".join(split_name(c.name)))}
    stems = set(map(stem, heads))
    verbs = {verb for noun in nouns for verb in _verbs_of(noun)} - nouns - stems
    mask = _done_to_all(question, table)
    for i, word in enumerate(question.words):
        told = word.stem in nouns and word.folded not in heads
        participle = told and _is_participle(question, i, nouns)
        if participle or (word.stem in verbs and _is_verb(question, i)):
            mask |= 1 << i
    ends = [negation.last for negation in question.of("negation")]
    places = (i for i in range(len(question.words)) if mask >> i & 1)
    denied = sum(1 << i for i in places if any(0 < i - end <= DENIED_WITHIN for end in ends))
    return mask & ~denied, denied


def _verbs_of(noun: str) -> Iterator[str]:
    """The stems of the verbs that a noun is derived from: to rent of "rental"."""
    for ending in _OF_VERBS:
        verb = noun.removesuffix(ending)
        if verb != noun and len(verb) >= SHORTEST_VERB:
            yield stem(verb)


_OF_VERBS = ("al", "ment", "ation", "ion", "y", "i")
SHORTEST_VERB = 3


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


def measures_said(question: Question, table: CatalogTable) -> int:
    """Mask of the words that are the whole name of an amount: they ask for it, though the table may
    be called so as well: "turnout" in a table "Turnout by ward".
    """
    amounts = {
        stems[0]
        for i, column in enumerate(table_data(table).columns)
        if column.amount and not (i == table.table.key or column.numbers_rows)
        if len(stems := bare_stems(column.name)) == 1
    }
    return sum(1 << i for i, word in enumerate(question.words) if word.stem in amounts)


def numbers_said(question: Question, table: CatalogTable, measures: int) -> int:
    """Mask of the measures that are said as their column is called: "launches" of a column
    "Launches" tells how many, "turnout" how much; "payments" are those the table is called by,
    beside a column "Payment".
    """
    heads = {word for column in table.columns for word in folded_words(without_unit(column.name))}
    words = enumerate(question.words)
    return measures & sum(1 << i for i, word in words if word.folded in heads)


def words_of_name(question: Question, table: CatalogTable) -> int:
    """Mask of the table's whole name, where that is several words: the x of "sales x" is no cell of
    the table "sales_x".
    """
    name = list(folded_words(" ".join(split_name(table.name))))
    said, count = [word.folded for word in question.words], len(name)
    starts = range(len(said) - count + 1) if count > 1 else ()
    return sum(((1 << count) - 1) << i for i in starts if said[i : i + count] == name)


def row_words(question: Question, table: CatalogTable) -> tuple[int, int]:
    """Masks of the words for the rows, and of those of the table's own name."""
    known = lexicon()
    nouns, names = table_nouns(table), _row_names(table)
    literal = set(map(singular, table_words(table)))
    keys = _key_words(table)
    people = known.people if _about_people(table) else frozenset()
    rows = named = 0
    for i, word in enumerate(question.words):
        if word.folded in known.participles or _is_participle(question, i, nouns):
            continue
        if _is_part_of_compound(question, i):
            continue
        general = word.stem in known.rows and singular(word.folded) not in literal
        if word.stem in names and not general:
            named |= 1 << i
        if word.stem in names | keys | known.rows | people:
            rows |= 1 << i
    document = _of_document(question, table)
    document &= ~sum(1 << i for i, w in enumerate(question.words) if w.stem in nouns - names)
    return rows, named | _years_said(question, table, nouns) | document


@kept
def _row_names(table: CatalogTable) -> frozenset[str]:
    """The stems of what the table's name and title call its rows, in other words too."""
    known = lexicon()
    names = {n for n in table_nouns(table) if not n.isdigit()}
    titled = set(map(stem, folded_words(table.table.title))) & names
    own = titled or names  # the sheet "Suppliers" of a file "Purchasing" has no orders
    names |= {s for n in own for s in known.synonyms.get(n, ())} - known.money_asked
    names |= {s for n in own for s in known.collections.get(n, ())} | foreign_nouns(table)
    return frozenset(names - _of_some_rows(table, names))


def _of_some_rows(table: CatalogTable, names: set[str]) -> set[str]:
    """Of the table's nouns, those told beside another with an "and" that some cells alone have: the
    bivouacs of "Huts and bivouacs" are not all rows.
    """
    said = folded_words(" ".join((*split_name(table.name), table.table.title)))
    joined = {i + step for i, word in enumerate(said) if word in _AND for step in (-1, 1)}
    nouns = {stem(said[i]) for i in joined if 0 <= i < len(said)} & names
    nouns -= {s for column in table.columns for s in name_words(column.name)}
    texts = [c.source for c in table.columns if c.kind is Kind.TEXT] if nouns else []
    return {
        noun
        for noun in nouns
        if any(0 < len(value_index(s).holding(noun)) < len(s.texts) for s in texts)
    }


_AND = frozenset(["and", "und", "et", "y", "e"])


def _is_part_of_compound(question: Question, place: int) -> bool:
    """Whether a hyphen goes on from a word: a "runner-up" is none of the runners."""
    after = question.text[question.words[place].end :][:2]
    return len(after) == 2 and after[0] == "-" and after[1].isalpha()


def _of_document(question: Question, table: CatalogTable) -> int:
    """Mask of the words that the headings above the table, or its document's name, say."""
    said = " ".join((*table.table.heading_path, table.table.document_words))
    names = {stem(word) for word in folded_words(said) if word.isalpha()} - lexicon().function
    heads = {w for column in table.columns for w in name_words(column.name)}
    words = (i for i, w in enumerate(question.words) if question.content >> i & 1)
    return sum(1 << i for i in words if question.words[i].stem in names - heads)


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
        named = name & IDENTIFIERS and len(name) > 1
        if (named or column.identifier) and column.encoded().unique:
            found |= name - IDENTIFIERS
    return found


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
        if column.kind is Kind.TEXT and names_each_row(table, i)
    )
    return any(set(name_words(column.name)) & who for column in keyed)


def _repeats_people(table: CatalogTable, column: int) -> bool:
    """Whether a column says who in every row, and the same several times."""
    known = lexicon().people | lexicon().who
    says = name_words(table.columns[column].name)
    who = len(says) == 1 and says[0] in known and table.columns[column].kind is Kind.TEXT
    return who and not unique(table, column)
