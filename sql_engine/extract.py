"""The SQL inside a language model's reply.

Takes the reply's text; gives one statement, or raises `NoSqlInReply`, or `CannotWrite` where the
model says that the tables do not hold the answer. DuckDB's own tokenizer tells where a statement
ends, so a semicolon or a fence mark inside a string stays in it. Where a reply holds several
statements the last one counts (models explore first), unless one of them is no query: then that
one is given, for the guard to refuse. Figures that the model writes beside the SQL are dropped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from sql_engine.errors import CannotWrite, NoSqlInReply

CANNOT = "CANNOT ANSWER:"
"""What the prompt asks a model to reply where the tables do not hold the answer."""

_QUERY_WORDS = frozenset({"select", "with", "from", "values", "describe", "summarize", "pivot"})
_OTHER_WORDS = frozenset(
    [
        "alter",
        "attach",
        "call",
        "checkpoint",
        "copy",
        "create",
        "delete",
        "detach",
        "drop",
        "execute",
        "explain",
        "export",
        "import",
        "insert",
        "install",
        "load",
        "merge",
        "pragma",
        "prepare",
        "replace",
        "reset",
        "set",
        "show",
        "truncate",
        "unpivot",
        "update",
        "use",
        "vacuum",
    ]
)
_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGGED = re.compile(r"<(sql|query|sql_query)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
"""A statement between tags, as some models are taught to give it: as good as a fence."""
_FENCE = re.compile(
    r"(?P<mark>`{3,}|~{3,})"
    r"(?:[ \t]*(?P<tag>[\w+-]*)[ \t]*(?:\n|\Z)|(?P<inline_tag>sql|duckdb)\b)?"
)
_INLINE_CODE = re.compile(r"`([^`\n]+)`")
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*[A-Z][\w ]{0,20}:(?!:))")
"""Where prose may go on: after an empty line, or at a line with a label ("Answer: 3")."""
_START_IN_PROSE = re.compile(
    r"(?:(?<=[:\n])|\A)[ \t]*(?=\(*\s*(?:select|with|insert|update|delete|drop|create|alter)\b)"
    r"|(?-i:(?=\bSELECT\b|\bWITH\s+\w+\s+AS\b))",
    re.IGNORECASE,
)
_SURE_START = re.compile(r"[(\s]*(?:select\b|with\s+(?:recursive\s+)?\S+\s+as\b)", re.IGNORECASE)
_INVISIBLE = re.compile("[\u200b-\u200d\u2060\ufeff\u00ad]")
_STRINGS = re.compile(r"('(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")")
_SQL_TAGS = frozenset({"", "sql", "duckdb", "postgresql", "postgres", "sqlite", "mysql"})


@dataclass(frozen=True)
class _Token:
    start: int
    """Offset in UTF-8 bytes, as DuckDB counts."""
    kind: str
    text: str


def extract_sql(reply: str) -> str:
    """The statement that the reply proposes, without its final semicolon.

    Raises:
        NoSqlInReply: there is none.
        CannotWrite: the model says that it cannot answer.
    """
    text = _REASONING.sub("", reply).strip()
    text = _unquoted(_from_json(_TAGGED.sub(r"\n```sql\n\2\n```\n", text)))
    statements = next((found for found in _readings(text) if found), None)
    if statements is None:
        raise _nothing(text)
    other = [s for s in statements if not _is_query(s)]
    return _visible(other[0] if other else statements[-1])


def _unquoted(text: str) -> str:
    """A reply that is one statement in quotes, without them."""
    inner = text[1:-1].strip()
    quoted = len(text) > 2 and text[0] == text[-1] and text[0] in "\"'"
    return inner if quoted and _is_statement(inner) and _parses(inner) else text


def _visible(sql: str) -> str:
    """The statement without characters that cannot be seen, which tokenizers of models scatter;
    those in a string are left for the guard.
    """
    return "".join(
        part if part[:1] in ("'", '"') else _INVISIBLE.sub("", part).replace("\u00a0", " ")
        for part in _STRINGS.split(sql)
    )


def _readings(text: str) -> Iterator[list[str]]:
    """The statements found by each way of reading, surest first."""
    yield [s for block in _fenced(text) for s in split_statements(block) if _is_statement(s)]
    yield _whole(text)
    yield [
        s
        for code in _INLINE_CODE.findall(text)
        for s in split_statements(code)
        if _is_statement(s) and _parses(s)
    ]
    yield list(_in_prose(text))


def _whole(text: str) -> list[str]:
    """The statements of a reply that starts with one; prose may follow."""
    if not _is_statement(text):
        return []
    first = _without_prose(text)
    if not _parses(first) and not _SURE_START.match(first):
        return []
    return [first, *(s for s in split_statements(text)[1:] if _is_statement(s) and _parses(s))]


def _nothing(text: str) -> CannotWrite | NoSqlInReply:
    mark = text.upper().find(CANNOT)
    if mark >= 0:
        lines = text[mark + len(CANNOT) :].strip().splitlines()
        reason = lines[0] if lines else "it gives no reason"
        return CannotWrite(f"the model says that the tables cannot answer this: {reason}")
    return NoSqlInReply(
        "the reply holds no SQL statement", hint="reply with one SELECT statement in a ```sql block"
    )


def _from_json(text: str) -> str:
    """The SQL field of a JSON reply (fenced or not); any other reply as it is."""
    blocks = _fences(text)
    body = blocks[0][1] if len(blocks) == 1 and blocks[0][0].lower() in ("json", "") else text
    if not body.lstrip().startswith(("{", "[")):
        return text
    try:
        reply = json.loads(body, strict=False)
    except ValueError:
        return text
    if sql := _sql_field(reply):
        return sql
    if not isinstance(reply, dict):
        return text
    fields = {key.casefold(): value for key, value in reply.items()}
    reason = fields.get("cannot_answer") or fields.get("reason") or ""
    return f"{CANNOT} {reason}" if reason else ""


def _sql_field(reply: object) -> str:
    """The first SQL field of a JSON object, at whatever depth."""
    if isinstance(reply, list):
        return next(filter(None, map(_sql_field, reply)), "")
    if not isinstance(reply, dict):
        return ""
    fields = {str(key).casefold(): value for key, value in reply.items()}
    own = (fields.get(key) for key in ("sql", "query", "sql_query", "statement"))
    said = next((one.strip() for one in own if isinstance(one, str) and one.strip()), "")
    return said or next(filter(None, map(_sql_field, reply.values())), "")


def _fences(text: str) -> list[tuple[str, str]]:
    """Each fenced block: its tag and its body; a block left open runs to the end."""
    blocks, position = [], 0
    while opening := _FENCE.search(text, position):
        start = opening.end()
        end = _fence_end(text, start, opening["mark"])
        blocks.append((opening["tag"] or opening["inline_tag"] or "", text[start:end]))
        position = end + len(opening["mark"])
    return blocks


def _fence_end(text: str, start: int, mark: str) -> int:
    """Where the block's closing mark stands: not inside a string, unless no other is there."""
    ends = [match.start() + start for match in re.finditer(re.escape(mark), text[start:])]
    outside_strings = [end for end in ends if text.count("'", start, end) % 2 == 0]
    on_own_line = [end for end in ends if text[end - 1] == "\n"]
    return (outside_strings or on_own_line or ends or [len(text)])[0]


def _fenced(text: str) -> list[str]:
    return [body for tag, body in _fences(text) if tag.lower() in _SQL_TAGS]


def _in_prose(text: str) -> Iterator[str]:
    """Statements after a line break, a colon, or in capitals. One that looks like SQL and does not
    parse is given as it is: a part of it that parses would be another query.
    """
    position = 0
    while start := _START_IN_PROSE.search(text, position):
        statement = _without_prose(text[start.end() :])
        looks_like_sql = _SURE_START.match(statement) and re.search(r"\bfrom\b", statement, re.I)
        position = start.end() + 1
        if _parses(statement) or looks_like_sql:
            yield statement
            position = start.end() + len(statement)


def _without_prose(text: str) -> str:
    """The text up to where the statement ends: its semicolon, or a paragraph after which no SQL
    goes on. Never a part of a statement: where in doubt, all of the text.
    """
    statements = split_statements(text)
    first = statements[0] if statements else text
    if _parses(first):
        return first
    breaks = [match.start() for match in _PARAGRAPH.finditer(first)]
    for end in reversed(breaks):
        rest = _tokens(first[end:])
        labelled = first[end : end + 2] != "\n\n" and re.match(r"\n[ \t]*[A-Z]", first[end:])
        if _parses(first[:end]) and rest and (rest[0].kind == "identifier" or labelled):
            return first[:end]
    return first


def split_statements(text: str) -> list[str]:
    """The statements of a SQL text, cut at semicolons outside strings and comments."""
    raw = text.encode()
    cuts = [token.start for token in _tokens(text) if token.text.startswith(";")]
    parts = [
        raw[a:b].decode()
        for a, b in zip([0, *(c + 1 for c in cuts)], [*cuts, len(raw)], strict=False)
    ]
    return [part.strip() for part in parts if _first_words(part)]


def normalized(sql: str) -> str:
    """The statement without comments, white space and letter case outside quotes: two drafts of
    one normal form are the same query.
    """
    raw = sql.encode()
    tokens = [t for t in _tokens(sql) if t.kind != "comment"]
    ends = [t.start for t in tokens[1:]] + [len(raw)]
    texts = [_token_text(raw[t.start : end].decode()) for t, end in zip(tokens, ends, strict=False)]
    folded = [x if x[:1] in ("'", '"', "$") else x.casefold() for x in texts]
    return " ".join(folded).rstrip("; ")


def identifiers(sql: str) -> tuple[str, ...]:
    """The names in a statement, quoted or not, each once, in order; it need not parse."""
    kinds = ("identifier", "keyword")  # many a column is named by a keyword: name, date, location
    words = (token.text for token in _tokens(sql) if token.kind in kinds)
    names = (re.match(r'"((?:[^"]|"")*)"|`([^`]*)`|[\w$]+', word) for word in words)
    found = (m[1] or m[2] or m[0] for m in names if m)
    return tuple(dict.fromkeys(name.replace('""', '"') for name in found))


def _token_text(text: str) -> str:
    return re.sub(r"\s*(--[^\n]*|/\*.*?\*/)?\s*\Z", "", text, flags=re.DOTALL)


def _tokens(text: str) -> list[_Token]:
    import duckdb

    raw = text.encode()
    starts = [(start, kind.name) for start, kind in duckdb.tokenize(text)]
    ends = [start for start, _ in starts[1:]] + [len(raw)]
    return [
        _Token(start, kind, raw[start:end].decode(errors="replace"))
        for (start, kind), end in zip(starts, ends, strict=False)
    ]


def _parses(sql: str) -> bool:
    import duckdb

    try:
        return len(duckdb.extract_statements(sql)) == 1
    except (duckdb.Error, ValueError):
        return False


def _first_words(text: str) -> list[str]:
    words = (t.text.strip().casefold() for t in _tokens(text) if t.kind != "comment")
    return [word for word in words if word not in ("(", "")][:2]


def _is_query(text: str) -> bool:
    words = _first_words(text)
    return bool(words) and words[0] in _QUERY_WORDS


def _is_statement(text: str) -> bool:
    words = _first_words(text)
    return bool(words) and words[0] in _QUERY_WORDS | _OTHER_WORDS
