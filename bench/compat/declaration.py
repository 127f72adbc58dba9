"""What a suite of a framework's owners is: whose package it comes in, which files, and how our class gets in."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLUGINS = Path(__file__).parent / "plugins"


@dataclass(frozen=True)
class Suite:
    """Tests of a framework's owners, run with our class in place of theirs.

    `plugin` is a module in `bench/compat/plugins`. It is loaded before the tests are collected and replaces the
    class under test. If the owners ship a suite to inherit from, the plugin itself holds the inheriting class:
    then `tests` is empty and the plugin file is what pytest runs.
    """

    name: str
    framework: str
    ours: str
    """The class that is tested, as it is imported."""
    package: str
    version: str
    extra: str
    """Whose packages the environment has; "" for a class that needs none."""
    plugin: str
    tests: tuple[str, ...] = ()
    """Files of the source distribution, below its root; empty: the tests are in the installed package."""
    requires: tuple[str, ...] = ()
    """What the tests import besides the package itself and pytest."""
    options: tuple[str, ...] = ()
    """Options of pytest."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Pattern of test ids -> why these tests say nothing about a class in place of theirs. They are not run."""
    right_to_fail: Mapping[str, str] = field(default_factory=dict)
    """Pattern of test ids -> why our class is right to fail them. They are run."""
    by_owners: bool = True
    """Whether the owners wrote it. If their package has no suite, the plugin makes the documented calls."""
    quick: bool = False
    """Whether it is among the checks of every change."""

    def reason(self, test: str, among: Mapping[str, str]) -> str:
        """Return the reason of the first pattern that a test id matches, or ""; `name` matches `name[…]` too."""
        for pattern, why in among.items():
            if fnmatchcase(test, pattern) or fnmatchcase(test.partition("[")[0], pattern):
                return why
        return ""


def suites() -> list[Suite]:
    """Return every suite that a module of `bench.compat.suites` declares, by name."""
    from bench.compat import suites as package

    found: list[Suite] = []
    for module in pkgutil.iter_modules(package.__path__):
        found += importlib.import_module(f"{package.__name__}.{module.name}").SUITES
    return sorted(found, key=lambda each: each.name)


def examples() -> dict[str, Path]:
    """Return the examples by the extra that each runs with: `examples/with_openai_agents.py`, `openai-agents`."""
    found = sorted((ROOT / "examples").glob("with_*.py"))
    return {path.stem.removeprefix("with_").replace("_", "-"): path for path in found}
