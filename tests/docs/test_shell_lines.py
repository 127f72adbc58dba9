"""Every shell line of the documentation names a verb and options that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from combray.interfaces.cli import combray

ROOT = Path(__file__).parents[2]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lines(page: Path) -> list[str]:
    """Shell lines that call Combray, without comments and prompts."""
    text = page.read_text(encoding="utf-8")
    found = [
        line.removeprefix("$ ").split("  #")[0]
        for language, block in BLOCK.findall(text)
        for line in block.splitlines()
        if language in ("console", "sh")
    ]
    return [line.split(" || ")[0].split(" | ")[0] for line in found if line.startswith("combray ")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_shell_line_names_a_verb_and_options_that_exist(page: Path) -> None:
    for line in lines(page):
        command: click.Command = combray
        context = click.Context(command)
        words = [word for word in shlex.split(line)[1:] if word]
        allowed = options(command, context)
        for word in words:
            if word.startswith("-"):
                assert word.split("=")[0] in allowed, f"{word} in: {line}"
            elif isinstance(command, click.Group):
                inner = command.get_command(context, word)
                if inner is not None:
                    command, context = inner, click.Context(inner, parent=context)
                    allowed |= options(command, context)
        assert command is not combray, line


def options(command: click.Command, context: click.Context) -> set[str]:
    """Every spelling of every option."""
    return {
        spelling for param in command.get_params(context) for spelling in (*param.opts, *param.secondary_opts)
    }
