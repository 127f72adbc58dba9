"""Looks for byte strings in files; runs as a process of its own.

POSIX takes every lock that a process has on a file away when it closes any descriptor of it: whoever has the
database open must not look into its file by other means. This file imports nothing of Combray and runs by path.
"""

import importlib.util
import json
import sys
import zlib

AT_ONCE = 4 * 1024 * 1024
PAGE = 4096
FEW = 300
"""Up to so many byte strings are searched one by one: loading NumPy takes longer."""


def look(path: str, wanted: list[bytes]) -> list[int]:
    """Return the indices in `wanted` that the file contains; none for a missing file."""
    longest = max(map(len, wanted), default=1)
    many = substrings(wanted) if len(wanted) > FEW else None
    found: set[int] = set()
    rest = b""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib would double the start of this process
            while data := file.read(AT_ONCE):
                block = rest + data
                if many is None:
                    found.update(at for at, value in enumerate(wanted) if at not in found and value in block)
                else:
                    many.look(block)
                rest = block[-longest:]
    except FileNotFoundError:
        return []
    return sorted(found if many is None else many.found)


def substrings(wanted: list[bytes]):  # type: ignore[no-untyped-def]
    """Return a search for many strings at once, from the file that the first argument names."""
    spec = importlib.util.spec_from_file_location("substrings", sys.argv[1])
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module.Substrings(wanted)


def is_sealed(path: str) -> bool:
    """Return whether the file looks encrypted or compressed (incompressible pages): a search proves nothing."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as above
            page = file.read(PAGE)
            size = file.seek(0, 2)
    except OSError:
        return False
    return size >= PAGE and size % PAGE == 0 and len(zlib.compress(page)) >= PAGE


def main() -> None:
    """Read {"files", "wanted" (hexadecimal)}, write {"found", "sealed"}.

    `found`: indices in `wanted` for each file, or why it cannot be read.
    """
    asked = json.load(sys.stdin)
    wanted = [bytes.fromhex(each) for each in asked["wanted"]]
    found: dict[str, list[int] | str] = {}
    for path in asked["files"]:
        try:
            found[path] = look(path, wanted)
        except OSError as error:
            found[path] = error.strerror or str(error)
    json.dump({"found": found, "sealed": [path for path in found if is_sealed(path)]}, sys.stdout)


if __name__ == "__main__":
    main()
