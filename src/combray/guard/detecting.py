"""From the features of each sentence to one judgement of a text: two scores, and the reasons in words.

`attack` weighs only what nobody who owns a memory has reason to store; `score` weighs orders about later
answers too, which are harmless from the owner ("always answer in French") and poison from a web page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from combray.guard.features import features
from combray.guard.normalising import Reading, View, read
from combray.guard.screening import Floors, is_quiet, may_reach
from combray.guard.sentences import sentences
from combray.guard.vocabulary import spoken
from combray.guard.weighing import model, reasons, score

_TOKENS = re.compile(r"<\|[^|<>\n]{1,40}\|>|\[/?INST\]|<</?SYS>>")
FLOOD = 16
"""Special tokens of a model above which a text that is made of little else can be no memory."""
ALL = Floors()


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a text looks like: both scores in [0, 1], why, and by which disguises it was hidden.

    `flood`: it is little else than special tokens, and can be no memory at all.
    """

    score: float
    attack: float
    reasons: tuple[str, ...] = ()
    attack_reasons: tuple[str, ...] = ()
    disguises: tuple[str, ...] = ()
    flood: bool = False


_QUIET = Judgement(0.0, 0.0)


def judge(text: str, floors: Floors = ALL) -> Judgement:
    """The worst sentence of a text decides. Linear in its length.

    A text both of whose scores are below the floors is told as 0.0, and most such texts are not read to the end;
    of every other text the judgement is the same with floors and without.
    """
    if floors is not ALL and is_quiet(text, floors):
        return _QUIET
    reading = read(text)
    judged = _judged(reading, text, floors)
    if floors is ALL:
        return judged
    if judged.score < floors.score and judged.attack < floors.attack:
        return Judgement(0.0, 0.0, disguises=reading.disguises, flood=judged.flood)
    return _judged(reading, text, ALL)


def _judged(reading: Reading, text: str, floors: Floors) -> Judgement:
    found = [present for view in sentence_features(reading, floors) for present in view]
    if not found:
        return Judgement(0.0, 0.0, disguises=reading.disguises, flood=is_flood(text))
    outside, owner = model().outside, model().owner
    worst = max(found, key=lambda present: score(present, outside))
    attack = max(found, key=lambda present: score(present, owner))
    return Judgement(
        score=score(worst, outside),
        attack=score(attack, owner),
        reasons=reasons(worst, outside.weights),
        attack_reasons=reasons(attack, owner.weights),
        disguises=reading.disguises,
        flood=is_flood(text),
    )


def sentence_features(reading: Reading, floors: Floors = ALL) -> list[list[set[str]]]:
    """Features of every sentence, for each reading of the text: as it looks, then its payloads.

    Sentences that can reach neither floor may be left out.
    """
    decoded = {view.disguise for view in reading.views}
    veiled = any(each not in decoded for each in reading.disguises)
    return [_features(view, bool(view.disguise) or veiled, floors) for view in reading.views]


def _features(view: View, disguised: bool, floors: Floors) -> list[set[str]]:
    languages = spoken(view.text)
    before: set[str] = set()
    found = []
    for sentence in sentences(view.text):
        if floors is not ALL and not may_reach(sentence, languages, floors, disguised=disguised):
            before = set()
            continue
        before = features(sentence, languages, before=before, disguised=disguised)
        found.append(before)
    return found


def is_flood(text: str) -> bool:
    """Whether a text is made of special tokens, and of little else."""
    tokens = _TOKENS.findall(text)
    return len(tokens) >= FLOOD and sum(map(len, tokens)) * 2 > len(text)
