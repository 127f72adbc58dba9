"""What the `.gitignore` and `.ignore` files of a folder leave out of the index.

The patterns are those of git (https://git-scm.com/docs/gitignore), read by the library pathspec: nested files,
negation, patterns of folders. `.ignore` is the name that ripgrep and other search tools use; it counts after
`.gitignore`. Files above the indexed folder count up to the root of its repository.
"""

from __future__ import annotations

from pathlib import Path

from pathspec import GitIgnoreSpec

NAMES = (".gitignore", ".ignore")
_MOST_BYTES = 1_000_000
"""A larger file is no list of patterns."""


class IgnoreFiles:
    """The ignore files below a base folder, and above it within its repository. Each is read once."""

    def __init__(self, base: str) -> None:
        self._base = Path(base)
        self._read: dict[Path, GitIgnoreSpec | None] = {}
        above = [self._base, *self._base.parents]
        root = next((place for place, each in enumerate(above) if (each / ".git").exists()), 0)
        self._above = above[1 : root + 1]

    def leave_out(self, parts: tuple[str, ...], *, folder: bool) -> bool:
        """Return whether a file or folder is ignored. The nearest file that names it decides.

        A folder that is ignored is not entered, so nothing below it can be taken back, as in git.
        """
        path = self._base.joinpath(*parts)
        for place in (*path.parents[: len(parts)], *self._above):
            spec = self._spec(place)
            if spec is not None:
                told = spec.check_file(path.relative_to(place).as_posix() + ("/" if folder else "")).include
                if told is not None:
                    return told
        return False

    def _spec(self, folder: Path) -> GitIgnoreSpec | None:
        if folder not in self._read:
            lines = [line for name in NAMES for line in _lines(folder / name)]
            self._read[folder] = GitIgnoreSpec.from_lines(lines) if lines else None
        return self._read[folder]


def _lines(path: Path) -> list[str]:
    """Return the lines of a small regular file; none of any other."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return []
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
