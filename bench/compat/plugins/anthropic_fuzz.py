"""Random commands to the SDK's filesystem tool and to ours: every reply is the same.

Known differences are taken out first. Their empty directories are removed after each command, because ours exist
while a file is in them. The sizes of directories are those of the file system. Errors of the operating system,
which theirs passes on, are tool errors here.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from anthropic.lib.tools import ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool

import combray
from combray.integrations.anthropic import CombrayMemoryTool

NAMES = ("a", "b.md", "notes.txt", ".hidden", "é è")
TEXTS = ("", "one", "one\ntwo\n", "two\r\nthree", "x" * 1500, "one one", "ü\n\n", "  indented\n")
ERROR = "error of the operating system"


def path(chance: random.Random) -> str:
    root = chance.choice(("/memories", "/memories", "/memories", "/memories/", "/elsewhere", "/memories/.."))
    return "/".join((root, *chance.choices(NAMES, k=chance.choice((0, 1, 1, 1, 2, 2, 3)))))


def command(chance: random.Random) -> SimpleNamespace:
    kind = chance.choice(("view", "view", "create", "create", "str_replace", "insert", "delete", "rename"))
    lines = chance.choice((None, None, [1, 2], [2, -1], [0, 1], [5, 3], [1]))
    return SimpleNamespace(
        command=kind,
        path=path(chance),
        old_path=path(chance),
        new_path=path(chance),
        file_text=chance.choice(TEXTS),
        old_str=chance.choice(("one", "two", "x", "\n", "zzz")),
        new_str=chance.choice(TEXTS),
        insert_line=chance.randint(-1, 4),
        insert_text=chance.choice(TEXTS),
        view_range=lines,
    )


def reply(tool: object, given: SimpleNamespace) -> str:
    try:
        said = getattr(tool, given.command)(given)
    except ToolError as error:
        return f"error: {error}"
    except OSError:
        return ERROR
    # Sizes of directories: the line of the path itself, and names with a slash at the end.
    said = re.sub(r"^\S+\t(/memories\S*/)$", r"-\t\1", said, flags=re.M)
    return re.sub(r"(hidden items:\n)\S+\t", r"\1-\t", re.sub(r"^\S+\t(.*/)$", r"-\t\1", said, flags=re.M))


def without_empty(root: Path) -> None:
    for each in sorted((each for each in root.rglob("*") if each.is_dir()), reverse=True):
        if not any(each.iterdir()):
            each.rmdir()


@pytest.mark.parametrize("seed", range(25))
def test_replies_are_those_of_the_filesystem_tool(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    theirs = BetaLocalFilesystemMemoryTool(base_path=str(tmp_path))
    with combray.open(":memory:") as engine:
        ours = CombrayMemoryTool(engine)
        for step in range(60):
            given = command(chance)
            expected, got = reply(theirs, given), reply(ours, given)
            without_empty(tmp_path / "memories")
            if expected == ERROR:
                assert got.startswith("error: "), (step, given, got)
            else:
                assert got == expected, (step, given)
        kept = {
            f"/memories/{each.relative_to(tmp_path / 'memories').as_posix()}": each.read_bytes().decode()
            for each in (tmp_path / "memories").rglob("*")
            if each.is_file()
        }
        assert ours._files.below("/memories") == kept
