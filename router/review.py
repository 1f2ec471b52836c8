"""A question's SQL before it runs: the draft, for a person to approve or edit.

Takes any writer; `StopAtDraft` asks it and raises `Drafted` with what it wrote, so that the routes
end where SQL would run. `GivenDraft` writes what was approved.
"""

from __future__ import annotations

from dataclasses import replace

from sql_engine.errors import CannotWrite
from sql_engine.writer import Draft, SqlRequest, SqlWriter


class Drafted(Exception):
    """A draft is ready; carries it."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft.sql)
        self.draft = draft


class StopAtDraft:
    """Writes with another writer and runs nothing."""

    max_attempts = 1

    def __init__(self, writer: SqlWriter) -> None:
        self._writer = writer
        self.name = writer.name
        self.knows_language = writer.knows_language

    def write(self, request: SqlRequest) -> Draft:
        """Never a draft: raises Drafted with it, or CannotWrite where there is none at all."""
        try:
            draft = self._writer.write(request)
        except CannotWrite as error:
            if error.sql is None or error.unplaced:
                raise
            draft = Draft(error.sql, f"unsure: {error}", confidence=0.0)
        raise Drafted(replace(draft, candidates=()))


class GivenDraft:
    """Writes the draft that a person approved; no other writer is asked."""

    name = "given"
    knows_language = True
    max_attempts = 1

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def write(self, request: SqlRequest) -> Draft:
        """The draft."""
        return self._draft
