"""The unit that composition works with: a piece of tree, the words it explains, why it is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from sql_engine.offline.tree import Cond, Tree

Node = TypeVar("Node", covariant=True)
NAMED = 0.8
"""How well words must name a column for a question to ask for it, group by it or count it."""
Features = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Part(Generic[Node]):
    """A piece of tree with the mask of the words that it explains and its features."""

    node: Node
    mask: int = 0
    features: Features = ()

    def with_features(self, *names: str) -> Part[Node]:
        """The same part with more features, each of value 1."""
        return Part(self.node, self.mask, self.features + tuple((n, 1.0) for n in names))


Candidate = Part[Tree]
ConditionPart = Part[Cond]
