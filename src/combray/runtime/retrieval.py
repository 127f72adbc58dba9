"""Types that stages and stores share: filters, retrieval arms, ranked lists, columns, links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass, field
from combray.types import LIVE_STATUSES, EdgeType, Memory
from combray.where import Condition

Keys = NDArray[np.int64]
"""Store-internal integer keys of memories: ascending in the order of writing, never reused."""
Scores = NDArray[np.float64]
"""One score a key; higher is better."""
Vectors = NDArray[np.float32]
"""Rows of unit length, one a text: shape (texts, dimensions)."""

SHAPE_WORDS = 40
"""Mean words per turn up to which a session's turns count in full as each other's context.

Measured on LoCoMo (turns of 22 words, nothing lost against no limit) and on chats with an assistant
(200 words a turn, gain 0.04, no context wanted): bench/results/quality.md."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Selects the memories that a read may return. Empty tuples mean "any". Applied inside every retrieval arm.

    Times are unix seconds. `since`/`until` bound the moment it happened: [since, until). `as_of` selects
    what was known and valid at that time. `now` hides expired memories.
    """

    statuses: tuple[str, ...] = LIVE_STATUSES
    kinds: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    """Scopes as tags: a memory passes with one of them. A memory without any is in scope:global."""
    within: tuple[str, ...] | None = None
    """Exactly these scopes, as `language.scopes.scope_set` returns them; () is global, None is any."""
    trusts: tuple[str, ...] = ("owner", "agent", "untrusted")
    since: float | None = None
    until: float | None = None
    as_of: float | None = None
    now: float | None = None
    min_confidence: float = 0.0
    min_importance: int = 1
    condition: Condition | None = None
    """The condition of a caller's `where`; None for none."""


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a list: by a field of a memory, ties by id, memories without a value last."""

    field: str = "recorded_at"
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a sorted list: after the memory with that value and id, or at it if `inclusive`.

    Times are integer microseconds since 1970.
    """

    value: str | int | float | None
    id: str
    inclusive: bool = False


@dataclass(frozen=True, slots=True)
class KeywordArm:
    """Keyword evidence over the index fields (content, context, author and date, entities and tags).

    `scoring`: "bm25f" is BM25F with `fields` as term-frequency weights; "coverage" is the share of the query's
    terms that a memory contains (docs/reference/presets.md, preset mnemon, step 4 of recall).

    Context expansion: `before`/`after` are the weights of the terms (and the length) of the turns before and
    after a turn in its session, the adjacent turn first. A turn before it that ends in a question counts
    `question_boost` times. The weights are scaled by the session's gain,
    min(1, (shape_words / mean words of its turns)^2); with `shape_words` 0 every gain is 1.

    `mode` "all" keeps only memories that contain every term. `normalise` returns BM25F as a share of the score of
    a perfect match, in [0, 1]. With `strongest` above 0, a perfect match is one of that many terms, those with
    the highest bounds: a memory that holds a few rare words of a long query is no weak match. An arm that is not
    `listed` scores the candidates of other arms and adds none.
    `posting_budget` limits the work: postings of the rarest terms are read first, up to this number, but always
    those of three terms.

    `lends` are (term, phrase, weight): a memory that holds every term of the phrase counts as if it held the
    term, with the least of the phrase's frequencies times the weight.
    """

    terms: tuple[tuple[str, float], ...]
    mode: Literal["any", "all"] = "any"
    scoring: Literal["bm25f", "coverage"] = "bm25f"
    fields: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()
    shape_words: int = SHAPE_WORDS
    question_boost: float = 1.5
    k1: float = 1.2
    b: float = 0.75
    posting_budget: int = 20_000
    normalise: bool = False
    strongest: int = 0
    listed: bool = True
    lends: tuple[tuple[str, tuple[str, ...], float], ...] = ()


@dataclass(frozen=True, slots=True)
class VectorArm:
    """Cosine of the query vector with the memory's, in [-1, 1]. A cosine below `minimum` counts as 0.

    `before`/`after` add the neighbours' cosines at lower weight. All cosines are then differences from the mean
    cosine of all memories, scaled as in `KeywordArm`, and a score can leave [-1, 1].
    """

    vector: NDArray[np.float32]
    model: str
    minimum: float = 0.0
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()
    shape_words: int = SHAPE_WORDS
    question_boost: float = 1.5


@dataclass(frozen=True, slots=True)
class RecencyArm:
    """Newest memories first. The score is 1/(1+rank), 1 for the newest."""


@dataclass(frozen=True, slots=True)
class MomentArm:
    """Memories by when they happened: each window is (since, until, score), unix seconds, [since, until).

    A memory gets the highest score of the windows that contain its moment. Only memories with at least
    `minimum` are listed; others are scored if another arm finds them.
    """

    windows: tuple[tuple[float, float, float], ...]
    minimum: float = 0.0


@dataclass(frozen=True, slots=True)
class EntityArm:
    """Memories that name the given entities. The score is the share of these entities that a memory names."""

    entities: tuple[str, ...]


Arm = KeywordArm | VectorArm | RecencyArm | EntityArm | MomentArm


@dataclass(frozen=True, slots=True)
class Ranked:
    """One arm's list, best first, ties by key."""

    keys: Keys
    scores: Scores


@dataclass(frozen=True, slots=True)
class Found:
    """The union of all arms' lists. `scores[name]` is aligned with `keys`; 0 if an arm has no score.

    `eligible`: how many memories pass the filter; `vectorless`: how many of them have no vector (or one
    of zeros) of the first vector arm's model, 0 without such an arm.
    """

    keys: Keys
    lists: Mapping[str, Ranked]
    scores: Mapping[str, Scores]
    eligible: int
    vectorless: int = 0


@dataclass(frozen=True, slots=True)
class Rows:
    """Properties of memories as aligned columns, for scoring without loading texts.

    `session` and `author` hold codes into the store's own tables (-1: none); two rows of one session
    have equal codes. `moment` and `recorded` are unix seconds. `asks` and `times` are flags: the text
    ends in a question; it holds a time expression. `cues` are bits of `language.intent.Cue` (the kinds of
    answer the text holds) and of `language.tense.TENSE_BITS` (it is not about the present). `status` is a
    place in `types.STATUSES`; `valid_*` are unix seconds, nan for an open end. `happened` and `happened_to`
    are the time that the text itself names, nan if it names none. `gain` is the session's gain
    at SHAPE_WORDS, in (0, 1]: near 1 in a conversation of short turns, near 0 where turns are long. A memory
    without session is a session of its own.
    """

    keys: Keys
    author: NDArray[np.int64]
    author_names: tuple[str, ...]
    session: NDArray[np.int64]
    position: NDArray[np.int64]
    words: NDArray[np.int64]
    moment: NDArray[np.float64]
    recorded: NDArray[np.float64]
    importance: NDArray[np.float64]
    confidence: NDArray[np.float64]
    tier: NDArray[np.int64]
    asks: NDArray[np.bool_]
    times: NDArray[np.bool_]
    cues: NDArray[np.int64]
    status: NDArray[np.int64]
    valid_from: NDArray[np.float64]
    valid_to: NDArray[np.float64]
    happened: NDArray[np.float64]
    happened_to: NDArray[np.float64]
    gain: NDArray[np.float64]


class LateRows(Rows):
    """Rows whose columns are read when they are first used: few stages of a question read many of them."""

    __slots__ = ("_column", "_places")

    if TYPE_CHECKING:
        _column: Callable[[str], NDArray[Any]]
        _places: NDArray[np.int64] | None
    else:

        def __getattr__(self, name: str) -> NDArray[Any]:
            # Called only for slots that are not set.
            if name not in Rows.__slots__:
                raise AttributeError(name)
            value = self._column(name)
            if self._places is not None:
                value = value[self._places]
            object.__setattr__(self, name, value)
            return value

    @classmethod
    def read_by(
        cls,
        column: Callable[[str], NDArray[Any]],
        keys: Keys,
        author_names: tuple[str, ...],
        places: NDArray[np.int64] | None = None,
    ) -> LateRows:
        """Return rows that read a column by its name; with `places`, those places of it."""
        made = cls.__new__(cls)
        values = {"_column": column, "_places": places, "keys": keys, "author_names": author_names}
        for name, value in values.items():
            object.__setattr__(made, name, value)
        return made

    @classmethod
    def of(cls, rows: Rows, places: NDArray[Any], keys: Keys) -> LateRows:
        """Return these places (indices or a mask) of other rows. `keys` are theirs."""
        chosen = np.flatnonzero(places) if places.dtype == np.bool_ else places
        before = getattr(rows, "_places", None)
        if isinstance(rows, LateRows) and before is not None:
            return cls.read_by(rows._column, keys, rows.author_names, before[chosen])
        return cls.read_by(partial(getattr, rows), keys, rows.author_names, chosen)


@dataclass(frozen=True, slots=True)
class Profile:
    """Statistics of a namespace that stages adapt to: live memories, speakers, the share in a session."""

    memories: int
    authors: tuple[str, ...]
    with_session: float


class Link(msgspec.Struct, frozen=True, gc=False):
    """An edge between two keys, as the graph stages use it. A write makes and reads hundreds of them."""

    source: int
    target: int
    type: EdgeType
    weight: float
    subtype: str = ""
    reason: str = ""
    created_by: str = "combray"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A memory to insert, with its vectors by model name (unit length, or none yet)."""

    memory: Memory
    vectors: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    tokens: Mapping[str, NDArray[np.int8]] = field(default_factory=dict)
    """Vectors of its tokens by model name, a row each."""
