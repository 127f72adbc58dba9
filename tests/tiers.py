"""The fast tier is every test that is not slow: `pytest -m "not slow"`.

A test is slow if its folder is named here, if it or its file is marked `pytest.mark.slow("why")`, or if it asks
for the PostgreSQL server. No other test may start a process or listen on a socket: it fails when it does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from combray.audit import looking

TESTS = Path(__file__).parent
RANDOM = bool(os.environ.get("COMBRAY_RANDOM"))
"""Whether Hypothesis draws new examples. Otherwise every run draws the same ones: no run fails by chance."""
SLOW_FOLDERS = {
    "agents": "calls hooks as processes",
    "architecture": "runs the linter of imports and builds packages",
    "audit": "reads and damages every byte of files",
    "bench": "measures small sets",
    "cases": "replays what users met, with every embedder",
    "designs": "runs the designs that are not the default",
    "docs": "builds the site and runs the examples of the pages",
    "documents": "indexes folders of files",
    "durability": "kills processes, fills disks and damages files",
    "embedding": "runs workers",
    "explorer": "drives a browser",
    "fuzz": "tries thousands of inputs",
    "interfaces": "calls the shell and the MCP server",
    "models": "calls HTTP servers",
    "needs": "runs every design",
    "outside": "starts mem0",
    "peers": "calls HTTP servers",
    "server": "serves HTTP",
    "stores": "runs every store on one suite",
    "testing": "runs the suites for stores and stages",
    "transfer": "writes and reads files of other programs",
    "typing": "runs a type checker",
}
"""Folder of tests -> why its tests are slow."""

STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "socket.bind")
"""Audit events of processes and servers: https://docs.python.org/3/library/audit_events.html"""


def nightly(values: Iterable[Any], why: str) -> list[Any]:
    """Parameters for `pytest.mark.parametrize` that only `run.py test --all` tries."""
    return [pytest.param(each, marks=pytest.mark.nightly(why)) for each in values]


def in_slow_folder(path: Path) -> bool:
    """Return whether a file or folder is below a folder of slow tests, or is one."""
    return path.is_relative_to(TESTS) and bool(SLOW_FOLDERS.keys() & set(path.relative_to(TESTS).parts[:1]))


def is_slow(item: pytest.Item) -> bool:
    """Return whether a test is slow."""
    asked = getattr(item, "fixturenames", ())
    marked = item.get_closest_marker("slow")
    if marked and not marked.args:
        raise pytest.UsageError(f'{item.nodeid}: say why it is slow: pytest.mark.slow("why")')
    return marked is not None or in_slow_folder(item.path) or "postgres_server" in asked


class Watch:
    """An audit hook that refuses processes and servers while a test runs that is not slow."""

    def __init__(self) -> None:
        self.watching = False
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.watching or event not in STARTS:
            return
        # The proof of an erasure reads the files in a process of its own, which takes a few milliseconds.
        if event == "subprocess.Popen" and looking.__file__ in arguments[1]:
            return
        pytest.fail(f'{event} in a test that is not slow. Mark the test or its file: pytest.mark.slow("why").')
