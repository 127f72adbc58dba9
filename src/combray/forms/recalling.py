"""What a read carries from stage to stage: the query as understood, candidates as columns, reasons."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from combray.language.questions import Question
from combray.records import dataclass, field
from combray.runtime import Arm, Filter, Found, Keys, LateRows, Link, Reader, Rows, Scores
from combray.types import LIVE_STATUSES, AnswerDetails, Hit, Step

Level = Literal["none", "static", "contextual"]
"""The kind of vectors: without an embedder, static, contextual."""


def aligned(keys: Keys, known: Keys, scores: Scores) -> Scores:
    """Scores of `keys`, looked up among the ascending `known`; 0 for keys that are not there."""
    if not len(known):
        return np.zeros(len(keys))
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[places] == keys, scores[places], 0.0)


def sure_enough(where: Filter, above: float) -> Filter:
    """Return the filter for memories with a confidence above a bound; 0 lets all through."""
    if not above:
        return where
    return replace(where, min_confidence=max(where.min_confidence, math.nextafter(above, math.inf)))


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the query that is searched for: all of it, or a passage of a long query."""

    terms: tuple[str, ...]
    """Its stemmed words, without stop words."""
    vector: NDArray[np.float32] | None = None
    """Its vector, of unit length; None without an embedder."""
    unrelated: float = 0.0
    """Mean cosine of that vector with texts that have nothing to do with it."""
    text: str = ""
    """Its text; "" for all of the query."""


@dataclass(slots=True)
class RecallRequest:
    """What the caller asked for beside the filter. `Asking` writes it."""

    text: str = ""
    """The query as the caller wrote it."""
    limit: int = 10
    """Most hits wanted."""
    since: float | None = None
    """The caller's own `where.since`, before a date of the query narrows it."""
    until: float | None = None
    """The caller's own `where.until`."""
    min_score: float | None = None
    """Least score of a hit; None: that of the preset."""
    keep: float | None = None
    """Share of the best score below which hits are dropped; None: that of the preset. `drop_weak` applies a share
    once and sets it to 0."""
    whole: bool = False
    """Whether nothing but a time or the speaker is asked for, so that no hit is weak (`RequireDay`,
    `RequireSpeaker`)."""
    intent_source: str = "auto"
    """Whether the intent was detected ("auto") or set by the caller ("override")."""


@dataclass(slots=True)
class SearchWords:
    """Words to search for beside `Recalling.terms`, in the designs that have them."""

    keywords: tuple[str, ...] = ()
    """Words of the query that are searched for one by one (`ExtractKeywords`)."""
    exact: tuple[str, ...] = ()
    """Numbers and short words of the query: they raise what another word finds (`ExtractKeywords`)."""
    expansion: Mapping[str, float] = field(default_factory=dict)
    """Synonyms of the terms, with the weight of each (`ExpandQuery`)."""
    days: tuple[str, ...] = ()
    """The days that the query names, in every form in which texts write them (`ExpandQuery`)."""


@dataclass(slots=True)
class MeantNames:
    """Whom and what the query means: declared and learned names (`ReadAliases`), or the speaker."""

    named: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Name in the query -> every name of that thing, itself included."""
    lends: tuple[tuple[str, tuple[str, ...], float], ...] = ()
    """The other names, as `KeywordArm.lends` takes them."""
    arms: Mapping[str, Arm] = field(default_factory=dict)
    """One arm for each of those names, which finds the memories that hold it."""
    speaker: bool = False
    """Whether the query asks for everything about the speaker, and for nothing else (`ReadQuestion`)."""


@dataclass(slots=True)
class AskedTimes:
    """The times that the query asks for. Ranges are (since, until), unix seconds."""

    dated: str = ""
    """In words, the dates that filter (`ReadDay`, `ResolveDates`)."""
    alone: bool = False
    """Whether the query asks for nothing but those dates (`ReadDay`, `ResolveDates`)."""
    windows: tuple[tuple[float, float], ...] = ()
    """Those dates, if the query asks for nothing else and they are no part of the filter (`ReadDay`)."""
    hinted: tuple[tuple[float, float], ...] = ()
    """Ranges that the query only hints at (`ResolveDates`)."""
    past: bool = False
    """Whether the query asks how things were: nothing is moved in favour of the present (`ReadQuestion`,
    `SearchContext`)."""


@dataclass(slots=True)
class QueryVector:
    """The vector of the query and what made it (`EmbedQuery`)."""

    vector: NDArray[np.float32] | None = None
    """Of unit length; None without an embedder or when it failed."""
    model: str = ""
    """Name of the embedder: its vectors are compared."""
    contextual: bool = False
    """Whether that embedder reads a word in its context."""
    trust: float = 1.0
    """How well that embedder knows the query's language, from 0 to 1."""
    lacking: float = 1.0
    """Share of memories without a vector above which the answer reports them."""


@dataclass(slots=True)
class ReadEdges:
    """Edges between candidates and what replaces or repeats them, as far as they were read."""

    successors: Mapping[int, int] = field(default_factory=dict)
    """Outdated candidates, each with the end of its chain, -1 if that is not shown (`FollowRevisions`)."""
    revisions: list[Link] | None = None
    """Open `may_revise` edges to the hits; None before they are read (`ShowLater`)."""
    linked: set[int] = field(default_factory=set)
    """Keys whose edges were read (`open_revisions`)."""
    slots: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Key of the newest value of a slot -> those of the earlier ones, newest first (`OrderSlots`)."""
    restating: set[tuple[int, int]] = field(default_factory=set)
    """Pairs of such a key and one that restates it, or was merged into it (`open_revisions`)."""


@dataclass(slots=True)
class Recalling:
    """State of the recall pipeline: the question, what was found, and what is shown.

    `signals` and `scores` are aligned with `keys`. Only `take` and `arrange` sort or drop candidates.
    """

    # The question: what is asked, and how it was understood.
    query: str
    """What is searched for. `ResolveDates` and `ResolvePronouns` rewrite it."""
    namespace: str
    """The namespace that is asked."""
    reader: Reader
    """Reads that namespace, as of the start of this recall."""
    now: float
    """Unix seconds of the question."""
    asked: RecallRequest = field(default_factory=RecallRequest)
    """The request as the caller made it."""
    where: Filter = field(default_factory=Filter)
    """What a memory must be to be a candidate. `ResolveDates` and `ReadScope` narrow it; no stage widens it."""
    question: Question | None = None
    """Whom the query is about and what it asks for (`ReadQuestion`)."""
    intent: str = "GENERAL"
    """WHY, WHEN, ENTITY or GENERAL (`DetectIntent`)."""
    terms: tuple[str, ...] = ()
    """Stemmed words of the query, in its order but stop words (`ReadQuestion` or `ReadQuery`, `ReadAliases`)."""
    words: SearchWords = field(default_factory=SearchWords)
    """Further words to search for."""
    entities: tuple[str, ...] = ()
    """Entities that the query names (`ReadQuery`, `ReadNames`)."""
    names: MeantNames = field(default_factory=MeantNames)
    """Whom and what it means."""
    times: AskedTimes = field(default_factory=AskedTimes)
    """Dates of the query, and whether it asks about the past."""
    embedded: QueryVector = field(default_factory=QueryVector)
    """The query's vector."""
    parts: tuple[Part, ...] = ()
    """The query, then the passages of a long query (`SplitQuery`)."""

    # What was found: candidates as columns.
    found: Found | None = None
    """What the store's search returned: one ranked list and one score column for each arm. The preset's search
    stage writes it; `FollowRevisions` and `ShowSuccessors` put later memories in the place of outdated ones."""
    keys: Keys = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The candidates."""
    signals: dict[str, Scores] = field(default_factory=dict)
    """Evidence by name, aligned with `keys`; higher is better. Each is written by the stage that `gives` it."""
    scores: Scores = field(default_factory=lambda: np.zeros(0))
    """The score of each candidate, aligned with `keys`; higher is better."""
    via: dict[int, str] = field(default_factory=dict)
    """How a key was found, where a stage knows better than the ranked lists."""
    edges: ReadEdges = field(default_factory=ReadEdges)
    """What replaces or repeats candidates."""
    rows: Rows | None = None
    """Columns read last, of the keys they name. Ask `columns`."""
    texts: dict[int, str] = field(default_factory=dict)
    """Texts read so far, by key. Ask `contents`."""

    # What is shown: hits, reasons, details, trace.
    hits: list[Hit] = field(default_factory=list)
    """The answer, best first (`Assemble`)."""
    reason: str = ""
    """Why the answer is empty, or which mode answered. A stage that empties the answer writes why."""
    weak: str = ""
    """Why the evidence is weak (`RequireEvidence`). A stage that adds what needs no evidence empties it."""
    details: AnswerDetails = field(default_factory=AnswerDetails)
    """What the answer reports beside its hits, each key by the stage that reports it."""
    trace: list[Step] = field(default_factory=list)
    """One line for each stage that ran. The kernel writes it."""
    degraded: list[str] = field(default_factory=list)
    """What failed, in words, while recall went on without it."""
    done: bool = False
    """Whether the answer is final: no later stage runs but those that `run_when_done`."""

    @property
    def keeps_superseded(self) -> bool:
        """Whether superseded memories are wanted as hits: the past is asked for, or the filter has them."""
        return self.times.past or self.where.statuses != LIVE_STATUSES

    @property
    def present(self) -> float:
        """The moment whose present is asked for, in unix seconds: `as_of`, else now."""
        return self.now if self.where.as_of is None else self.where.as_of

    def signal(self, name: str) -> Scores:
        """Return a signal; 0 for every candidate if no stage gave it."""
        return self.signals[name] if name in self.signals else np.zeros(len(self.keys))

    def contents(self, keys: Sequence[int]) -> list[str]:
        """Return the texts of keys; those that a stage asked for before are not read again."""
        missing = [key for key in keys if key not in self.texts]
        if missing:
            self.texts.update(zip(missing, self.reader.contents(missing), strict=True))
        return [self.texts[key] for key in keys]

    def size(self) -> int:
        """Number of hits, or of candidates while there are no hits yet."""
        return len(self.hits) or len(self.keys)

    def take(self, places: NDArray[Any]) -> None:
        """Keep these places of the candidates, in this order (indices or a mask)."""
        if places.dtype == np.bool_:
            places = np.flatnonzero(places)
        before, self.keys = self.keys, self.keys[places]
        if self.rows is not None and self.rows.keys is before:
            self.rows = LateRows.of(self.rows, places, self.keys)
        self.scores = self.scores[places] if len(self.scores) else self.scores
        self.signals = {name: values[places] for name, values in self.signals.items()}

    def arrange(self, keys: Keys, scores: Scores) -> None:
        """Make these keys with these scores the candidates. New keys have no evidence: their signals are 0."""
        known = np.argsort(self.keys)
        before = self.keys[known]
        self.signals = {name: aligned(keys, before, values[known]) for name, values in self.signals.items()}
        self.keys, self.scores = keys, scores

    def columns(self) -> Rows:
        """Return columns aligned with `keys`. Keys whose columns were read before are not read again."""
        if self.rows is None or self.rows.keys is not self.keys:
            self.rows = self._known() or self._read()
        return self.rows

    def _read(self) -> Rows:
        rows = self.reader.rows(self.keys)
        return rows if rows.keys is self.keys else LateRows.of(rows, np.arange(len(self.keys)), self.keys)

    def _known(self) -> Rows | None:
        """The columns read last, in the order of the present keys; None if one of them is missing there."""
        if self.rows is None or not len(self.rows.keys):
            return None
        order = np.argsort(self.rows.keys)
        found = np.searchsorted(self.rows.keys, self.keys, sorter=order)
        places = order[np.minimum(found, len(order) - 1)]
        if not np.array_equal(self.rows.keys[places], self.keys):
            return None
        return LateRows.of(self.rows, places, self.keys)
