"""The paragraph that a question covers best, weighed.

Takes the paragraphs found; gives the best with a confidence and the words it leaves open. One that
lacks a number or a period of the question, or cannot tell what is asked for, is about another case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.hits import ParagraphHit
from router.coverage import Stems, lenient_confidence, open_words, stems_of
from router.cues import denials
from router.evidence_words import untold_periods
from router.prose_kinds import may_tell

_CASE = re.compile(r"(?<=\s)(?:if|when)\s", re.IGNORECASE)
"""Opens the case that a rule is asked for: what it denies is no part of the answer."""


@dataclass(frozen=True)
class TextEvidence:
    """The paragraph that the question covers best."""

    hit: ParagraphHit
    confidence: float
    open_words: tuple[str, ...]


def best_paragraph(question: str, hits: tuple[ParagraphHit, ...]) -> TextEvidence | None:
    """The paragraph that covers the question best, of those that may be about its case."""
    told = [hit for hit in hits if _numbers(question) <= _numbers(hit.text)]
    told = [hit for hit in told if not untold_periods(question, (hit.text, *hit.heading_path))]
    told = [hit for hit in told if may_tell(question, hit.text, hit.heading_path)]
    found = [_paragraph(question, hit) for hit in told]
    return max(found, key=lambda e: (e.confidence, e.hit.score), default=None)


def _paragraph(question: str, hit: ParagraphHit) -> TextEvidence:
    names = _heading(hit)
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
