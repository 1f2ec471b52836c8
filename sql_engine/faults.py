"""A fault of a statement that a repair may know: its kind, the name it is about, and where.

It is an `InvalidQuery`, so where no repair is known it goes to the caller as it is.
"""

from __future__ import annotations

from typing import Literal

from sql_engine.errors import InvalidQuery

Kind = Literal["syntax", "function", "column", "lambda", "schema"]


class Fault(InvalidQuery):
    """The text does not parse, or names a function or column that is not there."""

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        position: int | None,
        name: str = "",
        hint: str = "",
        is_cell: bool = False,
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.name = name
        self.position = position
        """Byte offset in the text that was parsed."""
        self.is_cell = is_cell
        """Whether the name is what a cell of the query's tables says."""
