"""Tables and paragraphs in one pool of documents: right table@k, paragraph@k beside plain BM25.

python -m benchmarks.prose_search SET_FOLDER [--limit N]

Each question of SET_FOLDER names its tables (`tables/*.csv`) and, where the set has prose, its
documents (`docs/*.md`). A
paragraph question (`answer_from` is text) counts if a paragraph of the right document that holds
the answer is among the first k; plain BM25 ranks the same paragraphs by rank-bm25.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from retrieval.index import Index
from retrieval.metrics import recall_at
from retrieval.reading import read_source
from retrieval.tokenize import fold, tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=None)
    args = parser.parse_args()
    lines = (args.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    if args.limit:
        questions = questions[:: max(1, len(questions) // args.limit)]
    index = Index()
    found = []
    for path in sorted((args.folder / "tables").glob("*.csv")):
        found += [r.document for r in read_source(path, name=path.name)]
    for path in sorted((args.folder / "docs").glob("*.md")):
        found += [r.document for r in read_source(path, name=path.name)]
    index.add(*found)
    paragraphs = [(one.name, p.text) for one in found for p in one.paragraphs]
    print(f"{sum(len(one.tables) for one in found)} tables, {len(paragraphs)} paragraphs")
    tables(index, questions)
    if paragraphs:
        prose(index, questions, paragraphs)


def tables(index: Index, questions: list[dict]) -> None:
    asked = [q for q in questions if q.get("answer_from") != "text"]
    ranks = []
    for question in asked:
        hits = [hit.document for hit in index.search_tables(question["question"], 10)]
        ranks.append(next((i for i, d in enumerate(hits) if d in question["tables"]), None))
    print(f"{len(asked)} questions to tables: {shares(ranks)}")


def prose(index: Index, questions: list[dict], paragraphs: list[tuple[str, str]]) -> None:
    from rank_bm25 import BM25Okapi

    asked = [q for q in questions if q.get("answer_from") == "text"]
    plain = BM25Okapi([tokens(text) for _, text in paragraphs], k1=1.2, b=0.75)
    own_ranks, plain_ranks = [], []
    for question in asked:
        hits = index.search_paragraphs(question["question"], 10)
        own_ranks.append(rank([(hit.document, hit.text) for hit in hits], question))
        order = np.argsort(-plain.get_scores(tokens(question["question"])), kind="stable")[:10]
        plain_ranks.append(rank([paragraphs[i] for i in order], question))
    print(f"{len(asked)} questions to paragraphs: {shares(own_ranks)}")
    print(f"  plain BM25 over the same paragraphs: {shares(plain_ranks)}")


def rank(found: list[tuple[str, str]], question: dict) -> int | None:
    wanted = [fold(answer) for answer in question["answer"]]
    return next(
        (
            i
            for i, (document, text) in enumerate(found)
            if document in question["docs"] and all(answer in fold(text) for answer in wanted)
        ),
        None,
    )


def shares(ranks: list[int | None]) -> str:
    return "  ".join(f"@{k} {recall_at(k, ranks):.3f}" for k in (1, 3, 10))


if __name__ == "__main__":
    main()
