"""Harvests the kinds of syntax node that the engine knows.

Reading back a tree with an unknown kind fails with the nearest known ones. Asking for each letter,
for each part of a reviewed name and for each known kind slightly misspelt, until nothing new turns
up, lists them.
"""

import json
import re
import string

import duckdb
import pytest

PLACES = {
    "QueryNodeType": ("SELECT 1", '"type":"SELECT_NODE"', "SELECT_NODE"),
    "TableReferenceType": ("SELECT 1", '"type":"EMPTY"', "EMPTY"),
    "ExpressionClass": ("SELECT 1", '"class":"CONSTANT"', "CONSTANT"),
    "ExpressionType": ("SELECT 1", '"type":"VALUE_CONSTANT"', "VALUE_CONSTANT"),
    "ResultModifierType": ("SELECT 1 LIMIT 1", '"type":"LIMIT_MODIFIER"', "LIMIT_MODIFIER"),
}


def node_kinds(engine: duckdb.DuckDBPyConnection, reviewed: frozenset[str]) -> set[str]:
    names = {name.partition(".")[2] for name in reviewed}
    seeds = {part for name in names for part in name.split("_")} | set(string.ascii_uppercase)
    found: set[str] = set()
    for enum, (sql, place, known) in PLACES.items():
        (tree,) = engine.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
        tree = json.dumps(json.loads(tree), separators=(",", ":"))
        assert place in tree
        suffix = "_" + known.rpartition("_")[2] if "_" in known else ""
        asked, waiting = set(), {known, *names, *(seed + suffix for seed in seeds)}
        while waiting:
            name = waiting.pop()
            asked.add(name)
            wrong = tree.replace(place, place.replace(known, name + "~"), 1)
            near = candidates(engine, wrong, enum)
            found |= {f"{enum}.{kind}" for kind in near}
            waiting |= near - asked
    return found


def candidates(engine: duckdb.DuckDBPyConnection, tree: str, enum: str) -> set[str]:
    with pytest.raises(duckdb.Error, match=enum) as caught:
        engine.execute("SELECT json_deserialize_sql(?::JSON)", [tree])
    return set(re.findall(r'"([A-Z_0-9]+)"', str(caught.value).partition("Candidates:")[2]))
