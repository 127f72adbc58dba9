"""The lines of the five published designs, each with the tests that hold it: `designs.toml` as a page."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
_TEST = re.compile(r"^def (test_\w+)", re.MULTILINE)


_ON_EXAMPLES = "`designs/test_page_examples.py"
"""The tests with the words of the pages."""


def page() -> str:
    """One table per design. Raises LookupError for a test that does not exist, or exists twice."""
    known = tests()
    designs: list[dict[str, Any]] = tomllib.loads((HERE / "designs.toml").read_text(encoding="utf-8"))["design"]
    lines = [
        "# The five designs, line by line",
        "",
        "Each line of the published pages, the test that holds it, and what differs on purpose.",
        "[Presets](presets.md) lists the stages with their constants.",
        "",
        '"Works": the tests beside it check this behaviour, mostly with values that were worked out by hand.',
        '"On its example": with the words of the page itself, on the default configuration of the preset.',
        "",
        "| preset | lines | as on the page | differ |",
        "|---|---|---|---|",
    ]
    for design in designs:
        differ = sum("differs" in line for line in design["lines"])
        total = len(design["lines"])
        lines.append(f"| `{design['name']}` | {total} | {total - differ} | {differ} |")
    for design in designs:
        lines += ["", f"## {design['name']}", "", "| the page | | test |", "|---|---|---|"]
        lines += [_row(line, known) for line in design["lines"]]
    return "\n".join([*lines, ""])


def tests() -> dict[str, list[str]]:
    """Every test function's name -> the files that define it, relative to `tests`."""
    known: dict[str, list[str]] = defaultdict(list)
    for file in sorted(TESTS.rglob("test_*.py")):
        for name in _TEST.findall(file.read_text(encoding="utf-8")):
            known[name].append(file.relative_to(TESTS).as_posix())
    return known


def _row(line: dict[str, str], known: dict[str, list[str]]) -> str:
    held = []
    for name in line["test"].split():
        place, _, function = name.rpartition("::")
        files = [file for file in known.get(function, ()) if not place or file == place]
        if len(files) != 1:
            problem = "is in no test file" if not files else f"is in {', '.join(files)}; write FILE::{function}"
            raise LookupError(f"designs.toml: {name} {problem}.")
        held.append(f"`{files[0]}::{function}`")
    verdict = f"differs: {line['differs']}" if "differs" in line else "works"
    if any(each.startswith(_ON_EXAMPLES) for each in held):
        verdict = verdict.replace("works", "works on its example")
    text = line["page"].replace("|", "\\|")
    return f"| {text} | {verdict} | {'<br>'.join(held)} |"
