"""The version of the installed distribution."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def version_text() -> str:
    """As published, or that this runs from a source tree that is not installed."""
    try:
        return version("tabroute")
    except PackageNotFoundError:
        return "(not installed)"
