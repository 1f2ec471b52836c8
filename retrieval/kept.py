"""What is derived of a table or column, kept as long as that lives and no longer.

A cache of bounded size would hold tables that were removed until others push them out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

Owner = TypeVar("Owner")
Derived = TypeVar("Derived")


def kept(derive: Callable[[Owner], Derived]) -> Callable[[Owner], Derived]:
    """`derive`, called once for each owner; what it gives must not refer to the owner."""
    found: WeakKeyDictionary[Owner, Derived] = WeakKeyDictionary()

    @wraps(derive)
    def known(owner: Owner) -> Derived:
        if owner not in found:
            found[owner] = derive(owner)
        return found[owner]

    return known
