"""Writes a tree as one DuckDB query.

Takes a tree and the catalog table it speaks of; gives SQL text. Every name is quoted, every
constant is a literal node: nothing of the question reaches the text unescaped.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from sqlglot import exp

from retrieval.table import NUMERIC, Kind
from sql_engine.catalog import ROW_COLUMN, CatalogColumn
from sql_engine.offline.columns import NUMBER_PATTERN, YEAR_PATTERN
from sql_engine.offline.relation import Relation
from sql_engine.offline.tree import (
    Against,
    Agg,
    All,
    AnyOf,
    Arith,
    Beyond,
    Bound,
    Cmp,
    Col,
    Cond,
    Facet,
    Filled,
    Grouped,
    Holds,
    In,
    Measure,
    NoneOf,
    Not,
    Number,
    Once,
    Rows,
    Scalar,
    Shares,
    Shift,
    Slice,
    Tally,
    Top,
    Tree,
    Values,
    Where,
)

JOINED = "joined"
"""What the query calls the rows of several tables."""
COUNTED = "counted"
"""What it calls a table whose rows are counted."""


def to_sql(tree: Tree, relation: Relation) -> str:
    """The query for a tree over a relation."""
    writer = _Writer(relation)
    query = writer.tree(tree)
    if relation.composed:
        query = query.with_(exp.to_identifier(JOINED, quoted=True), as_=writer.joined())
    return query.sql(dialect="duckdb")


class _Writer:
    def __init__(self, relation: Relation) -> None:
        self._relation = relation
        self._used: set[int] = set()

    def joined(self) -> exp.Select:
        """The rows of all tables, with the columns that the query uses."""
        relation = self._relation
        first = exp.to_identifier(relation.tables[0].name, quoted=True)
        outputs: list[exp.Expr] = [_qualified(relation, 0, ROW_COLUMN)]
        for index in sorted(self._used):
            column = _of_relation(relation, index)
            outputs.append(exp.alias_(column, relation.names[index], quoted=True))
        select = exp.select(*outputs).from_(exp.Table(this=first))
        for join in relation.joins:
            left = _qualified(relation, join.left, join.left_column)
            right = _qualified(relation, join.right, join.right_column)
            name = exp.to_identifier(relation.tables[join.right].name, quoted=True)
            on = exp.EQ(this=left, expression=right)
            select = select.join(exp.Table(this=name), on=on, join_type="inner")
        return select

    def tree(self, tree: Tree) -> exp.Query:
        if isinstance(tree, Values):
            return self._values(tree)
        if isinstance(tree, Grouped):
            return self._grouped(tree)
        if isinstance(tree, Tally):
            groups = self._grouped(tree.groups).subquery("groups")
            return exp.select(self._aggregate("count", None)).from_(groups)
        if isinstance(tree, Agg):
            select = self._over(tree.rows)
            return select.select(self._aggregate(tree.fn, tree.col), append=False)
        return exp.select(exp.alias_(self._scalar(tree), "answer", quoted=True))

    # rows

    def _rows(self, node: Rows) -> exp.Select:
        """A select of all columns, to which a projection may be given."""
        if isinstance(node, All):
            return exp.select("*").from_(self._from())
        if isinstance(node, Where) and isinstance(node.rows, All):
            return self._rows(node.rows).where(*(self._cond(c) for c in node.conds))
        if isinstance(node, Where):
            return self._nested(node.rows).where(*(self._cond(c) for c in node.conds))
        if isinstance(node, Top):
            return self._top(node)
        if isinstance(node, Slice):
            return self._slice(node)
        if isinstance(node, Once):
            return self._once(node)
        return self._shift(node)

    def _from(self) -> exp.Table:
        name = JOINED if self._relation.composed else self._relation.name
        return exp.Table(this=exp.to_identifier(name, quoted=True))

    def _nested(self, node: Rows) -> exp.Select:
        """The rows as those of a subquery; a star leaves their position out."""
        return exp.select("*").from_(self._rows(node).select(_row()).subquery("part"))

    def _top(self, node: Top) -> exp.Select:
        key = self._col(node.key)
        inner = self._plain(node.rows).where(_filled(key.copy()))
        name, compare = ("dense_rank", exp.EQ) if node.single else ("rank", exp.LTE)
        rank = _window(exp.Anonymous(this=name), key.copy(), node.largest)
        if node.within is not None:
            group = self._col(node.within)
            inner = inner.where(_filled(group.copy()))
            rank.set("partition_by", [group])
        inner.set("qualify", exp.Qualify(this=compare(this=rank, expression=_number(node.n))))
        return inner

    def _plain(self, node: Rows) -> exp.Select:
        """Rows without a QUALIFY of their own, so that one may be added."""
        simple = isinstance(node, All) or (isinstance(node, Where) and isinstance(node.rows, All))
        return self._rows(node) if simple else self._nested(node)

    def _slice(self, node: Slice) -> exp.Select:
        inner = self._plain(node.rows)
        number = _window(exp.RowNumber(), _identifier(ROW_COLUMN), node.from_end)
        compare = exp.EQ if node.single else exp.LTE
        inner.set("qualify", exp.Qualify(this=compare(this=number, expression=_number(node.n))))
        return inner

    def _once(self, node: Once) -> exp.Select:
        inner = self._plain(node.rows)
        number = exp.Window(
            this=exp.RowNumber(),
            partition_by=[self._col(key) for key in node.keys],
            order=exp.Order(expressions=[exp.Ordered(this=_row())]),
        )
        inner.set("qualify", exp.Qualify(this=exp.EQ(this=number, expression=_number(1))))
        return inner

    def _shift(self, node: Shift) -> exp.Select:
        neighbour = exp.Lead if node.by > 0 else exp.Lag
        moved = exp.Window(
            this=neighbour(this=_identifier(ROW_COLUMN), offset=_number(abs(node.by))),
            order=exp.Order(expressions=[exp.Ordered(this=_identifier(ROW_COLUMN))]),
        )
        places = exp.select(_identifier(ROW_COLUMN), exp.alias_(moved, "moved", quoted=True)).from_(
            self._from()
        )
        wanted = self._rows(node.rows).select(_identifier(ROW_COLUMN), append=False)
        targets = (
            exp.select(_identifier("moved"))
            .from_(places.subquery("places"))
            .where(exp.In(this=_identifier(ROW_COLUMN), query=wanted.subquery()))
        )
        beside = exp.In(this=_identifier(ROW_COLUMN), query=targets.subquery())
        own = exp.In(this=_identifier(ROW_COLUMN), query=wanted.copy().subquery())
        return exp.select("*").from_(self._from()).where(beside, exp.not_(own))

    # conditions

    def _cond(self, cond: Cond) -> exp.Expr:
        if isinstance(cond, Not):
            return self._negated(cond.cond)
        if isinstance(cond, NoneOf):
            key = self._col(cond.key)
            held = exp.select(key.copy()).from_(self._from())
            held = held.where(self._cond(cond.cond), _filled(key.copy()))
            return exp.not_(exp.In(this=key, query=held.subquery()))
        if isinstance(cond, AnyOf):
            return exp.paren(exp.or_(*(self._cond(c) for c in cond.conds)))
        if isinstance(cond, Filled):
            return _filled(self._col(cond.col))
        if isinstance(cond, In):
            cells = self._cells(cond)
            if len(cells) == 1:
                return exp.EQ(this=self._name(cond.col), expression=cells[0])
            return exp.In(this=self._name(cond.col), expressions=cells)
        column = self._col(cond.col)
        if isinstance(cond, Shares):
            held = self._plain(cond.rows).select(column.copy(), append=False)
            if not cond.others:
                return exp.In(this=column, query=held.where(_filled(column.copy())).subquery())
            own = self._plain(cond.rows).select(_row(), append=False).subquery()
            shared = exp.In(this=column, query=held.where(_filled(column.copy())).subquery())
            return exp.and_(shared, exp.not_(exp.In(this=_row(), query=own)))
        if isinstance(cond, Against):
            return _COMPARE[cond.op](this=column, expression=self._col(cond.other))
        if isinstance(cond, Beyond):
            return _COMPARE[cond.op](this=column, expression=self._scalar(cond.bound))
        if isinstance(cond, Cmp):
            return _COMPARE[cond.op](this=column, expression=self._bound(cond.col, cond.bound))
        above = exp.GTE(this=column, expression=self._bound(cond.col, cond.low))
        high = exp.LTE if cond.closed else exp.LT
        below = high(this=column.copy(), expression=self._bound(cond.col, cond.high))
        return exp.and_(above, below)

    def _negated(self, cond: Cond) -> exp.Expr:
        if isinstance(cond, In) and len(cells := self._cells(cond)) == 1:
            return exp.NullSafeNEQ(this=self._name(cond.col), expression=cells[0])
        if isinstance(cond, Filled):
            return exp.Is(this=self._col(cond.col), expression=exp.Null())
        return exp.Not(
            this=exp.Coalesce(this=exp.paren(self._cond(cond)), expressions=[exp.false()])
        )

    def _bound(self, col: Col, bound: Bound) -> exp.Expr:
        if isinstance(bound, str):
            return exp.Literal.string(bound)
        if isinstance(bound, dt.time):
            return exp.cast(exp.Literal.string(bound.isoformat()), "TIME")
        if isinstance(bound, dt.datetime):
            return exp.cast(exp.Literal.string(bound.isoformat(" ")), "TIMESTAMP")
        if isinstance(bound, dt.date):
            return exp.cast(exp.Literal.string(bound.isoformat()), "DATE")
        return _number(bound)

    # columns

    def _column(self, col: Col) -> CatalogColumn:
        return self._relation.columns[col.index]

    def _name(self, col: Col) -> exp.Column:
        self._used.add(col.index)
        return _identifier(self._relation.names[col.index])

    def _cells(self, cond: In) -> list[exp.Expr]:
        """What the published texts of a condition say, as the column's type holds it."""
        column = self._column(cond.col)
        source = column.source
        if column.kind is Kind.TEXT:
            return [exp.Literal.string(text) for text in cond.texts]
        forms = dict(zip(source.texts, source.canonical or source.texts, strict=True))
        said = dict.fromkeys(form for text in cond.texts if (form := forms[text]) is not None)
        return [_typed(form, column.kind) for form in said] or [exp.Null()]

    def _col(self, col: Col) -> exp.Expr:
        column = self._column(col)
        name = self._name(col)
        if col.facet is Facet.VALUE:
            return name
        return _FACETS[col.facet](name, column.kind)

    def _named(self, col: Col) -> exp.Expr:
        """The column as output: a facet has a name that says so."""
        if col.facet is Facet.VALUE:
            return self._col(col)
        return exp.alias_(
            self._col(col), f"{col.facet} of {self._relation.names[col.index]}", quoted=True
        )

    # what is made of rows

    def _values(self, tree: Values) -> exp.Select:
        select = self._plain_select(tree.rows)
        if tree.cols:
            select = select.select(*(self._named(col) for col in tree.cols), append=False)
        else:
            shown = [self._name(Col(i)) for i in range(len(self._relation.columns))]
            select = select.select(*shown, append=False)
        if tree.distinct:
            return select.distinct()
        if tree.order is not None:
            return select.order_by(_ordered(self._col(tree.order), tree.descending), _row())
        if isinstance(tree.rows, Top) and tree.rows.within is not None:
            group = _ordered(self._col(tree.rows.within), False)
            key = _ordered(self._col(tree.rows.key), tree.rows.largest)
            return select.order_by(group, key, _row())
        if isinstance(tree.rows, Top):
            return select.order_by(_ordered(self._col(tree.rows.key), tree.rows.largest), _row())
        return select.order_by(_row())

    def _plain_select(self, node: Rows) -> exp.Select:
        return self._rows(node)

    def _aggregate(self, fn: str, col: Col | None) -> exp.Expr:
        if fn == "share":
            of = "rows" if col is None else self._relation.names[col.index]
            return exp.alias_(self._share(col), f"share of {of} (%)", quoted=True)
        if col is None:
            return exp.alias_(exp.Count(this=exp.Star()), "count", quoted=True)
        name = f"{_AGGREGATE_NAMES[fn]} {self._relation.names[col.index]}"
        return exp.alias_(self._function(fn, col), name, quoted=True)

    def _share(self, col: Col | None) -> exp.Expr:
        """The group's part of all groups, in percent."""
        part = self._function("count" if col is None else "sum", col)
        whole = exp.Window(this=exp.Sum(this=part.copy()))
        top = exp.cast(exp.Mul(this=_number(100.0), expression=part), "DOUBLE")
        return exp.Div(this=top, expression=exp.Nullif(this=whole, expression=_number(0)))

    def _function(self, fn: str, col: Col | None) -> exp.Expr:
        if col is None:
            return exp.Count(this=exp.Star())
        column = self._col(col)
        if fn == "distinct":
            return exp.Count(this=exp.Distinct(expressions=[column]))
        if fn == "median":  # DuckDB's median of decimals keeps their scale and loses a half
            column = exp.cast(column, "DOUBLE")
        return _FUNCTIONS[fn](this=column)

    def _grouped(self, tree: Grouped) -> exp.Select:
        select = self._over(tree.rows)
        keys = [self._col(key) for key in tree.keys]
        outputs = [self._named(key) for key in tree.keys] if tree.show_keys else []
        if tree.show:
            outputs += [self._aggregate(m.fn, m.col) for m in tree.measures]
        select = select.select(*outputs, append=False)
        if len(keys) == 1 and tree.of_filled:
            select = select.where(_filled(keys[0].copy()))
        if keys:
            select = select.group_by(*keys)
        for (op, bound), measure in zip(tree.having, tree.measures, strict=False):
            computed = self._function(measure.fn, measure.col)
            condition = _COMPARE[op](this=computed, expression=_number(bound))
            select = select.having(condition)
        if not keys:
            return select
        if tree.largest is None:
            return select.order_by(*(_ordered(self._place(k), tree.keys_down) for k in tree.keys))
        return self._ranked(select, tree)

    def _place(self, key: Col) -> exp.Expr:
        """What groups are ordered by: weekdays from Monday on, all else as it is."""
        if key.facet is not Facet.WEEKDAY:
            return self._col(key)
        return exp.Min(this=self._col(Col(key.index, Facet.DAY_OF_WEEK, key.table)))

    def _ranked(self, select: exp.Select, tree: Grouped) -> exp.Select:
        assert tree.largest is not None
        if tree.n is not None:
            select = select.having(_filled(self._measure(tree)))
            rank = _window(exp.Anonymous(this="rank"), self._measure(tree), tree.largest)
            limit = exp.LTE(this=rank, expression=_number(tree.n))
            select.set("qualify", exp.Qualify(this=limit))
        return select.order_by(_ordered(self._measure(tree), tree.largest))

    def _over(self, node: Rows) -> exp.Select:
        """Rows for grouping: a QUALIFY of the rows must not meet the groups."""
        simple = isinstance(node, All) or (isinstance(node, Where) and isinstance(node.rows, All))
        return self._rows(node) if simple else self._part(node)

    def _part(self, node: Rows) -> exp.Select:
        return exp.select("*").from_(self._rows(node).subquery("part"))

    def _measure(self, tree: Grouped) -> exp.Expr:
        first: Measure = tree.measures[0]
        return self._function(first.fn, first.col)

    def _scalar(self, node: Scalar | Holds) -> exp.Expr:
        if isinstance(node, Number):
            return _number(node.value)
        if isinstance(node, Holds):
            right = (
                _number(node.right) if isinstance(node.right, float) else self._scalar(node.right)
            )
            return exp.paren(_COMPARE[node.op](this=self._scalar(node.left), expression=right))
        if isinstance(node, Arith):
            return self._arith(node)
        if isinstance(node, Values):
            return self._only(node)
        select = self._over(node.rows)
        return select.select(self._function(node.fn, node.col), append=False).subquery()

    def _only(self, node: Values) -> exp.Expr:
        """The cell of the one row; nothing where there are several."""
        cell = exp.Anonymous(this="any_value", expressions=[self._col(node.cols[0])])
        single = exp.EQ(this=exp.Count(this=exp.Star()), expression=_number(1))
        chosen = exp.Case().when(single, cell)
        return self._over(node.rows).select(chosen, append=False).subquery()

    def _arith(self, node: Arith) -> exp.Expr:
        left, right = self._scalar(node.left), self._scalar(node.right)
        if node.op in ("/", "%"):
            top = exp.Mul(this=_number(100.0), expression=left) if node.op == "%" else left
            bottom = exp.Nullif(this=right, expression=_number(0))
            return exp.paren(exp.Div(this=exp.cast(top, "DOUBLE"), expression=bottom))
        if node.op == "+":
            return exp.paren(exp.Add(this=left, expression=right))
        difference = exp.paren(exp.Sub(this=left, expression=right))
        return exp.Abs(this=difference) if node.op == "|-|" else difference


def _of_relation(relation: Relation, index: int) -> exp.Expr:
    """A column of a relation's tables, or its count of the rows that point to its own, or the days
    between two of its dates.
    """
    if relation.elapsed is not None and index == relation.computed_index:
        ends = (relation.elapsed.start, relation.elapsed.end)
        days = [exp.Literal.string("day"), *(_qualified(relation, 0, end) for end in ends)]
        return exp.Anonymous(this="date_diff", expressions=days)
    counted = relation.counted
    if counted is None or index != relation.count_index:
        return _qualified(relation, relation.owners[index], relation.columns[index].name)
    other = exp.Table(
        this=exp.to_identifier(counted.table.name, quoted=True),
        alias=exp.TableAlias(this=exp.to_identifier(COUNTED, quoted=True)),
    )
    pointing = exp.column(
        exp.to_identifier(counted.column, quoted=True),
        table=exp.to_identifier(COUNTED, quoted=True),
    )
    same = exp.EQ(this=pointing, expression=_qualified(relation, 0, counted.key))
    return exp.select(exp.Count(this=exp.Star())).from_(other).where(same).subquery()


def _qualified(relation: Relation, table: int, column: str) -> exp.Column:
    name = exp.to_identifier(relation.tables[table].name, quoted=True)
    return exp.column(exp.to_identifier(column, quoted=True), table=name)


def _identifier(name: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True))


def _row() -> exp.Column:
    return _identifier(ROW_COLUMN)


def _typed(canonical: str, kind: Kind) -> exp.Expr:
    """A cell's canonical form as a constant of its column's type."""
    if kind is Kind.BOOLEAN:
        return exp.true() if canonical.lower() in ("true", "t", "1", "yes") else exp.false()
    if kind in NUMERIC:
        return exp.Literal.number(canonical)
    return exp.cast(exp.Literal.string(canonical), kind.value)


def _number(value: float) -> exp.Expr:
    if value == int(value) and abs(value) < 2**53:
        value = int(value)
    if value < 0:
        return exp.Neg(this=exp.Literal.number(repr(-value)))
    return exp.Literal.number(repr(value))


def _filled(column: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=column, expression=exp.Null()))


def _ordered(column: exp.Expr, descending: bool) -> exp.Ordered:
    return exp.Ordered(this=column, desc=descending, nulls_first=False)


def _window(function: exp.Expr, key: exp.Expr, descending: bool) -> exp.Window:
    return exp.Window(this=function, order=exp.Order(expressions=[_ordered(key, descending)]))


def _extract(pattern: str, group: int) -> Callable[[exp.Expr], exp.Expr]:
    def extract(column: exp.Expr) -> exp.Expr:
        arguments = [column, exp.Literal.string(pattern), exp.Literal.number(group)]
        return exp.Anonymous(this="regexp_extract", expressions=arguments)

    return extract


def _number_facet(column: exp.Expr, kind: Kind) -> exp.Expr:
    if kind in NUMERIC:
        return column
    text = _extract(NUMBER_PATTERN, 0)(column)
    plain = exp.Anonymous(
        this="replace", expressions=[text, exp.Literal.string(","), exp.Literal.string("")]
    )
    return exp.TryCast(this=plain, to=exp.DataType.build("DOUBLE"))


def _year_facet(column: exp.Expr, kind: Kind) -> exp.Expr:
    if kind in (Kind.DATE, Kind.TIMESTAMP):
        return exp.Anonymous(this="year", expressions=[column])
    text = exp.cast(column, "VARCHAR") if kind is not Kind.TEXT else column
    return exp.TryCast(this=_extract(YEAR_PATTERN, 1)(text), to=exp.DataType.build("BIGINT"))


def _month_facet(column: exp.Expr, kind: Kind) -> exp.Expr:
    return exp.Anonymous(this="strftime", expressions=[column, exp.Literal.string("%Y-%m")])


def _quarter_facet(column: exp.Expr, kind: Kind) -> exp.Expr:
    if kind is Kind.TEXT:  # "2024-05"
        day = exp.Literal.string("-01")
        first = exp.Anonymous(this="concat", expressions=[column, day])
        column = exp.TryCast(this=first, to=exp.DataType.build("DATE"))
    year = exp.Anonymous(this="year", expressions=[column])
    quarter = exp.Anonymous(this="quarter", expressions=[column.copy()])
    dashed = exp.DPipe(this=year, expression=exp.Literal.string("-Q"))
    return exp.DPipe(this=dashed, expression=quarter)  # nothing where there is no date


def _month_of_year_facet(column: exp.Expr, kind: Kind) -> exp.Expr:
    return exp.Anonymous(this="month", expressions=[column])


def _week_facet(column: exp.Expr, kind: Kind) -> exp.Expr:
    return exp.Anonymous(this="strftime", expressions=[column, exp.Literal.string("%G-W%V")])


def _day_of_week_facet(column: exp.Expr, kind: Kind) -> exp.Expr:
    return exp.Anonymous(this="isodow", expressions=[column])


def _weekday_facet(column: exp.Expr, kind: Kind) -> exp.Expr:
    return exp.Anonymous(this="dayname", expressions=[column])


def _day_facet(column: exp.Expr, kind: Kind) -> exp.Expr:
    return exp.cast(column, "DATE")


_FACETS: dict[Facet, Callable[[exp.Expr, Kind], exp.Expr]] = {
    Facet.NUMBER: _number_facet,
    Facet.YEAR: _year_facet,
    Facet.MONTH: _month_facet,
    Facet.QUARTER: _quarter_facet,
    Facet.MONTH_OF_YEAR: _month_of_year_facet,
    Facet.DAY: _day_facet,
    Facet.WEEK: _week_facet,
    Facet.DAY_OF_WEEK: _day_of_week_facet,
    Facet.WEEKDAY: _weekday_facet,
}
_COMPARE = {
    "=": exp.EQ,
    "!=": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}
_FUNCTIONS = {
    "sum": exp.Sum,
    "mean": exp.Avg,
    "median": exp.Median,
    "max": exp.Max,
    "min": exp.Min,
    "filled": exp.Count,
}
_AGGREGATE_NAMES = {
    "sum": "total",
    "mean": "average",
    "median": "median",
    "max": "highest",
    "min": "lowest",
    "distinct": "different",
    "filled": "number of",
}
