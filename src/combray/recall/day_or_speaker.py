"""Questions for all of a day ("what happened 18 days ago"), or all about the speaker, and for nothing else.

`around`, `without` and `in_words` turn the times that a question names into ranges, for the designs too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from combray.forms.recalling import Recalling, sure_enough
from combray.language import dates
from combray.language.dates.statements import is_ahead, resolve_stated
from combray.language.questions import ASSISTANTS, is_of_speaker
from combray.language.tense import tense_of
from combray.language.text import candidate_of
from combray.language.trivial import asks_what_happened
from combray.pipeline import stage
from combray.runtime import Filter, Keys, MomentArm, Runtime
from combray.types import LIVE_STATUSES, Kind

if TYPE_CHECKING:
    from combray.language.dates import TimeExpression


_DAY, _WEEK, _HALF_WEEK = timedelta(days=1), timedelta(days=7), timedelta(days=3)


def around(found: TimeExpression, now: datetime) -> TimeExpression:
    """Return a counted distance in weeks as a plain range: its week, and half a week around the day itself.

    Said on a Sunday, "two weeks ago" ends a week of the calendar: the Monday after that day is meant as well.
    """
    if not found.counted or found.end - found.start != _WEEK or found.start > now:
        return found
    day = found.start + timedelta(days=now.weekday())
    since, until = min(found.start, day - _HALF_WEEK), max(found.end, day + _DAY + _HALF_WEEK)
    return replace(found, start=since, end=until, explicit=True)


def without(query: str, found: Sequence[TimeExpression]) -> str:
    """Return a query without these expressions, which are in its order."""
    for each in reversed(found):
        query = f"{query[: each.span[0]]} {query[each.span[1] :]}"
    return " ".join(query.split())


def in_words(found: TimeExpression) -> str:
    """The range for people: "2024-04-30", "2024-04-22 to 2024-04-28", with times where it has some."""
    if found.kind == "time":
        return f"{found.start:%Y-%m-%d %H:%M} to {found.end:%Y-%m-%d %H:%M}"
    first, last = found.start.date(), (found.end - _DAY).date()
    if found.kind == "open":
        return f"before {found.end.date()}" if found.start.year == 1000 else f"from {first}"
    return str(first) if last <= first else f"{first} to {last}"


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
        kept = np.isin(state.keys, then) | (state.signal("exact") >= 1.0) | self._naming(state)
        if state.words.days:
            # Here the signal is a form of the day in the text: "3/15" of whatever year.
            kept |= state.signal("date") > 0.0
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


_KINDS: tuple[tuple[Kind, ...], ...] = (("fact", "insight"), ("episode",))
"""Facts before turns. A chunk of a file is in nobody's first person."""


@stage
class RequireSpeaker:
    """Keeps statements in the first person, and about "the user", if nothing but the speaker is asked for.

    These are the newest facts, then turns, among the `pool` newest of each that pass the filter. What an
    assistant says of itself is none. A memory whose text is the question stays too. Without a statement the
    answer stays as it is.
    """

    needs = ("score", "question")
    pool: int = 500
    most_characters: int = 600
    """Characters of a memory that are read."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not state.names.speaker:
            return state
        found: list[int] = []
        for kinds in _KINDS:
            allowed = tuple(kind for kind in kinds if not state.where.kinds or kind in state.where.kinds)
            if allowed and len(found) < state.asked.limit:
                found += self._statements(state, replace(state.where, kinds=allowed))
        exact = state.signal("exact") >= 1.0
        if found:
            found += [key for key in state.keys[exact].tolist() if key not in found]
            state.via |= dict.fromkeys(found, "speaker")
            keys: Keys = np.array(found, dtype=np.int64)
            state.arrange(keys, 1.0 - np.arange(len(keys)) / (2.0 * len(keys)))
            state.asked.whole, state.weak, state.reason = True, "", ""
        return state

    def _statements(self, state: Recalling, where: Filter) -> list[int]:
        keys = state.reader.scan(where, newest_first=True, limit=self.pool)
        rows = state.reader.rows(keys)
        by = [rows.author_names[code].casefold() if code >= 0 else "" for code in rows.author.tolist()]
        return [
            key
            for key, author, text in zip(keys.tolist(), by, state.contents(keys.tolist()), strict=True)
            if author not in ASSISTANTS and is_of_speaker(text[: self.most_characters])
        ]
