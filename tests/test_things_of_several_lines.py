"""What stands in every line of one thing is taken once for each thing, never once a line."""

import random

import pytest

from router import Route, Router

HEAD = "Ticket,Day,Porter,Party,Dish,Portions"
PARTIES = [random.Random(at).randint(1, 6) for at in range(30)]


def lines(portions: int | None = None, *, days_differ: bool = False) -> list[str]:
    chance, found = random.Random(9), []
    for at, party in enumerate(PARTIES):
        for line in range(2 + at % 3):
            day = 1 + at // 2 + (line if days_differ else 0)
            pieces = portions or chance.randint(1, 9)
            porter = "Kim" if at % 2 else "Lou"
            found.append(f"{401 + at},2025-03-{day:02d},{porter},{party},Dish {line},{pieces}")
    return found


@pytest.fixture
def ask(tmp_path):
    def asked(question: str, rows: list[str]):
        path = tmp_path / "suppers.csv"
        path.write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")
        with Router(writer="offline") as tables:
            tables.add(path)
            return tables.ask(question)

    return asked


def test_an_amount_of_the_whole_ticket_is_added_once_a_ticket(ask):
    assert ask("total party", lines()).value == sum(PARTIES)


def test_an_average_is_one_over_the_tickets(ask):
    answer = ask("average party per ticket", lines())
    assert float(answer.value) == pytest.approx(sum(PARTIES) / len(PARTIES))


def test_a_total_by_group_takes_each_ticket_once(ask):
    answer = ask("total party per porter", lines())
    assert sum(row[1] for row in answer.rows) == sum(PARTIES)


def test_an_amount_of_each_line_is_added_line_by_line(ask):
    rows = lines()
    assert ask("total portions", rows).value == sum(int(row.rsplit(",", 1)[1]) for row in rows)


def test_an_amount_that_is_nearly_always_the_same_belongs_to_the_line(ask):
    rows = lines(portions=1)
    assert ask("total portions", rows).value == len(rows)


def test_lines_of_several_days_are_payments_and_no_repetition(ask):
    rows = lines(days_differ=True)
    assert ask("total party", rows).value == sum(int(row.split(",")[3]) for row in rows)


def test_tickets_are_counted_and_not_their_lines(ask):
    assert ask("how many tickets are there?", lines()).value == len(PARTIES)
    answer = ask("number of tickets per porter", lines())
    assert sum(row[1] for row in answer.rows) == len(PARTIES)
    assert ask("how many lines are there", lines()).value in (None, len(lines()))


def test_a_kind_of_thing_may_be_counted_once_or_in_every_row(tmp_path):
    chance = random.Random(2)
    horses = [
        ("Ebony", "Cob"),
        ("Flint", "Cob"),
        ("Gale", "Shire"),
        ("Hazel", "Fell"),
        ("Ivo", "Cob"),
    ]
    rows = [chance.choice(horses) for _ in range(30)]
    path = tmp_path / "rides.csv"
    told = [f"2025-04-{1 + i:02d},{horse},{kind}" for i, (horse, kind) in enumerate(rows)]
    path.write_text("\n".join(["Date,Horse,Breed", *told]) + "\n", encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        assert tables.ask("How many cobs were ridden?").route is Route.DECLINED
        assert tables.ask("How many different horses are there?").value == 5
