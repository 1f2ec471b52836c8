"""The house keeps its arrows: who may import whom, and what stays lazy."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("retrieval", "sql_engine", "router")


def imports_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def modules(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def test_retrieval_imports_neither_the_sql_engine_nor_the_router():
    for path in modules("retrieval"):
        outside = {n for n in imports_of(path) if n.split(".")[0] in ("sql_engine", "router")}
        assert not outside, f"{path}: {outside}"


def test_the_sql_engine_sees_only_tables_cells_and_words_of_retrieval():
    names = ("table", "cells", "word_forms", "kept", "vectors")
    allowed = {f"retrieval.{name}" for name in names}
    for path in modules("sql_engine"):
        outside = {n for n in imports_of(path) if n.split(".")[0] in ("retrieval", "router")}
        assert outside <= allowed, f"{path}: {outside - allowed}"


def test_openai_is_imported_in_one_file_only():
    users = {
        str(path.relative_to(ROOT))
        for room in ROOMS
        for path in modules(room)
        if any(name.split(".")[0] == "openai" for name in imports_of(path))
    }
    assert users <= {"sql_engine/openai_writer.py"}


@pytest.mark.parametrize("room", ROOMS)
def test_every_module_says_what_it_is_for(room):
    for path in modules(room):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_heavy_libraries_are_not_imported_at_start():
    heavy = "pandas", "openai", "mcp", "prompt_toolkit", "pyarrow", "openpyxl", "rank_bm25"
    code = f"import router, sys; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"
