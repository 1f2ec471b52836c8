"""Which columns of a table the words of a question name, and how well.

Takes a question and a table; gives `ColumnMention`s: by the words of a header, its path, or the
manner that is asked for ("how old").
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from rapidfuzz import fuzz

from retrieval.table import NUMERIC, TEMPORAL, Kind
from retrieval.word_forms import DENYING
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.offline.columns import table_data
from sql_engine.offline.foreign import in_english
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.money import holds_money
from sql_engine.offline.question import ColumnMention, Mention, Question
from sql_engine.offline.table_words import (
    IDENTIFIERS,
    bare_stems,
    singular,
    table_nouns,
    table_words,
    without_unit,
)
from sql_engine.words import Word, fold, folded_words, name_words, split_name, stem, words

MANNER = 0.8
"""How well "how old" names a column of ages."""
FLOW = 0.8
"""How well "turnover" names a column of amounts."""
OTHER_FORM = 0.8
"""How well a noun names a column that is called by its participle."""
_DEEDS = ("ation", "ition", "ion", "ment")
_DERIVED = ("ation", "ition", "ion", "ment", "ant", "ent", "or", "er", "ee", "ing")


def column_stems(table: CatalogTable) -> list[tuple[tuple[str, ...], ...]]:
    """For each column, the ways its name may be said: the whole path, and its last part."""
    ways = []
    bare = Counter(bare_stems(column.name) for column in table.columns)
    nouns = table_nouns(table)
    for column in table.columns:
        names = (*column.source.path, column.name)
        options: dict[tuple[str, ...], None] = {}
        plain, alone = bare_stems(column.name), len(column.source.path) < 2
        if plain and alone and bare[plain] == 1:
            options[plain] = None
        if alone and (rest := _without_noun(plain, nouns)) and rest not in bare:
            options[rest] = None
        for said in (names, tuple(map(without_unit, names))):
            parts = [name_words(part) for part in said]
            joined = tuple(stem for part in parts[:-1] for stem in part)
            options |= dict.fromkeys(p for p in (joined, parts[-2], parts[-1]) if p)
        ways.append(tuple(options))
    return ways


def _without_noun(name: tuple[str, ...], nouns: Collection[str]) -> tuple[str, ...]:
    """What a header says beside the noun of its own table: "description" of "section_description"
    in a table of sections. Nothing where it is the key of each, or where the noun says all.
    """
    if len(name) < 2 or name[0] not in nouns:
        return ()
    return () if (IDENTIFIERS - {"name"}) & set(name[1:]) else name[1:]


def column_mentions(question: Question, table: CatalogTable) -> Iterable[ColumnMention]:
    """The columns that words name by their headers, or by how they are asked for."""
    stems, function = column_stems(table), lexicon().function
    parting = _parting(stems)
    singulars = frozenset(map(singular, table_words(table)))
    for index, (column, ways) in enumerate(zip(table.columns, stems, strict=True)):
        best: dict[tuple[int, int], float] = {}
        forms = frozenset(folded_words(" ".join(split_name(column.name))))
        foreign = singulars - frozenset(map(singular, forms))
        for way in ways:
            for first, last, score in _name_matches(question.words, way, function - parting, forms):
                if first == last and question.words[first].stem in parting:
                    continue
                best[first, last] = max(best.get((first, last), 0.0), score)
        denied = _denied(column.name)
        for (first, last), score in best.items():
            if _is_denied(question, Mention(first, last), denied):
                continue  # "members" are no "Non-members"
            if _counts(question.words, first) and first < last:
                first, score = first + 2, min(score, 0.65)
            if first == last:
                word = question.words[first].folded
                if _hardly_names(word, column.name, score) or singular(word) in foreign:
                    continue
                score = min(score, OTHER_FORM) if _other_form(word, column.name) else score
            yield ColumnMention(first, last, index, score)
        along = _along_path(question, index, column.source.path)
        yield from (m for m in along if not _is_denied(question, m, denied))
        yield from _asked_manner(question, index, column)


def _denied(name: str) -> frozenset[str]:
    """The stems that a header denies: "member" of "Non-members"; a "no" before one is a number."""
    said = words(name)
    pairs = itertools.pairwise(said)
    return frozenset(two.stem for one, two in pairs if one.folded in DENYING - {"no"})


def _is_denied(question: Question, mention: Mention, denied: frozenset[str]) -> bool:
    """Whether a question says what a header denies, and does not deny it."""
    asked = question.words
    said = [i for i in range(len(asked)) if mention.mask >> i & 1 and asked[i].stem in denied]
    return any(i == 0 or asked[i - 1].folded not in DENYING for i in said)


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


def flow_mentions(
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
            names = _said_in_english(table, column.name) if told else set()
            if called & names and not known.charged & names:  # no price of one piece
                yield ColumnMention(i, i, index, FLOW)


def amount_mentions(
    question: Question, table: CatalogTable, named: Sequence[ColumnMention]
) -> Iterable[ColumnMention]:
    """The one column of money that "amount" asks for, where nothing is called so."""
    columns = table_data(table).columns
    held = [i for i, column in enumerate(columns) if column.amount and holds_money(column)]
    whole = [i for i in held if not _said_in_english(table, columns[i].name) & lexicon().charged]
    held = whole or held  # the sum of a bill, and none of its prices
    for i, word in enumerate(question.words) if len(held) == 1 else ():
        if word.stem == _AMOUNT and not any(m.mask >> i & 1 and m.score >= FLOW for m in named):
            yield ColumnMention(i, i, held[0], FLOW)


_AMOUNT = stem("amount")


def _said_in_english(table: CatalogTable, header: str) -> set[str]:
    """The stems of a header's words, and of what they say in English."""
    ways = in_english(header, tuple(column.name for column in table.columns))
    return {*name_words(header), *(stem for way in ways for stem in way)}


def agent_mentions(
    question: Question, table: CatalogTable, named: Sequence[ColumnMention]
) -> Iterable[ColumnMention]:
    """The columns of those who do what a verb says: to teach is what an "Instructor" does."""
    known = lexicon()
    doing = {
        index: {name[0], *known.synonyms.get(name[0], ())}
        for index, column in enumerate(table.columns)
        if len(name := bare_stems(column.name)) == 1
        and (name[0] in known.who or _is_told_by(question, column))
    }
    when = {i for i, column in enumerate(table.columns) if column.kind in TEMPORAL}
    asked = _asks_who(question)
    for i, word in enumerate(question.words):
        noun = _derivation(word.folded) or word.folded in known.function
        if noun or any(m.mask >> i & 1 for m in named if not (asked and m.column in when)):
            continue  # "applications" are no applicants
        agents = {stem(word.stem + ending) for ending in _AGENT_ENDINGS}
        for index, names in doing.items():
            if agents & names:
                yield ColumnMention(i, i, index, OTHER_FORM)


def _asks_who(question: Question) -> bool:
    return bool(question.words) and question.words[0].folded in ("who", "whom")


def _is_told_by(question: Question, column: CatalogColumn) -> bool:
    """Whether "who" may be told by a column of texts that is called by what they do: "Brewer"."""
    return _asks_who(question) and column.kind is Kind.TEXT


_AGENT_ENDINGS = ("er", "or", "r")


def _counts(found: Sequence[Word], first: int) -> bool:
    """Whether "number of" begins here: it counts, and is no part of "Invoice number"."""
    return tuple(word.folded for word in found[first : first + 2]) == ("number", "of")


def _along_path(question: Question, index: int, path: tuple[str, ...]) -> Iterable[ColumnMention]:
    """A header of several levels whose levels the question names apart from each other."""
    if len(path) < 2:
        return
    function, mask, said, whole = lexicon().function, 0, 0, 0
    for part in path:
        names = name_words(without_unit(part))
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
