"""Superseded memories lead to what replaced them. `facts.later` puts later statements behind open ones.

Nothing is sorted by age. Measurements: bench/results/truth.md; reasons: docs/explanation/current-facts.md.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from combray.facts.pairs import chain_heads
from combray.forms.recalling import Recalling
from combray.language.tense import TENSE_BITS
from combray.pipeline import stage
from combray.runtime import Found, Keys, Ranked, Runtime
from combray.scoring.scratch import ascending
from combray.types import STATUSES

_OUTDATED = [STATUSES.index(each) for each in ("superseded", "merged")]


@stage
class FollowRevisions:
    """Finds for each candidate that was superseded or merged the live memory at the end of its chain.

    The candidate is ranked and judged by its own words: "I live in Leipzig" answers "Which city do I live in?" as
    well as before "Big news: I moved! Porto it is" superseded it. `ShowSuccessors` then shows the latter instead.
    A chain that ends in a memory which is forgotten, or which the filters exclude, gives nothing. For a question
    about the past superseded candidates stay, but for those that were corrected.
    """

    needs = ("found", "candidates")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.keys):
            return state
        if state.keeps_superseded:
            hidden = dict.fromkeys(self._never_true(state) if state.times.past else (), -1)
        else:
            outdated = self._outdated(state)
            state.edges.successors = chain_heads(state, state.keys[outdated].tolist()) if outdated.any() else {}
            hidden = {key: end for key, end in state.edges.successors.items() if end < 0}
        if hidden:
            state.found = _instead(state.found, hidden)
            state.keys = state.found.keys
        return state

    @staticmethod
    def _never_true(state: Recalling) -> list[int]:
        """Return the candidates that were corrected: for no question they say how things were."""
        superseded = state.keys[state.columns().status == _OUTDATED[0]].tolist()
        links = state.reader.links_to(superseded, ("supersedes",)) if superseded else ()
        return sorted({each.target for each in links if each.subtype == "corrects"})

    @staticmethod
    def _outdated(state: Recalling) -> NDArray[np.bool_]:
        if state.where.as_of is not None:
            # What was superseded since was no less true then.
            return ~state.reader.eligible(state.keys, state.where)
        rows = state.columns()
        # What a plan replaced stays live until the plan's day, and is outdated from then on.
        ended = (rows.valid_to <= state.now) & ((rows.cues & TENSE_BITS["past"]) == 0)
        outdated: NDArray[np.bool_] = np.isin(rows.status, _OUTDATED) | ended
        return outdated


@stage
class ShowSuccessors:
    """Replaces each outdated candidate by the end of its chain (`FollowRevisions`), with its evidence.

    If the question finds both, the better place counts.
    """

    needs = ("sorted",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        heads = state.edges.successors
        if not heads or state.found is None or not len(state.keys):
            return state
        found = state.keys.tolist()
        shown = [heads.get(key, key) for key in found]
        first = {key: place for place, key in reversed(list(enumerate(shown)))}
        places = sorted(first.values())
        if shown != found:
            state.found = _instead(state.found, {key: heads[key] for key in found if key in heads})
            state.take(np.array(places, dtype=np.int64))
            state.keys = np.array([shown[place] for place in places], dtype=np.int64)
            state.via.update(dict.fromkeys(set(shown) - set(found), "revision"))
        return state


def _instead(found: Found, heads: dict[int, int]) -> Found:
    """Return what was found with the heads in place of the outdated keys: the better rank, the higher scores."""

    known = np.array(sorted(heads), dtype=np.int64)
    ends = np.array([heads[key] for key in known.tolist()], dtype=np.int64)

    def renamed(keys: Keys) -> Keys:
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        return np.where(known[at] == keys, ends[at], keys)

    places = renamed(found.keys)
    stays = places >= 0
    keys = ascending(places[stays])
    place = np.searchsorted(keys, places[stays])
    scores = {}
    for name, values in found.scores.items():
        scores[name] = np.full(len(keys), -np.inf)
        np.maximum.at(scores[name], place, values[stays])
    lists = {}
    for name, ranked in found.lists.items():
        mine = renamed(ranked.keys)
        # The first place of each key, in the order of the list.
        order = np.argsort(mine, kind="stable")
        first = order[np.append(True, mine[order[1:]] != mine[order[:-1]])] if len(order) else order
        kept = np.sort(first[mine[first] >= 0])
        lists[name] = Ranked(mine[kept], ranked.scores[kept])
    return replace(found, keys=keys, lists=lists, scores=scores)
