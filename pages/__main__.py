"""`python -m pages` writes what is generated; `… site [FOLDER]` also builds the site, `… clients` the bundle."""

from __future__ import annotations

import sys
from pathlib import Path

from pages import generated, packages, site


def main(arguments: list[str]) -> int:
    """The exit code."""
    if arguments[:1] == ["site"]:
        target = Path(arguments[1]) if arguments[1:] else generated.ROOT / "build"
        done = site.build(target)
        sys.stdout.write(
            done.stdout + done.stderr + f"the site is in {target / 'site'}\n" * (not done.returncode)
        )
        return done.returncode
    for path in generated.write():
        sys.stdout.write(f"wrote {path}\n")
    if arguments[:1] == ["clients"]:
        sys.stdout.write(f"wrote {packages.bundle(generated.ROOT / 'build')}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
