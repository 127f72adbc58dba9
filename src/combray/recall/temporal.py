"""Dates in the query: plain ones become filters, vague ones a hint."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from combray.language import dates
from combray.language.trivial import asks_what_happened
from combray.recall.state import Recalling
from combray.runtime import Filter, Runtime

if TYPE_CHECKING:
    from combray.language.dates import TimeExpression

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class ResolveDates:
    """Turns plain dates ("yesterday", "tuần trước", "本月") into a filter and removes them from the query.

    Vague words ("recently", "two months ago") only lift the recency of memories from that time. So does a
    range that has not begun: who asks about "the plan for next week" asks for something said before. Several
    plain dates give one range from the first to the last; the caller's own `since` and `until` stay in force.

    Engram stage 2, whose code only wrote the date into the text. A memory that mentions a date
    without having happened then is not found by it: no filter is widened in silence.
    """

    needs = ("query",)
    gives = ("dates",)
    most_characters: int = 2000
    """Characters of a query that are searched for dates: a pasted page must not take seconds."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        # Some keyboards write "hôm" as "ho" and marks; the tables are composed.
        state.query = unicodedata.normalize("NFC", state.query)
        state.understood = state.details["resolved_query"] = state.query
        # The grammar's tables take 50 ms to build: a query without a date must not pay for them.
        if not dates.has_time_expression(state.query):
            return state
        found = dates.resolve(state.query[: self.most_characters], datetime.fromtimestamp(state.now, UTC))
        if not found:
            return state
        plain = [each for each in found if each.explicit and each.start.timestamp() <= state.now]
        state.soft = tuple((each.start.timestamp(), each.end.timestamp()) for each in found if each not in plain)
        state.details["resolved"] = [_told(each, "filter" if each in plain else "soft") for each in found]
        state.understood = state.details["resolved_query"] = _annotated(state.query, found)
        if plain:
            since = min(each.start.timestamp() for each in plain)
            until = max(each.end.timestamp() for each in plain)
            state.where = _narrowed(state.where, since, until)
            state.dated = " and ".join(f"{each.text} ({in_words(each)})" for each in plain)
            left = _without(state.query, plain)
            state.only_dated = asks_what_happened(left)
            # A query that is a date and nothing else stays as it is: there is nothing else to embed.
            state.query = left if any(char.isalnum() for char in left) else state.query
        return state


def _narrowed(where: Filter, since: float, until: float) -> Filter:
    return replace(
        where,
        since=since if where.since is None else max(since, where.since),
        until=until if where.until is None else min(until, where.until),
    )


def _told(found: TimeExpression, use: str) -> dict[str, str | None]:
    opens = found.kind == "open"
    return {
        "phrase": found.text,
        "from": None if opens and found.start.year == 1000 else found.start.isoformat(),
        "to": None if opens and found.end.year == 3000 else found.end.isoformat(),
        "as": use,
    }


def in_words(found: TimeExpression) -> str:
    """The range for people: "2024-04-30", "2024-04-22 to 2024-04-28", with times where it has some."""
    if found.kind == "time":
        return f"{found.start:%Y-%m-%d %H:%M} to {found.end:%Y-%m-%d %H:%M}"
    first, last = found.start.date(), (found.end - _DAY).date()
    if found.kind == "open":
        return f"before {found.end.date()}" if found.start.year == 1000 else f"from {first}"
    return str(first) if last <= first else f"{first} to {last}"


def _annotated(query: str, found: list[TimeExpression]) -> str:
    for each in reversed(found):
        query = f"{query[: each.span[1]]} ({in_words(each)}){query[each.span[1] :]}"
    return query


def _without(query: str, plain: list[TimeExpression]) -> str:
    """The query without the phrases."""
    for each in reversed(plain):
        query = f"{query[: each.span[0]]} {query[each.span[1] :]}"
    return " ".join(query.split())
