"""Texts that the shell reads (words, standard input, lines of a file) and private files that it writes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

import click

STANDARD_INPUT = "-"


def create_private(path: Path) -> None:
    """Create an empty file that only its owner can read. A file that exists keeps its mode."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


@contextmanager
def new_file(path: Path) -> Iterator[TextIO]:
    """A file of UTF-8 text that gets its name when it is whole, so that a failure spoils none.

    It is readable by its owner only, or has the mode of the file that it replaces.
    """
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    try:
        create_private(part)
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        if path.exists():
            part.chmod(path.stat().st_mode & 0o777)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


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
