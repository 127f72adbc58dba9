"""Texts that put a plan off to another day, or drop it: they stand before the plan."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from combray.language.named_days import names_a_day
from combray.language.tense import puts_off, says_put_off
from combray.recall.state import Recalling
from combray.recall.times import Times
from combray.runtime import Link

PUT_OFF_FROM, SILENTLY_FROM, EVENT_FROM = 0.1, 0.75, 0.3
"""Probability of a `may_revise` edge to a plan from a text before its day from which it puts the plan off: with
words of putting off or dropping (`language.tense.puts_off`), and without them. The last is the probability from
which a text that says outright that something is off leads over what names a calendar day."""


def put_off(state: Recalling, links: Sequence[Link], times: Times) -> list[Link]:
    """Return the edges whose later text puts a plan off, or drops it, before its day."""
    early = [
        each
        for each in links
        if each.target in times.plans
        and each.weight >= PUT_OFF_FROM
        and times.moment.get(each.source, math.inf) < times.begins.get(each.target, math.nan)
    ]
    read = sorted({each.source for each in early})
    says = {key for key, text in zip(read, state.contents(read), strict=True) if puts_off(text)}
    return [each for each in early if each.source in says or each.weight >= SILENTLY_FROM]


def on_the_new_day(links: Sequence[Link], slips: Sequence[Link], times: Times) -> list[Link]:
    """Return the edges of the plans that were put off, each from the text that names its new day.

    "The move slips to 9 February" does on that day what the plan would have done on its own.
    """
    new_days = {each.target: each.source for each in slips if each.source in times.plans}
    return [
        msgspec.structs.replace(each, source=new_days[each.source])
        for each in links
        if each.source in new_days and each.target != new_days[each.source]
    ]


def outright(
    state: Recalling, links: Sequence[Link], slips: Sequence[Link], times: Times
) -> set[tuple[int, int]]:
    """Return the pairs of which the later text puts a plan off or drops it, or says so of an event outright."""
    plans = {(each.source, each.target) for each in slips}
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
