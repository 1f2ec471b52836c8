"""The REPL's configuration file: `chat.toml` under the user's configuration folder.

Takes the file; gives its values as text, by name. `template` is a new file with every setting, its
default and its help as a comment. The file may hold no key: keys come from the environment.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from router import display, settings
from router.errors import UsageError, nearest


def path() -> Path:
    """Where the file is, there or not."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "tabroute" / "chat.toml"


def read(file: Path) -> dict[str, str]:
    """Name to value as typed; empty where there is no file. Raises UsageError."""
    if not file.is_file():
        return {}
    try:
        told = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"{file} cannot be read: {error}", hint="Mend it, or delete it."
        ) from error
    known = [*display.names(), *settings.names()]
    for name in told:
        if name not in known:
            close = nearest(name, known)
            meant = f"Did you mean {close[0]}?" if close else f"Known: {', '.join(known)}."
            raise UsageError(f'{file} has no setting "{name}"', hint=meant)
    return {name: display.text_of(value) for name, value in told.items()}


def template() -> str:
    """A file that changes nothing: every setting with its default, commented out."""
    lines = [
        "# Settings of `tabroute chat`. Take the # away from a line to change its value.",
        "",
        "# How results are shown",
    ]
    shown = display.Display()
    for name in display.names():
        lines += ["", f"# {display.help_of(name)}", f"# {name} = {_toml(getattr(shown, name))}"]
    lines += ["", "# How questions are answered; options of the command line go before these"]
    for name in settings.names():
        default = settings.default(name)
        lines += ["", f"# {settings.help_of(name)}"]
        lines.append(f"# {name} = {_toml('' if default is None else default)}")
    return "\n".join(lines) + "\n"


def write_template(file: Path) -> None:
    """Write the template where no file is. Raises UsageError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.write_text(template(), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else f'"{value}"'
