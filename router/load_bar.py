"""A bar on a terminal's stderr while tables are loaded; nothing where the load is short.

Takes what is to be loaded; gives what `Router.add` calls with its progress.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click

from retrieval.progress import Progress, part, unseen

LONG_BYTES = 2_000_000
"""Sources of this size, or of this many files, take long enough for a bar."""
LONG_FILES = 20
_STEPS = 1000


@contextmanager
def load_bar(paths: Sequence[str], stream: TextIO | None = None) -> Iterator[list[Progress]]:
    """One progress a path, together from nothing to all."""
    stream = sys.stderr if stream is None else stream
    if not (stream.isatty() and _is_long(paths)):
        yield [unseen for _ in paths]
        return
    with click.progressbar(
        length=_STEPS, file=stream, show_eta=False, item_show_func=lambda doing: doing
    ) as bar:
        done = 0

        def show(share: float, doing: str) -> None:
            nonlocal done
            step = max(done, round(share * _STEPS))
            bar.update(step - done, doing)
            bar.render_progress()
            done = step

        count = len(paths)
        yield [part(show, i / count, (i + 1) / count) for i in range(count)]


def _is_long(paths: Sequence[str]) -> bool:
    from retrieval.sources import source_paths

    files = [file for path in paths for file in source_paths(Path(path))]
    return len(files) >= LONG_FILES or sum(f.stat().st_size for f in files) >= LONG_BYTES
