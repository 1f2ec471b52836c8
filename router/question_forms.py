"""The form that a question has: whether it asks for rows, an amount, a rule, yes or no, a listing.

Takes the question as asked; told from its first words, whatever the tables hold.
"""

from __future__ import annotations

import re

_RULE = re.compile(
    r"(?:can|may|must|should|do|does|am|is it|are we|what happens|why"
    r"|how (?:can|do|does|soon|often|must)|what (?:if|should)|who pays|until when|am i)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"(?:(?:which|what)(?: are| were)?(?: the| all)*|how many|all|name the)"
    r"\s+(?:\S+\s)?(?!(?:was|does|has)\b)(?P<noun>[^\W\d]{2,}s|people|men|women|children)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"how (?:much|many|long|high|large|far|big|heavy)\b", re.IGNORECASE)
_KIND = re.compile(
    r"(who|whom|whose|where|why|when|how long|how often|what time"
    r"|how(?=\s(?:was|were|is|are|did|does|do|has|have)\b)"
    r"|how much(?=\s(?:is|are|was|were|do|does|did|would|will)\b))\b",
    re.IGNORECASE,
)
_AT = re.compile(r"^(?:at|by|until|from)\s(?=what time)", re.IGNORECASE)
_OF_A_ROW = re.compile(
    r"(?:when|where|whose|why|how|who(?:m)?(?!\s+(?:is|are|was|were)\b))\b", re.IGNORECASE
)
_WHETHER = re.compile(
    r"(?:(?:and|but|so)\s+)?(?:is|are|was|were|do|does|did|has|have|had)\b", re.IGNORECASE
)
_OF_ALL = re.compile(
    r"\b(?:all|every|everyone|everybody|everything|each|only|always|never|both)\b", re.IGNORECASE
)
_DETAILS = re.compile(
    r"\b(?:details?|information|info|record|everything|all about|tell me about)\b", re.IGNORECASE
)
_ASKING = re.compile(
    r"(?:what|which|who|whom|whose|when|where|how|why|is|are|was|were|do|does|did|can|could|may|has"
    r"|have|from|in|on|at|to|for|by|of|above|below|over|under)\b",
    re.IGNORECASE,
)
_SHOW = re.compile(
    r"(?:(?:please|i['’]d like|i would like|i want|could you|can you|let me|to)\s+)*"
    r"(?:show|list|display|print|give|see)\b"
    r"|(?:what|which)\b.*\b(?:are there|exist|offered|available\W*$"
    r"|(?:is|are|were) (?:\w+ )?available)",
    re.IGNORECASE,
)


def asks_for_a_rule(question: str) -> bool:
    """Whether the question is worded as one about what is allowed or what happens."""
    return _RULE.match(question.strip()) is not None


def asks_for_rows(question: str) -> bool:
    """Whether the rows themselves are asked for: "show …", "details of …", or a bare name."""
    text = question.strip()
    return asks_for_whole_rows(text) or _ASKING.match(text) is None


def asks_for_whole_rows(question: str) -> bool:
    """Whether a listing or the details are asked for in so many words."""
    return asks_to_show(question) or _DETAILS.search(question) is not None


def asks_of_a_row(question: str) -> bool:
    """Whether something of a row is asked for, whatever else the question names: "who approved"."""
    return _OF_A_ROW.match(question.strip()) is not None


def asks_for_an_amount(question: str) -> bool:
    """Whether a number is asked for: "how much", "how many days", "how long"."""
    return _AMOUNT.match(question.strip()) is not None


def asked_kind(question: str) -> str:
    """The question word, where only some kinds of cell answer it: "who", "where", "why", "when",
    "how long", "how often", "what time", "how" something was done, "how much" of what it is or
    does; else "".
    """
    asked = _KIND.match(_AT.sub("", question.strip()))
    return "" if asked is None else asked[1].lower()


def asks_for_several(question: str) -> bool:
    """Whether more than one thing is asked for: "which plays …", "how many …", "list the …"."""
    text = question.strip()
    asked = _SEVERAL.match(text)
    return asks_to_show(text) or (asked is not None and not asked["noun"].endswith("ss"))


def asks_whether(question: str) -> bool:
    """Whether the answer is yes or no: "is …", "did …"."""
    return _WHETHER.match(question.strip()) is not None


def asks_of_all(question: str) -> bool:
    """Whether something is asked of all of them: "are all …", "did everyone …"."""
    return asks_whether(question) and _OF_ALL.search(question) is not None


def asks_to_show(question: str) -> bool:
    """Whether the question asks for a listing."""
    return _SHOW.match(question.strip()) is not None
