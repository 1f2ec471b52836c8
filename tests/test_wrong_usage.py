"""What a person types who has not read the manual: the error says what to do, or it works."""

import errno
import io
import subprocess
import sys
from pathlib import Path

import pytest

import router
from retrieval.errors import SourceNotFound, UnreadableSource
from router import Router
from router.cli import run
from router.repl import Session


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stock.csv").write_text("item,left\nnails,5\nbolts,7\n")
    return "stock.csv"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ask", "stock.csv", "how many"], 'tabroute ask "how many" stock.csv'),
        (["index", "stock.csv", "saved"], "tabroute index saved stock.csv"),
        (["tables", "https://example.com/a.csv"], "https://example.com/a.csv: addresses"),
        (["tables", "-"], "not from a pipe"),
    ],
)
def test_the_error_says_what_to_do(file, capsys, arguments, told):
    assert run(arguments) != 0
    assert told in capsys.readouterr().err


def test_a_link_that_leads_nowhere_is_told_as_one(file, tmp_path, capsys):
    (tmp_path / "loop").symlink_to("loop")
    assert run(["tables", "loop"]) != 0
    assert "a link that leads to no file" in capsys.readouterr().err


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENOSPC, errno.EIO])
def test_what_the_machine_refuses_is_no_fault_of_the_program(file, capsys, monkeypatch, number):
    def refused(self, folder):
        raise OSError(number, "refused")

    monkeypatch.setattr(Router, "save", refused)
    assert run(["index", "saved", file]) == 1
    told = capsys.readouterr().err
    assert "fault of tabroute" not in told
    assert told.count("\n") == 2


def test_the_module_of_the_command_line_runs():
    line = [sys.executable, "-m", "router.cli", "--help"]
    house = Path(router.__file__).parents[1]
    done = subprocess.run(line, capture_output=True, text=True, check=True, cwd=house)
    assert "ask" in done.stdout


def test_many_parts_of_a_row_are_told_by_their_range(tmp_path, capsys):
    wide = tmp_path / "wide.csv"
    header, row = (",".join(f"{word}{n}" for n in range(900)) for word in ("measure_", ""))
    wide.write_text(f"{header}\n{row}\n{row}\n")
    assert run(["tables", str(wide)]) == 0
    parts = next(line for line in capsys.readouterr().err.splitlines() if "parts of" in line)
    assert len(parts) < 100


def test_a_list_of_paths_is_added(tmp_path):
    paths = []
    for folder in ("north", "south"):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "sales.csv")
        paths[-1].write_text(f"place,sum\n{folder},3\n")
    paths.append(tmp_path / "stock.csv")
    paths[-1].write_text("item,left\nnails,5\n")
    with Router(writer="offline") as tables:
        report = tables.add([str(path) for path in paths])
        assert len(report.tables) == len(set(report.documents)) == len(tables.tables()) == 3
        with pytest.raises(SourceNotFound):
            tables.add([paths[0], tmp_path / "none.csv"])
        with pytest.raises(UnreadableSource):
            tables.add(paths, name="all")


def test_a_result_stands_after_why(file):
    said = io.StringIO()
    with Router(writer="offline") as tables:
        tables.add(file)
        session = Session(tables, out=said, notes=said)
        for line in ("list the item and left of all rows", "why?", ".chart"):
            session.feed(line)
    assert "there is no result" not in said.getvalue()
