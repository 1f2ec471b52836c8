"""Tables of a test, each in a router of its own, so that no other stands beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from router import Router


@contextmanager
def each_alone(tables: Mapping[str, object], folder: Path | None = None) -> Iterator[dict]:
    """A router by each name: over rows as they are, over a text as a file of that name in `folder`,
    which is CSV where the name tells no other format.
    """
    with ExitStack() as stack:
        routers = {name: stack.enter_context(Router(writer="offline")) for name in tables}
        for name, told in tables.items():
            if folder is None or not isinstance(told, str):
                routers[name].add(told, name=name)
                continue
            path = folder / (name if "." in name else f"{name}.csv")
            path.write_text(told, encoding="utf-8")
            routers[name].add(path)
        yield routers
