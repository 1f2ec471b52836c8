"""Reads the development sets for the offline writer and scores its answers.

A set is a folder with `questions.jsonl` and `tables/`; the folder of all sets is an argument, so
nothing of them is kept here.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from benchmarks.offline_dressed import dressed
from benchmarks.offline_everyday import Everyday, everyday, strange
from benchmarks.offline_invented import invented
from retrieval.errors import RetrievalError
from retrieval.reading import read_source
from sql_engine.catalog import Catalog, CatalogTable
from sql_engine.offline.columns import table_data
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.tree import Values

Rows = Sequence[Sequence[object]]
DRESSED = 0.7
"""How many of the tables that stand alone get a user's names."""
INVENTED = 2
"""Invented tables beside each published one."""
MAX_BESIDE = 8
"""Tables of a database that a made question is asked over."""


@dataclass(frozen=True)
class Case:
    """One question with the tables it is asked of."""

    set: str
    id: str
    question: str
    tables: tuple[CatalogTable, ...]
    catalog: Catalog
    row: dict
    right: Callable[[Rows], bool]

    @property
    def fold(self) -> int:
        """0 to 4, by the hash of the database's or the first table's name."""
        return fold_of(self.row.get("db") or self.row["tables"][0])


def fold_of(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % 5


def cases(
    root: Path, name: str, sample: int | None = None, seed: int = 7, start: int = 0
) -> Iterator[Case]:
    """The cases of a set in a fixed random order, from `start` up to `sample`; a table that cannot
    be read gives none.
    """
    if name == "everyday":
        yield from everyday_cases(root, sample or 1000, seed)
        return
    if name == "near_misses":
        yield from near_misses(root, sample, seed)
        return
    if name == "strangers":
        yield from stranger_cases(root, sample or 1000, seed)
        return
    rows = [json.loads(line) for line in (root / name / "questions.jsonl").open(encoding="utf-8")]
    rows = [row for row in rows if keep(name, row)]
    random.Random(seed).shuffle(rows)
    for row in rows[start:sample]:
        paths = tuple(
            root / table_set(name) / "tables" / table for table in tables_of(name, row, root)
        )
        catalog = catalog_of(paths)
        yield Case(
            name, row["id"], row["question"], catalog.tables, catalog, row, scorer(root, name, row)
        )


def near_misses(root: Path, sample: int | None, seed: int) -> Iterator[Case]:
    """Questions whose answer's or condition's column was taken out of their table: no answer is
    right.
    """
    for case in cases(root, "wikisql", sample, seed):
        logical, table = case.row["logical"], case.tables[0].table
        gone = logical["sel"]
        if fold_of(case.id) % 2 and logical["conds"]:
            gone = logical["conds"][0][0]
        published = [c for c in table.columns if not c.derived]
        if len(published) < 3 or gone >= len(published):
            continue
        kept = tuple(c for c in table.columns if c is not published[gone])
        catalog = Catalog().with_tables((dataclasses.replace(table, columns=kept),))
        yield Case(
            "near_misses",
            case.id,
            case.question,
            catalog.tables,
            catalog,
            case.row,
            lambda rows: False,
        )


def everyday_cases(root: Path, count: int, seed: int) -> Iterator[Case]:
    """Made questions over tables of the published sets; one of a database is asked with the
    other tables beside it, so that which is meant must be told too.
    """
    rng = random.Random(seed)
    made = 0
    for path, catalog, table in _tables_to_ask(root, rng):
        for item in everyday(table, rng):
            evaluator = Evaluator(table_data(table))
            gold, apart = evaluator.run(item.tree).rows, _told_apart(item, evaluator)
            row = {"tables": [path.name], "answer": [], "gold_sql": item.kind}
            yield Case(
                "everyday",
                f"{path.stem}-{item.kind}",
                item.question,
                catalog.tables,
                catalog,
                row,
                lambda rows, gold=gold, apart=apart: (
                    _same_or_keys(rows, gold) or _tells_apart(rows, apart)
                ),
            )
            made += 1
            if made >= count:
                return


def stranger_cases(root: Path, count: int, seed: int) -> Iterator[Case]:
    """Made questions that name what their table does not hold: no answer is right."""
    rng = random.Random(seed)
    asked = list(_tables_to_ask(root, rng))
    made = 0
    for path, _, table in asked:
        *_, other = rng.choice(asked)
        for kind, question in strange(table, other, rng):
            row = {"tables": [path.name], "answer": [], "gold_sql": kind}
            alone = Catalog((table,))
            name = f"{path.stem}-{kind}"
            yield Case("strangers", name, question, (table,), alone, row, lambda rows: False)
            made += 1
            if made >= count:
                return


def _tables_to_ask(root: Path, rng: random.Random) -> Iterator[tuple[Path, Catalog, CatalogTable]]:
    """Tables of the published sets that made questions are asked of, in random order, each in the
    catalog that it is asked in: with its database, else alone and mostly under a user's names.
    """
    paths = [p for name in ("spider", "wikisql", "wtq") for p in _some_tables(root, name, rng)]
    rng.shuffle(paths)
    for at, path in enumerate(paths):
        for number in range(INVENTED):
            table = invented(rng)
            yield Path(f"invented-{at}-{number}"), Catalog((table,)), table
        alone = catalog_of((path,))
        if len(alone) != 1 or not 8 <= alone.tables[0].row_count <= 5000:
            continue
        beside = _beside(path)
        if len(beside) == 1 and rng.random() < DRESSED:
            alone = Catalog().with_tables((dressed(alone.tables[0].table, rng),))
        yield path, alone if len(beside) == 1 else catalog_of(beside), alone.tables[0]


def _beside(path: Path) -> tuple[Path, ...]:
    """The files of a table's database, itself alone where it is in none or in a big one."""
    files = tuple(sorted(path.parent.glob("*.csv")))
    return files if path.parent.name != "tables" and len(files) <= MAX_BESIDE else (path,)


def _same_or_keys(rows: Rows, gold: Rows) -> bool:
    """The same rows, or of groups the keys alone."""
    return same_rows(rows, gold, False) or (
        len(gold) > 0 and len(gold[0]) == 2 and same_rows(rows, [r[:1] for r in gold], False)
    )


def _told_apart(item: Everyday, evaluator: Evaluator) -> list[object]:
    """The cells that tell apart the rows that are asked for; none where no rows are."""
    if item.told_by is None or not isinstance(item.tree, Values):
        return []
    listed = evaluator.run(dataclasses.replace(item.tree, cols=(item.told_by,)))
    return [_canonical(cell) for (cell,) in listed.rows]


def _tells_apart(rows: Rows, apart: list[object]) -> bool:
    """Whether a column that is shown holds these cells: some columns of the same rows are given."""
    if not apart or len(rows) != len(apart):
        return False
    columns = zip(*([_canonical(cell) for cell in row] for row in rows), strict=True)
    wanted = Counter(apart)
    return any(Counter(column) == wanted for column in columns)


def _some_tables(root: Path, name: str, rng: random.Random) -> list[Path]:
    found = sorted((root / name / "tables").rglob("*.csv"))
    return rng.sample(found, min(len(found), 120))


def table_set(name: str) -> str:
    return {"spider_syn": "spider", "spider_dk": "spider", "defog_idk": "defog"}.get(name, name)


def keep(name: str, row: dict) -> bool:
    if name == "wikisql":
        return not row["empty"]
    if name == "tablebench":
        return row["qtype"] in ("FactChecking", "NumericalReasoning")
    return True


def tables_of(name: str, row: dict, root: Path) -> list[str]:
    """All tables of the database where there is one, else those of the question."""
    if "db" not in row or name in ("wikisql",):
        return row["tables"]
    folder = root / table_set(name) / "tables" / row["db"]
    return [f"{row['db']}/{path.name}" for path in sorted(folder.glob("*.csv"))]


@cache
def catalog_of(paths: tuple[Path, ...]) -> Catalog:
    catalog = Catalog()
    for path in paths:
        try:
            results = read_source(path)
        except RetrievalError:
            continue
        for result in results:
            catalog = catalog.with_tables(result.document.tables)
    return catalog


@cache
def _wtq_eval(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("wtq_eval", root / "wtq_eval.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scorer(root: Path, name: str, row: dict) -> Callable[[Rows], bool]:
    """Whether rows of an answer are right."""
    if name == "defog_idk":
        return lambda rows: False
    rule = _wtq_eval(root)
    if name == "wtq":
        lenient = row["origin"] == "training"
        return lambda rows: rule.correct(row, [text(r[0]) for r in rows], lenient=lenient)
    if "answer_rows" in row and name not in ("hctqa",):
        return lambda rows: same_rows(rows, row["answer_rows"], row.get("ordered", False))
    if name == "hctqa":
        cells = [cell for value in row["answer"] for cell in value.split(" | ")]
        return lambda rows: near(flat(rows), cells)
    if name in ("hitab", "aitqa", "tablebench"):
        return lambda rows: near(flat(rows), row["answer"])
    return lambda rows: rule.correct(row, flat(rows), lenient=True, multiset=False)


def text(cell: object) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float) and cell == int(cell):
        return str(int(cell))
    return "" if cell is None else str(cell)


def flat(rows: Rows) -> list[str]:
    return [text(cell) for row in rows for cell in row]


def near(got: Sequence[str], gold: Sequence[str]) -> bool:
    """The same values: numbers to one part in a thousand, shares as either fraction or percent."""
    if len(gold) == 1 and len(got) > 1 and ", " in gold[0]:
        gold = gold[0].split(", ")
    if len(got) != len(gold):
        return False
    left = list(gold)
    for value in got:
        found = next((g for g in left if _alike(value, g)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _alike(one: str, two: str) -> bool:
    a, b = number(one), number(two)
    if a is None or b is None:
        return one.strip().casefold() == two.strip().casefold()
    return any(
        abs(a * f - b) <= 1e-3 * max(abs(b), 1e-9) + 5e-3 * (b != round(b))
        for f in (1, 100, 0.01, -1)
    )


def number(value: str) -> float | None:
    try:
        return float(value.replace(",", "").replace("%", "").replace("$", "").strip())
    except ValueError:
        return None


def same_rows(got: Rows, gold: Rows, ordered: bool) -> bool:
    one = [tuple(_canonical(c) for c in row) for row in got]
    two = [tuple(_canonical(c) for c in row) for row in gold]
    if ordered:
        return one == two
    return Counter(one) == Counter(two) or _columns_permuted(one, two)


def _columns_permuted(one: list[tuple], two: list[tuple]) -> bool:
    """Equal up to the order of the columns."""
    if not one or not two or len(one[0]) != len(two[0]) or not 2 <= len(one[0]) <= 5:
        return False
    gold = Counter(two)
    orders = itertools.permutations(range(len(one[0])))
    return any(Counter(tuple(row[i] for i in order) for row in one) == gold for order in orders)


def _canonical(cell: object) -> object:
    if isinstance(cell, bool):
        return int(cell)
    if cell is None or cell == "":
        return None
    found = number(str(cell))
    return str(cell).strip().casefold() if found is None else round(found, 4)
