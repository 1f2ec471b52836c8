"""An evil node at any position of a harmless tree is refused."""

import pytest
from shop import shop
from test_guard import ACCEPTED

from benchmarks.tree_mutations import evil_nodes, mutants, refused
from sql_engine.parse import cut, parse

CATALOG = shop()


@pytest.fixture(scope="module")
def trees():
    trees = [parse(cut(sql)).tree for sql in ACCEPTED]
    assert not any(refused(tree, CATALOG) for tree in trees)
    return trees


@pytest.mark.parametrize("name", evil_nodes())
def test_an_evil_node_is_refused_wherever_it_stands(trees, name):
    evil = evil_nodes()[name]
    let_through = [
        path
        for tree in trees
        for path, mutant in mutants(tree, evil)
        if not refused(mutant, CATALOG)
    ]
    assert let_through == []
