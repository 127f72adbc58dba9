"""The kernel: a pipeline is a visible tuple of stages, checked when it is built, traced when it runs.

A stage is a frozen dataclass: its settings are its fields, `needs` and `gives` name the parts of the
state it reads and writes, and calling it takes a state and the runtime and returns the state.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Generic, Protocol, TypeVar

from combray.errors import CombrayError, ModelError, PipelineError
from combray.runtime import Runtime
from combray.types import Step


class State(Protocol):
    """What every pipeline state offers the kernel."""

    trace: list[Step]
    degraded: list[str]

    def size(self) -> int:
        """How many hits (or drafts) the state holds now: the trace's before and after."""
        ...


S = TypeVar("S", bound=State)


class Stage(Protocol[S]):
    """One step of a pipeline."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Parts of the state that an earlier stage must have given."""
        ...

    @property
    def gives(self) -> tuple[str, ...]:
        """Parts of the state this stage fills."""
        ...

    def __call__(self, state: S, runtime: Runtime) -> S:
        """Do the step."""
        ...


def stage_name(stage: Any) -> str:
    """The name a stage signs the trace with: its class name unless it carries its own."""
    return str(getattr(stage, "label", "") or type(stage).__name__)


def leaves_process(stage: Any) -> bool:
    """Whether a stage calls something outside the process (a model server, a peer)."""
    return bool(getattr(stage, "leaves_process", False)) or any(
        leaves_process(inner) for inner in getattr(stage, "stages", ())
    )


@dataclass(frozen=True)
class Pipeline(Generic[S]):
    """Stages in order. Editing gives a new pipeline; every edit is checked again."""

    name: str
    stages: tuple[Stage[S], ...]
    starts_with: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.check()

    def __iter__(self) -> Iterator[Stage[S]]:
        return iter(self.stages)

    def check(self) -> None:
        """Raise PipelineError when a stage needs what nothing before it gives, or a name occurs twice."""
        known = set(self.starts_with)
        seen: set[str] = set()
        for stage in self.stages:
            name = stage_name(stage)
            if name in seen:
                raise PipelineError(f"pipeline {self.name!r}: two stages are called {name!r}; give one a label")
            seen.add(name)
            missing = [need for need in stage.needs if need not in known]
            if missing:
                raise PipelineError(
                    f"pipeline {self.name!r}: stage {name!r} needs {', '.join(missing)}, "
                    f"but the stages before it give only {', '.join(sorted(known)) or 'nothing'}"
                )
            known.update(stage.gives)

    def run(self, state: S, runtime: Runtime) -> S:
        """Run the stages in order, each signing the trace, until a stage calls the state `done`."""
        for stage in self.stages:
            state = traced(stage, state, runtime)
            if getattr(state, "done", False):
                break
        return state

    def describe(self) -> list[dict[str, Any]]:
        """Stage by stage: name, settings, needs, gives, first line of its docstring."""
        return [describe_stage(stage) for stage in self.stages]

    def _index(self, name: str) -> int:
        for index, stage in enumerate(self.stages):
            if stage_name(stage) == name:
                return index
        have = ", ".join(stage_name(stage) for stage in self.stages)
        raise PipelineError(f"pipeline {self.name!r} has no stage {name!r}; it has: {have}")

    def _with(self, stages: Iterable[Stage[S]]) -> Pipeline[S]:
        return Pipeline(self.name, tuple(stages), self.starts_with)

    def before(self, name: str, stage: Stage[S]) -> Pipeline[S]:
        """A pipeline with `stage` put in front of the stage called `name`."""
        at = self._index(name)
        return self._with((*self.stages[:at], stage, *self.stages[at:]))

    def after(self, name: str, stage: Stage[S]) -> Pipeline[S]:
        """A pipeline with `stage` put behind the stage called `name`."""
        at = self._index(name) + 1
        return self._with((*self.stages[:at], stage, *self.stages[at:]))

    def replace(self, name: str, stage: Stage[S]) -> Pipeline[S]:
        """A pipeline with `stage` in the place of the stage called `name`."""
        at = self._index(name)
        return self._with((*self.stages[:at], stage, *self.stages[at + 1 :]))

    def without(self, name: str) -> Pipeline[S]:
        """A pipeline that leaves the stage called `name` out."""
        at = self._index(name)
        return self._with((*self.stages[:at], *self.stages[at + 1 :]))


def traced(stage: Stage[S], state: S, runtime: Runtime) -> S:
    """Run one stage and sign the trace with its name, sizes and milliseconds."""
    before = state.size()
    noted = len(state.degraded)
    started = time.perf_counter()
    state = stage(state, runtime)
    elapsed = (time.perf_counter() - started) * 1000
    note = "; ".join(state.degraded[noted:])
    state.trace.append(Step(stage_name(stage), before, state.size(), elapsed, note))
    return state


def describe_stage(stage: Any) -> dict[str, Any]:
    """A stage's name, settings (its dataclass fields), needs, gives and summary; inner stages nested."""
    settings = {}
    if is_dataclass(stage):
        settings = {f.name: getattr(stage, f.name) for f in fields(stage) if f.name not in ("stages", "label")}
    inner = [describe_stage(each) for each in getattr(stage, "stages", ())]
    doc = (type(stage).__doc__ or "").strip().splitlines()
    return {
        "stage": stage_name(stage),
        "settings": settings,
        "needs": stage.needs,
        "gives": stage.gives,
        "summary": doc[0] if doc else "",
        **({"stages": inner} if inner else {}),
    }


def _inner_needs(stages: tuple[Any, ...]) -> tuple[str, ...]:
    given: set[str] = set()
    needs: list[str] = []
    for stage in stages:
        needs.extend(need for need in stage.needs if need not in given and need not in needs)
        given.update(stage.gives)
    return tuple(needs)


def _inner_gives(stages: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(given for stage in stages for given in stage.gives))


class Transactional(State, Protocol):
    """A state that can carry an open write transaction."""

    namespace: str
    tx: Any


T = TypeVar("T", bound=Transactional)


@dataclass(frozen=True)
class Transaction(Generic[T]):
    """Runs its stages inside one atomic write: all of them land, or none does.

    Refuses, when it is built, stages that leave the process: a slow model server must never hold the
    write lock.
    """

    stages: tuple[Stage[T], ...]
    label: str = "Transaction"

    def __post_init__(self) -> None:
        outside = [stage_name(stage) for stage in self.stages if leaves_process(stage)]
        if outside:
            raise PipelineError(
                f"{self.label}: {', '.join(outside)} leave(s) the process and cannot run inside a transaction; "
                "put them before it"
            )

    @property
    def needs(self) -> tuple[str, ...]:
        """What the inner stages need from outside."""
        return _inner_needs(self.stages)

    @property
    def gives(self) -> tuple[str, ...]:
        """All that the inner stages give."""
        return _inner_gives(self.stages)

    def __call__(self, state: T, runtime: Runtime) -> T:
        """Open the transaction, run the stages, commit; any error rolls everything back."""
        with runtime.store.transaction(state.namespace) as tx:
            state.tx = tx
            try:
                for stage in self.stages:
                    state = traced(stage, state, runtime)
            finally:
                state.tx = None
        return state


@dataclass(frozen=True)
class Fallback(Generic[S]):
    """Tries stages in order until one works; says in `degraded` which failed and why.

    Only failures of models and peers are caught: a wrong query or a damaged store must be seen.
    """

    stages: tuple[Stage[S], ...]
    label: str = "Fallback"
    catches: tuple[type[CombrayError], ...] = (ModelError,)

    @property
    def needs(self) -> tuple[str, ...]:
        """What any alternative needs: one that failed gives the next nothing."""
        return tuple(dict.fromkeys(need for stage in self.stages for need in stage.needs))

    @property
    def gives(self) -> tuple[str, ...]:
        """What every alternative gives, so that later stages may rely on it."""
        common = set(self.stages[0].gives).intersection(*(set(s.gives) for s in self.stages[1:]))
        return tuple(given for given in self.stages[0].gives if given in common)

    def __call__(self, state: S, runtime: Runtime) -> S:
        """Run the first alternative that does not fail."""
        for stage in self.stages[:-1]:
            try:
                return stage(state, runtime)
            except self.catches as error:
                state.degraded.append(f"{stage_name(stage)} failed: {error}")
        return self.stages[-1](state, runtime)
