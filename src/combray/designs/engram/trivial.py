"""Queries that say nothing end before anything is searched."""

from __future__ import annotations

from combray.forms.recalling import Recalling
from combray.language.trivial import letters, says_nothing
from combray.pipeline import stage
from combray.runtime import Runtime


@stage
class SkipTrivial:
    """Ends recall for acknowledgements and greetings ("ok", "cảm ơn", "再见") before anything is searched.

    Only whole queries count: "no problem with the build?" is searched. A query that is the name of a known entity
    is never trivial. Engram stage 1; see docs/reference/presets.md.
    """

    needs = ("query",)
    fewest_letters: int = 3
    """Letters and digits; a Chinese character counts three. Engram names a threshold and no number."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if says_nothing(state.query):
            reason = "an acknowledgement, a greeting or the like"
        elif letters(state.query) < self.fewest_letters:
            reason = f"fewer than {self.fewest_letters} letters"
        else:
            return state
        name = state.query.strip(" \t\n.,;:!?\"'()？！。，")
        if not name or not state.reader.known_entities([name]):
            state.reason = f"trivial query ({reason}): nothing was searched"
            state.done = True
        return state
