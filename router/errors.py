"""What can go wrong at the edges, and the exit code of any error of the three packages.

RouterError
├── UsageError         the call itself is wrong (no question, a bad option); nothing was tried
├── NothingLoaded      a question before any table
├── UnknownTable       a table name that is not loaded
├── UnknownTool        a tool name that does not exist
├── BadArguments       arguments that a tool cannot take; names each
├── StateError         a saved folder that cannot be opened
└── MissingExtra       an optional part that is not installed
"""

from __future__ import annotations

from collections.abc import Iterable

EXIT_ANSWERED = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_DECLINED = 3
EXIT_INTERRUPTED = 130


class RouterError(Exception):
    """Base of this package's errors: a message, a stable `code` and a `hint` on what to do next."""

    code = "router_error"
    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(RouterError):
    """The call itself is wrong; nothing was tried."""

    code = "usage"


class NothingLoaded(UsageError):
    """A question was asked before any table was added."""

    code = "nothing_loaded"


class UnknownTable(RouterError):
    """No loaded table has this name."""

    code = "unknown_table"


class UnknownTool(RouterError):
    """No tool has this name."""

    code = "unknown_tool"


class BadArguments(RouterError):
    """A tool cannot take these arguments."""

    code = "bad_arguments"


class StateError(RouterError):
    """A folder does not hold a saved state that this version can open."""

    code = "state_error"


class MissingExtra(RouterError):
    """An optional part is not installed; the hint says how to install it."""

    code = "missing_extra"


def nearest(name: str, known: Iterable[str], *, count: int = 3) -> list[str]:
    """The known names most like `name`, best first."""
    import difflib

    folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold(), folded, n=count, cutoff=0.55)
    return [folded[match] for match in close]


def describe_error(error: BaseException) -> dict[str, dict[str, str]]:
    """The error as the object that tools and `--json` give."""
    return {
        "error": {
            "code": getattr(error, "code", "internal_error"),
            "message": str(error) or type(error).__name__,
            "hint": getattr(error, "hint", ""),
        }
    }
