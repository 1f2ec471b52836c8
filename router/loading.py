"""Sources loaded in a thread, so that a server answers its client at once.

Takes a router and paths; whoever needs the tables waits for `done` and may look at `share` and
`doing`. A source that cannot be read is told on stderr, and is an error for every call that needs
it, raised by `check`.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from retrieval.progress import part

if TYPE_CHECKING:
    from retrieval.table import LoadReport
    from router.router import Router


class Loading(threading.Thread):
    """One load; `start` begins it."""

    def __init__(self, tables: Router, paths: Sequence[str]) -> None:
        super().__init__(daemon=True, name="tabroute-loading")
        self._tables = tables
        self._paths = tuple(paths)
        self.share = 0.0
        """Done so far, from 0 to 1."""
        self.doing = "starting"
        self.done = threading.Event()
        self.reports: list[LoadReport] = []
        self._error: Exception | None = None

    def run(self) -> None:
        """Load every path in turn; the first that cannot be read ends it."""
        count = len(self._paths)
        try:
            for number, path in enumerate(self._paths):
                progress = part(self._note, number / count, (number + 1) / count)
                self.reports.append(self._tables.add(path, progress=progress))
        except Exception as error:  # raised again where it is waited for
            self._error = error
            hint = getattr(error, "hint", "")
            print(f"error: {error}" + (f"\n  {hint}" if hint else ""), file=sys.stderr)
        self.done.set()

    def check(self) -> None:
        """Raise what ended the load, where something did."""
        if self._error is not None:
            raise self._error

    def _note(self, share: float, doing: str) -> None:
        self.share, self.doing = share, doing
