"""The kernel: a pipeline is a visible tuple of stages, checked when it is built, traced when it runs.

A stage is a frozen dataclass. Its fields are its settings. `needs` names the parts of the state that it reads;
`gives`, if it has one, the parts that it writes. Calling it takes a state and the runtime and returns the state.
A stage with a field `stages` is a composite: edits, checks and descriptions reach the stages inside it.
A stage with `advises = True` never fails the run (`advise`).
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, FrozenInstanceError, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, dataclass_transform

from combray.errors import PipelineError, StoreError
from combray.records import dataclass, field
from combray.runtime import Runtime
from combray.runtime.calls import about_to_commit, report_failure, step
from combray.types import Step

C = TypeVar("C")

FAILED = "no advice by "
"""How an entry of `degraded` begins that names an advising stage which failed."""


class State(Protocol):
    """What every pipeline state offers the kernel."""

    trace: list[Step]
    degraded: list[str]

    def size(self) -> int:
        """Number of hits (or drafts) in the state now: `before` and `after` of the trace."""
        ...


S = TypeVar("S", bound=State)


class Stage(Protocol[S]):
    """One step of a pipeline. `given` reads the parts that it fills from an attribute `gives`, if it has one."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Parts of the state that an earlier stage must have given."""
        ...

    def __call__(self, state: S, runtime: Runtime, /) -> S:
        """Return the state with this stage's work done."""
        ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def stage(cls: type[C]) -> type[C]:
    """Make a class with settings a stage: a frozen dataclass that takes a tenth of the time to make.

    A dataclass compiles its methods, and a shell call would wait for those of fifty stages. The methods of
    a stage are the same for every class.
    """
    for name, method in _METHODS.items():
        if name not in cls.__dict__:
            setattr(cls, name, method)
    made = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    made.__dataclass_params__.frozen = True  # type: ignore[attr-defined]
    return made


def _init(self: Any, *values: Any, **given: Any) -> None:
    known = fields(self)
    if len(values) > len(known):
        raise TypeError(f"{type(self).__name__} takes {len(known)} settings, got {len(values)}.")
    for each, value in zip(known, values, strict=False):
        if each.name in given:
            raise TypeError(f"{type(self).__name__} got two values of {each.name!r}.")
        given[each.name] = value
    for each in known:
        if each.name in given:
            value = given.pop(each.name)
        elif each.default is not MISSING:
            value = each.default
        elif each.default_factory is not MISSING:
            value = each.default_factory()
        else:
            raise TypeError(f"{type(self).__name__} needs {each.name!r}.")
        object.__setattr__(self, each.name, value)
    if given:
        raise TypeError(f"{type(self).__name__} has no setting {next(iter(given))!r}.")
    if hasattr(self, "__post_init__"):
        self.__post_init__()


def _settings(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, each.name) for each in fields(self) if each.compare])


def _equal(self: Any, other: object) -> bool:
    return _settings(self) == _settings(other) if type(other) is type(self) else NotImplemented


def _written(self: Any) -> str:
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({shown})"


def _refuse(self: Any, name: str, *_value: Any) -> None:
    raise FrozenInstanceError(f"cannot change {name!r} of {type(self).__name__}. Use dataclasses.replace.")


_METHODS: Mapping[str, Callable[..., Any]] = {
    "__init__": _init,
    "__repr__": _written,
    "__eq__": _equal,
    "__hash__": lambda self: hash(_settings(self)),
    "__setattr__": _refuse,
    "__delattr__": _refuse,
}


def stage_name(stage: Any) -> str:
    """Return the name of a stage in the trace and in edits: its `label`, else its class name."""
    return str(getattr(stage, "label", "") or type(stage).__name__)


def given(stage: Any) -> tuple[str, ...]:
    """Return the parts of the state that a stage fills: its `gives`, or none."""
    return getattr(stage, "gives", ())


def walk(stages: tuple[Any, ...]) -> Iterator[Any]:
    """Yield every stage, each composite before the stages inside it."""
    for stage in stages:
        yield stage
        yield from walk(getattr(stage, "stages", ()))


def leaves_process(stage: Any) -> bool:
    """Whether a stage, or one inside it, calls something outside the process (a model server, a peer)."""
    return any(getattr(each, "leaves_process", False) for each in walk((stage,)))


@dataclass(frozen=True)
class Pipeline(Generic[S]):
    """Stages in order. Every edit returns a new pipeline, which is checked again.

    Edits find a stage by its name at any depth: `after("Write", stage)` puts the stage into the transaction that
    holds `Write`.
    """

    name: str
    stages: tuple[Stage[S], ...]
    starts_with: tuple[str, ...] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        self.check()

    @classmethod
    def deferred(cls, build: Callable[[], Pipeline[S]]) -> Pipeline[S]:
        """Return the pipeline that `build` makes, which is called, and its stages imported, on first use."""
        made = object.__new__(cls)
        made.__dict__["_build"] = build
        return made

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Called only for attributes that are not set: the fields of a deferred pipeline.
            build = self.__dict__.get("_build")
            if build is None or name not in _FIELDS:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            built = build()
            self.__dict__.update({each: getattr(built, each) for each in _FIELDS})
            return self.__dict__[name]

    def __iter__(self) -> Iterator[Stage[S]]:
        return iter(self.stages)

    def check(self) -> None:
        """Raise PipelineError if a stage needs a part that no earlier stage gives, or if a name occurs twice."""
        names = [stage_name(stage) for stage in walk(self.stages)]
        for name in names:
            if names.count(name) > 1:
                raise PipelineError(
                    f"pipeline {self.name!r} has two stages called {name!r}. Give one of them a label."
                )
        known = set(self.starts_with)
        for stage in self.stages:
            for need in stage.needs:
                if need not in known:
                    *_, inmost = [stage_name(each) for each in walk((stage,)) if need in each.needs]
                    raise PipelineError(
                        f"pipeline {self.name!r}: stage {inmost!r} needs {need}, which no stage before it gives. "
                        f"Parts given before it: {', '.join(sorted(known)) or 'none'}."
                    )
            known.update(given(stage))

    def run(self, state: S, runtime: Runtime) -> S:
        """Run the stages in order, each with a line in the trace.

        After one has set `done` on the state, only those with a true `runs_when_done` run. One may take it back.
        """
        for stage in self.stages:
            if not getattr(state, "done", False) or getattr(stage, "runs_when_done", False):
                state = traced(stage, state, runtime)
        return state

    def describe(self) -> list[dict[str, Any]]:
        """Return name, settings, needs, gives and the docstring's first line of every stage."""
        return [describe_stage(stage) for stage in self.stages]

    def before(self, name: str, stage: Stage[S]) -> Pipeline[S]:
        """Return a pipeline with `stage` in front of the stage called `name`."""
        return self._edited(name, lambda found: (stage, found))

    def after(self, name: str, stage: Stage[S]) -> Pipeline[S]:
        """Return a pipeline with `stage` behind the stage called `name`."""
        return self._edited(name, lambda found: (found, stage))

    def replace(self, name: str, stage: Stage[S]) -> Pipeline[S]:
        """Return a pipeline with `stage` in place of the stage called `name`."""
        return self._edited(name, lambda _found: (stage,))

    def without(self, name: str) -> Pipeline[S]:
        """Return a pipeline without the stage called `name`."""
        return self._edited(name, lambda _found: ())

    def _edited(self, name: str, change: Callable[[Any], tuple[Any, ...]]) -> Pipeline[S]:
        stages = _changed(self.stages, name, change)
        if stages is None:
            have = ", ".join(stage_name(stage) for stage in walk(self.stages))
            raise PipelineError(f"pipeline {self.name!r} has no stage {name!r}. Its stages: {have}.")
        return replace(self, stages=stages)


_FIELDS = tuple(each.name for each in fields(Pipeline))
"""None has a default in the class, where a deferred pipeline would find it."""


def _changed(
    stages: tuple[Any, ...], name: str, change: Callable[[Any], tuple[Any, ...]]
) -> tuple[Any, ...] | None:
    """Return the stages with the one called `name` changed, at whatever depth; None if there is none."""
    for at, stage in enumerate(stages):
        inner = _changed(getattr(stage, "stages", ()), name, change)
        if stage_name(stage) == name or inner is not None:
            made = change(stage) if inner is None else (replace(stage, stages=inner),)
            return (*stages[:at], *made, *stages[at + 1 :])
    return None


def traced(stage: Stage[S], state: S, runtime: Runtime) -> S:
    """Announce one stage, run it, and add its name, sizes and milliseconds to the trace."""
    name = stage_name(stage)
    step(name)
    before = state.size()
    noted = len(state.degraded)
    started = time.perf_counter()
    if getattr(stage, "advises", False):
        state = advise(name, lambda given: stage(given, runtime), state, runtime)
    else:
        state = stage(state, runtime)
    elapsed = (time.perf_counter() - started) * 1000
    note = "; ".join(state.degraded[noted:]) if len(state.degraded) > noted else ""
    state.trace.append(Step(name, before, state.size(), elapsed, note))
    return state


def advise(name: str, work: Callable[[S], S], state: S, runtime: Runtime) -> S:
    """Run work that only advises. What it raises is logged and noted, and the run goes on without the advice.

    After a failure the work is repeated for each item of the state alone, if the state has several: one bad text
    costs the others no advice. The log has the stage, a hash of the text and the place, never a word of the text.
    Errors of the store are raised: after one the transaction cannot go on.
    """
    state, failure = _tried(work, state, runtime)
    if failure is None:
        return state
    for text in getattr(state, "alone", lambda: ("",))():
        state, failure = _tried(work, state, runtime)
        if failure is not None:
            report_failure(name, text, failure)
            state.degraded.append(f"{FAILED}{name} on {text or 'the text'}: {type(failure).__name__}")
    return state


def _tried(work: Callable[[S], S], state: S, runtime: Runtime) -> tuple[S, Exception | None]:
    try:
        return work(state), None
    except Exception as error:
        if isinstance(error, (StoreError, *runtime.store.errors)):
            raise
        # Advice: it is logged, and the text stored.
        return state, error


def describe_stage(stage: Any) -> dict[str, Any]:
    """Return a stage's name, settings (its dataclass fields), needs, gives, summary and inner stages."""
    settings = {}
    if is_dataclass(stage):
        settings = {f.name: getattr(stage, f.name) for f in fields(stage) if f.name not in ("stages", "label")}
    inner = [describe_stage(each) for each in getattr(stage, "stages", ())]
    doc = (type(stage).__doc__ or "").strip().splitlines()
    return {
        "stage": stage_name(stage),
        "settings": settings,
        "needs": stage.needs,
        "gives": given(stage),
        "summary": doc[0] if doc else "",
        **({"stages": inner} if inner else {}),
    }


class Transactional(State, Protocol):
    """A state that can carry an open write transaction."""

    namespace: str
    tx: Any


T = TypeVar("T", bound=Transactional)


@dataclass(frozen=True)
class Transaction(Generic[T]):
    """Runs its stages inside one atomic write: all of them are stored, or none is.

    A stage that leaves the process is refused when the transaction is built, because a slow model server must
    never hold the write lock.
    """

    stages: tuple[Stage[T], ...]
    label: str = "Transaction"

    def __post_init__(self) -> None:
        outside = [stage_name(stage) for stage in self.stages if leaves_process(stage)]
        if outside:
            raise PipelineError(
                f"{self.label} cannot hold {', '.join(outside)}: a stage inside a transaction must not call "
                "another process. Put it before the transaction."
            )

    @property
    def needs(self) -> tuple[str, ...]:
        """What the inner stages need from outside, in their order."""
        known: set[str] = set()
        needs: dict[str, None] = {}
        for stage in self.stages:
            needs.update(dict.fromkeys(need for need in stage.needs if need not in known))
            known.update(given(stage))
        return tuple(needs)

    @property
    def gives(self) -> tuple[str, ...]:
        """All that the inner stages give."""
        return tuple(dict.fromkeys(part for stage in self.stages for part in given(stage)))

    def __call__(self, state: T, runtime: Runtime, /) -> T:
        """Open the transaction, run the stages and commit; any error rolls everything back."""
        with runtime.store.transaction(state.namespace) as tx:
            state.tx = tx
            try:
                for stage in self.stages:
                    state = traced(stage, state, runtime)
                about_to_commit(state)
            finally:
                state.tx = None
        return state
