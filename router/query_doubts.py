"""What a query of a writer that knows no language is no answer to, although it runs.

Takes the question with its answered query; gives why it is not given as the answer, or None. Each
doubt is told from the question's words beside the query's own columns and form; a new doubt about
such a query belongs here, one about a reading before it is written in `sql_engine.offline.doubts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

import sqlglot
from sqlglot import exp

from retrieval.table import NUMERIC, TEMPORAL, Kind
from router.amounts import numbers_things
from router.asked_cell import SEEN_TEXTS, names_column, tells_clock, tells_days, years
from router.coordinated import coordinated, second_question
from router.coverage import stems_of, telling_stems
from router.cues import grouping, limits, operations
from router.evidence_words import titles
from router.prose_kinds import tells_a_time
from router.question import Asked, Nothing
from router.question_forms import asked_kind, asks_for_an_amount, asks_for_rows, asks_for_several
from router.roles import undecided
from router.row_evidence import compounds
from router.tied_numbers import tied_numbers
from sql_engine.catalog import CatalogColumn
from sql_engine.correct import SqlAnswer
from sql_engine.deeds import deed
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.unit_words import tells_how_long
from sql_engine.provenance import provenance
from sql_engine.words import name_words, stem
from sql_engine.words import words as words_of

STATES = 4
"""More texts than this are no states that a thing may be in."""
SEEN_ROWS = 50
"""Rows of a result that are looked at for what they tell."""
_ROLES = "it does not tell which of the two is {} and which is {}"
_UNNAMED = "no column of that row is named in the question"
_NO_SUCH_KIND = "what is found tells no person, place, time, price or reason"
_WHICH_OF_TWO = "it does not tell whether the amount is asked for or what has it"


def doubt(asked: Asked, found: SqlAnswer) -> Nothing | None:
    """Why this query is no answer to the question; None where nothing speaks against it."""
    sql = found.query.sql
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    if second := _second(asked.question, found):
        return Nothing(words=second, sql=sql)
    if _looks_up_unnamed(asked, found):
        return Nothing(_UNNAMED, sql=sql)
    if words := _unheeded(asked, found):
        return Nothing(words=words, sql=sql)
    if elsewhere := _numbers_elsewhere(asked, found, tree):
        return Nothing(words=elsewhere, sql=sql)
    if _ONLY_SO_MANY.search(asked.question) and not _MEASURES.search(sql):
        return Nothing(words=("only",), sql=sql)
    if year := _year_as_amount(asked.question, tree):
        return Nothing(words=(year,), sql=sql)
    if measure := _measured_otherwise(asked.question, found, tree):
        return Nothing(words=measure, sql=sql)
    if roles := undecided(asked.question, tree, found.query.tables):
        return Nothing(_ROLES.format(*roles), sql=sql)
    if _of_another_kind(asked, found):
        return Nothing(_NO_SUCH_KIND, sql=sql)
    if _extreme_of_unnamed(asked.question, found):
        return Nothing(_WHICH_OF_TWO, sql=sql)
    return None


def _second(question: str, found: SqlAnswer) -> tuple[str, ...]:
    """What is asked for beside the first: a column named with an "and", a second question."""
    for entry in found.query.tables:
        named = [entry.table.headers[i] for i in coordinated(question, entry.table, ())]
        missing = tuple(header for header in named if f'"{header}"' not in found.query.sql)
        if 0 < len(missing) < len(named):
            return missing
    opened = second_question(question)
    return (opened,) if opened and len(found.result.columns) < 2 else ()


def _looks_up_unnamed(asked: Asked, found: SqlAnswer) -> bool:
    """Whether a query reads cells of the one row that is named, in columns that are not."""
    row = asked.evidence.row
    if row is None or not row.key_named or row.cell is not None or asks_for_rows(asked.question):
        return False
    if _MEASURES.search(found.query.sql) and operations(asked.question):
        return False  # what is computed is no cell of one row
    table = asked.table(row.hit.table_id).table
    read = _sources(found)
    beside = coordinated(asked.question, table, ())
    if {table.headers[i] for i in beside} & {column for _, column in read}:
        return False
    if _reads_beside(asked.question, found, read, row.hit.table):
        return False
    return bool(read) and not any(
        names_column(asked.question, table, row.hit, column) for _, column in read
    )


def _reads_beside(question: str, found: SqlAnswer, read: set[tuple[str, str]], own: str) -> bool:
    """Whether a query over a join gives columns of a table beside that of the row which the
    question names, or by whose rows it says what was done.
    """
    said, beside = stems_of([question]), {table for table, _ in read}
    if not beside or own in beside:
        return False
    named = any(stems_of([table]) & said for table in beside)
    return named or any(deed(c) in said for entry in found.query.tables for c in entry.columns)


def _unheeded(asked: Asked, found: SqlAnswer) -> tuple[str, ...]:
    """Words of the question that leave rows out, and that the query does not heed.

    A query that lists every row leaves none out; one that steps to the row beside another gives one
    of the rows that "which concerts were after it" asks for.
    """
    sql, source = found.query.sql, provenance(found.query.sql)
    words = limits(asked.question, texts=_names(found))
    lists = source.rows_sql is not None and source.filter is None and not _MEASURES.search(sql)
    steps = _STEPS.search(sql) is not None and asks_for_several(asked.question)
    if lists or steps:
        return words or (_extremes(asked.question) if lists else ())
    return _compounds(asked, found) or _rates(asked, found) or _unused_cells(asked, found)


def _numbers_elsewhere(asked: Asked, found: SqlAnswer, tree: exp.Expr) -> tuple[str, ...]:
    """Numbers beside a column's name that the query holds against another column only."""
    against = _compared(tree)
    return tuple(
        text
        for entry in found.query.tables
        for text, value, columns in tied_numbers(asked.question, entry.table)
        if (held := against.get(value)) and not held & {entry.table.headers[c] for c in columns}
    )


def _compared(tree: exp.Expr) -> dict[float, set[str]]:
    """The columns that a query compares each number with that leaves rows out."""
    found: dict[float, set[str]] = {}
    literals = (each for where in tree.find_all(exp.Where) for each in where.find_all(exp.Literal))
    for literal in literals:
        predicate = literal.find_ancestor(exp.Predicate)
        if predicate is not None and _NUMERAL.fullmatch(literal.this):
            names = {column.name for column in predicate.find_all(exp.Column)}
            found.setdefault(float(literal.this), set()).update(names)
    return found


def _year_as_amount(question: str, tree: exp.Expr) -> str | None:
    """A year that bounds a time in the question, and the amounts of groups in the query."""
    bounds = {
        literal.this
        for clause in tree.find_all(exp.Having)
        for literal in clause.find_all(exp.Literal)
    }
    return next((year for year in _IN_A_YEAR.findall(question) if year in bounds), None)


def _measured_otherwise(question: str, found: SqlAnswer, tree: exp.Expr) -> tuple[str, ...]:
    """The column of numbers that the question measures by, where the query ranks by another: the
    nights of "the longest stay in nights", the lot of "the highest lot" where no other is named.
    """
    ranked = {
        column.name
        for part in tree.find_all(exp.Ordered, exp.Max, exp.Min)
        for column in part.find_all(exp.Column)
    }
    if not ranked or not any(cue.operator in _EXTREME_OF for cue in operations(question)):
        return ()
    numbers = [c for e in found.query.tables for c in e.columns if c.kind in NUMERIC]
    if measure := _IN_WHAT.search(question):
        told = stem(measure[1].casefold())
        if any(told in name_words(entry.name) for entry in found.query.tables):
            return ()
        named = {column.name for column in numbers if told in name_words(column.name)}
        return (measure[1],) if named and not named & ranked else ()
    if stems_of(ranked) & stems_of([question]):
        return ()
    return tuple(_after_extreme(question, {c.name for c in numbers} - ranked))


def _after_extreme(question: str, names: set[str]) -> Iterator[str]:
    """The whole names that stand right after "highest" and the like."""
    said = words_of(question)
    phrases = [cue.phrase for cue in operations(question) if cue.operator in _EXTREME_OF]
    for name in names:
        wanted = name_words(name)
        for i in range(1, len(said) - len(wanted) + 1):
            here = [word.stem for word in said[i : i + len(wanted)]]
            if here == list(wanted) and any(p[-1] == said[i - 1].folded for p in phrases):
                yield name


_IN_WHAT = re.compile(r"\bin ([^\W\d]+)\s*\??$", re.IGNORECASE)
_IN_A_YEAR = re.compile(r"\b(?:before|after|since|until|in|from|by|during) ([12]\d{3})\b", re.I)
_ONLY_SO_MANY = re.compile(r"\bonly (?:one|two|three|a single|\d+)\b", re.IGNORECASE)
_NUMERAL = re.compile(r"\d+(?:\.\d+)?")


def _extremes(question: str) -> tuple[str, ...]:
    """The words of "which route had the longest delay", which no listing of all answers."""
    if not _WHICH.match(question.strip()):
        return ()
    cues = (cue.phrase for cue in operations(question) if cue.operator in _EXTREME_OF)
    return next(cues, ())


_WHICH = re.compile(r"(?:which|who)\b", re.IGNORECASE)
_EXTREME_OF = frozenset(["maximum", "minimum", "most", "least", "superlative"])


def _rates(asked: Asked, found: SqlAnswer) -> tuple[str, ...]:
    """The "per" of "value per crate", where a column of crates is a number of them, no group."""
    if "GROUP BY" not in found.query.sql:
        return ()
    counted = (
        column.name
        for entry in found.query.tables
        for column in entry.columns
        if column.kind in NUMERIC and column.name.casefold().endswith("s")
    )
    stems = stems_of(counted)
    phrase = grouping(asked.question, names=stems, texts=_names(found)) if stems else ()
    return phrase if phrase == ("per",) else ()


def _unused_cells(asked: Asked, found: SqlAnswer) -> tuple[str, ...]:
    """Cells that are left out because their word looks like the rows': "grants granted in 2023"."""
    said = words_of(asked.question)
    sql = found.query.sql.casefold()
    tables = {entry.name for entry in found.query.tables}
    for link in asked.evidence.links.values:
        word = link.span.text.casefold()
        same = [one for one in said if one.folded != word and one.stem == stem(word)]
        exact = word == link.value.casefold() and link.table in tables
        if exact and same and f"'{word}'" not in sql:
            return (link.span.text,)
    return ()


def _compounds(asked: Asked, found: SqlAnswer) -> tuple[str, ...]:
    """A "value" that no column given says."""
    return tuple(
        word
        for name, column in _sources(found)
        if (entry := asked.catalog.get(name)) is not None and column in entry.table.headers
        for word in compounds(asked.question, entry.table, column)
    )


def _sources(found: SqlAnswer) -> set[tuple[str, str]]:
    """Table and column of everything that a query gives."""
    return {s for output in found.query.lineage or () for s in output.sources or ()}


def _of_another_kind(asked: Asked, found: SqlAnswer) -> bool:
    """Whether numbers and dates alone are given where a person, place or reason is asked for."""
    kind, given = asked_kind(asked.question), _given(asked, found)
    if asks_for_an_amount(asked.question) and given and _tells_words(found):
        return not any(map(_holds_amounts, given))
    if kind == "how":
        return bool(given) and all(column.kind in TEMPORAL for column in given)
    if kind == "what time":
        return bool(given) and not any(tells_clock(c.kind, c.source.texts) for c in given)
    if kind == "how much":
        return bool(given) and all(tells_how_long(column.unit) for column in given)
    if kind == "how long":
        return bool(given) and all(_numbers_things(found, column) for column in given)
    if kind in ("", "how often"):
        return False
    if kind == "when":
        return _tells_no_time(found) or _names_things(given)
    if kind == "where" and given and all(tells_days(column.source.texts) for column in given):
        return True
    if kind == "who" and given and _tells_nobody(asked.question, given, found):
        return True
    return bool(given) and all(column.kind in NUMERIC | TEMPORAL for column in given)


def _numbers_things(found: SqlAnswer, column: CatalogColumn) -> bool:
    """Whether a column's numbers tell which row it is: "how long did the repair take" is told by no
    number of a repair.
    """
    tables = (entry.table for entry in found.query.tables)
    keys = [table.columns[table.key] for table in tables if table.key is not None]
    return numbers_things(column.source, key=any(column.source is key for key in keys))


def _tells_nobody(question: str, given: list[CatalogColumn], found: SqlAnswer) -> bool:
    """Whether a "who" is answered by states, by what the question only restricts by ("in wards with
    …"), or by another column where one of the same tables says who.
    """
    if all(map(_repeats_a_state, given)) or all(_only_restricts(question, c) for c in given):
        return True
    every = [column for entry in found.query.tables for column in entry.columns]
    return any(map(_says_who, every)) and not any(map(_says_who, given))


def _only_restricts(question: str, column: CatalogColumn) -> bool:
    """Whether the question has a column's name, and always after a preposition."""
    stems = stems_of([column.name])
    said = words_of(question)
    places = [i for i, word in enumerate(said) if word.stem in stems]
    return bool(places) and all(i and said[i - 1].folded in _PREPOSITIONS for i in places)


_PREPOSITIONS = frozenset(["in", "of", "from", "at", "with", "by", "for", "per", "on"])


def _says_who(column: CatalogColumn) -> bool:
    known = lexicon()
    return bool(stems_of([column.name]) & (known.who | known.people | {"name"}))


def _repeats_a_state(column: CatalogColumn) -> bool:
    """Whether a column has but a few texts of which none is a name: "on" and "off"."""
    texts = column.source.texts
    few = len(texts) <= STATES and int(column.source.counts.max(initial=0)) > 1
    return column.kind is Kind.BOOLEAN or (few and all(text == text.lower() for text in texts))


def _tells_words(found: SqlAnswer) -> bool:
    """Whether a result is texts alone."""
    cells = [cell for row in found.result.rows[:SEEN_ROWS] for cell in row if cell is not None]
    return bool(cells) and all(isinstance(cell, str) for cell in cells)


def _names_things(given: list[CatalogColumn]) -> bool:
    """Whether only the names of rows are given, none of which says a time."""
    texts = [column for column in given if column.kind is Kind.TEXT and column.source.counts.size]
    return len(texts) == len(given) > 0 and all(
        int(column.source.counts.max()) == 1
        and not any(map(tells_a_time, column.source.texts[:SEEN_TEXTS]))
        for column in texts
    )


def _given(asked: Asked, found: SqlAnswer) -> list[CatalogColumn]:
    """The columns that a query gives cells of, or computes from."""
    return [
        column
        for table, name in _sources(found)
        if (entry := asked.catalog.get(table)) and (column := entry.column(name))
    ]


def _holds_amounts(column: CatalogColumn) -> bool:
    """Whether a number begins some cell of a column; names and codes begin with letters."""
    return column.kind in NUMERIC or any(map(_AMOUNT.match, column.source.texts[:SEEN_TEXTS]))


_AMOUNT = re.compile(r"[^\w\s]{0,3}\s?\d")


def _tells_no_time(found: SqlAnswer) -> bool:
    """Whether a result is numbers that are no years: the amount, not when it was."""
    cells = [cell for row in found.result.rows[:SEEN_ROWS] for cell in row if cell is not None]
    numbers = bool(cells) and all(isinstance(cell, (int, float, Decimal)) for cell in cells)
    return numbers and not years(cells)


def _extreme_of_unnamed(question: str, found: SqlAnswer) -> bool:
    """Whether "what is the cheapest pastry" is answered by a price: what has it may be meant."""
    if _EXTREME.match(found.query.sql) is None or not _THING.match(question.strip()):
        return False
    sources, asked = _sources(found), stems_of([question])
    return bool(sources) and not any(telling_stems(column) & asked for _, column in sources)


_EXTREME = re.compile(r"SELECT (?:MIN|MAX)\(")
_THING = re.compile(r"(?:what|which)\b", re.IGNORECASE)


def _names(found: SqlAnswer) -> Iterator[str]:
    return (name for entry in found.query.tables for name in titles(entry.table))


_MEASURES = re.compile(
    r"\b(?:GROUP BY|QUALIFY|HAVING|LIMIT)\b|\b(?:COUNT|SUM|AVG|MIN|MAX|MEDIAN)\("
)
"""What makes less than all rows of a table."""
_STEPS = re.compile(r"\b(?:LAG|LEAD)\(")
