"""What a text claims about time: its tense, and from when until when it holds."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from combray.language.tense import claim_of
from combray.language.validity import validity_of
from combray.remember.state import Draft, Remembering
from combray.runtime import Runtime
from combray.types import Kind


@dataclass(frozen=True)
class ReadTime:
    """Reads the tense of each text, and the validity that its words give.

    "I used to live in Lisbon" ended at the latest when it was said, "from 1 June" begins then. The caller's own
    `valid_from` and `valid_to` stay. Nothing is hidden by it: recall finds what is over, `as_of` does not.
    """

    needs = ("drafts",)
    gives = ("claims",)
    kinds: tuple[Kind, ...] = ("fact", "insight", "episode")
    """Kinds that state something. A chunk of a file or a summary states many things."""

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        for draft in state.drafts:
            if draft.memory.kind in self.kinds:
                self._read(draft)
        return state

    def _read(self, draft: Draft) -> None:
        memory = draft.memory
        draft.claim = claim_of(memory.content)
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
