"""Quarantined memories: listed with reasons, released by a person."""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Mapping

from combray.audit.audited import audited, tell
from combray.engine.namespace import Namespace
from combray.errors import InvalidInputError
from combray.records import dataclass
from combray.runtime import Filter
from combray.types import LIVE_STATUSES, Memory
from combray.values import one_of, whole

RELEASED = ("untrusted", "agent", "owner")
"""What a quarantined memory can become."""
_GIVEN = "came in as quarantined"


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A memory in quarantine, the reasons, and the trust that was claimed for it."""

    memory: Memory
    reasons: tuple[str, ...]
    claimed: str

    @property
    def place(self) -> str:
        """Path and lines of a chunk of a file, such as "notes/a.md#L3-L9"; empty for other memories."""
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
        """Return quarantined memories with reasons, newest first. `limit` is 1 to 100,000."""
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
        from combray.guard.injection import REASONS

        chosen = one_of("trust", trust, RELEASED)
        now = self._at.runtime.clock()
        with self._at.runtime.store.transaction(self._at.namespace) as tx:
            key = self._at.key_of(memory_id, tx)
            memory = tx.memories([key])[0]
            if memory.trust != "quarantined":
                problem = f"{memory.id} is not in quarantine: its trust is {memory.trust}."
                raise InvalidInputError("id", problem, "Nothing was changed.")
            # Metadata may hold any text; only the guard's own rules may enter the audit.
            rules = [each for each in _quarantined(memory).reasons if each in REASONS]
            tell(trust=chosen, rules=rules)
            released = [key]
            if memory.kind == "chunk":
                text_hash = hashlib.sha256(memory.content.encode()).hexdigest()
                same = [each for each, _ in tx.documents.holding([text_hash]).get(text_hash, ()) if each != key]
                twins = zip(same, tx.memories(same), strict=True)
                released += [each for each, twin in twins if twin.trust == "quarantined"]
            for each in released:
                tx.change(each, "release", "user", now, trust=chosen)
            tx.note("release", memory.id, chosen, now)
            return tx.memories([key])[0]


def _quarantined(memory: Memory) -> Quarantined:
    verdict = memory.metadata.get("guard")
    verdict = verdict if isinstance(verdict, Mapping) else {}
    reasons = verdict.get("reasons")
    listed = tuple(map(str, reasons)) if isinstance(reasons, list) and reasons else (_GIVEN,)
    return Quarantined(memory, listed, str(verdict.get("claimed", "quarantined")))
