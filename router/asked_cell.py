"""Which cell of a found row the question asks for, where its words name the column well enough.

Takes the question, the table and the row that was found; gives the cell, or None where no column
is named, another is named as well, or its cells cannot be what is asked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from retrieval.cell_choice import CellChoice
from retrieval.cells import is_year
from retrieval.dates import is_calendar_word
from retrieval.hits import RowHit
from retrieval.table import NUMERIC, TEMPORAL, Column, Kind, Table
from router.amounts import numbers_things
from router.coverage import Stems, named_share, names_whole, stems_of, telling_stems, with_synonyms
from router.question_forms import asked_kind
from sql_engine.offline.foreign import in_english
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.unit_words import is_money, tells_how_long
from sql_engine.words import folded_words, name_words, words

SURE_OF_CELL = 0.5
"""Confidence of a cell choice from which a column half named counts."""
HALF_NAMED = 0.5


def asked_cell(
    question: str, table: Table, hit: RowHit, choice: CellChoice | None
) -> CellChoice | None:
    """The cell asked for, where the question's words name its column well enough.

    Args:
        question: as asked.
        table: of the row.
        hit: the row.
        choice: its likeliest cell, named or not.
    """
    asked = with_synonyms(stems_of([question]))
    spent = _spent_headers(question, table, hit)
    if choice is not None and choice.header not in spent:
        share = max(named_share(choice.header, asked), _told_share(table, choice.column, asked))
        sure = choice.confidence >= SURE_OF_CELL
        if share == 1.0 or (share >= HALF_NAMED and sure):
            if not _fits_in(question, table, choice.column):
                return _priced(question, table, hit, asked)
            if _one_of_several_amounts(question, table, choice.column):
                return None
            return None if _another_is_named(question, table, hit, choice.header) else choice
    found = _implied(question, table, hit, spent)
    if (
        found is None
        or not _fits_in(question, table, found.column)
        or _one_of_several_amounts(question, table, found.column)
        or _another_is_named(question, table, hit, found.header)
    ):
        return None
    return found


def _fits_in(question: str, table: Table, index: int) -> bool:
    """Whether a column of a table can be what is asked for; no number of a row says how long."""
    column = table.columns[index]
    if _is_deed_of_rows(question, column.name):
        return False
    if asked_kind(question) == "how long" and numbers_things(column, key=index == table.key):
        return False
    return fits(question, column)


def _is_deed_of_rows(question: str, header: str) -> bool:
    """Whether "which hires" asks for the rows, and a header that is a participle, "Hired by", only
    tells something of them.
    """
    asked, named = words(question)[:2], words(header)
    if len(asked) < 2 or asked[0].folded not in ("which", "what"):
        return False
    noun = asked[1]
    done = any(word.stem == noun.stem and word.folded.endswith("ed") for word in named)
    return done and noun.folded.endswith("s") and not noun.folded.endswith("ss")


def years(cells: Iterable[object]) -> bool:
    """Whether cells may be years: 2019, "1998"."""
    return all(is_year(str(cell)) for cell in cells)


def fits(question: str, column: Column) -> bool:
    """Whether a column's cells can be what is asked for: a date is no person, place or reason, no
    number but a year is a time, and yes or no is none of these.
    """
    kind = asked_kind(question)
    if column.type.kind is Kind.BOOLEAN and (kind or _NAME_OF.search(question)):
        return False
    if kind in ("who", "whom") and _is_object(question, column.name):
        return False
    if kind == "when":
        return column.type.kind not in NUMERIC or years(column.texts)
    if kind == "where" and tells_days(column.texts):
        return False
    if kind == "how":
        return column.type.kind not in TEMPORAL
    if kind == "what time":
        return tells_clock(column.type.kind, column.texts)
    if kind == "how much":
        timed = column.type.kind in TEMPORAL or column.type.kind is Kind.BOOLEAN
        return not timed and not tells_how_long(column.type.unit)
    if kind == "how long" and column.type.kind is Kind.TEXT:
        return any(map(str.isdigit, "".join(column.texts[:SEEN_TEXTS])))
    if kind in ("how long", "how often"):
        return column.type.kind not in (Kind.DATE, Kind.TIMESTAMP, Kind.BOOLEAN)
    return not kind or column.type.kind not in NUMERIC | TEMPORAL


def tells_days(texts: Sequence[str]) -> bool:
    """Whether texts are of nothing but days: "Wednesday", "Mon, Wed"."""
    said = [word for text in texts[:SEEN_TEXTS] for word in folded_words(text)]
    return bool(said) and all(map(is_calendar_word, said))


def _is_object(question: str, header: str) -> bool:
    """Whether a header is what something is done to, and nobody who does it: the bike of "who lost
    a bike", no coach of "who is the coach" and "who coached Leeds".
    """
    said, stems, known = words(question), stems_of([header]), lexicon()
    if len(said) < 3 or said[1].folded in _BEING or stems & (known.who | known.people | {"name"}):
        return False
    return said[1].stem not in stems and any(word.stem in stems for word in said[2:])


_NAME_OF = re.compile(r"(?:['\u2019]s|s['\u2019]|\b(?:what|which|the)) names?\b", re.IGNORECASE)
_BEING = frozenset(["is", "are", "was", "were", "has", "have", "does", "do", "did", "else"])


def tells_clock(kind: Kind, texts: Sequence[str]) -> bool:
    """Whether a column tells a time of day: times, time stamps, texts such as "9:00 to 17:30"."""
    told = kind in (Kind.TIME, Kind.TIMESTAMP)
    return told or (kind is Kind.TEXT and any(map(_CLOCK.search, texts[:SEEN_TEXTS])))


SEEN_TEXTS = 200
"""Texts of a column that are looked at for a time of day."""
_CLOCK = re.compile(r"\b\d{1,2}(?:[:.h]\d{2}|\s?[ap]\.?m\b)|\b(?:noon|midnight)\b", re.IGNORECASE)


def _one_of_several_amounts(question: str, table: Table, chosen: int) -> bool:
    """Whether "cost" or "paid" alone asks for one of several amounts of money: the price of a piece
    or that of all.
    """
    plain, known = stems_of([question]), lexicon()
    if not known.money_asked & plain or named_share(table.columns[chosen].name, plain) > 0:
        return False
    amounts = [
        i
        for i, column in enumerate(table.columns)
        if column.type.kind in NUMERIC and set(name_words(column.name)) & known.money_named
    ]
    return chosen in amounts and len(amounts) > 1


def _priced(question: str, table: Table, hit: RowHit, asked: Stems) -> CellChoice | None:
    """The one amount of money half named, where "how much is" is no length of time."""
    if asked_kind(question) != "how much":
        return None
    priced = [
        i
        for i, column in enumerate(table.columns)
        if is_money(column.type.unit) and named_share(column.name, asked) >= HALF_NAMED
    ]
    if len(priced) != 1:
        return None
    column = table.columns[priced[0]]
    return CellChoice(priced[0], column.name, column.text_at(hit.row_position), SURE_OF_CELL)


def _implied(question: str, table: Table, hit: RowHit, spent: frozenset[str]) -> CellChoice | None:
    """The one cell beside those that name the row whose column the words left over speak of."""
    naming = {column.name for column in named_columns(table, hit)}
    free = [(i, c.name) for i, c in enumerate(table.columns) if c.name not in naming | spent]
    plain = stems_of([question])
    told = [i for i, name in free if named_share(name, plain) == 1.0]
    left = with_synonyms(stems_of(hit.coverage.missing_words))
    implied = told or [i for i, name in free if left & stems_of([name])]
    if len(implied) != 1:
        return None
    column = table.columns[implied[0]]
    return CellChoice(implied[0], column.name, column.text_at(hit.row_position), SURE_OF_CELL)


def _spent_headers(question: str, table: Table, hit: RowHit) -> frozenset[str]:
    """Headers all of whose words the question needs to name a column that tells the row.

    "Which team had an away team score of 7?" has "away" once, and that for the score.
    """
    asked = Counter(name_words(question))
    used: Counter[str] = Counter()
    for column in named_columns(table, hit):
        header = name_words(column.name)
        if len(header) > 1 and all(asked[stem] for stem in header):
            used.update(header)
    left = asked - used
    return frozenset(
        column.name
        for column in table.columns
        if (stems := set(name_words(column.name))) & set(used) and not stems & set(left)
    )


def _told_share(table: Table, column: int, asked: Stems) -> float:
    """The share named of the header's words that no other header has ("2018" of a row of years)."""
    others = stems_of(c.name for i, c in enumerate(table.columns) if i != column)
    own = telling_stems(table.columns[column].name) - others
    return len(own & asked) / len(own) if own else 0.0


def names_column(question: str, table: Table, hit: RowHit, name: str) -> bool:
    """Whether the question names a column of a found row well enough, and no other beside it."""
    said = with_synonyms(stems_of([question])) | _of_manner(question) | _of_doers(question, name)
    translated = any(said.issuperset(way) for way in in_english(name, table.headers))
    named = translated or named_share(name, said) >= HALF_NAMED
    return named and not _another_is_named(question, table, hit, name)


def _of_manner(question: str) -> frozenset[str]:
    """Stems of the columns that "how tall" or "how long" asks for; a year is not how old."""
    known, asked = lexicon().manner, folded_words(question)
    told = (word for how, word in pairwise(asked) if how == "how" and word != "old")
    return frozenset(stem for word in told for stem in known.get(word, ()))


def _of_doers(question: str, name: str) -> frozenset[str]:
    """Stems of a name that say who does what a verb of the question says: the "Conductor" of "who
    conducted it".
    """
    return frozenset(_doers_of_verbs(question, name).values())


def _doers_of_verbs(question: str, name: str) -> dict[str, str]:
    """Each verb of the question with the noun in a name that says who does it."""
    asked = [one for one in stems_of([question]) if len(one) >= LEAST_OF_A_VERB]
    return {
        verb: noun
        for noun in stems_of([name])
        for verb in asked
        if noun in {f"{verb}{ending}" for ending in _DOERS}
    }


LEAST_OF_A_VERB = 4
"""Letters of the stem of a verb that a noun for who does it is made of."""
_DOERS = ("or", "er", "r", "ist")


def _another_is_named(question: str, table: Table, hit: RowHit, name: str) -> bool:
    """Whether the question has a word of another column that neither this one nor the table has."""
    around = stems_of([table.title, table.name, hit.document, *table.heading_path])
    around |= stems_of(hit.coverage.cell_words)
    around |= stems_of(column.name for column in named_columns(table, hit))
    chosen = with_synonyms(stems_of([name]))
    chosen |= frozenset(stem for way in in_english(name, table.headers) for stem in way)
    left = telling_stems(question) - around - chosen - _doers_of_verbs(question, name).keys()
    others = stems_of(column.name for column in table.columns if column.name != name)
    return bool(with_synonyms(left) & others)


def named_columns(table: Table, hit: RowHit) -> list[Column]:
    """Columns whose cell in the row the question names whole, in the plural as well."""
    asked, named = hit.coverage.cell_words, dict(hit.named)
    return [
        column
        for column in table.columns
        if column.name in named or names_whole(asked, column.text_at(hit.row_position))
    ]
