"""What sources looked like when they were loaded, so that a change is noticed.

`Sources.changed` compares size and time of each file with what was noted; `differences` says what
a document's new reading changed: headers, rows, tables.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from retrieval.errors import SourceNotFound, UnreadableSource
from retrieval.table import Document, Table

CHECK_EVERY_S = 1.0
"""Questions look at the sources no more often than this; a refresh always does."""

Stamp = tuple[int, int]
"""Size in bytes, and time of the last change in ns."""


def source_paths(path: Path) -> list[Path]:
    """The files that a path, folder or pattern stands for now; [] where there are none."""
    if path.is_file():
        return [path]
    if path.is_dir():
        return [found for found in path.rglob("*") if found.is_file()]
    root = fixed_part(path)
    if root == path:
        return []
    return [found for found in root.glob(str(path.relative_to(root))) if found.is_file()]


_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+:)/+(?=[^/])(.*)", re.IGNORECASE)
_PIPES = frozenset(["-", "/dev/stdin", "/dev/fd/0"])


def nothing_there(path: Path) -> SourceNotFound:
    """The error for a path that stands for no file: missing, an empty folder, or no match."""
    if address := _ADDRESS.match(str(path)):
        told = f"{address[1]}//{address[2]}"
        hint = "download the file, and name it by its path here"
        return SourceNotFound(f"{told}: addresses are not fetched", hint=hint)
    if str(path) in _PIPES:
        hint = "save what the pipe gives to a file first: … > table.csv"
        return SourceNotFound(f"{path}: tables are read from files, not from a pipe", hint=hint)
    if path.is_symlink():
        hint = "check where the link points"
        return SourceNotFound(f"{path}: a link that leads to no file", hint=hint)
    if path.is_dir():
        return SourceNotFound(f"{path}: the folder holds no file", hint="add files, or name others")
    if fixed_part(path) != path:
        hint = "check the pattern and the folder"
        return SourceNotFound(f"{path}: no file matches", hint=hint)
    hint = f"check the path; looked in {Path.cwd()}"
    return SourceNotFound(f"{path}: no such file or folder", hint=hint)


def listed_paths(source: object, name: str | None) -> list[tuple[Path, str | None]]:
    """The paths of a list of paths, each with the name of its document where the file's own is not
    the only one; [] where the source is no such list.

    Raises:
        SourceError: one of them stands for no file, or `name` is to name several.
    """
    if not isinstance(source, (list, tuple)) or not source:
        return []
    if not all(isinstance(one, (str, Path)) for one in source):
        return []
    paths = [Path(one) for one in source]
    if missing := next((path for path in paths if not source_paths(path)), None):
        raise nothing_there(missing)
    if name is not None and len(paths) > 1:
        raise UnreadableSource("one name for several files", hint="add each with a name of its own")
    own = Counter(path.name for path in paths)
    return [(path, name if own[path.name] == 1 else path.as_posix()) for path in paths]


def fixed_part(pattern: Path) -> Path:
    """The folders of a pattern before its first wild card."""
    parts = []
    for part in pattern.parts:
        if any(mark in part for mark in "*?["):
            break
        parts.append(part)
    return Path(*parts) if parts else Path()


@dataclass(frozen=True)
class Source:
    """One path or pattern that was added."""

    path: str
    name: str | None
    documents: tuple[str, ...]
    stamps: Mapping[str, Stamp]
    skipped: tuple[tuple[str, str], ...] = ()
    """Files that could not be read, each with the reason."""


@dataclass
class Sources:
    """The paths that were added, with their files as they stood."""

    noted: dict[str, Source] = field(default_factory=dict)
    _checked: float = 0.0
    _changed: tuple[Source, ...] = ()

    def note(
        self,
        path: str,
        name: str | None,
        documents: tuple[str, ...],
        skipped: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """Keep what a path holds now."""
        self.noted[path] = Source(path, name, documents, dict(_stamps(path)), skipped)
        self._checked = 0.0

    @property
    def skipped(self) -> tuple[tuple[str, str], ...]:
        """The files of all paths that could not be read, each with the reason."""
        return tuple(skip for source in self.noted.values() for skip in source.skipped)

    def write(self, path: Path) -> None:
        """Keep in a file what the sources looked like, under their full paths."""
        noted = [
            {
                "path": _full(source.path),
                "name": source.name,
                "documents": source.documents,
                "stamps": {_full(file): stamp for file, stamp in source.stamps.items()},
                "skipped": source.skipped,
            }
            for source in self.noted.values()
        ]
        path.write_text(json.dumps(noted, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Sources:
        """What a file keeps; none where there is none, or of sources that are not on this machine.

        Raises:
            ValueError: the file is damaged.
        """
        if not path.exists():
            return cls()
        try:
            told = [
                Source(
                    str(one["path"]),
                    one["name"],
                    tuple(one["documents"]),
                    {str(file): (int(size), int(at)) for file, (size, at) in one["stamps"].items()},
                    tuple((str(file), str(why)) for file, why in one.get("skipped", ())),
                )
                for one in json.loads(path.read_text(encoding="utf-8"))
            ]
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(str(error)) from error
        return cls({source.path: source for source in told if source_paths(Path(source.path))})

    def forget(self, document: str) -> None:
        """Drop the paths that gave this document alone."""
        kept = {p: s for p, s in self.noted.items() if set(s.documents) != {document}}
        self.noted = kept
        self._checked = 0.0

    def changed(self) -> tuple[Source, ...]:
        """The paths of which a file changed, came or went since they were noted."""
        self._changed = tuple(
            noted for noted in self.noted.values() if dict(_stamps(noted.path)) != noted.stamps
        )
        self._checked = time.monotonic()
        return self._changed

    def seen_changed(self) -> tuple[Source, ...]:
        """What had changed when the files were last looked at, `CHECK_EVERY_S` ago at most."""
        if self._checked == 0.0 or time.monotonic() - self._checked >= CHECK_EVERY_S:
            return self.changed()
        return self._changed


def _stamps(path: str) -> Iterator[tuple[str, Stamp]]:
    for file in source_paths(Path(path)):
        try:
            told = file.stat()
        except OSError:
            continue
        yield str(file), (told.st_size, told.st_mtime_ns)


def _full(path: str) -> str:
    return str(Path(path).absolute())


def differences(old: Document | None, new: Document | None) -> list[str]:
    """What a new reading of a document changed, a sentence each."""
    if old is None or new is None:
        return [] if old is new else ["the document is new" if old is None else "it is gone"]
    before = {table.name: table for table in old.tables}
    after = {table.name: table for table in new.tables}
    told = [f'table "{name}" is gone' for name in before.keys() - after.keys()]
    told += [f'table "{name}" is new' for name in after.keys() - before.keys()]
    for name in sorted(before.keys() & after.keys()):
        told += _table_differences(before[name], after[name])
    return told or (["cells changed"] if old.version != new.version else [])


def _table_differences(old: Table, new: Table) -> Iterator[str]:
    gone = [header for header in old.headers if header not in new.headers]
    come = [header for header in new.headers if header not in old.headers]
    if gone and len(gone) == len(come) and len(old.headers) == len(new.headers):
        for before, after in zip(gone, come, strict=True):
            yield f'{new.name}: header "{before}" is now "{after}"'
    else:
        yield from (f'{new.name}: column "{header}" is gone' for header in gone)
        yield from (f'{new.name}: column "{header}" is new' for header in come)
    rows = new.row_count - old.row_count
    if rows:
        yield f"{new.name}: {abs(rows)} rows {'added' if rows > 0 else 'gone'}"
