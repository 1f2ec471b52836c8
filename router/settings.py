"""The one table of settings: name, default and help, read by `Router`, the command line, the REPL
and the docs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

from router.errors import UsageError, nearest

ENVIRONMENT_PREFIX = "TABROUTE"


def _setting(default: Any, help: str) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Settings:
    """All settings with their defaults."""

    writer: str = _setting(
        "auto", "who writes SQL: offline, openai, or auto (openai where a key or base URL is set)"
    )
    model: str | None = _setting(None, "the language model's name, for the writer openai")
    max_rows: int = _setting(1000, "rows of a result that are returned; the rest is told")
    timeout_s: float = _setting(10.0, "seconds that one query may run")
    memory_limit: str = _setting("1GB", "memory that one query may use")
    min_confidence: float = _setting(0.5, "below this an answer is declined, 0 to 1")
    share: Literal["schema", "samples", "rows"] = _setting(
        "samples", "what of the data may reach a model: schema, samples or rows"
    )
    verified: str | None = _setting(None, "file of confirmed questions with their SQL")
    glossary: str | None = _setting(
        None, "file of synonyms, metrics, filters, joins, forbidden columns"
    )
    lookup_rows: int = _setting(3, "rows that a look-up returns")
    tool_max_rows: int = _setting(50, "rows of a result that a tool call returns")
    tool_max_chars: int = _setting(20_000, "characters that a tool result may have")

    def changed(self, **values: Any) -> Settings:
        """These settings with some changed. Raises UsageError for an unknown name or bad value."""
        for name, value in values.items():
            _check(name, value)
        return replace(self, **values)

    def as_dict(self) -> dict[str, Any]:
        """Name to value."""
        return asdict(self)


def names() -> list[str]:
    """The settings' names, in order."""
    return [f.name for f in fields(Settings)]


def help_of(name: str) -> str:
    """A setting's help. Raises KeyError."""
    return str({f.name: f.metadata["help"] for f in fields(Settings)}[name])


def default(name: str) -> Any:
    """A setting's default. Raises AttributeError."""
    return getattr(Settings(), name)


def environment(name: str) -> str:
    """The environment variable that the command line reads for a setting."""
    return f"{ENVIRONMENT_PREFIX}_{name.upper()}"


def read(name: str, text: str) -> Any:
    """A setting's value from text. Raises UsageError."""
    if name not in names():
        raise _unknown(name)
    kind = type(default(name))
    try:
        return text if kind in (str, type(None)) else kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise UsageError(f"{name} takes {wanted}, not {text!r}") from None


_SHARES = ("schema", "samples", "rows")
_WRITERS = ("auto", "offline", "openai")


def _check(name: str, value: Any) -> None:
    if name not in names():
        raise _unknown(name)
    if name == "writer" and value not in _WRITERS:
        raise UsageError(f"no writer {value!r}", hint=f"Use {', '.join(_WRITERS)}.")
    if name == "share" and value not in _SHARES:
        raise UsageError(f"no share {value!r}", hint=f"Use {', '.join(_SHARES)}.")
    if name == "min_confidence" and not 0 <= value <= 1:
        raise UsageError(f"min_confidence is from 0 to 1, not {value}")
    if isinstance(default(name), int | float) and name != "min_confidence" and value <= 0:
        raise UsageError(f"{name} is above 0, not {value}")


def _unknown(name: str) -> UsageError:
    close = nearest(name, names())
    hint = f"Did you mean {close[0]}?" if close else f"The settings are {', '.join(names())}."
    return UsageError(f'no setting "{name}"', hint=hint)
