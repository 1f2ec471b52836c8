"""What a query may contain, as reviewed lists and limits; every check reads its rules here.

The lists are text files beside this module, one name a line. They name what was seen and judged in
one version of DuckDB: what is on no list is refused, and a test compares the lists with the engine.
"""

from __future__ import annotations

from importlib.resources import files

MAX_CHARACTERS = 20_000
"""Length of a statement."""

SIZES = {
    "nodes": 6000,
    "nesting": 160,
    "nested lambdas": 4,
    "joins": 24,
    "subqueries": 60,
    "CTEs": 40,
    "references to CTEs": 200,
    "set operations": 60,
    "terms of AND and OR": 200,
    "output columns": 500,
    "list items": 2000,
    "grouping sets": 64,
}
"""The most of each that one statement may hold. Beyond them the binder and the optimizer, which
nothing can interrupt, take seconds."""

MAX_LITERAL_REPEAT = 10_000
"""Length that a function of `REPEATING` may be asked for."""

MAX_LITERAL_SERIES = 1_000_000
"""Values that a literal `range` or `generate_series` may span."""

REPEATING = frozenset({"repeat", "lpad", "rpad", "list_resize", "array_resize", "bitstring"})
"""Functions that make a value as long as their second argument says."""

TAKES_LAMBDA = frozenset(
    f"{prefix}{what}"
    for what in ("transform", "apply", "filter", "reduce")
    for prefix in ("", "list_", "array_")
)
"""Functions whose further arguments may be lambdas."""

SERIES = frozenset({"range", "generate_series"})


def listed(name: str) -> frozenset[str]:
    """The names of one list, without its comments."""
    lines = files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("# "))


FUNCTIONS = frozenset(name.lower() for name in listed("functions"))
"""Functions, operators and macros that may be called."""

REFUSED_FUNCTIONS = frozenset(name.lower() for name in listed("refused_functions"))
"""Functions that exist and may not be called. One on no list is as good as not there."""

TABLE_FUNCTIONS = listed("table_functions")
"""Functions that may stand in FROM."""

VOLATILE = frozenset({"random", "uuid", "uuidv4", "uuidv7", "gen_random_uuid"})
"""Functions whose second run gives something else."""

ENGINE_SCHEMAS = frozenset({"information_schema", "pg_catalog", "system", "temp", "main", "memory"})
"""Schemas that are there without any table being loaded."""
