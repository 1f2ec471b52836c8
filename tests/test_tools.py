"""The tools as a language model meets them: definitions, results within budget, every mistake
answered by what to send instead.
"""

import inspect
import json

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from router import Router, cli, tools
from router.errors import BadArguments


@pytest.fixture(scope="module")
def tables():
    with Router(writer="offline") as loaded:
        loaded.add(
            [
                {"order_id": f"A-{i:03}", "placed_on": f"2024-01-{i % 28 + 1:02}", "amount": i}
                for i in range(1, 401)
            ],
            name="orders",
        )
        loaded.add([{"city": "Đà Nẵng", "n": 5}, {"city": "München", "n": 7}], name="cities")
        yield loaded


def strict(result):
    return json.loads(json.dumps(result, allow_nan=False))


def test_each_tool_is_one_function_and_all_styles_agree_with_it():
    for tool, openai, mcp in zip(
        tools.TOOLS, tools.definitions("openai"), tools.definitions("mcp"), strict=True
    ):
        function, parameters = openai["function"], list(inspect.signature(tool).parameters)[1:]
        assert function["name"] == mcp["name"] == tool.__name__
        assert function["description"] == mcp["description"]
        assert function["description"].startswith(inspect.getdoc(tool).split("\n")[0])
        assert list(function["parameters"]["properties"]) == parameters
        assert list(mcp["inputSchema"]["properties"]) == parameters


def test_the_command_line_and_the_mcp_server_give_the_same_definitions(tables, capsys):
    for style in ("openai", "mcp"):
        assert cli.run(["tools", "--style", style]) == 0
        assert (
            json.loads(capsys.readouterr().out) == tools.definitions(style) == tables.tools(style)
        )


def test_both_styles_ask_for_the_same_arguments():
    """Strict mode wants every property required and admits null; else the schemas are the same."""
    for openai, mcp in zip(tools.definitions("openai"), tools.definitions("mcp"), strict=True):
        strict_schema, plain = openai["function"]["parameters"], mcp["inputSchema"]
        assert strict_schema["additionalProperties"] is plain["additionalProperties"] is False
        for name, told in plain["properties"].items():
            needed = name in plain["required"]
            expected = {key: value for key, value in told.items() if key != "default"}
            expected["type"] = told["type"] if needed else [told["type"], "null"]
            assert strict_schema["properties"][name] == expected


def test_openai_schemas_are_strict():
    for tool in tools.definitions("openai"):
        schema = tool["function"]["parameters"]
        jsonschema.Draft202012Validator.check_schema(schema)
        assert tool["function"]["strict"] is True
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])


def test_mcp_schemas_are_plain_and_read_only():
    for tool in tools.definitions("mcp"):
        schema = tool["inputSchema"]
        assert schema["type"] == "object"
        assert isinstance(schema["properties"], dict)
        assert isinstance(schema["required"], list)
        assert all(isinstance(p["type"], str) for p in schema["properties"].values())
        assert tool["annotations"]["readOnlyHint"] is True


def test_every_value_type_leaves_as_strict_json(tables):
    result = tables.call_tool(
        "run_sql",
        {
            "sql": "SELECT 1.10::DECIMAL(10,2) AS amt, DATE '2024-03-05' AS d, [1, 2] AS l, "
            "'NaN'::DOUBLE AS nn, 'inf'::DOUBLE AS inf, 9007199254740993 AS big, BLOB 'ab' AS b"
        },
    )
    assert strict(result)["rows"] == [
        ["1.10", "2024-03-05", [1, 2], None, None, "9007199254740993", "6162"]
    ]


def test_a_large_result_tells_first_that_it_is_cut_and_how_to_narrow(tables):
    result = tables.call_tool("run_sql", {"sql": "SELECT * FROM orders"})
    assert next(iter(result)) == "truncated"
    assert (result["truncated"], result["total_rows"], result["row_count"]) == (True, 400, 50)
    assert "400" in result["message"]
    assert "WHERE" in result["message"]


def test_long_cells_and_wide_rows_stay_within_the_budget(tables):
    sql = "SELECT repeat('x', 5000) AS a, repeat('y', 5000) AS b FROM orders"
    result = tables.call_tool("run_sql", {"sql": sql, "max_rows": 400})
    assert len(json.dumps(result)) <= tables.settings.tool_max_chars
    assert "(5000 characters)" in result["rows"][0][0]
    assert result["truncated"] is True


@pytest.fixture(scope="module")
def wide():
    with Router(writer="offline", tool_max_chars=6_000) as loaded:
        row = {f"a column with a long name {i:03}": f"cell {i} " * 60 for i in range(200)}
        loaded.add([{**row, "code": f"K-{i}"} for i in range(30)], name="wide")
        for i in range(30):
            loaded.add([{"place": "Quay", "depth": i, "note": "mud " * 90}], name=f"sounding {i}")
        yield loaded


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("run_sql", {"sql": "SELECT * FROM wide"}),
        ("ask_tables", {"question": "Show all of wide"}),
        ("ask_tables", {"question": "What is the depth of Quay?"}),
        ("search_rows", {"query": "K-7 Quay", "k": 100}),
        ("describe_table", {"table": "wide"}),
        ("list_tables", {}),
        ("explain_question", {"question": "What is the depth of Quay " * 30}),
    ],
)
def test_results_of_wide_tables_stay_within_the_budget_and_still_show_something(
    wide, name, arguments
):
    result = wide.call_tool(name, arguments)
    assert len(json.dumps(result)) <= 6_000
    assert next(iter(result)) == "truncated"
    assert result.get("row_count", result.get("count", 1)) > 0 or result["route"] == "declined"


def test_columns_that_are_left_out_are_told_with_how_many_there_are(wide):
    result = wide.call_tool("run_sql", {"sql": "SELECT * FROM wide"})
    assert f"the first {len(result['columns'])} of 201 columns" in result["message"]
    assert len(result["types"]) == len(result["columns"]) == len(result["rows"][0])
    told = wide.call_tool("describe_table", {"table": "wide"})
    assert told["column_count"] == 201
    assert told["more_columns"]


def test_an_empty_result_says_0_rows_and_its_columns(tables):
    result = tables.call_tool("run_sql", {"sql": "SELECT * FROM cities WHERE city = 'Rome'"})
    assert result["row_count"] == 0
    assert "0 rows" in result["message"]
    assert "city" in result["columns"]


def test_a_wrong_column_gets_the_nearest_and_all_names(tables):
    error = tables.call_tool("run_sql", {"sql": "SELECT sum(total_amount) FROM orders"})["error"]
    told = error["message"] + error["hint"]
    assert "amount" in told
    assert "placed_on" in told


@pytest.mark.parametrize(
    "sent",
    [
        "```sql\nSELECT count(*) AS n FROM cities;\n```",
        "Here you are:\n```\nSELECT count(*) AS n FROM cities\n```\nIt counts.",
        "~~~duckdb\nSELECT count(*) AS n FROM cities\n~~~",
        '{"sql": "SELECT count(*) AS n FROM cities"}',
    ],
)
def test_a_statement_in_a_code_fence_or_object_is_run_and_told(tables, sent):
    result = tables.call_tool("run_sql", {"sql": sent})
    assert result["rows"] == [[2]]
    assert result["sql"] == "SELECT count(*) AS n FROM cities"


def test_a_part_of_a_broken_text_is_never_run(tables):
    error = tables.call_tool("run_sql", {"sql": "SELEC n FROM cities;\nSELECT 1"})["error"]
    assert error["code"] in ("invalid_query", "refused")


def test_a_value_that_the_column_lacks_is_warned_of_with_the_nearest(tables):
    result = tables.call_tool("run_sql", {"sql": "SELECT n FROM cities WHERE city = 'munchen'"})
    assert result["row_count"] == 0
    assert any("München" in warning for warning in result["warnings"])


def test_asking_searching_listing_describing_and_explaining(tables):
    asked = tables.call_tool("ask_tables", {"question": "What is the total amount?"})
    assert (asked["route"], asked["value"]) == ("sql", 80200)
    found = tables.call_tool("search_rows", {"query": "Đà Nẵng"})
    assert found["hits"][0]["cells"]["n"] == "5"
    listed = tables.call_tool("list_tables", {})
    assert [table["name"] for table in listed["tables"]] == ["orders", "cities"]
    told = tables.call_tool("describe_table", {"table": "orders"})
    assert [column["name"] for column in told["columns"]] == ["order_id", "placed_on", "amount"]
    explained = tables.call_tool("explain_question", {"question": "What is the total amount?"})
    assert explained["route"] == "sql"


def test_three_hundred_tables_are_listed_by_name_within_the_budget():
    with Router(writer="offline", tool_max_chars=8_000) as many:
        for i in range(300):
            many.add([{f"k{i}_a": 1, f"k{i}_b": 2}], name=f"misc_{i}")
        listed = many.call_tool("list_tables")
        assert len(json.dumps(listed)) <= 8_000
        assert listed["tables"][0] == "misc_0"
        assert "describe_table" in listed["note"]


def test_arguments_are_taken_as_models_send_them(tables):
    assert tables.call_tool("search_rows", '{"query": "A-007", "k": "2"}')["count"] == 1
    assert tables.call_tool("list_tables", None)["total"] == 2
    assert tables.call_tool("list_tables", "")["total"] == 2
    cut = tables.call_tool("run_sql", {"sql": "SELECT * FROM orders", "max_rows": 3.0})
    assert cut["row_count"] == 3
    assert tables.call_tool("run_sql", {"sql": "SELECT 1", "max_rows": None})["row_count"] == 1
    assert tables.call_tool("lookup", {"query": "München"})["count"] == 1
    one = {"sql": "SELECT 1 AS one"}
    for name in ("runSql", "functions.run_sql", "mcp__tables__run_sql", "RUN-SQL"):
        assert tables.call_tool(name, one)["rows"] == [[1]]
    for sent in ({"SQL": "SELECT 1"}, {"arguments": one}, json.dumps(json.dumps(one))):
        assert tables.call_tool("run_sql", sent)["rows"] == [[1]]
    for nothing in ("null", "[]", [], "{}"):
        assert tables.call_tool("list_tables", nothing)["total"] == 2
    assert tables.call_tool("run_sql", {"sql": "SELECT 1", "maxRows": "1"})["row_count"] == 1
    assert tables.call_tool("describe_table", {"table": '"orders"'})["name"] == "orders"


MISTAKES = [
    ("run_sql", {}, '"sql"'),
    ("run_sql", {"sql": 5}, '"sql"'),
    ("run_sql", {"sql": "   "}, '"sql"'),
    ("run_sql", {"sql": "SELECT 1", "max_row": 3}, '"max_rows"'),
    ("run_sql", {"query": "SELECT 1"}, 'did you mean "sql"'),
    ("search_rows", {"query": "x", "k": -1}, '"k"'),
    ("search_rows", {"query": "x", "k": "many"}, '"k"'),
    ("search_rows", {"query": "x", "k": True}, '"k"'),
    ("search_rows", "{not json", "JSON"),
    ("search_rows", ["x"], "list"),
    ("describe_table", {"table": "order"}, "orders"),
    ("nope", {}, "list_tables"),
    ("run_sql", {"max_row": 3}, '"max_rows"'),
    ("run_sql", {"sql": "SELECT * FROM order"}, "order"),
    ("run_sql", {"sql": "SELECT * FROM read_csv('x')"}, "not allowed"),
    ("run_sql", {"sql": "SHOW TABLES"}, "list_tables"),
    ("run_sql", {"sql": "SELECT 1; SELECT 2"}, "one"),
    ("search_rows", {"query": "x", "k": 101}, "100"),
    ("ask_tables", {"question": "What is the total amount?", "reading": 2}, "reading"),
    ("ask_tables", 5, "number"),
    ("ask_tables", {"question": "?!"}, "words"),
]


@pytest.mark.parametrize(("name", "arguments", "told"), MISTAKES)
def test_every_mistake_is_answered_by_what_to_send_instead(tables, name, arguments, told):
    error = tables.call_tool(name, arguments)["error"]
    assert set(error) == {"code", "message", "hint"}
    assert error["code"] != "internal_error"
    assert told in error["message"] + error["hint"]
    assert error["hint"]


def test_an_unknown_style_is_an_error():
    with pytest.raises(BadArguments):
        tools.definitions("yaml")


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=5,
)
NAMES = st.sampled_from(tools.names()) | st.text(max_size=12)


@st.composite
def malformed_calls(draw):
    """Calls made from the schemas, with values of any type, missing and extra arguments."""
    name = draw(NAMES)
    known = {tool.__name__: tool for tool in tools.TOOLS}.get(name)
    arguments = {}
    for parameter in tools.parameters(known) if known else ():
        if draw(st.booleans()):
            arguments[parameter.name] = draw(JUNK)
    if draw(st.integers(0, 3)) == 0:
        arguments[draw(st.text(max_size=8))] = draw(JUNK)
    as_text = draw(st.integers(0, 4)) == 0
    return name, json.dumps(arguments) if as_text else arguments


@settings(max_examples=200, deadline=None)
@given(malformed_calls())
def test_a_malformed_call_gets_a_usable_error_or_an_answer(tables, call):
    result = strict(tables.call_tool(*call))
    if "error" in result:
        assert set(result["error"]) == {"code", "message", "hint"}
        assert result["error"]["message"]
        assert result["error"]["code"] != "internal_error"
    else:
        assert "truncated" in result or "route" in result


VALID = {
    "ask_tables": {"question": "How many orders?", "reading": 1},
    "search_rows": {"query": "A-007", "k": 2},
    "run_sql": {"sql": "SELECT 1", "max_rows": 5},
    "list_tables": {},
    "describe_table": {"table": "orders"},
    "explain_question": {"question": "How many orders?"},
}
FLAGS = ("true", "false", "yes", "no")
"""Taken where a flag is asked for."""
NO_TEXT = st.integers() | st.booleans() | st.lists(st.integers(), max_size=2) | st.just({"a": 1})
NO_NUMBER = st.text(st.characters(categories=["L"]), max_size=8) | st.just(2.5) | st.just([3])
NO_NUMBER = NO_NUMBER.filter(lambda value: str(value).casefold() not in FLAGS)


@st.composite
def broken_calls(draw):
    """A valid call with one thing broken, as the tool's own schema tells what is valid."""
    tool = draw(st.sampled_from(tools.definitions("mcp")))
    name, schema = tool["name"], tool["inputSchema"]
    arguments = dict(VALID[name])
    ways = ["no object", "no JSON", "unknown tool"]
    ways += ["misspelt argument"] if schema["properties"] else []
    ways += ["missing"] if schema["required"] else []
    ways += ["wrong type"] if schema["properties"] else []
    ways += ["out of bounds"] if any("maximum" in p for p in schema["properties"].values()) else []
    way = draw(st.sampled_from(ways))
    if way == "misspelt argument":
        misspelt = draw(st.sampled_from(sorted(schema["properties"])))
        arguments[misspelt + draw(st.sampled_from("xsq"))] = 1
    elif way == "no object":
        return name, draw(st.lists(st.integers(), min_size=1, max_size=3) | st.integers(1, 9)), way
    elif way == "no JSON":
        return name, "{" + draw(st.text(max_size=8)), way
    elif way == "unknown tool":
        return f"no {draw(st.text(max_size=12))} such", arguments, way
    elif way == "missing":
        del arguments[draw(st.sampled_from(schema["required"]))]
    elif way == "wrong type":
        broken = draw(st.sampled_from(sorted(schema["properties"])))
        is_text = schema["properties"][broken]["type"] == "string"
        arguments[broken] = draw(NO_TEXT if is_text else NO_NUMBER)
    else:
        bounded = [n for n, p in schema["properties"].items() if "maximum" in p]
        broken = draw(st.sampled_from(bounded))
        highest = schema["properties"][broken]["maximum"]
        arguments[broken] = draw(st.integers(-5, 0) | st.integers(highest + 1, highest + 99))
    return name, arguments, way


@settings(max_examples=200, deadline=None)
@given(broken_calls())
def test_each_broken_call_is_answered_by_what_to_send_instead(tables, call):
    name, arguments, way = call
    error = strict(tables.call_tool(name, arguments))["error"]
    assert set(error) == {"code", "message", "hint"}
    if way == "unknown tool":
        assert error["code"] == "unknown_tool"
        assert "ask_tables" in error["hint"]
    else:
        assert error["code"] == "bad_arguments"
        assert error["message"].startswith(f"{name}: ")
        assert all(f'"{argument}"' in error["hint"] for argument in VALID[name])


@pytest.mark.parametrize("extra", [{"random_string": ""}, {"dummy": None}, {"kwargs": {}}])
def test_an_argument_that_says_nothing_costs_no_turn(tables, extra):
    assert tables.call_tool("list_tables", extra)["total"] == 2


def test_an_argument_that_might_be_a_condition_is_refused_and_not_dropped(tables):
    asked = {"question": "What is the total amount?", "where": "2024 only"}
    assert '"where"' in tables.call_tool("ask_tables", asked)["error"]["message"]


def test_the_whole_table_comes_unasked_only_where_no_row_matches_exactly(tables):
    assert "whole_table" not in tables.call_tool("search_rows", {"query": "München"})
    near = tables.call_tool("search_rows", {"query": "n of Munchenn"})
    assert [hit["match"] for hit in near["hits"]][:1] != ["exact"]


@pytest.mark.parametrize("told", [True, "true", "True", 1, "yes"])
def test_true_is_taken_as_models_write_it(tables, told):
    found = tables.call_tool("search_rows", {"query": "München", "whole_table": told})
    assert "München" in found["whole_table"]
    without = tables.call_tool("search_rows", {"query": "München", "whole_table": "false"})
    assert "whole_table" not in without


def test_a_flag_that_is_neither_true_nor_false_is_told_so(tables):
    told = tables.call_tool("search_rows", {"query": "München", "whole_table": "maybe"})
    assert "must be true or false" in told["error"]["message"]


def test_a_declined_question_gives_no_sql_that_a_model_could_run(tables):
    question = "What is the phone number of München?"
    assert tables.ask(question).declined
    assert tables.call_tool("ask_tables", {"question": question})["sql"] is None


def test_an_empty_result_says_that_totals_rows_are_left_out():
    with Router(writer="offline") as loaded:
        loaded.add([["Pier", "Boats"], ["A", 3], ["B", 5], ["Total", 8]], name="piers")
        result = loaded.call_tool("run_sql", {"sql": "SELECT * FROM piers WHERE Pier = 'Total'"})
    assert result["row_count"] == 0
    assert any("totals row is left out" in warning for warning in result["warnings"])


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT * FROM stays WHERE arrival = 'last week'", "DATE '2024-01-31'"),
        ("SELECT nights FROM stays UNION SELECT nights, arrival FROM stays", "as many columns"),
        ("SELECT ?", "none can be bound"),
        ("SELECT nights // 0 FROM stays", "nullif"),
        ("SELECT CAST(99999 AS TINYINT) FROM stays", "DOUBLE"),
        ("SELECT arrival + TRUE FROM stays", "a date is no text"),
    ],
)
def test_every_engine_error_says_what_to_do(sql, words):
    with Router(writer="offline") as loaded:
        loaded.add([["arrival", "nights"], ["2024-01-01", 2], ["2024-02-01", 3]], name="stays")
        told = loaded.call_tool("run_sql", {"sql": sql})
    if "error" in told:
        assert words in told["error"]["hint"]
    else:
        assert None in told["rows"][0]


def test_files_that_could_not_be_read_are_listed_with_the_tables(tmp_path):
    (tmp_path / "boats.csv").write_text("boat,berth\nTern,4\n", encoding="utf-8")
    (tmp_path / "crew.xlsx").write_bytes(b"PK\x03\x04" + b"no workbook")
    with Router(writer="offline") as loaded:
        loaded.add(tmp_path)
        told = loaded.call_tool("list_tables", {})["files_not_read"]
        assert len(told) == 1
        assert told[0].startswith("crew.xlsx: not a readable workbook")
        saved = tmp_path.parent / f"{tmp_path.name}-saved"
        loaded.save(saved)
    with Router.open(saved) as opened:
        assert opened.skipped() == loaded.skipped()
    (tmp_path / "crew.xlsx").unlink()
    with Router(writer="offline") as loaded:
        loaded.add(tmp_path)
        assert "files_not_read" not in loaded.call_tool("list_tables", {})
