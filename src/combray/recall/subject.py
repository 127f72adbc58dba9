"""Who is asked about: a first hit about somebody else yields to one about the subject of the question.

Measurements: bench/results/truth.md.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from combray.language.answer_kinds import asks_list, voice
from combray.language.kin import begins_with_kin, names_kin
from combray.language.questions import ASSISTANTS, USERS, names
from combray.pipeline import stage
from combray.recall.state import Recalling
from combray.runtime import Runtime


@stage
class LeadWithSubject:
    """Moves a note by or about the person who is asked about in front of one that is about somebody else.

    "Where does Oona train?" names an author of the store: a first hit that is neither by Oona nor names her
    yields to the first of the next ones that is, with at least `share` of the first score. "Where do I live?"
    names nobody: what an author with a name says of themselves yields to what the user wrote. Turns of a
    conversation stay, because there everybody is addressed by name.
    """

    needs = ("sorted", "question")
    among: int = 4
    share: float = 0.7
    share_of_user: float = 0.8
    share_of_list: float = 0.2

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys) < 2 or state.question is None or state.columns().session[0] >= 0:
            return state
        subject = state.question.subject
        if int(state.keys[0]) in state.beside:
            self._lead_with_own(state)
        elif subject is not None:
            self._lead(state, self.share, lambda author, text: author == subject or names(subject, text))
        elif not state.question.named and any(voice(state.query)[:2]) and _is_about_another(state):
            self._lead(state, self.share_of_user, lambda author, _: author.casefold() in USERS)
        return state

    def _lead(self, state: Recalling, share: float, fits: Callable[[str, str], bool]) -> None:
        """Put the first of the near hits that fits in front, unless the first hit fits."""
        rows, near = state.columns(), state.scores[: self.among] >= share * state.scores[0]
        places = np.flatnonzero(near).tolist()
        authors = (rows.author_names[code] if code >= 0 else "" for code in rows.author[places].tolist())
        texts = state.contents(state.keys[places].tolist())
        fitting = (place for place, by, text in zip(places, authors, texts, strict=True) if fits(by, text))
        _put_first(state, next(fitting, 0))

    def _lead_with_own(self, state: Recalling) -> None:
        """Put the first of the near hits that is not about a relative in front."""
        near = np.flatnonzero(state.scores >= self.share_of_list * state.scores[0]).tolist()
        _put_first(state, next((place for place in near if int(state.keys[place]) not in state.beside), 0))


def _put_first(state: Recalling, place: int) -> None:
    if place:
        best = float(state.scores[0])
        state.take(np.array([place, *np.delete(np.arange(len(state.keys)), place)], dtype=np.int64))
        # A score never rises down the list.
        state.scores[0] = best


def _is_about_another(state: Recalling) -> bool:
    """Return whether the first hit is what an author with a name says of themselves."""
    rows = state.columns()
    code = int(rows.author[0])
    if code < 0 or rows.author_names[code].casefold() in USERS | ASSISTANTS:
        return False
    return any(voice(state.contents([int(state.keys[0])])[0])[:2])


def of_relatives(state: Recalling, most: int) -> NDArray[np.bool_]:
    """Return which of the first `most` hits of a list are about somebody whom their author knows, shape (hits,).

    "Our neighbours have two ferrets" names more of "What pets do we have?" than the user's own pets do. None if
    no list is asked for, or a relative's ("Which sports do my children do?"). Measured on stories of
    things that add up (bench/results/precision.md).
    """
    keys = state.keys[:most]
    none = np.zeros(len(keys), dtype=np.bool_)
    if state.question is None or not asks_list(state.query) or names_kin(state.query):
        return none
    rows, subject = state.columns(), state.question.subject
    if any(voice(state.query)[:2]):
        about = ~none
    elif subject in rows.author_names:
        about = rows.author[: len(keys)] == rows.author_names.index(subject)
    else:
        return none
    found: NDArray[np.bool_] = about & [begins_with_kin(text) for text in state.contents(keys.tolist())]
    return found
