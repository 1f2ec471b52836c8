"""Evaluation: cases as people write them, judged fairly, summed up, compared."""

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.hits import RowHit
from router import Router, cli
from router.answer import Answer, Citation, Route
from router.errors import UsageError
from router.evaluate import (
    Case,
    CasesError,
    Run,
    Verdict,
    as_json,
    as_text,
    compare,
    evaluate,
    figures,
    judge,
    load_cases,
    load_run,
    parse_cases,
    parse_minimums,
    save_run,
    shortfalls,
    summarise,
)
from router.evaluation.report import comparison_text, run_html
from router.evaluation.run import ask_case
from router.evaluation.sameness import same_cell, same_rows
from router.evaluation.suggest import suggest


def answer(route: str = "sql", **told: object) -> Answer:
    told.setdefault("text", "")
    return Answer(question="?", route=Route(route), **told)


def case(**record: object) -> Case:
    return parse_cases([(1, {"question": "What?", **record})])[0]


class FakeRouter:
    """Answers from a list; counts how often it is asked."""

    def __init__(self, answers: dict[str, Answer], hits: tuple[RowHit, ...] = ()) -> None:
        self.answers, self.hits, self.asked = answers, hits, []

    def ask(self, question: str) -> Answer:
        self.asked.append(question)
        if question not in self.answers:
            raise UsageError("no such question")
        return self.answers[question]

    def lookup(self, question: str, k: int) -> tuple[RowHit, ...]:
        return self.hits[:k]


def hit(position: int, text: str, **cells: str) -> RowHit:
    return RowHit("a.csv", "a.csv#0", "a", position, cells, 1.0, "near", text)


# Sameness


@pytest.mark.parametrize(
    ("gold", "given"),
    [
        ("7 days", 7),
        ("₹2,499", Decimal(2499)),
        ("$1,204.50", 1204.5),
        (1543.063125, 1543.0631250001),
        (9.15625, "9.1563"),
        ("26 January 2025", dt.date(2025, 1, 26)),
        ("2025-03-04 06:30", dt.datetime(2025, 3, 4, 6, 30)),
        ("2025-03-14", dt.datetime(2025, 3, 14)),
        ("No", False),
        ("Store credit", "store  credit"),
        (None, ""),
        ("(1,200)", -1200),
        ("0:07:15", dt.time(0, 7, 15)),
        ("9:30", dt.time(9, 30)),
    ],
)
def test_two_writings_of_one_value_are_the_same(gold, given):
    assert same_cell(gold, given)


@pytest.mark.parametrize(
    ("gold", "given"),
    [
        ("7 days", "7 hours"),
        (5, 5.01),
        ("Unlimited", 0),
        ("Yes", False),
        ("", 0),
        ("2025-03-14", "2025-03-15"),
        ("LB-100217", "LB-100218"),
        ("9:30", dt.time(9, 31)),
        (9, dt.time(9)),
    ],
)
def test_different_values_are_not_the_same(gold, given):
    assert not same_cell(gold, given)


def test_rows_are_compared_without_order_unless_it_matters():
    gold, other = [["a", 1], ["b", 2]], [["b", 2], ["a", 1]]
    assert same_rows(gold, other)
    assert not same_rows(gold, other, ordered=True)


def test_columns_are_found_by_content_and_extra_ones_are_allowed():
    assert same_rows([["a", 1], ["b", 2]], [[9, 1, "a"], [8, 2, "b"]])
    assert not same_rows([["a", 1], ["b", 2]], [[9, 1, "a"], [8, 2, "b"]], extra_columns=False)


def test_columns_that_fit_one_by_one_must_fit_row_by_row():
    assert not same_rows([["a", 1], ["b", 2]], [["a", 2], ["b", 1]])


def test_a_single_number_is_not_found_somewhere_in_a_whole_row():
    assert not same_rows([[5]], [["Campus", 5, 120, "Chat"]])
    assert same_rows([[14800]], [["LB-1", 14800]])


def test_a_row_given_twice_is_not_the_same_as_once():
    assert not same_rows([["a"], ["b"]], [["a"], ["a"]])
    assert not same_rows([["a"]], [["a"], ["a"]])


cells = st.one_of(
    st.none(),
    st.integers(-(10**6), 10**6),
    st.decimals(-1000, 1000, places=2),
    st.text(st.characters(codec="ascii", exclude_characters="\x00"), max_size=6),
    st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(cells, cells), max_size=6), st.randoms(use_true_random=False))
def test_a_result_is_the_same_as_itself_in_any_order(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert same_rows(rows, shuffled)
    assert same_rows(rows, [row[::-1] for row in shuffled])


# Cases


def test_cases_read_from_json_lines_and_csv_are_the_same(tmp_path: Path):
    record = {"id": "1", "question": "How many?", "route": ["sql", "row"], "rows": [["a", 2]]}
    lines, table = tmp_path / "c.jsonl", tmp_path / "c.csv"
    lines.write_text(json.dumps(record) + "\n\n", encoding="utf-8")
    table.write_text(
        'id,question,route,rows\n1,How many?,sql;row,"[[""a"", 2]]"\n', encoding="utf-8"
    )
    assert load_cases(lines) == load_cases(table)


def test_a_key_that_looks_like_a_number_is_a_key_in_json_and_a_position_in_csv(tmp_path: Path):
    table = tmp_path / "c.csv"
    table.write_text("question,row\nWhat?,12\nWhat?,12-B\n", encoding="utf-8")
    first, second = load_cases(table)
    assert (first.positions, second.keys) == ((12,), ("12-B",))
    assert case(row="12").keys == ("12",)


def test_another_wording_takes_the_gold_of_the_case_it_names():
    cases = parse_cases(
        [
            (1, {"id": "a", "question": "How many?", "rows": [[5]]}),
            (2, {"of": "a", "question": "N?"}),
        ]
    )
    assert cases[1].results == (((5,),),)
    assert cases[1].question == "N?"


BAD = Path(__file__).parent / "data" / "bad_cases.json"


@pytest.mark.parametrize("bad", json.loads(BAD.read_text(encoding="utf-8")), ids=lambda b: b["is"])
def test_a_bad_cases_file_is_refused_with_file_line_and_what_to_write(tmp_path: Path, bad):
    path = tmp_path / f"mine.{bad['format']}"
    path.write_text("\n".join(bad["lines"]), encoding="utf-8")
    with pytest.raises(CasesError) as refused:
        load_cases(path)
    assert "mine." in str(refused.value)
    assert bad["told"] in str(refused.value)
    assert bad["hint"] in refused.value.hint


def test_a_cases_file_that_is_not_utf_8_is_refused_with_its_line(tmp_path: Path):
    path = tmp_path / "c.csv"
    path.write_bytes("question,cell\nWas kostet Müsli?,3\n".encode("latin-1"))
    with pytest.raises(CasesError, match="line 2 is not UTF-8"):
        load_cases(path)


def test_a_csv_may_part_values_by_semicolons_and_break_a_quoted_line(tmp_path: Path):
    path = tmp_path / "c.csv"
    path.write_text('Question;Cell;Declined\n"How many,\ntoday?";3;no\n;;\nWho?;Ann;\n', "utf-8")
    first, second = load_cases(path)
    assert (first.question, first.cell, first.declined) == ("How many,\ntoday?", "3", False)
    assert (second.id, second.cell) == ("5", "Ann")


def test_a_missing_cases_file_is_refused(tmp_path: Path):
    with pytest.raises(CasesError, match="cannot read"):
        load_cases(tmp_path / "none.jsonl")


# Judgement


@pytest.mark.parametrize(
    ("gold", "given", "verdict"),
    [
        (case(cell="7 days"), answer("row", value=7), "right"),
        (case(cell="7 days"), answer("row", value=30), "wrong"),
        (case(cell="7 days"), answer("row", rows=[("a", "7 days", "x")]), "wrong"),
        (case(cell="7 days", row="a"), answer("row", rows=[("a", "7 days")]), "partial"),
        (case(cell="7 days", row="a"), answer("row", rows=[("b", "7 days")]), "wrong"),
        (case(cell="7 days"), answer("declined"), "declined"),
        (case(declined=True), answer("declined"), "right"),
        (case(declined=True), answer("sql", rows=[(0,)], value=0), "wrong"),
        (case(rows=[[5]]), answer(rows=[(5,)], value=5), "right"),
        (case(rows=[["a"], ["b"]]), answer(rows=[("b", 1), ("a", 2)]), "right"),
        (case(rows=[["a"], ["b"]], ordered=True), answer(rows=[("b",), ("a",)]), "wrong"),
        (case(rows=[[9.15]], accepted=[[[0.0915]]]), answer(rows=[(0.0915,)]), "right"),
        (case(contains="five days"), answer("text", text="Within  Five days."), "right"),
        (case(contains="five days"), answer("text", text="Never."), "wrong"),
        (case(row="a"), answer("row", rows=[("a", 1)]), "right"),
        (case(row="a"), answer("row", rows=[("a", 1), ("b", 2)]), "wrong"),
        (case(row=["a", "b"]), answer("row", rows=[("a", "b", 1)]), "right"),
        (case(route="sql"), answer(), "unjudged"),
    ],
)
def test_an_answer_is_judged_by_what_the_case_tells(gold, given, verdict):
    assert judge(gold, given).verdict == verdict


def test_a_gold_cell_is_read_as_its_column_is(tmp_path):
    text = "Konto;Saldo;Ab;Dauer\nGiro;2.954,20;09:30;00:07:45\nSpar;1.110,50;10:00;01:02:30\n"
    asked = [("saldo of Spar", "1.110,50"), ("ab of Giro", "09:30"), ("dauer of Giro", "00:07:45")]
    with Router(writer="offline") as tables:
        (tmp_path / "konten.csv").write_text(text, encoding="utf-8")
        tables.add(tmp_path / "konten.csv")
        cases = [
            case(question=f"What is the {what}?", column=what.split()[0], cell=cell)
            for what, cell in asked
        ]
        assert [ask_case(tables, one).verdict for one in cases] == ["right"] * 3
        wrong = case(question="What is the saldo of Spar?", column="saldo", cell="2.954,20")
        assert ask_case(tables, wrong).verdict == "wrong"


def test_a_row_gold_by_position_is_judged_by_the_citation():
    cited = Citation("a.csv", "v", "a.csv#0", "a", rows=(3,))
    assert judge(case(row=3), answer("row", citations=(cited,))).verdict == "right"
    assert judge(case(row=4), answer("row", citations=(cited,))).verdict == "wrong"


def test_the_strict_rank_asks_for_row_name_header_and_value_in_the_chunk():
    gold = case(row="Campus", column="Support", cell="Chat", table="a.csv")
    hits = (
        hit(0, "Branch | Email", plan="Branch"),
        hit(1, "Campus | Chat", plan="Campus"),
        hit(1, "Plan: Campus | Support: Chat", plan="Campus"),
    )
    outcome = judge(gold, answer("row", value="Chat"), hits)
    assert (outcome.rank, outcome.strict_rank) == (2, 3)


def test_a_hit_in_another_table_is_not_the_gold_row():
    outcome = judge(case(row="Campus", table="b.csv"), answer(), (hit(1, "Campus", p="Campus"),))
    assert outcome.rank is None


# Runs


def two_cases() -> list[Case]:
    return parse_cases(
        [
            (1, {"id": "a", "question": "How many?", "rows": [[5]], "route": "sql"}),
            (2, {"id": "b", "question": "Who?", "cell": "Ann", "row": "7", "route": "row"}),
        ]
    )


def five(confidence: float = 0.9) -> Answer:
    return answer(rows=[(5,)], value=5, confidence=confidence, elapsed_ms=2.0)


def test_a_run_counts_right_wrong_and_failed():
    run = evaluate(FakeRouter({"How many?": five()}), two_cases())
    measured = summarise(run.outcomes).all
    assert [o.verdict for o in run.outcomes] == [Verdict.RIGHT, Verdict.FAILED]
    assert (measured.right, measured.failed, measured.accuracy) == (1, 1, 0.5)
    assert measured.precision == 1.0


def test_a_figure_without_cases_is_none_and_not_zero():
    measured = figures(())
    assert (measured.accuracy, measured.mrr, measured.recall) == (None, None, (None, None, None))


def test_the_confusion_table_counts_gold_route_by_route_taken():
    router = FakeRouter({"How many?": five(), "Who?": five()})
    assert summarise(evaluate(router, two_cases()).outcomes).confusion == {
        "sql": {"sql": 1},
        "row": {"sql": 1},
    }


def test_the_curve_lets_in_the_most_confident_answers_first():
    router = FakeRouter({"How many?": five(0.9), "Who?": five(0.2)})
    assert summarise(evaluate(router, two_cases()).outcomes).curve == ((0.5, 1.0), (1.0, 0.5))


def test_retrieval_is_measured_where_the_case_tells_the_row():
    router = FakeRouter(
        {"Who?": answer("row", value="Ann")}, (hit(0, "x", id="6"), hit(1, "y", id="7"))
    )
    measured = summarise(evaluate(router, two_cases()[1:]).outcomes).all
    assert (measured.recall, measured.mrr) == ((0.0, 1.0, 1.0), 0.5)


def test_a_broken_run_resumes_and_asks_only_the_rest(tmp_path: Path):
    kept = tmp_path / "runs" / "run.jsonl"
    answers = {"How many?": five(), "Who?": answer("row", value="Ann")}

    class Stop(Exception):
        pass

    def stop(done: int, count: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        evaluate(FakeRouter(answers), two_cases(), keep=kept, progress=stop)
    router = FakeRouter(answers)
    run = evaluate(router, two_cases(), keep=kept)
    assert router.asked == ["Who?"]
    assert load_run(kept).outcomes == run.outcomes


def test_a_line_that_a_killed_run_left_unfinished_is_asked_again(tmp_path: Path):
    kept = tmp_path / "run.jsonl"
    answers = {"How many?": five(), "Who?": answer("row", value="Ann")}
    whole = evaluate(FakeRouter(answers), two_cases(), keep=kept)
    kept.write_bytes(kept.read_bytes()[:-40])
    router = FakeRouter(answers)
    run = evaluate(router, two_cases(), keep=kept)
    assert router.asked == ["Who?"]
    assert [o.id for o in load_run(kept).outcomes] == [o.id for o in whole.outcomes]
    assert run.outcomes == load_run(kept).outcomes


def test_a_file_that_is_no_run_is_not_written_over(tmp_path: Path):
    kept = tmp_path / "notes.txt"
    kept.write_text("remember the milk")
    with pytest.raises(CasesError, match="not a run file"):
        evaluate(FakeRouter({}), two_cases(), keep=kept)
    assert kept.read_text() == "remember the milk"


def test_a_run_file_of_other_cases_is_not_mixed_with_this_one(tmp_path: Path):
    kept = tmp_path / "run.jsonl"
    evaluate(FakeRouter({"How many?": five()}), two_cases()[:1], keep=kept)
    with pytest.raises(CasesError, match="other cases, tables or settings"):
        evaluate(FakeRouter({}), two_cases(), keep=kept)


def test_a_run_survives_saving_and_loading(tmp_path: Path):
    run = evaluate(FakeRouter({"How many?": five()}), two_cases())
    save_run(run, tmp_path / "run.jsonl")
    assert load_run(tmp_path / "run.jsonl").outcomes == run.outcomes


def test_minimums_hold_any_figure_by_its_name():
    run = evaluate(FakeRouter({"How many?": five()}), two_cases())
    assert shortfalls(run, parse_minimums(["0.5", "precision=1"])) == []
    assert shortfalls(run, parse_minimums(["accuracy=0.9"])) == ["accuracy is 0.5, below 0.9"]
    assert "no case measures it" in shortfalls(run, parse_minimums(["declined_right=1"]))[0]


@pytest.mark.parametrize("text", ["acuracy=1", "accuracy=high", "high", "wrong=0"])
def test_an_unknown_minimum_is_refused(text):
    with pytest.raises(UsageError):
        parse_minimums([text])


def test_two_runs_show_what_got_better_and_what_got_worse():
    before = evaluate(FakeRouter({"How many?": five(), "Who?": five()}), two_cases())
    ann = answer("row", value="Ann")
    after = evaluate(FakeRouter({"How many?": answer("declined"), "Who?": ann}), two_cases())
    found = compare(before, after)
    assert [c.after.id for c in found.better] == ["b"]
    assert [c.after.id for c in found.worse] == ["a"]
    assert found.figures["right"] == (1, 1)
    assert "wrong -> right: b Who?" in comparison_text(found)


# Reports


def report_run() -> Run:
    return evaluate(FakeRouter({"How many?": five(), "Who?": five()}), two_cases())


def test_the_text_report_shows_figures_and_the_failing_case_beside_its_gold():
    text = as_text(report_run())
    assert "accuracy" in text
    assert "wrong: b Who?" in text
    assert 'gold "Ann"; given 5' in text


def test_the_json_report_is_strict_json_and_holds_every_outcome():
    told = json.loads(json.dumps(as_json(report_run()), allow_nan=False))
    assert told["figures"]["accuracy"] == 0.5
    assert [o["id"] for o in told["outcomes"]] == ["a", "b"]


def test_the_html_report_escapes_what_the_data_says():
    gold = parse_cases([(1, {"question": "<script>alert(1)</script>?", "cell": "<b>"})])
    router = FakeRouter({gold[0].question: answer("row", value="</pre><script>")})
    page = run_html(evaluate(router, gold))
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page


# The command


STOCK = "code,item,pieces,shelf\nA-1,tea,40,top\nB-2,jam,15,low\nC-3,rice,22,low\nD-4,salt,9,low\n"


@pytest.fixture
def stock(tmp_path: Path) -> Path:
    (tmp_path / "stock.csv").write_text(STOCK, encoding="utf-8")
    lines = [
        {"id": "1", "question": "How many pieces of tea are there?", "cell": "40", "row": "tea"},
        {"id": "2", "question": "What is the total pieces?", "rows": [[86]], "route": "sql"},
        {"id": "3", "question": "What is the shelf of B-2?", "row": "B-2", "column": "shelf",
         "cell": "low", "route": "row"},
    ]  # fmt: skip
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (tmp_path / "cases.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def tabroute(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    code = cli.run([str(argument) for argument in arguments])
    return code, capsys.readouterr().out


def test_the_command_prints_figures_and_keeps_a_run_and_a_page(stock, capsys):
    kept, page = stock / "runs" / "run.jsonl", stock / "page.html"
    code, text = tabroute(
        capsys, "eval", stock / "cases.jsonl", stock / "stock.csv", "-w", "offline",
        "--out", kept, "--html", page, "--min", "recall@10=1",
    )  # fmt: skip
    assert code == 0
    assert "accuracy" in text
    assert len(load_run(kept).outcomes) == 3
    written = page.read_text(encoding="utf-8")
    assert "to look at" in written
    assert "writer offline, min_confidence 0.5" in written


def test_the_command_fails_below_a_minimum(stock, capsys):
    cases = stock / "cases.jsonl"
    cases.write_text('{"question": "What is the total pieces?", "rows": [[1]]}\n', "utf-8")
    code, _ = tabroute(capsys, "eval", cases, stock / "stock.csv", "-w", "offline", "--min", "0.9")
    assert code == 1


@pytest.mark.parametrize(
    ("gold", "told"),
    [
        ({"sql": "SELECT count(*) FROM stok"}, "no table 'stok'"),
        ({"sql": "DROP TABLE stock"}, "the gold query cannot run"),
        ({"table": "stok.csv", "row": "tea"}, "did you mean 'stock.csv'"),
        ({"table": "stock.csv", "row": "tea", "column": "shelv"}, "did you mean 'shelf'"),
        ({"row": "B-2", "column": "shelf", "cell": "top"}, "'shelf' of 'B-2' is 'low', not 'top'"),
        ({"row": "coffee", "cell": "1"}, "no row holds 'coffee'"),
        ({"row": ["tea", "low"], "cell": "1"}, "no row holds 'tea' and 'low'"),
        ({"table": "stock.csv", "row": 4, "cell": "1"}, "no row 4 of stock.csv"),
    ],
)
def test_gold_that_the_tables_cannot_hold_is_refused_before_a_question_is_asked(
    stock, capsys, gold, told
):
    cases = stock / "cases.jsonl"
    cases.write_text(f"\n{json.dumps({'question': 'How many pieces?', **gold})}\n", "utf-8")
    code = cli.run(["eval", str(cases), str(stock / "stock.csv"), "-w", "offline"])
    error = capsys.readouterr().err
    assert code == 2
    assert "line 2" in error
    assert told in error


def test_a_gold_query_that_fails_as_it_runs_is_told_apart_from_the_answer(stock, capsys):
    cases = stock / "cases.jsonl"
    gold = "SELECT CAST(item AS INTEGER) FROM stock"
    cases.write_text(json.dumps({"question": "What is the total pieces?", "sql": gold}), "utf-8")
    code, text = tabroute(capsys, "eval", cases, stock / "stock.csv", "-w", "offline")
    assert code == 0
    assert "the gold query fails" in text


def test_the_command_compares_two_kept_runs(stock, capsys):
    kept = stock / "run.jsonl"
    tabroute(capsys, "eval", stock / "cases.jsonl", stock / "stock.csv", "--out", kept)
    code, text = tabroute(capsys, "eval", "--compare", kept, kept)
    assert code == 0
    assert "worse: 0" in text


def test_drafted_cases_have_gold_that_the_tables_hold(stock, capsys):
    code, text = tabroute(capsys, "eval", "--suggest", stock / "stock.csv")
    drafted = parse_cases(enumerate(map(json.loads, text.splitlines()), 1))
    assert code == 0
    assert {"sql", "row"} <= {route for one in drafted for route in one.routes}
    total = next(one for one in drafted if "total pieces" in one.question)
    assert total.results == (((86,),),)


def test_no_draft_asks_for_what_a_cell_says_it_has_not():
    berths = [["Berth", "Boat"], ["A1", "Tern"], ["A2", "n/a"], ["A3", "Gull"], ["A4", "–"]]
    with Router(writer="offline") as tables:
        tables.add(berths, name="berths")
        drafted = suggest(tables.catalog)
    assert {one["cell"] for one in drafted if "cell" in one} == {"Tern", "Gull"}


def test_rows_with_headers_pass_the_pair_check_and_bare_rows_do_not(stock, capsys):
    code, text = tabroute(
        capsys, "eval", stock / "cases.jsonl", stock / "stock.csv", "--chunkings", "--json"
    )
    figures_of = {one["name"]: one for one in json.loads(text)}
    assert code == 0
    assert figures_of["rows with headers"]["pair_at_1"] == 1.0
    assert figures_of["bare rows"]["pair_at_3"] == 0.0


def test_the_command_without_cases_says_what_to_do(capsys):
    assert tabroute(capsys, "eval")[0] == 2


def test_a_draft_names_the_table_only_where_others_have_the_same_words():
    with Router(writer="offline") as tables:
        tables.add([["Stall", "Takings"], ["Plums", "40"], ["Pears", "55"]], name="market")
        tables.add([["Stand", "Takings"], ["Plums", "70"], ["Figs", "60"]], name="fair")
        tables.add([["Bridge", "Toll", "Vat rate"], ["West", "3", "20"]], name="tolls")
        tables.add([["Ware", "Unit price"], ["Rope", "7"], ["Twine", "2"]], name="wares")
        asked = {one["question"] for one in suggest(tables.catalog)}
    assert "What is the total toll?" in asked
    assert "What is the total takings in fair?" in asked
    assert "What is the takings of Plums in market?" in asked
    assert "What is the takings of Figs?" in asked
    assert not any("total vat rate" in question for question in asked)
    assert "What is the highest unit price?" in asked
    assert "What is the total unit price?" not in asked
