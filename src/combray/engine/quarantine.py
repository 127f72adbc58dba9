"""The engine's verbs on what the guard kept apart: shown with reasons, released by a person."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from combray.audit.audited import audited
from combray.audit.verb import tell
from combray.errors import InvalidInputError
from combray.runtime.retrieval import Filter
from combray.types import LIVE_STATUSES, TRUSTS, Memory
from combray.values import one_of, whole

if TYPE_CHECKING:
    from combray.presets import Preset
    from combray.remember.guard import Guard
    from combray.runtime import Reader, Runtime, Writer

RELEASED = ("untrusted", "agent", "owner")
"""What a quarantined memory can become."""
_GIVEN = "came in as quarantined"


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A memory in quarantine: why, and the trust its giver claimed for it."""

    memory: Memory
    reasons: tuple[str, ...]
    claimed: str

    @property
    def place(self) -> str:
        """Path and lines of a chunk of a file ("notes/a.md#L3-L9"), else empty."""
        place = self.memory.metadata
        if self.memory.kind != "chunk" or "path" not in place:
            return ""
        return f"{place['path']}#L{place.get('start_line')}-L{place.get('end_line')}"


class Guarding:
    """The engine's verbs on quarantine, and the least trust that its reads show."""

    if TYPE_CHECKING:
        runtime: Runtime
        namespace: str
        settings: Mapping[str, Any]
        _preset: Preset

        @property
        def reader(self) -> Reader: ...  # noqa: D102
        def key_of(self, memory_id: str) -> int: ...  # noqa: D102

    @property
    def trusts(self) -> tuple[str, ...]:
        """Trust of the memories that reads of this namespace show; never "quarantined"."""
        return shown_trusts(str(self.settings.get("require_trust", "")), self.namespace)

    @property
    def guard(self) -> Guard:
        """The preset's guard, which judges files and exports too; the usual one where the preset has none."""
        from combray.remember.guard import Guard

        return next((each for each in self._preset.remember if isinstance(each, Guard)), Guard())

    @audited("quarantined")
    def quarantined(self, limit: int = 100) -> list[Quarantined]:
        """What is in quarantine, newest first, with reasons. Nothing else ever shows it."""
        reader = self.reader
        where = Filter(statuses=LIVE_STATUSES, trusts=("quarantined",))
        keys = reader.scan(where, newest_first=True, limit=whole("limit", limit, 1, 100_000))
        return [_quarantined(memory) for memory in reader.memories(keys.tolist())]

    @audited("release", reads=False)
    def release(self, memory_id: str, trust: str = "untrusted") -> Memory:
        """Let a memory out of quarantine as "untrusted", "agent" or "owner"; leaves a version row.

        Every chunk of files with the same text is let out with it, and stays out wherever the text moves. Raises
        NotFoundError, and InvalidInputError for a memory that is not in quarantine.
        """
        chosen = one_of("trust", trust, RELEASED)
        now = self.runtime.clock()
        key = self.key_of(memory_id)
        with self.runtime.store.transaction(self.namespace) as tx:
            memory = tx.memories([key])[0]
            if memory.trust != "quarantined":
                raise InvalidInputError(
                    "id",
                    f"{memory.id} is not in quarantine: its trust is {memory.trust}.",
                    "Nothing was changed.",
                )
            tell(trust=chosen, rules=_rules(memory))
            for each in (key, *_twins(tx, memory, key)):
                tx.change(each, "release", "user", now, trust=chosen)
            tx.note("release", memory.id, chosen, now)
            return tx.memories([key])[0]


def _twins(tx: Writer, memory: Memory, key: int) -> list[int]:
    """Keys of the other chunks in quarantine that have the very text of a chunk."""
    if memory.kind != "chunk":
        return []
    text_hash = hashlib.sha256(memory.content.encode()).hexdigest()
    keys = [each for each, _ in tx.documents.holding([text_hash]).get(text_hash, ()) if each != key]
    found = zip(keys, tx.memories(keys), strict=True)
    return [each for each, twin in found if twin.trust == "quarantined"]


def shown_trusts(required: str, namespace: str) -> tuple[str, ...]:
    """The levels of trust at or above what is required: one level for all, or "NAMESPACE=level, …".

    Raises InvalidInputError for a level that does not exist.
    """
    wanted = "untrusted"
    for part in filter(None, (each.strip() for each in required.split(","))):
        name, named, level = part.rpartition("=")
        if not named or name.strip() == namespace:
            wanted = one_of("require_trust", level.strip(), TRUSTS[:3])
    return TRUSTS[: TRUSTS.index(wanted) + 1]


def _rules(memory: Memory) -> list[str]:
    """The guard's rules that kept it apart. Anybody can give metadata: other words stay out of the audit."""
    from combray.guard.features import REASONS

    return [each for each in _quarantined(memory).reasons if each in REASONS.values()]


def _quarantined(memory: Memory) -> Quarantined:
    told = memory.metadata.get("guard")
    told = told if isinstance(told, Mapping) else {}
    reasons = told.get("reasons")
    listed = tuple(map(str, reasons)) if isinstance(reasons, list) and reasons else (_GIVEN,)
    return Quarantined(memory, listed, str(told.get("claimed", "quarantined")))
