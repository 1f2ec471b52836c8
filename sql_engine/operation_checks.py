"""What the question asks to be done and the SQL does otherwise.

Takes the question and the query's tree with its result; gives `Problem`s. Each rule needs a word of
the question that leaves little choice ("average", "different", "more than 10", "not") and a query
that has nothing of the kind.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from retrieval.table import TEMPORAL, Kind
from sql_engine.catalog import CatalogColumn
from sql_engine.checks import Probe, Problem
from sql_engine.name_stems import stems
from sql_engine.offline.question import read_question
from sql_engine.result import Result
from sql_engine.sql_names import quote
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp

_AVERAGE = re.compile(r"\b(average|mean|avg)\b", re.IGNORECASE)
_DIFFERENT = re.compile(r"\b(different|distinct|unique)\s+(\w+)", re.IGNORECASE)
_HIGH = re.compile(
    r"\b(highest|largest|biggest|greatest|maximum|tallest|longest|heaviest"
    r"|(?<!at )most(?! recent))\b",
    re.IGNORECASE,
)
_LOW = re.compile(
    r"\b(lowest|smallest|minimum|fewest|shortest|lightest|cheapest|(?<!at )least)\b",
    re.IGNORECASE,
)
_LONG = re.compile(
    r"\b(most|(?:greatest|highest|largest) number of) (?:years|days|hours|minutes)\b", re.IGNORECASE
)
_SHORT = re.compile(
    r"\b(fewest|least|(?:lowest|smallest) number of) (?:years|days|hours|minutes)\b", re.IGNORECASE
)
_EARLY = re.compile(r"\b(earliest|first(?![\w, ]{0,25}\bnames?\b))\b", re.IGNORECASE)
_LATE = re.compile(
    r"\b(latest|newest|most recent|most recently|last(?![\w, ]{0,25}\bnames?\b))\b", re.IGNORECASE
)
_OLD = re.compile(r"\boldest\b", re.IGNORECASE)
_YOUNG = re.compile(r"\byoungest\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(not|never|without|except|excluding|neither|nor|cannot)\b|n't\b"
    r"|\bother than\b|\b(?:has|have|had|with|are|is|made|make) no\b",
    re.IGNORECASE,
)
_NOT_DENYING = re.compile(
    r"\b(?:not only|whether or not|or not|not (?:more|less|fewer|later|earlier|over|under)\b"
    r"|if not|(?:do|does|did|is|are|was|were|have|has) not mind)",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\b(or|either|and|as well as|nor|any)\b|,", re.IGNORECASE)
_BEYOND = re.compile(
    r"\b(more than|over|above|greater than|higher than|longer than|larger than|exceed(?:s|ing)?"
    r"|less than|fewer than|under|below|lower than|shorter than|smaller than"
    r"|after|before|since|at least|at most|no more than|no less than|no fewer than)"
    r"\s+(?:the year\s+)?\$?(-?\d[\d,]*(?:\.\d+)?|one|two|three|four|five)\b"
    r"(?!\s*(?:%|percent))",
    re.IGNORECASE,
)
_OF_A_YEAR = re.compile(r"\b(in|during|of|for)\s+(?:the year\s+)?((?:19|20)\d\d)\b", re.IGNORECASE)
_OPEN_ENDED = re.compile(
    r"\b(since|after|from|start(?:s|ed|ing)?|onwards?|until|before|between|through|later|earlier)\b",
    re.IGNORECASE,
)


def clock_problems(today: dt.date, tree: SqlTree) -> Iterator[Problem]:
    """A query that asks the machine for the date, where another day counts as today."""
    from sqlglot import exp

    asks = (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentDatetime)
    called = {str(call.this).casefold() for call in tree.root.find_all(exp.Anonymous)}
    if today != dt.date.today() and (tree.root.find(*asks) is not None or called & _CLOCK):
        yield Problem(
            "other_today",
            f"the query reads the machine's clock, though today is taken to be {today:%Y-%m-%d}",
            f"today is {today:%Y-%m-%d}: write DATE '{today:%Y-%m-%d}' instead of CURRENT_DATE",
        )


def period_problems(question: str, today: dt.date, tree: SqlTree) -> Iterator[Problem]:
    """A stretch of time told from today ("the last 7 days"), and no time in the query's conditions.

    A date or year in digits is looked for with the other values of the question.
    """
    from sqlglot import exp

    read = read_question(question, today)
    phrases = [" ".join(read.text_of(mention.mask)) for mention in read.periods]
    relative = next((phrase for phrase in phrases if not _IN_DIGITS.search(phrase)), "")
    literals = (str(one.this) for one in tree.root.find_all(exp.Literal))
    clock = (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentDatetime, exp.Anonymous)
    if not relative or any(map(_IN_DIGITS.search, literals)) or tree.root.find(*clock):
        return
    timed = [c for table in tree.tables for c in table.columns if c.kind in TEMPORAL]
    compared = (exp.Where, exp.Having, exp.Join, exp.Case, exp.Filter)
    used = {id(n) for part in tree.root.find_all(*compared) for n in part.find_all(exp.Column)}
    if timed and not any(id(node) in used and c in timed for _, node, c in tree.columns()):
        yield Problem(
            "dropped_condition",
            f'the question says "{relative}", the query heeds no time',
            f'the query leaves out the period "{relative}": compare {quote(timed[0].name)} with it',
        )


_IN_DIGITS = re.compile(r"[12]\d{3}")


def _kept_without_match(question: str, tree: SqlTree) -> Iterator[Problem]:
    """Rows without a match are asked for as well, and an inner join loses them."""
    from sqlglot import exp

    said = _WITHOUT_MATCH.search(question)
    joins = list(tree.root.find_all(exp.Join))
    if said is None or not joins or _has_outer_join(tree):
        return
    if tree.root.find(exp.Union, exp.Except, exp.Exists, exp.Not, exp.Subquery) is None:
        yield Problem(
            "lost_rows",
            f'the question says "{said[0]}", an inner join loses the rows without a match',
            f'"{said[0]}": use LEFT JOIN, and count a column of the joined table',
        )


_WITHOUT_MATCH = re.compile(
    r"\b(?:includ(?:ing|e)|even|also)(?: the| those)?(?: ones| \w+)?"
    r" (?:with(?:out)?|if|that|who|having)(?: \w+){0,2} (?:no|none|zero|any|0)\b"
    r"|\b(?:or|and) (?:zero|none|0 if)\b",
    re.IGNORECASE,
)


_CLOCK = frozenset(["now", "today", "get_current_timestamp", "current_localtimestamp"])


def operation_problems(question: str, tree: SqlTree, result: Result) -> Iterator[Problem]:
    """A problem for each operation of the question that the query does not do."""
    yield from _average(question, tree, result)
    yield from _extreme(question, tree)
    yield from _different(question, tree, result)
    yield from _denial(question, tree)
    yield from _alternatives(question, tree)
    yield from _bounds(question, tree)
    yield from _year(question, tree)
    yield from _kept_without_match(question, tree)
    yield from _counted_column(question, tree)
    yield from _left_out_by_null(tree)


def _average(question: str, tree: SqlTree, result: Result) -> Iterator[Problem]:
    from sqlglot import exp

    said = _AVERAGE.search(question)
    if said is None or tree.root.find(exp.Avg, exp.Median, exp.Div, exp.IntDiv) is not None:
        return
    named = {stem for _, _, column in tree.columns() for stem in stems(column.name)}
    named |= {stem for label in result.columns for stem in stems(label)}
    if not stems(said[0]) & named and tree.root.find(exp.AggFunc) is not None:
        yield Problem(
            "other_operation",
            f"the question asks for the {said[0].lower()}, the query computes something else",
            f"the question asks for the {said[0].lower()}: use AVG",
        )


def _extreme(question: str, tree: SqlTree) -> Iterator[Problem]:
    """One end is asked for, and the query looks at the other one alone."""
    for words, falls in _ends(question, tree):
        if falls is _other_end(tree):
            yield Problem(
                "other_operation",
                f"the question asks for the {words.lower()}, the query takes the other end",
                f"the question asks for the {words.lower()}: take "
                + ("MAX, or ORDER BY ... DESC" if falls else "MIN, or ORDER BY ... ASC"),
            )


def _ends(question: str, tree: SqlTree) -> Iterator[tuple[str, bool]]:
    """The one end that the question asks for, in its words, and whether that is the high one."""
    kinds, named = _sorted_by(tree)
    dated, aged = bool(kinds & TEMPORAL) or bool(named & _DATED), bool(named & stems("age"))
    pairs = [(_HIGH, _LOW)] if not named & _RANKED and not dated else []
    pairs += [(_LATE, _EARLY), (_LONG, _SHORT)] if dated else []
    pairs += [(_OLD, _YOUNG)] if aged else []
    for high, low in pairs:
        found = high.search(question), low.search(question)
        said = found[0] or found[1]
        if said is not None and None in found:
            yield said[0], found[0] is not None


def _sorted_by(tree: SqlTree) -> tuple[set[Kind], set[str]]:
    """The kinds and the name stems of what the query sorts by, or takes an end of."""
    from sqlglot import exp

    order = tree.root.args.get("order")
    keys = order.expressions[:1] if order else list(tree.root.find_all(exp.Max, exp.Min))
    named = {c.name for key in keys for c in key.find_all(exp.Column)}
    kinds = {found.kind for _, node, found in tree.columns() if node.name in named}
    return kinds, {stem for name in named for stem in stems(name)}


def _other_end(tree: SqlTree) -> bool | None:
    """True where the query takes the low end alone, False the high one; None where both or none."""
    from sqlglot import exp

    has_max, has_min = (tree.root.find(kind) is not None for kind in (exp.Max, exp.Min))
    order = tree.root.args.get("order")
    if has_max or has_min:
        return None if order or has_max is has_min else has_min
    if order is None or tree.root.args.get("limit") is None:
        return None
    return not order.expressions[0].args.get("desc")


_RANKED = stems("rank ranking place position birth born")
"""Less is better, or later: the highest rank is 1."""
_DATED = stems("date year time day")


def _different(question: str, tree: SqlTree, result: Result) -> Iterator[Problem]:
    from sqlglot import exp

    said = _DIFFERENT.search(question)
    if (
        said is None
        or tree.root.find(exp.Distinct, exp.Group, exp.Union, exp.Intersect) is not None
    ):
        return
    counts = [count.this for count in tree.root.find_all(exp.Count)]
    if counts and not any(_is_unique(tree, count) for count in counts):
        yield Problem(
            "other_operation",
            f"the question asks for {said[1].lower()} {said[2]}, the query counts each row",
            f"count each of the {said[2]} once: COUNT(DISTINCT ...)",
        )
    elif not counts and len(set(map(str, result.rows))) < len(result.rows):
        yield Problem(
            "other_operation",
            f"the question asks for {said[1].lower()} {said[2]}, some rows are there twice",
            "give each once: SELECT DISTINCT",
        )


def _is_unique(tree: SqlTree, counted: exp.Expression) -> bool:
    from sqlglot import exp

    if isinstance(counted, exp.Star):
        return True  # rows: what they are is not told
    found = (
        c for _, node, c in tree.columns() if isinstance(counted, exp.Column) and node == counted
    )
    return any(column.profile.unique for column in found)


def _denial(question: str, tree: SqlTree) -> Iterator[Problem]:
    """A word that denies, and nothing in the SQL that does."""
    from sqlglot import exp

    said = _DENIED.search(_WITHOUT_MATCH.sub(" ", _NOT_DENYING.sub(" ", question)))
    if said is None or len(_DENIED.findall(question)) > 1:
        return
    denies = (
        exp.Not,
        exp.NEQ,
        exp.NullSafeNEQ,
        exp.Except,
        exp.Is,
        exp.Case,
        exp.LT,
        exp.LTE,
        exp.GT,
        exp.GTE,
    )
    if tree.root.find(*denies) is not None or _has_outer_join(tree):
        return
    literals = {str(one.this).casefold().strip("%") for one in tree.root.find_all(exp.Literal)}
    word = said[0].casefold()
    if literals & _NEGATIVE or any(word in text for text in literals):
        return
    if tree.root.find(exp.Boolean) is not None or tree.root.find(exp.Anonymous) is not None:
        return
    named = {stem for _, _, column in tree.columns() for stem in stems(column.name)}
    if not stems(word) & named:
        yield Problem(
            "dropped_denial",
            f'the question says "{word}", the query leaves nothing out',
            f'heed "{word}": leave the rows out with <>, NOT IN, NOT EXISTS or a LEFT JOIN',
        )


_NEGATIVE = frozenset({"0", "no", "n", "f", "false", "none", "null"})


def _has_outer_join(tree: SqlTree) -> bool:
    from sqlglot import exp

    return any(join.side for join in tree.root.find_all(exp.Join))


def _alternatives(question: str, tree: SqlTree) -> Iterator[Problem]:
    """OR between conditions on two columns where the question names both at once."""
    from sqlglot import exp

    if _EITHER.search(question):
        return
    for either in tree.root.find_all(exp.Or):
        compared = [part for part in either.flatten() if isinstance(part, (exp.EQ, exp.Like))]
        columns = {c.name for part in compared for c in part.find_all(exp.Column)}
        texts = [str(t.this) for part in compared for t in part.find_all(exp.Literal)]
        said = [text for text in texts if text.strip("%").casefold() in question.casefold()]
        if len(columns) > 1 and len(set(said)) > 1:
            names = " and ".join(f"'{text}'" for text in dict.fromkeys(said))
            yield Problem(
                "either_of_both",
                f"the question names {names} together, the query takes rows with either",
                "both conditions hold at once: join them with AND",
            )
            return


def _bounds(question: str, tree: SqlTree) -> Iterator[Problem]:
    """A bound taken in or left out: "more than 10" takes no 10, "at least 10" does."""
    from sqlglot import exp

    for found in _BEYOND.finditer(question):
        words, number = found[1].casefold(), _number(found[2])
        with_bound = words.startswith(("at ", "no ", "since"))
        right = (exp.GTE, exp.LTE) if with_bound else (exp.GT, exp.LT)
        wrong = (exp.GT, exp.LT) if with_bound else (exp.GTE, exp.LTE)
        signs = [node for node in tree.root.find_all(*right, *wrong) if _bound_of(node) == number]
        if signs and not any(isinstance(node, right) for node in signs):
            yield Problem(
                "other_bound",
                f'the question says "{found[0]}", the query compares with '
                + ("the bound left out" if with_bound else "the bound taken in"),
                f'"{found[0]}" ' + ("takes the bound in" if with_bound else "leaves the bound out"),
            )


def _number(text: str) -> float:
    return float(_WORDS.get(text.casefold(), text.replace(",", "")))


_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}


def _bound_of(node: exp.Expression) -> float | None:
    from sqlglot import exp

    for side in (node.args.get("this"), node.args.get("expression")):
        if isinstance(side, exp.Literal) and not side.is_string:
            try:
                return float(side.this)
            except ValueError:
                return None
    return None


def _year(question: str, tree: SqlTree) -> Iterator[Problem]:
    """A year that is asked for has an end."""
    from sqlglot import exp

    years = {found[2] for found in _OF_A_YEAR.finditer(question)}
    if len(years) != 1 or _OPEN_ENDED.search(question):
        return
    (year,) = years
    texts = [str(one.this) for one in tree.root.find_all(exp.Literal) if one.is_string]
    dated = [text for text in texts if text.startswith(f"{year}-")]
    upper = tree.root.find(exp.LT, exp.LTE, exp.Between, exp.EQ, exp.Like) is not None
    if dated and not upper and tree.root.find(exp.GT, exp.GTE) is not None:
        yield Problem(
            "open_period",
            f"the question asks for {year} alone, the query goes on after it",
            f"{year} ends: compare with the first day of {int(year) + 1} as well",
        )


def _counted_column(question: str, tree: SqlTree) -> Iterator[Problem]:
    """COUNT and a quotient by COUNT(*) over a column with NULLs that nobody asked for."""
    from sqlglot import exp

    said = stems(question)
    for scope, node, column in tree.columns():
        if not column.profile.nulls or stems(column.name) & said:
            continue
        count = node.parent
        if isinstance(count, exp.Count) and not _has_outer_join(tree) and scope is tree.scopes[-1]:
            yield _leaves_nulls_out(column)


def counted_key(question: str, tree: SqlTree, result: Result, probe: Probe) -> Iterator[Problem]:
    """Things are counted by a column that names some of them several times, and counting each once
    gives something else.
    """
    from sqlglot import exp

    said = _COUNTED.search(question)
    nouns = stems(said[1]) - _GENERIC if said else frozenset()
    for scope, node, column in tree.columns():
        table = tree.base_table(scope, node.table)
        if not isinstance(node.parent, exp.Count) or table is None or column.profile.unique:
            continue
        if not nouns & stems(column.name) or nouns & stems(table.name):
            continue
        once = probe(_counting_once(tree, node))
        if once is not None and sorted(map(str, once.rows)) != sorted(map(str, result.rows)):
            name = quote(column.name)
            yield Problem(
                "counted_key",
                f"COUNT({name}) counts some several times",
                f"count each once: COUNT(DISTINCT {name})",
            )


def _counting_once(tree: SqlTree, counted: exp.Column) -> str:
    from sqlglot import exp

    marked = tree.root.copy()
    for count in marked.find_all(exp.Count):
        if count.this == counted:
            count.set("this", exp.Distinct(expressions=[counted.copy()]))
    return marked.sql(dialect="duckdb")


_COUNTED = re.compile(r"\b(?:how many|number of)\s+([\w-]+)\b", re.IGNORECASE)
_GENERIC = stems("id name number code")


def _leaves_nulls_out(column: CatalogColumn) -> Problem:
    name = quote(column.name)
    return Problem(
        "counted_column",
        f"COUNT leaves out the rows where {name} is empty",
        f"COUNT({name}) leaves out rows where it is NULL: COUNT(*) counts rows",
    )


def _left_out_by_null(tree: SqlTree) -> Iterator[Problem]:
    """Rows that a `<>` or NOT IN leaves out because they have no value, and a mean over all rows
    of a column that is empty in some.
    """
    from sqlglot import exp

    told: set[str] = set()
    for _, node, column in tree.columns():
        if not column.profile.nulls or column.name in told:
            continue
        name = quote(column.name)
        if _is_unequal(node) and not _null_is_heeded(tree, column.name):
            told.add(column.name)
            yield Problem(
                "left_out_by_null",
                f"rows where {name} is empty are left out",
            )
        if isinstance(node.parent, exp.Sum) and _over_all_rows(node.parent):
            told.add(column.name)
            yield Problem(
                "other_operation",
                f"the mean of {name} is taken over all rows, also those where it is empty",
                f"AVG({name}) takes the mean over the rows that have a value",
            )


def _is_unequal(node: exp.Expr) -> bool:
    from sqlglot import exp

    parent = node.parent
    if isinstance(parent, exp.NEQ):
        return isinstance(parent.expression, exp.Literal) or isinstance(parent.this, exp.Literal)
    if not isinstance(parent, (exp.In, exp.Like, exp.ILike)) or parent.this is not node:
        return False
    return isinstance(parent.parent, exp.Not) and parent.args.get("query") is None


def _null_is_heeded(tree: SqlTree, name: str) -> bool:
    from sqlglot import exp

    return any(
        any(column.name == name for column in test.find_all(exp.Column))
        for test in tree.root.find_all(exp.Is, exp.Coalesce)
    )


def _over_all_rows(total: exp.Expr) -> bool:
    """Whether a sum is divided by COUNT(*)."""
    from sqlglot import exp

    quotient = total.parent
    while isinstance(quotient, (exp.Cast, exp.Paren, exp.Mul)):
        quotient = quotient.parent
    below = quotient.expression.find(exp.Count) if isinstance(quotient, exp.Div) else None
    return below is not None and isinstance(below.this, exp.Star)
