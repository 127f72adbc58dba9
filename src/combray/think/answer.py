"""Answer a question: recall, then a checked answer of the language model, or the best stored sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast

from combray.errors import ModelError
from combray.language.questions import read
from combray.language.tokens import query_terms
from combray.presets import Preset
from combray.prompt.context import budget_of, refuse_quarantined
from combray.records import dataclass
from combray.runtime import LanguageModel, Memories, Space
from combray.runtime.calls import step
from combray.think import extraction
from combray.think.citations import Checked, checked
from combray.think.extraction import holds
from combray.think.prompt import (
    CONSTITUTION_SHIPPED,
    Source,
    constitution,
    numbered,
    one_line,
    prompt,
    says_unknown,
    system,
    wording,
)
from combray.think.support import asked
from combray.think.thought import Mode, Thought
from combray.types import Answer, Hit, RecallOptions

NEAREST = 3
"""Nearest memories shown if no memory answers."""
UNHELD = "no sentence has everything that the question asks about"
_HINT = 160
"""Characters shown of each."""
_PLAIN_OPTIONS = frozenset({"intent", "min_score", "keep"})
"""Options that are not filters. With a filter, superseded memories may lie outside it and are not shown."""


def think(
    memories: Memories,
    spaces: Sequence[Space],
    question: str,
    *,
    limit: int,
    preset: str | Preset | None,
    budget: int | None,
    namespaces: Sequence[str] | None,
    options: RecallOptions,
) -> Thought:
    """Answer a question from memory; see `Engine.think`. `spaces` are those that `namespaces` names."""
    refuse_quarantined(options)
    answer = memories.recall(question, limit=limit, preset=preset, namespaces=namespaces, **options)
    of_now = not (options.get("as_of") or read(question, ()).asks_past)
    walk = _Thinking(memories, spaces, answer, budget_of(memories, budget), of_now)
    with_earlier = not {name for name, value in options.items() if value} - _PLAIN_OPTIONS
    sources = numbered(answer.hits, spaces, now=memories.runtime.clock(), with_earlier=with_earlier)
    if not sources:
        filters = cast(RecallOptions, {name: value for name, value in options.items() if name != "intent"})
        hints = memories.search(question, limit=NEAREST, namespaces=namespaces, **filters)
        return walk.unknown(answer.reason or "no memory matches", hints.hits)
    model = memories.runtime.language_model
    return walk.without_model(sources, "") if model is None else walk.with_model(model, sources)


@dataclass(frozen=True)
class _Thinking:
    """One question, the answer of recall, and the token budget of the prompt."""

    memories: Memories
    spaces: Sequence[Space]
    recalled: Answer
    budget: int
    of_now: bool
    """Whether the question is about how things are now."""

    def unknown(self, reason: str, nearest: Sequence[Hit], mode: Mode = "nothing", **more: Any) -> Thought:
        """Return that the answer is not known, with the nearest memories as hints."""
        words = wording(self.recalled.query)
        hints = [Source(number, hit) for number, hit in enumerate(nearest, 1)]
        hinted = [f"“{one_line(hint.memory.content)[:_HINT]}” ({hint.label()})" for hint in hints[:NEAREST]]
        answer = f"{words.unknown} {words.nearest} {' · '.join(hinted)}" if hinted else words.unknown
        return self._thought(
            answer, known=False, mode=mode, reason=reason, sources=tuple(nearest), confidence=0.0, **more
        )

    def with_model(self, model: LanguageModel, sources: list[Source]) -> Thought:
        """Return the model's answer as far as the memories support it; else an extractive answer."""
        terms = frozenset(query_terms(self.recalled.query))
        text, shown = prompt(self.recalled.query, sources, terms, self.budget)
        visible = [source for source in sources if source.memory.id in shown]
        if not visible:
            return self.without_model(sources, f"no memory fits in {self.budget} tokens")
        spent = _tokens(model)
        step("ask the language model")
        try:
            said = model.complete(system(), text)
        except ModelError as error:
            return self.without_model(sources, f"the language model failed ({one_line(str(error))})")
        details = {"model": model.name, "tokens": _tokens(model) - spent}
        named = {name for source in sources for name in source.memory.entities}
        known_names = sorted(named.union(self._authors()))
        question = asked(self.recalled.query, known_names, of_now=self.of_now)
        step("verify the answer")
        result = checked(said, visible, question, lambda one, other: self._cosines([one], other)[0])
        known = bool(result.citations)
        if not known and not result.dropped and result.sentences and says_unknown(result.sentences[0]):
            hits = tuple(source.hit for source in sources)
            return self.unknown("the language model found no answer in the memories", hits, "model", more=details)
        if not known:
            why = "the memories do not support the language model's answer"
            return self.without_model(sources, why, result, details)
        later, citations = extraction.replacing(sources, result.citations, wording(question.text))
        result.citations += citations
        answer = "\n".join([" ".join(result.sentences), *later])
        reason = f"{len(result.dropped)} claims of the language model were rejected" if result.dropped else ""
        return self._thought(
            answer,
            known=True,
            mode="model",
            reason=reason,
            sources=_hits(sources),
            checks=result,
            confidence=self._verified(result.support),
            more=details,
        )

    def _verified(self, support: float) -> float:
        """Return the confidence of a verified answer: on weak evidence at most recall's own."""
        recalled = self.recalled.details
        return min(support, float(recalled.get("confidence", support))) if "weak" in recalled else support

    def without_model(
        self,
        sources: list[Source],
        reason: str,
        checks: Checked | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Thought:
        """Return the best sentences of the memories, or that the answer is not known if none is relevant."""
        question = read(self.recalled.query, self._authors())
        step("choose sentences")
        similarity = partial(self._cosines, to=self.recalled.query, query=True)
        ranked = extraction.picks(sources, question, similarity)
        weak = extraction.weakness(ranked, question, self.recalled.details)
        if weak:
            why = "; ".join(part for part in (reason, weak) if part)
            return self.unknown(why, _hits(sources), checks=checks, more=more)
        kept = extraction.chosen(ranked, sources)
        words = wording(question.text)
        answer, citations, dates = extraction.written(kept, question, words)
        known = any(holds(question, pick) for pick in kept)
        found = Checked(citations=citations, dropped=checks.dropped if checks else [])
        explained = [{"text": one_line(each.text), "means": str(each)} for each in dates]
        return self._thought(
            answer if known else f"{words.unknown} {words.nearest}\n{answer}",
            known=known,
            mode="extractive",
            reason=reason if known else "; ".join(part for part in (reason, UNHELD) if part),
            sources=_hits(sources),
            checks=found,
            confidence=self._recalled(max(pick.coverage for pick in kept)) if known else 0.0,
            more={**(more or {}), **({"dates": explained} if explained else {})},
        )

    def _thought(
        self,
        answer: str,
        *,
        known: bool,
        mode: Mode,
        reason: str,
        sources: tuple[Hit, ...],
        checks: Checked | None = None,
        confidence: float | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Thought:
        recalled = self.recalled
        digest = constitution()[1]
        changed = {} if digest == CONSTITUTION_SHIPPED else {"constitution_changed": True}
        return Thought(
            question=recalled.query,
            answer=answer,
            known=known,
            mode=mode,
            reason=reason,
            confidence=self._recalled() if confidence is None else confidence,
            citations=tuple(checks.citations) if checks else (),
            sources=sources,
            dropped=tuple(checks.dropped) if checks else (),
            constitution=digest,
            details={
                "preset": recalled.preset,
                "intent": recalled.intent,
                "tier": recalled.details.get("tier"),
                "writer": getattr(self.memories.runtime.language_model, "name", ""),
                **changed,
                **(more or {}),
            },
            trace=recalled.trace,
        )

    def _recalled(self, otherwise: float = 0.0) -> float:
        """Return recall's own confidence; `otherwise` for a preset without one."""
        return float(self.recalled.details.get("confidence", otherwise))

    def _authors(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for space in self.spaces for name in space.reader.profile().authors))

    def _cosines(self, texts: Sequence[str], to: str, *, query: bool = False) -> list[float]:
        """Return the cosine of each text with another; 0 without a local embedder, or if it fails."""
        embedder = self.memories.runtime.embedder
        # Sentences are not sent to a server.
        if embedder is not None and not embedder.leaves_process:
            with suppress(ModelError):
                near: list[float] = (embedder.embed(texts) @ embedder.embed([to], query=query)[0]).tolist()
                return near
        return [0.0] * len(texts)


def _hits(sources: Sequence[Source]) -> tuple[Hit, ...]:
    return tuple(source.hit for source in sources)


def _tokens(model: LanguageModel) -> int:
    """Return the tokens the model has used so far, if it counts them."""
    usage = getattr(model, "usage", None)
    return int(usage.snapshot()["tokens"]) if usage is not None else 0
