"""Texts that put a plan off to another day, or drop it, and what they do to the open pairs of a recall."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from combray.language.named_days import names_a_day
from combray.language.tense import puts_off, says_put_off
from combray.recall.open_pairs import open_revisions
from combray.recall.state import Recalling
from combray.recall.times import Times, planned, times_of
from combray.runtime import Link

SLIPPED_FROM, SLIPPED_SHARE, SLIPPED_SILENTLY_FROM = 0.02, 0.2, 0.75
"""Least probability of the `may_revise` edge of a text from before a plan's day, with words of putting off or
dropping (`language.tense.puts_off`), that puts the plan in doubt; its least share of the text's best edge; and
the probability from which a text without such words does."""
PUT_OFF_FROM, EVENT_FROM = 0.1, 0.3
"""Probability of a `may_revise` edge from which a text with words of putting off or dropping leads over a plan,
and from which one that says outright that something is put off, or off, leads over what names a calendar day."""


def put_off(state: Recalling, links: Sequence[Link], times: Times) -> tuple[list[Link], list[Link]]:
    """Return the edges, with those of the texts that put a plan off to another day, and the edges to such plans.

    "The move slips to 9 February" does what the plan that it put off would have done, on its own day.
    """
    slips = _slips(state, links, times)
    firmest = {(each.source, each.target): each for each in links}
    for slip in slips:
        for plan in links:
            pair = slip.source, plan.target
            instead = slip.source in times.plans and plan.source == slip.target and slip.source != plan.target
            if instead and (pair not in firmest or firmest[pair].weight < plan.weight):
                firmest[pair] = msgspec.structs.replace(plan, source=slip.source)
    return list(firmest.values()), slips


def _slips(state: Recalling, links: Sequence[Link], times: Times) -> list[Link]:
    """Return the edges whose later text puts a plan off, or drops it, before its day."""
    early = [
        each
        for each in links
        if each.target in times.plans
        and each.weight >= SLIPPED_FROM
        and times.moment.get(each.source, math.inf) < times.begins.get(each.target, math.nan)
    ]
    read = sorted({each.source for each in early if each.weight < SLIPPED_SILENTLY_FROM})
    says = [key for key, text in zip(read, state.contents(read), strict=True) if puts_off(text)]
    best = _best_with_a_day(state, says) if says else {}

    def slips(each: Link) -> bool:
        if each.weight >= SLIPPED_SILENTLY_FROM:
            return True
        return each.source in best and each.weight >= SLIPPED_SHARE * best[each.source]

    return list(filter(slips, early))


def _best_with_a_day(state: Recalling, keys: Sequence[int]) -> Mapping[int, float]:
    """Return the most probable edge of each key to a plan or a text with a time: nothing else can be put off.

    "Acme's audit is put off" says nothing about the plan that it resembles second best. "Bastian's start as lead
    is cancelled, Odile stays" resembles "The lead is Odile" best: this edge is left out.
    """
    links = [each for each in state.reader.links(keys, ("may_revise",)) if each.source in keys]
    rows = state.reader.rows(np.array(sorted({each.target for each in links}), dtype=np.int64))
    with_a_day = set(rows.keys[planned(rows) | rows.times].tolist())
    best: dict[int, float] = defaultdict(float)
    for each in links:
        if each.target in with_a_day:
            best[each.source] = max(best[each.source], each.weight)
    return best


def outright(
    state: Recalling, links: Sequence[Link], slips: Sequence[Link], times: Times
) -> set[tuple[int, int]]:
    """Return the pairs of which the later text puts a plan off or drops it, or says so of an event outright.

    Until the new day as after it, the old one holds no more: the text stands before what names it.
    """
    plans = {(each.source, each.target) for each in slips if each.weight >= PUT_OFF_FROM}
    dated = {
        (each.source, each.target) for each in links if each.weight >= EVENT_FROM and each.target in times.dated
    }
    news = sorted({new for new, _ in plans | dated})
    texts = dict(zip(news, state.contents(news), strict=True))
    said = {new for new, text in texts.items() if says_put_off(text)}
    olds = sorted({old for new, old in dated - plans if new in said})
    days = {old for old, text in zip(olds, state.contents(olds), strict=True) if names_a_day(text)}
    return {(new, old) for new, old in plans if puts_off(texts[new])} | {
        (new, old) for new, old in dated if new in said and old in days
    }


def slips(state: Recalling, plans: Sequence[int]) -> list[int]:
    """Return the plans that a text from before their day may have put off or cancelled."""
    links = open_revisions(state, plans, SLIPPED_FROM)
    if not links:
        return []
    times = times_of(state, {key for each in links for key in (each.source, each.target)})
    return sorted({each.target for each in _slips(state, links, times)})
