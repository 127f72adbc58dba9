"""Which earlier memories a new text may change: bounded look-ups, features of each pair, a ranker, a budget.

Similarity cannot decide (bench/results/truth.md), so nothing is superseded here: the pairs are kept as
`may_revise` edges, and the most probable are reported to the caller, who can settle them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from combray.language.revisions import (
    OF_PAIR,
    OF_TEXT,
    Said,
    opposites,
    pair_features,
    rarity,
    said,
    text_features,
)
from combray.language.tense import TENSE_BITS, Tense
from combray.language.tokens import query_terms
from combray.remember.state import Draft, Remembering, Suspect
from combray.runtime import Arm, EntityArm, Filter, KeywordArm, Link, Reader, Runtime, Writer
from combray.scoring.revisions import Budget, Level, probabilities, ranker
from combray.types import LIVE_STATUSES, Candidate, Memory

KINDS = ("fact", "insight", "episode")
"""Kinds that state something. A chunk of a document changes with its file."""
OF_STORE = (
    "cosine", "cosine gap", "cosine rank", "keyword gap", "keyword rank", "best keyword", "same author",
    "author rank", "author last", "days", "old past", "old planned", "old unreal", "best cosine",
)  # fmt: skip
"""Names of the features that need the store, in the order of `_store_features`."""
FEATURES = (*OF_STORE, *OF_PAIR, *OF_TEXT)
NO_CHANGE: tuple[Tense, ...] = ("past", "hypothetical", "quoted", "asked")
_UNREAL = TENSE_BITS["hypothetical"] | TENSE_BITS["quoted"] | TENSE_BITS["asked"]
_DAY = 86_400.0
_SCOPE = "scope:"
_TRUSTED = ("owner", "agent")
_MOST = 6
"""Suspects of a draft. Some may be superseded by the write itself."""
_OF_NEW = OF_PAIR.index("of new")


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of one draft as columns: stored memories, then earlier drafts of its batch (`twins`)."""

    keys: NDArray[np.int64]
    twins: tuple[Draft, ...]
    texts: Sequence[str]
    cosines: NDArray[np.float64]
    moments: NDArray[np.float64]
    same_author: NDArray[np.float64]
    author_rank: NDArray[np.float64]
    cues: NDArray[np.int64]


def level_of(runtime: Runtime) -> Level:
    """Return the kind of vectors that the runtime makes."""
    if runtime.embedder is None:
        return "none"
    return "contextual" if runtime.embedder.contextual else "static"


@dataclass(frozen=True)
class SuggestRevisions:
    """Finds at most three earlier memories that each draft may change, each with a probability.

    Candidates come from four look-ups: nearest vectors, keywords, the author's last statements and shared
    entities. A text about the past, a rumour, an if or a question changes nothing. A batch of more than `most`
    items is left to consolidation. Measured in bench/results/truth.md.
    """

    needs = ("drafts", "claims", "nearest", "decisions")
    gives = ("suspects",)
    most: int = 64
    """Items of a batch for which candidates are looked up at write."""
    keyword: int = 8
    recent: int = 8
    """Latest statements of the author that are candidates."""
    entities: int = 6
    in_batch: int = 6
    """Earlier items of the batch that are candidates."""
    at_most: int = 30
    """Candidates of a text."""
    most_terms: int = 16
    """Terms of a text to search candidates with."""
    posting_budget: int = 3_000
    keep_from: float = 0.05
    """Least probability of an edge."""

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        if state.diff and len(state.drafts) <= self.most:
            model = runtime.embedder.name if runtime.embedder is not None else ""
            suggest = partial(self.suggest, model=model, level=level_of(runtime))
            suggest(state, runtime.store.reader(state.namespace))
            state.rereads.append(suggest)
        return state

    def suggest(self, state: Remembering, reader: Reader, model: str, level: Level) -> None:
        """Fill `suspects` of every draft. `Settle` repeats this if another writer has changed the store since."""
        for place, draft in enumerate(state.drafts):
            draft.suspects, draft.considered = (), False
            if draft.skipped or draft.quarantined or draft.memory.kind not in KINDS:
                continue
            if draft.claim.tense in NO_CHANGE:
                continue
            draft.considered = True
            pool = self.pool(draft, state.drafts[:place], state.trusts, reader, model)
            if pool is not None:
                odds = probabilities(features(draft, pool), level if draft.vector is not None else "none")
                draft.suspects = self._best(draft, pool, odds)

    def _best(self, draft: Draft, pool: Pool, odds: NDArray[np.float64]) -> tuple[Suspect, ...]:
        order = [place for place in np.argsort(-odds, kind="stable").tolist() if odds[place] >= self.keep_from]
        new = said(draft.memory.content)
        return tuple(
            Suspect(
                float(odds[place]),
                _reason(new, said(pool.texts[place]), bool(pool.same_author[place]), float(pool.cosines[place])),
                *(
                    (int(pool.keys[place]), None)
                    if place < len(pool.keys)
                    else (None, pool.twins[place - len(pool.keys)])
                ),
            )
            for place in order[:_MOST]
        )

    def pool(
        self, draft: Draft, before: Sequence[Draft], trusts: tuple[str, ...], reader: Reader, model: str
    ) -> Pool | None:
        """Look up the candidates of a draft; None for none."""
        memory = draft.memory
        moment = memory.moment.timestamp()
        allowed = trusts if memory.trust in _TRUSTED else ("untrusted",)
        earlier = Filter(kinds=KINDS, until=moment, trusts=allowed, tags=_scopes(memory))
        recent = self._recent(draft, earlier, reader)
        found = dict.fromkeys(recent)
        near: dict[int, float] = {}
        if draft.nearest is not None:
            near = dict(zip(draft.nearest.keys.tolist(), draft.nearest.scores.tolist(), strict=True))
            found |= dict.fromkeys(near)
        found |= dict.fromkeys(self._by_words(draft, earlier, reader))
        keys = np.array(sorted(found), dtype=np.int64)
        if near:
            keys = keys[reader.eligible(keys, earlier)]
        keys = keys[: self.at_most]
        twins = tuple(each for each in before if _stands_before(each, draft, allowed))[-self.in_batch :]
        if not len(keys) and not twins:
            return None
        rows = reader.rows(keys)
        cosines = np.zeros(len(keys) + len(twins))
        if draft.vector is not None:
            cosines[: len(keys)] = [near.get(key, np.nan) for key in keys.tolist()]
            unknown = np.flatnonzero(np.isnan(cosines[: len(keys)]))
            if len(unknown):
                cosines[unknown] = reader.similarity(model, draft.vector, keys[unknown])
            for place, twin in enumerate(twins, len(keys)):
                cosines[place] = float(draft.vector @ twin.vector) if twin.vector is not None else 0.0
        own = [code for code, name in enumerate(rows.author_names) if memory.author and name == memory.author]
        rank = {key: float(place) for place, key in enumerate(recent)}
        return Pool(
            keys,
            twins,
            [*reader.contents(keys), *(each.memory.content for each in twins)],
            cosines,
            np.append(rows.moment, [each.memory.moment.timestamp() for each in twins]),
            np.append(
                np.isin(rows.author, own or [-2]), [each.memory.author == memory.author for each in twins]
            ).astype(np.float64),
            np.array([rank.get(key, float(self.recent)) for key in keys.tolist()] + [0.0] * len(twins)),
            np.append(rows.cues, [TENSE_BITS.get(each.claim.tense, 0) for each in twins]).astype(np.int64),
        )

    def _recent(self, draft: Draft, earlier: Filter, reader: Reader) -> list[int]:
        memory = draft.memory
        mine = replace(earlier, authors=(memory.author,)) if memory.author else earlier
        keys: list[int] = reader.scan(mine, newest_first=True, limit=self.recent).tolist()
        return keys

    def _by_words(self, draft: Draft, earlier: Filter, reader: Reader) -> list[int]:
        arms: dict[str, Arm] = {}
        terms = tuple((term, 1.0) for term in query_terms(draft.memory.content)[: self.most_terms])
        if terms:
            arms["keyword"] = KeywordArm(terms, fields=(1.0, 0.0, 0.0, 0.0), posting_budget=self.posting_budget)
        if draft.memory.entities:
            arms["entity"] = EntityArm(draft.memory.entities)
        if not arms:
            return []
        found = reader.search(arms, earlier, max(self.keyword, self.entities))
        counts = {"keyword": self.keyword, "entity": self.entities}
        return [key for name, ranked in found.lists.items() for key in ranked.keys[: counts[name]].tolist()]


@dataclass(frozen=True)
class KeepRevisions:
    """Stores what was found as `may_revise` edges, from the new memory to the earlier one, and raises the best.

    An edge asks nobody: recall shows the later memory behind the earlier one. A suggestion is raised in the
    result of the write. At most `budget` of the writes raise one, counted over the last 256 writes of the
    namespace, episodes apart; the first 50 writes use the threshold that comes with the weights.
    """

    needs = ("written", "suspects")
    budget: float = 0.08
    """Share of the writes that may raise a suggestion, 0-1."""
    keep: int = 3

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        considered = [draft for draft in state.written if draft.considered]
        level = level_of(runtime)
        budgets: dict[str, Budget] = {}
        for draft in considered:
            found = self._standing(draft, state)
            name = f"revisions:{level}:{'episode' if draft.memory.kind == 'episode' else 'fact'}"
            if name not in budgets:
                kept = bytes.fromhex(state.writer.kept(name))
                budgets[name] = Budget(kept, self.budget, ranker(level).raise_from)
            if budgets[name].raises(found[0].score if found else 0.0):
                draft.may_revise = found
        for name, budget in budgets.items():
            state.writer.keep(name, budget.scores.hex())
        return state

    def _standing(self, draft: Draft, state: Remembering) -> tuple[Candidate, ...]:
        """Store the edges of a draft to memories that this write has not superseded; return those memories."""
        if not draft.suspects or draft.key is None:
            return ()
        keys = [each.key if each.twin is None else each.twin.key for each in draft.suspects]
        found: list[Candidate] = []
        links: list[Link] = []
        for suspect, key, memory in zip(draft.suspects, keys, _memories(state.writer, keys), strict=True):
            if key is None or memory is None or memory.status not in LIVE_STATUSES or len(found) == self.keep:
                continue
            if memory.id in draft.keep_both or _scopes(memory) != _scopes(draft.memory):
                continue
            links.append(Link(draft.key, key, "may_revise", suspect.score, reason=suspect.reason))
            found.append(
                Candidate(memory.id, memory.content, memory.author, memory.moment, suspect.score, suspect.reason)
            )
        state.writer.link(links, state.now)
        return tuple(found)


def _memories(tx: Writer, keys: Sequence[int | None]) -> list[Memory | None]:
    wanted = sorted({key for key in keys if key is not None})
    known = dict(zip(wanted, tx.memories(wanted), strict=True))
    return [None if key is None else known.get(key) for key in keys]


def _scopes(memory: Memory) -> tuple[str, ...]:
    return tuple(sorted(tag for tag in memory.tags if tag.casefold().startswith(_SCOPE)))


def features(draft: Draft, pool: Pool) -> NDArray[np.float64]:
    """Return one row of `FEATURES` per candidate."""
    text = draft.memory.content
    new, olds = said(text), [said(each) for each in pool.texts]
    idf, against = rarity([new, *olds]), opposites(new)
    pairs = np.array([pair_features(new, old, idf, against) for old in olds], dtype=np.float64)
    own = np.array(text_features(text, draft.claim))
    store = _store_features(draft, pool, pairs[:, _OF_NEW])
    return np.hstack((store, pairs, np.broadcast_to(own, (len(olds), len(own)))))


def _store_features(draft: Draft, pool: Pool, words: NDArray[np.float64]) -> NDArray[np.float64]:
    best_cosine, best_words = pool.cosines.max(), words.max()
    table = np.empty((len(words), len(OF_STORE)))
    table[:, 0] = pool.cosines
    table[:, 1] = best_cosine - pool.cosines
    table[:, 2] = _ranks(pool.cosines)
    table[:, 3] = best_words - words
    table[:, 4] = _ranks(words)
    table[:, 5] = best_words
    table[:, 6] = pool.same_author
    table[:, 7] = pool.author_rank
    table[:, 8] = pool.author_rank == 0
    table[:, 9] = np.log1p(np.maximum(draft.memory.moment.timestamp() - pool.moments, 0) / _DAY)
    table[:, 10] = (pool.cues & TENSE_BITS["past"]) > 0
    table[:, 11] = (pool.cues & TENSE_BITS["planned"]) > 0
    table[:, 12] = (pool.cues & _UNREAL) > 0
    table[:, 13] = best_cosine
    return table


def _ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many values are larger, at most 8."""
    ranks: NDArray[np.int64] = np.minimum((values[None, :] > values[:, None]).sum(axis=1), 8)
    return ranks


def _stands_before(twin: Draft, draft: Draft, allowed: tuple[str, ...]) -> bool:
    """Return whether an earlier draft of the batch would be a candidate if it were stored already."""
    return (
        not twin.skipped
        and twin.memory.kind in KINDS
        and twin.memory.trust in allowed
        and twin.memory.moment < draft.memory.moment
    )


def _reason(new: Said, old: Said, same_author: bool, cosine: float) -> str:
    """Return in words what speaks for a pair."""
    found = []
    if new.numbers and old.numbers and new.numbers.isdisjoint(old.numbers):
        found.append("another number")
    if new.dates and old.dates and new.dates.isdisjoint(old.dates):
        found.append("another date")
    shared = sorted(new.terms & old.terms)
    if shared:
        found.append(f"shares {', '.join(shared[:3])}")
    elif cosine >= 0.4:
        found.append(f"near in meaning ({cosine:.2f})")
    if same_author:
        found.append("same author")
    return "; ".join(found) or "near in time"
