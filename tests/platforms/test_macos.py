"""What branches on macOS, and on systems that lack a facility. Nothing branches on musl."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from combray.agents import resident
from combray.agents.clients import files, places
from combray.settings import Settings
from combray.stores.sqlite import connection


def test_the_sessions_of_cursor_are_in_the_library_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(files, "sys", SimpleNamespace(platform="darwin"))
    at = files._cursor_app(places.Places(home=tmp_path, environment={}))
    assert at.is_relative_to(tmp_path / "Library" / "Application Support" / "Cursor")


@pytest.mark.parametrize(("durability", "flushed"), [("full", 1), ("normal", 0)])
def test_full_durability_flushes_the_disks_own_cache(tmp_path: Path, durability: Any, flushed: int) -> None:
    opened = connection.connect(str(tmp_path / "a.db"), durability=durability, busy_timeout=1.0, read_only=False)
    assert opened.execute("PRAGMA fullfsync").fetchone() == (flushed,)
    opened.close()


@pytest.mark.parametrize(("length", "listens"), [(20, True), (103, False)])
def test_a_socket_has_a_short_path(tmp_path: Path, length: int, listens: bool) -> None:
    folder = Path("/" + "x" * length)
    beside: Any = SimpleNamespace(folder=folder)
    assert (resident.socket_of(beside, "a.db", Settings(hook_resident=60)) is not None) == listens


def test_without_sockets_of_files_nothing_stays_resident(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resident, "socket", SimpleNamespace())
    beside: Any = SimpleNamespace(folder=Path("/x"))
    assert resident.socket_of(beside, "a.db", Settings(hook_resident=60)) is None
