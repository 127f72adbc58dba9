"""From a caller's query and options to a pipeline run and an answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from typing import Any

from combray.errors import InvalidInputError, brief
from combray.forms.recalling import Recalling, RecallRequest
from combray.language.text import text_of
from combray.pipeline import Pipeline
from combray.recall.assemble import Assemble
from combray.recall.keep import Cut, KeepOwnText
from combray.recall.query import INTENTS, KEYWORD_ONLY, DetectIntent, ReadQuery
from combray.recall.search import SearchKeywords, SearchSubstring
from combray.records import dataclass
from combray.runtime import Filter, Reader, Runtime
from combray.types import CATEGORIES, KINDS, STATUSES, TIERS, TRUSTS, Answer, AnswerDetails
from combray.values import INSTEAD, MAX_LABEL, MAX_LIMIT, MAX_QUERY, as_seconds, clean_text, one_of, whole
from combray.where import fields_of, parse

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
SHOWN: tuple[str, ...] = tuple(trust for trust in TRUSTS if trust != "quarantined")
OPTIONS = (
    "intent",
    "since",
    "until",
    "as_of",
    "min_score",
    "keep",
    "min_importance",
    "min_confidence",
    "where",
    *_LISTS,
)


@dataclass(frozen=True)
class Asking:
    """Asks one namespace."""

    namespace: str
    runtime: Runtime
    trusts: tuple[str, ...] = SHOWN
    """Trust of the memories that may be shown; options can ask for less, never for more."""

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
        """Check the question, run the pipeline, and return hits with the trace."""
        with self.runtime.store.view(self.namespace) as reader:
            state = self._state(query, limit, options, reader)
            if not basic and not any(char.isalnum() for char in state.query):
                # A memory may still be such a text.
                state.reason, state.done = "the query holds no words", True
            chosen = Pipeline("basic", (SearchSubstring(), Assemble()), ("query",)) if basic else pipeline
            state = chosen.run(state, self.runtime)
        details = self._with_tier(state)
        moving = details.get("moving", "")
        return Answer(
            query=query,
            hits=tuple(state.hits),
            intent=state.intent,
            intent_source=state.asked.intent_source,
            reason="; ".join(filter(None, (state.reason, _dropped(state), moving, _vectorless(state)))),
            preset="basic" if basic else preset,
            trace=tuple(state.trace),
            details=details | {"degraded": tuple(state.degraded)},
        )

    def _with_tier(self, state: Recalling) -> AnswerDetails:
        """The details, with the service tier of this answer; the reason says why it is a lower one than usual."""
        if self.runtime.service_tier is None:
            return state.details
        tier = self.runtime.service_tier.now()
        failure = next((each for each in state.degraded if each.startswith(KEYWORD_ONLY)), "")
        if failure:
            tier = tier.without_vector(failure)
        if tier.degraded and tier.why not in state.reason:
            state.reason = f"{state.reason}; tier {tier.name}: {tier.why}".removeprefix("; ")
        return state.details | {"tier": {"tier": tier.name, "why": tier.why}}

    @staticmethod
    def keyword_pipeline() -> Pipeline[Recalling]:
        """Keyword search only."""
        stages = (DetectIntent(), ReadQuery(), SearchKeywords(), KeepOwnText(), Cut(), Assemble())
        return Pipeline("search", stages, ("query",))

    def _state(self, query: str, limit: int, options: Mapping[str, Any], reader: Reader) -> Recalling:
        unknown = sorted(set(options) - set(OPTIONS))
        if unknown:
            remedy = INSTEAD.get(unknown[0]) or f"Options: limit, {', '.join(OPTIONS)}."
            raise InvalidInputError(unknown[0], "is not an option of recall.", remedy)
        text = clean_text("query", query, MAX_QUERY)
        if not text.strip():
            raise InvalidInputError("query", "is empty.", "Ask something.")
        # Kept, so that every stage reads the question once.
        text_of(text)
        now = self.runtime.clock()
        intent = options.get("intent")
        if intent is not None:
            intent = one_of("intent", intent.upper() if isinstance(intent, str) else intent, INTENTS)
        where = self._filter(options, now, self.runtime.zone)
        return Recalling(
            query=text,
            namespace=self.namespace,
            reader=reader,
            now=now,
            where=where,
            asked=RecallRequest(
                text=text,
                limit=whole("limit", limit, 1, MAX_LIMIT),
                since=where.since,
                until=where.until,
                min_score=None
                if options.get("min_score") is None
                else _number("min_score", options["min_score"]),
                keep=_share("keep", options.get("keep")),
                intent_source="override" if intent else "auto",
            ),
            intent=intent or "GENERAL",
        )

    def _filter(self, options: Mapping[str, Any], now: float, zone: tzinfo) -> Filter:
        since = as_seconds("since", options.get("since"), now, zone)
        until = as_seconds("until", options.get("until"), now, zone)
        if since is not None and until is not None and since >= until:
            raise InvalidInputError("until", "is not later than since.", "Swap them, or widen the range.")
        as_of = as_seconds("as_of", options.get("as_of"), now, zone)
        lists = {
            name: _texts(name, options[name], allowed) for name, allowed in _LISTS.items() if options.get(name)
        }
        condition = parse(options.get("where"), now, zone)
        if "statuses" not in lists and "status" in fields_of(condition):
            lists["statuses"] = STATUSES
        asked = lists.pop("trusts", self.trusts)
        if "quarantined" in asked:
            raise InvalidInputError(
                "trusts", "'quarantined' is never recalled.", "See combray review --quarantined."
            )
        trusts = tuple(trust for trust in asked if trust in self.trusts)
        if not trusts:
            raise InvalidInputError(
                "trusts", f"none of {', '.join(asked)} is shown here.", f"Shown: {', '.join(self.trusts)}."
            )
        return Filter(
            trusts=trusts,
            since=since,
            until=until,
            as_of=as_of,
            now=now if as_of is None else as_of,
            min_importance=whole("min_importance", options.get("min_importance", 1), 1, 5),
            min_confidence=_number("min_confidence", options.get("min_confidence")),
            condition=condition,
            **lists,
        )


def _texts(field: str, value: Any, allowed: tuple[str, ...] | None) -> tuple[str, ...]:
    if not isinstance(value, (str, list, tuple, set, frozenset)):
        raise InvalidInputError(field, f"must be a text or a list of texts, not {brief(value)}.")
    texts = (value,) if isinstance(value, str) else tuple(value)
    for text in texts:
        clean_text(field, text, MAX_LABEL)
        if allowed is not None:
            one_of(field, text, allowed)
    return texts


def _number(field: str, value: Any) -> float:
    if value is None:
        return 0.0
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    # Compared, not converted: a whole number may be too large for a float. NaN is in no range.
    if not number or not -1e308 <= value <= 1e308:
        raise InvalidInputError(field, f"must be a finite number, not {brief(value)}.")
    return float(value)


def _share(field: str, value: Any) -> float | None:
    if value is None:
        return None
    share = _number(field, value)
    if not 0.0 <= share <= 1.0:
        raise InvalidInputError(field, f"must be between 0 and 1, got {brief(value)}.", "0 drops nothing.")
    return share


def _dropped(state: Recalling) -> str:
    """In words, how many hits were dropped as weaker than a share of the best."""
    dropped = state.details.get("dropped", 0)
    if not dropped:
        return ""
    hits = "hit" if dropped == 1 else "hits"
    return f"{dropped} weaker {hits} dropped (below {state.details['keep']:g} of the best score)"


def _vectorless(state: Recalling) -> str:
    """In words, how many memories the query's vector could not find, if they are many."""
    found = state.found
    if found is None or found.vectorless <= state.embedded.lacking * found.eligible:
        return ""
    return (
        f"{found.vectorless} of {found.eligible} memories have no vector of {state.embedded.model} "
        "and are found by words and links only ('combray worker --once --reembed' makes them)"
    )
