"""The paragraph that a question covers best, weighed.

Takes the paragraphs found; gives the best with a confidence and the words it leaves open. One that
lacks a number or a period of the question, or cannot tell what is asked for, is about another case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from retrieval.hits import ParagraphHit
from router.coverage import Stems, lenient_confidence, open_words, stems_of
from router.cues import denials
from router.evidence_words import untold_periods
from router.prose_kinds import EXPLAINING, is_legend, may_tell

_CASE = re.compile(r"(?<=\s)(?:if|when)\s", re.IGNORECASE)
"""Opens the case that a rule is asked for: what it denies is no part of the answer."""


@dataclass(frozen=True)
class TextEvidence:
    """The paragraph that the question covers best."""

    hit: ParagraphHit
    confidence: float
    open_words: tuple[str, ...]
    also: tuple[ParagraphHit, ...] = ()
    """Paragraphs under the same heading that cover it as well."""


MAX_ALSO = 2
"""More paragraphs than this beside the best tell no one thing."""


def best_paragraph(question: str, hits: tuple[ParagraphHit, ...]) -> TextEvidence | None:
    """The paragraph that covers the question best, of those that may be about its case."""
    told = [hit for hit in hits if _numbers(question) <= _numbers(hit.text)]
    told = [hit for hit in told if not untold_periods(question, (hit.text, *hit.heading_path))]
    weighed = [_paragraph(question, hit) for hit in told]
    found = [one for one in weighed if may_tell(question, one.hit.text, one.hit.heading_path)]
    best = max(
        found, key=lambda e: (e.confidence, _said(question, e.hit), e.hit.score), default=None
    )
    if best is None or any(_leaves_less_open(one, best) for one in weighed):
        return None
    return replace(best, also=tuple(_also(question, best, found)))


def _leaves_less_open(one: TextEvidence, best: TextEvidence) -> bool:
    """Whether a paragraph that cannot tell what is asked for is what the question is about: it has
    all of its words that the best one has, and more.
    """
    return set(one.open_words) < set(best.open_words)


def _also(question: str, best: TextEvidence, found: list[TextEvidence]) -> list[ParagraphHit]:
    """The other paragraphs under a heading that the question says, where they cover it as well:
    both rules under "Cancelling" may be the one that is asked for.
    """
    path = best.hit.heading_path
    if not path or not stems_of(path[-1:]) & stems_of([question]):
        return []
    others = [
        one.hit
        for one in found
        if one.hit is not best.hit
        and one.hit.heading_path == path
        and one.hit.document == best.hit.document
        and (one.confidence, one.open_words) == (best.confidence, best.open_words)
        and _said(question, one.hit) == _said(question, best.hit)
    ]
    return others if len(others) <= MAX_ALSO else []


def _said(question: str, hit: ParagraphHit) -> int:
    """How many words of the question the paragraph itself has, without its heading."""
    return len(stems_of([hit.text]) & stems_of([question]))


def _paragraph(question: str, hit: ParagraphHit) -> TextEvidence:
    names = _heading(hit) | (EXPLAINING if is_legend(hit.text) else frozenset())
    denied = denials(_CASE.split(question)[0], texts=(hit.text,))
    return TextEvidence(
        hit,
        lenient_confidence(hit.coverage, question, names=names, denied=denied),
        open_words(hit.coverage, question, names=names, denied=denied),
    )


def _heading(hit: ParagraphHit) -> Stems:
    return stems_of(hit.heading_path)


def _numbers(text: str) -> set[str]:
    """The numbers of a text: a paragraph that lacks one of the question is about another case."""
    return set(re.findall(r"\d+", text))
