"""Files that the shell writes: what they hold is the user's own, so others may not read them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO


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
