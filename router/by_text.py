"""The text route: the paragraph that tells the rule, quoted whole."""

from __future__ import annotations

from router.answer import Answer, Citation, Route
from router.question import Asked, Nothing


def answer(asked: Asked) -> Answer | Nothing:
    """The best paragraph, where it accounts for the question."""
    found = asked.evidence.text
    if found is None:
        return Nothing()
    if found.confidence < asked.min_confidence:
        return Nothing(words=found.open_words)
    best = found.hit
    return Answer(
        question=asked.question,
        route=Route.TEXT,
        text=best.text,
        citations=(
            Citation(
                document=best.document,
                version=best.version,
                table_id=None,
                title=best.heading_path[-1] if best.heading_path else "",
                page=best.page,
                line=best.line,
            ),
        ),
        confidence=found.confidence,
    )
