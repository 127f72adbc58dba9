"""The kernel: what is checked when a pipeline is built, and what a run leaves behind."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest

from combray.errors import ModelError, PipelineError
from combray.pipeline import Pipeline, Transaction, describe_stage, stage, stage_name, walk
from combray.runtime import Runtime
from combray.testing.fakes import memory
from combray.testing.reference import ReferenceStore
from combray.types import Step


@dataclass
class Counting:
    """A state of numbers."""

    numbers: list[int] = field(default_factory=list)
    namespace: str = "default"
    tx: Any = None
    trace: list[Step] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)

    def size(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class Put:
    """Puts a number.

    More of the docstring.
    """

    number: int
    label: str = "Put"
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ("numbers",)
    leaves_process: bool = False

    def __call__(self, state: Counting, runtime: Runtime) -> Counting:
        state.numbers.append(self.number)
        return state


@dataclass
class Settling(Counting):
    """A state that a stage can settle."""

    done: bool = False


@dataclass(frozen=True)
class Settle:
    """Settles the answer."""

    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()

    def __call__(self, state: Settling, runtime: Runtime) -> Settling:
        state.done = True
        return state


def test_no_stage_follows_one_that_settles_the_answer() -> None:
    state = Settling()
    stages: tuple[Any, ...] = (Put(1), Settle(), Put(2, label="Later"))
    Pipeline("p", stages).run(state, Runtime(ReferenceStore()))
    assert (state.numbers, [step.stage for step in state.trace]) == ([1], ["Put", "Settle"])


@dataclass(frozen=True)
class Fail:
    """Fails."""

    error: Exception
    label: str = "Fail"
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ("numbers",)

    def __call__(self, state: Counting, runtime: Runtime) -> Counting:
        raise self.error


@dataclass(frozen=True)
class WriteMemory:
    """Writes one memory."""

    text: str
    label: str = "WriteMemory"
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()

    def __call__(self, state: Counting, runtime: Runtime) -> Counting:
        from combray.runtime import Arrival

        state.tx.insert([Arrival(memory(self.text))])
        return state


@dataclass(frozen=True)
class Either:
    """A composite of somebody else: runs the first of its stages."""

    stages: tuple[Any, ...]
    label: str = "Either"
    needs: tuple[str, ...] = ()
    gives: tuple[str, ...] = ("numbers",)

    def __call__(self, state: Counting, runtime: Runtime) -> Counting:
        result: Counting = self.stages[0](state, runtime)
        return result


RUNTIME = Runtime(ReferenceStore())


def three() -> Pipeline[Counting]:
    return Pipeline("count", (Put(1, "one"), Put(2, "two"), Put(3, "three")))


def names(pipeline: Pipeline[Counting]) -> list[str]:
    return [str(getattr(stage, "label", "")) for stage in pipeline]


def test_stages_run_in_order_and_sign_the_trace() -> None:
    state = three().run(Counting(), RUNTIME)
    assert state.numbers == [1, 2, 3]
    assert [(step.stage, step.before, step.after) for step in state.trace] == [
        ("one", 0, 1), ("two", 1, 2), ("three", 2, 3),
    ]  # fmt: skip
    assert all(step.milliseconds >= 0 for step in state.trace)


def test_a_need_that_nothing_gives_is_refused_when_built() -> None:
    with pytest.raises(PipelineError, match=r"'late' needs words, .*\. Parts given before it: numbers\."):
        Pipeline("count", (Put(1), Put(2, "late", needs=("words",))))
    Pipeline("count", (Put(2, "late", needs=("words",)),), ("words",))


def test_two_stages_of_one_name_are_refused() -> None:
    with pytest.raises(PipelineError, match="two stages called 'Put'"):
        Pipeline("count", (Put(1), Put(2)))


def test_editing_gives_a_new_pipeline() -> None:
    pipeline = three()
    assert names(pipeline.before("two", Put(9, "nine"))) == ["one", "nine", "two", "three"]
    assert names(pipeline.after("three", Put(9, "nine"))) == ["one", "two", "three", "nine"]
    assert names(pipeline.replace("one", Put(9, "nine"))) == ["nine", "two", "three"]
    assert names(pipeline.without("two")) == ["one", "three"]
    assert names(pipeline) == ["one", "two", "three"]


def test_an_edit_is_checked_again() -> None:
    pipeline = Pipeline("count", (Put(1, "giver"), Put(2, "taker", needs=("numbers",))))
    with pytest.raises(PipelineError, match="'taker' needs numbers"):
        pipeline.without("giver")
    with pytest.raises(PipelineError, match=r"no stage 'nobody'\. Its stages: giver, taker"):
        pipeline.before("nobody", Put(3, "three"))


def nested() -> Pipeline[Counting]:
    return Pipeline(
        "count", (Put(1, "one"), Transaction((Put(2, "two"), Either((Put(3, "three"), Put(4, "four"))))))
    )


def inside(pipeline: Pipeline[Counting]) -> list[str]:
    return [stage_name(stage) for stage in walk(pipeline.stages)]


def test_an_edit_reaches_a_stage_at_any_depth() -> None:
    assert inside(nested()) == ["one", "Transaction", "two", "Either", "three", "four"]
    assert inside(nested().before("two", Put(9, "nine")))[1:4] == ["Transaction", "nine", "two"]
    assert inside(nested().after("three", Put(9, "nine")))[3:] == ["Either", "three", "nine", "four"]
    assert inside(nested().without("four"))[3:] == ["Either", "three"]
    changed = nested().replace("three", Put(7, "seven"))
    assert inside(changed)[3:] == ["Either", "seven", "four"]
    assert changed.run(Counting(), RUNTIME).numbers == [1, 2, 7]
    assert inside(nested())[3:] == ["Either", "three", "four"]


def test_nested_stages_are_checked_and_named() -> None:
    with pytest.raises(PipelineError, match="two stages called 'one'"):
        nested().replace("four", Put(9, "one"))
    with pytest.raises(PipelineError, match=r"Its stages: one, Transaction, two, Either, three, four\."):
        nested().without("nobody")
    with pytest.raises(PipelineError, match="stage 'late' needs words"):
        nested().before("two", Put(9, "late", needs=("words",)))
    with pytest.raises(PipelineError, match="Transaction cannot hold Call"):
        nested().after("two", Put(9, "Call", leaves_process=True))


def test_describe_tells_settings_and_the_first_line() -> None:
    described = three().describe()[0]
    assert (described["stage"], described["summary"]) == ("one", "Puts a number.")
    assert described["settings"]["number"] == 1
    assert described["gives"] == ("numbers",)
    nested = describe_stage(Transaction((Put(1, "a"), Put(2, "b"))))
    assert [each["stage"] for each in nested["stages"]] == ["a", "b"]


def test_a_transaction_refuses_stages_that_leave_the_process() -> None:
    """No network call inside a transaction, however deep the stage sits."""
    calling = Put(1, "Call", leaves_process=True)
    with pytest.raises(PipelineError, match="Transaction cannot hold Call: "):
        Transaction((calling,))
    with pytest.raises(PipelineError, match="Transaction cannot hold Either: "):
        Transaction((Either((Put(2), calling)),))


def test_a_transaction_lands_whole_or_not_at_all() -> None:
    runtime = Runtime(ReferenceStore())
    Transaction((WriteMemory("kept"),))(Counting(), runtime)
    state = Counting()
    with pytest.raises(ModelError):
        Transaction((WriteMemory("lost"), Fail(ModelError("no"))))(state, runtime)
    found = runtime.store.reader("default").memories(range(10))
    assert [each.content for each in found] == ["kept"]
    assert state.tx is None


def test_the_stages_of_a_transaction_sign_the_trace_too() -> None:
    state = Pipeline("count", (Transaction((Put(1, "inner"),), "Atomic"),)).run(Counting(), RUNTIME)
    assert [step.stage for step in state.trace] == ["inner", "Atomic"]


def test_a_deferred_pipeline_is_built_on_first_use_and_then_like_any_other() -> None:
    built: list[int] = []

    def build() -> Pipeline[Counting]:
        built.append(1)
        return Pipeline("numbers", (Put(1),), ("query",))

    later = Pipeline.deferred(build)
    assert built == []
    assert (later.name, later.starts_with) == ("numbers", ("query",))
    assert later == build()
    assert later.after("Put", Put(2, label="Put2")).stages == (Put(1), Put(2, label="Put2"))
    assert later.stages == (Put(1),)
    assert len(built) == 2
    with pytest.raises(AttributeError, match="no attribute 'stage'"):
        _ = later.stage  # type: ignore[attr-defined]


@stage
class _Weighed:
    """A stage with settings."""

    weight: float
    names: tuple[str, ...] = field(default_factory=lambda: ("a",))
    needs = ("query",)

    def __call__(self, state: Any, _runtime: Any) -> Any:
        return state


def test_a_stage_is_a_frozen_dataclass() -> None:
    made = _Weighed(0.5)
    assert made == _Weighed(weight=0.5, names=("a",)) != _Weighed(0.25)
    assert hash(made) == hash(_Weighed(0.5))
    assert repr(made) == "_Weighed(weight=0.5, names=('a',))"
    assert [each.name for each in fields(made)] == ["weight", "names"]
    assert replace(made, names=()).names == ()
    make: Any = _Weighed
    for values, given in (((), {}), ((), {"weight": 1, "weights": 2}), ((0.5, (), 1), {}), ((1,), {"weight": 1})):
        with pytest.raises(TypeError):
            make(*values, **given)
    with pytest.raises(FrozenInstanceError):
        made.weight = 1.0  # type: ignore[misc]
    assert made.weight == 0.5
