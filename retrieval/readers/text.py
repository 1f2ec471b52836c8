"""Bytes to text: the encoding is found, and told."""

from __future__ import annotations

import codecs
import re

from retrieval.errors import EmptySource, UnreadableSource

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 200_000
_STRAY_ZEROS = 0.1
"""Share of zero bytes that a text with faults may hold."""

_WHITE = b"\t\n\r\x0b\x0c\x1b"
_GUESSED = "the file is not UTF-8; read as {name}: check letters with accents"
_HIGH_RUNS = re.compile(rb"[\x80-\xff]+")
_WESTERN = ("cp1252", "cp1250", "iso8859_2", "cp1254")
_OTHER_SCRIPTS = (
    *("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1251", "koi8_r"),
    *("cp1253", "cp1255", "cp1256", "cp874", "cp866"),
)
_RARE = re.compile(r"[\uff61-\uff9f\ue000-\uf8ff]")
"""Narrow kana and signs of no script: what two-byte text of another encoding turns to."""

_ODD_IN_WORD = re.compile(
    r"[^\W\d_][¡-©«-±´¶-¹»-¿×÷][^\W\d_]|[\x80-\x9f]|[£Ÿ][^\W\d_]|[^\W\d_][Ÿ³¹¿]"
)
"""Signs that no word holds: the encoding is another one."""


def decode(data: bytes, encoding: str | None = None) -> tuple[str, str, tuple[str, ...]]:
    """The text, its encoding, and a warning where the encoding is a guess.

    Raises:
        EmptySource: nothing but white space.
        UnreadableSource: binary data, or bytes that the told encoding does not allow.
    """
    text, name, warnings = _decoded(data, encoding)
    if not text.strip("\ufeff \t\r\n\x00"):
        raise EmptySource("the file is empty", hint="check that the export finished, or remove it")
    return text, name, warnings


def _decoded(data: bytes, told: str | None) -> tuple[str, str, tuple[str, ...]]:
    name = told or next((name for bom, name in _BOMS if data.startswith(bom)), None)
    if name is not None:
        return _wide(data, name)
    if b"\x00" in data[:_SAMPLE]:
        return _without_bom(data)
    try:
        return data.decode("utf-8"), "utf-8", ()
    except UnicodeDecodeError:
        return _mostly_utf8(data) or _guessed(data)


def _mostly_utf8(data: bytes) -> tuple[str, str, tuple[str, ...]] | None:
    """UTF-8 with a few lines of another encoding, as where files were put together; None where
    most of the letters are not UTF-8.
    """
    lines = data.splitlines(keepends=True)
    texts, odd, sound = [], [], 0
    for number, line in enumerate(lines, 1):
        try:
            texts.append(line.decode("utf-8"))
            sound += not line.isascii()
        except UnicodeDecodeError:
            texts.append(line.decode("cp1252", "replace"))
            odd.append(number)
    if sound <= len(odd):
        return None
    shown = ", ".join(map(str, odd[:5])) + (", …" if len(odd) > 5 else "")
    warning = f"lines that are not UTF-8 are read as cp1252: check their letters (lines {shown})"
    return "".join(texts), "utf-8", (warning,)


_CUT_OFF = "the file ends within a letter: it may be cut off"


def _wide(data: bytes, name: str) -> tuple[str, str, tuple[str, ...]]:
    """Text of two bytes a letter; half a letter at the end is left out."""
    if name.startswith("utf-16") and len(data) % 2:
        return _strict(data[:-1], name), name, (_CUT_OFF,)
    return _strict(data, name), name, ()


def _strict(data: bytes, name: str) -> str:
    try:
        return data.decode(name)
    except (UnicodeDecodeError, LookupError) as error:
        raise UnreadableSource(
            f"the bytes are not {name}: {error}", hint="save the file as UTF-8 and add it again"
        ) from error


def _without_bom(data: bytes) -> tuple[str, str, tuple[str, ...]]:
    """UTF-16 without its mark has a zero in nearly every second byte; other zeros are binary."""
    even, odd = data[:_SAMPLE:2], data[1:_SAMPLE:2]
    for part, name in ((odd, "utf-16-le"), (even, "utf-16-be")):
        if part.count(0) > 0.4 * max(1, len(part)):
            return _wide(data, name)
    zeros = data.count(0)
    if zeros > _STRAY_ZEROS * len(data):
        raise UnreadableSource(
            "the file is binary, not text", hint="export it as CSV, Excel, Parquet or HTML"
        )
    text, name, warnings = _decoded(data.replace(b"\x00", b""), None)
    return text, name, (*warnings, f"{zeros} zero byte(s) in the text are left out")


def _guessed(data: bytes) -> tuple[str, str, tuple[str, ...]]:
    """Text in an older encoding, chosen by what its letters look like."""
    sample = data[:_SAMPLE]
    control = sum(sample.count(bytes([byte])) for byte in range(32) if byte not in _WHITE)
    if control > 0.02 * len(sample):
        raise UnreadableSource(
            "the file is binary, not text", hint="export it as CSV, Excel, Parquet or HTML"
        )
    runs = _HIGH_RUNS.findall(sample)
    western = sum(len(run) == 1 for run in runs) * 2 > len(runs)
    for name in (*(_WESTERN if western else _by_frequency(sample)), "latin-1"):
        try:
            text = data.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
        if name in _WESTERN and (_ODD_IN_WORD.search(text) or _odd_case(text)):
            continue
        if western and _mostly_signs(text):
            return _by_script(data, sample)
        return text, name, (_GUESSED.format(name=name),)
    raise UnreadableSource("no known encoding fits", hint="save the file as UTF-8")


def _odd_case(text: str) -> bool:
    """Whether a small letter stands before a capital one that is not plain: no one writes so."""
    return any(
        after.isupper() and before.islower()
        for before, after in re.findall(r"([^\W\d_])(?=([^\x00-\x7f]))", text[:_SAMPLE])
    )


def _mostly_signs(text: str) -> bool:
    """Whether most characters beyond ASCII are no letters: two-byte text cut to single bytes."""
    beyond = [char for char in text[:_SAMPLE] if "\xa0" < char < "\u0100"]
    return len(beyond) > 3 and sum(char.isalpha() for char in beyond) * 2 < len(beyond)


def _by_script(data: bytes, sample: bytes) -> tuple[str, str, tuple[str, ...]]:
    """Text in the likeliest encoding of another script."""
    for name in (*_by_frequency(sample), "latin-1"):
        try:
            return data.decode(name), name, (_GUESSED.format(name=name),)
        except (UnicodeDecodeError, LookupError):
            continue
    raise UnreadableSource("no known encoding fits", hint="save the file as UTF-8")


def _by_frequency(sample: bytes) -> list[str]:
    """Encodings of scripts other than Latin, likeliest first."""
    from charset_normalizer import from_bytes

    found = from_bytes(sample, cp_isolation=list(_OTHER_SCRIPTS))
    likely = sorted(found, key=lambda match: _RARE.search(str(match)) is not None)
    return [match.encoding for match in likely] + list(_WESTERN)
