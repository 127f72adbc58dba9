"""What holds for every integration without its framework installed: the error, the declarations, the tools."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import pkgutil
import sys
import tomllib
from pathlib import Path

import pytest

import combray
from bench.compat.declaration import PLUGINS, examples, suites
from combray import integrations
from combray.errors import MissingExtraError
from combray.integrations.tool_calls import ToolCalls

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def source(module: str) -> Path:
    return Path(str(importlib.util.find_spec(f"combray.integrations.{module}").origin))  # type: ignore[union-attr]


MODULES = sorted(
    each.name
    for each in pkgutil.iter_modules(integrations.__path__)
    if "MissingExtraError" in source(each.name).read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_a_missing_framework_is_an_error_that_names_the_extra(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    extra = module.replace("_", "-")
    assert extra in EXTRAS
    for name in imported(source(module)):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"combray.integrations.{module}", raising=False)
    with pytest.raises(MissingExtraError, match=rf"combray\[{extra}\]|\.\[{extra}\]"):
        importlib.import_module(f"combray.integrations.{module}")


def imported(path: Path) -> set[str]:
    """Return the packages that a module imports within its `try`."""
    tries = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.Try)]
    assert len(tries) == 1, path
    return {
        (each.module or "") if isinstance(each, ast.ImportFrom) else each.names[0].name
        for each in tries[0].body
        if isinstance(each, (ast.Import, ast.ImportFrom))
    }


@pytest.mark.parametrize("module", MODULES)
def test_an_integration_is_short_and_has_an_example_and_a_row(module: str) -> None:
    extra = module.replace("_", "-")
    assert len(source(module).read_text(encoding="utf-8").splitlines()) < 300
    example = examples()[extra]
    assert len(example.read_text(encoding="utf-8").splitlines()) < 30
    page = (ROOT / "docs" / "howto" / "frameworks.md").read_text(encoding="utf-8")
    assert f"| `{extra}` |" in page
    assert example.name in page


def test_every_suite_has_its_plugin_and_its_extra() -> None:
    found = suites()
    assert len({each.name for each in found}) == len(found)
    for suite in found:
        assert suite.extra in EXTRAS or suite.ours.startswith("combray.compat."), suite.name
        assert (PLUGINS / f"{suite.plugin}.py").is_file(), suite.name


def test_the_tools_store_find_and_hide() -> None:
    with combray.open(":memory:") as engine:
        calls = ToolCalls(engine)
        said = calls.remember("The billing service moved to PostgreSQL in May.")
        action, _, memory_id = said.partition(": ")
        assert action == "added"
        assert engine.get(memory_id).trust == "agent"
        assert "PostgreSQL" in calls.recall("Which database does billing use?")
        assert calls.forget(memory_id) == f"forgotten: {memory_id}"
        assert calls.recall("Which database does billing use?") == "Nothing was found."


def test_a_wrong_argument_is_a_text_that_a_model_can_act_on() -> None:
    with combray.open(":memory:") as engine:
        calls = ToolCalls(engine)
        assert calls.remember(" ").startswith("Not stored. content: is empty.")
        assert calls.forget("00000000-0000-0000-0000-000000000000").startswith("Not forgotten. no memory")
        assert calls.recall("").startswith(("Not searched.", "Nothing"))
