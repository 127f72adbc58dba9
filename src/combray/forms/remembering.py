"""What a write carries from stage to stage: a batch of drafts. One `remember` is a batch of one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from combray.errors import CombrayError, InvalidInputError, NotFoundError
from combray.language.scopes import scope_set
from combray.language.tense import Claim
from combray.records import dataclass, field, replace
from combray.runtime import Filter, Ranked, Reader, Writer
from combray.scoring.ageing import ImportanceRule
from combray.types import LIVE_STATUSES, Candidate, Memory, Remembered, Step

Suggestion = Literal["ADD", "UPDATE", "CONFLICT", "DUPLICATE"]
Action = Literal["added", "replaced", "skipped", "untrusted", "quarantined"]
LinkCandidates = Callable[[], tuple[dict[str, Any], ...]]
"""Called when a caller reads the reply: few do, and the look-up takes longer than the write."""
TRUSTED = ("owner", "agent")
"""Trust of the texts that may supersede one another."""


@dataclass(slots=True)
class Draft:
    """One text on its way to becoming a memory: what it says, what is near it, what becomes of it, the report."""

    # The text, checked and read.
    memory: Memory
    """The memory as it will be stored. `Validate` makes it, stages replace it; it is never changed in place."""
    guard: str = ""
    """The guard's decision and the reasons; empty if the text was accepted unchanged (`Guard`)."""
    claim: Claim = field(default_factory=Claim)
    """What the text claims about time (`ReadTime`)."""
    limits_given: frozenset[str] = frozenset()
    """Which of `valid_from` and `valid_to` the caller decided, also for no limit: the text changes neither
    (`Validate`)."""
    supersedes: tuple[str, ...] = ()
    """Ids of the memories that the caller wants superseded (`Validate`)."""
    keep_both: tuple[str, ...] = ()
    """Ids of the memories that hold beside it, as the caller says (`Validate`, then `Settle`)."""

    # What is near it.
    vector: NDArray[np.float32] | None = None
    """Its vector, of unit length; None if it has none yet (`Embed`)."""
    nearest: Ranked | None = None
    """Stored memories with a near vector, best first (`FindNearest`)."""
    suspects: tuple[Suspect, ...] | None = None
    """Earlier memories that it may change, the most probable first, before it is known what the write itself
    supersedes; None if none were looked for (`SuggestRevisions`)."""

    # What becomes of it: `Diff` proposes, `Settle` decides under the write lock.
    suggestion: Suggestion = "ADD"
    """What is to become of it."""
    reason: str = ""
    """Why, in words."""
    contradicts: bool = False
    """Whether the diff found that it and the memory it replaces cannot both hold (preset mnemon)."""
    restated: bool = False
    """Whether a live memory has the same text, but a later one changed, or may change, what it says (`Diff`)."""
    matched: int | None = None
    """Key of the stored memory it duplicates or replaces."""
    twin: Draft | None = None
    """An earlier draft of the same batch that it duplicates or replaces."""
    also: list[SettledWith] = field(default_factory=list)
    """What it replaces beside the first one."""
    beside: list[SettledWith] = field(default_factory=list)
    """What holds beside it, as the caller says (`Settle`)."""
    behind: SettledWith | None = None
    """The later value of its slot that it stands behind (`Settle`)."""
    spliced: list[SettledWith] = field(default_factory=list)
    """Earlier values that `behind` had superseded. This one supersedes them now (`Settle`)."""

    # The report.
    key: int | None = None
    """Its key in the store, once it is written (`Write`)."""
    replaced_id: str | None = None
    """Id of the memory that it replaces or duplicates (`Write`, `Settle`)."""
    warnings: tuple[str, ...] = ()
    """Quality warnings (`Warn`)."""
    notices: tuple[str, ...] = ()
    """The guard's messages: what was redacted or quarantined (`Guard`)."""
    may_revise: tuple[Candidate, ...] = ()
    """The suspects that are worth a question, the most probable first (`KeepRevisions`)."""
    edges: dict[str, int] = field(
        default_factory=lambda: {"temporal": 0, "entity": 0, "causal": 0, "semantic": 0}
    )
    """How many edges of each kind were made for it. Each linking stage writes its kind."""
    effective_importance: float | None = None
    """How much it, or the memory it repeats, matters now (`RefreshImportance`)."""
    embedded: bool = False
    """Whether it, or the memory it repeats, has a vector of the embedder in use (`say_embedded`)."""
    not_embedded: str = ""
    """Why it has none (`Embed`, `QueueEmbedding`, `say_embedded`)."""
    semantic_candidates: LinkCandidates = tuple
    """Returns memories near it that a person or a model may want to link (`SuggestSemantic`)."""
    causal_candidates: LinkCandidates = tuple
    """Returns memories close to it in the graph that may be its cause or effect (`SuggestCausal`)."""

    @property
    def skipped(self) -> bool:
        """Whether nothing is to be inserted for it."""
        return self.suggestion == "DUPLICATE"

    @property
    def reported(self) -> Suggestion:
        """The suggestion to report: CONFLICT also for a text that replaces what it contradicts."""
        return "CONFLICT" if self.suggestion == "UPDATE" and self.contradicts else self.suggestion

    @property
    def quarantined(self) -> bool:
        """Whether it is quarantined: stored, but never linked or recalled, and it supersedes nothing."""
        return self.memory.trust == "quarantined"


@dataclass(slots=True)
class SettledWith:
    """A memory that a draft is settled with: a stored one, or an earlier draft of the batch."""

    memory: Memory
    key: int | None = None
    draft: Draft | None = None

    @property
    def stored(self) -> int:
        """Its key in the store. A draft has one once it is written."""
        key = self.key if self.draft is None else self.draft.key
        if key is None:
            raise AssertionError("the draft is not written yet")
        return key


@dataclass(frozen=True, slots=True)
class Suspect:
    """An earlier memory that a draft may change: its key, or an earlier draft of the same batch."""

    score: float
    """Probability, 0-1."""
    reason: str
    key: int | None
    twin: Draft | None

    @property
    def stored(self) -> int | None:
        """Its key in the store. An earlier draft has one once it is written, unless it is skipped."""
        return self.key if self.twin is None else self.twin.key


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What linking needs to know of one scope of the namespace as it was before the insert."""

    recent: tuple[tuple[int, float], ...]
    """(key, moment) of the newest memories, newest first."""
    recent_texts: Mapping[int, str]
    """Their texts by key."""
    last_of_source: Mapping[str, tuple[int, float]]
    """(key, moment) of the newest memory of each source."""
    naming: Mapping[str, tuple[int, list[int]]]
    """For each entity how many memories of the namespace name it, and the keys of the newest of this scope."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The namespace as it was before the insert. No edge joins two scopes, so each scope is read separately."""

    live: int = 0
    """Number of live memories, without those that this write replaces."""
    scopes: Mapping[tuple[str, ...], Surroundings] = field(default_factory=dict)
    """By scope, as `scope_set` returns it."""

    def groups(self, drafts: Sequence[Draft]) -> list[tuple[Surroundings, list[Draft]]]:
        """Return the drafts of each scope, in order, with what surrounds them."""
        found: dict[tuple[str, ...], list[Draft]] = {}
        for draft in drafts:
            found.setdefault(scope_set(draft.memory.tags), []).append(draft)
        return [(self.scopes[scope], some) for scope, some in found.items()]


class RefusedUnderLockError(Exception):
    """Rolls the transaction of a batch back: items were refused that others were compared with already.

    The batch is written again without them.
    """


Reread = Callable[["Remembering", Reader], None]
"""A read of the store that fills drafts and can be repeated on a newer state of the store."""


@dataclass(slots=True)
class Remembering:
    """State of the remember pipeline: what the caller gave, the drafts, and the transaction that writes them."""

    # What the caller gave and wants.
    namespace: str
    """The namespace that is written to."""
    items: list[Mapping[str, Any]]
    """The caller's fields of each text."""
    now: float
    """Unix seconds of the write."""
    diff: bool = True
    """Whether texts are compared with what is known; without, each is added."""
    suggest: bool = True
    """Whether candidates for links are wanted. A batch has none."""
    judged_as: str = ""
    """Trust that the guard judges all of it by, where that is less than what a text claims; empty: its own."""
    trusts: tuple[str, ...] = Filter().trusts
    """Trust of the memories that may be shown beside what was written."""
    atomic: bool = True
    """Whether an item that is refused stops the batch. Otherwise the others are stored."""
    put_off: bool = False
    """Whether comparisons are left to `Settle`: another thread writes, so they would be repeated in any case."""

    # The texts, and what they were compared with.
    drafts: list[Draft] = field(default_factory=list)
    """One for each item that is not refused, in the same order (`Validate`)."""
    tokens: dict[str, NDArray[np.int8]] = field(default_factory=dict)
    """Vectors of the tokens of drafts, by the id of the memory (`Embed`)."""
    refused: dict[int, CombrayError] = field(default_factory=dict)
    """Why an item was refused, by its place (`Validate`, `AssignScope`, `Guard`, `Settle`)."""
    seen_revision: int = -1
    """Revision of the store that the drafts were compared with (`FindNearest`)."""
    rereads: list[Reread] = field(default_factory=list)
    """What those comparisons were, in order (`FindNearest`, `Diff`). `Settle` repeats them if the store has
    changed since."""

    # The write.
    tx: Writer | None = None
    """The open transaction; None outside one. `Transaction` writes it."""
    survey: Survey | None = None
    """The namespace as it was before the insert (`TakeSurvey`)."""
    revisions_left: bool = False
    """Whether the batch is too large to look up what its texts may change: consolidation does
    (`SuggestRevisions`)."""
    linked_from: float = math.inf
    """Cosine from which memories are linked without a question (`LinkSemantic`)."""
    importance: ImportanceRule = field(default_factory=ImportanceRule)
    """The rule of effective importance (`RefreshImportance`)."""
    pruned: int = 0
    """How many memories were hidden to make room (`Prune`)."""

    # The report.
    trace: list[Step] = field(default_factory=list)
    """One line for each stage that ran. The kernel writes it."""
    degraded: list[str] = field(default_factory=list)
    """What failed, in words, while the write went on without it."""

    def size(self) -> int:
        """Drafts that will be, or have been, written."""
        return len([draft for draft in self.drafts if draft.suggestion != "DUPLICATE"])

    @property
    def done(self) -> bool:
        """Whether every item was refused, so that nothing is left to write."""
        return bool(self.refused) and len(self.refused) == len(self.items)

    @contextmanager
    def checking(self, place: int) -> Iterator[None]:
        """Note an item as refused if the block raises for a wrong value. Raises it if the batch is atomic."""
        try:
            yield
        except (InvalidInputError, NotFoundError) as error:
            if self.atomic:
                raise
            self.refused[place] = error

    def placed(self) -> list[tuple[int, Draft]]:
        """Return each draft with the place of its item."""
        places = (place for place in count() if place not in self.refused)
        return list(zip(places, self.drafts, strict=False))

    def check_each(self, check: Callable[[int, Draft], None]) -> None:
        """Check each draft, given with the place of its item; those that are refused leave the batch."""
        placed = self.placed()
        for place, draft in placed:
            with self.checking(place):
                check(place, draft)
        self.drafts = [draft for place, draft in placed if place not in self.refused]

    def again(self) -> Remembering:
        """Return the batch as it was given, without the items that were refused."""
        return replace(
            self,
            drafts=[],
            rereads=[],
            seen_revision=-1,
            tx=None,
            survey=None,
            revisions_left=False,
            trace=[],
            degraded=[],
        )

    def alone(self) -> Iterator[str]:
        """Hold each draft alone, one after the other; yield a hash of its text."""
        drafts = self.drafts
        try:
            for draft in drafts:
                self.drafts = [draft]
                yield draft.memory.content_hash
        finally:
            self.drafts = drafts

    @property
    def written(self) -> list[Draft]:
        """Drafts that were inserted and are to be seen, in order: what is quarantined is linked to nothing."""
        return [draft for draft in self.drafts if draft.key is not None and not draft.quarantined]

    @property
    def replaced(self) -> set[int]:
        """Keys of the stored memories that drafts replace."""
        replacing = [draft for draft in self.drafts if draft.suggestion == "UPDATE"]
        found = {draft.matched for draft in replacing} | {each.key for draft in replacing for each in draft.also}
        return {key for key in found if key is not None}

    @property
    def replaced_drafts(self) -> set[int]:
        """Keys of the drafts that later drafts of the batch replace, once they are written."""
        replacing = [draft for draft in self.drafts if draft.suggestion == "UPDATE"]
        found = [draft.twin for draft in replacing] + [each.draft for draft in replacing for each in draft.also]
        return {draft.key for draft in found if draft is not None and draft.key is not None}

    @property
    def writer(self) -> Writer:
        """The open transaction."""
        if self.tx is None:
            raise AssertionError("this stage runs inside a Transaction")
        return self.tx

    def results(self) -> list[Remembered]:
        """What became of each item, in the order given."""
        done = map(self._result, self.drafts)
        return [
            _refusal(self.refused[place]) if place in self.refused else next(done)
            for place in range(len(self.drafts) + len(self.refused))
        ]

    def _result(self, draft: Draft) -> Remembered:
        return Remembered(
            id=draft.memory.id if draft.key is not None else (draft.replaced_id or draft.memory.id),
            action=_action(draft),
            diff_suggestion=draft.reported,
            replaced_id=None if draft.skipped else draft.replaced_id,
            edges_created=draft.edges,
            # `Remembered` calls them on the first read.
            semantic_candidates=cast(Any, draft.semantic_candidates),
            causal_candidates=cast(Any, draft.causal_candidates),
            quality_warnings=(*draft.notices, *draft.warnings),
            embedded=draft.embedded,
            not_embedded="" if draft.embedded else draft.not_embedded,
            effective_importance=None
            if draft.effective_importance is None
            else round(draft.effective_importance, 6),
            auto_pruned=self.pruned,
            reason=draft.reason,
            guard=draft.guard,
            may_revise=draft.may_revise,
            trace=tuple(self.trace),
        )


def _refusal(error: CombrayError) -> Remembered:
    return Remembered(id="", action="refused", diff_suggestion="", not_embedded="refused", reason=str(error))


def _action(draft: Draft) -> Action:
    """Return what became of a text. What the guard made of it is part of it: nothing disappears silently."""
    if draft.skipped:
        return "skipped"
    if draft.guard and draft.quarantined:
        return "quarantined"
    if draft.replaced_id:
        return "replaced"
    return "untrusted" if draft.guard else "added"


def revised(reader: Reader, keys: Sequence[int], least: float) -> set[int]:
    """Return which of these memories a later live one may revise, or will supersede on its day.

    `least`: the least probability of an open `may_revise` edge that counts.
    """
    if not keys:
        return set()
    links = reader.links(keys, ("may_revise",))
    asked = [each for each in links if each.target in keys and not each.subtype and each.weight >= least]
    sources = sorted({each.source for each in asked})
    status = dict(zip(sources, (each.status for each in reader.memories(sources)), strict=True))
    found = {each.target for each in asked if status[each.source] in LIVE_STATUSES}
    known = zip(keys, reader.memories(keys), strict=True)
    return found | {key for key, memory in known if memory.superseded_by is not None}
