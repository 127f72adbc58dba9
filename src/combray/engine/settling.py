"""Settling which of two memories holds, and the pairs that wait for it."""

from __future__ import annotations

from collections.abc import Iterable

from combray.audit.audited import found as shown_so_far
from combray.engine.namespace import Namespace
from combray.errors import InvalidInputError
from combray.facts.slots import earlier_values
from combray.facts.waiting import due
from combray.language.scopes import scope_set
from combray.records import dataclass
from combray.runtime import Filter, Link, Order, Reader, Writer
from combray.types import LIVE_STATUSES, VERDICTS, Edge, Memory, Verdict
from combray.values import clean_text, one_of, whole
from combray.where import Or, one_of_texts

LONGEST_REASON = 1000
LISTED_FROM = 0.2
"""Least probability of a pair that is listed. Less probable ones are kept for recall, which weighs them anew."""
_MOST = 1_000_000
_READ_AT_ONCE = 200
_MOST_STATEMENTS = 5000
"""Latest statements of an author that are compared with a new value."""
_CALLER = "user"
"""Who made the edge of a pair that was settled as open."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What `settle` did: the ids, the verdict, and the verdict on the two that it took back ("" for none).

    `others`: ids of the further earlier values that got the same verdict, newest first.
    """

    new: str
    old: str
    verdict: Verdict
    undone: str = ""
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A pair that nobody has settled: the later memory may change the earlier one. The score is 0-1.

    `left_open`: a caller has settled it as open.
    """

    new: Memory
    old: Memory
    score: float
    reason: str
    left_open: bool = False


class Pairs(list[Unsettled]):
    """Unsettled pairs, best score first.

    `due`: how many memories of large batches, at most, the next consolidation has still to find pairs for.
    """

    def __init__(self, pairs: Iterable[Unsettled], due: int) -> None:
        super().__init__(pairs)
        self.due = due


@dataclass(frozen=True, slots=True)
class Replaced:
    """One step of a chain: a memory, and what happened to it. The verdict of the one that holds is "".

    `by` is the id of the memory that replaced it; the verdict is "supersedes", "corrects" or "same".
    """

    memory: Memory
    verdict: str = ""
    by: str | None = None
    reason: str = ""


def settle(at: Namespace, new: str, old: str, verdict: str, reason: str, all_earlier: bool = False) -> Settled:
    """Apply a verdict on two memories; with `all_earlier` on every earlier value of the same slot too."""
    from combray.consolidate.settling import settle as apply

    chosen = one_of("verdict", verdict, VERDICTS)
    why = clean_text("reason", reason, LONGEST_REASON).strip()
    with at.runtime.store.transaction(at.namespace) as tx:
        here, there = at.key_of(new, tx), at.key_of(old, tx)
        if here == there:
            raise InvalidInputError("old", "is the new memory itself.", "Name two memories.")
        # Before the verdict: a merged memory has no earlier values any more.
        others = [key for key in _earlier_values(tx, here) if key != there] if all_earlier else []
        undone = apply(tx, here, there, chosen, why, "user", at.runtime.clock())
        for key in others:
            apply(tx, here, key, chosen, why, "user", at.runtime.clock())
        later, earlier, *rest = tx.memories([here, there, *others])
    return Settled(later.id, earlier.id, chosen, undone or "", tuple(each.id for each in rest))


def _earlier_values(tx: Writer, new: int) -> list[int]:
    """Return the live memories of the author that state an earlier value of the same slot, newest first."""
    (memory,) = tx.memories([new])
    if memory.author is None:
        return []
    # A moment of the filter is inclusive in front and exclusive behind; of one moment the key decides.
    where = Filter(authors=(memory.author,), within=scope_set(memory.tags), until=memory.moment.timestamp())
    return earlier_values(tx, new, tx.scan(where, newest_first=True, limit=_MOST_STATEMENTS).tolist())


def unsettled(at: Namespace, limit: int, left_open: bool) -> Pairs:
    """Return the open pairs of two live memories of at least `LISTED_FROM`, best score first."""
    most = whole("limit", limit, 1, _MOST)
    reader = at.reader
    edges = [each for each in reader.edges(("may_revise",)) if each.weight >= LISTED_FROM or each.subtype]
    # A verdict in one direction holds for both.
    settled = {frozenset((each.source, each.target)) for each in edges if each.subtype}
    waiting = [each for each in edges if frozenset((each.source, each.target)) not in settled]
    if left_open:
        waiting = [each for each in waiting if each.created_by == _CALLER]
    waiting.sort(key=lambda each: (-each.weight, each.source, each.target))
    found: list[Unsettled] = []
    for start in range(0, len(waiting), _READ_AT_ONCE):
        some = waiting[start : start + _READ_AT_ONCE]
        live = {memory.id: memory for memory in _live(at, some)}
        for each in some:
            both = each.source in live and each.target in live
            if both and live[each.target].superseded_by != each.source:
                about = each.weight, each.reason, each.created_by == _CALLER
                found.append(Unsettled(live[each.source], live[each.target], *about))
        if len(found) >= most:
            break
    found = found[:most]
    # One audit entry names the ids of both sides.
    shown_so_far().ids.update(dict.fromkeys(end.id for each in found for end in (each.new, each.old)))
    return Pairs(found, due(reader))


def _live(at: Namespace, edges: Iterable[Edge]) -> list[Memory]:
    ids = list(dict.fromkeys(end for each in edges for end in (each.source, each.target)))
    found = at.reader.memories(at.reader.keys_of(ids).values())
    return [each for each in found if each.status in LIVE_STATUSES and each.trust in at.trusts]


# -- chains --------------------------------------------------------------------------------------


def chain(at: Namespace, memory_id: str) -> list[Replaced]:
    """Return what a memory replaced and what replaced it, earliest first."""
    reader = at.reader
    found = {memory.id: memory for memory in reader.memories([at.key_of(memory_id)])}
    forward = list(found.values())
    while forward:
        ids = [by for each in forward if (by := _replaced_by(each)) and by not in found]
        forward = reader.memories(reader.keys_of(ids).values())
        found |= {each.id: each for each in forward}
    backward = list(found)
    while backward:
        named = tuple(backward)
        replaced = Or((one_of_texts("superseded_by", named), one_of_texts("merged_into", named)))
        earlier = reader.memories(reader.page(replaced, Order(descending=False), _MOST))
        backward = [each.id for each in earlier if each.id not in found]
        found |= {each.id: each for each in earlier if each.id not in found}
    shown = [each for each in found.values() if each.trust in at.trusts]
    shown.sort(key=lambda each: (each.valid_from or each.moment, each.id))
    edges = _superseding(reader, shown)
    return [_step(each, edges) for each in shown]


def _replaced_by(memory: Memory) -> str | None:
    if memory.status == "merged":
        return memory.merged_into
    # What a plan will replace is still live.
    return memory.superseded_by if memory.status in ("superseded", *LIVE_STATUSES) else None


def _superseding(reader: Reader, memories: list[Memory]) -> dict[tuple[str, str], Link]:
    """Return the edges between the memories, by the ids of the later and the earlier one."""
    ids = {key: each for each, key in reader.keys_of([memory.id for memory in memories]).items()}
    links = reader.links(ids, ("supersedes",))
    return {(ids.get(each.source, ""), ids.get(each.target, "")): each for each in links}


def _step(memory: Memory, edges: dict[tuple[str, str], Link]) -> Replaced:
    by = _replaced_by(memory)
    if by is None:
        return Replaced(memory)
    edge = edges.get((by, memory.id))
    if memory.status == "merged":
        return Replaced(memory, "same", by)
    verdict = "corrects" if edge is not None and edge.subtype == "corrects" else "supersedes"
    return Replaced(memory, verdict, by, edge.reason if edge is not None else "")
