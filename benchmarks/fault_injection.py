"""Break gold queries as models do, and see whether what goes back would let a model mend them.

    python -m benchmarks.fault_injection SET [--limit N] [--verbose]

SET is a folder with `questions.jsonl` (`question`, `db`, `gold_sql`, `answer_rows`) and CSV tables
under `tables/<db>/`. Only questions whose gold gives the stored rows in DuckDB are used.
A fault counts where it changes the rows or fails; a scripted writer drafts the broken query first
and the gold one only if the message it is sent holds the name or value that was broken. Printed per
fault: how many were mended (or warned of, where the fault leaves a query that runs), and how many
unbroken queries drew a warning.
"""

from __future__ import annotations

import argparse
import collections
import datetime as dt
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from retrieval.reading import read_source
from retrieval.table import TEMPORAL
from sql_engine.catalog import Catalog
from sql_engine.correct import SqlAnswer, answer
from sql_engine.database import Database
from sql_engine.errors import SqlEngineError
from sql_engine.linking import link
from sql_engine.writer import Draft, ScriptedWriter, SqlRequest

TODAY = dt.date(2024, 1, 1)


@dataclass(frozen=True)
class Broken:
    """A broken query; any of `needed` in a message tells how to mend it."""

    sql: str
    needed: tuple[str, ...]


Fault = Callable[[exp.Query, Catalog, random.Random], Broken | None]


class Repairing:
    """Drafts the broken query, then the right one if the message holds what is needed."""

    name = "repairing"
    max_attempts = 2
    knows_language = True

    def __init__(self, broken: Broken, gold: str) -> None:
        self.broken, self.gold = broken, gold
        self.message: str | None = None

    def write(self, request: SqlRequest) -> Draft:
        if not request.attempts:
            return Draft(self.broken.sql)
        self.message = request.attempts[-1].error or ""
        told = self.message.casefold()
        known = any(needed.casefold() in told for needed in self.broken.needed)
        return Draft(self.gold if known else self.broken.sql)


def duckdb_text(tree: exp.Query) -> str:
    return tree.sql(dialect="duckdb")


def gold_tree(sql: str, catalog: Catalog, dialect: str = "sqlite") -> exp.Query | None:
    """Gold as DuckDB's; in SQLite a double-quoted word that names no column is a string."""
    names = {c.name.casefold() for t in catalog for c in t.columns}
    names |= {t.name.casefold() for t in catalog}
    try:
        tree = parse_one(sql, dialect=dialect)
    except SqlglotError:
        return None
    for table in tree.find_all(exp.Table):
        table.set("db", None)
    for column in list(tree.find_all(exp.Column)) if dialect == "sqlite" else ():
        if column.this.quoted and column.name.casefold() not in names and not column.table:
            column.replace(exp.Literal.string(column.name))
    return tree if isinstance(tree, exp.Query) else None


# faults


def base_columns(tree: exp.Query, catalog: Catalog) -> list[exp.Column]:
    known = {c.name.casefold() for t in catalog for c in t.columns}
    return [c for c in tree.find_all(exp.Column) if c.name.casefold() in known]


def misspelt_column(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    columns = [c for c in base_columns(tree, catalog) if len(c.name) > 3]
    if not columns:
        return None
    right = chance.choice(columns).name
    place = chance.randrange(1, len(right) - 1)
    wrong = right[:place] + right[place + 1 :]
    for column in columns:
        if column.name == right:
            column.set("this", exp.to_identifier(wrong, quoted=True))
    return Broken(duckdb_text(tree), (right,))


def misspelt_table(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    tables = [t for t in tree.find_all(exp.Table) if catalog.get(t.name)]
    if not tables:
        return None
    right = chance.choice(tables).name
    wrong = right[:-1] if right.endswith("s") else right + "s"
    if catalog.get(wrong):
        return None
    for table in tables:
        if table.name == right:
            if not table.alias:
                table.set("alias", exp.TableAlias(this=exp.to_identifier(right)))
            table.set("this", exp.to_identifier(wrong, quoted=True))
    return Broken(duckdb_text(tree), (right,))


def wrong_table(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    tables = list(tree.find_all(exp.Table))
    others = [t.name for t in catalog if t.name.casefold() != tables[0].name.casefold()]
    if len(tables) != 1 or not others or not list(tree.find_all(exp.Column)):
        return None
    right = tables[0].name
    tables[0].set("this", exp.to_identifier(chance.choice(others), quoted=True))
    return Broken(duckdb_text(tree), (right,))


def wrong_case(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    texts = [
        literal
        for literal in tree.find_all(exp.Literal)
        if literal.is_string
        and isinstance(literal.parent, (exp.EQ, exp.In))
        and str(literal.this).casefold() != str(literal.this).swapcase().casefold() + "x"
        and any(char.isalpha() for char in str(literal.this))
    ]
    if not texts:
        return None
    literal = chance.choice(texts)
    right = str(literal.this)
    literal.replace(exp.Literal.string(right.lower() if right != right.lower() else right.upper()))
    return Broken(duckdb_text(tree), (right,))


def misspelt_value(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    texts = [
        one
        for one in tree.find_all(exp.Literal)
        if one.is_string and isinstance(one.parent, (exp.EQ, exp.In)) and len(str(one.this)) > 4
    ]
    if not texts:
        return None
    literal = chance.choice(texts)
    right = str(literal.this)
    place = chance.randrange(1, len(right) - 1)
    literal.replace(exp.Literal.string(right[:place] + right[place + 1 :]))
    return Broken(duckdb_text(tree), (right,))


def missing_group_by(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    group = tree.args.get("group")
    if group is None or not any(c.find(exp.AggFunc) is None for c in tree.selects):
        return None
    names = tuple(c.name for c in tree.selects if c.find(exp.AggFunc) is None)
    tree.set("group", None)
    return Broken(duckdb_text(tree), ("GROUP BY", *names))


def other_dialect(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    options: list[tuple[str, tuple[str, ...]]] = []
    sql = duckdb_text(tree)
    if " AVG(" in sql:
        options.append((sql.replace(" AVG(", " AVERAGE("), ("avg",)))
    limit = tree.args.get("limit")
    if limit is not None and sql.startswith("SELECT ") and sql.count(" LIMIT ") == 1:
        top = sql.replace(f" {duckdb_text(limit)}".replace("  ", " "), "")
        options.append((top.replace("SELECT ", "SELECT TOP 1 ", 1), ("LIMIT",)))
    column = next(iter(base_columns(tree, catalog)), None)
    if column is not None:
        text = duckdb_text(column)
        options.append((sql.replace(text, f"[{column.name}]", 1), (f'"{column.name}"',)))
        options.append((sql.replace(text, f"`{column.name}`", 1), (f'"{column.name}"',)))
    if " COUNT(" in sql:
        options.append((sql.replace(" COUNT(", " COUNT_BIG(", 1), ("count",)))
    if not options:
        return None
    return Broken(*chance.choice(options))


def integer_division(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    averages = list(tree.find_all(exp.Avg))
    if not averages:
        return None
    for average in averages:
        inner = duckdb_text(average.this)
        average.replace(parse_one(f"SUM({inner}) // COUNT({inner})", dialect="duckdb"))
    return Broken(duckdb_text(tree), ("`/`", "fraction"))


def dropped_condition(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    wheres = list(tree.find_all(exp.Where, exp.Having))
    if not wheres:
        return None
    where = chance.choice(wheres)
    parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    dropped = chance.choice(parts)
    if dropped.find(exp.Query) is not None:
        return None
    if len(parts) == 1:
        where.pop()
    else:
        kept = [part.copy() for part in parts if part is not dropped]
        where.set("this", exp.and_(*kept))
    values = tuple(str(v.this) for v in dropped.find_all(exp.Literal))
    names = tuple(c.name for c in dropped.find_all(exp.Column))
    return Broken(duckdb_text(tree), values or names)


def dropped_date_range(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """Every condition on a time is left out."""
    timed = {c.name.casefold() for t in catalog for c in t.columns if c.kind in TEMPORAL}
    wheres = [
        (where, where.this.flatten() if isinstance(where.this, exp.And) else [where.this])
        for where in tree.find_all(exp.Where)
    ]
    lost: list[exp.Expression] = []
    for where, parts in wheres:
        kept = [part for part in map(exp.Expression.copy, parts) if not _is_timed(part, timed)]
        lost += [part for part in where.find_all(exp.Literal) if _is_timed(part, timed)]
        if kept:
            where.set("this", exp.and_(*kept))
        else:
            where.pop()
    values = tuple(str(literal.this)[:4] for literal in lost)
    return Broken(duckdb_text(tree), (*values, "period", "time"))


def _is_timed(part: exp.Expression, timed: set[str]) -> bool:
    """Whether a condition without a subquery speaks of a date, or of a year as a number."""
    dated = any(_DATED.match(str(one.this)) for one in part.find_all(exp.Literal))
    named = any(c.name.casefold() in timed for c in part.find_all(exp.Column))
    return (dated or named) and part.find(exp.Query) is None


_DATED = re.compile(r"[12]\d{3}($|-)")


def inner_join(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """Rows without a match are lost."""
    joins = [join for join in tree.find_all(exp.Join) if join.side == "LEFT"]
    for join in joins:
        join.set("side", None)
        join.set("kind", None)
    return Broken(duckdb_text(tree), ("LEFT JOIN",)) if joins else None


def fan_out(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """Join a child table to what is summed, averaged or counted, under whatever joins there are."""
    if not isinstance(tree, exp.Select) or tree.find(exp.Sum, exp.Avg) is None:
        return None
    measured = {c.table for a in tree.find_all(exp.Sum, exp.Avg) for c in a.find_all(exp.Column)}
    tables = {t.alias_or_name: t.name for t in tree.find_all(exp.Table)}
    if len(tables) == 1:
        (alias,) = tables
        for column in tree.find_all(exp.Column):
            column.set("table", exp.to_identifier(alias))
    elif len(measured) == 1 and "" not in measured and not tree.find(exp.Subquery):
        (alias,) = measured
    else:
        return None
    joined = _with_child(tree, alias, tables[alias], catalog, chance)
    return joined and Broken(duckdb_text(joined), ("repeats rows",))


def fan_out_count(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """Join a child table to what is counted."""
    if not isinstance(tree, exp.Select) or len(list(tree.find_all(exp.Table))) != 1:
        return None
    if not any(isinstance(o.unalias(), exp.Count) for o in tree.selects) or tree.find(exp.Distinct):
        return None
    (table,) = tree.find_all(exp.Table)
    alias = table.alias_or_name
    for column in tree.find_all(exp.Column):
        column.set("table", exp.to_identifier(alias))
    joined = _with_child(tree, alias, table.name, catalog, chance)
    return joined and Broken(duckdb_text(joined), ("repeats rows", "COUNT(DISTINCT"))


def _with_child(
    tree: exp.Select, alias: str, name: str, catalog: Catalog, chance: random.Random
) -> exp.Select | None:
    edges = [
        e
        for e in catalog.joins.edges
        if e.right_table.casefold() == name.casefold() and e.kind == "many-to-one"
    ]
    if not edges:
        return None
    edge = chance.choice(edges)
    on = f'{alias}."{edge.right_column}" = zz."{edge.left_column}"'
    return tree.join(f'"{edge.left_table}" AS zz', on=on, dialect="duckdb")


def dropped_distinct(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    found = list(tree.find_all(exp.Distinct))
    if len(found) != 1:
        return None
    (distinct,) = found
    if isinstance(distinct.parent, exp.Count):
        distinct.replace(distinct.expressions[0])
    else:
        distinct.pop()
    return Broken(duckdb_text(tree), ("DISTINCT", "once"))


def dropped_or_branch(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    either = tree.find(exp.Or)
    if either is None:
        return None
    dropped, kept = either.this, either.expression
    values = tuple(str(v.this) for v in dropped.find_all(exp.Literal))
    either.replace(kept.copy())
    return Broken(duckdb_text(tree), values)


def dropped_having(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    having = tree.find(exp.Having)
    if having is None:
        return None
    values = tuple(str(v.this) for v in having.find_all(exp.Literal))
    having.pop()
    return Broken(duckdb_text(tree), values)


def wrong_limit(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    limit = tree.args.get("limit")
    if limit is None or not isinstance(limit.expression, exp.Literal):
        return None
    count = int(limit.expression.this)
    if count == 1:
        return None
    limit.set("expression", exp.Literal.number(count + 1))
    return Broken(duckdb_text(tree), (str(count),))


def other_aggregate(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """AVG becomes SUM, MAX becomes MIN, and so on."""
    swaps = {exp.Avg: exp.Sum, exp.Max: exp.Min, exp.Min: exp.Max}
    found = [a for a in tree.find_all(*swaps) if type(a) in swaps]
    if len(found) != 1:
        return None
    words = {exp.Avg: ("average", "mean"), exp.Max: ("MAX",), exp.Min: ("MIN",)}[type(found[0])]
    found[0].replace(swaps[type(found[0])](this=found[0].this.copy()))
    return Broken(duckdb_text(tree), words)


def other_end(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    order = tree.args.get("order")
    if order is None or tree.args.get("limit") is None:
        return None
    key = order.expressions[0]
    key.set("desc", not key.args.get("desc"))
    key.set("nulls_first", None)
    return Broken(duckdb_text(tree), ("other end", "ASC", "DESC"))


def dropped_denial(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    denied = next(tree.find_all(exp.Not, exp.NEQ, exp.Except), None)
    if denied is None:
        return None
    if isinstance(denied, exp.Except):
        if denied is not tree:
            return None
        return Broken(duckdb_text(denied.this), ("not", "without"))
    if isinstance(denied, exp.Not):
        denied.replace(denied.this.copy())
    else:
        equal = exp.EQ(this=denied.this.copy(), expression=denied.expression.copy())
        denied.replace(equal)
    return Broken(duckdb_text(tree), ("leave", "heed"))


def other_bound(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    swaps = {exp.GT: exp.GTE, exp.LT: exp.LTE, exp.GTE: exp.GT, exp.LTE: exp.LT}
    found = [node for node in tree.find_all(*swaps) if isinstance(node.expression, exp.Literal)]
    if len(found) != 1:
        return None
    (node,) = found
    node.replace(swaps[type(node)](this=node.this.copy(), expression=node.expression.copy()))
    return Broken(duckdb_text(tree), ("bound",))


def paired(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """A join without its condition."""
    joins = list(tree.find_all(exp.Join))
    if len(joins) != 1 or joins[0].args.get("on") is None:
        return None
    joins[0].set("on", None)
    joins[0].set("kind", "CROSS")
    return Broken(duckdb_text(tree), ("join",))


FAULTS: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        misspelt_column,
        misspelt_table,
        wrong_table,
        wrong_case,
        misspelt_value,
        missing_group_by,
        other_dialect,
        integer_division,
        dropped_condition,
        dropped_date_range,
        inner_join,
        dropped_having,
        dropped_or_branch,
        dropped_denial,
        dropped_distinct,
        other_bound,
        wrong_limit,
        other_aggregate,
        other_end,
        paired,
        fan_out,
        fan_out_count,
    )
}

# measuring


def plain(value: Any) -> str:
    if value is None:
        return ""
    try:
        return f"{float(value):.4f}"
    except (TypeError, ValueError):
        return str(value)


def rows_of(rows: Any) -> list[tuple[str, ...]]:
    return sorted(tuple(map(plain, row)) for row in rows)


def load(folder: Path, document: str) -> Catalog:
    tables = []
    for path in sorted(folder.glob("*.csv")):
        (result,) = read_source(path, name=f"{document}/{path.name}")
        tables += result.document.tables
    return Catalog().with_tables(tuple(tables))


def cases(folder: Path, limit: int | None) -> Iterator[tuple[dict[str, Any], Catalog]]:
    catalogs: dict[str, Catalog] = {}
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines[:limit]:
        case = json.loads(line)
        if case["db"] not in catalogs:
            catalogs[case["db"]] = load(folder / "tables" / case["db"], case["db"])
        yield case, catalogs[case["db"]]


class Measure:
    """Counts per fault: broken, mended, warned."""

    def __init__(self, verbose: bool) -> None:
        self.verbose = verbose
        self.database = Database(workers=1, spares=0)
        self.counts: dict[str, collections.Counter[str]] = collections.defaultdict(
            collections.Counter
        )
        self.warned_gold: collections.Counter[str] = collections.Counter()

    def ask(self, request: SqlRequest, writer: Any) -> SqlAnswer | None:
        try:
            return answer(request, writer, self.database)
        except SqlEngineError:
            return None

    def case(self, case: dict[str, Any], catalog: Catalog) -> None:
        tree = gold_tree(case["gold_sql"], catalog, case.get("dialect", "sqlite"))
        if tree is None:
            return
        gold = duckdb_text(tree)
        links = link(case["question"], catalog)
        request = SqlRequest(case["question"], catalog, catalog.tables, links, TODAY)
        right = self.ask(request, ScriptedWriter([gold], max_attempts=1))
        if right is None or rows_of(right.result.rows) != rows_of(case["answer_rows"]):
            self.counts["gold"]["other rows or not run"] += 1
            return
        self.counts["gold"]["used"] += 1
        for problem in right.problems:
            self.warned_gold[problem.code] += 1
            if self.verbose:
                print("GOLD", case["id"], case["question"], "|", gold, "|", problem.warning)
        self.counts["gold"]["warned"] += any(
            problem.code not in ("tie", "arbitrary_rows") for problem in right.problems
        )
        for name, fault in FAULTS.items():
            chance = random.Random(f"{case['id']}{name}")
            broken = fault(tree.copy(), catalog, chance)
            if broken is not None and broken.sql != gold:
                self.broken(name, broken, gold, right, request)

    def broken(
        self, name: str, broken: Broken, gold: str, right: SqlAnswer, request: SqlRequest
    ) -> None:
        alone = self.ask(request, ScriptedWriter([broken.sql], max_attempts=1))
        same = alone is not None and rows_of(alone.result.rows) == rows_of(right.result.rows)
        if same:
            self.counts[name]["without effect"] += 1
            return
        self.counts[name]["broken"] += 1
        writer = Repairing(broken, gold)
        found = self.ask(request, writer)
        mended = found is not None and rows_of(found.result.rows) == rows_of(right.result.rows)
        self.counts[name]["mended"] += mended
        warned = mended or alone is None or bool(alone.problems)
        self.counts[name]["told"] += warned
        if self.verbose and not mended:
            state = "warned" if warned else "SILENT"
            print(name, state, request.question, "|", broken.sql, "| needs", broken.needed)
            print("    told:", writer.message)


def measure(folder: Path, limit: int | None, *, verbose: bool = False) -> Measure:
    """Break the gold of a folder's questions."""
    found = Measure(verbose)
    for case, catalog in cases(folder, limit):
        found.case(case, catalog)
    found.database.close()
    return found


def figures(found: Measure) -> dict[str, Any]:
    """How many unbroken queries drew a warning, and for each fault what became of it."""
    faults = {name: counts for name, counts in found.counts.items() if name != "gold"}
    total = sum(faults.values(), collections.Counter())
    gold = found.counts["gold"]
    return {
        "unbroken queries": gold["used"],
        "of these warned": round(gold["warned"] / max(1, gold["used"]), 3),
        "by fault": {name: _shares(counts) for name, counts in {**faults, "all": total}.items()},
    }


def _shares(counts: collections.Counter[str]) -> dict[str, Any]:
    broken = max(1, counts["broken"])
    return {
        "broken": counts["broken"],
        "mended": round(counts["mended"] / broken, 3),
        "failed or warned": round(counts["told"] / broken, 3),
        "without effect": counts["without effect"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    found = measure(args.folder, args.limit, verbose=args.verbose)
    print(json.dumps(figures(found), indent=1))
    print("warnings on unbroken queries", dict(found.warned_gold))


if __name__ == "__main__":
    main()
