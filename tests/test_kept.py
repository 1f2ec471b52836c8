"""What is derived of tables is kept while they live, and goes with them."""

import gc
import weakref

from retrieval.kept import kept, kept_together
from router import Router

SHOPS = "shop,town\nS1,Ghent\nS2,Lille\nS3,Ghent\nS4,Tours\n"
SALES = "sale,shop,amount\n1,S1,10\n2,S1,20\n3,S2,5\n4,S3,7\n5,S3,8\n"


def rows(text):
    return [line.split(",") for line in text.splitlines()]


class Owner:
    """Anything that can be kept for."""


def test_a_value_is_derived_once_for_each_owner():
    calls = []
    told = kept(lambda owner: calls.append(id(owner)) or len(calls))
    one, two = Owner(), Owner()
    assert [told(one), told(two), told(one)] == [1, 2, 1]


def test_what_is_derived_of_two_owners_goes_with_either():
    values = []

    @kept_together(lambda one, two, name: ((one, two), name), size=10)
    def told(one, two, name):
        values.append(value := Owner())
        return value

    one, two, three = Owner(), Owner(), Owner()
    first = told(one, two, "a")
    assert told(one, two, "a") is first
    assert told(one, two, "b") is not first
    other = told(one, three, "a")
    gone = weakref.ref(first)
    del first, two
    values.clear()
    gc.collect()
    assert gone() is None
    assert told(one, three, "a") is other


def test_no_more_is_kept_than_was_said_the_longest_unused_going_first():
    calls = []
    told = kept_together(lambda owner, name: ((owner,), name), size=2)(
        lambda owner, name: calls.append(name)
    )
    owner = Owner()
    for name in "abacab":
        told(owner, name)
    assert calls == ["a", "b", "c", "b"]


def test_tables_that_were_joined_and_removed_are_let_go():
    with Router(writer="offline") as router:
        router.add(rows(SHOPS), name="shops")
        router.add(rows(SALES), name="sales")
        for question in (
            "What is the total amount of sales in Ghent?",
            "How many sales does each shop have?",
            "Which shops have no sales?",
        ):
            router.ask(question)
        tables = [weakref.ref(entry.table) for entry in router._state.catalog.tables]
        assert len(tables) == 2
        router.remove("sales")
        router.remove("shops")
        router.add(rows("colour\nred\nblue"), name="colours")
        router.ask("How many colours are there?")
        gc.collect()
        assert [ref() for ref in tables] == [None, None]
