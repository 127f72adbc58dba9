"""Score a text for prompt injection: two probabilities, with the reasons in words.

`attack` counts only features that no owner has reason to store. `score` also counts orders about later answers:
"always answer in French" is harmless from the owner and harmful from a web page. With word vectors, a sentence of
a longer text is also scored by its distance from the rest of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from combray.guard.context import FEWEST, NOWHERE, WordVectors, distances, far_features
from combray.guard.disguises import Reading, View, read
from combray.guard.features import ABOUT, MACHINE, features, is_about_answers, orders
from combray.guard.screen import Floors, Sieve, is_quiet
from combray.guard.sentences import Sentence, sentences
from combray.guard.vocabulary import spoken
from combray.guard.weights import Weights, model, raised, reasons, score
from combray.records import dataclass, replace

_TOKENS = re.compile(r"<\|[^|<>\n]{1,40}\|>|\[/?INST\]|<</?SYS>>")
_TURN = re.compile(
    r"(?:^|<\|[^|<>\n]{1,40}\|>)\s*"
    r"(?:<\|im_start\|>\s*(?:system|developer|assistant|user|tool)\b"
    r"|<\|start_header_id\|>\s*(?:system|developer|assistant|user|tool)\s*<\|end_header_id\|>"
    r"|<\|(?:system|developer|assistant|user)\|>|\[INST\]|<<SYS>>)"
    r"[^\w<\[]*\w+[^\w<\[]+\w+",
    re.IGNORECASE | re.MULTILINE,
)
"""A token that opens a turn, at the start of a line or behind another token, and two words of the turn."""
FORGED = 0.87
"""Score of a text that opens such a turn: quarantined from outside, untrusted from an agent."""
OPENS_TURN = "opens a turn of another speaker with special model tokens"
FLOOD = 16
"""Number of special model tokens from which a text that consists mostly of them is rejected."""
SCREENED = 600
"""Characters up to which a text is screened as a whole first. Of longer texts each sentence is screened."""
MANY, SHARE = 3, 0.2
"""Number of sentences of a sort, and their share, from which that sort is usual in a text. A text in which orders
are usual is advice."""
ALL = Floors()
_SPEAKER = re.compile(r"[\s>*_\[-]{0,6}([^\W\d_][^\n:：]{0,30}?)[\]*_ ]{0,4}[:：](?=\s|\S)")
FEWEST_TURNS = 2
"""Lines of a speaker from which a text with another such speaker is a dialogue."""
OF_TALK = frozenset(("question", "impersonal"))
"""Kinds of sentences that are usual in a dialogue."""


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


@dataclass(frozen=True, slots=True)
class Found:
    """The features of a sentence, and its features of distance; None where distances are unknown."""

    present: set[str]
    far: tuple[str, ...] | None = None


def judge(text: str, floors: Floors = ALL, vectors: WordVectors | None = None) -> Judgement:
    """Score a text by its worst sentence, and by whether it opens a turn of a model. Linear in its length.

    Both scores are 0.0 if neither reaches its floor. Otherwise the floors do not affect the result. `vectors`
    are used if the weights were trained on that embedder, in texts of four sentences or more.
    """
    judged = _judge(text, floors, vectors)
    reached = floors.score <= FORGED or judged.score > 0.0 or judged.attack > 0.0
    if judged.score >= FORGED or not reached or not opens_turn(text):
        return judged
    if floors is not ALL:
        # Below the floors the other features were left out.
        return judge(text, ALL, vectors)
    return replace(judged, score=FORGED, reasons=(OPENS_TURN, *judged.reasons))


def opens_turn(text: str) -> bool:
    """Whether special tokens of a model open a turn with words in it, as a program that builds a prompt does.

    A token that a text only mentions, or quotes as code, opens none.
    """
    if "<|" not in text and "[INST]" not in text and "<<SYS>>" not in text:
        return False
    return any(text.count("`", 0, match.start()) % 2 == 0 for match in _TURN.finditer(text))


def _judge(text: str, floors: Floors, vectors: WordVectors | None) -> Judgement:
    short = vectors is None or floors.score > 1.0 or not _is_long(text)
    if floors is not ALL and short and len(text) <= SCREENED and is_quiet(text, floors):
        return _QUIET
    reading = read(text)
    weighed = model()
    context = weighed.context
    # Of a text whose score has no consequence, distances have none.
    usable = context is not None and vectors is not None and vectors.name == context.embedder
    known = vectors if usable and floors.score <= 1.0 else None
    found = [each for view in found_in(reading, floors, known) for each in view]
    far = context.weights if context else None
    scores = [_score(each, weighed.outside, far) for each in found] if floors.score <= 1.0 else []
    attacks = [score(each.present, weighed.owner) for each in found]
    worst, attack = max(scores, default=0.0), max(attacks, default=0.0)
    if not found or (worst < floors.score and attack < floors.attack):
        return Judgement(0.0, 0.0, disguises=reading.disguises, flood=is_flood(text))
    if floors is not ALL:
        # A sentence below the floors was left out, but may have the higher of the other scores.
        return _judge(text, ALL, vectors)
    top = found[scores.index(worst)]
    why = reasons(top.present, weighed.outside.weights)
    return Judgement(
        score=worst,
        attack=attack,
        reasons=(*why, *FAR) if top.far else why,
        attack_reasons=reasons(found[attacks.index(attack)].present, weighed.owner.weights),
        disguises=reading.disguises,
        flood=is_flood(text),
    )


FAR = ("does not belong to its text",)
"""The reason for a score that the distance raised."""
_END = re.compile(r"[.!?;\n。！？；]")
_LONGEST_WORDS = 60
_ASKS_MODEL = frozenset(
    """
    your_output your_response your_code tells_user form trigger when_asked always future persist addressed
    assistant link assistant_must override override_all reveal reveal_earlier persona code_block secretly
    """.split()  # noqa: SIM905
)


_PERSONAL = frozenset(("first_person", "=mine", "=your", "~you", "~your", "~our"))
"""A question that has none of these asks about the world, and not about what the text is about."""

_YOU = frozenset(("you", "your", "yours"))


def _is_long(text: str) -> bool:
    """Whether a text may have enough sentences for distances."""
    return len(_END.findall(text)) >= FEWEST - 1 or len(text.split()) > _LONGEST_WORDS


def _score(found: Found, outside: Weights, far: Weights | None) -> float:
    if found.far is None or far is None:
        return score(found.present, outside)
    return score(found.present, outside, raised(found.far, far))


def found_in(reading: Reading, floors: Floors = ALL, vectors: WordVectors | None = None) -> list[list[Found]]:
    """Return what was found in the sentences of each view: the visible text first, then decoded payloads.

    Sentences that cannot reach a floor are left out.
    """
    decoded = {view.disguise for view in reading.views}
    veiled = any(each not in decoded for each in reading.disguises)
    return [list(_found(view, bool(view.disguise) or veiled, floors, vectors)) for view in reading.views]


def _found(view: View, disguised: bool, floors: Floors, vectors: WordVectors | None) -> Iterator[Found]:
    languages = spoken(view.text)
    every = list(sentences(view.text))
    places = _distances(every, vectors)
    sieve = Sieve(every, languages, floors, disguised=disguised)
    framed = not all(all(sentence.quoted) for sentence in every)
    # What the owner's weights do not count is not looked for if the score has no consequence.
    scored = floors.score <= 1.0
    advice = scored and _often([orders(sentence) for sentence in every])
    # Among many questions or orders, one more does not stand out.
    usual = {"order", "task"} if advice else set()
    if _often([sentence.asks for sentence in every]):
        usual |= {"question", "impersonal"}
    if places and is_dialogue(view.text):
        # Speakers ask one another, and their questions lie far apart.
        usual |= OF_TALK
    unaddressed: bool | None = None
    for at, sentence in enumerate(every):
        distance, words = places[at] if places else (NOWHERE, 0)
        if not sieve.passes(sentence, distance if places else None):
            continue
        if unaddressed is None:
            unaddressed = (
                scored and len(every) >= FEWEST and not any(sieve.holds(each, MACHINE) for each in every)
            )
        about = at > 0 and sieve.holds(every[at - 1], ABOUT)
        present = features(sentence, languages, about_before=about, disguised=disguised, framed=framed)
        if advice:
            present.add("advice")
        if unaddressed and not is_about_answers(present):
            present.add("unaddressed")
        if distance == NOWHERE:
            yield Found(present)
            continue
        kinds = _kinds(present)
        if sentence.asks and kinds.isdisjoint(("task", "asks_model")) and not _YOU.isdisjoint(_stems(sentence)):
            # "Is there anything you'd like to change?" asks its reader, so its subject is anybody's.
            yield Found(present, ())
            continue
        yield Found(present, tuple(far_features(distance, words, kinds - usual)))


def _stems(sentence: Sentence) -> Iterator[str]:
    """Yield the words without what follows an apostrophe ("you'd")."""
    return (word.partition("'")[0] for word in sentence.words)


def is_dialogue(text: str) -> bool:
    """Whether most lines of a text start with the name of one of at least two speakers ("Ana: …")."""
    lines = [line for line in text.split("\n") if line.strip()]
    names = Counter(found[1] for found in map(_SPEAKER.match, lines) if found)
    repeated = [count for count in names.values() if count >= FEWEST_TURNS]
    return len(repeated) >= 2 and 2 * sum(repeated) >= len(lines)


def _often(holds: Sequence[bool]) -> bool:
    return sum(holds) >= max(MANY, SHARE * len(holds))


def _kinds(present: set[str]) -> set[str]:
    """Return what a sentence is besides far: those of `context.WITH` that its features show."""
    kinds = present & {"order", "question", "listed"}
    if "order" in present and "=task" in present:
        kinds.add("task")
    if "question" in present and not present & _PERSONAL:
        kinds.add("impersonal")
    if present & _ASKS_MODEL:
        kinds.add("asks_model")
    return kinds


def _distances(every: Sequence[Sentence], vectors: WordVectors | None) -> list[tuple[float, int]]:
    if vectors is None or len(every) < FEWEST:
        return []
    return distances([sentence.words for sentence in every], vectors)


def is_flood(text: str) -> bool:
    """Whether a text consists mostly of special model tokens."""
    if "<" not in text and "[" not in text:
        return False
    tokens = _TOKENS.findall(text)
    return len(tokens) >= FLOOD and sum(map(len, tokens)) * 2 > len(text)
