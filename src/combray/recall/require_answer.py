"""Do the notes of a store hold an answer? Presets with a ranking of their own ask the model of evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np

from combray.language.asked_words import asked_words, is_question
from combray.pipeline import stage
from combray.recall.answer_features import FEATURES, GLOBAL, SHORT_TURNS, WHOLE, AnswerEvidence, evidence
from combray.recall.answers import JudgeAnswers, level_of, reason, standing
from combray.recall.ranking import rank
from combray.recall.state import Recalling
from combray.runtime import Runtime
from combray.scoring import answers

SMALL: Mapping[str, tuple[float, float]] = {
    "none": (-2.0, -2.0),
    "static": (-2.0, -2.0),
    "contextual": (-2.0, -2.0),
}
LARGE: Mapping[str, tuple[float, float]] = {
    "none": (0.0, 0.5),
    "static": (-0.2, -0.2),
    "contextual": (0.1, 0.1),
}
"""Least log-odds of the answer and of its topic, by level, in small and large stores. They are higher than the
bounds of `JudgeAnswers`: these presets leave more questions empty than the default one. Those of large stores
were chosen on notes of eight authors, each left out (`python -m bench.evidence.curve`), those of small ones on
notes of six. Those with vectors were then moved so that four fifths of forty questions without an answer are left
empty (bench/results/evidence.md)."""


@stage
class RequireAnswer:
    """Empties the answer if the model of evidence finds none in the notes of the store; else no floor applies.

    The question is asked as the default preset asks it, since the model was trained on what that finds. The
    candidates of this preset and their order stay. Nothing is decided in a conversation of short turns, in
    documents, or of a question that names a day: there `RequireEvidence` decides.
    """

    needs = ("candidates",)
    small: Mapping[str, tuple[float, float]] = field(default_factory=lambda: SMALL)
    large: Mapping[str, tuple[float, float]] = field(default_factory=lambda: LARGE)
    refuse: float = 0.0
    """Added to both bounds."""
    large_from: int = 50
    """Memories from which a store is large."""
    most: int = 12
    """Hits that the model reads."""
    turns: float = 0.5
    """Share of the candidates that are turns of a conversation from which nothing is decided."""
    most_words: int = 100
    """Median words of the candidates up to which they are notes: above, they are parts of documents."""

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if not len(state.keys) or state.only_dated or state.days or not self._in_notes(state):
            return state
        asked = rank(state, runtime, state.query)
        if asked.certain:
            state.answerable = True
            return state
        if not len(asked.keys):
            # Nothing to read: the floor decides.
            return state
        found = evidence(asked, runtime, self.most)
        level = level_of(asked)
        model = answers.levels()[level]["notes"]
        whole = found.answer(model.hit.log_odds(FEATURES, found.hits))
        answered, known = (float(each.log_odds(WHOLE, whole)) for each in (model.answer, model.topic))
        state.details["evidence"] = round(answered, 4)
        large = asked.found is not None and asked.found.eligible >= self.large_from
        least, topic = (self.large if large else self.small)[level]
        if large and not found.turns and _holds_all(state, found):
            state.answerable = True
            return state
        held = min(answered - least, known - topic) >= self.refuse and not found.unheld
        all_met = not found.unmet and not found.unheld
        if not held and all_met and not (large and is_question(state.query)):
            # The model was trained on questions: a list of words that are all there looks like one that has none.
            return state
        if held and not large and not _meets(found):
            # In a small store the log-odds of letters without a meaning are as high as those of other words.
            return state
        state.answerable = len(asked.parts) > 1 or (held and not JudgeAnswers().unrelated(asked, found, runtime))
        if not state.answerable:
            state.reason = reason(found)
            state.take(np.zeros(0, dtype=np.int64))
        return state

    def _in_notes(self, state: Recalling) -> bool:
        rows = state.columns()
        in_turns = ((rows.session >= 0) & (rows.gain >= SHORT_TURNS)).mean() > self.turns
        return bool(not in_turns and np.median(rows.words) <= self.most_words)


def _holds_all(state: Recalling, found: AnswerEvidence) -> bool:
    """Whether a note holds every word and every name of the question, and it has two or more.

    The model refuses some of these in large stores ("what is Tom allergic to" of "Tom is allergic to peanuts").
    Of 238 answerable questions to large stores of eight authors one is gained by this, of 148 others none lost.
    """
    return len(asked_words(state.query)) > 1 and bool(standing(found).any())


def _meets(found: AnswerEvidence) -> bool:
    """Whether a hit meets a word of the question."""
    return bool(found.whole[GLOBAL.index("missing")] < 1.0)
