"""Score a text for prompt injection: two probabilities, with the reasons in words.

`attack` is the probability of an injection that no owner has reason to store. `score` also counts instructions
about later answers: "always answer in French" is harmless from the owner and harmful from a web page.

The model is a logistic regression over hashed features, trained by `bench/guard`. A feature's weight is in the
bucket that its CRC-32 names. Source: Weinberger et al., "Feature Hashing for Large Scale Multitask Learning",
ICML 2009. The file holds one byte a weight, so it stays small and loads at once.
"""

from __future__ import annotations

import functools
import hashlib
import math
import re
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from combray.guard.disguises import Reading, read
from combray.guard.features import classes, features, sentences
from combray.guard.vocabulary import spoken
from combray.language.model_tokens import CONTROL_TOKEN
from combray.records import dataclass, replace

_TURN = re.compile(
    r"(?:^|<\|[^|<>\n]{1,40}\|>)\s*"
    r"(?:<\|im_start\|>\s*(?:system|developer|assistant|user|tool)\b"
    r"|<\|start_header_id\|>\s*(?:system|developer|assistant|user|tool)\s*<\|end_header_id\|>"
    r"|<\|(?:system|developer|assistant|user)\|>|\[INST\]|<<SYS>>|\[SYSTEM_PROMPT\]"
    r"|<start_of_turn>\s*(?:system|developer|model|user)\b|<[|｜](?:System|User|Assistant)[|｜]>)"
    r"[^\w<\[]*\w+[^\w<\[]+\w+",
    re.IGNORECASE | re.MULTILINE,
)
"""A token that opens a turn, at the start of a line or behind another token, and two words of the turn."""
FORGED = 0.87
"""Score of a text that opens such a turn: quarantined from outside, untrusted from an agent."""
OPENS_TURN = "opens a turn of another speaker with special model tokens"
FLOOD = 16
"""Number of special model tokens from which a text that consists mostly of them is rejected."""
_SHOWN = 3
"""Reasons reported with a judgement."""
EXPLAINED = 0.2
"""Scores from which a judgement has reasons. Most texts stay below, and reasons cost a fifth of the time."""
_PLAIN = "reads like an instruction to a model"
_BY_CLASS: Mapping[str, str] = {
    "ignore": "asks to ignore earlier instructions",
    "voided": "asks to ignore earlier instructions",
    "newrules": "announces new instructions",
    "persona": "assigns the model another role",
    "unbound": "mentions a model without restrictions",
    "bypass": "asks to disable safety measures",
    "reveal": "asks for hidden text",
    "youtold": "asks for the instructions of the model",
    "earlier": "asks for what came before it",
    "norefuse": "forbids refusals",
    "amoral": "asks to set morals aside",
    "frame": "wraps a request in a fiction",
    "passphrase": "asks for a secret",
    "turnover": "pretends that the text ends here",
    "private": "asks for private data",
    "markup": "contains special model tokens",
    "role": "starts like a system message",
    "tool": "contains tool-call markup",
    "secretly": "asks to hide it from the user",
    "authority": "claims authority",
    "output": "is about the model's own answer",
    "sayonly": "dictates the content of the answer",
    "when": "is conditional on a question",
    "whenasked": "is conditional on a question",
    "future": "applies to all later answers",
    "addressed": "addresses the model",
    "assistant": "addresses the model",
    "bots": "addresses the model",
    "urgent": "claims urgency",
    "address": "contains an address",
    "acted": "asks for an external action",
    "nocheck": "waives a check",
    "omit": "says what to omit",
    "slant": "says what to recommend",
}
REASONS = frozenset((*_BY_CLASS.values(), _PLAIN, OPENS_TURN))
"""All reasons. They hold no word of a text."""


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


def judge(text: str) -> Judgement:
    """Return the scores of the worst sentences of a text and of everything it hides."""
    reading = read(text)
    found = sentence_features(reading)
    if not found:
        return Judgement(0.0, 0.0, disguises=reading.disguises, flood=is_flood(text))
    outside, owner = model().scores([hashed(each) for each in found])
    worst, attacking = int(outside.argmax()), int(owner.argmax())
    judged = Judgement(
        float(outside[worst]),
        float(owner[attacking]),
        _reasons(found[worst], "outside") if outside[worst] >= EXPLAINED else (),
        _reasons(found[attacking], "owner") if owner[attacking] >= EXPLAINED else (),
        reading.disguises,
        is_flood(text),
    )
    if judged.score < FORGED and opens_turn(text):
        return replace(judged, score=FORGED, reasons=(OPENS_TURN, *judged.reasons))
    return judged


def sentence_features(reading: Reading) -> list[set[str]]:
    """Return the features of the sentences of each view: the visible text first, then decoded payloads."""
    decoded = {view.disguise for view in reading.views}
    veiled = any(each not in decoded for each in reading.disguises)
    found = []
    for view in reading.views:
        languages = spoken(view.text)
        every = list(sentences(view.text))
        framed = not all(all(sentence.quoted) for sentence in every)
        for each in every:
            found.append(features(each, languages, disguised=bool(view.disguise) or veiled, framed=framed))
    return [each for each in found if each]


def _reasons(found: set[str], column: str) -> tuple[str, ...]:
    """Return the reasons of the classes that raise a sentence's score, the gravest first."""
    by_reason: dict[str, set[str]] = {reason: set() for reason in _BY_CLASS.values()}
    for name in found:
        for each in classes(name):
            if reason := _BY_CLASS.get(each):
                by_reason[reason].add(name)
    at = COLUMNS.index(column)
    raising = [reason for reason, names in by_reason.items() if model().share(names, at) > 0]
    return tuple(raising[:_SHOWN]) or (_PLAIN,)


def opens_turn(text: str) -> bool:
    """Whether special tokens of a model open a turn with words in it, as a program that builds a prompt does.

    A token that a text only mentions, or quotes as code, opens none.
    """
    if "<" not in text and "[" not in text:
        return False
    return any(text.count("`", 0, match.start()) % 2 == 0 for match in _TURN.finditer(text))


def is_flood(text: str) -> bool:
    """Whether a text consists mostly of special model tokens."""
    if "<" not in text and "[" not in text:
        return False
    tokens = CONTROL_TOKEN.findall(text)
    return len(tokens) >= FLOOD and sum(map(len, tokens)) * 2 > len(text)


# -- the model -------------------------------------------------------------------------------------

FILE = Path(__file__).parent / "weights.bin"
BUCKETS = 1 << 13
"""2^13, so a bucket is 13 bits of 32: the 19 lowest are dropped."""
DAMPING = 0.4
"""Power of the number of features that a sum is divided by: long sentences have more of them."""
COLUMNS = ("outside", "owner")
_HEAD = 2 * 2 * 4 + 32
_SPREAD = 0x9E3779B1


@dataclass(frozen=True)
class Model:
    """Weights by bucket and column, a bias a column, and the digest of what it was trained on.

    Columns: third-party texts, and the owner's, for which instructions about later answers are harmless.
    """

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    trained_on: bytes = b""

    def scores(self, sentences: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
        """Return the probability of injection of each sentence, given as buckets: one row a column."""
        sizes = np.array([len(each) for each in sentences])
        sums = np.add.reduceat(self.weights[:, np.concatenate(sentences)], np.cumsum(sizes) - sizes, axis=1)
        totals = sums / sizes**DAMPING + self.bias[:, None]
        return 1.0 / (1.0 + np.exp(-totals.astype(np.float64)))

    def share(self, names: Collection[str], column: int) -> float:
        """Return the sum of the weights of some features in a column."""
        return float(self.weights[column, hashed(names)].sum()) if names else 0.0

    def to_bytes(self) -> bytes:
        """Return the file of a model."""
        scale = np.abs(self.weights).max(axis=1).astype("<f4") / 127
        small = np.rint(self.weights / scale[:, None]).astype(np.int8)
        numbers = (scale, self.bias.astype("<f4"), small)
        return b"".join((self.trained_on, *(each.tobytes() for each in numbers)))

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """Read a file of `to_bytes`."""
        scale, bias = np.frombuffer(data[32:_HEAD], dtype="<f4").reshape(2, 2)
        small = np.frombuffer(data[_HEAD:], dtype=np.int8).reshape(2, BUCKETS)
        return cls((small * scale[:, None]).astype(np.float32), bias.astype(np.float32), data[:32])


def hashed(names: Iterable[str]) -> NDArray[np.int64]:
    """Return the buckets of features, each once and in order: sums are the same in every process."""
    crc = zlib.crc32
    buckets = {(crc(name.encode("utf-8", "replace")) * _SPREAD & 0xFFFFFFFF) >> 19 for name in names}
    return np.array(sorted(buckets), dtype=np.int64)


@functools.cache
def model() -> Model:
    """Return the shipped weights."""
    return Model.from_bytes(FILE.read_bytes())


def digest(parts: Iterable[str]) -> bytes:
    """Return the SHA-256 of texts."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return found.digest()


def logit(share: float) -> float:
    """Return the sum that has this probability."""
    return math.log(share / (1.0 - share))
