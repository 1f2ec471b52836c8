"""What can go wrong while reading or searching.

RetrievalError
├── SourceError              a source that cannot be read
│   ├── SourceNotFound       no such file, folder or match
│   ├── EmptySource          nothing in it: no bytes, no rows, no tables
│   └── UnreadableSource     bytes that are not what the name says, or no format we know
├── UnknownDocument          a name that is not loaded
└── MissingExtra             an optional library that is not installed
"""

from __future__ import annotations


class RetrievalError(Exception):
    """Base of this package's errors: a message, a stable `code` and a `hint` on what to do next."""

    code = "retrieval_error"
    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class SourceError(RetrievalError):
    """A source could not be read; what was loaded before stays."""

    code = "source_error"


class SourceNotFound(SourceError):
    """No file or folder is there, or a pattern matches nothing."""

    code = "source_not_found"


class EmptySource(SourceError):
    """The source is there and holds no table and no prose."""

    code = "empty_source"


class UnreadableSource(SourceError):
    """The source's bytes cannot be read as a table of any format we know."""

    code = "unreadable_source"


class UnknownDocument(RetrievalError):
    """No loaded document has this name."""

    code = "unknown_document"


class MissingExtra(RetrievalError):
    """Something was asked for that needs an optional library."""

    code = "missing_extra"
