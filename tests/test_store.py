import threading

import pytest
from test_index import ITEMS, document, index_of, table

from retrieval.build import build_table
from retrieval.errors import UnreadableSource
from retrieval.index import Index
from retrieval.table import Document, Note, Paragraph

QUESTIONS = ("price of sku-4471-b", "desk lamp and floor lamp", "waivers", "4472")


def rich_document() -> Document:
    one = build_table(
        [
            (("Segment",), ["Cloud", "Cloud", "Total"]),
            (("Year", "2024"), ["$1,200", "", "$1,200"]),
            (("Note",), ["é\0b", "x", "-"]),
        ],
        document="rich",
        name="rich",
        title="Income",
        heading_path=("Report", "Part 1"),
        unit="USD",
        key=0,
        totals=frozenset({2}),
        notes=(Note("(a)", "Restated", ((0, 1), (-1, 1))),),
        lines=(4, 5, 9),
        warnings=("one cell was cut",),
    )
    paragraph = Paragraph("Fees are waived.", ("Rules", "Waivers"), page=2)
    return Document("rich", "v7", (one,), (paragraph,))


def answers(index: Index):
    found = [index.search_rows(q, 5) for q in QUESTIONS]
    tables = [index.search_tables(q) for q in QUESTIONS]
    return found, tables, [index.search_paragraphs(q) for q in QUESTIONS]


def test_an_opened_index_answers_as_the_saved_one(tmp_path):
    index = index_of(document(ITEMS, "a.csv"), rich_document(), document(ITEMS, "b.csv"))
    index.remove("a.csv")
    index.save(tmp_path / "index")
    again = Index.open(tmp_path / "index")
    assert answers(again) == answers(index)
    assert [one.name for one in again.documents] == ["rich", "b.csv"]


def test_a_table_comes_back_as_it_was(tmp_path):
    index_of(rich_document()).save(tmp_path)
    kept, opened = rich_document().tables[0], Index.open(tmp_path).table("rich#0")
    assert [opened.row(i) for i in range(3)] == [kept.row(i) for i in range(3)]
    assert [c.type for c in opened.columns] == [c.type for c in kept.columns]
    assert [c.canonical for c in opened.columns] == [c.canonical for c in kept.columns]
    assert [tuple(c.texts) for c in opened.columns] == [c.texts for c in kept.columns]
    for name in ("title", "heading_path", "unit", "key", "totals", "notes", "lines", "warnings"):
        assert getattr(opened, name) == getattr(kept, name)
    assert Index.open(tmp_path).documents[0].paragraphs == rich_document().paragraphs


def test_saving_again_writes_only_what_changed_and_drops_what_went(tmp_path):
    index = index_of(document(ITEMS, "a.csv"), document(ITEMS * 3, "big.csv"))
    index.save(tmp_path)
    before = {path.name for path in tmp_path.glob("*.segment")}
    again = Index.open(tmp_path)
    again.add(document("sku,price\nNEW-1,5\n", "new.csv"))
    again.save(tmp_path)
    after = {path.name for path in tmp_path.glob("*.segment")}
    assert before & after
    again.remove("a.csv")
    again.add(document("sku,price\nNEW-2,5\n", "new.csv"))
    again.save(tmp_path)
    third = Index.open(tmp_path)
    assert [one.name for one in third.documents] == ["big.csv", "new.csv"]
    assert not third.search_rows("NEW-1")
    assert third.search_rows("NEW-2").total == 1


def test_saving_into_another_folder_writes_all_of_it(tmp_path):
    index_of(document(ITEMS, "a.csv")).save(tmp_path / "one")
    again = Index.open(tmp_path / "one")
    again.add(document(ITEMS, "b.csv"))
    again.save(tmp_path / "two")
    assert [one.name for one in Index.open(tmp_path / "two").documents] == ["a.csv", "b.csv"]
    assert [one.name for one in Index.open(tmp_path / "one").documents] == ["a.csv"]


def test_what_is_no_index_is_refused(tmp_path):
    with pytest.raises(UnreadableSource):
        Index.open(tmp_path / "nowhere")
    index_of(document(ITEMS)).save(tmp_path)
    next(tmp_path.glob("*.segment")).write_bytes(b"not a segment at all, and long enough")
    with pytest.raises(UnreadableSource):
        Index.open(tmp_path)


def test_an_empty_index_is_saved_and_opened(tmp_path):
    Index().save(tmp_path)
    again = Index.open(tmp_path)
    assert again.documents == ()
    assert not again.search_rows("anything")


def test_readers_keep_answering_while_documents_come_and_go():
    index = index_of(document(ITEMS, "base"))
    wrong, stop = [], threading.Event()

    def read() -> None:
        while not stop.is_set():
            hits = index.search_rows("SKU-4472-B")
            if hits[0].cells["product"] != "Floor lamp":
                wrong.append(hits)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(40):
        index.add(document(f"name,n\nthing {number},1\n", f"d{number % 7}"))
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert table(ITEMS).row_count == 5
