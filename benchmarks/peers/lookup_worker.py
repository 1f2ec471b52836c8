"""Builds one search engine over given texts and times the questions; runs in the peer's Python.

Standard input: {"engine", "corpus": a file of texts, one a line, "asked": by kind, questions with
the place of the one text each is about}.
Standard output: build time, memory, and by kind the times and the share found first, among ten.
"""

import json
import resource
import sys
import time
from pathlib import Path


def words(text):
    """Lower-case words; a code with hyphens stays whole."""
    return text.lower().replace("|", " ").replace(":", " ").replace("?", " ").split()


def rank_bm25(corpus):
    import numpy
    from rank_bm25 import BM25Okapi

    engine = BM25Okapi([words(text) for text in corpus])

    def search(question, k):
        scores = engine.get_scores(words(question))
        return numpy.argsort(-scores, kind="stable")[:k].tolist()

    return search


def bm25s(corpus):
    import bm25s as library

    engine = library.BM25()
    engine.index(library.tokenize(corpus, show_progress=False), show_progress=False)

    def search(question, k):
        tokens = library.tokenize(question, show_progress=False)
        found, _ = engine.retrieve(tokens, k=k, show_progress=False)
        return [int(place) for place in found[0]]

    return search


def tantivy(corpus):
    import re

    import tantivy as library

    builder = library.SchemaBuilder()
    builder.add_text_field("text", stored=False)
    builder.add_integer_field("place", stored=True, fast=True)
    index = library.Index(builder.build())
    writer = index.writer()
    for place, text in enumerate(corpus):
        writer.add_document(library.Document(text=text, place=place))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(question, k):
        query = index.parse_query(re.sub(r"[^\w\s]", " ", question), ["text"])
        hits = searcher.search(query, k).hits
        return [searcher.doc(address)["place"][0] for _, address in hits]

    return search


def resident_mb():
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize() / 1e6


def figures(kind, asked, search):
    """Times of the questions of a kind; a kind without a name gives plain heads."""
    times, first, ten = [], 0, 0
    for question, gold in asked:
        started = time.process_time()
        found = search(question, 10)
        times.append((time.process_time() - started) * 1000)
        first += found[:1] == [gold]
        ten += gold in found
    times.sort()
    count = len(times)
    found = {
        "row@1": round(first / count, 4),
        "row@10": round(ten / count, 4),
        "p50_ms": round(times[count // 2], 3),
        "p95_ms": round(times[int(0.95 * count)], 3),
    }
    return {f"{kind} {name}".strip(): value for name, value in found.items()}


def main():
    job = json.load(sys.stdin)
    engines = {"rank-bm25": rank_bm25, "bm25s": bm25s, "tantivy": tantivy}
    corpus = Path(job["corpus"]).read_text(encoding="utf-8").split("\n")
    before, started = resident_mb(), time.process_time()
    search = engines[job["engine"]](corpus)
    build = time.process_time() - started
    told = {
        "build_s": round(build, 2),
        "rows/s": round(len(corpus) / max(build, 1e-6)),
        "memory_mb": round(resident_mb() - before),
    }
    for kind, asked in job["asked"].items():
        told |= figures(kind, asked, search)
    print(
        json.dumps(told | {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024})
    )


if __name__ == "__main__":
    main()
