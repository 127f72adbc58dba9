"""From the features of each sentence to one judgement of a text: two scores, and the reasons in words.

`attack` weighs only what nobody who owns a memory has reason to store; `score` weighs orders about later
answers too, which are harmless from the owner ("always answer in French") and poison from a web page. The
weights are those of a logistic regression, trained by `bench/guard`, shipped as `tables/weights.json`.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from combray.guard.features import REASONS, features
from combray.guard.normalising import Reading, read
from combray.guard.sentences import sentences
from combray.guard.vocabulary import spoken

_WEIGHTS = Path(__file__).parent / "tables" / "weights.json"
_TOKENS = re.compile(r"<\|[^|<>\n]{1,40}\|>|\[/?INST\]|<</?SYS>>")
_SHOWN = 3
"""Reasons told of a verdict."""
FLOOD = 16
"""Special tokens of a model above which a text that is made of little else can be no memory."""
_LATIN_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bias, and a weight for each name of `features.NAMES`."""

    bias: float
    weights: dict[str, float]


class Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`outside`: weights for texts of others; `owner`: for the owner's own, blind to orders about answers."""

    outside: Weights
    owner: Weights


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


@functools.cache
def model() -> Model:
    """The weights shipped."""
    return msgspec.json.decode(_WEIGHTS.read_bytes(), type=Model)


def judge(text: str) -> Judgement:
    """The worst sentence of a text decides. Linear in its length."""
    reading = read(text)
    found = [present for view in sentence_features(reading) for present in view]
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


def sentence_features(reading: Reading) -> list[list[set[str]]]:
    """Features of every sentence, for each reading of the text: as it looks, then its payloads."""
    decoded = {view.disguise for view in reading.views}
    veiled = any(each not in decoded for each in reading.disguises)
    listed = []
    for view in reading.views:
        languages = spoken(_LATIN_WORD.findall(view.text), view.text)
        about = False
        found = []
        for sentence in sentences(view.text):
            present = features(sentence, languages, about=about, disguised=bool(view.disguise) or veiled)
            about = "about" in present
            found.append(present)
        listed.append(found)
    return listed


def score(present: Iterable[str], weighed: Weights) -> float:
    """Logistic of the sum of the weights, in (0, 1)."""
    total = weighed.bias + sum(weighed.weights.get(name, 0.0) for name in present)
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, total))))


def reasons(present: Iterable[str], weighed: Mapping[str, float]) -> tuple[str, ...]:
    """The heaviest features in words."""
    speaking = [name for name in present if name in REASONS and weighed.get(name, 0.0) > 0]
    speaking.sort(key=lambda name: (-weighed[name], name))
    return tuple(REASONS[name] for name in speaking[:_SHOWN])


def is_flood(text: str) -> bool:
    """Whether a text is made of special tokens, and of little else."""
    tokens = _TOKENS.findall(text)
    return len(tokens) >= FLOOD and sum(map(len, tokens)) * 2 > len(text)
