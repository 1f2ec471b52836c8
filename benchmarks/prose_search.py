"""Tables and paragraphs in one pool of documents: right table@k, paragraph@k beside plain BM25.

python -m benchmarks.prose_search SET_FOLDER [--limit N]

Each question of SET_FOLDER names its tables (`tables/*.csv`) and, where the set has prose, its
documents (`docs/*.md`). A paragraph question (`answer_from` is text) counts if a paragraph of the
right document that holds the answer is among the first k; plain BM25 ranks the same paragraphs, and
nothing else, by rank-bm25 with the idf that the index has. `prose.py` is the same over documents of
our own.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from retrieval import okapi
from retrieval.index import Index
from retrieval.metrics import recall_at
from retrieval.reading import read_source
from retrieval.table import Document
from retrieval.tokenize import fold, tokens

DEPTH = 10
KS = (1, 3, 5, 10)

Found = tuple[str, str]
"""A document's name and the text of a paragraph in it."""
Search = Callable[[str], Sequence[Found]]


@dataclass(frozen=True)
class Asked:
    """A question with where its answer stands."""

    question: str
    documents: tuple[str, ...]
    """The names of those that hold it."""
    words: tuple[str, ...]
    """What the paragraph says; the cell, of a question to a table."""

    def rank(self, found: Iterable[Found]) -> int | None:
        """The place of the first paragraph that tells it."""
        wanted = [fold(text) for text in self.words]
        told = (
            place
            for place, (document, text) in enumerate(found)
            if document in self.documents and all(words in fold(text) for words in wanted)
        )
        return next(told, None)


def searches(index: Index, documents: Sequence[Document]) -> dict[str, Search]:
    """By name: ways to search the paragraphs of `documents`, all of which are in the index."""
    own = [(one.name, p.heading_path, p.text) for one in documents for p in one.paragraphs]
    bare = [text for _, _, text in own]
    headed = ["\n".join((*path, text)) for _, path, text in own]
    places = [(name, text) for name, _, text in own]
    return {
        "our index, tables and paragraphs": lambda question: [
            (hit.document, hit.text) for hit in index.search_paragraphs(question, DEPTH)
        ],
        "BM25, paragraphs alone": _plain(bare, places),
        "BM25, paragraphs under their headings": _plain(headed, places),
    }


def _plain(texts: Sequence[str], places: Sequence[Found]) -> Search:
    engine = okapi.engine([tokens(text) for text in texts])

    def search(question: str) -> list[Found]:
        scores = engine.get_scores(tokens(question))
        best = np.argsort(-scores, kind="stable")[:DEPTH].tolist()
        return [places[place] for place in best if scores[place] > 0]

    return search


def shares(ranks: Sequence[int | None]) -> dict[str, float]:
    """What share was found at each depth."""
    return {f"@{k}": round(recall_at(k, ranks), 3) for k in KS}


def paragraph_figures(
    index: Index, documents: Sequence[Document], asked: Sequence[Asked]
) -> dict[str, dict[str, float]]:
    """By search: the share of the questions whose paragraph is found."""
    return {
        name: shares([one.rank(search(one.question)) for one in asked])
        for name, search in searches(index, documents).items()
    }


def table_figures(index: Index, asked: Sequence[Asked]) -> dict[str, float]:
    """The share of the questions of which a table of their documents is found."""
    ranks = []
    for one in asked:
        hits = [hit.document for hit in index.search_tables(one.question, DEPTH)]
        ranks.append(next((at for at, name in enumerate(hits) if name in one.documents), None))
    return shares(ranks)


def measure(folder: Path, limit: int | None = None) -> dict[str, Any]:
    """The figures of a set in that layout."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    if limit:
        records = records[:: max(1, len(records) // limit)]
    paths = [*sorted((folder / "tables").glob("*.csv")), *sorted((folder / "docs").glob("*.md"))]
    documents = [one.document for path in paths for one in read_source(path, name=path.name)]
    index = Index()
    index.add(*documents)
    told = [r for r in records if r.get("answer_from") == "text"]
    others = [r for r in records if r.get("answer_from") != "text"]
    found: dict[str, Any] = {
        "tables": sum(len(one.tables) for one in documents),
        "paragraphs": sum(len(one.paragraphs) for one in documents),
        "questions to tables": len(others),
        "table": table_figures(index, [_asked(r, "tables") for r in others]),
    }
    if found["paragraphs"]:
        asked = [_asked(record, "docs") for record in told]
        found["questions to paragraphs"] = len(told)
        found["paragraph"] = paragraph_figures(index, documents, asked)
    return found


def _asked(record: dict[str, Any], places: str) -> Asked:
    return Asked(record["question"], tuple(record[places]), tuple(record["answer"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=None)
    args = parser.parse_args()
    print(json.dumps(measure(args.folder, args.limit), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
