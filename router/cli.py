"""The command line `tabroute`: parses, calls the Python API, prints.

The answer goes to stdout, all else to stderr. Exit codes: 0 answered, 1 failed, 2 wrong usage,
3 declined, 130 interrupted. Nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from router import settings
from router.errors import (
    EXIT_ANSWERED,
    EXIT_DECLINED,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    UsageError,
    describe_error,
    nearest,
)

if TYPE_CHECKING:
    from retrieval.table import LoadReport
    from router.answer import Answer, Row
    from router.router import Router

Command = Callable[..., Any]
FORMATS = ("json", "nl", "csv", "tsv", "markdown")
_EXAMPLES = {
    "ask": 'tabroute ask "How many orders were returned?" orders.csv',
    "chat": "tabroute chat sample_tables",
    "tables": "tabroute tables --explain report.xlsx",
    "lookup": 'tabroute lookup "LB-100217" orders.csv -k 1',
    "sql": 'tabroute sql "SELECT region, count(*) FROM orders GROUP BY region" orders.csv',
    "route": 'tabroute route "What is the total amount by region?" orders.csv',
    "eval": "tabroute eval questions.jsonl sample_tables --min 0.9",
    "tools": "tabroute tools --style mcp",
    "mcp": "tabroute mcp sample_tables",
    "index": 'tabroute index saved sample_tables && tabroute ask "Which plans are there?" saved',
    "demo": "tabroute demo",
}


class Commands(click.Group):
    """A group whose unknown command is an error with the nearest name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. Raises click.UsageError with the nearest name."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            close = nearest(name, self.commands)
            meant = f"Did you mean {' or '.join(close)}?" if close else "See tabroute --help."
            ctx.fail(f'no command "{name}". {meant}')
        return super().resolve_command(ctx, args)


def option(name: str, *flags: str, **more: Any) -> Callable[[Command], Command]:
    """An option that is a setting: its help, default and environment variable from the table."""
    return click.option(
        *flags,
        name,
        default=settings.default(name),
        show_default=settings.default(name) is not None,
        envvar=settings.environment(name),
        show_envvar=True,
        help=settings.help_of(name),
        **more,
    )


def output_options(command: Command) -> Command:
    """Flags that choose how a result is printed."""
    for name, help_text in (
        ("markdown", "a Markdown table"),
        ("tsv", "tab-separated values"),
        ("csv", "comma-separated values"),
        ("nl", "one JSON object a row"),
        ("json", "one JSON object"),
    ):
        flag = click.option(f"--{name}", "form", flag_value=name, default=None, help=help_text)
        command = flag(command)
    return command


def router_options(command: Command) -> Command:
    """Flags that configure the router, and the paths to load."""
    for decorate in (
        click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path()),
        option("writer", "-w", "--writer", type=click.Choice(["auto", "offline", "openai"])),
        option("model", "-m", "--model", metavar="NAME"),
        option("max_rows", "--max-rows", type=int, metavar="N"),
        option("timeout_s", "--timeout", type=float, metavar="SECONDS"),
        option("min_confidence", "--min-confidence", type=float, metavar="SHARE"),
        click.option("-q", "--quiet", is_flag=True, help="no load notes on stderr"),
    ):
        command = decorate(command)
    return command


def _show_version(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from router.version import version_text  # reads package metadata, which takes a while

        click.echo(f"tabroute {version_text()}")
        ctx.exit()


@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@click.option("-v", "--verbose", is_flag=True, help="show the traceback of an error")
def cli(verbose: bool) -> None:
    """Ask questions over tables: cited look-ups, and SQL that is checked before it runs.

    PATH is a file, a folder, a glob, or a folder made by `tabroute index`.
    """


def command(name: str) -> Callable[[Command], Command]:
    """Register a command with its example at the end of its help."""
    return cli.command(name, epilog=f"Example: {_EXAMPLES[name]}")


@command("ask")
@click.argument("question")
@router_options
@output_options
@click.option("--explain", is_flag=True, help="route, SQL and attempts on stderr")
def ask_command(question: str, form: str | None, explain: bool, **opened: Any) -> int:
    """Answer one question; `-` reads it from stdin."""
    from router.argument_order import words_first
    from router.question import checked_question

    text = checked_question(sys.stdin.read() if question == "-" else question)
    words_first("ask", text, opened["paths"])
    with _open(warm=True, **opened) as tables:
        answer = tables.ask(text)
    print_answer(answer, form, explain=explain)
    return EXIT_DECLINED if answer.declined else EXIT_ANSWERED


@command("chat")
@router_options
def chat_command(quiet: bool, **opened: Any) -> int:
    """Ask, see the SQL, run SQL: an interactive session. Reads lines where stdin is a pipe."""
    from router import repl

    with _open(quiet=quiet, required=False, warm=True, **opened) as tables:
        return repl.run(tables, quiet=quiet)


@command("tables")
@router_options
@output_options
@click.option("--explain", is_flag=True, help="columns with types, units, samples and evidence")
def tables_command(form: str | None, explain: bool, **opened: Any) -> int:
    """What is loaded: tables with their rows and columns."""
    from router import render

    with _open(**opened) as tables:
        found = tables.tables()
        if form == "json":
            click.echo(render.dumps([tables.describe(t.name) for t in found] if explain else found))
        elif explain:
            texts = [render.description(tables.describe(t.name), width=_width()) for t in found]
            click.echo("\n\n".join(texts))
        else:
            columns = ("name", "rows", "columns", "title", "document")
            rows = [(t.name, t.rows, len(t.columns), t.title, t.document) for t in found]
            print_rows(columns, rows, form)
    return EXIT_ANSWERED


@command("lookup")
@click.argument("text")
@click.option("-k", "k", type=click.IntRange(min=1), default=3, show_default=True, help="rows")
@router_options
@output_options
def lookup_command(text: str, k: int, form: str | None, **opened: Any) -> int:
    """The rows that match some words best, each with its headers."""
    from router import render

    with _open(**opened) as tables:
        hits = tables.lookup(text, k=k)
    if form == "json":
        click.echo(
            render.dumps({"total": hits.total, "truncated": hits.truncated, "hits": list(hits)})
        )
    else:
        for hit in hits:
            click.echo(render.hit(hit, width=_width()))
    if not hits:
        note("no row matches")
        return EXIT_DECLINED
    if hits.truncated:
        note(f"{hits.total} rows match as well as the first; {len(hits)} shown")
    return EXIT_ANSWERED


@command("sql")
@click.argument("query")
@router_options
@output_options
def sql_command(query: str, form: str | None, **opened: Any) -> int:
    """Run one read-only SQL query through the guard."""
    from router import render

    with _open(warm=True, **opened) as tables:
        result = tables.sql(sys.stdin.read() if query == "-" else query)
    if form == "json":
        click.echo(render.dumps(result))
    else:
        print_rows(result.columns, result.rows, form)
    told = render.rows_note(len(result.rows), truncated=result.truncated, total=result.total_rows)
    for line in filter(None, (told, *result.warnings)):
        note(line)
    return EXIT_ANSWERED


@command("route")
@click.argument("question")
@router_options
@output_options
def route_command(question: str, form: str | None, **opened: Any) -> int:
    """Which route a question would take and why; runs nothing."""
    from router import render

    with _open(**opened) as tables:
        decision = tables.route(question)
    if form == "json":
        click.echo(render.dumps(decision))
    else:
        click.echo(f"{decision.route.value} ({decision.confidence:.2f}): {decision.reason}")
    return EXIT_ANSWERED


@command("eval")
@click.argument("cases", required=False, type=click.Path())
@router_options
@click.option("--json", "as_json", is_flag=True, help="figures and outcomes as one JSON object")
@click.option("--html", type=click.Path(path_type=Path), help="write a page with failing cases")
@click.option("--out", type=click.Path(path_type=Path), help="keep outcomes; a broken run resumes")
@click.option("--min", "least", multiple=True, metavar="[FIGURE=]N", help="fail below; repeatable")
@click.option("--compare", nargs=2, type=click.Path(path_type=Path), help="two files of --out")
@click.option("--suggest", is_flag=True, help="draft cases from PATHs instead (JSON lines)")
@click.option("--chunkings", is_flag=True, help="compare ways to cut PATHs into chunks instead")
def eval_command(
    cases: str | None,
    as_json: bool,
    html: Path | None,
    out: Path | None,
    least: tuple[str, ...],
    compare: tuple[Path, Path] | None,
    suggest: bool,
    chunkings: bool,
    **opened: Any,
) -> int:
    """Ask the questions of CASES and say how many are right.

    CASES is a file of JSON lines or a CSV with gold; `-` reads JSON lines from stdin.
    """
    from router import evaluate

    if compare:
        return _print_run(evaluate.compare_files(*compare), as_json)
    if cases is None:
        raise UsageError("no cases named", hint="Name a cases file, or draft one with --suggest.")
    if suggest:
        opened["paths"] = (cases, *opened["paths"])
        with _open(**opened) as tables:
            click.echo("\n".join(evaluate.draft_lines(tables)))
        return EXIT_ANSWERED
    piped = cases == "-"
    found = (
        evaluate.read_cases(sys.stdin.read(), "stdin")
        if piped
        else evaluate.load_cases(Path(cases))
    )
    if chunkings:
        return _print_run(evaluate.compare_chunkings_of(opened["paths"], found), as_json)
    minimums = evaluate.parse_minimums(least)
    named = ("writer", "model", "min_confidence", "max_rows", "timeout_s")
    with _open(warm=True, **opened) as tables:
        evaluate.check_gold(tables, found)
        settings = {name: opened[name] for name in named} | {"tables": evaluate.content(tables)}
        with _progress(len(found)) as done:
            run = evaluate.evaluate(tables, found, keep=out, settings=settings, progress=done)
    if html:
        evaluate.write_html(run, html)
    _print_run(run, as_json)
    lacking = evaluate.shortfalls(run, minimums)
    for line in lacking:
        note(line)
    return EXIT_FAILED if lacking else EXIT_ANSWERED


def _print_run(found: Any, as_json: bool) -> int:
    from router import evaluate, render

    click.echo(render.dumps(evaluate.as_json(found)) if as_json else evaluate.as_text(found))
    return EXIT_ANSWERED


@contextmanager
def _progress(count: int) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, where that is a terminal; gives what to call after each case."""
    with click.progressbar(length=count, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        yield lambda done, of: bar.update(1)


@command("tools")
@click.option("--style", type=click.Choice(["openai", "mcp"]), default="openai", show_default=True)
def tools_command(style: str) -> int:
    """The tool definitions for a language model, as JSON."""
    from router import render, tools

    click.echo(render.dumps(tools.definitions(style)))  # type: ignore[arg-type]
    return EXIT_ANSWERED


@command("mcp")
@router_options
@click.option("--http", is_flag=True, help="streamable HTTP instead of stdio")
@click.option("--host", default="127.0.0.1", show_default=True, help="address, with --http")
@click.option("--port", type=int, default=8765, show_default=True, help="port, with --http")
def mcp_command(http: bool, host: str, port: int, **opened: Any) -> int:
    """Serve the tools over the Model Context Protocol (stdio)."""
    with redirect_stdout(sys.stderr):  # whatever a library prints, stdout is for the protocol
        from router import mcp_server

        mcp_server.require()
        paths = named_paths(opened.pop("paths"), required=False)
        if http:  # over stdio a client sees nothing of a server that ends: each call tells it
            must_exist(paths)
        opened.pop("quiet")
        tables, unread = _new_router(paths, opened)
    with tables:
        mcp_server.serve(tables, paths=unread, http=http, host=host, port=port)
    return EXIT_ANSWERED


@command("index")
@click.argument("folder", type=click.Path(path_type=Path))
@router_options
def index_command(folder: Path, **opened: Any) -> int:
    """Save what PATHs hold into FOLDER; name FOLDER as a path later to skip reading."""
    from router.argument_order import folder_first

    folder_first(folder, opened["paths"])
    with _open(**opened) as tables:
        tables.save(folder)
        count = len(tables.tables())
        note(f"saved {count} table{'s' if count != 1 else ''} in {folder}")
    return EXIT_ANSWERED


@command("demo")
def demo_command() -> int:
    """Answer questions over the sample tables, offline, each with its route and source."""
    from router import demo

    return demo.run()


def print_answer(answer: Answer, form: str | None, *, explain: bool) -> None:
    """The answer on stdout; what stands beside it on stderr."""
    from router import render

    if form == "json":
        click.echo(render.dumps(answer.to_dict()))
    elif answer.declined:  # nothing on stdout: a script would take it for data
        note(render.answer(answer, width=_width()))
    elif form is not None:
        rows = answer.rows if answer.columns else [(answer.text,)]
        print_rows(answer.columns or ("text",), rows, form)
    else:
        click.echo(render.answer(answer, width=_width()))
    if form != "json":
        for line in render.notes(answer):
            note(line)
    if explain:
        for line in render.explanation(answer):
            note(line)


def print_rows(columns: Sequence[str], rows: Sequence[Row], form: str | None) -> None:
    """Rows on stdout in the chosen format."""
    from router import render

    if form is None:
        click.echo(render.table(columns, rows, width=_width()))
    else:
        name = {"nl": "jsonl"}.get(form, form)
        click.echo(render.FORMATS[name](columns, rows))


def note(text: str) -> None:
    """A line on stderr."""
    click.echo(text, err=True)


def named_paths(paths: tuple[str, ...], *, required: bool) -> tuple[str, ...]:
    """The paths of a command line, or those of the environment. Raises UsageError."""
    named = paths or tuple(filter(None, os.environ.get("TABROUTE_PATH", "").split(os.pathsep)))
    if required and not named:
        raise UsageError(
            "no tables named", hint="Name a file or folder after it, or set TABROUTE_PATH."
        )
    return named


def must_exist(paths: Sequence[str]) -> None:
    """Raise SourceNotFound for a path that stands for no file, before anything is read."""
    from retrieval.sources import nothing_there, source_paths

    for path in map(Path, paths):
        if not source_paths(path):
            raise nothing_there(path)


def _open(
    paths: tuple[str, ...],
    quiet: bool = False,
    required: bool = True,
    warm: bool = False,
    **options: Any,
) -> Router:
    """A router with the paths loaded. Raises UsageError where there is none and one is needed."""
    from router.load_bar import load_bar

    router, unread = _new_router(named_paths(paths, required=required), options)
    if warm:
        router.warm()
    with load_bar(unread) as progress:
        reports = [router.add(p, progress=shown) for p, shown in zip(unread, progress, strict=True)]
    for report in reports if not quiet else ():
        _tell(report)
    return router


def _new_router(paths: tuple[str, ...], options: dict[str, Any]) -> tuple[Router, tuple[str, ...]]:
    """A router, and the paths that are still to be read: none where one is a saved state."""
    from router import store
    from router.router import Router

    saved = [path for path in paths if store.is_saved(Path(path))]
    if not saved:
        return Router(**options), paths
    if len(paths) > 1:
        raise UsageError(f"{saved[0]} is a saved state and is opened alone")
    return Router.open(saved[0], **options), ()


def _tell(report: LoadReport) -> None:
    """What of a load a person must know: files skipped, lines that did not fit."""
    for name, reason in report.skipped:
        note(f"skipped {name}: {reason.removeprefix(f'{name}: ')}")
    for warning in report.warnings:
        note(f"warning: {warning}")
    for table in report.tables:
        if table.set_aside:
            lines = ", ".join(str(item.line) for item in table.set_aside[:5])
            more = "…" if len(table.set_aside) > 5 else ""
            count = len(table.set_aside)
            told = f"{count} lines set aside (lines" if count > 1 else "1 line set aside (line"
            note(f"{table.name}: {told} {lines}{more})")
        if table.column_groups:
            sizes = table.column_groups
            told = ", ".join(map(str, sizes))
            if len(sizes) > _MOST_SIZES:
                told = f"{min(sizes)} to {max(sizes)}"
            note(f"{table.name}: a row is indexed in parts of {told} columns, the key in each")


_MOST_SIZES = 6
"""Sizes of a row's parts that are listed; of more, the range is told."""


def _width() -> int | None:
    """The terminal's width; None (nothing is cut) where stdout is no terminal."""
    import shutil

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def main() -> NoReturn:
    """The entry point: runs the command, and turns errors into one line and an exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; the exit code."""
    try:
        code = cli.main(args=arguments, prog_name="tabroute", standalone_mode=False)
        return code if isinstance(code, int) else EXIT_ANSWERED
    except click.exceptions.Exit as error:
        return int(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        note("interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_FAILED
    except click.ClickException as error:
        if "--json" in arguments:
            _print_json_error(UsageError(error.format_message()))
        else:
            error.show()
        return error.exit_code
    except Exception as error:  # the top of the command line: one line, not a traceback
        if {"-v", "--verbose"} & set(arguments):
            raise
        return _report(error, as_json="--json" in arguments)


_REFUSED = {
    errno.EACCES: "You may not read or write there: check the permissions, or name another path.",
    errno.EPERM: "You may not read or write there: check the permissions, or name another path.",
    errno.ENOSPC: "The disk is full: free some space, or write elsewhere.",
    errno.EROFS: "The disk cannot be written: name another folder.",
    errno.ENOENT: "No such file or folder: check the path.",
}
"""What to do where the machine refuses."""


def _report(error: Exception, *, as_json: bool) -> int:
    if as_json:
        _print_json_error(error)
    else:
        note(f"error: {str(error) or type(error).__name__}")
        hint = getattr(error, "hint", "")
        if hint:
            note(f"  {hint}")
        elif isinstance(error, OSError):
            note(f"  {_REFUSED.get(error.errno or 0, 'The machine refused it: check the path.')}")
        elif not hasattr(error, "code"):
            note("  This is a fault of tabroute; `tabroute -v …` shows where.")
    return EXIT_USAGE if isinstance(error, UsageError) else EXIT_FAILED


def _print_json_error(error: Exception) -> None:
    from router import render

    click.echo(render.dumps(describe_error(error)))


if __name__ == "__main__":
    main()
