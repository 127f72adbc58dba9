"""Quarantined memories: listed with reasons, released by a person."""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from combray.audit.audited import audited
from combray.audit.verb import tell
from combray.engine.namespace import Namespace
from combray.errors import InvalidInputError
from combray.runtime import Filter
from combray.types import LIVE_STATUSES, Memory
from combray.values import one_of, whole

if TYPE_CHECKING:
    from combray.runtime import Writer

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


class Quarantine:
    """`engine.quarantine`: what the guard quarantined, and why. No other read shows it."""

    def __init__(self, at: Namespace) -> None:
        self._at = at

    @audited("quarantined")
    def list(self, limit: int = 100) -> builtins.list[Quarantined]:
        """Quarantined memories with reasons, newest first."""
        reader = self._at.reader
        where = Filter(statuses=LIVE_STATUSES, trusts=("quarantined",))
        keys = reader.scan(where, newest_first=True, limit=whole("limit", limit, 1, 100_000))
        return [_quarantined(memory) for memory in reader.memories(keys.tolist())]

    @audited("release", reads=False)
    def release(self, memory_id: str, trust: str = "untrusted") -> Memory:
        """Release a memory from quarantine with trust "untrusted", "agent" or "owner"; writes a version row.

        Every chunk of a file with the same text is released too, and stays released when the text moves. Raises
        NotFoundError, and InvalidInputError for a memory that is not in quarantine.
        """
        chosen = one_of("trust", trust, RELEASED)
        now = self._at.runtime.clock()
        key = self._at.key_of(memory_id)
        with self._at.runtime.store.transaction(self._at.namespace) as tx:
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
