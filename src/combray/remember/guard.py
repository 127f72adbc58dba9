"""The guard: secrets are taken out, texts that give a model orders are kept apart, before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from combray.errors import InvalidInputError
from combray.guard.injection import Judgement, judge
from combray.guard.redaction import find_secrets, redact
from combray.guard.screen import Floors
from combray.language.indexing import content_hash
from combray.remember.state import Draft, Remembering
from combray.runtime import Runtime
from combray.types import TRUSTS, Memory, Trust

OUTSIDE = frozenset(("browser", "email", "external", "mail", "rss", "scraper", "tool", "tools", "web", "website"))
"""Sources that are nobody's own word: what names one of them, and no trust, is untrusted."""
_FLOOD = "special tokens of a language model"
_NEVER = 2.0
"""A floor that no score reaches."""
_KEYS = ("API key", "access key", "private key", "token")
"""Secrets that can be nothing else; a session named after one cannot be kept, and not be renamed either."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a text, and why: a trust below the one it came with. `score` is a probability.

    `flood`: it is little else than special tokens of a model, and can be no memory at all.
    """

    trust: Trust
    reasons: tuple[str, ...]
    score: float
    flood: bool = False

    def told(self, claimed: str) -> dict[str, Any]:
        """What is kept of it in a memory's `metadata["guard"]`; `claimed` is the trust it came with."""
        return {
            "verdict": self.trust,
            "reasons": list(self.reasons),
            "score": round(self.score, 3),
            "claimed": claimed,
        }


def was_released(memory: Memory) -> bool:
    """Whether a person has let it out of quarantine: the verdict is still told, and no longer in force."""
    told = memory.metadata.get("guard")
    return memory.trust != "quarantined" and isinstance(told, Mapping) and told.get("verdict") == "quarantined"


@dataclass(frozen=True)
class Guard:
    """Redacts secrets, then lets a text in, marks it untrusted, keeps it in quarantine, or refuses it.

    Scores are probabilities of a logistic model (docs/explanation/guard.md). The owner may say how to answer;
    what nobody has reason to store is quarantined from `owner` on. From an agent, `agent` quarantines and
    `mark` makes untrusted; from others, `untrusted` quarantines. `redact` takes secrets out
    even where `enabled` is off. Trust is never
    raised. `owner` holds for everybody. Raises InvalidInputError for what can be no memory: a flood of a model's
    special tokens.
    """

    needs = ("drafts",)
    gives = ()
    enabled: bool = True
    redact: bool = True
    owner: float = 0.5
    agent: float = 0.9
    mark: float = 0.78
    untrusted: float = 0.85

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        for item, draft in zip(state.items, state.drafts, strict=True):
            try:
                redacted = _redact(draft) if self.redact else {}
            except InvalidInputError as error:
                _write_down(runtime, state, "refused", rules=[f"secrets in {error.field}"])
                raise
            if redacted:
                _write_down(runtime, state, "redacted", draft, counts=redacted)
            if item.get("trust") is None and (draft.memory.source or "").casefold() in OUTSIDE:
                draft.memory = msgspec.structs.replace(draft.memory, trust="untrusted")
            if self.enabled:
                try:
                    self._judge(draft, state.judged_as or draft.memory.trust)
                except InvalidInputError:
                    _write_down(runtime, state, "refused", rules=[_FLOOD])
                    raise
            if draft.guard:
                told = draft.memory.metadata["guard"]
                _write_down(runtime, state, told["verdict"], draft, rules=told["reasons"], score=told["score"])
        return state

    def _judge(self, draft: Draft, source: str) -> None:
        """`source`: the trust it is judged by, which may be less than the trust it has."""
        memory = draft.memory
        verdict = self.verdict(shown_words(memory), memory.trust, source)
        if verdict is None:
            return
        if verdict.flood:
            raise InvalidInputError("content", f"is little else than {_FLOOD}.", "Give the text itself.")
        why = ", ".join(verdict.reasons) or "reads like an order to a model"
        draft.guard = f"{verdict.trust}: {why}"
        later = (
            "not recalled until it is released"
            if verdict.trust == "quarantined"
            else "never put into a prompt unasked"
        )
        draft.notices += (f"{draft.guard}; {later}",)
        told = {**memory.metadata, "guard": verdict.told(memory.trust)}
        draft.memory = msgspec.structs.replace(memory, trust=verdict.trust, metadata=told)

    def verdict(self, text: str, trust: str, judged_as: str = "") -> Verdict | None:
        """What becomes of a text that comes with this trust; None where it stays so, or the guard is off.

        `judged_as`: the trust it is judged by, where that is less.
        """
        if not self.enabled:
            return None
        least = max(trust, judged_as or trust, key=TRUSTS.index)
        judged = judge(text, self._floors(least))
        if judged.flood:
            return Verdict("quarantined", (_FLOOD,), 1.0, flood=True)
        outcome, reasons = self._outcome(judged, least)
        if outcome is None or TRUSTS.index(outcome) <= TRUSTS.index(trust):
            return None
        hidden = [f"hidden by {each}" for each in judged.disguises]
        return Verdict(outcome, (*reasons, *hidden), max(judged.score, judged.attack))

    def _floors(self, trust: str) -> Floors:
        """What a score has to reach to have a consequence."""
        levels = {"agent": min(self.agent, self.mark), "untrusted": self.untrusted}
        return Floors(score=levels.get(trust, _NEVER), attack=self.owner)

    def _outcome(self, judged: Judgement, trust: str) -> tuple[Trust | None, tuple[str, ...]]:
        if judged.attack >= self.owner:
            return "quarantined", judged.attack_reasons
        if trust == "agent" and judged.score >= self.agent:
            return "quarantined", judged.reasons
        if trust == "agent" and judged.score >= self.mark:
            return "untrusted", judged.reasons
        if trust == "untrusted" and judged.score >= self.untrusted:
            return "quarantined", judged.reasons
        return None, ()


def shown_words(memory: Memory) -> str:
    """All words of a memory that a model may come to read."""
    parts = (memory.content, memory.context, memory.author, memory.source, *memory.tags, *memory.entities)
    # An empty line between them: no field may pass for more of what is encoded in the one before.
    return "\n\n".join(part for part in parts if part)


def _write_down(
    runtime: Runtime,
    state: Remembering,
    result: str,
    draft: Draft | None = None,
    counts: Mapping[str, int] | None = None,
    **detail: Any,
) -> None:
    """A decision into the audit: by which rules, and no word of the text."""
    if runtime.audit is not None:
        ids = [] if draft is None else [draft.memory.id]
        runtime.audit.record("guard", state.namespace, result=result, ids=ids, counts=counts, detail=detail)


def _redact(draft: Draft) -> dict[str, int]:
    """Secrets out of every field of text; what was found, by sort and number, never by value."""
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
    # Read as one line first: hardly any metadata holds a secret, and only what does is taken apart.
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
        draft.memory = msgspec.structs.replace(changed, content_hash=content_hash(changed))
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
        return {_clean(name, found): _clean_field(name, each, found) for name, each in value.items()}
    return [_clean_data(each, found) for each in value] if isinstance(value, list) else value


def _clean_field(name: str, value: Any, found: Counter[str]) -> Any:
    """A field called "password" tells what its value is: the two are read as one line."""
    if isinstance(value, str) and not find_secrets(value):
        line = f"{name}={value}"
        cleaned = _clean(line, found)
        return cleaned[len(name) + 1 :] if cleaned.startswith(f"{name}=") else value
    return _clean_data(value, found)
