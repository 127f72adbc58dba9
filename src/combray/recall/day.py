"""Questions for a day and nothing else ("what happened 18 days ago"): that day's memories, or none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from combray.forms.recalling import Recalling, sure_enough
from combray.language import dates
from combray.language.dates.statements import is_ahead, resolve_stated
from combray.language.tense import tense_of
from combray.language.text import candidate_of
from combray.language.trivial import asks_what_happened
from combray.pipeline import stage
from combray.recall.ranges import around, in_words, without
from combray.runtime import Filter, Keys, MomentArm, Runtime
from combray.types import LIVE_STATUSES


@stage
class ReadDay:
    """Reads whether a question asks for whatever happened in a time that is over, and for nothing else.

    Vague words ("recently") name no such time. Neither do today and times ahead: what will happen was said on
    another day. "What is on March 15" may mean the next one: then the verb must say that it is over.
    """

    needs = ("query",)
    gives = ("dates",)
    most_characters: int = 200
    """Characters from which a query is not read: it asks for more than a day."""

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        query = state.query
        # The grammar's tables take 50 ms to build: a question without a date must not pay for them.
        if len(query) > self.most_characters or not dates.has_time_expression(query):
            return state
        now = runtime.local(state.now)
        found = [around(each, now) for each in dates.resolve(query, now)]
        ahead = {each.span: each.start for each in dates.resolve(query, now, forward=True)}
        if not found or not all(
            each.explicit
            and each.end <= now
            and (ahead.get(each.span, now) <= now or is_ahead(query, each.span) is False)
            for each in found
        ):
            return state
        if asks_what_happened(without(query, found)):
            state.times.alone = True
            state.times.windows = tuple((each.start.timestamp(), each.end.timestamp()) for each in found)
            state.times.dated = " and ".join(f"{each.text} ({in_words(each)})" for each in found)
        return state


@stage
class RequireDay:
    """Keeps the memories of the time that a question asks for and nothing else (`ReadDay`).

    These are memories that happened or were said then, and candidates whose text names it ("the roof was
    inspected on 11 February") or is the question. Nothing is dropped as weak, since nothing but the time is
    asked. If there are none, the answer is empty and says so. `confidence_above`: as of `SearchFacts`;
    `superseded`: what was said then and is outdated is kept too, and marked.
    """

    needs = ("score", "dates")
    confidence_above: float = 0.0
    superseded: bool = False
    pool: int = 200
    most_characters: int = 1200
    """Characters of a candidate that are read: a grammar takes long for a page."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not state.times.windows:
            return state
        windows = tuple((since, until, 1.0) for since, until in state.times.windows)
        then = state.reader.search({"date": MomentArm(windows, minimum=1.0)}, self._where(state), self.pool).keys
        none = np.zeros(len(state.keys))
        kept = np.isin(state.keys, then) | (state.signals.get("exact", none) >= 1.0) | self._naming(state)
        if state.words.days:
            # Here the signal is a form of the day in the text: "3/15" of whatever year.
            kept |= state.signals.get("date", none) > 0.0
        state.take(kept)
        more: Keys = np.setdiff1d(then, state.keys)
        if len(more):
            state.via |= dict.fromkeys(more.tolist(), "time")
            scores = np.concatenate((state.scores, np.zeros(len(more))))
            state.arrange(np.concatenate((state.keys, more)), scores)
        state.asked.whole, state.weak = True, ""
        state.reason = ""
        if not len(state.keys):
            state.reason = f"nothing is dated {state.times.dated}; ask without the date for what is near it"
        return state

    def _where(self, state: Recalling) -> Filter:
        where = sure_enough(state.where, self.confidence_above)
        if self.superseded and where.statuses == LIVE_STATUSES and where.as_of is None:
            where = replace(where, statuses=(*LIVE_STATUSES, "superseded"))
        return where

    def _naming(self, state: Recalling) -> NDArray[np.bool_]:
        """Return which candidates name the time in their text."""
        naming = np.zeros(len(state.keys), dtype=np.bool_)
        for place, memory in enumerate(state.reader.memories(state.keys[: self.pool])):
            text = memory.content[: self.most_characters]
            if dates.has_time_expression(text):
                read = resolve_stated(text, memory.moment, tense_of(candidate_of(text)))
                named = [(each.start.timestamp(), each.end.timestamp()) for each in read if each.explicit]
                naming[place] = any(
                    since <= start and end <= until
                    for start, end in named
                    for since, until in state.times.windows
                )
        return naming
