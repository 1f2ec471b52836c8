"""How the REPL shows results: names, defaults and help, as `settings.py` has them for answers.

`.set`, `.show` and the configuration file read it; nothing here changes an answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from router import render
from router.errors import UsageError


def _shown(default: Any, help: str) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Display:
    """All display settings with their defaults."""

    mode: str = _shown("table", f"how results are shown: {', '.join(render.FORMATS)}")
    null: str = _shown(render.NULL, "what stands for a missing value in tables")
    field_width: int = _shown(500, "characters of a cell that are shown; .full shows all")
    timer: bool = _shown(False, "show how long each answer took (on in a terminal)")
    review: bool = _shown(False, "show drafted SQL for approval or editing before it runs")

    def changed(self, name: str, text: str) -> Display:
        """This display with one setting read from text. Raises UsageError."""
        return replace(self, **{name: _read(name, text)})


def names() -> list[str]:
    """The settings' names, in order."""
    return [f.name for f in fields(Display)]


def help_of(name: str) -> str:
    """A setting's help. Raises KeyError."""
    return str({f.name: f.metadata["help"] for f in fields(Display)}[name])


def text_of(value: object) -> str:
    """A setting's value as a person types it."""
    return (
        {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    )


_SWITCH = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}


def _read(name: str, text: str) -> Any:
    kind = type(getattr(Display(), name))
    if name == "mode" and text not in render.FORMATS:
        raise UsageError(f"no mode {text!r}", hint=f"Use {', '.join(render.FORMATS)}.")
    if kind is bool:
        if text.casefold() not in _SWITCH:
            raise UsageError(f"{name} is on or off, not {text!r}")
        return _SWITCH[text.casefold()]
    if kind is int:
        if not text.isdecimal() or int(text) < 1:
            raise UsageError(f"{name} takes a whole number above 0, not {text!r}")
        return int(text)
    return text
