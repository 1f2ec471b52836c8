"""An environment for each peer, made from the package index by uv, or by pip where there is no uv.

Takes a folder for the environments; gives the peer's Python and the versions that were installed.
Nothing of a peer is imported here: workers run under the peer's own Python. An environment that was
made stays, so that a broken run goes on with the next one.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

REQUIREMENTS: dict[str, tuple[str, ...]] = {
    "rank-bm25": ("rank-bm25", "numpy"),
    "bm25s": ("bm25s", "PyStemmer"),
    "tantivy": ("tantivy",),
    "llama-index": ("llama-index-core", "sqlalchemy"),
    "langchain": ("langchain-classic", "langchain-community", "sqlalchemy"),
    "vanna": ("vanna", "duckdb", "pandas"),
    "pandasai": ("pandasai",),
    "text2sql-lite": ("text2sql-lite",),
    "gibran": ("gibran",),
}
"""What is installed for each peer; the first is the peer itself."""


def python_of(peer: str, folder: Path) -> Path:
    """The peer's Python; its environment is made on first use.

    Raises:
        RuntimeError: the package index has it not, or it does not install; carries the last line.
    """
    home = folder / peer
    python = home / "bin" / "python"
    if not (home / "installed").exists():
        command = [*_empty(home, python), *REQUIREMENTS[peer]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [f"{command[0]} failed"])[-1]
            raise RuntimeError(f"{peer}: {last}")
        (home / "installed").touch()
    return python


def _empty(home: Path, python: Path) -> list[str]:
    """Make an empty environment; gives the command that installs what is named after it.

    uv takes seconds where pip takes minutes for the peers with the most dependencies. Both compile
    what they install: no statement's time holds that of a first import.
    """
    uv = shutil.which("uv")
    venv.create(home, with_pip=uv is None, clear=True)
    if uv is not None:
        return [uv, "pip", "install", "-q", "--compile-bytecode", "--python", str(python)]
    return [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]


def version_of(peer: str, folder: Path) -> str:
    """The installed version of the peer."""
    name = REQUIREMENTS[peer][0]
    code = f"import importlib.metadata as m; print(m.version({name!r}))"
    done = subprocess.run(
        [str(python_of(peer, folder)), "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def ask_worker(
    python: Path,
    worker: Path,
    job: dict[str, Any],
    timeout_s: float,
    folder: str | None = None,
) -> Any:
    """Run a worker in a folder, a job on its standard input; gives what it prints as JSON.

    A worker that dies or takes too long gives `{"error": …}`: that is a result too.
    """
    try:
        done = subprocess.run(
            [str(python), str(worker)],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
            cwd=folder,
        )
    except subprocess.TimeoutExpired as stopped:
        return {"error": f"no answer in {timeout_s:g} s", **_last_line(stopped.stdout)}
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        return {"error": last[:300], **_last_line(done.stdout)}
    return json.loads(lines[-1])


def _last_line(output: bytes | str | None) -> dict[str, Any]:
    """What a worker had told before it was ended; peers print lines of their own between."""
    text = output.decode(errors="replace") if isinstance(output, bytes) else output or ""
    for line in reversed(text.splitlines()):
        try:
            told = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(told, dict):
            return told
    return {}


def own_python() -> Path:
    """The Python that runs this, for tabroute's own workers."""
    return Path(sys.executable)
