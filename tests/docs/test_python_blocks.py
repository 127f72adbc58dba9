"""Every Python block of the tutorial and the how-to pages runs, and prints what the page shows."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RUN = [*sorted((DOCS / "tutorial").glob("*.md")), *sorted((DOCS / "howto").glob("*.md"))]
RUN.remove(DOCS / "howto" / "add-a-language.md")  # tests/language/test_add_a_language.py executes its steps
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


pytestmark = pytest.mark.usefixtures("a_new_user")


def programs(page: Path) -> Iterator[tuple[str, str | None]]:
    """Python blocks, each with the output that the page shows right after it."""
    text = page.read_text(encoding="utf-8")
    found = list(BLOCK.finditer(text))
    for at, block in enumerate(found):
        if block[1] != "python":
            continue
        after = found[at + 1] if at + 1 < len(found) else None
        follows = after and after[1] == "text" and not text[block.end() : after.start()].strip()
        yield block[2], after[2] if after and follows else None


@pytest.mark.parametrize("page", RUN, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_the_python_of_a_page_runs_and_prints_what_it_shows(page: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}  # a block continues the one before it
    for program, shown in programs(page):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, str(page), "exec"), names)
        if shown is not None:
            assert printed.getvalue() == shown


def test_the_tutorial_shows_what_it_prints() -> None:
    (tutorial,) = (DOCS / "tutorial").glob("*.md")
    shown = [each for _, each in programs(tutorial) if each is not None]
    assert len(shown) >= 8
