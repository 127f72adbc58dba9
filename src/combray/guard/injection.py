"""Score a text for prompt injection: two probabilities, with the reasons in words.

`attack` counts only features that no owner has reason to store. `score` also counts orders about later answers:
"always answer in French" is harmless from the owner and harmful from a web page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from combray.guard.disguises import Reading, read
from combray.guard.features import features
from combray.guard.screen import Floors, is_quiet
from combray.guard.sentences import sentences
from combray.guard.vocabulary import spoken
from combray.guard.weights import model, reasons, score

_TOKENS = re.compile(r"<\|[^|<>\n]{1,40}\|>|\[/?INST\]|<</?SYS>>")
FLOOD = 16
"""Number of special model tokens from which a text that consists mostly of them is rejected."""
SCREENED = 600
"""Characters up to which a text is screened first. Longer texts rarely pass the screen, which then costs more
than it saves (measured on 1,600-character chunks of Markdown)."""
ALL = Floors()


@dataclass(frozen=True, slots=True)
class Judgement:
    """Both scores in [0, 1], their reasons, and the disguises that were removed.

    `flood`: the text consists mostly of special model tokens and must be rejected.
    """

    score: float
    attack: float
    reasons: tuple[str, ...] = ()
    attack_reasons: tuple[str, ...] = ()
    disguises: tuple[str, ...] = ()
    flood: bool = False


_QUIET = Judgement(0.0, 0.0)


def judge(text: str, floors: Floors = ALL) -> Judgement:
    """Score a text by its worst sentence. Linear in its length.

    Both scores are 0.0 if neither reaches its floor. Otherwise the floors do not affect the result.
    """
    if floors is not ALL and len(text) <= SCREENED and is_quiet(text, floors):
        return _QUIET
    reading = read(text)
    found = [present for view in sentence_features(reading) for present in view]
    outside, owner = model().outside, model().owner
    scores = [score(present, outside) for present in found]
    attacks = [score(present, owner) for present in found]
    worst, attack = max(scores, default=0.0), max(attacks, default=0.0)
    if not found or (worst < floors.score and attack < floors.attack):
        return Judgement(0.0, 0.0, disguises=reading.disguises, flood=is_flood(text))
    return Judgement(
        score=worst,
        attack=attack,
        reasons=reasons(found[scores.index(worst)], outside.weights),
        attack_reasons=reasons(found[attacks.index(attack)], owner.weights),
        disguises=reading.disguises,
        flood=is_flood(text),
    )


def sentence_features(reading: Reading) -> list[list[set[str]]]:
    """Return the features of every sentence of each view: the visible text first, then decoded payloads."""
    decoded = {view.disguise for view in reading.views}
    veiled = any(each not in decoded for each in reading.disguises)
    result = []
    for view in reading.views:
        languages, disguised = spoken(view.text), bool(view.disguise) or veiled
        before: set[str] = set()
        found = []
        for sentence in sentences(view.text):
            before = features(sentence, languages, before=before, disguised=disguised)
            found.append(before)
        result.append(found)
    return result


def is_flood(text: str) -> bool:
    """Whether a text consists mostly of special model tokens."""
    tokens = _TOKENS.findall(text)
    return len(tokens) >= FLOOD and sum(map(len, tokens)) * 2 > len(text)
