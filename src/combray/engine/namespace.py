"""One namespace of an open store: the value that the engine and its facets share, and the verbs on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from combray import presets
from combray.audit.audited import audited, tell
from combray.engine.accesses import Accesses
from combray.engine.service_tier import tier_monitor
from combray.errors import InvalidInputError, NotFoundError, StoreError, brief
from combray.pipeline import FAILED, stage_name
from combray.presets.tuning import tuned
from combray.recall.asking import Asking
from combray.runtime import Order, Reader, Runtime
from combray.runtime.background import Background
from combray.types import TRUSTS, Answer, Memory, MemoryFields, MemoryItem, RecallOptions, Remembered
from combray.values import one_of, whole
from combray.where import And, Compare

if TYPE_CHECKING:
    from combray.remember.guard import Guard

BATCH = 256
MAX_BATCH = 100_000
NO_ADVICE = "advice:failed"
"""What the count of failed advice is kept as."""
_LEAST_PREFIX = 4
"""Characters from which an id that names no memory is explained by the ids that start so."""
_MOST_LISTED = 5


class Namespace:
    """A namespace with the runtime, preset and settings in use."""

    def __init__(
        self,
        runtime: Runtime,
        namespace: str,
        preset: presets.Preset,
        settings: Mapping[str, Any],
        background: Background | None,
    ) -> None:
        self.runtime = replace(runtime, service_tier=tier_monitor(runtime))
        self.namespace = check_namespace(namespace)
        self.settings = settings
        self.preset = tuned(preset, settings)
        self.background = background or Background()
        self.accesses = Accesses(runtime.store, self.namespace)
        self._others: dict[str, Namespace] = {}
        self.after_write: Callable[[], None] | None = None
        """Wakes the worker that makes vectors, if one runs."""
        self.wake_extraction: Callable[[], None] | None = None
        """Wakes the worker of the first engine on the store, which reads the turns of every namespace."""

    def several(self, namespaces: Sequence[str] | None) -> list[Namespace]:
        """The namespaces that a read names, this one if it names none. Raises InvalidInputError."""
        if namespaces is None:
            return [self]
        if isinstance(namespaces, (str, bytes)) or not isinstance(namespaces, Sequence) or not namespaces:
            raise InvalidInputError("namespaces", f"must be a list of names, not {brief(namespaces)}.")
        names = list(dict.fromkeys(check_namespace(each) for each in namespaces))
        if len(names) > 1 or names[0] != self.namespace:
            tell(namespaces=names)
        for name in names:
            if name != self.namespace and name not in self._others:
                self._others[name] = Namespace(self.runtime, name, self.preset, self.settings, self.background)
        return [self if name == self.namespace else self._others[name] for name in names]

    def flush(self) -> None:
        """Write the access counts that wait, of every namespace that was read."""
        for each in (self, *self._others.values()):
            each.accesses.flush()

    @property
    def reader(self) -> Reader:
        """A reader of this namespace."""
        return self.runtime.store.reader(self.namespace)

    @property
    def guard(self) -> Guard:
        """The preset's guard, which judges files and exports too; the default guard if the preset has none."""
        from combray.remember.guard import Guard

        found = next((each for each in self.preset.remember if isinstance(each, Guard)), Guard())
        return found.using(self.runtime)

    @cached_property
    def compares_last(self) -> bool:
        """Whether no stage between the comparisons of a write and its transaction can see what they found."""
        names = [stage_name(stage) for stage in self.preset.remember]
        return any(names[at : at + 3] == ["FindNearest", "Diff", "Transaction"] for at in range(len(names)))

    @property
    def trusts(self) -> tuple[str, ...]:
        """Trust levels that reads of this namespace show; never "quarantined"."""
        return shown_trusts(str(self.settings.get("require_trust", "")), self.namespace)

    def key_of(self, memory_id: str, reader: Reader | None = None) -> int:
        """The store's key of an id, or a prefix of eight characters or more, as a reader or transaction sees it.

        Raises NotFoundError.
        """
        if not isinstance(memory_id, str):
            raise InvalidInputError("id", f"must be a text, not {memory_id!r}.")
        wanted = memory_id.strip()
        reader = self.reader if reader is None else reader
        key = reader.keys_of([wanted]).get(wanted)
        if key is None and (several := self._starting(wanted, reader)):
            which = f"several memories in namespace {self.namespace!r} start with {memory_id!r}"
            raise NotFoundError(f"{which}: {', '.join(several)}. Give more characters.")
        if key is None:
            remedy = "give the full id, or at least its first eight characters if only one id starts so"
            raise NotFoundError(f"no memory {memory_id!r} in namespace {self.namespace!r}; {remedy}")
        return key

    def memory_of(self, memory_id: str) -> tuple[int, Memory]:
        """The key and the memory of an id or prefix. Raises NotFoundError."""
        key = self.key_of(memory_id)
        for memory in self.reader.memories([key]):
            return key, memory
        raise NotFoundError(f"memory {memory_id!r} of namespace {self.namespace!r} was erased a moment ago.")

    @staticmethod
    def _starting(prefix: str, reader: Reader) -> list[str]:
        """Ids that start with a prefix which is too short or names several; at most a few."""
        if len(prefix) < _LEAST_PREFIX:
            return []
        # U+10FFFF sorts after every character of an id.
        ends = Compare("id", "gte", "text", (prefix,)), Compare("id", "lt", "text", (prefix + "\U0010ffff",))
        return reader.ids(np.array(reader.page(And(ends), Order("id", False), _MOST_LISTED), dtype=np.int64))

    def asking(self) -> Asking:
        """Return the object that checks a question and runs a recall pipeline on this namespace."""
        return Asking(self.namespace, self.runtime, self.trusts)

    def written(self) -> None:
        """Wake the worker, if one runs: there may be vectors to make."""
        if self.after_write is not None:
            self.after_write()


class Verbs:
    """The verbs of a namespace that the engine, its facets, conversations, answers and imports share."""

    def __init__(self, at: Namespace) -> None:
        self._at = at

    @property
    def runtime(self) -> Runtime:
        """The open store, the models and the clock."""
        return self._at.runtime

    @property
    def namespace(self) -> str:
        """Name of the namespace."""
        return self._at.namespace

    @property
    def preset(self) -> str:
        """Name of the preset in use."""
        return self._at.preset.name

    @property
    def now(self) -> float:
        """The present by the engine's clock, in unix seconds."""
        return self.runtime.clock()

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings in force, by name."""
        return self._at.settings

    @property
    def reader(self) -> Reader:
        """A reader of the namespace, as stages use it."""
        return self._at.reader

    @property
    def guard(self) -> Guard:
        """The guard that judges texts, files and imports."""
        return self._at.guard

    @property
    def trusts(self) -> tuple[str, ...]:
        """Trust levels that reads show; never "quarantined"."""
        return self._at.trusts

    @audited("remember", reads=False)
    def remember(self, text: str, *, diff: bool = True, **fields: Unpack[MemoryFields]) -> Remembered:
        """Remember one text.

        A duplicate is skipped and a stated new value supersedes the old memory; `diff=False` stores the text
        without comparing. Importance is 1-5, confidence 0-1. Times are datetimes, ISO 8601, or words
        ("3 days ago"). Raises InvalidInputError, with nothing written, and StoreError.
        """
        twice = sorted({"content", "text"} & fields.keys())
        if twice:
            raise InvalidInputError(
                twice[0], "is given beside the text.", "Give the text once, as the first argument."
            )
        return self._write([{"content": text, **fields}], diff, suggest=True)[0]

    @audited("remember_many", reads=False)
    def remember_many(
        self,
        items: Iterable[str | MemoryItem],
        *,
        diff: bool = True,
        batch: int = BATCH,
        progress: Callable[[int], None] | None = None,
        judged_as: str = "",
        atomic: bool = False,
    ) -> list[Remembered]:
        """Remember many texts, one transaction a batch. Items are texts, or mappings with `content` and fields.

        Messages of a chat, mappings with `role` and `content`, are stored with the role as author.
        An invalid item is not stored: its result has the action "refused" and a `reason`. With `atomic` it raises
        InvalidInputError or NotFoundError instead, and nothing of its batch is written; earlier batches stay.
        `progress` is called with the count done after each batch. `judged_as` is the trust the guard judges all
        items by, if lower than their own ("untrusted" for third-party content); each item is stored with its own
        trust.
        """
        from combray.sessions.messages import read_item

        if isinstance(items, (str, bytes, Mapping)):
            raise InvalidInputError("items", f"is one {type(items).__name__}.", "Give a list of items.")
        if judged_as:
            one_of("judged_as", judged_as, TRUSTS)
        results: list[Remembered] = []
        for some in _batches(items, whole("batch", batch, 1, MAX_BATCH)):
            normal = [read_item(item) for item in some]
            results += self._write(normal, diff, suggest=False, judged_as=judged_as, atomic=atomic)
            if progress is not None:
                progress(len(results))
        return results

    def _write(
        self,
        items: Sequence[Mapping[str, Any]],
        diff: bool,
        *,
        suggest: bool,
        judged_as: str = "",
        atomic: bool = True,
    ) -> list[Remembered]:
        from combray.forms.remembering import RefusedUnderLockError, Remembering
        from combray.language.text import trim

        self._at.accesses.flush()
        now = self.runtime.clock()
        state = Remembering(
            self.namespace,
            list(items),
            now,
            diff=diff,
            suggest=suggest,
            judged_as=judged_as,
            trusts=self.trusts,
            atomic=atomic,
        )
        # What a batch takes to compare is too long to be done under the write lock.
        state.put_off = diff and suggest and self._at.compares_last and self.runtime.store.busy
        while True:
            try:
                done = self._at.preset.remember.run(state, self.runtime)
                break
            except RefusedUnderLockError:
                state = state.again()
        trim()
        self._at.written()
        self._count_failures([each for each in done.degraded if each.startswith(FAILED)])
        results = done.results()
        if self.settings.get("judge_at_write", False) and any(each.may_revise for each in results):
            from combray.engine.judging import judged

            return judged(self.runtime, self.namespace, results)
        return results

    def _count_failures(self, failures: Sequence[str]) -> None:
        """Count the advising stages that failed, for `status`. The write is done and does not fail for it."""
        if not failures:
            return
        with suppress(StoreError), self.runtime.store.transaction(self.namespace) as tx:
            tx.keep(NO_ADVICE, str(int(tx.kept(NO_ADVICE) or 0) + len(failures)))

    @audited("recall", asks=True)
    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        preset: str | presets.Preset | None = None,
        basic: bool = False,
        namespaces: Sequence[str] | None = None,
        **options: Unpack[RecallOptions],
    ) -> Answer:
        """Recall the memories that answer a query, best first, with signals, reasons and a trace.

        `intent` is WHY, WHEN, ENTITY or GENERAL. `since`, `until` and `as_of` are moments. An empty answer has
        a `reason`. `keep` drops hits below that share of the best score (0: none); None takes the preset's.
        `basic` searches for the query as a substring. `where` filters (`combray.where`).
        `namespaces` reads several namespaces of the store instead of this one. Raises InvalidInputError.
        """
        chosen = self._at.preset
        if preset is not None:
            chosen = tuned(presets.load(preset) if isinstance(preset, str) else preset, self.settings)
        spaces = self._at.several(namespaces)
        answers = [
            each.asking().answer(query, chosen.recall, chosen.name, limit=limit, basic=basic, options=options)
            for each in spaces
        ]
        answer = merged(answers, limit)
        for space in spaces:
            found = (hit.memory.id for hit in answer if hit.memory.namespace == space.namespace)
            space.accesses.note(found, self.runtime.clock())
        return answer

    @audited("search", asks=True)
    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        namespaces: Sequence[str] | None = None,
        **options: Unpack[RecallOptions],
    ) -> Answer:
        """Search by keywords only. The score is the share of the query's words that a memory contains."""
        pipeline = Asking.keyword_pipeline()
        answers = [
            each.asking().answer(query, pipeline, "search", limit=limit, basic=False, options=options)
            for each in self._at.several(namespaces)
        ]
        return merged(answers, limit)

    @audited("get")
    def get(self, memory_id: str) -> Memory:
        """The memory with an id, or with a unique id prefix of at least 8 characters. Raises NotFoundError."""
        return self._at.memory_of(memory_id)[1]


def merged(answers: Sequence[Answer], limit: int) -> Answer:
    """Return the best `limit` hits of all answers by score; ties go to the namespace that is named first.

    Scores are compared as they are. Measured on LoCoMo conversation 1 with its turns split at random into two
    namespaces (recall@10, mean of two splits; one namespace, this rule, alternating by rank, scaled to the best
    hit): default 82.3, 79.3, 78.9, 78.8; semantic-facts 65.2, 65.3, 63.7, 61.5; engram 57.2, 59.1, 56.8, 55.3;
    openclaw 65.8, 64.6, 66.7, 64.9; mnemon 49.1, 48.2, 48.1, 47.4; mnemo 34.4, 22.3, 22.5, 22.3. What is lost is
    the context of turns whose neighbours are in the other namespace.
    """
    first = answers[0]
    if len(answers) == 1:
        return first
    hits = sorted((hit for answer in answers for hit in answer.hits), key=lambda hit: -hit.score)
    # The best of one namespace is the measure for the others too.
    near = [hit for hit in hits if hit.score >= first.details.get("keep", 0.0) * hits[0].score]
    dropped = sum(answer.details.get("dropped", 0) for answer in answers) + len(hits) - len(near)
    # How sure the answer is, and whether its evidence is weak, is decided where it is found best.
    surest = max(answers, key=lambda answer: answer.confidence)
    details = surest.details | {"dropped": min(dropped, max(0, limit - len(near)))}
    reasons = dict.fromkeys(answer.reason for answer in answers if answer.reason and bool(answer) == bool(hits))
    trace = tuple(step for answer in answers for step in answer.trace)
    return replace(first, hits=tuple(near[:limit]), reason="; ".join(reasons), trace=trace, details=details)


def check_namespace(name: str) -> str:
    """A usable namespace name. Raises InvalidInputError."""
    if not isinstance(name, str) or not name or name.strip() != name or len(name) > 200 or not name.isprintable():
        raise InvalidInputError(
            "namespace", f"{name!r} cannot be used.", "Give 1 to 200 printable characters without spaces around."
        )
    return name


def shown_trusts(required: str, namespace: str) -> tuple[str, ...]:
    """The trust levels at or above what is required: one level for all, or "NAMESPACE=level, …".

    Raises InvalidInputError for a level that does not exist.
    """
    wanted = "untrusted"
    for part in filter(None, (each.strip() for each in required.split(","))):
        name, named, level = part.rpartition("=")
        if not named or name.strip() == namespace:
            wanted = one_of("require_trust", level.strip(), TRUSTS[:3])
    return TRUSTS[: TRUSTS.index(wanted) + 1]


def _batches(items: Iterable[str | MemoryItem], size: int) -> Iterator[list[str | MemoryItem]]:
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some
