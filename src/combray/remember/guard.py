"""The guard: secrets are taken out, texts that give a model orders are kept apart, before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from combray.errors import InvalidInputError
from combray.guard.detecting import Judgement, judge
from combray.guard.redaction import find_secrets, redact
from combray.indexing import content_hash
from combray.remember.state import Draft, Remembering
from combray.runtime import Runtime
from combray.types import TRUSTS, Memory, Trust

OUTSIDE = frozenset(("browser", "email", "external", "mail", "rss", "scraper", "tool", "tools", "web", "website"))
"""Sources that are nobody's own word: what names one of them, and no trust, is untrusted."""
_KEYS = ("API key", "access key", "private key", "token")
"""Secrets that can be nothing else; a session named after one cannot be kept, and not be renamed either."""


@dataclass(frozen=True)
class Guard:
    """Redacts secrets, then lets a text in, marks it untrusted, keeps it in quarantine, or refuses it.

    Scores are probabilities of a logistic model (docs/guard.md). The owner may say how to answer; what nobody has
    reason to store is quarantined from `owner` on. From an agent, `agent` quarantines and `mark` makes untrusted;
    from others, `untrusted` quarantines. `redact` takes secrets out even where `enabled` is off. Trust is never
    raised. `owner` holds for everybody. Raises InvalidInputError for what can be no memory: a flood of a model's
    special tokens.
    """

    needs: ClassVar[tuple[str, ...]] = ("drafts",)
    gives: ClassVar[tuple[str, ...]] = ("guarded",)
    enabled: bool = True
    redact: bool = True
    owner: float = 0.5
    agent: float = 0.9
    mark: float = 0.78
    untrusted: float = 0.78

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        """Look at every draft."""
        for item, draft in zip(state.items, state.drafts, strict=True):
            if self.redact:
                _redact(draft)
            if item.get("trust") is None and (draft.memory.source or "").casefold() in OUTSIDE:
                draft.memory = msgspec.structs.replace(draft.memory, trust="untrusted")
            if self.enabled:
                self._judge(draft, state.judged_as or draft.memory.trust)
        if runtime.audit is not None:
            for outcome in ("quarantined", "untrusted"):
                ids = [each.memory.id for each in state.drafts if each.guard.startswith(outcome)]
                if ids:
                    runtime.audit.record("guard", state.namespace, result=outcome, ids=ids)
        return state

    def _judge(self, draft: Draft, source: str) -> None:
        """`source`: the trust it is judged by, which may be less than the trust it has."""
        judged = judge(_shown(draft.memory))
        if judged.flood:
            raise InvalidInputError(
                "content", "is little else than special tokens of a language model.", "Give the text itself."
            )
        given = draft.memory.trust
        least = max(given, source, key=TRUSTS.index)
        outcome, reasons = self._outcome(judged, least)
        if outcome is None or TRUSTS.index(outcome) <= TRUSTS.index(given):
            return
        hidden = [f"hidden by {each}" for each in judged.disguises]
        why = ", ".join((*reasons, *hidden)) or "reads like an order to a model"
        draft.guard = f"{outcome}: {why}"
        later = (
            "not recalled until it is released" if outcome == "quarantined" else "never put into a prompt unasked"
        )
        draft.notices += (f"{draft.guard}; {later}",)
        told = {
            "verdict": outcome,
            "reasons": [*reasons, *hidden],
            "score": round(max(judged.score, judged.attack), 3),
            "claimed": given,
        }
        memory = draft.memory
        draft.memory = msgspec.structs.replace(memory, trust=outcome, metadata={**memory.metadata, "guard": told})

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


def _shown(memory: Memory) -> str:
    """All words of a memory that a model may come to read."""
    parts = (memory.content, memory.context, memory.author, memory.source, *memory.tags, *memory.entities)
    return "\n".join(part for part in parts if part)


def _redact(draft: Draft) -> None:
    """Secrets out of every field of text; what was found is told by sort and number, never by value."""
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
