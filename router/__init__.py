"""Decides which route answers a question, calls it, and assembles a cited `Answer`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from router.answer import Answer, Citation, Reading, Route
    from router.intent import Decision
    from router.router import Router

__all__ = ["Answer", "Citation", "Decision", "Reading", "Route", "Router"]

_HOMES = {
    "Answer": "router.answer",
    "Citation": "router.answer",
    "Decision": "router.intent",
    "Reading": "router.answer",
    "Route": "router.answer",
    "Router": "router.router",
}


def __getattr__(name: str) -> Any:
    """Public names are loaded when first used: the command line's help needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
