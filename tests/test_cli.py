"""The command line as a shell meets it: stdout, stderr, exit codes, formats, mistakes."""

import json
import subprocess
import sys

import pytest

from router import cli

PRICES = "item,price,colour\nlamp,20,red\nchair,35,red\ndesk,90,blue\nstool,15,green\n"


@pytest.fixture
def prices(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text(PRICES, encoding="utf-8")
    return str(path)


@pytest.fixture
def run(capsys, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "TABROUTE_PATH", "TABROUTE_WRITER"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments):
        code = cli.run(list(arguments))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


def test_an_answer_goes_to_stdout_and_its_source_to_stderr(run, prices):
    code, out, err = run("ask", "What is the price of the desk?", prices)
    assert (code, out) == (0, "90 (price, desk)\n")
    assert err.startswith("source: prices.csv")


def test_explain_tells_route_and_sql_on_stderr(run, prices):
    code, out, err = run("ask", "How many items are red?", prices, "--explain")
    assert (code, out.split()[0]) == (0, "2")
    assert "route: sql" in err
    assert "sql: SELECT" in err


def test_a_declined_question_exits_3_with_nothing_on_stdout(run, prices):
    code, out, err = run("ask", "What is the weight of the desk?", prices)
    assert (code, out) == (3, "")
    assert '"weight"' in err


@pytest.mark.parametrize("form", ["--csv", "--tsv", "--nl", "--markdown"])
def test_a_declined_question_is_no_data(run, prices, form):
    code, out, err = run("ask", "What is the weight of the desk?", prices, form)
    assert (code, out) == (3, "")
    assert '"weight"' in err


def test_json_is_one_strict_object_for_answers_and_errors(run, prices):
    code, out, _ = run("ask", "What is the total price?", prices, "--json")
    assert (code, json.loads(out)["value"]) == (0, 160)
    code, out, _ = run("ask", "What is the total price?", "none.csv", "--json")
    assert code == 1
    assert set(json.loads(out)["error"]) == {"code", "message", "hint"}
    code, out, _ = run("ask", "--json", "--nonsense")
    assert (code, json.loads(out)["error"]["code"]) == (2, "usage")


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("--csv", "item,price\ndesk,90\n"),
        ("--tsv", "item\tprice\ndesk\t90\n"),
        ("--nl", '{"item": "desk", "price": 90}\n'),
        ("--markdown", "| item | price |\n| --- | --- |\n| desk | 90 |\n"),
    ],
)
def test_rows_print_in_the_format_asked_for(run, prices, form, expected):
    query = "SELECT item, price FROM prices WHERE price > 50"
    assert run("sql", query, prices, form)[:2] == (0, expected)


def test_a_cut_result_says_so_on_stderr(run, prices):
    code, out, err = run("sql", "SELECT item FROM prices", prices, "--csv", "--max-rows", "2")
    assert (code, out.count("\n")) == (0, 3)
    assert "2 rows shown of 4" in err


def test_a_refused_statement_exits_1_in_two_lines(run, prices):
    code, out, err = run("sql", "DROP TABLE prices", prices)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert len(err.splitlines()) <= 2


def test_a_mistyped_command_is_an_error_with_the_nearest_name(run):
    code, out, err = run("akk", "x")
    assert (code, out) == (2, "")
    assert "Did you mean ask?" in err


BAD_INPUT = {
    "missing": (None, "no such file"),
    "empty.csv": (b"", "empty"),
    "binary.csv": (bytes(range(256)) * 8, ""),
    "blank.md": (b"\n\n", ""),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_told_in_one_line_and_a_hint(run, tmp_path, name):
    content, told = BAD_INPUT[name]
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    code, out, err = run("ask", "How many rows are there?", str(path))
    assert (code, out) == (1, "")
    first, hint = err.splitlines()
    assert first.startswith("error: ")
    assert told in first
    assert hint.startswith("  ")


def test_a_folder_without_tables_and_a_question_without_words(run, tmp_path, prices):
    code, _, err = run("ask", "How many?", str(tmp_path / "prices.csv" / ".."))
    assert code in (1, 2, 3)
    assert err
    code, out, err = run("ask", " ?! ", prices)
    assert (code, out) == (2, "")
    assert err.startswith("error: the question has no words")


def test_no_paths_and_no_environment_is_wrong_usage(run):
    code, _, err = run("tables")
    assert code == 2
    assert "TABROUTE_PATH" in err


def test_paths_may_come_from_the_environment(run, prices, monkeypatch):
    monkeypatch.setenv("TABROUTE_PATH", prices)
    code, out, _ = run("tables", "--csv")
    assert (code, out) == (0, "name,rows,columns,title,document\nprices,4,3,prices,prices.csv\n")


def test_tables_explain_shows_types_with_their_evidence(run, prices):
    code, out, _ = run("tables", prices, "--explain")
    assert code == 0
    assert "price" in out
    assert "BIGINT" in out


def test_lookup_shows_rows_with_headers_and_exits_3_for_none(run, prices):
    code, out, _ = run("lookup", "stool", prices, "-k", "1")
    assert code == 0
    assert "price  | 15" in out
    code, out, err = run("lookup", "zeppelin", prices)
    assert (code, out, err) == (3, "", "no row matches\n")


def test_route_tells_the_decision_alone(run, prices):
    code, out, _ = run("route", "How many items are red?", prices)
    assert (code, out.split()[0]) == (0, "sql")


def test_tools_prints_the_definitions(run):
    code, out, _ = run("tools", "--style", "mcp")
    assert (code, len(json.loads(out))) == (0, 6)


def test_a_question_may_come_from_stdin(prices):
    done = subprocess.run(
        [sys.executable, "-m", "router", "ask", "-", prices, "--writer", "offline"],
        input="How many items are red?\n", capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout.split()[0]) == (0, "2")


def test_every_command_has_a_help_page_with_an_example(run):
    code, out, _ = run("--help")
    assert code == 0
    for name in cli.cli.commands:
        assert name in out
        code, page, _ = run(name, "--help")
        assert code == 0
        assert f"tabroute {name}" in page.replace("\n", " ")


def test_help_imports_nothing_heavy():
    heavy = "numpy", "duckdb", "sqlglot", "pandas", "openai", "mcp", "prompt_toolkit"
    code = (
        "import sys; from router import cli; cli.run(['--help']);"
        f"print([m for m in {heavy!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr.strip() == "[]"


def test_mcp_without_its_extra_says_how_to_install_it(run, prices, monkeypatch):
    from router import mcp_server

    monkeypatch.setattr(mcp_server, "find_spec", lambda name: None)
    code, out, err = run("mcp", prices)
    assert (code, out) == (1, "")
    assert "pip install -e '.[mcp]'" in err


def test_an_index_is_a_path_like_any_other(run, prices, tmp_path):
    folder = str(tmp_path / "saved")
    code, out, err = run("index", folder, prices)
    assert (code, out) == (0, "")
    assert "saved 1 table" in err
    assert run("ask", "What is the price of the desk?", folder)[:2] == (0, "90 (price, desk)\n")
    code, _, err = run("tables", folder, prices)
    assert code == 2
    assert "alone" in err


@pytest.mark.parametrize("command", [["mcp", "--http"], ["tables"]], ids=lambda c: c[0])
def test_an_empty_folder_is_told_from_one_that_is_missing(run, tmp_path, command):
    code, _, err = run(*command, str(tmp_path))
    assert code == 1
    assert "holds no file" in err or "no file with a table" in err
    assert "no such" in run(*command, str(tmp_path / "gone"))[2]
