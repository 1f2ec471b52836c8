"""The text route: the paragraph that tells the rule, quoted whole."""

from __future__ import annotations

from retrieval.hits import ParagraphHit
from router.answer import Answer, Citation, Route
from router.question import Asked, Nothing


def answer(asked: Asked) -> Answer | Nothing:
    """The best paragraph, where it accounts for the question."""
    found = asked.evidence.text
    if found is None:
        return Nothing()
    if found.confidence < asked.min_confidence:
        return Nothing(words=found.open_words)
    return paragraph_answer(asked.question, found.hit, found.confidence, found.also)


def paragraph_answer(
    question: str, hit: ParagraphHit, confidence: float, also: tuple[ParagraphHit, ...] = ()
) -> Answer:
    """A paragraph, quoted whole, with those that tell as much in the order of the document."""
    told = sorted((hit, *also), key=lambda each: (each.page or 0, each.line or 0))
    return Answer(
        question=question,
        route=Route.TEXT,
        text="\n".join(each.text for each in told),
        citations=tuple(map(_citation, told)),
        confidence=confidence,
    )


def _citation(hit: ParagraphHit) -> Citation:
    return Citation(
        document=hit.document,
        version=hit.version,
        table_id=None,
        title=hit.heading_path[-1] if hit.heading_path else "",
        page=hit.page,
        line=hit.line,
    )
