"""Conformance suite of stages: `check_stage(stage)` raises AssertionError for an invalid stage."""

# ruff: noqa: S101

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from inspect import Parameter, signature
from typing import Any

from combray.pipeline import describe_stage, leaves_process, stage_name, walk

_SETTINGS = (str, int, float, bool, tuple, type(None))


def check_stage(stage: Any) -> None:
    """Check a stage and the stages inside it. Raises AssertionError that names the stage and the problem."""
    for each in walk((stage,)):
        _check_shape(each)
        _check_call(each)
        _check_settings(each)


def _check_shape(stage: Any) -> None:
    name = stage_name(stage)
    assert name, f"{stage!r} has no name: give it a class name or a label"
    summary = describe_stage(stage)["summary"]
    assert summary, f"{name} has no docstring: its first line is what `combray presets show` prints"
    for part in ("needs", "gives"):
        value = getattr(stage, part, () if part == "gives" else None)
        problem = f"{name}.{part} must be a tuple of distinct texts, got {value!r}"
        assert isinstance(value, tuple), problem
        assert all(isinstance(each, str) and each for each in value), problem
        assert len(set(value)) == len(value), problem
    assert isinstance(leaves_process(stage), bool), f"{name}.leaves_process must be a bool"


def _check_call(stage: Any) -> None:
    name = stage_name(stage)
    assert callable(stage), f"{name} cannot be called with a state and a runtime"
    taken = [
        each
        for each in signature(stage).parameters.values()
        if each.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ]
    needed = [each for each in taken if each.default is Parameter.empty]
    assert len(taken) >= 2 >= len(needed), f"{name} must be called with a state and a runtime"


def _check_settings(stage: Any) -> None:
    """Settings are fields of a frozen dataclass, so that they can be printed, compared and replaced."""
    name = stage_name(stage)
    assert is_dataclass(stage), f"{name} must be a dataclass"
    assert not isinstance(stage, type), f"{name} must be a stage, not a class of stages"
    assert type(stage).__dataclass_params__.frozen, f"{name} must be frozen"  # type: ignore[attr-defined]
    again = replace(stage)
    assert again == stage, f"{name} must be equal to a stage of the same settings"
    assert describe_stage(again) == describe_stage(stage), f"{name} must describe itself by its settings"
    for each in fields(stage):
        assert each.name == "stages" or _is_data(getattr(stage, each.name)), (
            f"{name}.{each.name} must be data (numbers, texts, tuples, mappings), so that it can be shown"
        )


def _is_data(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_data, value))
    if hasattr(value, "items"):
        return all(isinstance(name, str) and _is_data(each) for name, each in value.items())
    return isinstance(value, _SETTINGS)
