"""Joins are found from names and values, and nothing joins by chance."""

from llm_world import CATALOG, table

from sql_engine.catalog import Catalog
from sql_engine.join_graph import JoinEdge, JoinGraph


def found(*tables):
    graph = JoinGraph.of(Catalog().with_tables(tables))
    return {(e.left_table, e.left_column, e.right_table, e.right_column) for e in graph.edges}


def test_a_foreign_key_points_from_many_to_one():
    (edge,) = JoinGraph.of(CATALOG).edges
    assert edge.condition() == '"firings"."kiln_id" = "kilns"."kiln_id"'
    assert edge.kind == "many-to-one"
    assert edge.confidence == 1.0


def test_a_key_named_id_joins_by_the_name_of_its_table():
    ports = table("ports", "w", 0, id=["1", "2", "3"], port=["Hull", "Bari", "Cork"])
    calls = table("calls", "w", 1, id=["7", "8"], portId=["3", "1"], ship=["Ada", "Lin"])
    assert found(ports, calls) == {("calls", "portId", "ports", "id")}


def test_a_key_of_an_initial_is_of_the_word_that_it_begins():
    ids = ["1", "2", "3"]
    genres = table("genre", "w", 0, gid=ids, label=["epic", "ode", "farce"])
    poets = table("poet", "w", 1, pid=ids, name=["Ono", "Reis", "Vale"])
    written = table("genre_poet", "w", 2, gid=["1", "1", "3"], pid=["2", "3", "1"])
    assert found(genres, poets, written) == {
        ("genre_poet", "gid", "genre", "gid"),
        ("genre_poet", "pid", "poet", "pid"),
    }


def test_two_roles_may_point_to_one_table():
    ports = table("ports", "w", 0, port_id=["1", "2", "3"], name=["Hull", "Bari", "Cork"])
    legs = table("legs", "w", 1, start_port_id=["1", "2"], end_port_id=["3", "3"], km=["9", "4"])
    assert found(ports, legs) == {
        ("legs", "start_port_id", "ports", "port_id"),
        ("legs", "end_port_id", "ports", "port_id"),
    }


def test_ids_that_share_values_by_chance_do_not_join():
    ports = table("ports", "w", 0, port_id=["1", "2", "3"], name=["Hull", "Bari", "Cork"])
    ships = table("ships", "w", 1, ship_id=["1", "2"], berths=["2", "3"])
    assert found(ports, ships) == set()


def test_values_outside_the_key_do_not_join():
    ports = table("ports", "w", 0, port_id=["1", "2"], name=["Hull", "Bari"])
    calls = table("calls", "w", 1, call_id=["5", "6", "7"], port_id=["8", "9", "1"])
    assert found(ports, calls) == set()


def test_particular_texts_join_without_a_common_name():
    codes = [f"KX-{n:03d}" for n in range(20)]
    parts = table("parts", "w", 0, ref=codes, weight=[str(n % 4) for n in range(20)])
    usage = table("usage", "w", 1, day=[str(n) for n in range(40)], component=codes * 2)
    assert found(parts, usage) == {("usage", "component", "parts", "ref")}


def test_declared_edges_are_taken_and_forbidden_ones_left_out():
    wrong = JoinGraph.of(CATALOG).edges[0]
    declared = JoinEdge("firings", "firing_id", "kilns", "kiln_id", 1.0)
    assert JoinGraph.of(CATALOG, forbidden=[wrong]).edges == ()
    assert JoinGraph.of(CATALOG, declared=[declared]).edges[0] == declared


def test_a_path_leads_over_the_table_between():
    makers = table("makers", "w", 2, maker_id=["1", "2"], town=["Delft", "Faenza"])
    kilns = table("kilns", "w", 0, kiln_id=["4", "5", "6"], maker_id=["1", "2", "2"])
    firings = table("firings", "w", 1, firing_id=["20", "21"], kiln_id=["4", "6"])
    graph = JoinGraph.of(Catalog().with_tables((makers, kilns, firings)))
    path = graph.path("firings", "makers")
    assert [edge.right_table for edge in path] == ["kilns", "makers"]
    assert graph.path("firings", "firings") == ()
    assert graph.path("firings", "elsewhere") is None


def test_columns_without_names_join_where_one_key_alone_holds_their_values():
    first = table("t1", "w", 0, c1=[str(n) for n in range(1, 9)], c2=list("abcdefgh"))
    other = table("t2", "w", 1, c3=[str(n) for n in range(100, 120)], c4=["3", "5", "8", "6"] * 5)
    assert found(first, other) == {("t2", "c4", "t1", "c1")}


def test_columns_without_names_that_several_keys_hold_alike_do_not_join():
    keys = [str(n) for n in range(1, 9)]
    first = table("t1", "w", 0, c1=keys, c2=list("abcdefgh"))
    second = table("t2", "w", 1, c3=keys, c4=list("klmnopqr"))
    third = table("t3", "w", 2, c5=[str(n) for n in range(100, 120)], c6=["3", "5"] * 10)
    assert found(first, second, third) == set()


def test_a_named_number_does_not_join_by_its_values():
    guests = table("guests", "w", 0, guest_id=[str(n) for n in range(1, 31)], name=["x"] * 30)
    stays = table("stays", "w", 1, stay_id=[str(n) for n in range(50, 90)], nights=["1", "2"] * 20)
    assert found(guests, stays) == set()
