"""What DuckDB has in place of functions and words of other dialects that are not repaired.

They are not repaired because dialects differ on what they mean (`RLIKE`, weeks, formats).
"""

from __future__ import annotations

import re


def function_hint(name: str) -> str:
    """What to write instead of a function; "" where nothing is known."""
    return _FUNCTIONS.get(name, "")


def unit_hint(name: str) -> str:
    """What to write where a unit of time stands as a column; "" for any other name."""
    if name.lower() not in _UNITS:
        return ""
    unit = name.lower()
    return (
        f"a unit of time is text and comes first: date_trunc('{unit}', d), "
        f"date_diff('{unit}', start, end)"
    )


_UNITS = frozenset({"year", "quarter", "month", "week", "day", "hour", "minute", "second"})


def syntax_hint(message: str) -> str:
    """What to write instead of the word at which the parser stopped."""
    near = re.search(r'near "([^"]+)"', message)
    word = near[1].lower() if near else ""
    if word in _WORDS:
        return _WORDS[word]
    if word.isalpha():
        return f'{_DIALECT}; a name that is also a word of SQL stands in double quotes: "{word}"'
    return _DIALECT


_DIALECT = "correct the SQL; the dialect is DuckDB"

_FUNCTIONS = {
    "to_char": "use strftime(date, '%Y-%m')",
    "date_format": "use strftime(date, '%Y-%m')",
    "to_date": "use strptime(text, '%d.%m.%Y')::DATE",
    "str_to_date": "use strptime(text, '%d.%m.%Y')::DATE",
    "parse_date": "use strptime(text, '%d.%m.%Y')::DATE",
    "convert": "use CAST(x AS type)",
    "try_convert": "use TRY_CAST(x AS type)",
    "regexp_like": "use regexp_matches(text, pattern) or regexp_full_match(text, pattern)",
    "regexp_substr": "use regexp_extract(text, pattern)",
    "substring_index": "use split_part(text, separator, number)",
    "unix_timestamp": "use epoch(timestamp)",
    "from_unixtime": "use to_timestamp(seconds)",
    "total": "use coalesce(sum(x), 0)",
    "julianday": "use julian(date)",
    "charindex": "use strpos(text, part)",
    "locate": "use strpos(text, part)",
    "curtime": "use current_localtime()",
    "datename": "use monthname(date), dayname(date) or strftime(date, '%Y')",
    "decode": "use CASE x WHEN a THEN b ELSE c END",
    "format_date": "use strftime(date, '%Y-%m')",
    "nvl2": "use CASE WHEN x IS NULL THEN b ELSE a END",
    "safe_divide": "divide by NULLIF(x, 0)",
    "space": "use repeat(' ', n)",
    "sysdate": "use current_date",
    "timestamp_diff": "use date_diff('day', start, end)",
    "to_number": "use TRY_CAST(x AS DECIMAL(18, 4))",
    "zeroifnull": "use coalesce(x, 0)",
}

_WORDS = {
    "rlike": "use regexp_matches(text, pattern)",
    "regexp": "use regexp_matches(text, pattern)",
    "with": "write WITH before SELECT; a ROLLUP is GROUP BY ROLLUP (a, b)",
    "connect": "use WITH RECURSIVE",
    "offset": "write list[1]; lists count from 1",
    "convert": "use CAST(x AS type)",
}
