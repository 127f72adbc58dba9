"""A server on the store of `notebook.py`, and a browser. Every request that leaves the server fails the test."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import notebook
import pytest
from browser import NoBrowserError, chromium, unattended
from playwright.sync_api import Browser, sync_playwright
from ports import free_port

import combray

OPTIONS = ["--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader"]
"""The sandbox needs rights that containers do not give, also to root. WebGL is computed without a GPU."""
SECONDS = 120
"""A limit for a server that hangs."""


@contextmanager
def serving(path: Path, *options: str) -> Iterator[str]:
    """Serve a store as `combray serve` does, in a process of its own. Yield the address."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "combray", "serve", "--db", str(path), "--port", str(port), *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + SECONDS
        while True:
            assert process.poll() is None, "the server does not start"
            assert time.monotonic() < until, "the server does not start"
            with suppress(OSError), urllib.request.urlopen(f"{address}/ready") as answer:
                assert answer.status == 200
                break
            time.sleep(0.05)
        yield address
    finally:
        process.terminate()
        process.wait(SECONDS)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the store of half a year, `team.db`."""
    folder = tmp_path_factory.mktemp("written")
    notebook.write(folder / "team.db")
    return folder


@pytest.fixture(scope="session")
def address(written: Path) -> Iterator[str]:
    """The address of a server on the store of half a year, which no test changes."""
    with serving(written / "team.db") as found:
        yield found


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    """The address of a server on hostile texts, and their ids."""
    path = tmp_path_factory.mktemp("hostile") / "hostile.db"
    with combray.open(path, worker=False, language_model="none") as engine:
        ids = list(notebook.hostile(engine))
    with serving(path) as found:
        yield found, ids


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window. Skips where there is none, unless nobody would read that.

    Of one file: while Playwright runs, other tests of the process cannot run an event loop.
    """
    try:
        program = chromium()
    except NoBrowserError as error:
        if unattended() and sys.platform == "linux":
            pytest.fail(str(error))
        pytest.skip(str(error))
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=OPTIONS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    found = find_spec("axe_playwright_python")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).with_name("axe.min.js").read_text(encoding="utf-8")
