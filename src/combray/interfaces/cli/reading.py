"""Input texts: words, standard input, or the lines of a file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

STANDARD_INPUT = "-"


def text_of(words: tuple[str, ...]) -> str:
    """Join the words by spaces; a single "-" reads standard input."""
    if words != (STANDARD_INPUT,):
        return " ".join(words)
    return _decoded(sys.stdin.buffer.read(), "standard input").strip()


def lines_of(path: Path) -> list[tuple[int, str]]:
    """Return the non-blank lines of a UTF-8 file, numbered from 1; the path "-" is standard input."""
    if str(path) == STANDARD_INPUT:
        text = _decoded(sys.stdin.buffer.read(), "standard input")
    else:
        text = _decoded(path.read_bytes(), str(path))
    lines = enumerate(text.split("\n"), start=1)
    return [(number, line.strip()) for number, line in lines if line.strip()]


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(
            f"{source} is not UTF-8 text (byte {error.start}). Convert it, for example with iconv."
        ) from error
