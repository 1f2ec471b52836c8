"""A value that the question names, and the query leaves out.

Takes the question and a query's tree; gives a problem for each text that the query only excludes
(`<>`, `NOT IN`) while nothing in the question denies: a usual filter that was kept where the very
rows it hides are asked about, or a condition turned around.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sql_engine.checks import Problem
from sql_engine.name_stems import content_stems, stems
from sql_engine.sql_names import literal
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp

_DENIES = re.compile(
    r"\b(?:not|no|non|never|none|without|except\w*|exclu\w+|neither|nor|cannot|other|others|else"
    r"|besides?|apart|aside|but|rest|remain\w+|differ\w*|unlike|outside|instead|rather|than|omit\w*"
    r"|ignor\w+|leav\w+|skip\w*|minus|less|beyond|un\w{4,})\b|n't\b",
    re.IGNORECASE,
)


def values_left_out(question: str, tree: SqlTree) -> Iterator[Problem]:
    """A problem for each."""
    from sqlglot import exp

    if _DENIES.search(question):
        return
    texts = [one for one in tree.root.find_all(exp.Literal) if one.is_string]
    kept = {_folded(one) for one in texts if not _is_denied(one)}
    asked = stems(question)
    for text in dict.fromkeys(str(one.this) for one in texts if _folded(one) not in kept):
        if content_stems(text) and stems(text) <= asked:
            yield Problem(
                "added_denial",
                f"the question speaks of {literal(text)}, the query leaves it out",
                f"nothing in the question leaves {literal(text)} out: keep these rows",
            )


def _folded(text: exp.Literal) -> str:
    return str(text.this).strip("%").casefold()


def _is_denied(text: exp.Expression) -> bool:
    """Whether an odd number of denials stand over a text, up to its query."""
    from sqlglot import exp

    denied = False
    above = text.parent
    while above is not None and not isinstance(above, (exp.Query, exp.Case, exp.If)):
        denied ^= isinstance(above, (exp.NEQ, exp.NullSafeNEQ, exp.Not))
        above = above.parent
    return denied
