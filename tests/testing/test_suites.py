"""The suites for third parties show the values of a failed assertion."""

from __future__ import annotations

import ast
from pathlib import Path

from combray import testing


def test_every_module_with_assertions_is_registered_for_rewriting() -> None:
    folder = Path(testing.__file__).parent
    asserting = {
        path.stem
        for path in folder.glob("*.py")
        if any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert len(asserting) >= 9
    assert asserting <= set(testing.SUITES)
