"""A database bound to one call's cancellation: stopping the call stops its queries alone."""

from __future__ import annotations

from dataclasses import dataclass

from sql_engine.database import Database
from sql_engine.pool import Cancellation
from sql_engine.query import Query
from sql_engine.result import Limits, Result


@dataclass(frozen=True)
class StoppableDatabase:
    """Runs checked queries until its cancellation is cancelled."""

    database: Database
    cancellation: Cancellation

    def execute(self, query: Query, limits: Limits = Limits()) -> Result:
        """The result. Raises ExecutionError, LimitExceeded, Cancelled."""
        return self.database.execute(query, limits, cancellation=self.cancellation)
