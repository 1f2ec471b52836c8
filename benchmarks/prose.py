"""Questions to paragraphs and to the tables between them, over twelve documents of our own.

python -m benchmarks prose

`prose.txt` holds the documents and, below each, its questions: 120 told by a paragraph, 60 by a
cell. The paragraph meant has to be found by our index, which holds tables and paragraphs in one
pool, no later than by BM25 over the paragraphs alone; then a router without a model is asked all.
An answer is right if its text holds the words or the cell.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.prose_search import Asked, paragraph_figures, table_figures
from retrieval.index import Index
from retrieval.reading import read_source
from retrieval.table import Document
from retrieval.tokenize import fold
from router import Answer, Router

DATA = Path(__file__).with_name("prose.txt")
_QUESTION = re.compile(r"\?([pt]) (.+) => (.+)")


@dataclass(frozen=True)
class Text:
    """A document as written, with its questions."""

    name: str
    markdown: str
    to_paragraphs: tuple[Asked, ...]
    to_tables: tuple[Asked, ...]


def texts() -> Iterator[Text]:
    """The documents of `prose.txt`."""
    for part in DATA.read_text(encoding="utf-8").split("\n== ")[1:]:
        name, _, body = part.partition("\n")
        lines = body.splitlines()
        found = [match for line in lines if (match := _QUESTION.fullmatch(line))]
        asked = {
            kind: tuple(Asked(m[2], (name,), (m[3],)) for m in found if m[1] == kind)
            for kind in "pt"
        }
        markdown = "\n".join(line for line in lines if not line.startswith("?"))
        yield Text(name, markdown, asked["p"], asked["t"])


def measure() -> dict[str, Any]:
    """What is found, and what is answered."""
    written = list(texts())
    with tempfile.TemporaryDirectory() as folder:
        for text in written:
            (Path(folder) / text.name).write_text(text.markdown, encoding="utf-8")
        documents = list(_read(Path(folder)))
        router = Router(writer="offline")
        router.add(folder)
    index = Index()
    index.add(*documents)
    told = [asked for text in written for asked in text.to_paragraphs]
    cells = [asked for text in written for asked in text.to_tables]
    return {
        "documents": len(documents),
        "paragraphs": sum(len(one.paragraphs) for one in documents),
        "tables": sum(len(one.tables) for one in documents),
        "by search": {
            **{
                f"{name}: paragraph": {"questions": len(told), **found}
                for name, found in paragraph_figures(index, documents, told).items()
            },
            "our index: a table of the document": {
                "questions": len(cells),
                **table_figures(index, cells),
            },
        },
        "by answer": {
            "of a paragraph": answered(router, told),
            "of a cell": answered(router, cells),
        },
    }


def _read(folder: Path) -> Iterator[Document]:
    for path in sorted(folder.iterdir()):
        yield from (result.document for result in read_source(path, name=path.name))


def answered(router: Router, asked: Sequence[Asked]) -> dict[str, int]:
    """How the questions are answered: right, wrong, or declined."""
    counts = Counter(judged(router.ask(one.question), one) for one in asked)
    return {"questions": len(asked), **{k: counts[k] for k in ("right", "wrong", "declined")}}


def judged(answer: Answer, asked: Asked) -> str:
    """Whether an answer tells what is meant."""
    if answer.route == "declined":
        return "declined"
    wanted = re.escape(fold(asked.words[0]))
    right = re.search(rf"(?<!\w){wanted}(?!\w)", fold(answer.text)) is not None
    return "right" if right else "wrong"


if __name__ == "__main__":
    import json

    print(json.dumps(measure(), indent=1, ensure_ascii=False))
