"""What a row costs in each chunk format: tokens, and times those of its bare cells.

python -m benchmarks chunk-tokens

Over the rows of the sample tables (at most 50 of each). Tokens are those of the tokenizer inside
the `dense` extra (Llama 2's), which splits text about as other language models do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

from retrieval.reading import read_source
from retrieval.serialize import Format, row_text
from retrieval.table import Table

SAMPLES = Path(__file__).parent.parent / "sample_tables"
ROWS = 50


def measure() -> dict[str, Any]:
    """By format: tokens of a row on average, and the ratio to the bare cells."""
    tables = list(_tables())
    bare = _mean(" ".join(cell for cell in t.row(row) if cell) for t, row in _rows(tables))
    found = {}
    for name in get_args(Format):
        tokens = _mean(row_text(t, row, format=name) for t, row in _rows(tables))
        found[name] = {"tokens": round(tokens, 1), "times bare cells": round(tokens / bare, 2)}
    own = {"bare cells": {"tokens": round(bare, 1), "times bare cells": 1.0}}
    return {"by format": own | found}


def _tables() -> Iterator[Table]:
    for path in sorted(SAMPLES.iterdir()):
        for result in read_source(path):
            yield from result.document.tables


def _rows(tables: Iterable[Table]) -> Iterator[tuple[Table, int]]:
    for table in tables:
        yield from ((table, row) for row in range(min(ROWS, table.row_count)))


def _mean(texts: Iterable[str]) -> float:
    from retrieval import vectors

    counts = [len(vectors.tokenizer().encode(text).ids) for text in texts]
    return sum(counts) / len(counts)
