"""The guard: redacts secrets and quarantines prompt injection before anything is stored."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from combray.errors import InvalidInputError, ModelError
from combray.forms.remembering import Draft, Remembering
from combray.guard.injection import Judgement, judge
from combray.guard.redaction import find_secrets, redact
from combray.language.indexing import with_hash
from combray.language.scopes import PREFIX, is_scope, is_scope_name
from combray.records import dataclass, field, replace
from combray.runtime import Detector, Runtime
from combray.types import TRUSTS, Memory, Trust

OUTSIDE = frozenset(("browser", "email", "external", "mail", "rss", "scraper", "tool", "tools", "web", "website"))
"""Third-party sources: a text with one of them and without a trust is untrusted."""
_FLOOD = "special tokens of a language model"
_KEYS = ("API key", "access key", "private key", "token")
"""Unambiguous secrets. A session name that contains one is refused: it cannot be redacted."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The reduced trust of a text, with the reasons. `score` is a probability.

    `flood`: the text consists mostly of special tokens of a model and is refused. `by_policy`: the setting
    `guard_policy` decides about it.
    """

    trust: Trust
    reasons: tuple[str, ...]
    score: float
    flood: bool = False
    by_policy: bool = False

    def as_metadata(self, claimed: str) -> dict[str, Any]:
        """Return the value of a memory's `metadata["guard"]`; `claimed` is the trust it came with."""
        return {
            "verdict": self.trust,
            "reasons": list(self.reasons),
            "score": round(self.score, 3),
            "claimed": claimed,
        }


def was_released(memory: Memory) -> bool:
    """Whether a user has released it from quarantine: the verdict stays in the metadata without effect."""
    kept = memory.metadata.get("guard")
    return memory.trust != "quarantined" and isinstance(kept, Mapping) and kept.get("verdict") == "quarantined"


@dataclass(frozen=True)
class Guard:
    """Redacts secrets, then accepts a text, marks it untrusted, quarantines it, or refuses it.

    Scores are probabilities of a logistic model (docs/explanation/guard.md). An attack score of `owner` or more
    is quarantined from every source. For an agent's text a score of `agent` quarantines and one of `mark` makes
    untrusted; for untrusted text `untrusted` quarantines. An owner's text may instruct how to answer. `redact`
    also works if `enabled` is off.
    `detector` may raise a score of texts that are not the owner's, never lower it. `policy`: what becomes of an
    agent's instructions about later answers, such as a procedure it stores itself: "quarantine" by those scores,
    "mark" at most untrusted, "allow" accepted. Trust is never raised. Raises InvalidInputError for a text that
    consists mostly of a model's special tokens.
    """

    needs = ("drafts",)
    enabled: bool = True
    redact: bool = True
    owner: float = 0.5
    agent: float = 0.9
    mark: float = 0.78
    untrusted: float = 0.85
    policy: str = "quarantine"
    detector: Detector | None = field(default=None, repr=False, compare=False)

    def using(self, runtime: Runtime) -> Guard:
        """Return the guard with the runtime's second opinion."""
        return self if runtime.detector is None else replace(self, detector=runtime.detector)

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        guard = self.using(runtime)
        state.check_each(
            lambda place, draft: guard._check(draft, state.items[place].get("trust"), state, runtime)
        )
        return state

    def _check(self, draft: Draft, trust: str | None, state: Remembering, runtime: Runtime) -> None:
        """Redact and judge a draft. `trust`: as the caller gave it."""
        try:
            redacted = _redact(draft) if self.redact else {}
        except InvalidInputError as error:
            _write_down(runtime, state, "refused", rules=[f"secrets in {error.field}"])
            raise
        if redacted:
            _write_down(runtime, state, "redacted", draft, counts=redacted)
        if trust is None and (draft.memory.source or "").casefold() in OUTSIDE:
            draft.memory = msgspec.structs.replace(draft.memory, trust="untrusted")
        if self.enabled:
            try:
                self._judge(draft, state.judged_as or draft.memory.trust)
            except InvalidInputError:
                _write_down(runtime, state, "refused", rules=[_FLOOD])
                raise
        if draft.guard:
            kept = draft.memory.metadata["guard"]
            _write_down(runtime, state, kept["verdict"], draft, rules=kept["reasons"], score=kept["score"])

    def _judge(self, draft: Draft, source: str) -> None:
        """Lower the draft's trust. `source` is the trust to judge by, which may be less than its own."""
        memory = draft.memory
        failures: list[str] = []
        verdict = self.verdict(shown_words(memory), memory.trust, source, failures)
        draft.notices += tuple(failures)
        if verdict is None:
            return
        if verdict.flood:
            raise InvalidInputError("content", f"is little else than {_FLOOD}.", "Give the text itself.")
        why = ", ".join(verdict.reasons) or "reads like an order to a model"
        draft.guard = f"{verdict.trust}: {why}"
        quarantined = verdict.trust == "quarantined"
        later = "not recalled until it is released" if quarantined else "never put into a prompt unasked"
        allowed = "; the owner can allow it with guard_policy=allow" if verdict.by_policy else ""
        draft.notices += (f"{draft.guard}; {later}{allowed}",)
        metadata = {**memory.metadata, "guard": verdict.as_metadata(memory.trust)}
        draft.memory = msgspec.structs.replace(memory, trust=verdict.trust, metadata=metadata)

    def verdict(
        self, text: str, trust: str, judged_as: str = "", failures: list[str] | None = None
    ) -> Verdict | None:
        """Return the verdict on a text of this trust; None if its trust stays, or the guard is off.

        `judged_as`: the trust to judge by, if that is less. `failures`: takes why there is no second opinion.
        """
        if not self.enabled:
            return None
        least = max(trust, judged_as or trust, key=TRUSTS.index)
        quarantined, marked = self._thresholds(least)
        judged = judge(text)
        if judged.flood:
            return Verdict("quarantined", (_FLOOD,), 1.0, flood=True)
        attack = judged.attack >= self.owner
        if not attack and judged.score < quarantined:
            judged = self._second_opinion(text, judged, min(quarantined, marked), failures)
        if not attack and judged.score < min(quarantined, marked):
            return None
        outcome: Trust = "quarantined" if attack or judged.score >= quarantined else "untrusted"
        if TRUSTS.index(outcome) <= TRUSTS.index(trust):
            return None
        reasons = judged.attack_reasons if attack else judged.reasons
        hidden = [f"hidden by {each}" for each in judged.disguises]
        score = max(judged.score, judged.attack)
        return Verdict(outcome, (*reasons, *hidden), score, by_policy=least == "agent" and not attack)

    def _second_opinion(
        self, text: str, judged: Judgement, least: float, failures: list[str] | None
    ) -> Judgement:
        """Return the judgement with the detector's probability, if that is higher and has consequences.

        An owner's text has no such threshold: a classifier would take its instructions for an attack.
        """
        if self.detector is None or not math.isfinite(least):
            return judged
        try:
            share = self.detector.injection(text)
        except ModelError as error:
            # The guard's own judgement stands. Who relies on the model must learn of it.
            if failures is not None:
                failures.append(f"guard_model gave no opinion: {error}")
            return judged
        if share < least or share <= judged.score:
            return judged
        return replace(judged, score=share, reasons=(f"{self.detector.name} takes it for an attack",))

    def _thresholds(self, trust: str) -> tuple[float, float]:
        """Return the scores from which a text of this trust is quarantined and marked."""
        if trust == "untrusted":
            return self.untrusted, math.inf
        if trust != "agent" or self.policy == "allow":
            return math.inf, math.inf
        return math.inf if self.policy == "mark" else self.agent, self.mark


def shown_words(memory: Memory) -> str:
    """All words of a memory that a model may read, but for names of scopes: "agent:" opens no turn there."""
    aliased = (each for names in memory.aliases.values() for each in names)
    parts = (
        memory.content,
        memory.context,
        memory.author,
        memory.source,
        *(tag for tag in memory.tags if not (is_scope(tag) and is_scope_name(tag[len(PREFIX) :]))),
        *memory.entities,
        *aliased,
    )
    # An empty line between them, so that encoded text cannot continue in the next field.
    return "\n\n".join(part for part in parts if part)


def _write_down(
    runtime: Runtime, state: Remembering, result: str, draft: Draft | None = None, **detail: Any
) -> None:
    """Record a decision in the audit: its rules, without a word of the text."""
    if runtime.audit is not None:
        ids = [] if draft is None else [draft.memory.id]
        counts = detail.pop("counts", None)
        runtime.audit.record("guard", state.namespace, result=result, ids=ids, counts=counts, detail=detail)


def _redact(draft: Draft) -> dict[str, int]:
    """Redact every text field. Return the number of secrets of each sort, never their values."""
    memory = draft.memory
    found: Counter[str] = Counter()
    changes: dict[str, Any] = {}
    for name in ("content", "context", "source", "author"):
        text = getattr(memory, name)
        if text and (clean := _clean(text, found)) != text:
            changes[name] = clean
    for name in ("tags", "entities"):
        texts = getattr(memory, name)
        if (cleaned := tuple(_clean(each, found) for each in texts)) != texts:
            changes[name] = cleaned
    if memory.aliases and find_secrets(msgspec.json.encode(memory.aliases).decode()):
        # The names themselves are entities, whose secrets are counted already.
        changes["aliases"] = {
            _clean(name, Counter()): tuple(_clean(each, found) for each in others)
            for name, others in memory.aliases.items()
        }
    # Searched as one line first: metadata rarely holds a secret, and only then is each value read.
    if memory.metadata and find_secrets(msgspec.json.encode(memory.metadata).decode()):
        try:
            changes["metadata"] = _clean_data(memory.metadata, found)
        except RecursionError:
            raise InvalidInputError("metadata", "is nested too deep to be redacted.", "Store it flat.") from None
    named = [each.sort for each in find_secrets(memory.session or "") if each.sort in _KEYS]
    if named:
        raise InvalidInputError("session", f"holds a secret ({named[0]}).", "Name the session otherwise.")
    if changes:
        changed = msgspec.structs.replace(memory, **changes)
        draft.memory = with_hash(changed)
        draft.notices += tuple(
            f"{count} {sort}{'s' if count > 1 else ''} redacted" for sort, count in sorted(found.items())
        )
    return dict(sorted(found.items())) if changes else {}


def _clean(text: str, found: Counter[str]) -> str:
    secrets = find_secrets(text)
    found.update(each.sort for each in secrets)
    return redact(text) if secrets else text


def _clean_data(value: Any, found: Counter[str]) -> Any:
    if isinstance(value, str):
        return _clean(value, found)
    if isinstance(value, Mapping):
        return {_clean(name, found): _clean_field(f"{name}=", each, found) for name, each in value.items()}
    return [_clean_data(each, found) for each in value] if isinstance(value, list) else value


def _clean_field(prefix: str, value: Any, found: Counter[str]) -> Any:
    # Name and value are one line: a name like "password" makes any value a secret.
    if not isinstance(value, str) or find_secrets(value):
        return _clean_data(value, found)
    cleaned = _clean(prefix + value, found)
    return cleaned.removeprefix(prefix) if cleaned.startswith(prefix) else value
