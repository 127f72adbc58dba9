"""Is the answer among the hits? A learned model refuses the whole answer, and drops hits that do not answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from combray.language.answer_kinds import asked_kind
from combray.language.late import late
from combray.language.scripts import language
from combray.recall.answer_features import FEATURES, WHOLE, Evidence, evidence
from combray.recall.state import Recalling
from combray.runtime import Runtime
from combray.scoring import answers
from combray.scoring.answers import Level

_CONVERSATION = 0.5
"""Gain of the first hit's session from which its turns are short, and so its neighbours answer with it."""
_STRUCK = late(r"[bcdfghjklmnpqrstvwxz]{5}")
"""Consonants in a row that a word typed at random has, and few other words: "asdkjh"."""


@dataclass(frozen=True)
class JudgeAnswers:
    """Refuses a question whose answer is not there, and drops hits that answer much less than the best one.

    The features of the first `most` candidates are weighed by a logistic model of the embedder's level
    (`scoring/answers.json`): below its bound the answer is empty and says what no memory mentions. A candidate
    whose log-odds are more than `gap` below the best is dropped, unless the caller set `keep`. Those behind the
    first `most` are left to `KeepStrong`.

    A memory's own text, a declared entity in the question, a question about a date alone and a whole message
    (`SplitQuery`) are never refused.

    `refuse` and `gap` are added to the model's bounds: a higher `refuse` is silent more often.
    """

    needs = ("sorted", "question")
    most: int = 12
    cuts: bool = True
    """Whether weak hits are dropped."""
    refuse: float = 0.0
    gap: float = 0.0
    unmet: float = 0.2
    """Mean cosine of the question's words with the nearest words of a hit below which the hit meets none."""
    far: float = 0.15
    """The same below which a doubtful confidence is enough to refuse, as it is for keys struck at random."""
    doubt: float = 0.65
    """Share of the doubtful confidence below which an answer that meets no word is refused."""

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        found = evidence(state, runtime, self.most)
        model = answers.levels()[_level(state)]
        kind = _store(found)
        odds = float(model.answer.log_odds(WHOLE, found.whole))
        state.details["evidence"] = round(odds, 4)
        refusable = not state.certain and len(state.parts) < 2
        below = odds < model.refuse[kind] + self.refuse
        if refusable and (below or self._unrelated(state, found, runtime)):
            state.reason = reason(found)
            state.take(np.zeros(0, dtype=np.int64))
            return state
        if self.cuts and state.keep is None:
            self._drop(state, found, model.gap[kind] + self.gap, model)
        return state

    def _unrelated(self, state: Recalling, found: Evidence, runtime: Runtime) -> bool:
        """Whether no word of the question is met, and nothing else speaks for an answer.

        With vectors of words, which see a word's neighbours, two more are refused. A question that names
        somebody: a name says whom it is about and not what it asks. And one in another language than every hit.
        """
        whole = dict(zip(WHOLE, found.whole.tolist(), strict=True))
        if state.vector is None:
            return False
        struck = whole["missing"] >= 1.0 and any(map(_STRUCK.search, found.unmet))
        doubt = 1.0 if struck or whole["best soft"] < self.far else self.doubt
        if whole["best soft"] < self.unmet and state.confidence < doubt * state.doubtful:
            return True
        if runtime.words is None or whole["missing"] < 1.0:
            return False
        if whole["named"] > 0 and len(found.unmet) > 1:
            return True
        asked = language(state.query)
        texts = state.reader.contents(state.keys[: self.most].tolist())
        return whole["best soft"] < self.unmet and all(language(text) != asked for text in texts)

    def _drop(self, state: Recalling, found: Evidence, gap: float, model: Level) -> None:
        odds = model.hit.log_odds(FEATURES, found.hits)
        exact, named = (state.signals.get(name, np.zeros(len(state.keys))) >= 1.0 for name in ("exact", "entity"))
        kept = np.ones(len(state.keys), dtype=np.bool_)
        kept[: len(odds)] = (odds >= odds.max() - gap) | exact[: len(odds)] | named[: len(odds)]
        # The best score stays: what KeepStrong measures by.
        kept[0] = True
        room = min(state.limit, len(state.keys))
        state.take(kept)
        state.dropped += room - min(state.limit, len(state.keys))
        state.details["dropped"] = state.dropped


def _level(state: Recalling) -> Literal["none", "static", "contextual"]:
    if state.found is None or "own" not in state.found.scores:
        return "none"
    return "contextual" if state.contextual else "static"


def _store(found: Evidence) -> Literal["turns", "notes"]:
    return "turns" if found.whole[WHOLE.index("session")] >= _CONVERSATION else "notes"


@dataclass(frozen=True)
class RequireKind:
    """Empties an answer to a question for a colour, an age, a number to call … if no first hit holds one.

    Only kinds with a closed vocabulary (`<code>/answers.json`). `nearest`: how many hits are read.
    """

    needs = ("score",)
    nearest: int = 3

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        kind = asked_kind(state.query) if len(state.keys) else None
        if kind is not None:
            texts = state.reader.contents(state.keys[: self.nearest].tolist())
            if not any(kind.held(text) for text in texts):
                state.reason = _lacks(kind.name)
                state.take(np.zeros(0, dtype=np.int64))
        return state


def reason(found: Evidence) -> str:
    """In words, what is missing."""
    if found.kind is not None:
        return _lacks(found.kind.name)
    if found.unmet:
        return f"nothing here answers this: no memory near the question mentions {_listed(found.unmet)}"
    return "nothing here answers this: the memories near the question are about something else"


def _lacks(kind: str) -> str:
    return f"nothing here answers this: no memory near the question holds {_KIND.get(kind, kind)}"


_KIND = {
    "colour": "a colour", "phone": "a phone number", "mail": "a mail address", "money": "an amount",
    "age": "an age", "name": "a name", "day": "a day or time", "relation": "a spouse or partner",
    "siblings": "brothers, sisters or children", "breed": "a breed", "brand": "a brand",
}  # fmt: skip


def _listed(unmet: tuple[str, ...]) -> str:
    shown = [repr(word) for word in unmet[:4]]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
