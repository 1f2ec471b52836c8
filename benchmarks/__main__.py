"""The one entry point to every measurement.

    python -m benchmarks list
    python -m benchmarks golden sample|paraphrases|everyday|three|messy|neutral|none|analyst|…
    python -m benchmarks run NAME --data DIR [--split dev] [--limit N] [--min-confidence X]
    python -m benchmarks peers lookups|scale|statements|everyday --folder ENVIRONMENTS
    python -m benchmarks cases-time|suggestions|seed|chunk-tokens|other-words|prose
    python -m benchmarks offline-speed|sandbox-cost|llm-overhead
    python -m benchmarks local-model --folder ENVIRONMENT [--wheels WHEELS]
    python -m benchmarks page

DIR holds the public question sets in the layout of `docs/benchmarks.md`. Figures are printed and,
with `--keep`, appended to `results.jsonl`; single records go to the file given with `--records`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import results

GOLDEN = ("sample", "paraphrases", "everyday", "three", "messy", "neutral", "none", "analyst")
GOLDEN += ("newcomer", "library")
RETRIEVAL = {
    "wikisql-rows": ("wikisql", "rows", False),
    "fetaqa-rows": ("fetaqa", "rows", False),
    "ottqa-tables": ("ottqa", "tables", True),
    "tatqa-tables": ("tatqa", "tables", False),
}
"""Name, to the set, what is retrieved, and whether the pool is every table the set has."""

ALONE = {
    "cases-time": (
        "cases_time",
        "a CSV of 50 cases over 10,000 rows",
        "how long a user's own cases take",
    ),
    "suggestions": (
        "suggestions",
        "drafted cases, asked untouched",
        "what share of the drafts of eval --suggest is right",
    ),
    "seed": (
        "chunking",
        "seed: chunks and one cell",
        "which chunks hold a cell with its meaning",
    ),
    "chunk-tokens": (
        "chunk_tokens",
        "tokens of a row's chunk",
        "what a row costs in each format",
    ),
    "other-words": (
        "other_words",
        "look-ups in other words",
        "look-ups that share no word with the row",
    ),
    "prose": (
        "prose",
        "paragraphs and tables in one pool",
        "questions to paragraphs, beside BM25 over them alone",
    ),
    "offline-speed": (
        "offline_speed",
        "the offline writer's time",
        "a question over 100 and 1,000,000 rows, 500 columns, 1,000 tables",
    ),
    "sandbox-cost": (
        "sandbox_cost",
        "what the sandbox costs",
        "guard, worker and loading, beside raw DuckDB",
    ),
    "llm-overhead": (
        "llm_overhead",
        "besides the model and the query",
        "the model's route without the model's time",
    ),
}
"""What needs nothing but this repository: module, title of its figures, help."""
CELLS = ("cell-choice", "lookup-context")
"""What is measured of one table."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command."""
    options = parser().parse_args(arguments)
    if options.command == "list":
        print("\n".join(names()))
    elif options.command == "golden":
        from benchmarks import golden

        asked = golden.run(options.name)
        if options.keep:
            results.keep(f"golden, {options.name}", {}, golden.counts(asked))
        print("\n".join(golden.describe(asked)))
    elif options.command == "peers":
        figures, settings = run_peers(options)
        finish(f"peers, {options.name}", figures, settings, keep=options.keep)
    elif options.command in ALONE:
        module, title, _ = ALONE[options.command]
        found = importlib.import_module(f"benchmarks.{module}").measure()
        finish(title, found, {}, keep=options.keep)
    elif options.command == "local-model":
        from benchmarks import local_model

        found = local_model.measure(options.folder, options.wheels, options.budget_s)
        finish("a small model on this machine", found, {}, keep=options.keep)
    elif options.command == "page":
        print(f"wrote {results.write_page(intro())}")
    else:
        figures, settings = run(options)
        finish(options.name, figures, settings, keep=options.keep)


def finish(name: str, figures: dict[str, Any], settings: dict[str, Any], *, keep: bool) -> None:
    """Print the figures; keep them where asked."""
    if keep:
        results.keep(name, settings, figures)
    print(json.dumps(figures, indent=1, ensure_ascii=False))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n")[0])
    commands = top.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="names that `run` takes")
    commands.add_parser("page", help="write docs/benchmarks.md from the kept figures")
    peers = commands.add_parser("peers", help="peers side by side, each in its environment")
    peers.add_argument("name", choices=("lookups", "scale", "statements", "everyday"))
    peers.add_argument("--folder", type=Path, required=True, help="where environments are made")
    peers.add_argument(
        "--rows", type=int, default=10_000, help="rows of the look-ups, and of scale"
    )
    peers.add_argument("--tables", type=int, default=1, help="tables of scale")
    peers.add_argument("--records", type=Path, help="a JSON line a statement or engine; resumes")
    local = commands.add_parser("local-model", help="ten questions to a very small model, served")
    local.add_argument("--folder", type=Path, required=True, help="where its environment is made")
    local.add_argument("--wheels", type=Path, help="folder of wheels; else wheels/ in FOLDER")
    local.add_argument("--budget-s", type=float, default=900.0, help="seconds for setting it up")
    alone = [commands.add_parser(name, help=told[-1]) for name, told in ALONE.items()]
    for one in (peers, local, *alone):
        one.add_argument("--keep", action="store_true", help="append to results.jsonl")
    golden = commands.add_parser("golden", help="the sample and everyday questions")
    golden.add_argument("name", choices=GOLDEN)
    golden.add_argument("--keep", action="store_true", help="append to results.jsonl")
    one = commands.add_parser("run", help="measure one thing")
    one.add_argument("name", choices=names())
    one.add_argument("--data", type=Path, required=True, help="folder of the question sets")
    one.add_argument("--split", default="dev")
    one.add_argument("--limit", type=int, help="so many questions, evenly spread")
    one.add_argument(
        "--min-confidence", type=float, help="0 answers whenever a query can be formed"
    )
    one.add_argument("--records", type=Path, help="a JSON line a question; routing resumes")
    one.add_argument("--keep", action="store_true", help="append the figures to results.jsonl")
    return top


def names() -> list[str]:
    """Everything that can be run."""
    from benchmarks import model_route, routing
    from benchmarks.answering import ASKED
    from benchmarks.reading_sets import SETS

    return [*ASKED, *RETRIEVAL, *SETS, *routing.PARTS, *model_route.PARTS, *CELLS]


def run(options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    """Measure; gives the figures and the settings that tell this run from others."""
    settings: dict[str, Any] = {"split": options.split}
    if options.limit:
        settings["limit"] = options.limit
    if options.name.startswith("routing-"):
        return run_routing(options), settings
    if options.name in ("join-keys", "schema-pruning", "fault-injection"):
        from benchmarks import model_route

        return model_route.measure(options.name, options.data, options.limit), settings
    if options.name in ("structure", "wtq_pages"):
        from benchmarks import reading_sets

        return reading_sets.measure(options.data, options.name, options.limit), settings
    if options.name == "cell-choice":
        from benchmarks import cell_choice

        return {"by set": cell_choice.measure(options.data)}, settings
    if options.name == "lookup-context":
        from benchmarks import lookup_context

        return lookup_context.measure(options.data, options.split, options.limit), settings
    if options.name in RETRIEVAL:
        return run_retrieval(options), settings
    if options.min_confidence is not None:
        settings["min_confidence"] = options.min_confidence
    return run_asked(options), settings


def run_peers(options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    """Peers side by side; figures by peer."""
    if options.name == "lookups":
        from benchmarks.peers import lookups

        return {"by engine": lookups.measure(options.rows, 200, options.folder)}, {
            "rows": options.rows
        }
    if options.name == "everyday":
        from benchmarks.peers import everyday

        return {"by peer": everyday.measure(options.folder)}, {}
    if options.name == "scale":
        from benchmarks.peers import scale

        known = lines_of(options.records)
        made = scale.measure(options.rows, options.tables, options.folder, known)
        records = list(kept(made, options.records))
        return scale.figures(records), {"rows": options.rows, "tables": options.tables}
    from benchmarks.peers import statements

    known = lines_of(options.records)
    records = list(kept(statements.measure(options.folder, known), options.records))
    figures = statements.figures(records)
    return {"by peer": figures, "by statement": statements.by_statement(records)}, {}


def run_asked(options: argparse.Namespace) -> dict[str, Any]:
    """Ask a whole set."""
    from benchmarks.answering import ASKED, ask_all
    from benchmarks.question_sets import load

    questions = load(options.data, options.name, options.split, limit=options.limit)
    asked = ask_all(ASKED[options.name], questions, min_confidence=options.min_confidence)
    records = list(kept(watched(asked, len(questions)), options.records))
    return {"rule": ASKED[options.name].rule_name, **results.answer_figures(records)}


def run_routing(options: argparse.Namespace) -> dict[str, Any]:
    """One part of the routing measurements."""
    from benchmarks import routing

    if options.name == "routing-time":
        return routing.decision_time(options.data, options.split)
    known = lines_of(options.records)
    asked = routing.ask_part(options.name, options.data, options.split, options.limit, known)
    return routing.figures(options.name, list(kept(asked, options.records)))


def run_retrieval(options: argparse.Namespace) -> dict[str, Any]:
    """Search a whole pool."""
    from benchmarks import retrieving
    from benchmarks.question_sets import load, pool

    set_name, what, whole = RETRIEVAL[options.name]
    questions = load(options.data, set_name, options.split, limit=options.limit)
    tables = pool(questions, options.data, set_name, whole=whole)
    index = retrieving.build(tables)
    retrieve = retrieving.retrieve_rows if what == "rows" else retrieving.retrieve_tables
    found = watched(retrieve(index, questions), len(questions))
    records = list(kept(found, options.records))
    return {"tables": len(tables), **retrieving.figures(records)}


def watched(records: Iterable[dict[str, Any]], count: int) -> Iterable[dict[str, Any]]:
    """The records, with progress on the error stream where that is a terminal."""
    for done, record in enumerate(records, 1):
        if sys.stderr.isatty():
            print(f"\r{done}/{count}", end="", file=sys.stderr)
        yield record
    if sys.stderr.isatty():
        print(file=sys.stderr)


def kept(records: Iterable[dict[str, Any]], path: Path | None) -> Iterable[dict[str, Any]]:
    """The records, each written as soon as it is known."""
    if path is None:
        yield from records
        return
    with path.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(f"{json.dumps(record, ensure_ascii=False, default=str)}\n")
            file.flush()
            yield record


def lines_of(path: Path | None) -> list[dict[str, Any]]:
    """Records of a broken run; none where there is no such file."""
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def intro() -> str:
    """The words above the figures."""
    return (Path(__file__).parent / "page.md").read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
