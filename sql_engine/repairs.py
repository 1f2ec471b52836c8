"""Safe repairs of SQL that another dialect would accept.

Takes text that DuckDB does not parse and the fault; gives the edits that mend it, with a note, or
None. A repair is on the list only where both dialects mean the same; each is an edit of the
original text, and what comes of it is checked like any other statement.
"""

from __future__ import annotations

from dataclasses import dataclass

from sql_engine.edits import Edit
from sql_engine.parse import SyntaxFault


@dataclass(frozen=True)
class Repair:
    """Edits that mend one fault, and what they do in one sentence."""

    edits: tuple[Edit, ...]
    note: str


def repair(sql: str, fault: SyntaxFault) -> Repair | None:
    """The repair of this fault, if a safe one is known."""
    return None
