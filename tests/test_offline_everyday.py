"""Everyday questions over plain tables: each wording answered right, or declined; never wrong."""

from pathlib import Path

import pytest
from everyday_tables import TABLES, TODAY, connect

from sql_engine.catalog import Catalog
from sql_engine.errors import CannotWrite
from sql_engine.links import Links
from sql_engine.offline import DEFAULT_MIN_CONFIDENCE, OfflineWriter
from sql_engine.writer import SqlRequest

FOLDER = Path(__file__).parent / "everyday"


def blocks(name: str) -> list[tuple[list[str], str]]:
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    found, wordings = [], []
    for line in text.splitlines():
        if line.startswith("= "):
            found.append((wordings, line[2:]))
            wordings = []
        elif line and not line.startswith("#"):
            wordings.append(line)
    return found


def request(question: str, catalog: Catalog) -> SqlRequest:
    return SqlRequest(
        question, catalog, catalog.tables, Links(), TODAY, min_confidence=DEFAULT_MIN_CONFIDENCE
    )


def rows(result: list[tuple]) -> list[tuple]:
    return sorted((tuple(_plain(cell) for cell in row) for row in result), key=repr)


def _plain(cell: object) -> object:
    return (
        round(float(cell), 4)
        if isinstance(cell, int | float) or hasattr(cell, "quantize")
        else cell
    )


def same(got: list[tuple], gold: list[tuple]) -> bool:
    """Equal rows; keys without their measure count as well ("which region …"), and so does what
    ranks them beside them ("the top five …").
    """
    if rows(got) == rows(gold):
        return True
    if gold and len(gold[0]) == 1 and rows([row[:1] for row in got]) == rows(gold):
        return True
    return bool(gold) and len(gold[0]) == 2 and rows(got) == rows([row[:1] for row in gold])


@pytest.mark.parametrize("name", TABLES)
def test_everyday_questions_are_right_and_none_is_wrong(name):
    catalog = Catalog().with_tables((TABLES[name](),))
    connection = connect(catalog)
    writer = OfflineWriter()
    right, wrong, declined = 0, [], []
    for wordings, gold_sql in blocks(name):
        gold = connection.execute(gold_sql).fetchall()
        for question in wordings:
            try:
                draft = writer.write(request(question, catalog))
            except CannotWrite as error:
                declined.append((question, str(error), error.hint))
                continue
            if same(connection.execute(draft.sql).fetchall(), gold):
                right += 1
            else:
                wrong.append((question, draft.reading, draft.confidence))
    assert not wrong, wrong
    assert right >= 0.95 * (right + len(declined)), declined


def test_questions_that_the_table_cannot_answer_are_declined():
    catalogs = {name: Catalog().with_tables((make(),)) for name, make in TABLES.items()}
    answered = []
    for line in (FOLDER / "declined.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, _, question = line.partition(": ")
        try:
            draft = OfflineWriter().write(request(question, catalogs[name]))
        except CannotWrite:
            continue
        answered.append((question, draft.reading, draft.confidence))
    assert not answered
