"""Superseded memories lead to what replaced them, and notes on a hit say whether it is outdated.

`facts.later` puts later statements behind earlier ones that they may replace. Nothing is sorted by age.
Measurements: bench/results/truth.md; reasons: docs/explanation/current-facts.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.forms.recalling import Recalling
from combray.language.tense import TENSE_BITS
from combray.pipeline import stage
from combray.runtime import Found, Keys, Link, Ranked, Runtime
from combray.scoring.ranking import ascending
from combray.types import LIVE_STATUSES, STATUSES, Hit, Memory
from combray.values import not_now

CALLER = "user"
"""`created_by` of a pair that a caller linked or left open."""
_LONGEST_CHAIN = 64
_MERGED = STATUSES.index("merged")


_OUTDATED = [STATUSES.index(each) for each in ("superseded", "merged")]


def open_revisions(state: Recalling, keys: Sequence[int], least: float) -> list[Link]:
    """Return the open `may_revise` edges to the memories from later ones that the filters let through.

    An edge from a later one that is superseded is one from the end of its chain, unless that pair is settled.
    `restates` edges are read along, for `Assemble`: a server is asked once.
    """
    if not keys:
        return []
    read = state.reader.links_to(keys, ("may_revise", "restates"))
    found = [link for link in read if link.type == "may_revise"]
    state.edges.restating |= {(link.target, link.source) for link in read if link.type == "restates"}
    state.edges.linked.update(keys)
    links = [link for link in found if not link.subtype and link.weight >= least]
    if not links:
        return []
    sources = np.array(sorted({link.source for link in links}), dtype=np.int64)
    shown = set(sources[state.reader.eligible(sources, state.where)].tolist())
    if len(shown) == len(sources):
        return links
    heads = chain_heads(state, [key for key in sources.tolist() if key not in shown])
    known = {(link.source, link.target) for link in found}
    for link in links:
        head = heads.get(link.source, -1)
        if head >= 0 and head != link.target and (head, link.target) not in known:
            known.add((head, link.target))
            links = [*links, msgspec.structs.replace(link, source=head)]
            shown.add(head)
    return [link for link in links if link.source in shown]


def chain_heads(state: Recalling, keys: Sequence[int]) -> dict[int, int]:
    """Return the live memory at the end of the chain of each memory that was superseded or merged; -1 for none.

    -1 stands for an end that is not to be shown. With `as_of` a chain ends in what had replaced it by then.
    """
    newer: dict[int, int] = {}
    frontier = list(keys)
    for _ in range(_LONGEST_CHAIN):
        if not frontier:
            break
        found = _replaced_by(state, frontier)
        newer |= found
        frontier = sorted(set(found.values()) - newer.keys())
    chains: dict[int, list[int]] = {}
    for key in keys:
        chain = [key]
        while chain[-1] in newer and len(chain) <= _LONGEST_CHAIN:
            chain.append(newer[chain[-1]])
        chains[key] = chain if state.where.as_of is not None else chain[-1:]
    every = np.array(sorted({each for chain in chains.values() for each in chain}), dtype=np.int64)
    shown = set(every[state.reader.eligible(every, state.where)].tolist())
    return {key: next((each for each in reversed(chain) if each in shown), -1) for key, chain in chains.items()}


def _replaced_by(state: Recalling, keys: Sequence[int]) -> dict[int, int]:
    """Return the memory that superseded each of the keys, or that it was merged into."""
    reader = state.reader
    found = {link.target: link.source for link in reader.links_to(keys, ("supersedes",))}
    every = np.array(keys, dtype=np.int64)
    merged = every[reader.rows(every).status == _MERGED].tolist()
    if merged:
        into = {key: memory.merged_into for key, memory in zip(merged, reader.memories(merged), strict=True)}
        known = reader.keys_of([each for each in into.values() if each])
        found |= {key: known[winner] for key, winner in into.items() if winner in known}
    return found


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


def marks(hits: Iterable[Hit], numbers: Mapping[str, int], now: float) -> dict[str, str]:
    """Return the note of each hit that needs one, by memory id; `numbers` are those in the prompt, by id."""
    noted = {hit.memory.id: note(hit, numbers, now) for hit in hits}
    return {memory_id: text for memory_id, text in noted.items() if text}


def note(hit: Hit, numbers: Mapping[str, int], now: float) -> str:
    """Return what a reader must know about the time of a hit; "" if it holds as far as anybody said."""

    def named(memory_id: str, otherwise: str = "a later memory") -> str:
        return f" [{numbers[memory_id]}]" if memory_id in numbers else f" {otherwise}"

    memory = hit.memory
    if hit.outdated_by:
        return f"outdated: replaced by{named(hit.outdated_by)}"
    if memory.status not in LIVE_STATUSES:
        return f"outdated: {memory.status}"
    if hit.may_be_outdated_by:
        return f"may be outdated: see{named(hit.may_be_outdated_by)}"
    if hit.may_replace:
        return f"later, may replace{named(hit.may_replace, 'an earlier memory')}"
    return not_now(memory.valid_from, memory.valid_to, now)


def outdated_by(memory: Memory, now: float) -> str | None:
    """Return the id of what superseded it; what a plan supersedes is outdated from the plan's day on."""
    ended = memory.valid_to is not None and memory.valid_to.timestamp() <= now
    return memory.superseded_by if memory.status == "superseded" or ended else None
