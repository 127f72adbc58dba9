"""Records are dataclasses in every respect, except that nothing is compiled until it is used."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

import combray
from combray.records import dataclass


def _written() -> type:
    class Written:
        """The class that both decorators get."""

        first: int
        second: list[int] = dataclasses.field(default_factory=list)
        third: str = "c"
        hidden: int = dataclasses.field(default=4, repr=False, compare=False)
        later: int = dataclasses.field(init=False)
        shared: ClassVar[int] = 3

        def __post_init__(self) -> None:
            object.__setattr__(self, "later", self.first * 2)

    Written.__qualname__ = "Written"
    return Written


def _both(**parameters: bool) -> tuple[Any, Any]:
    """Return a dataclass of the standard library and ours, made from the same text."""
    return dataclasses.dataclass(**parameters)(_written()), dataclass(**parameters)(_written())


SHAPES = [
    {"frozen": frozen, "slots": slots, "eq": eq}
    for frozen in (False, True)
    for slots in (False, True)
    for eq in (False, True)
]


@pytest.mark.parametrize("parameters", SHAPES)
def test_objects_behave_like_those_of_the_standard_decorator(parameters: dict[str, bool]) -> None:
    standard, ours = _both(**parameters)
    for made in (standard, ours):
        one, two = made(1, [2]), made(first=1, second=[2], third="c", hidden=9)
        assert (one == two) is parameters["eq"]
        assert repr(one) == "Written(first=1, second=[2], third='c', later=2)"
        assert dataclasses.asdict(one) == {"first": 1, "second": [2], "third": "c", "hidden": 4, "later": 2}
        assert made(1).second is not made(1).second
        assert made.shared == 3
        assert hasattr(one, "__dict__") is not parameters["slots"]
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'first'"):
            made()
        with pytest.raises(TypeError, match="unexpected keyword argument 'later'"):
            made(1, later=3)
        assert copy.deepcopy(one).second == [2]


@pytest.mark.parametrize("parameters", SHAPES)
def test_classes_are_described_as_by_the_standard_decorator(parameters: dict[str, bool]) -> None:
    standard, ours = _both(**parameters)

    def described(made: Any) -> list[Any]:
        return [
            [(each.name, each.type, each.default, each.init) for each in dataclasses.fields(made)],
            made.__match_args__,
            made.__dataclass_params__.frozen,
            [(each.name, each.kind) for each in inspect.signature(made).parameters.values()],
            # A hash of None says that objects cannot be in a set.
            made.__hash__ is None,
            made.__hash__ is object.__hash__,
            getattr(made, "third", None) == "c",
        ]

    assert described(ours) == described(standard)


def test_frozen_objects_refuse_changes() -> None:
    for made in _both(frozen=True, slots=True):
        one = made(1)
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'first'"):
            one.first = 2
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'first'"):
            del one.first
        assert dataclasses.replace(Pair(1, "b"), left=3) == Pair(3, "b")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two values."""

    left: int
    right: str

    def __hash__(self) -> int:
        return 7


def test_what_a_class_defines_stays() -> None:
    assert hash(Pair(1, "b")) == 7
    assert {Pair(1, "b"): "found"}[Pair(1, "b")] == "found"


def test_objects_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Pair(1, "b"))) == Pair(1, "b")


def test_a_field_is_inherited() -> None:
    @dataclass(frozen=True)
    class Three(Pair):
        """A third value."""

        last: float = 0.5

    assert dataclasses.astuple(Three(1, "b")) == (1, "b", 0.5)


def test_nothing_is_compiled_before_it_is_used() -> None:
    _, ours = _both(frozen=True, slots=True)
    assert not inspect.isfunction(vars(ours)["__init__"])
    ours(1)
    assert inspect.isfunction(vars(ours)["__init__"])
    assert not inspect.isfunction(vars(ours)["__eq__"])


def test_every_module_uses_this_decorator() -> None:
    home = Path(combray.__file__).parent
    standard = [
        str(path.relative_to(home))
        for path in home.rglob("*.py")
        if "dataclasses" in (text := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
        if "dataclass" in [each.name for each in node.names]
    ]
    assert sorted(standard) == ["records/__init__.py"]


_RACE = """
import sys, threading, types
import msgspec
from combray.records import known
sys.setswitchinterval(1e-6)
FIELDS = "".join(f"    a{each}: 'list[int] | dict[str, list[str]] | None' = None\\n" for each in range(12))
INNER = "".join(f"class C{each}(msgspec.Struct):\\n{FIELDS}" for each in range(8))
PARTS = "".join(f"    c{each}: 'dict[str, C{each}] | None' = None\\n" for each in range(8))
OUTER = "class R(msgspec.Struct):\\n" + PARTS
DATA = b"{" + b",".join(b'"c%d":{"x":{"a0":[1],"a11":[1]}}' % each for each in range(8)) + b"}"
for _ in range(40):
    module = types.ModuleType("made")
    sys.modules["made"] = module
    exec("import msgspec\\n" + INNER + OUTER, module.__dict__)
    started = threading.Barrier(4)
    def decode():
        started.wait()
        msgspec.json.decode(DATA, type=known(module.R))
    threads = [threading.Thread(target=decode) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
"""


@pytest.mark.slow("starts a process, which a failure would end")
def test_threads_that_first_decode_to_one_struct_end_no_process() -> None:
    assert subprocess.run([sys.executable, "-c", _RACE], capture_output=True).returncode == 0
