"""What branches on Windows, on every platform: its modules and paths are played."""

from __future__ import annotations

import importlib.util
import ntpath
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from combray import folders
from combray.agents import serving
from combray.agents.clients import files, places
from combray.audit import audited, locking
from combray.server import keys


class Windows:
    """The module `os` as Windows has it; what it lacks comes from this platform."""

    name = "nt"
    path = ntpath

    def __init__(self, **environment: str) -> None:
        self.environ = environment

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)


def test_stores_lie_in_the_local_data_of_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "os", Windows(LOCALAPPDATA=r"C:\Users\Ana\AppData\Local"))
    assert folders.data_folder() == r"C:\Users\Ana\AppData\Local\combray"
    monkeypatch.setattr(folders, "os", Windows())
    monkeypatch.setenv("USERPROFILE", r"C:\Users\Ana")
    assert folders.data_folder() == r"C:\Users\Ana\AppData\Local\combray"
    monkeypatch.setattr(folders, "os", Windows(COMBRAY_HOME=r"~\memory"))
    assert folders.data_folder() == r"C:\Users\Ana\memory"


def test_a_hook_is_quoted_for_its_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "os", Windows())
    wanted = places.Wanted(program=r"C:\Program Files\combray.exe", options=("--db", r"C:\a b\c.db"))
    assert wanted.hook("prompt", "codex") == (
        r'"C:\Program Files\combray.exe" hook prompt --client codex --db "C:\a b\c.db"'
    )


def test_the_program_beside_python_has_its_suffix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "combray.exe").write_bytes(b"")
    monkeypatch.setattr(places, "os", Windows())
    monkeypatch.setattr(places, "sys", SimpleNamespace(executable=str(tmp_path / "python.exe")))
    monkeypatch.setattr(places, "shutil", SimpleNamespace(which=lambda name: None))
    assert places.program("user") == str(tmp_path / "combray.exe")


def test_the_sessions_of_cursor_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(files, "os", Windows())
    monkeypatch.setattr(files, "sys", SimpleNamespace(platform="win32"))
    at = files._cursor_app(places.Places(home=tmp_path, environment={"APPDATA": str(tmp_path / "Roaming")}))
    assert at == tmp_path / "Roaming" / "Cursor" / "User" / "globalStorage" / "state.vscdb"


def test_a_process_that_outlives_the_hook_is_detached(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(subprocess, "Popen", lambda command, **options: given.update(options))
    monkeypatch.setattr(serving, "os", Windows())
    starting: Any = SimpleNamespace(client="codex", _given={}, location="a.db")
    serving.Hook._start(starting, "work")
    assert given["start_new_session"] is False
    assert given["creationflags"] == 0x8 | 0x200  # DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP


def test_the_account_is_that_of_the_login(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audited, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setattr(audited, "os", SimpleNamespace(getlogin=lambda: "Ana"))
    assert audited._account.__wrapped__() == "Ana"


def test_a_file_of_keys_has_no_mode_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_text('{"keys": []}', encoding="utf-8")
    path.chmod(0o666)
    monkeypatch.setattr(keys, "os", Windows())
    assert keys.KeyRing(path).listed() == []


class Regions:
    """The module `msvcrt`, with what it does to one file: a region is locked by one descriptor at a time."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self) -> None:
        self.held: dict[int, int] = {}
        self.refused = threading.Event()

    def locking(self, descriptor: int, mode: int, count: int) -> None:
        assert count == 1
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        if mode == self.LK_UNLCK:
            assert self.held.pop(at) == descriptor
        elif self.held.setdefault(at, descriptor) != descriptor:
            self.refused.set()
            raise OSError("the region is locked")


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, Regions]:
    """The module of locks as Windows imports it."""
    regions = Regions()
    monkeypatch.setitem(sys.modules, "msvcrt", regions)
    spec = importlib.util.spec_from_file_location("locking_on_windows", locking.__file__)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "platform", "win32")
        spec.loader.exec_module(module)
    return module, regions


def test_a_lock_excludes_a_second_descriptor_until_it_is_released(
    windows: tuple[ModuleType, Regions], tmp_path: Path
) -> None:
    module, regions = windows
    path, entered = tmp_path / "log", []
    path.write_bytes(b"line\n")

    def second() -> None:
        with path.open("r+b") as other, module.locked(other.fileno()):
            entered.append("second")

    with path.open("r+b") as file:
        with module.locked(file.fileno()):
            # A locked byte cannot be read there, so it lies behind every log.
            assert min(regions.held) > 1 << 30
            waiting = threading.Thread(target=second)
            waiting.start()
            assert regions.refused.wait(90)
            entered.append("first")
        waiting.join(90)
    assert entered == ["first", "second"]
    assert regions.held == {}


def test_a_lock_is_released_after_an_error(windows: tuple[ModuleType, Regions], tmp_path: Path) -> None:
    module, regions = windows
    with (tmp_path / "log").open("w+b") as file:
        with pytest.raises(ZeroDivisionError), module.locked(file.fileno()):
            raise ZeroDivisionError
        assert regions.held == {}
