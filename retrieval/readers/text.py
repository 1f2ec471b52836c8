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
_WHITE = b"\t\n\r\x0b\x0c\x1b"
_HIGH_RUNS = re.compile(rb"[\x80-\xff]+")
_WESTERN = ("cp1252", "cp1250", "cp1254")
_OTHER_SCRIPTS = (
    *("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1251", "koi8_r"),
    *("cp1253", "cp1255", "cp1256", "cp874", "cp866"),
)
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
        return _strict(data, name), name, ()
    if b"\x00" in data[:_SAMPLE]:
        return _without_bom(data)
    try:
        return data.decode("utf-8"), "utf-8", ()
    except UnicodeDecodeError:
        return _guessed(data)


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
            return _strict(data, name), name, ()
    raise UnreadableSource(
        "the file is binary, not text", hint="export it as CSV, Excel, Parquet or HTML"
    )


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
        if name != "latin-1" and western and _ODD_IN_WORD.search(text):
            continue
        return text, name, (f"the file is not UTF-8; read as {name}: check letters with accents",)
    raise UnreadableSource("no known encoding fits", hint="save the file as UTF-8")


def _by_frequency(sample: bytes) -> list[str]:
    """Encodings of scripts other than Latin, likeliest first."""
    from charset_normalizer import from_bytes

    found = from_bytes(sample, cp_isolation=list(_OTHER_SCRIPTS))
    return [match.encoding for match in found] + list(_WESTERN)
