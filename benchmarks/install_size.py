"""Print what the core adds to the five named packages, in MB of installed files.

Usage: python -m benchmarks.install_size

Reads the installed distributions of the running environment: the closure of duckdb, sqlglot,
openai, pandas and rank-bm25, and the closure of tabroute's core without them.
"""

from __future__ import annotations

import re
from importlib import metadata

NAMED = ("duckdb", "sqlglot", "openai", "pandas", "rank-bm25")


def requirement_names(name: str) -> list[str]:
    """The distributions that `name` needs without any extra."""
    plain = (need for need in metadata.requires(name) or [] if "extra ==" not in need)
    return [match[0] for need in plain if (match := re.match(r"[A-Za-z0-9._-]+", need))]


def closure(names: tuple[str, ...]) -> set[str]:
    """`names` with all they need that is installed, normalised."""
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        try:
            needs = [] if name in seen else requirement_names(name)
        except metadata.PackageNotFoundError:
            continue  # needed on another platform only
        seen.add(name)
        waiting += needs
    return seen


def size_mb(name: str) -> float:
    """A distribution's files, in MB."""
    paths = [file.locate() for file in metadata.files(name) or []]
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def main() -> None:
    """Print both sums and the parts of the core's own share, largest first."""
    named = closure(NAMED)
    core = closure(("tabroute",)) - named
    sizes = {name: size_mb(name) for name in named | core}
    print(f"five named packages with what they need: {sum(sizes[n] for n in named):.0f} MB")
    print(f"the core beside them:                    {sum(sizes[n] for n in core):.0f} MB")
    for name in sorted(core, key=lambda n: -sizes[n]):
        print(f"  {name:24} {sizes[name]:6.1f}")


if __name__ == "__main__":
    main()
