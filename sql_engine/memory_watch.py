"""How much memory a process uses, for platforms that do not limit it themselves."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path


def resident_bytes(pid: int) -> int:
    """The resident memory of a process; 0 where it cannot be told."""
    with suppress(OSError, ValueError, IndexError, subprocess.SubprocessError):
        if sys.platform.startswith("linux"):
            pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
            return int(pages) * os.sysconf("SC_PAGE_SIZE")
        if sys.platform == "win32":
            return _windows(pid)
        shown = subprocess.run(
            ["/bin/ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, timeout=5
        )
        return int(shown.stdout.strip()) * 1024
    return 0


def _windows(pid: int) -> int:
    shown = subprocess.run(
        ["tasklist", "/fi", f"PID eq {pid}", "/fo", "csv", "/nh"],
        capture_output=True,
        text=True,
        timeout=5,
    )
    digits = "".join(filter(str.isdigit, shown.stdout.rsplit('","', 1)[-1]))
    return int(digits) * 1024
