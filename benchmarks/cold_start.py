"""Time the command line from a cold start: `--help`, and `ask` over the sample tables.

Usage: python -m benchmarks.cold_start [--repeat 7]

Prints the median and the best wall time and the CPU time (user and system, children included) of
each command, each run in a process of its own.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMMANDS = {
    "tabroute --help": ["--help"],
    "tabroute ask (row)": ["ask", "What is the return window of a signed edition?"],
    "tabroute ask (sql)": ["ask", "How many orders were returned?"],
    "tabroute tables": ["tables"],
}


def timed(arguments: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of one run."""
    paths = [] if arguments == ["--help"] else [str(ROOT / "sample_tables")]
    before = os.times()
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "router", *arguments, *paths],
        cwd=ROOT,
        env={**os.environ, "TABROUTE_WRITER": "offline"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    wall = time.perf_counter() - started
    after = os.times()
    cpu = after.children_user + after.children_system
    return wall, cpu - before.children_user - before.children_system


def main() -> None:
    """Run each command and print its times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=7)
    repeat = parser.parse_args().repeat
    for name, arguments in COMMANDS.items():
        timed(arguments)
        runs = [timed(arguments) for _ in range(repeat)]
        walls = [wall for wall, _ in runs]
        cpu = statistics.median(cpu for _, cpu in runs)
        print(
            f"{name:<22} wall median {statistics.median(walls):.2f} s, best {min(walls):.2f} s; "
            f"CPU {cpu:.2f} s"
        )


if __name__ == "__main__":
    main()
