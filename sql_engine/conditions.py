"""Conditions of the question that the SQL lacks.

Takes the question with its links and the query's tree; gives `Problem`s. A value in the question
counts as kept when any literal or name of the SQL says it, in whatever form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.word_forms import MONTH_OF
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.checks import Problem, is_one_cell
from sql_engine.deeds import deed
from sql_engine.links import ColumnLink, Links, TableLink, ValueLink
from sql_engine.magnitudes import scales_in
from sql_engine.name_stems import content_stems, stems, words
from sql_engine.offline.lexicon import lexicon
from sql_engine.prompt import sql_literal
from sql_engine.result import Result
from sql_engine.sql_names import quote
from sql_engine.sql_tree import SqlTree
from sql_engine.years_over_two import YearOverTwo, years_over_two

if TYPE_CHECKING:
    pass

_SURE_LINK = 0.9
_NEAREST = 3
_SAME_WORD = 58.0
"""Similarity of two words, of 100, from which one may be a form of the other."""
_STEM_CHARS = 4
_VAGUE = stems("id key code number name title first last total average sum count date year type")
"""What names a column or an operation, and says as much without one."""
_PROPER = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b"
)
_DATE_PHRASE = re.compile(
    rf"(?<![\w-])(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?P<month>{_MONTH.pattern})\.?"
    r"(?:\s+\d{1,2}(?:st|nd|rd|th)?\b)?(?:,?\s+\d{4})?"
)
_WEEKDAY = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b", re.IGNORECASE)
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|(?<!\w)'([^'\n]+)'(?!\w)")
_PART_OF_TEXT = re.compile(
    r"\b(?:word|substring|phrase|string) (?:the )?(?!(?:in|of|or|and|is|that|which|for)\b)(\w+)",
    re.IGNORECASE,
)
"""The "oak" of "whose name has the word oak"."""
_NUMBER = re.compile(r"(?<![\w.,-])-?\d[\d,]*(?:\.\d+)?(?![\w]|[.,]\d)")
_COUNTED_ONE = re.compile(
    r"\b(?:more than|less than|fewer than|exactly|no more than|just|only|over) (?:one|once)\b",
    re.IGNORECASE,
)
"""Where "one" is a number to compare with, and no pronoun."""
_NUMBER_WORDS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twice": 2,
}


_OPERATIONS = {
    "a count": re.compile(r"\bhow many\b", re.IGNORECASE),
    "a total": re.compile(r"\b(total|sum)\b", re.IGNORECASE),
    "an average": re.compile(r"\b(average|mean)\b", re.IGNORECASE),
}


@dataclass(frozen=True)
class _Said:
    """What a query says: its literals, and the names of its tables, columns and outputs."""

    texts: frozenset[str]
    numbers: frozenset[float]
    names: frozenset[str]
    """Stems."""
    columns: frozenset[tuple[str, str]]
    """Case-folded table and column names."""
    exact: frozenset[float] = frozenset()
    """Numbers that are no bound: how many rows a LIMIT keeps, what a column equals."""

    def holds_text(self, text: str) -> bool:
        """Whether a literal says the text, or as much of it as makes whole words."""
        folded, own = _run_together(text), set(words(text))
        return any(
            _run_together(said) == folded or _within(own, set(words(said))) for said in self.texts
        )

    def holds_names(self, text: str) -> bool:
        """Whether the names say every word of the text."""
        return stems(text) <= self.names

    def names_end_in(self, stem: str) -> bool:
        """Whether a name is the stem, or is run together of words of which it is the last: the rows
        of "portvisit" are visits.
        """
        long = len(stem) >= _STEM_CHARS
        return stem in self.names or (long and any(name.endswith(stem) for name in self.names))

    def holds_number(self, number: float) -> bool:
        """Whether a literal is the number, the same as a share or percentage, or a bound beside it
        ("more than 2" is ">= 3"); or whether a text or name says it.
        """
        near = (number, number / 100, number * 100, number - 1, number + 1, -number)
        written = f"{number:g}"
        return (
            any(value in self.exact for value in (number, number / 100, number * 100, -number))
            or any(value in self.numbers for value in near)
            or written in self.names
            or any(re.search(rf"(?<!\d){re.escape(written)}(?!\d)", text) for text in self.texts)
        )

    def names_year(self, year: YearOverTwo) -> bool:
        """Whether a name says a year over two, in full or short."""
        firsts = {f"{century}{year.first:02d}" for century in ("", "19", "20")}
        return bool(firsts & self.names) and f"{year.second:02d}" in self.names

    def holds_form_of(self, word: str, *, loosely: bool = False) -> bool:
        """Whether a text or name holds a word that this one goes on from (independence, indep), or
        is a part of; `loosely` also one that is merely alike (French, France).
        """
        from rapidfuzz import fuzz

        folded = word.casefold()
        known = {part for text in self.texts for part in words(text)} | self.names
        if any(len(other) >= _STEM_CHARS and folded.startswith(other) for other in known):
            return True
        if len(folded) >= _STEM_CHARS and any(folded in _run_together(t) for t in self.texts):
            return True
        return loosely and any(fuzz.ratio(folded, other) >= _SAME_WORD for other in known)


def _run_together(text: str) -> str:
    return "".join(text.split()).casefold()


def _within(one: set[str], other: set[str]) -> bool:
    return bool(one and other) and (one <= other or other <= one)


def dropped_conditions(question: str, links: Links, tree: SqlTree) -> Iterator[Problem]:
    """A problem for each value or number of the question that the SQL does not say."""
    said = _said(tree)
    queried = {table.name for table in tree.tables}
    missing = [
        *_missing_values(question, links, said, queried),
        *_missing_quotes(question, said),
        *_missing_numbers(question, links, said),
        *_missing_months(question, said),
        *_missing_columns(question, links, said, queried),
        *_missing_proper_nouns(question, links, said),
    ]
    told: list[str] = []
    for phrase, advice in missing:
        if any(phrase.strip("'") in other or other.strip("'") in phrase for other in told):
            continue
        told.append(phrase)
        yield Problem(
            "dropped_condition",
            f"the question says {phrase}, the query does not",
            f"the query leaves out a condition of the question: {advice}",
        )


def missing_operation(question: str, tree: SqlTree, result: Result) -> Iterator[Problem]:
    """A problem where the question asks for a count, total or average, and the query neither
    aggregates nor gives one number.
    """
    from sqlglot import exp

    if tree.root.find(exp.AggFunc, exp.Window) is not None or is_one_cell(result):
        return
    names = frozenset(stem for column in result.columns for stem in stems(column))
    for operation, pattern in _OPERATIONS.items():
        said = pattern.search(question)
        if said and not stems(said[0]) & names and not _gives_number(operation, result):
            yield Problem(
                "missing_operation",
                f"the question asks for {operation}, the query computes none",
                f"the question asks for {operation}: aggregate over the rows",
            )


def _gives_number(operation: str, result: Result) -> bool:
    """Whether a count may be a column of its own: "how many seats has each boat?"."""
    return operation == "a count" and any(not kind.startswith("VARCHAR") for kind in result.types)


def _said(tree: SqlTree) -> _Said:
    from sqlglot import exp

    literals = list(tree.root.find_all(exp.Literal))
    texts = {str(one.this).strip("%").casefold() for one in literals if one.is_string}
    read = [(one, number) for one in literals if (number := _number(str(one.this))) is not None]
    equal = (exp.Limit, exp.Fetch, exp.EQ, exp.In)
    exact = {number for one, number in read if isinstance(one.parent, equal)}
    numbers = {number for one, number in read if not isinstance(one.parent, equal)}
    named = {node.name for node in tree.root.find_all(exp.Column, exp.Table)}
    named |= {alias.alias for alias in tree.root.find_all(exp.Alias)}
    named |= {column.name for _, _, column in tree.columns()}  # with their capitals
    mentioned = [column for _, _, column in tree.columns()]
    used = {
        (table.name.casefold(), column.name.casefold())
        for table in tree.tables
        for place, column in enumerate(table.columns)
        if column in mentioned or _names_rows(table, place)
    }
    selects = list(tree.root.find_all(exp.Select))
    if any(isinstance(output, exp.Star) for select in selects for output in select.selects):
        shown = [(table, column) for table in tree.tables for column in table.columns]
        named |= {column.name for _, column in shown}
        used |= {(table.name.casefold(), column.name.casefold()) for table, column in shown}
    return _Said(
        frozenset(texts),
        frozenset(numbers),
        frozenset(stem for name in named for stem in stems(name)),
        frozenset(used),
        frozenset(exact),
    )


def _names_rows(table: CatalogTable, place: int) -> bool:
    """Whether a column says what a row is or was done with all of them, so that every query over
    the rows speaks of it.
    """
    column = table.columns[place]
    names = place == (table.table.key or 0) or column.sql_type == "VARCHAR"
    return (column.profile.unique and (names or _counts_on(column))) or bool(deed(column))


def _counts_on(column: CatalogColumn) -> bool:
    """Whether numbers go on from row to row without gaps: those of lots, no amounts."""
    if column.sql_type == "VARCHAR":
        return False
    forms = column.source.canonical or column.source.texts
    numbers = [int(form) for form in forms if form is not None and form.isdecimal()]
    told = bool(numbers) and len(numbers) == sum(form is not None for form in forms)
    return told and max(numbers) - min(numbers) < 1.2 * len(numbers)


def _missing_values(
    question: str, links: Links, said: _Said, queried: set[str]
) -> Iterator[tuple[str, str]]:
    """Cells that the question says and the query does not. Words that name a column of the tables
    that are queried, and a cell only elsewhere, are that column.
    """
    named = {
        (link.span.start, link.span.end)
        for link in links.columns
        if link.score >= _SURE_LINK and link.table in queried
    }
    for span_links in _by_span(links.values):
        span, text = span_links[0].span, span_links[0].span.text
        elsewhere = not any(link.table in queried for link in span_links)
        if elsewhere and (span.start, span.end) in named:
            continue
        options = {link.value for link in span_links} | {text}
        if any(map(said.holds_text, options)) or said.holds_names(text):
            continue
        if said.holds_form_of(text):
            continue
        number = _number(text)
        if not content_stems(text) - _VAGUE or (number is not None and said.holds_number(number)):
            continue
        if _WEEKDAY.fullmatch(text) or _DATE_PHRASE.fullmatch(text):
            continue
        places = dict.fromkeys(
            f"{quote(link.table)}.{quote(link.column)} = {sql_literal(link.value)}"
            for link in span_links[:_NEAREST]
        )
        yield sql_literal(text), " or ".join(places)


def _missing_columns(
    question: str, links: Links, said: _Said, queried: set[str]
) -> Iterator[tuple[str, str]]:
    """Columns that the question names and the query does not use, nor anything else that these
    words may name. All of those who do something are no condition: "how much did customers spend".
    """
    spans: dict[tuple[int, int], list[ColumnLink]] = {}
    for link in links.columns:
        if link.score >= _SURE_LINK:
            spans.setdefault((link.span.start, link.span.end), []).append(link)
    others: tuple[TableLink | ValueLink, ...] = (*links.tables, *links.values)
    for (start, end), found in spans.items():
        text = found[0].span.text
        if any(a <= start and end <= b and (a, b) != (start, end) for a, b in spans):
            continue  # a part of a longer name
        if _BETWEEN_CLAUSES.search(text):
            continue
        elsewhere = not any(link.table in queried for link in found)
        if elsewhere and _beside_a_name(question, start, end, said):
            continue
        if text.endswith("s") and _BEFORE_DOERS.search(question[:start]):
            continue
        if text.endswith("s") and stems(text) <= lexicon().happenings:
            continue  # "lessons" are the rows, where a column tells their kinds
        used = any((one.table.casefold(), one.column.casefold()) in said.columns for one in found)
        other = any(one.span.start < end and start < one.span.end for one in others)
        if used or other or said.holds_form_of(text):
            continue
        telling = content_stems(text) - _VAGUE
        if not telling or any(map(said.names_end_in, telling)):
            continue
        places = (f"{quote(one.table)}.{quote(one.column)}" for one in found[:_NEAREST])
        columns = dict.fromkeys(places)
        yield sql_literal(text), "use " + " or ".join(columns)


def _beside_a_name(question: str, start: int, end: int, said: _Said) -> bool:
    """Whether the word before or after names something of the query: the "cited" of "number of
    references cited" says no more than the column of references.
    """
    before, after = words(question[:start])[-1:], words(question[end:])[:1]
    return any(said.holds_names(word) for word in (*before, *after) if content_stems(word))


_BETWEEN_CLAUSES = re.compile(r"[(),;:]")
_BEFORE_DOERS = re.compile(r"\b(?:did|do|have|had)\s+(?:all\s+)?(?:the\s+|our\s+)?$", re.I)


def _missing_months(question: str, said: _Said) -> Iterator[tuple[str, str]]:
    """Months that are in no date of the query; the day after a month's last stands for it too."""
    if any(map(_MONTH_CELL.fullmatch, said.texts)):
        return  # cells that are months are found by the days they stand for
    for phrase in _DATE_PHRASE.finditer(question):
        month = _MONTHS.index(phrase["month"][:3].lower()) + 1
        bounds = (f"-{month:02d}-", f"-{month % 12 + 1:02d}-01")
        if any(bound in text for text in said.texts for bound in bounds):
            continue
        forms = {phrase["month"][:size] for size in (3, 4, None)}
        if any(MONTH_OF.get(word) == month for text in said.texts for word in words(text)):
            continue
        named = any(said.holds_text(form) or said.holds_names(form) for form in forms)
        if month not in said.numbers | said.exact and not named:
            yield sql_literal(phrase["month"]), f"it says nothing of {phrase['month']}"


def _missing_proper_nouns(question: str, links: Links, said: _Said) -> Iterator[tuple[str, str]]:
    """Capitalised words inside a sentence: names of things, in whatever form."""
    found = [m for m in _PROPER.finditer(question) if content_stems(m[0])]
    if 2 * len(found) > len(question.split()):
        return  # a title in capitals
    for match in found:
        if _WEEKDAY.match(match[0]) or _MONTH.match(match[0]):
            continue
        if said.holds_form_of(match[0], loosely=True) or said.holds_names(match[0]):
            continue
        near = [
            f"{quote(link.table)}.{quote(link.column)} = {sql_literal(link.value)}"
            for link in links.values
            if link.span.start <= match.start() < link.span.end
        ]
        yield sql_literal(match[0]), " or ".join(near[:_NEAREST]) or "it does not say this"


def _by_span(links: Iterable[ValueLink]) -> Iterator[list[ValueLink]]:
    """Sure links, grouped by the stretch of the question; a stretch inside another is left out."""
    sure = sorted(
        (link for link in links if link.score >= _SURE_LINK),
        key=lambda link: (link.span.start - link.span.end, -link.score),
    )
    groups: dict[tuple[int, int], list[ValueLink]] = {}
    for link in sure:
        span = (link.span.start, link.span.end)
        inside = any(a <= span[0] and span[1] <= b and (a, b) != span for a, b in groups)
        if not inside:
            groups.setdefault(span, []).append(link)
    yield from groups.values()


def _missing_quotes(question: str, said: _Said) -> Iterator[tuple[str, str]]:
    for match in (*_QUOTED.finditer(question), *_PART_OF_TEXT.finditer(question)):
        text = next(group for group in match.groups() if group)
        if said.holds_text(text) or said.holds_names(text):
            continue
        before = question[: match.start()] + match[0].partition(text)[0]
        yield sql_literal(text), _compared(before, text)


_LEADING = r"(?:\s+(?:with|in|the|word|substring|letters?|string|phrase))*\s*[\"'“]?$"
_PATTERNS = {
    "{}%": re.compile(r"\b(?:start|begin)\w*" + _LEADING, re.IGNORECASE),
    "%{}": re.compile(r"\bend(?:s|ing)?" + _LEADING, re.IGNORECASE),
    "%{}%": re.compile(
        r"\b(?:contain|includ)\w*" + _LEADING + r"|\bthe (?:word|substring|string|phrase)\s+"
        r"(?:the\s+)?[\"'“]?$",
        re.IGNORECASE,
    ),
}
"""How a part of a text is looked for, by what stands before it in the question."""


def _compared(before: str, text: str) -> str:
    """What to write for a text of the question."""
    pattern = next((form for form, words in _PATTERNS.items() if words.search(before)), "")
    literal = sql_literal(pattern.format(text) if pattern else text)
    return f"ILIKE {literal}" if pattern else f"compare with {literal}"


def _missing_numbers(question: str, links: Links, said: _Said) -> Iterator[tuple[str, str]]:
    covered = [
        (link.span.start, link.span.end) for link in links.values if _number(link.span.text) is None
    ]
    explained = [code.span() for code in _EXPLAINED.finditer(question)]
    if any(said.holds_number(float(code[1])) for code in _EXPLAINED.finditer(question)):
        covered += explained
    scales = {1.0, *scales_in(words(question.casefold())), *_of_time(question)}
    dates = [phrase.span() for phrase in _DATE_PHRASE.finditer(question)]
    dates += [date.span() for date in _DATE.finditer(question) if _says_date(said, date)]
    dates += [phrase.span() for phrase in _DAYS.finditer(question)]
    dates += [m.span() for m in _MONTH_OF_YEAR.finditer(question) if _says_month(said, m)]
    covered += [m.span() for m in _GROUPED.finditer(question) if said.holds_number(_joined(m))]
    covered += [(y.start, y.end) for y in years_over_two(question) if said.names_year(y)]
    covered += [m.span() for m in _LENGTH.finditer(question) if _says_length(said, m)]
    if any(map(_CLOCK_CELL.fullmatch, said.texts)):
        dates += [phrase.span() for phrase in _CLOCK.finditer(question)]
    for start, end, number in _numbers(question):
        if any(a <= start and end <= b for a, b in covered):
            continue
        if number < 60 and any(a <= start and end <= b for a, b in dates):
            continue  # a day, whose month is looked for, or a part of a time of day
        text = question[start:end]
        if _bounded_by_year(question[:start], number, said):
            continue
        if not any(said.holds_number(number * scale) for scale in scales):
            yield text, f"it does not compare with {number:g}"


_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \xa0\u202f\u2009]\d{3})+(?![\d.,])")
"""A number in groups of three: "10 000"."""
_MONTH_OF_YEAR = re.compile(r"\b(0?[1-9]|1[0-2])/(\d{4})\b")
_LENGTH = re.compile(r"(?<![\d:.])(\d{1,3}):([0-5]\d):([0-5]\d)(?![:\d])")
_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}


def _joined(groups: re.Match[str]) -> float:
    return float(re.sub(r"\s", "", groups[0]))


def _says_month(said: _Said, month: re.Match[str]) -> bool:
    return any(f"{month[2]}-{int(month[1]):02d}" in text for text in said.texts)


def _says_length(said: _Said, length: re.Match[str]) -> bool:
    """Whether a length of time is compared with, in seconds, minutes or hours, or on a clock."""
    seconds = int(length[1]) * 3600 + int(length[2]) * 60 + int(length[3])
    clock = f"{int(length[1]):02d}:{length[2]}:{length[3]}"
    return clock in said.texts or any(said.holds_number(seconds / one) for one in _SECONDS.values())


def _of_time(question: str) -> Iterator[float]:
    """What an amount of time is multiplied by where a column tells it in another unit."""
    asked = words(question.casefold())
    for unit, seconds in _SECONDS.items():
        if unit in asked or f"{unit}s" in asked:
            yield from (seconds / other for other in _SECONDS.values())


def _bounded_by_year(before: str, year: float, said: _Said) -> bool:
    """Whether a date is the first after the year of "after 2020", the last before that of "before
    2020".
    """
    if not _YEARS[0] <= year < _YEARS[1]:
        return False
    after, until = _AFTER.search(before), _UNTIL.search(before)
    bound = f"{year + 1:.0f}-01-01" if after else f"{year - 1:.0f}-12-31" if until else ""
    return bool(bound) and any(text.startswith(bound) for text in said.texts)


_AFTER = re.compile(r"\b(?:after|later than|newer than)\s+(?:the year\s+)?$", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:before|earlier than)\s+(?:the year\s+)?$", re.IGNORECASE)
_YEARS = (1000, 3000)
_DAYS = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s*(?:and|to|till|until|through|[-–—])\s*(?:the\s+)?"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.pattern})"
    rf"|{_MONTH.pattern}\s+\d{{1,2}}\s*(?:and|to|till|until|through|[-–—])\s*\d{{1,2}}"
)
"""Days of a month that is told once: "4 to 6 June"."""
_CLOCK = re.compile(r"\b\d{1,2}(?:[:.]\d{2})?\s*[ap]\.?m\b|\b\d{1,2}:\d{2}\b", re.IGNORECASE)
_CLOCK_CELL = re.compile(r"\d{2}:\d{2}(?::\d{2})?")
_MONTH_CELL = re.compile(r"\d{4}-\d{2}")
_EXPLAINED = re.compile(
    r"\b(\d+)\s+(?:stands? for|means?|denotes?|represents?|is for|=)\s", re.IGNORECASE
)
"""Codes of a column that the question tells: "1 stands for yes, and 0 stands for no"."""
_DATE = re.compile(r"\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b")


def _says_date(said: _Said, date: re.Match[str]) -> bool:
    """Whether a text says the day, in whatever order its day and month are written."""
    one, two, year = int(date[1]), int(date[2]), date[3]
    forms = (f"{year}-{two:02d}-{one:02d}", f"{year}-{one:02d}-{two:02d}", date[0])
    return any(form in text for form in forms for text in said.texts)


def _numbers(question: str) -> Iterator[tuple[int, int, float]]:
    for match in _NUMBER.finditer(question):
        number = _number(match[0])
        if number is not None:
            yield match.start(), match.end(), number
    for match in _COUNTED_ONE.finditer(question):
        yield match.start(), match.end(), 1.0
    for match in re.finditer(r"[a-z]+", question.casefold()):
        if match[0] in _NUMBER_WORDS:
            yield match.start(), match.end(), float(_NUMBER_WORDS[match[0]])


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None
