"""Which of the sorted candidates stay: weak hits, derived facts, a memory of the query's own text, the limit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from combray.forms.recalling import Recalling, sure_enough
from combray.language.indexing import normalised
from combray.language.tokens import terms
from combray.language.trivial import says_nothing
from combray.pipeline import stage
from combray.runtime import Filter, Keys, KeywordArm, Runtime
from combray.types import KINDS, Memory
from combray.values import DISTILLED

KEEP = 0.5
"""Default share of the best score below which hits are dropped. Measured: bench/results/precision.md."""


@stage
class KeepStrong:
    """Drops candidates with less than `keep` of the best score; 0 drops none. The caller's `keep` goes first.

    If memories hold an entity that the query names exactly, the best of their scores is the measure. A memory
    whose text is the query stays and is no measure: in a chat the message has just been stored, and the answer is
    another.
    """

    needs = ("sorted",)
    keep: float = KEEP

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        drop_weak(state, self.keep)
        return state


def drop_weak(state: Recalling, default: float) -> None:
    """Drop candidates below a share of the best score, and count those for which the limit had room."""
    # Nothing is weak if only the time or the speaker was asked for, unless the caller says otherwise.
    spared = state.asked.whole and state.asked.keep is None
    keep = default if state.asked.keep is None else state.asked.keep
    # The share is applied once.
    state.asked.keep = 0.0
    if keep <= 0 or not len(state.keys):
        return
    exact, named = (state.signal(name) >= 1.0 for name in ("exact", "entity"))
    measures = next(each for each in (named & ~exact, ~exact, exact) if each.any())
    room = min(state.asked.limit, len(state.keys))
    kept = exact | spared | (state.scores >= keep * float(state.scores[measures].max()))
    if not kept.all():
        state.take(kept)
    state.details["dropped"] = state.details.get("dropped", 0) + room - min(state.asked.limit, len(state.keys))
    state.details["keep"] = keep


@stage
class SetFactsBeside:
    """Moves derived facts whose evidence can be recalled from the ranking into `details["beside"]`.

    Such a fact repeats its turn, so as a hit it would only displace another turn. It stays if its evidence is
    forgotten or filtered out, if other turns do not fill the limit, and when the caller filters by kind or
    source. Only the best `depth` times the limit are examined.
    """

    needs = ("sorted",)
    depth: int = 3

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.where.kinds or state.where.sources or not len(state.keys):
            return state
        head = state.keys[: self.depth * state.asked.limit]
        derived = state.reader.eligible(head, replace(state.where, sources=DISTILLED))
        if not derived.any():
            return state
        others = head[~derived]
        hits = set(state.reader.ids(others[: state.asked.limit]))
        crowded = len(others) >= state.asked.limit
        facts = state.reader.memories(head[derived].tolist())
        places = np.flatnonzero(derived).tolist()
        beside = {
            place: fact
            for place, fact in zip(places, facts, strict=True)
            if hits & set(fact.evidence) or (crowded and _is_recallable(state, fact))
        }
        state.details["beside"] = [
            {
                "id": fact.id,
                "content": fact.content,
                "confidence": fact.confidence,
                "evidence": [each for each in fact.evidence if each in hits],
            }
            for place, fact in beside.items()
            if place < state.asked.limit
        ]
        if beside:
            stays = np.ones(len(state.keys), dtype=np.bool_)
            stays[list(beside)] = False
            state.take(stays)
        return state


def _is_recallable(state: Recalling, fact: Memory) -> bool:
    keys = np.array(sorted(state.reader.keys_of(fact.evidence).values()), dtype=np.int64)
    return bool(len(keys)) and bool(state.reader.eligible(keys, state.where).any())


@stage
class Cut:
    """Keeps the best `limit` candidates with at least the caller's minimum score and share of the best score."""

    needs = ("score",)
    gives = ("top",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.asked.min_score is not None and state.asked.min_score > 0 and len(state.keys):
            state.take(state.scores >= state.asked.min_score)
            if not len(state.keys):
                state.reason = f"no memory scores {state.asked.min_score} or more"
        drop_weak(state, 0.0)
        if len(state.keys) > state.asked.limit:
            state.take(np.arange(state.asked.limit))
        return state


_AT_ONCE = 500
_MOST_TERMS = 32
"""Words of the query that are looked up: the text itself is compared afterwards."""
_NOTES = tuple(kind for kind in KINDS if kind != "episode")


def same_text(query: str, text: str) -> bool:
    """Return whether two texts are the same but for case, width, white space and the final stop."""
    said = normalised(query)
    # Of a text that is nothing but stops, the stops are what it says.
    return normalised(text) == said if said else text.strip() == query.strip()


@stage
class KeepOwnText:
    """Puts a memory whose text is the query in front of the hits, if a gate or a filter has left it out.

    Such are the gate for trivial queries, that for queries without a letter or digit, dates read as a filter, the
    noise filter and every floor of evidence. The filter of the caller holds. A turn of a conversation counts only
    if it states something, and never for a query that was not searched: in a chat the question has just been
    stored, and "ok" was said a hundred times.

    It runs although an earlier stage has ended the recall. Nothing is looked up where a search by words and
    meaning had hits and nothing was filtered.
    """

    needs = ("query",)
    gives = ("score",)
    runs_when_done = True
    most: int = 200
    """Candidates by their words whose length is compared with the query's."""
    confidence_above: float = 0.0
    """As of `SearchFacts`."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        asked = state.asked.text or state.query
        filtered = (state.where.since, state.where.until) != (state.asked.since, state.asked.until)
        if len(state.keys) and not filtered and not state.details.get("noise"):
            return state
        where = replace(
            sure_enough(state.where, self.confidence_above), since=state.asked.since, until=state.asked.until
        )
        if state.done and not where.kinds:
            where = replace(where, kinds=_NOTES)
        found = self._found(state, asked, where)
        fresh: Keys = found[~np.isin(found, state.keys)]
        if not len(fresh):
            return state
        scores = np.concatenate((np.full(len(fresh), max(1.0, state.scores.max(initial=0.0))), state.scores))
        state.arrange(np.concatenate((fresh, state.keys)), scores)
        state.signals["exact"] = np.where(np.arange(len(scores)) < len(fresh), 1.0, state.signal("exact"))
        state.via |= dict.fromkeys(fresh.tolist(), "exact")
        state.reason = "found by its own text alone" if len(fresh) == len(scores) else ""
        state.done, state.weak = False, ""
        return state

    def _found(self, state: Recalling, asked: str, where: Filter) -> Keys:
        """Return the keys of the memories whose text is the query, ascending."""
        wanted = tuple((term, 1.0) for term in dict.fromkeys(terms(asked)))[:_MOST_TERMS]
        if wanted:
            arm = KeywordArm(wanted, mode="all", fields=(1.0, 0.0, 0.0, 0.0))
            keys = state.reader.search({"text": arm}, where, self.most).keys
        else:
            keys = state.reader.scan(where)
            keys = keys[state.reader.rows(keys).words == 0]
        same = [
            same_text(asked, text)
            for start in range(0, len(keys), _AT_ONCE)
            for text in state.reader.contents(keys[start : start + _AT_ONCE].tolist())
        ]
        found: Keys = np.sort(keys[np.array(same, dtype=np.bool_)])
        if not len(found):
            return found
        rows = state.reader.rows(found)
        says = not says_nothing(asked)
        kept: Keys = found[(rows.session < 0) | (says & ~rows.asks)]
        return kept
