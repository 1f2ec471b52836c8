"""What is derived of tables and columns, kept as long as those live and no longer.

A cache of bounded size would hold tables that were removed until others push them out. Owners are
told apart by identity, as two that are equal may hold arrays of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import Any, TypeVar
from weakref import finalize

Owner = TypeVar("Owner")
Derived = TypeVar("Derived")


def kept(derive: Callable[[Owner], Derived]) -> Callable[[Owner], Derived]:
    """`derive`, called once for each owner; what it gives must not refer to the owner."""
    found: dict[int, Derived] = {}

    @wraps(derive)
    def known(owner: Owner) -> Derived:
        key = id(owner)
        if key not in found:
            found[key] = derive(owner)
            finalize(owner, found.pop, key, None).atexit = False
        return found[key]

    return known


def kept_together(
    of: Callable[..., tuple[Sequence[object], Hashable]], *, size: int
) -> Callable[[Callable[..., Derived]], Callable[..., Derived]]:
    """As `kept`, for what is derived of several owners: it goes when the first of them goes.

    Args:
        of: from the arguments, the owners and what else tells one call from another.
        size: so many are kept, the longest unused going first.
    """

    def decorate(derive: Callable[..., Derived]) -> Callable[..., Derived]:
        found: dict[tuple[tuple[int, ...], Hashable], Derived] = {}
        watched: set[int] = set()

        def forget(owner: int) -> None:
            watched.discard(owner)
            for key in list(found):
                if owner in key[0]:
                    found.pop(key, None)

        @wraps(derive)
        def known(*arguments: Any) -> Derived:
            owners, rest = of(*arguments)
            key = (tuple(map(id, owners)), rest)
            value = found.pop(key) if key in found else derive(*arguments)
            for owner in owners:
                if id(owner) not in watched:
                    watched.add(id(owner))
                    finalize(owner, forget, id(owner)).atexit = False
            found[key] = value
            for old in list(found)[:-size]:
                found.pop(old, None)
            return value

        return known

    return decorate
