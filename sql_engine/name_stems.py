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
    return frozenset(content_words(question))


def content_words(question: str) -> tuple[str, ...]:
    """The same stems, in order."""
    return tuple(_stem(word) for word in words(question) if word not in _FUNCTION_WORDS)


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
    return str(_stemmer().stemWord(_IRREGULAR.get(word, word)))


_FORMS = """
begin began begun; break broke broken; bring brought; build built; buy bought; catch caught;
child children; choose chose chosen; come came; deal dealt; draw drew drawn; drink drank drunk;
drive drove driven; eat ate eaten; fall fell fallen; feed fed; fight fought; find found;
fly flew flown; foot feet; forget forgot forgotten; freeze froze frozen; get got gotten;
give gave given; go went gone; grow grew grown; hear heard; hide hid hidden; hold held; keep kept;
know knew known; lay laid; lead led; leave left; lend lent; lose lost; make made; man men;
mean meant; meet met; mouse mice; pay paid; person people; ride rode ridden; ring rang rung;
rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; shoot shot;
show shown; sing sang sung; sink sank sunk; sit sat; sleep slept; speak spoke spoken; spend spent;
stand stood; steal stole stolen; swim swam swum; take took taken; teach taught; tell told;
think thought; throw threw thrown; tooth teeth; wear wore worn; win won; woman women;
write wrote written
"""
_IRREGULAR = {form: line.split()[0] for line in _FORMS.split(";") for form in line.split()[1:]}
"""Forms that a stemmer does not bring together: "taught" is of "teaches"."""


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


OPERATION_STEMS = stems(
    "number total count counts average mean sum amount order ordered sort sorted rank ranked top "
    "most least highest lowest maximum minimum max min ascending descending first last different "
    "distinct unique per id ids name names show results include included inclusive only "
    "take taken make made get got give given use used contain"
)
"""Stems of words that more often say what is to be done than what with."""


KIN, SHORTENED = 0.7, 0.5
"""How far a word stands for another of its family, and for one that is written short."""


def likeness(own: str, said: str) -> float:
    """How far a stem of a name stands for a stem of a question: 1.0 where they are the same."""
    if own == said:
        return 1.0
    shared = _shared(own, said)
    if shared >= _FAMILY and own[shared:] in _ENDINGS and said[shared:] in _ENDINGS:
        return KIN
    return SHORTENED if _is_short_for(own, said) else 0.0


def _shared(one: str, other: str) -> int:
    """How many letters two words begin with alike."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def _is_short_for(own: str, said: str) -> bool:
    """Whether a name's word is one written short: "qty" of quantity, "diag" of diagnosis."""
    if not 2 <= len(own) <= 4 or len(said) < len(own) + 2 or own[0] != said[0]:
        return False
    if len(own) > 2 and said.startswith(own):
        return True
    letters = iter(said)
    spelt = own[1:] if len(own) > 2 else own
    return not set(spelt) & set("aeiou") and all(letter in letters for letter in own)


_FAMILY = 4
"""Letters that words of one family begin with alike, at least."""
_ENDING_LIST = """
e er or r ion ation it al anc enc ant ent iv i y ist ism ship ness age eri ri ur
"""
_ENDINGS = frozenset(["", *_ENDING_LIST.split()])
"""What stems of one family may end in: "send" and "sender", "regist" and "registr"."""
