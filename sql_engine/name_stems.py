"""Words of names and questions: split at case and punctuation, stemmed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

_WORD = re.compile(r"\d+|[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words(text: str) -> tuple[str, ...]:
    """The words of a name or sentence in lower case: "customerId" has two."""
    return tuple(
        part.casefold() for word in _WORD.findall(text) for part in _CAMEL.split(word) if part
    )


@lru_cache(maxsize=50_000)
def stems(text: str) -> frozenset[str]:
    """The stems of a text's words."""
    return frozenset(map(_stem, words(text)))


def content_stems(question: str) -> frozenset[str]:
    """The stems of a question's words, without those that only build the sentence."""
    return stems(" ".join(word for word in words(question) if word not in _FUNCTION_WORDS))


_FUNCTION_WORDS = frozenset(
    words(
        "a an and any are as at be been by can could did do does each every for from give had has "
        "have how i in is it its list many me much no not of on or please return returns show than "
        "that the their them there these they this those to was we were what when where which who "
        "whom whose will with you your find tell all"
    )
)


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
