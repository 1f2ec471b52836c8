"""Which route a question takes: decided from its words and from what was found, with no model.

Takes the question and its `Evidence`; gives a `Decision` with the routes in the order to try. Well
under two milliseconds: it only reads what is already found.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from router.answer import Route
from router.coverage import Stems, stems_of, telling_stems
from router.cues import Cue, asks_for_some, denials, operations
from router.errors import UsageError
from router.evidence import Evidence
from router.question_forms import asks_for_a_rule, asks_for_whole_rows, asks_to_show
from router.row_evidence import FEW_ROWS, RowEvidence
from router.stated import COUNTED
from sql_engine.links import Links

Operations = tuple[Cue, ...]

PROSE_MARGIN = 0.1
"""How much better than rows and tables a paragraph must cover a question that asks for no rule."""


STATED = frozenset(("count", "sum", "mean", "share"))
"""Operations whose words ("number of", "total", "average") also label a published number."""
HOW_MUCH = ("how", "much")
"""Asks for an amount as "how long" does: of one row it is no operation."""
UNSTATED = frozenset(
    ("group", "bound", "difference", "median", "compare_number", "compare_number_after")
)
"""What no cell says without a header's words: a figure of each, of two, or of what comes after."""
RANKED = frozenset(("most", "least", "superlative"))
"""Operations that ask which of several: a row that is named is none of them by itself."""


@dataclass(frozen=True)
class Decision:
    """The route chosen, and what to try when it finds nothing."""

    route: Route
    confidence: float
    reason: str
    """One sentence."""
    tables: tuple[str, ...] = ()
    """Names of the tables found, best first."""
    otherwise: tuple[Route, ...] = ()
    """The other routes that may answer, in the order to try them."""
    links: Links = field(default_factory=Links)
    checked: bool = False
    """One published cell may say what is computed: both are found, and compared."""

    def forced(self, route: Route | str) -> Decision:
        """This decision with the route told from outside. Raises UsageError."""
        allowed = [each.value for each in Route if each is not Route.DECLINED]
        if route not in allowed:
            raise UsageError(f'no route "{route}"', hint=f"Routes: {', '.join(allowed)}.")
        told = Route(route)
        return replace(
            self,
            route=told,
            otherwise=(),
            checked=False,
            reason=f'The route "{told}" was asked for.',
        )


def decide(question: str, evidence: Evidence, *, model: bool = False) -> Decision:
    """Choose the route.

    Args:
        question: as asked.
        evidence: what was found for it.
        model: whether a language model writes the SQL; it reads an operation in its sentence, so
            that a number asked for with "how many" is computed even where a cell states one.
    """
    computing = _computing(question, evidence)
    stated = bool(computing) and _may_state(evidence.row, computing, model=model)
    confidences = _confidences(evidence, shown=stated or _is_amount(computing))
    route, reason = _choose(question, evidence, confidences, () if stated else computing)
    if route is Route.TABLE and (phrase := _computed_of_a_table(question, evidence)):
        computing, stated = (Cue("", phrase),), False
        route, reason = _choose(question, evidence, confidences, computing)
    row, amount = evidence.row, _is_amount(computing)
    checked = (
        route is Route.ROW
        and not model
        and ((stated and not amount) or (row is not None and row.is_filtered))
    )
    if checked:
        route, reason = Route.SQL, f"{reason} What it says is computed as well."
    # What has to be computed is in no row and no table: only a paragraph may tell it instead.
    computed = (computing and not stated and not amount) or _denied(question, evidence)
    others = (Route.SQL, Route.TEXT) if computed else tuple(confidences)
    rest = sorted((r for r in others if r is not route), key=lambda r: -confidences[r])
    return Decision(
        route=route,
        confidence=round(confidences[route], 3),
        reason=reason,
        tables=tuple(dict.fromkeys(hit.table for hit in evidence.tables)),
        otherwise=tuple(rest),
        links=evidence.links,
        checked=checked,
    )


def _confidences(evidence: Evidence, *, shown: bool) -> dict[Route, float]:
    """How well each route's evidence covers the question, in the order of preference on a tie.

    Only where rows may be `shown` as they are, a table stands for most of its rows.
    """
    row = evidence.row.confidence if evidence.row else 0.0
    table = evidence.table.confidence if evidence.table else 0.0
    return {
        Route.ROW: row,
        Route.SQL: max(row, table),
        Route.TEXT: evidence.text.confidence if evidence.text else 0.0,
        Route.TABLE: row if shown and evidence.row and evidence.row.widened else table,
    }


def _computing(question: str, evidence: Evidence) -> Operations:
    """The operations that the question names, where no header and no label says them."""
    row, table = evidence.row, evidence.table
    grouped = next((each.grouping for each in (row, table) if each and each.grouping), ())
    if grouped:
        return (Cue("group", grouped),)
    if row is not None and row.bound:
        return (Cue("bound", row.bound),)
    if row is None:
        return operations(question)
    header = set(row.hit.coverage.header_words)
    labels = [stems_of([text]) for text in row.label_texts]
    asked = stems_of([question])
    return tuple(
        cue
        for cue in operations(question)
        if not set(cue.phrase) <= header and not _says(labels, cue, asked)
    )


def _computed_of_a_table(question: str, evidence: Evidence) -> tuple[str, ...]:
    """Words of an operation, where a whole table would be told for it and no listing is asked."""
    table = evidence.table
    return () if table is None or asks_for_whole_rows(question) else table.computed


def _is_amount(computing: Operations) -> bool:
    """Whether nothing but "how much" is asked to be computed, or nothing at all."""
    return all(cue.phrase == HOW_MUCH for cue in computing)


def _says(labels: list[Stems], cue: Cue, asked: Stems) -> bool:
    """Whether a cell says the operation, and the question more of that cell if it has more words:
    "total" is no "Total station".
    """
    words = telling_stems(" ".join(cue.phrase))
    return bool(words) and any(
        words <= label and (label == words or bool((label - words) & asked)) for label in labels
    )


def _may_state(row: RowEvidence | None, asked: Operations, *, model: bool) -> bool:
    """Whether one published cell may say what the operations ask for."""
    if row is None or any(cue.operator in UNSTATED for cue in asked):
        return False
    if not (row.among_amounts or all(c.operator not in COUNTED for c in asked)):
        return False
    if any(cue.operator in RANKED for cue in asked):
        return False
    if row.pinned:
        return not (model and row.cell_is_number)
    return row.stated and not model and all(c.operator in STATED for c in asked)


def _choose(
    question: str, evidence: Evidence, confidences: dict[Route, float], computing: Operations
) -> tuple[Route, str]:
    if computing:
        return Route.SQL, f'"{" ".join(computing[0].phrase)}" has to be computed over the rows.'
    if _prose_is_better(question, evidence, confidences):
        return Route.TEXT, "A paragraph covers the question better than any row or table."
    if denied := _denied(question, evidence):
        return Route.SQL, f'"{denied}" leaves rows out, which has to be computed.'
    if evidence.row is not None and _row_is_better(evidence, confidences):
        return _about_rows(evidence.row)
    if evidence.table is None:
        return Route.SQL, "Nothing in the tables names what is asked."
    if evidence.table.repeated_column:
        column = evidence.table.repeated_column
        return Route.SQL, f'"{column}" repeats: its different values are asked for.'
    if asks_for_some(question):
        return Route.SQL, "Rows with something are asked for, which leaves others out."
    return Route.TABLE, "The question names the table or its columns, and no row of it."


def _denied(question: str, evidence: Evidence) -> str | None:
    """A word that denies and that neither the best row nor the best table says."""
    found = [each.open_words for each in (evidence.row, evidence.table) if each is not None]
    return next((w for w in denials(question) if found and all(w in o for o in found)), None)


def _prose_is_better(question: str, evidence: Evidence, confidences: dict[Route, float]) -> bool:
    best = max(confidences[Route.ROW], confidences[Route.TABLE])
    if best and asks_to_show(question):
        return False  # no paragraph is a listing
    if asks_for_a_rule(question) and not (evidence.row and evidence.row.pinned):
        return confidences[Route.TEXT] > 0 and confidences[Route.TEXT] >= best
    return confidences[Route.TEXT] > best + PROSE_MARGIN


def _row_is_better(evidence: Evidence, confidences: dict[Route, float]) -> bool:
    """The row covers the question as well as the table does, or by more of its words."""
    if evidence.row is None or evidence.table is None:
        return evidence.row is not None
    row, table = evidence.row.hit.coverage, evidence.table.hit.coverage
    words = len(row.cell_words) + len(row.header_words), len(table.header_words)
    return (confidences[Route.ROW], words[0]) >= (confidences[Route.TABLE], words[1])


def _about_rows(row: RowEvidence) -> tuple[Route, str]:
    matching, count = row.matching, 1 if row.stated else len(row.matching.rows)
    if row.widened and not row.stated:
        return Route.TABLE, f"{count} of {matching.body_rows} rows match: the table is the answer."
    if row.tied:
        return Route.SQL, "Several rows have these words, which is a filter rather than a look-up."
    if count > FEW_ROWS:
        return Route.SQL, f"{count:,} rows match, which is a filter rather than a look-up."
    named = row.hit.named[0][1] if row.hit.named else " ".join(row.hit.coverage.cell_words)
    beside = " and one column of its row" if row.cell is not None else ""
    return Route.ROW, f'The question names "{named}"{beside}.'
