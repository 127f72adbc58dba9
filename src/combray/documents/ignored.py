"""Rules of `.gitignore` and `.ignore`: which files below a folder are not indexed.

The patterns are git's, read by `pathspec`. A file of rules holds for its folder and what is below it. A deeper
file overrides one above, and in one folder `.ignore` overrides `.gitignore`. Files above the indexed folder count
up to the root of its git repository. What is below an ignored folder cannot be included again, as in git.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAMES = (".gitignore", ".ignore")
MOST_BYTES = 1024 * 1024
"""A longer file of rules is read up to here."""
MOST_WILDCARDS = 4
"""Runs of `*` in a pattern. The time to match grows with the length of a path to that power, and the files may be
untrusted; a pattern with more is reported and not applied."""
_WILDCARD = re.compile(r"\*+")


class IgnoreRules:
    """The rules that hold below a folder.

    `refused`: files of rules with a pattern that is not applied, and why. `left_out`: what a walk left out.
    """

    def __init__(self, base: str, start: Sequence[str] = ()) -> None:
        """`base`, `start`: the folder that is indexed. If a rule above ignores it, only rules in it count: it was
        named by the user."""
        self.refused: list[tuple[str, str]] = []
        self.left_out: list[str] = []
        self._base = os.path.join(base, *start)  # noqa: PTH118 - kept as text
        self._specs: dict[str, GitIgnoreSpec | None] = {}
        self._top = _repository(self._base)
        if self._top != self._base and self.ignores(self._base, folder=True):
            self._top = self._base

    def ignores(self, path: str, *, folder: bool) -> bool:
        """Return whether the rules ignore an entry. Its folder must not be ignored."""
        here = os.path.dirname(path)  # noqa: PTH120 - thousands a walk
        while True:
            spec = self._spec(here)
            if spec is not None:
                place = os.path.relpath(path, here).replace(os.sep, "/")
                decided = spec.check_file(f"{place}/" if folder else place).include
                if decided is not None:
                    return decided
            if here == self._top or here == (above := os.path.dirname(here)):  # noqa: PTH120 - thousands a walk
                return False
            here = above

    def excludes(self, parts: Sequence[str]) -> bool:
        """Return whether a file, named by its parts below the folder, or a folder that leads to it is ignored."""
        path = self._base
        for number, part in enumerate(parts, start=1):
            path = os.path.join(path, part)  # noqa: PTH118 - kept as text
            if self.ignores(path, folder=number < len(parts)):
                return True
        return False

    def _spec(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            lines = [each for name in NAMES for each in self._lines(os.path.join(folder, name))]  # noqa: PTH118
            self._specs[folder] = _compiled(lines) if lines else None
        return self._specs[folder]

    def _lines(self, path: str) -> Iterable[str]:
        try:
            if not stat.S_ISREG(os.lstat(path).st_mode):
                return
            with open(path, "rb") as file:  # noqa: PTH123 - kept as text
                text = file.read(MOST_BYTES).decode("utf-8", "replace").removeprefix("\ufeff")
        except OSError:
            return
        for line in text.splitlines():
            if len(_WILDCARD.findall(line)) > MOST_WILDCARDS:
                self.refused.append((path, f"the pattern {line!r} has more than {MOST_WILDCARDS} wildcards"))
            else:
                yield line


def _compiled(lines: Iterable[str]) -> GitIgnoreSpec:
    """Compile the patterns; git too passes over those that are invalid."""
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore import GitIgnorePatternError

    valid = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except GitIgnorePatternError:
            continue
        valid.append(line)
    return GitIgnoreSpec.from_lines(valid)


def _repository(folder: str) -> str:
    """Return the root of the git repository that the folder is in, or the folder."""
    here = Path(folder)
    return next((str(each) for each in (here, *here.parents) if (each / ".git").exists()), folder)
