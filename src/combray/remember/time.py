"""What a text claims about time: its tense, and from when until when it holds."""

from __future__ import annotations

import msgspec

from combray.forms.remembering import Draft, Remembering
from combray.language.indexing import with_hash
from combray.language.tense import Tense, claim_of
from combray.language.validity import event_of, validity_of
from combray.records import dataclass
from combray.runtime import Runtime
from combray.types import Kind, Memory


@dataclass(frozen=True)
class ReadTime:
    """Reads the tense of each text, and the validity that its words give.

    "I used to live in Lisbon" ended at the latest when it was said, "from 1 June" begins then. The caller's own
    `valid_from` and `valid_to` stay. "I saw the dentist three days ago" happened then, if the caller does not say
    when: `occurred_from` and `occurred_to` are that day, and `said_at` is when it was said. Nothing
    is hidden by it: recall finds what is over, `as_of` does not.
    """

    needs = ("drafts",)
    gives = ("claims",)
    advises = True
    kinds: tuple[Kind, ...] = ("fact", "insight", "episode")
    """Kinds that state something. A chunk of a file or a summary states many things."""

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        for draft in state.drafts:
            if draft.memory.kind in self.kinds:
                self._read(draft)
        return state

    def _read(self, draft: Draft) -> None:
        draft.claim = claim_of(draft.memory.content)
        memory = draft.memory = _happened(draft.memory, draft.claim.tense)
        since, until = validity_of(memory.content, draft.claim.tense, memory.moment)
        found = {"valid_from": since, "valid_to": until}
        open_ = {
            name: moment
            for name, moment in found.items()
            if moment is not None and name not in draft.limits_given and getattr(memory, name) is None
        }
        # A limit by the caller can leave no room for the other one.
        start, end = open_.get("valid_from", memory.valid_from), open_.get("valid_to", memory.valid_to)
        if open_ and not (start is not None and end is not None and end <= start):
            draft.memory = msgspec.structs.replace(memory, **open_)


def _happened(memory: Memory, tense: Tense) -> Memory:
    """Return the memory with the time at which it happened, if its words say so and the caller did not."""
    if memory.occurred_from is not None or memory.occurred_to is not None:
        return memory
    found = event_of(memory.content, tense, memory.moment)
    if found is None:
        return memory
    dated = msgspec.structs.replace(
        memory, occurred_from=found[0], occurred_to=found[1], said_at=memory.recorded_at
    )
    return with_hash(dated)
