"""The suite for stages holds for all of ours and for those of the example plugin, and finds what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from combray import presets
from combray.consolidate.nightly import NIGHTLY
from combray.recall.search import SearchKeywords, SearchSubstring
from combray.stages import Pipeline, walk
from combray.testing.stage_suite import check_stage

PIPELINES: list[Pipeline[Any]] = [NIGHTLY]
PIPELINES += [presets.load(name).remember for name in presets.names()]
PIPELINES += [presets.load(name).recall for name in presets.names()]


@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda each: each.name)
def test_every_stage_of_ours_passes(pipeline: Pipeline[Any]) -> None:
    for stage in walk(pipeline.stages):
        check_stage(stage)


@pytest.mark.parametrize("stage", [SearchSubstring(), SearchKeywords()])
def test_stages_outside_any_preset_pass(stage: Any) -> None:
    check_stage(stage)


@dataclass
class Loose:
    """Not frozen."""

    needs: ClassVar[tuple[str, ...]] = ()
    gives: ClassVar[tuple[str, ...]] = ()

    def __call__(self, state: Any, runtime: Any) -> Any:
        return state


@dataclass(frozen=True)
class Deaf:
    """Takes no runtime."""

    needs: ClassVar[tuple[str, ...]] = ()
    gives: ClassVar[tuple[str, ...]] = ()

    def __call__(self, state: Any) -> Any:
        return state


@dataclass(frozen=True)
class Textual:
    """Names one part as a text."""

    needs: ClassVar[Any] = "score"
    gives: ClassVar[tuple[str, ...]] = ()

    def __call__(self, state: Any, runtime: Any) -> Any:
        return state


@dataclass(frozen=True)
class Opaque:
    """Has a setting that cannot be shown."""

    needs: ClassVar[tuple[str, ...]] = ()
    gives: ClassVar[tuple[str, ...]] = ()
    model: Any = field(default_factory=object)

    def __call__(self, state: Any, runtime: Any) -> Any:
        return state


@pytest.mark.parametrize(
    ("stage", "problem"),
    [
        (Loose(), "Loose must be frozen"),
        (Deaf(), "Deaf must be called with a state and a runtime"),
        (Textual(), "Textual.needs must be a tuple of distinct texts, got 'score'"),
        (Opaque(), "Opaque.model must be data"),
    ],
)
def test_a_wrong_stage_is_named_with_its_problem(stage: Any, problem: str) -> None:
    with pytest.raises(AssertionError, match=problem):
        check_stage(stage)
