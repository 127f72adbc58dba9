"""The commands of a page of the documentation, with what it says they print."""

from __future__ import annotations

import re
from pathlib import Path

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps(page: Path) -> list[tuple[str, str]]:
    """Each command of a page, with what it says is printed."""
    found: list[list[str]] = []
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append([line[2:]])
            else:
                found[-1].append(line)
    return [(each[0], "\n".join(each[1:])) for each in found]
