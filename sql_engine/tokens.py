"""The tokens of SQL text, as DuckDB's own tokenizer finds them, to look around in."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb


@dataclass(frozen=True)
class Token:
    """A token of the text: byte offsets, end exclusive and without trailing space."""

    start: int
    end: int
    kind: str
    text: str


def tokens(sql: str) -> list[Token]:
    """The tokens of a text, comments included."""
    data = sql.encode()
    marks = duckdb.tokenize(sql)
    ends = [start for start, _ in marks[1:]] + [len(data)]
    return [
        Token(start, start + len(piece), kind.name, piece.decode("utf-8", "replace"))
        for (start, kind), end in zip(marks, ends, strict=True)
        for piece in [data[start:end].rstrip()]
    ]


@dataclass(frozen=True)
class Call:
    """A function call: its name, the tokens of each argument, its closing parenthesis."""

    name: Token
    arguments: tuple[tuple[Token, ...], ...]
    close: Token


class Words:
    """The tokens of a text, to look around in."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens

    def at(self, position: int | None) -> int | None:
        """The index of the token that begins at a byte offset."""
        return next((i for i, t in enumerate(self.tokens) if t.start == position), None)

    def lower(self, index: int) -> str:
        """A token's text in lower case; "" beyond the ends."""
        return self.tokens[index].text.lower() if 0 <= index < len(self.tokens) else ""

    def indexes(self, *texts: str) -> list[int]:
        """Where these words follow each other."""
        return [
            i
            for i in range(len(self.tokens))
            if all(self.lower(i + j) == text for j, text in enumerate(texts))
        ]

    def opening(self, index: int) -> int | None:
        """The parenthesis around the token at `index`; of a closing one, that which it closes."""
        depth = 0
        for i in range(index - 1, -1, -1):
            if self.tokens[i].text in CLOSE:
                depth += 1
            elif self.tokens[i].text in OPEN:
                if depth == 0:
                    return i
                depth -= 1
        return None

    def call(self, index: int) -> Call | None:
        """The call whose name stands at `index`."""
        if self.lower(index + 1) != "(":
            return None
        depth, arguments = 0, list[list[Token]]()
        current: list[Token] = []
        for token in self.tokens[index + 1 :]:
            if token.text in OPEN:
                depth += 1
                if depth == 1:
                    continue
            elif token.text in CLOSE:
                depth -= 1
                if depth == 0:
                    arguments += [current] if current or arguments else []
                    return Call(self.tokens[index], tuple(map(tuple, arguments)), token)
            elif token.text == "," and depth == 1:
                arguments.append(current)
                current = []
                continue
            current.append(token)
        return None


OPEN, CLOSE = ("(", "[", "{"), (")", "]", "}")


def span(tokens: tuple[Token, ...]) -> tuple[int, int]:
    """Where the tokens begin and end, in bytes."""
    return tokens[0].start, tokens[-1].end


def source(tokens: tuple[Token, ...]) -> str:
    """The tokens' text, spaced where they were."""
    text, end = "", tokens[0].start
    for token in tokens:
        text += " " * (token.start > end) + token.text
        end = token.end
    return text
