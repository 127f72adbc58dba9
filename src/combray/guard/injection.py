"""Score a text for prompt injection: two probabilities, with the reasons in words.

`attack` is the probability of an injection that no owner has reason to store. `score` also counts instructions
about later answers: "always answer in French" is harmless from the owner and harmful from a web page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from combray.guard.disguises import Reading, read
from combray.guard.features import classes, features
from combray.guard.model import COLUMNS, hashed, model
from combray.guard.sentences import sentences
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
