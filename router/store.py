"""A router's state in a folder: the index with its documents, and the settings.

Saving replaces what the folder held; opening reads no source again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from retrieval.index import Index
from retrieval.sources import Sources
from router.errors import StateError
from router.settings import Settings, names

_STATE_FILE = "tabroute.json"
VERIFIED_FILE = "verified.sql"
CHOICES_FILE = "choices.json"
SOURCES_FILE = "sources.json"
_INDEX_FOLDER = "index"
_VERSION = 1


def save(folder: Path, index: Index, settings: Settings) -> None:
    """Write the state. Raises StateError where the folder holds something else."""
    if folder.exists() and not is_saved(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise StateError(
            f"{folder} exists and holds no saved state",
            hint="Name a new or empty folder, so that nothing of yours is overwritten.",
        )
    folder.mkdir(parents=True, exist_ok=True)
    index.save(folder / _INDEX_FOLDER)
    state = {"version": _VERSION, "settings": settings.as_dict()}
    (folder / _STATE_FILE).write_text(json.dumps(state, indent=2) + "\n", encoding="utf-8")


def read(folder: Path) -> tuple[Index, dict[str, Any]]:
    """The index and the settings as saved. Raises StateError."""
    if not is_saved(folder):
        raise StateError(
            f"{folder} holds no saved state", hint="Make one with: tabroute index FOLDER PATH…"
        )
    try:
        state = json.loads((folder / _STATE_FILE).read_text(encoding="utf-8"))
        version, kept = state["version"], dict(state["settings"])
    except (ValueError, KeyError, TypeError) as error:
        raise StateError(f"{folder / _STATE_FILE} is damaged: {error}") from error
    if version != _VERSION:
        raise StateError(
            f"{folder} was saved by another version",
            hint="Save it again with: tabroute index FOLDER PATH…",
        )
    return Index.open(folder / _INDEX_FOLDER), {k: v for k, v in kept.items() if k in names()}


def is_saved(folder: Path) -> bool:
    """Whether the folder holds a saved state."""
    return (folder / _STATE_FILE).is_file()


def read_sources(folder: Path) -> Sources:
    """What the saved sources looked like when they were loaded. Raises StateError."""
    try:
        return Sources.read(folder / SOURCES_FILE)
    except ValueError as error:
        raise StateError(f"{folder / SOURCES_FILE} is damaged: {error}") from error
