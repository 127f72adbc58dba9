"""A set of documents that every machine has: docstrings of Python's standard library.

Rules: modules, classes and functions without a leading underscore, of pure-Python library files, test and
vendored folders left out. The question is the docstring's first line (one sentence of 4 to 15 words), the
document is the rest (25 to 300 words). A question or document that occurs twice is left out. Files are read,
never imported. The set depends on the Python version; compare systems within one run.
"""

from __future__ import annotations

import ast
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.quality.sets import Collection, Item, Question, QuestionSet

_LEFT_OUT = {"site-packages", "dist-packages", "test", "tests", "idlelib", "lib2to3", "ensurepip", "_vendor"}
_MOST_WORDS = 300


def docstrings(name: str = "docstrings") -> QuestionSet:
    """The set; its order is that of the files' names."""
    found = list(_pairs(Path(sysconfig.get_path("stdlib"))))
    questions = Counter(question for _, question, _ in found)
    documents = Counter(document for _, _, document in found)
    kept = [each for each in found if questions[each[1]] == 1 and documents[each[2]] == 1]
    items = tuple(Item(ref, document) for ref, _, document in kept)
    asked = tuple(Question(question, frozenset({ref})) for ref, question, _ in kept)
    return QuestionSet(name, (Collection(name, items, asked),))


def _pairs(root: Path) -> Iterator[tuple[str, str, str]]:
    """(ref, question, document) of every docstring that fits the rules."""
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root)
        if _LEFT_OUT.intersection(inside.parts):
            continue
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for place, node in enumerate(ast.walk(tree)):
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if getattr(node, "name", "").startswith("_"):
                continue
            first, _, rest = (ast.get_docstring(node) or "").partition("\n")
            words = rest.split()
            if first.endswith(".") and 4 <= len(first.split()) <= 15 and len(words) >= 25:
                yield f"{inside.as_posix()}:{place}", first.strip(), " ".join(words[:_MOST_WORDS])
