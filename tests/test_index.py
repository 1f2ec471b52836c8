import csv
import io

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from retrieval import bm25
from retrieval.build import build_table
from retrieval.cell_choice import choose_cell
from retrieval.errors import UnknownDocument
from retrieval.index import Index
from retrieval.postings import Postings
from retrieval.question import Question
from retrieval.row_index import head_texts, table_block
from retrieval.table import Document, Note, Paragraph, Table
from retrieval.tokenize import tokens

ITEMS = """\
sku,product,price
SKU-4471-A,Desk lamp,20
SKU-4471-B,Desk lamp XL,35
SKU-4471-BX,Desk lamp box,5
SKU-4472-B,Floor lamp,60
SKU-447-1B,Spare bulb,2
"""


BANDS = "band,year\nThe Who,1964\nThe The,1979\nYes,1968\n"


def table(text: str, name: str = "t.csv", **more) -> Table:
    head, *rows = csv.reader(io.StringIO(text))
    columns = [((header,), [row[i] for row in rows]) for i, header in enumerate(head)]
    return build_table(columns, document=name, name=name.split(".")[0], **{"key": 0, **more})


def document(text: str, name: str = "t.csv", paragraphs=(), **more) -> Document:
    return Document(name, "v1", (table(text, name, **more),), tuple(paragraphs))


def index_of(*documents: Document) -> Index:
    index = Index()
    for one in documents:
        index.add(one)
    return index


def first(index: Index, question: str) -> dict[str, str]:
    return dict(index.search_rows(question)[0].cells)


@pytest.mark.parametrize(
    ("question", "product"),
    [
        ("what is the price of sku-4471-b?", "Desk lamp XL"),
        ("SKU-4471-A", "Desk lamp"),
        ("4472", "Floor lamp"),
        ("SKU4471BX", "Desk lamp box"),
        ("SKU 4471 BX", "Desk lamp box"),
        ("sku_4471_bx", "Desk lamp box"),
        ("SKU‑4471‑BX", "Desk lamp box"),
        ("SKU–4471–BX", "Desk lamp box"),
        ("SKU-447-1B", "Spare bulb"),
    ],
)
def test_a_code_is_found_whole_in_part_joined_spaced_and_with_other_dashes(question, product):
    hits = index_of(document(ITEMS)).search_rows(question)
    assert hits[0].cells["product"] == product
    assert hits.total == 1
    assert not hits.truncated


def test_a_code_that_is_not_there_finds_no_neighbour():
    assert not index_of(document(ITEMS)).search_rows("SKU-9-Z")


@pytest.mark.parametrize(
    ("text", "question", "column", "cell"),
    [
        ("shop,open\nCafe\u0301 Roma,9\nSeñor Taco,17\n", "café roma", "open", "9"),
        ("shop,open\nCafe\u0301 Roma,9\nSeñor Taco,17\n", "cafe roma", "open", "9"),
        ("항목,값\n연차 신청,12\n장비 신청,8\n", "연차", "값", "12"),
        ("項目,値\n年次休暇,12\n設備申請,8\n", "年次休暇の値", "値", "12"),
        ("code,name\nＡＢ１２,Full\nSTRASSE 5,Str\nİzmir,Iz\n", "AB12", "name", "Full"),
        ("code,name\nＡＢ１２,Full\nSTRASSE 5,Str\nİzmir,Iz\n", "straße 5", "name", "Str"),
        ("code,name\nＡＢ１２,Full\nSTRASSE 5,Str\nİzmir,Iz\n", "izmir", "name", "Iz"),
        ("name,mail\nAl,al.b+x@ex-1.org\nBo,bo@ex-2.org\n", "bo@ex-2.org", "name", "Bo"),
        ("model,note\nm1,Our pick was Zephyr.\nm2,(Notus)\n", "Notus", "model", "m2"),
        ("item,qty\nrear axle seal,4\naxle nut,9\n", "rear axle seals", "qty", "4"),
        (BANDS, "The Who", "year", "1964"),
        (
            "band,year\nThe Who,1964\nThe The,1979\nYes,1968\n",
            "When was The Who formed?",
            "year",
            "1964",
        ),
        (BANDS, "The The", "year", "1979"),
        (BANDS, "yes", "year", "1968"),
        ("name,floor\nRoom 12,1\nRoom 2,3\nRoom 1,4\n", "Room 1", "floor", "4"),
        ('fund,size\nAlpha,"1,250,000"\nBeta,990\n', "which fund has 1250000", "fund", "Alpha"),
        ("fund,fee\nAlpha,1.50\nBeta,2\n", "fee of 1.5", "fund", "Alpha"),
    ],
)
def test_words_meet_whatever_script_case_accent_or_number_form_they_are_in(
    text, question, column, cell
):
    assert first(index_of(document(text)), question)[column] == cell


def test_a_whole_cell_of_an_unspaced_script_is_named():
    index = index_of(document("項目,値\n年次休暇,12\n年次休暇申請,8\n"))
    hits = index.search_rows("年次休暇")
    assert hits[0].named == (("項目", "年次休暇"),)
    assert hits.total == 1


def test_the_row_that_holds_more_of_the_question_comes_first_on_tiny_tables():
    index = index_of(document("id,type,name\n1,hotel,Sun\n2,hotel,Moon\n3,hotel,Star\n"))
    hits = index.search_rows("hotel Moon")
    assert hits[0].cells["name"] == "Moon"
    assert all(hit.score > 0 for hit in hits)


def test_header_words_do_not_drown_the_name():
    index = index_of(document("name,phone\nAna Ruiz,555-1\nBo Lund,555-2\n"))
    hits = index.search_rows("phone of Ana Ruiz")
    assert hits[0].cells["phone"] == "555-1"
    assert hits[0].match == "exact"
    assert hits[0].coverage.header_words == ("phone",)
    assert hits[0].coverage.cell_words == ("ana", "ruiz")


@pytest.mark.parametrize("text", ["a,b\n,\n,\n", "a,b\n"])
def test_blank_and_empty_tables_match_nothing(text):
    hits = index_of(document(text)).search_rows("anything")
    assert (len(hits), hits.total, hits.truncated) == (0, 0, False)


def test_an_empty_index_answers_nothing():
    index = Index()
    assert not index.search_rows("x")
    assert index.search_tables("x") == ()
    assert index.search_paragraphs("x") == ()


def test_k_may_exceed_the_rows():
    assert len(index_of(document("a,b\nx,1\n")).search_rows("x", 10)) == 1


def test_ties_come_in_row_order_and_the_rest_is_told():
    hits = index_of(document("id,tag\n1,red\n2,red\n3,red\n")).search_rows("red", 2)
    assert [hit.row_position for hit in hits] == [0, 1]
    assert hits.total == 3
    assert hits.truncated


def test_words_that_no_table_holds_lower_the_coverage():
    index = index_of(document("name,phone\nAna Ruiz,555-1\nBo Lund,555-2\n"))
    known = index.search_rows("phone of Ana Ruiz")[0].coverage
    foreign = index.search_rows("shoe size of Ana Ruiz")[0].coverage
    assert known.share == 1.0
    assert foreign.share < 0.6
    assert foreign.missing_words == ("shoe", "size")


def test_a_document_added_again_replaces_the_first():
    index = index_of(document("sku,price\nP-1,10\nP-2,20\n", "prices"))
    index.add(document("sku,price\nP-1,11\nP-3,30\n", "prices"))
    assert not index.search_rows("P-2")
    hits = index.search_rows("P-1")
    assert [hit.cells["price"] for hit in hits] == ["11"]
    assert len(index.documents) == 1


def test_removal_leaves_the_scores_of_an_index_that_never_had_the_document():
    kept = document(ITEMS, "items.csv")
    index = index_of(document("a,b\nDesk lamp,1\nFloor lamp,2\n", "gone.csv"), kept)
    index.remove("gone.csv")
    expected = index_of(kept).search_rows("desk lamp price", 5)
    assert index.search_rows("desk lamp price", 5) == expected
    with pytest.raises(UnknownDocument):
        index.remove("gone.csv")


def test_many_small_additions_give_the_same_order_as_their_union():
    parts = [document(f"name,n\nunit {i},{i}\nother {i},1\n", f"d{i}") for i in range(40)]
    index = index_of(*parts)
    assert len(index._state.tables.segments) < 8
    assert [hit.document for hit in index.search_rows("other", 40)] == [f"d{i}" for i in range(40)]


@pytest.mark.parametrize("question", ["desk lamp", "sku-4471-b price", "floor lamp 60", "lamp"])
def test_scores_are_those_of_rank_bm25_over_header_injected_rows(question):
    tables = [table(ITEMS, "a.csv"), table("lamp,price\nFloor,1\nTable lamp,2\n", "b.csv")]
    texts = [
        [token for text in (*head_texts(one), *one.row(i)) for token in tokens(text)]
        for one in tables
        for i in range(one.row_count)
    ]

    class Oracle(BM25Okapi):
        def _calc_idf(self, nd):
            self.idf = {word: bm25.idf(self.corpus_size, count) for word, count in nd.items()}

    oracle = Oracle(texts, k1=bm25.K1, b=bm25.B)
    postings = Postings().with_blocks([table_block(one) for one in tables])
    asked = list(dict.fromkeys(tokens(question)))
    rows = np.arange(len(texts))
    got = bm25.scores(postings, bm25.terms(postings, asked), rows)
    assert got == pytest.approx(oracle.get_scores(asked))


def test_rank_bm25_ranks_the_rows_where_it_is_chosen_as_the_engine():
    documents = [document(ITEMS, "a.csv"), document("lamp,price\nFloor,1\nTable lamp,2\n", "b.csv")]
    plain = Index(dense=False, engine="rank_bm25")
    plain.add(document("name\ngone lamp\n", "c.csv"), *documents)
    plain.remove("c.csv")
    for question in ("desk lamp", "floor lamp 60", "lamp"):
        hits = plain.search_rows(question, 20)
        tables = Postings().with_blocks([table_block(t) for d in documents for t in d.tables])
        found = bm25.terms(tables, list(Question.of(question).tokens))
        scores = bm25.scores(tables, found, np.arange(tables.row_count))
        first = {d.name: tables.row_starts[i] for i, d in enumerate(documents)}
        expected = [scores[first[hit.document] + hit.row_position] for hit in hits]
        assert hits
        assert [hit.score for hit in hits] == pytest.approx(expected)
        assert expected == sorted(expected, reverse=True)
        assert all(hit.coverage.cell_words for hit in hits)
    assert plain.search_rows("lamp", tables=["b.csv#0"])[0].document == "b.csv"
    assert not plain.search_rows("opening hours")


def test_the_rows_a_question_names_are_told_with_their_share():
    index = index_of(document(ITEMS))
    both = index.matching_rows("price of desk lamp and floor lamp", "t.csv#0")
    assert both.rows.tolist() == [0, 3]
    assert both.share == pytest.approx(0.4)
    assert index.matching_rows("which lamps are there", "t.csv#0").share == 0.8
    assert not len(index.matching_rows("opening hours", "t.csv#0").rows)


def test_totals_are_found_and_marked():
    index = index_of(document("region,sales\nNorth,1\nSouth,2\nTotal,3\n", totals=frozenset({2})))
    hit = index.search_rows("total sales")[0]
    assert hit.total
    assert "[Total]" in hit.text
    assert not index.search_rows("sales North")[0].total


def test_sections_header_paths_and_footnotes_lead_to_the_row():
    one = build_table(
        [
            (("Segment",), ["Cloud", "Cloud"]),
            (("Item",), ["Revenue", "Costs"]),
            (("Year ended", "2024"), ["10", "4"]),
        ],
        document="f",
        name="f",
        key=1,
        unit="USD millions",
        notes=(Note("(a)", "Restated after the merger", ((1, 2),)),),
    )
    index = index_of(Document("f", "v", (one,)))
    hit = index.search_rows("restated item of the year ended 2024")[0]
    assert hit.row_position == 1
    assert "Year ended > 2024: 4" in hit.text
    assert "USD millions" in hit.text
    assert "Restated after the merger" in hit.text


def test_tables_are_found_by_title_header_and_cell():
    index = index_of(
        document("port,cranes\nRotterdam,12\n", "ports.csv", title="Harbours of Europe"),
        document("plan,fee\nBasic,5\n", "plans.csv", title="Price plans"),
    )
    assert index.search_tables("harbours")[0].document == "ports.csv"
    assert index.search_tables("cranes of Rotterdam")[0].coverage.share == 1.0
    assert index.search_tables("fee of Basic")[0].table_id == "plans.csv#0"


def test_paragraphs_are_found_under_their_headings():
    notes = (
        Paragraph("Fees are waived for students.", ("Rules", "Waivers"), page=2),
        Paragraph("Refunds take five days.", ("Rules", "Refunds"), line=9),
    )
    index = index_of(document("a,b\nx,1\n", paragraphs=notes))
    hit = index.search_paragraphs("how long do refunds take")[0]
    assert (hit.text, hit.line) == ("Refunds take five days.", 9)
    assert index.search_paragraphs("waivers")[0].page == 2
    index.remove("t.csv")
    assert index.search_paragraphs("refunds") == ()


def test_searching_inside_given_tables_only():
    index = index_of(document(ITEMS, "a"), document(ITEMS, "b"))
    hits = index.search_rows("floor lamp", tables=["b#0"])
    assert [hit.document for hit in hits] == ["b"]


def test_the_cell_asked_for_is_the_column_that_the_rest_of_the_question_tells():
    one = table("plan,monthly fee,seats,renewal date\nBasic,5,1,2025-01-01\nPro,9,5,2025-06-01\n")
    assert choose_cell("What is the monthly fee of Pro?", one, 1).text == "9"
    assert choose_cell("How many seats does Basic have?", one, 0).header == "seats"
    assert choose_cell("When is the renewal of Pro?", one, 1).text == "2025-06-01"


def test_the_bound_of_a_comparison_is_not_taken_for_a_name():
    index = index_of(document("town,crowd\nAsh,6000\nElm,7000\nOak,500\n"))
    hits = index.search_rows("Elm with a crowd larger than 6,000")
    assert [hit.cells["town"] for hit in hits] == ["Elm"]
    assert hits[0].coverage.share == 1.0


def test_between_rows_that_match_alike_the_one_whose_name_is_said_in_full_comes_first():
    text = "item,2018\nOther operating revenue,4\nTotal operating revenue,41\nNet RPMs,7\n"
    index = index_of(document(text))
    assert first(index, "operating revenue in 2018")["2018"] == "41"
    assert first(index, "other operating revenue in 2018")["2018"] == "4"
    assert first(index, "RPM in 2018")["2018"] == "7"


@pytest.mark.parametrize(
    ("cells", "question", "wanted"),
    [
        (["C++", "C#", "C"], "C#", "C#"),
        (["C++", "C#", "C"], "who wrote C?", "C"),
        (["1.20", "1.2", "1.2.1"], "1.2", "1.2"),
        (["1.20", "1.2", "1.2.1"], "version 1.20", "1.20"),
        (["(15)", "-15", "15"], "-15", "-15"),
        (["12 500", "1250"], "12,500", "12 500"),
        (["336465", "336"], "336 465", "336465"),
        (["+49 30 123457", "+49 30 123458"], "+4930123458", "+49 30 123458"),
        (["2024-03-05", "2024-05-03"], "on 3 May 2024", "2024-05-03"),
        (["2024-03-05", "2024-05-03"], "March 5, 2024", "2024-03-05"),
        (["Søren", "Sven"], "soren", "Søren"),
        (["Łódź", "Lodi"], "lodz", "Łódź"),
        (["Her", "Him"], "the year of Her", "Her"),
    ],
)
def test_the_cell_that_is_written_as_asked_comes_first(cells, question, wanted):
    text = "sign,note\n" + "".join(f'"{cell}",n{i}\n' for i, cell in enumerate(cells))
    hits = index_of(document(text)).search_rows(question)
    assert hits[0].cells["sign"] == wanted
    assert hits[0].match == "exact"


def test_words_that_a_thousand_heads_share_lead_to_a_table_that_is_added_later():
    index = Index()
    index.add(*(document(f"berth,dues\nB{n},{n}\n", f"q{n}.csv") for n in range(1_100)))
    assert first(index, "what are the dues of berth B7?")["dues"] == "7"
    index.add(document("berth,dues\nB7000,91\n", "late.csv"))
    assert first(index, "what are the dues of berth B7000?")["dues"] == "91"
    assert first(index, "what are the dues of berth B7?")["dues"] == "7"
    index.remove("q7.csv")
    assert "B7" not in first(index, "what are the dues of berth B8?").values()
    assert not index.search_rows("what are the dues of berth B7?")


def test_columns_of_an_opened_index_are_read_once_and_as_a_tuple_is(tmp_path):
    index = Index()
    index.add(document(ITEMS))
    index.save(tmp_path)
    columns = Index.open(tmp_path).table("t.csv#0").columns
    assert [column.name for column in columns] == ["sku", "product", "price"]
    assert columns[-1] is columns[2]
    assert columns[1:] == (columns[1], columns[2])
    with pytest.raises(IndexError):
        columns[3]
