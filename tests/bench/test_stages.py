"""The profile of stages: a stage is charged with its own time, and the tables give shares of the total."""

from types import SimpleNamespace
from typing import Any

import pytest

from bench.speed import stages
from bench.speed.stages import charged, tables
from combray import pipeline


class _Clock:
    """Processor time that passes where a stage says so."""

    now = 0.0


class _Busy:
    """A stage that computes for some seconds, after the stages in it."""

    needs = ()

    def __init__(self, label: str, seconds: float, stages: tuple[Any, ...] = ()) -> None:
        self.label, self.seconds, self.stages = label, seconds, stages

    def __call__(self, state: Any, runtime: Any) -> Any:
        for each in self.stages:
            state = pipeline.traced(each, state, runtime)
        _Clock.now += self.seconds
        return state


class _State:
    def __init__(self) -> None:
        self.trace: list[Any] = []
        self.degraded: list[str] = []

    def size(self) -> int:
        return 0


def test_a_stage_is_charged_with_what_the_stages_in_it_do_not_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "time", SimpleNamespace(process_time=lambda: _Clock.now))
    outer: Any = _Busy("outer", 2.0, (_Busy("inner", 6.0), _Busy("inner", 1.0)))
    runtime: Any = None
    with charged() as spent:
        pipeline.traced(outer, _State(), runtime)
    assert spent == {"inner": 7000.0, "outer": 2000.0}


def test_the_tables_give_shares_and_sums_what_is_small() -> None:
    spent = {"Search": 6.0, "Judge": 3.95, "Tiny": 0.05, "all": 10.0}
    cold = {"python": 10.0, "combray recall": 250.0}
    text = tables([{"size": 10_000, "stages": {"recall": spent}, "cold": cold}])
    assert "| Search | 6.00 (60 %) |" in text
    assert "| others | 0.05 (0 %) |" in text
    assert "| all | 10.0 (100 %) |" in text
    assert "| combray recall | 250 |" in text
    assert "Tiny" not in text
