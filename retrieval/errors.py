"""What can go wrong while reading or searching.

RetrievalError
├── SourceError          a source that cannot be read (missing, binary, undecodable, no tables)
└── UnknownDocument      a name that is not loaded
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


class UnknownDocument(RetrievalError):
    """No loaded document has this name."""

    code = "unknown_document"
