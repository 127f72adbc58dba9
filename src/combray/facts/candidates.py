"""Which earlier memories a new text may change: bounded look-ups, features of each pair, a ranker, a budget.

Similarity cannot decide (bench/results/truth.md), so nothing is superseded here: the pairs are kept as
`may_revise` edges, and the most probable are reported to the caller, who can settle them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from combray.facts.ranker import Level, probabilities
from combray.forms.remembering import TRUSTED, Draft, Remembering, Suspect
from combray.language.restatements import takes_back
from combray.language.revisions import (
    OF_PAIR,
    OF_TEXT,
    WordSets,
    announces_change,
    another_value,
    differ,
    later,
    only_adds,
    pair_features,
    rarity,
    said,
    share_a_thing,
    text_features,
    topics_of,
)
from combray.language.scopes import scope_set
from combray.language.tense import Tense, tense_of
from combray.language.tokens import query_terms, spellings
from combray.records import dataclass, replace
from combray.runtime import Filter, Keys, KeywordArm, Reader, Runtime
from combray.types import Memory

KINDS = ("fact", "insight", "episode")
"""Kinds that state something. A chunk of a document changes with its file."""
OF_STORE = (
    "cosine", "cosine gap", "cosine rank", "best cosine", "keyword gap", "keyword rank", "same author",
    "author rank", "author last", "days", "topics", "nearest", "most words",
)  # fmt: skip
"""Names of the features that need the store, in the order of `features`."""
FEATURES = (*OF_STORE, *OF_PAIR, *OF_TEXT)
NO_CHANGE: tuple[Tense, ...] = ("past", "hypothetical", "quoted", "asked")
_DAY = 86_400.0
_FEWEST_DAYS = 14.0
"""Days that a shorter gap counts as: in the stories of the training little changes within days."""
_OF_NEW = OF_PAIR.index("of new")


class ComparedMemory(NamedTuple):
    """What is compared of a memory. A whole one is read for the few that are kept."""

    content: str
    author: str | None
    at: float
    """Its moment, in Unix seconds."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of one draft, with aligned columns: stored memories, then earlier drafts of its batch."""

    keys: Sequence[int]
    """Keys of the stored memories."""
    twins: Sequence[Draft]
    stated: Sequence[ComparedMemory]
    """What all candidates say."""
    cosines: Sequence[float]
    author_rank: Sequence[int]
    """Place among the latest statements of the draft's author, 0 for the latest."""


def level_of(runtime: Runtime) -> Level:
    """Return the kind of vectors that the runtime makes."""
    if runtime.embedder is None:
        return "none"
    return "contextual" if runtime.embedder.contextual else "static"


@dataclass(frozen=True)
class SuggestRevisions:
    """Finds at most three earlier memories that each draft may change, each with a probability.

    Candidates come from four look-ups: nearest vectors, keywords, the author's last statements and shared
    entities. A question, and a text about the past, a rumour or an if, changes nothing and has no candidates.
    A batch of more than `most` items is left to consolidation. Runs under the write lock, because the survey has
    been read there already. Measured in bench/results/truth.md.
    """

    needs = ("settled", "claims", "nearest", "survey")
    gives = ("suspects",)
    advises = True
    most: int = 8
    """Items of a batch for which candidates are looked up at write."""
    nearest: int = 10
    """Nearest memories that are candidates, of all that were found near."""
    keyword: int = 8
    """Best keyword matches that are candidates. Static vectors match the words of text in ASCII too."""
    recent: int = 8
    """Latest statements of the author that are candidates."""
    entities: int = 4
    """Memories of the same entities that are candidates."""
    in_batch: int = 6
    """Earlier items of the batch that are candidates."""
    at_most: int = 30
    """Candidates of a text."""
    most_terms: int = 16
    """Terms of a text to search candidates with."""
    posting_budget: int = 3_000
    keep: int = 3
    """Pairs of a text that are kept."""
    keep_from: float = 0.001
    """Least probability of an edge."""
    plain: float = 0.34
    """Least probability of a pair whose words alone show a change (`shown_by_words`): stories, from which the
    ranker learned, hold few of them. A new store asks from it on (`KeepRevisions`). It is below
    `Diff.restated_from`: of a list that is stored twice each line is one memory."""
    denied: float = 0.65
    """Least probability of the same author's sentence that a text takes back (`denied_by_words`)."""
    beside: float = 0.05
    """What is left of the probability if a text only adds ("I also speak Finnish"): 63 of 67 such pairs hold."""
    young: int = 50
    """Memories of a store in which a stated change of the same state is such a pair. Later there are too many."""

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        # Turns are never compared for duplicates, but what they say may change a fact.
        wanted = [state.diff or draft.memory.session is not None for draft in state.drafts]
        if not any(wanted):
            return state
        # What is quarantined must not change what becomes of the others.
        if len([draft for draft in state.drafts if not draft.quarantined]) > self.most:
            state.revisions_left = True
            return state
        level = level_of(runtime)
        for place, draft in enumerate(state.drafts):
            if wanted[place]:
                self.consider(draft, place, state, level)
        return state

    def consider(self, draft: Draft, place: int, state: Remembering, level: Level) -> None:
        """Fill `suspects` of the draft at a place of the batch."""
        if draft.skipped or draft.quarantined or draft.memory.kind not in KINDS:
            return
        tense = draft.claim.tense
        # "May" states a permission or an if: only its plain denial is looked for.
        permits = tense == "hypothetical"
        if tense in NO_CHANGE and not permits:
            return
        pool = self.pool(draft, place, state, level)
        if permits:
            if pool is not None and (denied := denied_by_words(draft, pool)):
                odds = np.zeros(len(pool.stated))
                odds[denied] = self.denied
                draft.suspects = self._best(draft, pool, odds)
            return
        draft.suspects = ()
        if pool is not None:
            odds = probabilities(features(draft, pool), level if draft.vector is not None else "none")
            plain = shown_by_words(draft, pool, lambda: state.writer.profile().memories < self.young)
            odds[plain] = np.maximum(odds[plain], self.plain)
            denied = denied_by_words(draft, pool)
            odds[denied] = np.maximum(odds[denied], self.denied)
            if only_adds(draft.memory.content, draft.claim) and not _begins_later(draft):
                odds[_sharing_a_word(draft, pool)] *= self.beside
            draft.suspects = self._best(draft, pool, odds)

    def _best(self, draft: Draft, pool: Pool, odds: NDArray[np.float64]) -> tuple[Suspect, ...]:
        best = [place for place in np.argsort(-odds, kind="stable").tolist() if odds[place] >= self.keep_from]
        best, stored = self._of_one_thing(draft, pool, best)[: self.keep], len(pool.keys)
        best.sort(key=lambda place: -odds[place])
        new, words = said(draft.memory.content), spellings(draft.memory.content)
        found = []
        for place in best:
            key = pool.keys[place] if place < stored else None
            twin = None if place < stored else pool.twins[place - stored]
            reason = _reason(new, words, said(pool.stated[place].content), pool.cosines[place])
            found.append(Suspect(float(odds[place]), reason, key, twin))
        return tuple(found)

    @staticmethod
    def _of_one_thing(draft: Draft, pool: Pool, best: list[int]) -> list[int]:
        """Put plans about another thing behind the rest: "we move to Bruges", "we move the backups to Warsaw"."""
        if draft.claim.tense != "planned":
            return best
        content = draft.memory.content
        others = {
            place
            for place in best
            if tense_of(pool.stated[place].content) == "planned"
            and not share_a_thing(content, pool.stated[place].content)
        }
        return sorted(best, key=others.__contains__)

    def pool(self, draft: Draft, place: int, state: Remembering, level: Level) -> Pool | None:
        """Look up the candidates of a draft of the batch; None for none."""
        memory, reader = draft.memory, state.writer
        # Untrusted text revises only untrusted text, as in the diff.
        allowed = tuple(each for each in state.trusts if memory.trust in TRUSTED or each == memory.trust)
        # Without the moment, which is new with every write: a store keeps what a filter lets through.
        where = Filter(kinds=KINDS, trusts=allowed, within=scope_set(memory.tags))
        near = _near(draft, self.nearest)
        mine = replace(where, authors=(memory.author,)) if memory.author else where
        recent = reader.scan(mine, newest_first=True, limit=self.recent).tolist()
        found = {*near, *recent, *self._named(draft, state)}
        if level != "static" or not near or not memory.content.isascii():
            found.update(self._by_words(draft, where, reader))
        now = memory.moment.timestamp()
        if recent and recent[0] not in state.replaced and reader.rows(_keys(recent[:1])).moment[0] > now:
            # A text from before what is known already.
            mine = replace(mine, until=now)
            recent = reader.scan(mine, newest_first=True, limit=self.recent).tolist()
            found.update(recent)
        keys, stated = _earlier(_keys(sorted(found - state.replaced)[-self.at_most :]), where, memory, reader)
        twins = [
            each
            for each in state.drafts[:place]
            if not each.skipped and _is_candidate(each.memory, memory, allowed)
        ][-self.in_batch :]
        if not keys and not twins:
            return None
        # What is not among the nearest is farther than all of them.
        farthest = min(near.values(), default=0.0)
        rank = {key: position for position, key in enumerate(recent)}
        return Pool(
            keys,
            twins,
            stated + [_said_by(each.memory) for each in twins],
            [near.get(key, farthest) for key in keys] + [_cosine(draft, each) for each in twins],
            [rank.get(key, self.recent) for key in keys] + [0] * len(twins),
        )

    def _named(self, draft: Draft, state: Remembering) -> list[int]:
        """Return the newest memories of each entity, which were read for the links."""
        around = state.survey.scopes.get(scope_set(draft.memory.tags)) if state.survey is not None else None
        naming = around.naming if around is not None else {}
        keys = [key for name in draft.memory.entities if name in naming for key in naming[name][1]]
        return keys[: self.entities]

    def _by_words(self, draft: Draft, where: Filter, reader: Reader) -> list[int]:
        terms = tuple((term, 1.0) for term in query_terms(draft.memory.content)[: self.most_terms])
        if not terms:
            return []
        arm = KeywordArm(terms, fields=(1.0, 0.0, 0.0, 0.0), posting_budget=self.posting_budget)
        keys: list[int] = reader.search({"keyword": arm}, where, self.keyword).lists["keyword"].keys.tolist()
        return keys


def _near(draft: Draft, most: int) -> dict[int, float]:
    """Return the nearest memories with their cosines."""
    if draft.nearest is None:
        return {}
    return dict(zip(draft.nearest.keys[:most].tolist(), draft.nearest.scores[:most].tolist(), strict=True))


def _keys(keys: Sequence[int]) -> Keys:
    return np.array(keys, dtype=np.int64)


def _earlier(keys: Keys, where: Filter, new: Memory, reader: Reader) -> tuple[list[int], list[ComparedMemory]]:
    """Return those of the keys that a filter accepts and that are from before a memory, and what they say.

    Of two notes of one day the one that was stored first is the earlier; turns of a session often have its time.
    """
    rows, now = reader.rows(keys), new.moment.timestamp()
    kept = reader.eligible(keys, where) & ((rows.moment < now) if new.session else (rows.moment <= now))
    if new.evidence:
        # A fact repeats the turns that it was made of and changes none of them.
        kept &= ~np.isin(keys, _keys(list(reader.keys_of(new.evidence).values())))
    wanted: list[int] = keys[kept].tolist()
    authors = [rows.author_names[code] if code >= 0 else None for code in rows.author[kept].tolist()]
    stated = map(ComparedMemory, reader.contents(wanted), authors, rows.moment[kept].tolist())
    return wanted, list(stated)


def _said_by(memory: Memory) -> ComparedMemory:
    return ComparedMemory(memory.content, memory.author, memory.moment.timestamp())


def _cosine(draft: Draft, twin: Draft) -> float:
    return 0.0 if draft.vector is None or twin.vector is None else float(draft.vector @ twin.vector)


def features(draft: Draft, pool: Pool) -> NDArray[np.float64]:
    """Return one row of `FEATURES` per candidate."""
    memory = draft.memory
    new, olds = said(memory.content), [said(each.content) for each in pool.stated]
    idf = rarity([new, *olds])
    text = later(new, idf)
    own = text_features(memory.content, draft.claim)
    pairs = [pair_features(text, old) for old in olds]
    words = [each[_OF_NEW] for each in pairs]
    nearest, best = sorted(pool.cosines, reverse=True), sorted(words, reverse=True)
    topics = _shared_topics(topics_of(memory.content), [topics_of(each.content) for each in pool.stated])
    now = memory.moment.timestamp()
    # Lists, not arrays: for a dozen rows they are several times faster.
    table = [
        [
            cosine,
            nearest[0] - cosine,
            min(nearest.index(cosine), 8),
            nearest[0],
            best[0] - word,
            min(best.index(word), 8),
            old.author == memory.author,
            rank,
            rank == 0,
            math.log1p(max((now - old.at) / _DAY, _FEWEST_DAYS)),
            topic,
            cosine == nearest[0],
            word == best[0],
            *pair,
            *own,
        ]
        for old, cosine, rank, word, pair, topic in zip(
            pool.stated, pool.cosines, pool.author_rank, words, pairs, topics, strict=True
        )
    ]
    return np.array(table, dtype=np.float64)


def _shared_topics(about: int, others: Sequence[int]) -> list[float]:
    """Return for each candidate the sum of the weights of the topics it shares, the rarer the more: about 0-5."""
    bits = [1 << place for place in range(about.bit_length()) if about >> place & 1]
    weights = [(bit, math.log((len(others) + 2) / (sum(1 for each in others if each & bit) + 1))) for bit in bits]
    return [sum(weight for bit, weight in weights if each & bit) for each in others]


def _is_candidate(old: Memory, new: Memory, allowed: tuple[str, ...]) -> bool:
    """Return whether a memory can be revised by a later one."""
    stated = old.kind in KINDS and old.trust in allowed and old.moment < new.moment
    return stated and scope_set(old.tags) == scope_set(new.tags)


def denied_by_words(draft: Draft, pool: Pool) -> list[int]:
    """Return the places of the same author's statements that the draft denies, ends or gives another sign."""
    content, author = draft.memory.content, draft.memory.author
    return [
        place
        for place, old in enumerate(pool.stated)
        if old.author == author and takes_back(old.content, content)
    ]


def shown_by_words(draft: Draft, pool: Pool, is_young: Callable[[], bool]) -> list[int]:
    """Return the places of the pool of which the words alone show that the draft may change them.

    It is the same author's sentence with another value. In a young store also the author's last statement about
    the state that the draft says has changed: half of the topics of the draft at least.
    """
    content, author = draft.memory.content, draft.memory.author
    new = said(content)
    mine = [place for place, old in enumerate(pool.stated) if old.author == author]
    found = [place for place in mine if another_value(new, said(pool.stated[place].content))]
    topics = topics_of(content) if announces_change(content) and is_young() else 0
    if topics:
        enough = topics.bit_count() / 2
        shared = {place: (topics_of(pool.stated[place].content) & topics).bit_count() for place in mine}
        same = [place for place in mine if shared[place] >= enough]
        found += sorted(same, key=lambda place: pool.stated[place].at)[-1:]
    return found


def _begins_later(draft: Draft) -> bool:
    return (draft.memory.valid_from or draft.memory.moment) > draft.memory.moment


def _sharing_a_word(draft: Draft, pool: Pool) -> list[int]:
    """Return the places of the pool that share a content word with the draft, numbers aside."""
    new = said(draft.memory.content)
    terms = new.terms - new.numbers
    return [place for place, old in enumerate(pool.stated) if not terms.isdisjoint(said(old.content).terms)]


def _reason(new: WordSets, words: Mapping[str, str], old: WordSets, cosine: float) -> str:
    """Return in words what speaks for a pair. `words`: the terms of the later text as it spells them."""
    found = []
    if differ(new.numbers, old.numbers):
        found.append("another number")
    if differ(new.dates, old.dates):
        found.append("another date")
    shared = (new.terms & old.terms) - new.numbers
    if shared:
        spelt = [word for term, word in words.items() if term in shared]
        found.append(f"shares {', '.join(spelt[:3])}")
    elif cosine >= 0.4:
        found.append(f"near in meaning ({cosine:.2f})")
    return "; ".join(found) or "the same author's, not long before"
