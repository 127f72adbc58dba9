"""`run.py`: what it calls, and when it has nothing to do. No network: the calls are written down, not made."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


class Calls(list[list[str]]):
    """What was called, and the exit code it gets; a venv that is made exists from then on."""

    code = 0
    has_venv = False

    def call(self, *command: object) -> int:
        self.append([str(part) for part in command])
        self.has_venv |= "venv" in self[-1] and not self.code
        return self.code

    def runs(self, *command: object) -> bool:
        return self.has_venv or str(command[0]) == sys.executable


@pytest.fixture
def calls() -> Calls:
    return Calls()


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: Calls) -> ModuleType:
    """The script as a module, its .venv in a folder of the test."""
    spec = importlib.util.spec_from_file_location("run_script", ROOT / "run.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "bin").mkdir()
    for name, value in {
        "VENV": tmp_path,
        "SCRIPTS": tmp_path / "bin",
        "PYTHON": tmp_path / "bin" / "python",
        "STAMP": tmp_path / "combray-setup.json",
        "_call": calls.call,
        "_runs": calls.runs,
    }.items():
        monkeypatch.setattr(module, name, value)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    return module


def test_the_first_demo_makes_the_environment_and_the_second_only_runs(
    script: ModuleType, calls: Calls, tmp_path: Path
) -> None:
    assert script.main(["demo"]) == 0
    made, installed, ran = calls
    assert made[1:3] == ["-m", "venv"]
    assert installed[0] == str(tmp_path / "bin" / "python")
    assert installed[-2:] == ["--editable", str(ROOT)]
    assert ran == [str(tmp_path / "bin" / "combray"), "demo"]
    assert script.main(["demo", "--embedder", "none"]) == 0
    assert calls[3:] == [[str(tmp_path / "bin" / "combray"), "demo", "--embedder", "none"]]


def test_tests_need_the_development_group_too_and_a_demo_then_needs_nothing(
    script: ModuleType, calls: Calls
) -> None:
    script.main(["demo"])
    before = len(calls)
    assert script.main(["test"]) == 0
    installed, *checks = calls[before:]
    group = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["dev"]
    assert installed[-len(group) :] == group
    assert [Path(check[0]).name for check in checks] == [
        "ruff",
        "ruff",
        "mypy",
        "lint-imports",
        "python",
        "python",
        "python",
    ]
    assert checks[-1][1:] == ["-m", "pytest", "-n", "3", "--dist", "worksteal", "-m", "not nightly"]
    before = len(calls)
    script.main(["demo"])
    assert len(calls) == before + 1


def test_the_fast_tier_is_ruff_and_the_tests_that_are_not_slow_each_with_its_time(
    script: ModuleType, calls: Calls, capsys: pytest.CaptureFixture[str]
) -> None:
    script.set_up(dev=True)
    before = len(calls)
    assert script.main(["test", "--fast"]) == 0
    checks = [[Path(check[0]).name, *check[1:]] for check in calls[before:]]
    assert checks == [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["python", "-m", "pytest", "-n", "3", "--dist", "worksteal", "-m", "not slow"],
    ]
    times = capsys.readouterr().out.splitlines()[-3:]
    assert [re.sub(r"^ +[0-9.]+ s  ", "", line) for line in times] == [
        "ruff check .",
        "ruff format --check .",
        "python -m pytest -n 3 --dist worksteal -m 'not slow'",
    ]


def test_every_night_all_tests_run_and_otherwise_those_that_are_not_nightly(
    script: ModuleType, calls: Calls
) -> None:
    script.set_up(dev=True)
    tests = []
    for how in ([], ["--all"]):
        assert script.main(["test", *how]) == 0
        tests.append([Path(calls[-1][0]).name, *calls[-1][1:]])
    assert tests == [
        ["python", "-m", "pytest", "-n", "3", "--dist", "worksteal", "-m", "not nightly"],
        ["python", "-m", "pytest", "-n", "3", "--dist", "worksteal"],
    ]


def test_processes_of_the_tests_keep_bytecode(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert script.main(["test"]) == 0
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ


@pytest.mark.skipif(not hasattr(os, "statvfs"), reason="file systems of POSIX")
@pytest.mark.parametrize(
    ("gigabytes", "flags", "used"), [(8, 0, True), (1, 0, False), (8, getattr(os, "ST_NOEXEC", 8), False)]
)
def test_tests_write_to_memory_where_it_has_room_and_programs_start(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, gigabytes: int, flags: int, used: bool
) -> None:
    room = SimpleNamespace(f_flag=flags, f_bavail=gigabytes << 18, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda _: room)
    monkeypatch.setenv("TMPDIR", "")
    monkeypatch.delenv("TMPDIR")
    assert script.main(["test"]) == 0
    assert ("TMPDIR" in os.environ) is used


def test_a_clone_that_was_moved_gets_a_new_environment(script: ModuleType, calls: Calls) -> None:
    script.main(["demo"])
    noted = json.loads(script.STAMP.read_text(encoding="utf-8"))
    script.STAMP.write_text(json.dumps({**noted, "place": "somewhere else"}), encoding="utf-8")
    before = len(calls)
    script.main(["demo"])
    assert "--clear" in calls[before]


def test_changed_requirements_are_installed_into_the_same_environment(script: ModuleType, calls: Calls) -> None:
    script.main(["demo"])
    noted = json.loads(script.STAMP.read_text(encoding="utf-8"))
    script.STAMP.write_text(json.dumps({**noted, "project": "older"}), encoding="utf-8")
    before = len(calls)
    script.main(["demo"])
    assert [call[1:3] for call in calls[before:-1]] == [["-m", "pip"]]


def test_a_failed_check_fails_the_whole_and_stops_nothing(script: ModuleType, calls: Calls) -> None:
    script.set_up(dev=True)
    calls.code = 1
    before = len(calls)
    assert script.main(["test"]) == 1
    assert len(calls) == before + len(script.CHECKS)


def test_a_failed_set_up_says_so_and_is_tried_again(
    script: ModuleType, calls: Calls, capsys: pytest.CaptureFixture[str]
) -> None:
    calls.code = 1
    assert script.main(["demo"]) == 2
    assert "python3-venv" in capsys.readouterr().err
    assert not script.STAMP.exists()


def test_anything_else_is_answered_with_the_two_commands() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "run.py"], capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 2
    assert "python3 run.py demo" in done.stderr
    assert "python3 run.py test" in done.stderr


def test_the_readme_and_ci_use_it() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ci = ROOT / ".ci" / "run"
    assert "$ python3 run.py demo" in readme
    assert "$ python3 run.py test" in readme
    assert "python3 run.py test" in ci.read_text(encoding="utf-8")
    assert os.access(ci, os.X_OK)


def test_the_package_step_installs_its_tools_and_passes_its_options_on(script: ModuleType, calls: Calls) -> None:
    script.set_up(dev=True)
    before = len(calls)
    assert script.main(["package", "--try", "python3.12"]) == 0
    installed, ran = calls[before:]
    group = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["package"]
    assert installed[-len(group) :] == group
    assert ran[1:] == ["building/release.py", "--try", "python3.12"]


def test_the_workflows_call_what_a_clone_calls() -> None:
    folder = ROOT / ".github" / "workflows"
    tested = (folder / "test.yml").read_text(encoding="utf-8")
    released = (folder / "release.yml").read_text(encoding="utf-8")
    yaml: Any = importlib.import_module("yaml")
    assert set(yaml.safe_load(tested)["jobs"]) == {"test", "package", "musl"}
    assert set(yaml.safe_load(released)["jobs"]) == {"build", "publish"}
    for command in ("python run.py test\n", "python run.py package --lowest", "ubuntu-24.04-arm", "alpine"):
        assert command in tested
    for command in ("bash .ci/run", "python run.py package", "attest-build-provenance", "id-token: write"):
        assert command in released
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert set(re.findall(r"--extra ([\w-]+)", tested)) == set(extras)
    classifiers = re.findall(r":: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(re.findall(r'"(3\.\d+)"', tested)) == set(classifiers)
