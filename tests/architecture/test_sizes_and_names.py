"""Files and functions that fit in the head, and names that say something."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE_LINES = 400
FUNCTION_LINES = 60
VAGUE = re.compile(r"^_?(utils?|helpers?|managers?|base|common|misc|core|stuff|tools)$")

STATE_FIELDS = 30
SHARED = {"Context", "Dated", "Entity", "Question", "Token", "Verbs"}
"""Class names that still have several meanings, each of them in `language/` or `interfaces/`. To be emptied."""


def sources() -> list[Path]:
    """Every Python file of the repository; a new folder is found by itself."""
    found = [ROOT / "run.py"]
    for folder in ("src", "tests", "bench", "examples", "pages", "clients", "building"):
        found += sorted((ROOT / folder).rglob("*.py"))
    return found


def too_long(text: str) -> Iterator[str]:
    """Functions of too many lines, from `def` to the end, without their decorators."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines >= FUNCTION_LINES:
                yield f"{node.name} ({lines} lines)"


def defined_twice(files: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Class names that several places of the files (path, text) define, private and nested ones too."""
    places = defaultdict(list)
    for path, text in files:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path}:{node.lineno}")
    return {name: found for name, found in places.items() if len(found) > 1}


def vague(path: Path) -> bool:
    return any(VAGUE.match(part) for part in (*path.parent.parts, path.stem))


def test_the_rules_catch_what_they_should() -> None:
    body = "    pass\n" * (FUNCTION_LINES - 1)
    assert list(too_long(f"def f():\n{body}")) == ["f (60 lines)"]
    assert list(too_long(f"def f():\n{body[:-9]}")) == []
    assert vague(Path("src/combray/utils.py"))
    assert vague(Path("src/combray/common/words.py"))
    assert not vague(Path("src/combray/database.py"))


def test_every_room_of_the_repository_is_looked_at() -> None:
    seen = {path.relative_to(ROOT).parts[0] for path in sources()}
    with_code = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] not in "._"} - {"docs"}
    assert seen - {"run.py"} == {name for name in with_code if any((ROOT / name).rglob("*.py"))}


def test_files_and_functions_are_short_and_have_telling_names() -> None:
    problems = []
    for path in sources():
        place = path.relative_to(ROOT)
        text = path.read_text(encoding="utf-8")
        lines = len(text.splitlines())
        problems += [f"{place}: {lines} lines"] if lines >= FILE_LINES else []
        problems += [f"{place}: {function}" for function in too_long(text)]
        problems += [f"{place}: a name that says nothing"] if vague(place) else []
    assert problems == []


def test_a_class_name_has_one_meaning() -> None:
    twice = [("a.py", "class _A: pass\nclass B:\n    class C: pass"), ("b.py", "class _A: pass\nclass C: pass")]
    assert defined_twice(twice) == {"_A": ["a.py:1", "b.py:1"], "C": ["a.py:3", "b.py:2"]}
    package = ROOT / "src" / "combray"
    paths = sorted(package.rglob("*.py"))
    found = defined_twice(
        (path.relative_to(package).as_posix(), path.read_text(encoding="utf-8")) for path in paths
    )
    assert {name: places for name, places in found.items() if name not in SHARED} == {}
    # Every exception is one still.
    assert found.keys() >= SHARED
    for name in SHARED:
        assert sum(not place.startswith(("language/", "interfaces/")) for place in found[name]) <= 1, name


def fields_of(text: str) -> dict[str, list[tuple[str, bool]]]:
    """Class -> its annotated fields, each with whether a docstring follows it."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            told = [isinstance(each, ast.Expr) for each in [*node.body[1:], None]]
            pairs = zip(node.body, told, strict=True)
            found[node.name] = [
                (ast.unparse(each.target), follows) for each, follows in pairs if isinstance(each, ast.AnnAssign)
            ]
    return found


def test_the_states_of_the_pipelines_are_small_and_documented() -> None:
    forms = ROOT / "src" / "combray" / "forms"
    states = {
        name: fields
        for path in sorted(forms.glob("*.py"))
        for name, fields in fields_of(path.read_text(encoding="utf-8")).items()
    }
    assert states.keys() >= {"Recalling", "Remembering", "Draft"}
    assert {name: len(fields) for name, fields in states.items() if len(fields) > STATE_FIELDS} == {}
    for name in ("Recalling", "Remembering", "Draft"):
        assert [field for field, documented in states[name] if not documented] == []
