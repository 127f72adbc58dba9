"""The tool that counts files and functions counts those of a package that a call enters, and no others."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from bench.touched import measured, touched

TOY = """
def outer():
    return [inner() for _ in range(3)]

def inner():
    return Shape().area

class Shape:
    @property
    def area(self):
        return abs(-1)

def never():
    pass
"""


def test_entered_functions_are_counted_once_by_file(tmp_path: Path) -> None:
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("toy", tmp_path / "toy.py")
    assert spec is not None
    assert spec.loader is not None
    toy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(toy)
    assert touched(toy.outer, tmp_path) == {"toy.py": {"outer", "inner", "Shape.area"}}
    assert touched(toy.outer, tmp_path / "elsewhere") == {}
    assert sys.getprofile() is None


def test_a_recall_and_a_write_enter_their_pipelines() -> None:
    found = measured("none")
    assert "ShowLater.__call__" in found["recall"]["facts/later.py"]
    assert "Diff.__call__" in found["write"]["remember/diff.py"]
