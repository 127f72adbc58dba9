"""Every defence in docs/explanation/security.md names a test that exists; no code here runs what it reads."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "security.md").read_text(encoding="utf-8")
RUNS_WHAT_IT_READS = {
    "pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "torch",
    "yaml",
    "code",
    "runpy",
}


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)
    assert len(named) > 30
    for path, function in named:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert f"def {function}(" in text if function else text, f"{path}::{function}"


def test_every_row_of_the_threat_model_names_a_test() -> None:
    threats = PAGE.split("## Threats")[1].split("\n## ")[0]
    rows = [line for line in threats.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 15
    assert [row for row in rows if "`tests/" not in row] == []


READS_POINTS = {"databases.py": ["pickle"]}
"""The local Qdrant of mem0 pickles its points. Its unpickler makes plain objects of one class, and nothing else
(`tests/transfer/test_formats.py` gives it a pickle that runs code)."""


def runs_what_it_reads(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        found += [name for name in names if name.split(".")[0] in RUNS_WHAT_IT_READS]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec"}:
            found.append(node.func.id)
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            found.append("allow_pickle")
    return found


def test_nothing_unpickles_and_nothing_evaluates() -> None:
    assert runs_what_it_reads(
        ast.parse("import pickle\nfrom torch import load\neval('1')\nf(allow_pickle=True)")
    ) == [
        "pickle",
        "torch",
        "eval",
        "allow_pickle",
    ]
    sources = sorted((ROOT / "src").rglob("*.py"))
    assert len(sources) > 100
    assert {
        path.name: found for path in sources if (found := runs_what_it_reads(ast.parse(path.read_text())))
    } == READS_POINTS
