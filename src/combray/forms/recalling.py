"""What a read carries from stage to stage: the query as understood, candidates as columns, reasons."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.language.questions import Question
from combray.records import dataclass, field
from combray.runtime import Arm, Filter, Found, Keys, LateRows, Link, Reader, Rows, Scores
from combray.types import AnswerDetails, Hit, Step


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
class Recalling:
    """State of the recall pipeline. `signals` and `scores` are aligned with `keys`."""

    query: str
    """What is searched for. Stages that resolve dates or pronouns rewrite it."""
    namespace: str
    """The namespace that is asked."""
    reader: Reader
    """Reads that namespace, as of the start of this recall."""
    now: float
    """Unix seconds of the question."""
    asked: str = ""
    """The query as the caller wrote it."""
    limit: int = 10
    """Most hits the caller wants."""
    where: Filter = field(default_factory=Filter)
    """What a memory must be to be a candidate. Stages may narrow it and never widen it."""
    since: float | None = None
    """The caller's own `where.since`, before a date of the query narrows it."""
    until: float | None = None
    """The caller's own `where.until`."""
    min_score: float | None = None
    """Least score of a hit, if the caller set one."""
    keep: float | None = None
    """Share of the best score below which hits are dropped, if the caller set one."""
    dropped: int = 0
    """How many hits that cut dropped for which the limit had room."""
    spared: frozenset[int] = frozenset()
    """Keys that the relative cut keeps whatever their score."""
    intent: str = "GENERAL"
    """WHY, WHEN, ENTITY or GENERAL."""
    intent_source: str = "auto"
    """Whether the intent was detected ("auto") or set by the caller ("override")."""
    terms: tuple[str, ...] = ()
    """Stemmed words of the query, in its order, without stop words."""
    expansion: Mapping[str, float] = field(default_factory=dict)
    """Terms added to them, with the weight of each."""
    keywords: tuple[str, ...] = ()
    """Words of the query that are searched for one by one."""
    exact: tuple[str, ...] = ()
    """Numbers and short words of the query: they raise the score of what another word finds."""
    entities: tuple[str, ...] = ()
    """Entities that the query names."""
    named: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Declared and learned names in the query, each with every name of that thing (`ReadAliases`)."""
    lends: tuple[tuple[str, tuple[str, ...], float], ...] = ()
    """Other names of what the query names, as `KeywordArm.lends` takes them."""
    name_arms: Mapping[str, Arm] = field(default_factory=dict)
    """One arm for each of those names, which finds the memories that hold it."""
    understood: str = ""
    """The query for people: dates spelled out, pronouns replaced in brackets."""
    dated: str = ""
    """In words, the dates of the query that became part of `where`."""
    only_dated: bool = False
    """Whether the query asks for nothing but those dates."""
    about_speaker: bool = False
    """Whether the query asks for everything about the speaker, and for nothing else (`ReadQuestion`)."""
    asked_times: tuple[tuple[float, float], ...] = ()
    """Those dates, if the query asks for nothing else and no filter applies: (since, until), unix seconds."""
    soft: tuple[tuple[float, float], ...] = ()
    """Ranges (since, until) that the query only hints at, unix seconds."""
    question: Question | None = None
    """Whom the query is about and what it asks for."""
    asks_past: bool = False
    """Whether the query asks how things were: nothing is moved in favour of the present."""
    keeps_superseded: bool = False
    """Whether superseded memories are wanted as hits."""
    successors: Mapping[int, int] = field(default_factory=dict)
    """Outdated candidates, each with the end of its chain, -1 if that is not shown (`FollowRevisions`)."""
    revisions: list[Link] | None = None
    """Open `may_revise` edges to the hits; None before they are read."""
    linked: set[int] = field(default_factory=set)
    """Keys whose edges were read (`open_revisions`)."""
    restating: set[tuple[int, int]] = field(default_factory=set)
    """Pairs of such a key and one that restates it, or was merged into it."""
    days: tuple[str, ...] = ()
    """The days that the query names, in every form in which texts write them."""
    vector: NDArray[np.float32] | None = None
    """The query's vector, of unit length; None without an embedder or when it failed."""
    model: str = ""
    """Name of the embedder that made it: its vectors are compared."""
    parts: tuple[Part, ...] = ()
    """The query, then the passages of a long query."""
    contextual: bool = False
    """Whether that embedder reads a word in its context."""
    trust: float = 1.0
    """How well that embedder knows the query's language, from 0 to 1."""
    vectorless_from: float = 1.0
    """Share of memories without a vector above which the answer reports them."""
    found: Found | None = None
    """What the store's search returned: one ranked list and one score column for each arm."""
    keys: Keys = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The candidates. A stage that sorts or drops calls `take`."""
    signals: dict[str, Scores] = field(default_factory=dict)
    """Evidence by name, aligned with `keys`; higher is better."""
    scores: Scores = field(default_factory=lambda: np.zeros(0))
    """The score of each candidate, aligned with `keys`; higher is better."""
    via: dict[int, str] = field(default_factory=dict)
    """How a key was found, where a stage knows better than the ranked lists."""
    hits: list[Hit] = field(default_factory=list)
    """The answer, best first."""
    peers: list[dict[str, Any]] = field(default_factory=list)
    """What other memory services gave."""
    confidence: float = 0.0
    """How sure the answer is, from 0 to 1 (`RequireEvidence`)."""
    certain: bool = False
    """Whether no bound of evidence applies: its own text, an entity or nothing but a date was asked for."""
    reason: str = ""
    """Why the answer is empty, or which mode answered."""
    weak: str = ""
    """Why the evidence is weak."""
    moving: str = ""
    """Why the embedder that was configured before answers."""
    details: AnswerDetails = field(default_factory=AnswerDetails)
    """What the answer reports beside its hits. Stages write it; none computes with it."""
    trace: list[Step] = field(default_factory=list)
    """One line for each stage that ran. The kernel writes it."""
    degraded: list[str] = field(default_factory=list)
    """What failed, in words, while recall went on without it."""
    done: bool = False
    """Whether the answer is final: no later stage runs but those that `run_when_done`."""
    rows: Rows | None = None
    """Columns read last, of the keys they name. Ask `columns`."""

    texts: dict[int, str] = field(default_factory=dict)
    """Texts read so far, by key. Ask `contents`."""

    @property
    def present(self) -> float:
        """The moment whose present is asked for, in unix seconds: `as_of`, else now."""
        return self.now if self.where.as_of is None else self.where.as_of

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
