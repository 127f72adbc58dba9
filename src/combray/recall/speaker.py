"""Questions for everything about the speaker ("what do you know about me?"): statements in the first person."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from combray.forms.recalling import Recalling
from combray.language.questions import ASSISTANTS, is_of_speaker
from combray.pipeline import stage
from combray.runtime import Filter, Keys, Runtime
from combray.types import Kind

_KINDS: tuple[tuple[Kind, ...], ...] = (("fact", "insight"), ("episode",))
"""Facts before turns. A chunk of a file is in nobody's first person."""


@stage
class RequireSpeaker:
    """Keeps statements in the first person, and about "the user", if nothing but the speaker is asked for.

    These are the newest facts, then turns, among the `pool` newest of each that pass the filter. What an
    assistant says of itself is none. A memory whose text is the question stays too. Without a statement the
    answer stays as it is.
    """

    needs = ("score", "question")
    pool: int = 500
    most_characters: int = 600
    """Characters of a memory that are read."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not state.names.speaker:
            return state
        found: list[int] = []
        for kinds in _KINDS:
            allowed = tuple(kind for kind in kinds if not state.where.kinds or kind in state.where.kinds)
            if allowed and len(found) < state.asked.limit:
                found += self._statements(state, replace(state.where, kinds=allowed))
        exact = state.signals.get("exact", np.zeros(len(state.keys))) >= 1.0
        if found:
            found += [key for key in state.keys[exact].tolist() if key not in found]
            state.via |= dict.fromkeys(found, "speaker")
            keys: Keys = np.array(found, dtype=np.int64)
            state.arrange(keys, 1.0 - np.arange(len(keys)) / (2.0 * len(keys)))
            state.asked.whole, state.weak, state.reason = True, "", ""
        return state

    def _statements(self, state: Recalling, where: Filter) -> list[int]:
        keys = state.reader.scan(where, newest_first=True, limit=self.pool)
        rows = state.reader.rows(keys)
        by = [rows.author_names[code].casefold() if code >= 0 else "" for code in rows.author.tolist()]
        return [
            key
            for key, author, text in zip(keys.tolist(), by, state.contents(keys.tolist()), strict=True)
            if author not in ASSISTANTS and is_of_speaker(text[: self.most_characters])
        ]
