"""Arguments of a command line that stand in each other's place.

Takes what was given as question and as paths; raises `UsageError` with the right order.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from retrieval.sources import source_paths
from router.errors import UsageError


def words_first(command: str, first: str, paths: Sequence[str]) -> None:
    """Raise where the words of a command are a file, and its paths are none."""
    if paths and _is_there(first) and not any(map(_is_there, paths)):
        raise UsageError(
            f"{first} is a file or folder, and {paths[0]!r} is none: the words come first",
            hint=f'tabroute {command} "{paths[0]}" {first}',
        )


def folder_first(folder: Path, paths: Sequence[str]) -> None:
    """Raise where a state would be saved in what is a file: the folder comes first."""
    if folder.is_file():
        raise UsageError(
            f"{folder} is a file, and no folder to save in: the folder comes first",
            hint=f"tabroute index {paths[0] if paths else 'FOLDER'} {folder}",
        )


def _is_there(path: str) -> bool:
    try:
        return Path(path).exists() or bool(source_paths(Path(path)))
    except (OSError, ValueError):  # a question is often too long for a path
        return False
