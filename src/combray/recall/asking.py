"""A caller's question and options to a state, a pipeline run, and an answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from combray.errors import InvalidInputError
from combray.pipeline import Pipeline
from combray.recall.assemble import Assemble
from combray.recall.basic import SearchSubstring
from combray.recall.intent import INTENTS, DetectIntent
from combray.recall.keyword import SearchKeywords
from combray.recall.rewrite import ReadQuery
from combray.recall.state import Recalling
from combray.recall.weigh import Cut
from combray.runtime import Filter, Reader, Runtime
from combray.times import as_seconds
from combray.types import CATEGORIES, KINDS, STATUSES, TIERS, TRUSTS, Answer
from combray.values import clean_text, one_of, whole

MAX_QUERY = 20_000
MAX_LIMIT = 1_000

SEARCH_TYPES: Mapping[str, tuple[str, ...]] = {
    "both": (),
    "facts": ("fact", "insight", "summary"),
    "episodes": ("episode",),
}
"""What `search_memory` looks through, as kinds; both is everything, pieces of documents too."""

_LISTS: dict[str, tuple[str, ...] | None] = {
    "categories": CATEGORIES,
    "kinds": KINDS,
    "tiers": TIERS,
    "trusts": TRUSTS,
    "statuses": STATUSES,
    "sources": None,
    "authors": None,
    "sessions": None,
    "tags": None,
}
OPTIONS = (
    "intent",
    "since",
    "until",
    "as_of",
    "min_score",
    "min_importance",
    "min_confidence",
    "explain",
    *_LISTS,
)


@dataclass(frozen=True)
class Asking:
    """Asks one namespace."""

    namespace: str
    reader: Reader
    runtime: Runtime

    def answer(
        self,
        query: str,
        pipeline: Pipeline[Recalling],
        preset: str,
        *,
        limit: int,
        basic: bool,
        options: Mapping[str, Any],
    ) -> Answer:
        """Check the question, run the pipeline, hand out hits with the trace."""
        state = self._state(query, limit, options)
        if not basic and self._nothing_asked(state):
            return Answer(query, (), state.intent, state.intent_source, state.reason, preset)
        chosen = Pipeline("basic", (SearchSubstring(), Assemble()), ("query",)) if basic else pipeline
        state = chosen.run(state, self.runtime)
        return Answer(
            query=query,
            hits=tuple(state.hits),
            intent=state.intent,
            intent_source=state.intent_source,
            reason=state.reason,
            preset="basic" if basic else preset,
            trace=tuple(state.trace),
            details={**state.details, "degraded": tuple(state.degraded)},
        )

    def keyword_pipeline(self) -> Pipeline[Recalling]:
        """Keyword search only."""
        return Pipeline("search", (DetectIntent(), ReadQuery(), SearchKeywords(), Cut(), Assemble()), ("query",))

    def _nothing_asked(self, state: Recalling) -> bool:
        if any(char.isalnum() for char in state.query):
            return False
        state.reason = "the query holds no words"
        return True

    def _state(self, query: str, limit: int, options: Mapping[str, Any]) -> Recalling:
        unknown = sorted(set(options) - set(OPTIONS))
        if unknown:
            raise InvalidInputError(unknown[0], "is no option of recall.", f"Options: {', '.join(OPTIONS)}.")
        text = clean_text("query", query, MAX_QUERY)
        if not text.strip():
            raise InvalidInputError("query", "is empty.", "Ask something.")
        now = self.runtime.clock()
        intent = options.get("intent")
        if intent is not None:
            intent = one_of("intent", str(intent).upper(), INTENTS)
        return Recalling(
            query=text,
            namespace=self.namespace,
            reader=self.reader,
            now=now,
            limit=whole("limit", limit, 1, MAX_LIMIT),
            where=self._filter(options, now),
            min_score=None if options.get("min_score") is None else _number("min_score", options["min_score"]),
            intent=intent or "GENERAL",
            intent_source="override" if intent else "auto",
        )

    def _filter(self, options: Mapping[str, Any], now: float) -> Filter:
        since = as_seconds("since", options.get("since"), now)
        until = as_seconds("until", options.get("until"), now)
        if since is not None and until is not None and since >= until:
            raise InvalidInputError("until", "is not later than since.", "Swap them, or widen the range.")
        as_of = as_seconds("as_of", options.get("as_of"), now)
        lists = {
            name: _texts(name, options[name], allowed) for name, allowed in _LISTS.items() if options.get(name)
        }
        return Filter(
            since=since,
            until=until,
            as_of=as_of,
            now=now if as_of is None else as_of,
            min_importance=whole("min_importance", options.get("min_importance", 1), 1, 5),
            min_confidence=_number("min_confidence", options.get("min_confidence")),
            **lists,
        )


def _texts(field: str, value: Any, allowed: tuple[str, ...] | None) -> tuple[str, ...]:
    if not isinstance(value, (str, list, tuple, set, frozenset)):
        raise InvalidInputError(field, f"must be a text or a list of texts, not {value!r}.")
    texts = (value,) if isinstance(value, str) else tuple(value)
    for text in texts:
        clean_text(field, text, 200)
        if allowed is not None:
            one_of(field, text, allowed)
    return texts


def _number(field: str, value: Any) -> float:
    if value is None:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InvalidInputError(field, f"must be a finite number, not {value!r}.")
    return float(value)
