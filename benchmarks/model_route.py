"""What the language model's route does without a model: keys, prompts, messages.

    python -m benchmarks run join-keys|schema-pruning|fault-injection --data DIR

`join-keys`: found joins against those that the spider databases declare, names shown and hidden.
`schema-pruning`: whether the prompt holds the tables and columns that the gold reads, and the cells
that it compares with are linked; spider and defog loaded together, five tables, thirty columns.
`fault-injection`: gold of spider broken as models do, and whether the message that goes back names
what mends it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import fault_injection, join_keys, schema_pruning

PARTS = ("join-keys", "schema-pruning", "fault-injection")


def measure(part: str, data: Path, limit: int | None) -> dict[str, Any]:
    """The figures of one part."""
    if part == "join-keys":
        folder = data / "spider" / "sqlite"
        ways = {"names shown": False, "names hidden": True}
        told = {way: join_keys.measure(folder, hide=hide) for way, hide in ways.items()}
        return {"by": {way: _numbers(found) for way, found in told.items()}}
    if part == "schema-pruning":
        folders = [data / "spider", data / "defog"]
        catalog = schema_pruning.together(folders)
        found = {folder.name: schema_pruning.measure(folder, catalog) for folder in folders}
        return {"by set": {name: _numbers(told) for name, told in found.items()}}
    return fault_injection.figures(fault_injection.measure(data / "spider", limit))


def _numbers(found: dict[str, Any]) -> dict[str, float]:
    """The figures alone, without what each is made of."""
    return {name: round(v, 3) for name, v in found.items() if isinstance(v, (int, float))}
