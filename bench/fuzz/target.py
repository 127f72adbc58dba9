"""A parser under attack: what is called, with which first inputs, and what it may answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from combray.errors import CombrayError

Run = Callable[[bytes], object]
"""One input; what it returns is compared between two runs on the same input."""


@dataclass(frozen=True)
class Target:
    """`open` gets an empty folder and gives the function to attack.

    `allowed` are the errors its docstring promises, CombrayError always. `instrumented` names the packages whose
    branches guide the search. `repeatable` targets must give the same answer twice.
    """

    name: str
    about: str
    open: Callable[[Path], Run]
    seeds: Callable[[], list[bytes]]
    instrumented: tuple[str, ...]
    allowed: tuple[type[Exception], ...] = (CombrayError,)
    longest: int = 4096
    repeatable: bool = True
