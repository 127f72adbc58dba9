"""How to install an extra beside this copy of Combray, in the words of the way it came here.

An installer notes in `direct_url.json` what was installed, unless it came from a package index: PEP 610,
https://packaging.python.org/en/latest/specifications/direct-url/. So messages are true before Combray is on an
index and after.
"""

from __future__ import annotations

import json
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any


def command(extra: str) -> str:
    """Return what installs an extra. It names no folder: a message may reach a client of a server."""
    origin = _origin()
    if "vcs_info" in origin:
        return f"pip install 'combray[{extra}] @ {origin['vcs_info'].get('vcs', 'git')}+{origin['url']}'"
    if "archive_info" in origin:
        place = _archive(origin["url"])
        return (
            f"pip install 'combray[{extra}] @ {place}'" if "://" in place else f"pip install '{place}[{extra}]'"
        )
    if "dir_info" in origin:
        option = "-e " if origin["dir_info"].get("editable") else ""
        return f"pip install {option}'.[{extra}]' in the clone"
    return f"pip install 'combray[{extra}]'"


def _archive(url: str) -> str:
    """Return the address of an archive, or the name of a file."""
    return f"./{url.rpartition('/')[2]}" if url.startswith("file:") else url


def _origin() -> dict[str, Any]:
    """Return what the installer noted; empty for a package of an index."""
    with suppress(PackageNotFoundError, OSError, ValueError):
        noted = json.loads(distribution("combray").read_text("direct_url.json") or "{}")
        return noted if isinstance(noted, dict) and isinstance(noted.get("url"), str) else {}
    return {}
