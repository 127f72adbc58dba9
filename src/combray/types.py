"""What the engine stores and hands out: memories, edges, hits, answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from typing import Any, Literal, Required, TypedDict, get_args, overload

import msgspec

from combray.records import dataclass, deferred, field, fields

Kind = Literal["episode", "fact", "insight", "chunk", "summary"]
Status = Literal["active", "pending_embed", "superseded", "merged", "deprecated", "forgotten"]
Trust = Literal["owner", "agent", "untrusted", "quarantined"]
Tier = Literal["core", "working", "peripheral"]
EdgeType = Literal[
    "temporal", "entity", "causal", "semantic", "supersedes", "may_revise", "restates", "contrasts"
]
Verdict = Literal["supersedes", "corrects", "same", "both", "open"]

KINDS: tuple[Kind, ...] = ("episode", "fact", "insight", "chunk", "summary")
STATUSES: tuple[Status, ...] = ("active", "pending_embed", "superseded", "merged", "deprecated", "forgotten")
LIVE_STATUSES: tuple[Status, ...] = ("active", "pending_embed")
TRUSTS: tuple[Trust, ...] = ("owner", "agent", "untrusted", "quarantined")
TIERS: tuple[Tier, ...] = ("core", "working", "peripheral")
CATEGORIES = ("preference", "decision", "fact", "insight", "context", "general")
EDGE_TYPES: tuple[EdgeType, ...] = get_args(EdgeType)
"""From a memory to an earlier one, with a probability or similarity as weight: `may_revise`, which it may change,
with the subtype "both" by a caller's verdict; `restates`, which it was merged into; `contrasts` of older
versions, which nothing reads. Stores keep places: append new types."""
GRAPH_EDGES: tuple[EdgeType, ...] = ("temporal", "entity", "causal", "semantic", "supersedes")
"""Edges that say how memories belong together: a walk follows these. `may_revise` is only a question."""
SCOPED_EDGES: tuple[EdgeType, ...] = ("temporal", "entity", "causal", "semantic")
"""Edges that join no two scopes."""
VERDICTS: tuple[Verdict, ...] = ("supersedes", "corrects", "same", "both", "open")
DEFAULT_NAMESPACE = "default"
DEFAULT_TRUST: Trust = "owner"


class Memory(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """One thing remembered. Every change leaves a version row, which keeps the fields as they were.

    Times are aware datetimes in the engine's time zone; a store holds UTC. `occurred_*` say when it happened: as
    the caller said, or else as the text says ("three days ago"); then `said_at` is when it was said. `valid_*`
    say when it is true in the world, `recorded_at` when the engine learned it; recency goes by `moment`.
    Importance is 1-5, confidence 0-1. `slot` names what it is a value of ("ana.city"). `aliases` are declared.
    """

    id: str
    namespace: str
    content: str
    kind: Kind = "fact"
    category: str = "general"
    importance: int = 3
    confidence: float = 0.7
    tier: Tier = "working"
    status: Status = "active"
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    source: str = "user"
    author: str | None = None
    session: str | None = None
    position: int | None = None
    trust: Trust = DEFAULT_TRUST
    recorded_at: datetime
    occurred_from: datetime | None = None
    occurred_to: datetime | None = None
    said_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    last_accessed_at: datetime | None = None
    access_count: int = 0
    content_hash: str = ""
    context: str = ""
    evidence: tuple[str, ...] = ()
    supersedes: str | None = None
    superseded_by: str | None = None
    merged_into: str | None = None
    slot: str | None = None
    aliases: dict[str, tuple[str, ...]] = {}
    metadata: dict[str, Any] = {}

    @property
    def moment(self) -> datetime:
        """When it was said: `said_at`, else when it happened as the caller said, else when it was recorded."""
        return self.said_at or self.occurred_from or self.recorded_at


Moment = datetime | date | str | float
"""A moment: a datetime, ISO 8601, words such as "3 days ago", or Unix seconds."""
Entities = list[str] | tuple[str, ...] | AbstractSet[str] | Mapping[str, Sequence[str] | str]
"""Names of entities, or a mapping from each name to its aliases."""
Labels = list[str] | tuple[str, ...] | AbstractSet[str]
"""Several short texts."""
Texts = str | Sequence[str] | AbstractSet[str]
Where = Mapping[str, Any]
"""A filter: field -> value, or field -> {operator: value}; also and, or, not. See `combray.where`."""


class MemoryFields(TypedDict, total=False):
    """Fields that `remember` takes beside the text. None takes the default."""

    category: str
    importance: int
    confidence: float
    tags: Labels | None
    entities: Entities | None
    source: str | None
    author: str | None
    kind: str
    context: str | None
    occurred_at: Moment | None
    occurred_to: Moment | None
    valid_from: Moment | None
    valid_to: Moment | None
    expires_at: Moment | None
    recorded_at: Moment | None
    session: str | None
    position: int | None
    tier: str | None
    trust: str
    evidence: Labels | None
    metadata: dict[str, Any] | None
    supersedes: Texts | None
    keep_both: Texts | None
    slot: str | None
    id: str | None


class MemoryItem(MemoryFields, total=False):
    """One item of `remember_many`: a text and its fields."""

    content: Required[str]


class MemoryChanges(TypedDict, total=False):
    """Fields that `update` changes. None clears a time, a list or a text; `metadata` is replaced as a whole."""

    content: str
    category: str
    importance: int
    confidence: float
    tags: Labels | None
    entities: Entities | None
    source: str | None
    author: str | None
    context: str | None
    occurred_at: Moment | None
    occurred_to: Moment | None
    valid_from: Moment | None
    valid_to: Moment | None
    expires_at: Moment | None
    tier: str | None
    slot: str | None
    metadata: dict[str, Any] | None


class RecallOptions(TypedDict, total=False):
    """Options of every read: filters on the memories, the least score, or share of the best, the intent."""

    intent: str | None
    since: Moment | None
    until: Moment | None
    as_of: Moment | None
    min_score: float | None
    keep: float | None
    min_importance: int
    min_confidence: float | None
    where: Where | None
    categories: Texts | None
    kinds: Texts | None
    tiers: Texts | None
    trusts: Texts | None
    statuses: Texts | None
    sources: Texts | None
    authors: Texts | None
    sessions: Texts | None
    tags: Texts | None


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """A typed link between two memories, stored once and walked both ways. Weight is 0-1."""

    source: str
    target: str
    type: EdgeType
    subtype: str = ""
    weight: float = 1.0
    reason: str = ""
    created_by: str = "combray"
    created_at: datetime


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a memory: who, when, what it did, and the fields as they were before."""

    memory_id: str
    number: int
    changed_at: datetime
    actor: str
    operation: str
    before: dict[str, Any]


class Step(msgspec.Struct, frozen=True):
    """One stage's line in the trace: hits before and after, and the time it took."""

    stage: str
    before: int
    after: int
    milliseconds: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One recalled memory: its score (higher is better), the signals behind it, and how it was found.

    Ids: `outdated_by` superseded it, `may_be_outdated_by` may replace it, `may_replace` it may replace,
    `restated_by` were merged into it, `earlier` have earlier values of its slot, newest first.
    """

    memory: Memory
    score: float
    signals: dict[str, float]
    via: str
    outdated_by: str | None = None
    may_be_outdated_by: str | None = None
    may_replace: str | None = None
    restated_by: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()


class TierNote(TypedDict):
    """The service tier of an answer: its name, and in words why it is that one."""

    tier: str
    why: str


class AnswerDetails(TypedDict, total=False):
    """What an answer reports beside its hits. A key is there only if a stage of the preset reports it."""

    degraded: tuple[str, ...]
    """What failed, in words; recall went on without it."""
    tier: TierNote
    confidence: float
    """How probable it is that one of the first three hits answers, from 0 to 1 (`RequireEvidence`)."""
    evidence: float
    """The share of the question that the best hit meets, from 0 to 1: above the floor, or the answer is empty."""
    keep: float
    dropped: int
    """Hits for which the limit had room, below the share `keep` of the best score."""
    weak: str
    level: Literal["none", "static", "contextual"]
    """Which table of weights was used: without an embedder, with a static or a contextual one."""
    contextual: bool
    moving: str
    """Why the embedder that was configured before answered."""
    anchor_count: int
    """How many memories the ranked lists named before any graph walk; `traversed` are those that it added."""
    traversed: int
    expansion: dict[str, float]
    """Terms added to the keyword query, with their weights."""
    keywords: tuple[str, ...]
    """Words of the query that were searched for one by one."""
    exact: tuple[str, ...]
    """Numbers and short words of the query: they raise a score and find nothing alone."""
    resolved: list[dict[str, str | None]]
    """Dates found in the query: phrase, from, to, as ("filter" or "soft"); an open end is None."""
    resolved_query: str
    """The query with dates spelled out and pronouns replaced in brackets."""
    names: dict[str, tuple[str, ...]]
    """Declared and learned names in the query, each with every name of that thing."""
    pronouns: list[dict[str, Any]]
    """Pronouns of the query: phrase, resolved (a name or None), by, and candidates if several people fit."""
    peers: list[dict[str, Any]]
    """What peers gave: peer, text, score, id, when, source, trust."""
    peers_skipped: str
    noise: dict[str, int]
    """How many candidates were dropped as noise, by class; `noise_bank`: why its vectors were not used."""
    noise_bank: str
    reranked: int
    clusters: int
    beside: list[dict[str, Any]]
    """Facts derived from hits: id, content, confidence, evidence."""
    grouped: str
    """The hits as text, grouped by type (`GroupByType`)."""
    context: str
    """The hits as a fenced block for a prompt (`AssembleContext`)."""


@dataclass(frozen=True, slots=True)
class Answer(Sequence[Hit]):
    """What `recall` returns: a sequence of hits, best first, with the reasons.

    `reason` says why it is empty, or which mode answered ("hybrid", "keyword only: …").
    """

    query: str
    hits: tuple[Hit, ...]
    intent: str = "GENERAL"
    intent_source: str = "auto"
    reason: str = ""
    preset: str = ""
    trace: tuple[Step, ...] = ()
    details: AnswerDetails = field(default_factory=AnswerDetails)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    @property
    def confidence(self) -> float:
        """Probability that one of the first three hits answers; 0 without hits. A caller may decline."""
        return self.details.get("confidence", 0.0) if self.hits else 0.0


@dataclass(frozen=True, slots=True)
class Page(Sequence[Memory]):
    """One page of a list. `cursor` is what `after` takes to go on, None on the last page; `total` counts all."""

    memories: tuple[Memory, ...]
    cursor: str | None
    total: int

    @overload
    def __getitem__(self, index: int) -> Memory: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Memory]: ...
    def __getitem__(self, index: int | slice) -> Memory | Sequence[Memory]:
        return self.memories[index]

    def __len__(self) -> int:
        return len(self.memories)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An earlier memory that a new text may change. `at` is its moment; the score is a probability, 0-1."""

    id: str
    content: str
    author: str | None
    at: datetime
    score: float
    reason: str

    def as_json(self) -> dict[str, Any]:
        """The candidate with its time in ISO 8601."""
        listed = {name: getattr(self, name) for name in ("id", "content", "author", "score", "reason")}
        return listed | {"at": self.at.isoformat()}


@deferred("semantic_candidates", "causal_candidates")
@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of one text given to `remember`. Its candidates are looked up when they are first read."""

    id: str
    action: Literal["added", "replaced", "skipped", "untrusted", "quarantined", "refused"]
    """`untrusted`, `quarantined`: the guard lowered the trust (`guard`). `refused`: not stored (`reason`)."""
    diff_suggestion: Literal["ADD", "UPDATE", "CONFLICT", "DUPLICATE", ""]
    replaced_id: str | None = None
    edges_created: dict[str, int] = field(default_factory=dict)
    semantic_candidates: tuple[dict[str, Any], ...] = ()
    causal_candidates: tuple[dict[str, Any], ...] = ()
    quality_warnings: tuple[str, ...] = ()
    embedded: bool = False
    effective_importance: float | None = None  # None in a preset that does not compute it
    auto_pruned: int = 0
    not_embedded: str = ""
    """Why `embedded` is False. Of a skipped text both, and its importance, are those of the live memory."""
    reason: str = ""
    guard: str = ""
    """What the guard made of the text and why ("quarantined: …", "untrusted: …"); empty when it was let in."""
    may_revise: tuple[Candidate, ...] = ()
    """Earlier memories that the text may change, the most probable first, at most three: `settle` them."""
    trace: tuple[Step, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The fields of Mnemon's page (section 5.1) in its order, then `not_embedded` and any `may_revise`."""
        if self.action == "refused":
            return {"id": self.id, "action": self.action, "reason": self.reason}
        names = [each.name for each in fields(self)]
        page = {name: getattr(self, name) for name in names[: names.index("not_embedded")]}
        page |= {name: list(value) for name, value in page.items() if isinstance(value, tuple)}
        if not self.embedded:
            page["not_embedded"] = self.not_embedded
        return page | ({"may_revise": [each.as_json() for each in self.may_revise]} if self.may_revise else {})
