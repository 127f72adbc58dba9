"""Is the answer among the hits? A learned model refuses the whole answer, and drops hits that do not answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from combray.language.answer_kinds import asked_kinds, asks_list
from combray.language.asked_words import asked_words, asks_several
from combray.language.folding import fold, runs
from combray.language.indexing import normalised
from combray.language.late import late
from combray.language.messages import leads_to_a_question
from combray.language.scripts import language
from combray.language.tokens import all_terms, terms
from combray.recall.answer_features import (
    DATED,
    FEATURES,
    GLOBAL,
    MATCHED,
    WHOLE,
    AnswerEvidence,
    dated_notes,
    evidence,
    in_conversation,
)
from combray.recall.keep import KEEP, KeepStrong, drop_weak
from combray.recall.message import keep_answers
from combray.recall.state import Recalling
from combray.recall.subject import of_relatives
from combray.records import dataclass
from combray.runtime import Runtime
from combray.scoring import answers
from combray.scoring.ranking import DECIMALS

_EXACT, _SOFT, _FOCUS, _CONFLICT, _LACKS = (
    FEATURES.index(name) for name in ("exact", "soft", "focus", "conflict", "lacks")
)
_METHOD, _MISSING = GLOBAL.index("method"), GLOBAL.index("missing")
_HALF = 0.5
_TINY = 1e-9
_MOST_ODDS = 8.0
"""Log-odds beyond which a hit is no better or worse."""
_AGAINST = [FEATURES.index(name) for name in ("lacks", "conflict", "aside")]
_OWNER = late(r"\w['’]s\b(?! (?:my|the|your|a|an)\b)")
_STRUCK = late(r"[bcdfghjklmnpqrstvwxz]{5}")
"""Consonants in a row that a word typed at random has, and few others: "asdkjh"."""


@dataclass(frozen=True)
class JudgeAnswers:
    """Refuses a question whose answer is not there, and drops hits that answer much less than the best one.

    The features of the first `most` candidates are weighed by logistic models of the embedder's level and
    the store's shape (`scoring/answers.json`). Below their bounds the answer is empty and says what no memory
    mentions. Unless the caller set `keep`, a candidate whose log-odds are more than the model's gap below the
    best is dropped, and of notes the others are spared by `KeepStrong`, which cuts by score; without an embedder
    only if the question asks for a list or for two things. Such a question has a gap that is wider by
    `several`, and one for two things keeps every candidate that meets a word which the best does not. Candidates
    behind the first `most` are left to `KeepStrong`, unless the last of these is dropped from notes.

    Of notes an answer is empty too if a colour, an age … is asked for and the best hit has none, or if memories
    hold a name of the question, and none of these has one.

    A whole message (`SplitQuery`) is judged by its questions, each as if it had been asked alone.

    Judged notes are ordered by their share of the best score plus `order` times their log-odds. Where a list of
    one's own is asked for, hits about relatives (`subject.of_relatives`) are no measure of the cut.

    Nothing is decided about a question for a date alone (`RequireDay`). A memory's own text, a declared entity in
    the question and a message without a question are never refused, nor a note that holds all words of the
    question.

    Turns of chats with an assistant, and texts of more than `longest` words (the median of the candidates), are
    judged by confidence and score alone: the models were not trained on any.

    `refuse` and `gap` are added to the models' bounds: a higher `refuse` is silent more often; for texts of many
    words each fifth of it is a share of their bound. Bounds, gaps and `several` come from cross-validation by
    author (bench/results/precision.md).
    """

    needs = ("sorted", "question")
    most: int = 12
    cuts: bool = True
    """Whether weak hits are dropped."""
    refuse: float = 0.0
    gap: float = 0.0
    several: float = 0.5
    share: float = KEEP
    """Share of the best score below which hits of such a question are dropped, as in `KeepStrong`."""
    questions: int = 2
    """Questions of a whole message that are asked alone (`message.keep_answers`)."""
    first: int = 1
    """Hits of the message as a whole that stay."""
    longest: int = 40
    """Median words of the candidates up to which they are notes."""
    sure_of_long: float = 1.5
    """Confidence that texts of many words need, as a multiple of the doubtful one (`Abstain`)."""
    share_of_long: float = 0.4
    """Share of the best score below which such texts are dropped: their scores lie closer together."""
    order: float = 0.1
    """Of notes: share of the best score that one of log-odds is worth in their order."""
    unmet: float = 0.2
    """Mean cosine of the question's words with the nearest words of a hit below which the hit meets none."""

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if not len(state.keys) or state.only_dated:
            return state
        cuts = self.cuts and state.keep is None
        message = len(state.parts) > 1 or leads_to_a_question(state.query)
        if cuts and message and keep_answers(state, runtime, self._cut, self.questions, self.first):
            return state
        if _in_long_turns(state) or np.median(state.columns().words[: self.most]) > self.longest:
            return self._of_long_texts(state)
        found = evidence(state, runtime, self.most)
        model = answers.levels()[level_of(state)]["turns" if found.turns else "notes"]
        odds = model.hit.log_odds(FEATURES, found.hits)
        whole = found.answer(odds)
        answered, known = (float(each.log_odds(WHOLE, whole)) for each in (model.answer, model.topic))
        state.details["evidence"] = round(answered, 4)
        if not state.certain and len(state.parts) < 2 and not standing(found).any():
            # Out of fold, of 802 answerable questions to notes by eight authors 7 have this, of 679 others 256.
            lacks = found.unheld or _lacks_kind(found, odds) or _of_another(state.query, found, odds)
            below = (lacks and not found.turns) or (
                answered < model.refuse + self.refuse or known < model.far + self.refuse
            )
            if below or self.unrelated(state, found, runtime):
                state.reason = reason(found)
                state.take(np.zeros(0, dtype=np.int64))
                return state
        if not found.turns:
            order = self._by_answer(state, odds)
            found, odds = found.taken(order), odds[order]
        if cuts:
            # Whatever else weighs against it, a hit that holds all words of the question is shown.
            two = asks_several(state.query)
            several = two or asks_list(state.query)
            gap = model.gap + self.gap + (self.several if several else 0.0)
            measures = odds if found.turns else odds[self._own(state, len(odds))]
            near = (odds >= measures.max() - gap) | (found.hits[:, _EXACT] >= 1.0)
            if two:
                near |= found.adds(int(np.argmax(odds)))
            if not found.turns and (several or level_of(state) != "none"):
                state.judged = frozenset(state.keys[: len(near)][near].tolist())
            self._drop(state, near, found.turns)
        return state

    def _of_long_texts(self, state: Recalling) -> Recalling:
        """Judge texts of many words, on which the models were not trained, by confidence and score alone."""
        least = self.sure_of_long * state.doubtful * max(0.0, 1.0 + self.refuse / 5.0)
        if not state.certain and len(state.parts) < 2 and state.confidence < least:
            state.reason = f"nothing here answers this: confidence {state.confidence:.2f} is below {least:.2f}"
            state.take(np.zeros(0, dtype=np.int64))
        elif self.cuts:
            drop_weak(state, self.share_of_long)
        return state

    def _by_answer(self, state: Recalling, odds: NDArray[np.float64]) -> NDArray[np.int64]:
        """Order the judged notes by their scores and how probably they answer; return where each stood."""
        count = len(odds)
        best = max(float(state.scores[0]), _TINY)
        worth = state.scores[:count] / best + self.order * np.clip(odds, -_MOST_ODDS, _MOST_ODDS)
        order = np.argsort(-np.round(worth, DECIMALS), kind="stable")
        # A score never rises down the list.
        scores = np.concatenate([np.sort(state.scores[:count])[::-1], state.scores[count:]])
        state.take(np.concatenate([order, np.arange(count, len(state.keys))]))
        state.scores = scores
        return order

    def _own(self, state: Recalling, read: int) -> NDArray[np.bool_]:
        """Return which of the judged hits the cut is measured by: those about relatives only if all are."""
        beside = of_relatives(state, read)
        if beside.all():
            return beside
        state.beside = frozenset(state.keys[:read][beside].tolist())
        return ~beside

    def _cut(self, state: Recalling, runtime: Runtime) -> Recalling:
        """Judge one question of a message, up to the relative cut."""
        return KeepStrong(self.share)(self(state, runtime), runtime)

    def unrelated(self, state: Recalling, found: AnswerEvidence, runtime: Runtime) -> bool:
        """Whether the hits meet too little of the question.

        What a how-to question that names nobody does is met, and not what it does it to (`_lacks_object`). The
        rest needs word vectors.

        In doubt, what is asked for of somebody ("which guitar strings") is in no hit: a name says whom a question
        is about and not what it asks. Or no word is met, and the question is asked of a conversation, where
        neighbours lend words, or is not about the asker. Or no word is met, and the question is in another
        language than every hit. With weak evidence, a how-to question that names somebody lacks its object, or no
        word is met, and one is keys struck at random.
        """
        named = found.whole[GLOBAL.index("named")] > 0 or (state.question is not None and state.question.subject)
        # A name may be what it is done to: "how can I get Milo to nod off".
        if not named and _lacks_object(found):
            return True
        if runtime.words is None:
            return False
        doubtful = state.confidence < state.doubtful
        focus = found.hits[:, _FOCUS].min() > 1.0 - MATCHED
        if named and focus and len(found.unmet) > 1 and doubtful:
            return True
        weak = bool(state.weak) or doubtful
        if weak and _lacks_object(found):
            return True
        if found.whole[_MISSING] < 1.0:
            return False
        # Vectors of such letters are those of their pieces: they are as near to words as any.
        if weak and any(map(_STRUCK.search, found.unmet)):
            return True
        if float(found.hits[:, _SOFT].max()) >= self.unmet:
            return False
        about_me = any(found.whole[GLOBAL.index(name)] > 0 for name in ("owner", "self"))
        if doubtful and (found.turns or not about_me):
            return True
        texts = state.contents(state.keys[: self.most].tolist())
        return all(language(text) != language(state.query) for text in texts)

    def _drop(self, state: Recalling, near: NDArray[np.bool_], turns: bool) -> None:
        exact, named = (state.signals.get(name, np.zeros(len(state.keys))) >= 1.0 for name in ("exact", "entity"))
        kept = np.ones(len(state.keys), dtype=np.bool_)
        read = len(near)
        kept[:read] = near | exact[:read] | named[:read]
        if state.judged:
            # What ranks behind the judged ones has less evidence than the last of them.
            kept[read:] = near[-1] | exact[read:] | named[read:]
        if not turns:
            kept &= ~_near_the_date(state)
        # The best score stays: what KeepStrong measures by.
        kept[0] = True
        room = min(state.limit, len(state.keys))
        if not kept.all():
            state.take(kept)
        state.dropped += room - min(state.limit, len(state.keys))
        state.details["dropped"] = state.dropped


def _in_long_turns(state: Recalling) -> bool:
    """Return whether the first hit is a turn of a conversation whose turns are long: with an assistant."""
    rows = state.columns()
    return bool(rows.session[0] >= 0) and not in_conversation(rows)


def _near_the_date(state: Recalling) -> NDArray[np.bool_]:
    """Return which candidates only were stored near a date of the question, and meet nothing else of it.

    None if that is true of the best one. A note stored that week does not answer "plan dinner for Saturday".
    """
    none = np.zeros(len(state.keys))
    dated = state.signals.get("date", none)
    others = [values for name, values in state.signals.items() if name in _EVIDENCE]
    bare = (dated > 0) & (dated < 1.0) & (np.max([none, *others], axis=0) <= 0.0)
    found: NDArray[np.bool_] = bare & ~bare[0]
    return found


_EVIDENCE = frozenset(("context", "own", "window", "phrase", "exact", "entity", "author", "subject"))


def _lacks_kind(found: AnswerEvidence, odds: NDArray[np.float64]) -> bool:
    """Whether the best hit has no amount, age, number … though the question asks for one."""
    return bool(found.hits[int(np.argmax(odds)), _LACKS] > 0)


def _of_another(question: str, found: AnswerEvidence, odds: NDArray[np.float64]) -> bool:
    """Whether the best hit is about another owner: the grandmother's birthday, if the mother's is asked for."""
    return _OWNER.search(question) is not None and bool(found.hits[int(np.argmax(odds)), _CONFLICT] > 0)


def _lacks_object(found: AnswerEvidence) -> bool:
    """Whether notes hold what a how-to question does ("fix") and not what it does it to ("my roof").

    "I" and "my" of such a question say nothing about the asker, but the models count them for the answer. With
    weak evidence, of 802 answerable questions to notes by eight authors 4 have this and are not refused anyway,
    of 679 others 18; where nobody is named, whatever the evidence and without an embedder too, none and up to 4
    more (bench/results/evidence.md).
    """
    if found.turns or not found.whole[_METHOD] or not len(found.met):
        return False
    return bool(found.met[-1].max() < MATCHED and found.whole[_MISSING] >= _HALF)


def standing(found: AnswerEvidence) -> NDArray[np.bool_]:
    """Return which hits hold every word asked for, every kind with a vocabulary and, as notes, every name."""
    named = found.whole[GLOBAL.index("named")] > 0 and not found.turns
    held: NDArray[np.bool_] = (found.hits[:, _EXACT] >= 1.0) & ~found.hits[:, _AGAINST].any(axis=1)
    return held & (found.hits[:, FEATURES.index("names")] >= 1.0) if named else held


def level_of(state: Recalling) -> Literal["none", "static", "contextual"]:
    """Return the level of the embedder that answered."""
    if state.found is None or "own" not in state.found.scores:
        return "none"
    return "contextual" if state.contextual else "static"


@dataclass(frozen=True)
class RequireKind:
    """Empties an answer to a question for a colour, an age, a number to call … if no first hit holds one.

    It is kept if a first hit is the question itself. Only kinds with a vocabulary (`<code>/answers.json`) are
    required: what may be any name is not. If first hits of notes hold a name of the question, or were said by
    whom it names, one of these must hold the kind: another person's age does not answer.

    `nearest`: how many hits are read. In a conversation of short turns an answer is spread over several
    turns, and one of `nearest_turns` may hold the kind. Such a turn also says when: on the day it was said. How
    many or how often is not required of turns, since several are counted together.
    """

    needs = ("score",)
    nearest: int = 3
    nearest_turns: int = 10

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        kinds = [kind for kind, _ in asked_kinds(state.query).values() if not (kind.open or kind.names)]
        if not kinds or not len(state.keys):
            return state
        turns = in_conversation(state.columns())
        if turns:
            kinds = [kind for kind in kinds if kind.name not in DATED | _COUNTED]
        if kinds:
            asked = frozenset(runs(fold(state.query)))
            read = self.nearest_turns if turns else self.nearest
            first = state.contents(state.keys[:read].tolist())
            if normalised(state.query) in map(normalised, first):
                # The question itself is stored, and its own text must bring it.
                return state
            about = self._about(state, first)
            happened = dated_notes(state, len(first)) & about
            lacking = next(
                (
                    kind
                    for kind in kinds
                    if not (kind.name in DATED and happened.any())
                    and not any(kind.held(text, asked) for text, read in zip(first, about, strict=True) if read)
                ),
                None,
            )
            if lacking is not None:
                state.reason = _lacks(lacking.name)
                state.take(np.zeros(0, dtype=np.int64))
        return state

    def _about(self, state: Recalling, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Return which of the texts count: those that hold a name of the question, or all if none does."""
        every = np.ones(len(texts), dtype=np.bool_)
        names = {each.term for each in asked_words(state.query) if each.name}
        rows = state.columns()
        # In a conversation a turn without the name answers too.
        if not names or rows.session[0] >= 0:
            return every
        names.update(term for others in state.named.values() for other in others for term in terms(other))
        said_by = (rows.author_names[code] if code >= 0 else "" for code in rows.author[: len(texts)])
        named = np.array(
            [
                not names.isdisjoint(all_terms(text)) or not names.isdisjoint(terms(by))
                for text, by in zip(texts, said_by, strict=True)
            ],
            dtype=np.bool_,
        )
        return named if named.any() else every


def reason(found: AnswerEvidence) -> str:
    """In words, what is missing."""
    if found.kind is not None:
        return _lacks(found.kind.name)
    if found.unmet:
        return f"nothing here answers this: no memory near the question mentions {_listed(found.unmet)}"
    return "nothing here answers this: the memories near the question are about something else"


def _lacks(kind: str) -> str:
    return f"nothing here answers this: no memory near the question holds {_KIND.get(kind, kind)}"


_COUNTED = frozenset(("number", "count", "frequency"))
"""Kinds that several turns answer together: each tells of one of the things that are counted."""
_KIND = {
    "colour": "a colour", "phone": "a phone number", "mail": "a mail address", "money": "an amount",
    "age": "an age", "birthday": "a birthday", "name": "a name", "person": "a person", "time": "a day or time",
    "frequency": "how often", "number": "a number", "count": "how many", "duration": "a duration", "job": "a job",
    "home": "where somebody lives", "brand": "a brand", "breed": "a breed", "marriage": "a spouse or partner",
    "relative": "a relative", "school": "a school or subject", "instrument": "an instrument",
    "language": "a language", "favourite": "what is preferred", "food": "something to eat", "code": "a code",
    "size": "a size", "height": "a height", "weight": "a weight", "temperature": "a temperature",
    "year": "a year", "date": "a date", "place name": "such a name",
}  # fmt: skip


def _listed(unmet: tuple[str, ...]) -> str:
    shown = [repr(word) for word in unmet[:4]]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
