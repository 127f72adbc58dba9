"""What the `.gitignore` and `.ignore` files of a folder leave out of the index.

The patterns are those of git (https://git-scm.com/docs/gitignore), read by the library pathspec: nested files,
negation, patterns of folders. `.ignore` is the name that ripgrep and other search tools use; it counts after
`.gitignore`. Files above the indexed folder count up to the root of its repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore import GitIgnorePatternError

NAMES = (".gitignore", ".ignore")
_MOST_BYTES = 1_000_000
"""A larger file is no list of patterns."""
MOST_WILDCARDS = 4
"""Runs of `*` in a pattern. A match takes time that grows with the length of a path to that power, and a folder
may be untrusted: a pattern with more is reported and not applied."""
_WILDCARD = re.compile(r"\*+")


class IgnoreFiles:
    """The ignore files below a base folder, and above it within its repository. Each is read once.

    `starts` are the paths below the base that the user names. They are never left out; if a rule names one, only
    the ignore files in it count below it. `refused` gets the files with a pattern that is not applied, and why.
    """

    def __init__(
        self, base: str, starts: Iterable[tuple[str, ...]], refused: list[tuple[str, str]] | None = None
    ) -> None:
        self._refused = [] if refused is None else refused
        self._base = Path(base)
        self._starts = tuple(starts)
        self._read: dict[Path, GitIgnoreSpec | None] = {}
        above = [self._base, *self._base.parents]
        root = next((place for place, each in enumerate(above) if (each / ".git").exists()), 0)
        self._above = above[1 : root + 1]
        self._overruled = {each for each in self._starts if self._named(each, folder=True)}

    def leave_out(self, parts: tuple[str, ...], *, folder: bool) -> bool:
        """Return whether a file or folder is ignored. The nearest file that names it decides.

        A folder that is ignored is not entered, so nothing below it can be taken back, as in git.
        """
        if parts in self._starts:
            return False
        start = next((each for each in self._starts if parts[: len(each)] == each), ())
        return self._named(parts, folder=folder, below=start if start in self._overruled else None)

    def _named(self, parts: tuple[str, ...], *, folder: bool, below: tuple[str, ...] | None = None) -> bool:
        """Return whether the nearest file that names a path ignores it. `below`: only those in that folder."""
        path = self._base.joinpath(*parts)
        if below is not None:
            places = path.parents[: len(parts) - len(below)]
        else:
            places = (*path.parents[: len(parts)], *self._above)
        for place in places:
            spec = self._spec(place)
            if spec is not None:
                told = spec.check_file(path.relative_to(place).as_posix() + ("/" if folder else "")).include
                if told is not None:
                    return told
        return False

    def _spec(self, folder: Path) -> GitIgnoreSpec | None:
        if folder not in self._read:
            lines = [line for name in NAMES for line in self._patterns(folder / name)]
            self._read[folder] = GitIgnoreSpec.from_lines(lines) if lines else None
        return self._read[folder]

    def _patterns(self, path: Path) -> Iterable[str]:
        """Yield the patterns of a file. An invalid one is passed over, as git does."""
        for line in _lines(path):
            if len(_WILDCARD.findall(line)) > MOST_WILDCARDS:
                self._refused.append(
                    (str(path), f"the pattern {line!r} has more than {MOST_WILDCARDS} wildcards")
                )
            elif _is_valid(line):
                yield line


def _is_valid(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except GitIgnorePatternError:
        return False
    return True


def _lines(path: Path) -> list[str]:
    """Return the lines of a small regular file; none of any other."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return []
        return path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError:
        return []
