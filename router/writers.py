"""Which SQL writer the settings mean: the language model's, or the offline one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from router.settings import Settings
    from sql_engine.writer import SqlWriter

_MODEL_ENVIRONMENT = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_API_KEY")


def make(settings: Settings, client: object | None = None) -> SqlWriter:
    """The writer; `auto` means the model's where a client, a key or a base URL is."""
    name = settings.writer
    if name == "auto":
        configured = client is not None or any(os.environ.get(v) for v in _MODEL_ENVIRONMENT)
        name = "openai" if configured else "offline"
    if name == "openai":
        from sql_engine.openai_writer import OpenAIWriter

        given: Any = client
        return OpenAIWriter(settings.model, given, share=settings.share)
    from sql_engine.offline import OfflineWriter

    return OfflineWriter()
