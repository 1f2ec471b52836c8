"""Replies of a language model kept on disk, found again by the whole request.

A folder with one JSON file a reply, named by the hash of everything that was sent. Off unless a
folder is given: a cached reply costs nothing and is as old as its file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sql_engine.completions import Completion


class ReplyCache:
    """A folder of replies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, request: Mapping[str, Any]) -> Completion | None:
        """The reply kept for this request; None where none is, or its file is damaged."""
        try:
            kept = json.loads(self._path(request).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return kept if isinstance(kept, dict) else None

    def put(self, request: Mapping[str, Any], completion: Completion) -> None:
        """Keep a reply; a reader sees the whole file or none."""
        path = self._path(request)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        draft.write_text(json.dumps(completion), encoding="utf-8")
        draft.replace(path)

    def _path(self, request: Mapping[str, Any]) -> Path:
        text = json.dumps(request, sort_keys=True, ensure_ascii=False)
        return self._folder / f"{hashlib.sha256(text.encode()).hexdigest()}.json"
