"""What of a sentence speaks for an order to a model, and what against: features with readable reasons.

A feature is a few word classes near one another, in any order: paraphrases and languages that put the verb last
are the same feature. None is a verdict; `detecting.py` weighs them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from combray.guard.sentences import Sentence
from combray.guard.vocabulary import Vocabulary, meant

Places = dict[str, list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A feature that is there when all classes stand within `span` words of the first one.

    `steering`: it tells how to answer, which the owner may; the others nobody asks of a memory. `ordered`: each
    class stands behind the one before it.
    """

    name: str
    classes: tuple[str, ...]
    span: int
    reason: str
    steering: bool = False
    ordered: bool = False


RULES: tuple[Rule, ...] = (
    Rule("override", ("ignore", "rules", "prior"), 7, "tells to ignore earlier instructions"),
    Rule("override_all", ("ignore", "told"), 6, "tells to forget all that came before"),
    Rule("new_rules", ("newrules",), 0, "announces new instructions"),
    Rule("persona", ("persona",), 0, "gives the model another role"),
    Rule("unbound", ("unbound",), 0, "speaks of a model without limits"),
    Rule("persona_unbound", ("persona", "unbound"), 25, "gives the model a role without limits"),
    Rule("bypass", ("bypass", "safety"), 6, "tells to switch safety off"),
    Rule("reveal", ("reveal", "sysprompt"), 8, "asks for the system prompt"),
    Rule("sends_private", ("send", "private"), 12, "tells to send something private"),
    Rule("exfiltration", ("send", "private", "anywhere"), 25, "tells to send something private to an address"),
    Rule("markup", ("markup",), 0, "holds special tokens of a model"),
    Rule("role_line", ("role",), 0, "begins as a system message"),
    Rule("tool_call", ("tool",), 0, "holds the markup of a tool call"),
    Rule("secretly", ("secretly",), 0, "wants it kept from the user"),
    Rule("hides", ("nay", "telling", "user"), 6, "says what not to tell the user", ordered=True),
    Rule("authority", ("authority",), 0, "claims authority"),
    Rule("your_output", ("your", "output"), 3, "is about the model's own answer", steering=True, ordered=True),
    Rule(
        "your_response",
        ("your", "generated"),
        3,
        "is about what the model generates",
        steering=True,
        ordered=True,
    ),
    Rule("your_code", ("your", "codething"), 3, "is about the code to be written", steering=True, ordered=True),
    Rule("code_block", ("codeblock",), 0, "brings code to be taken over", steering=True),
    Rule("tells_user", ("tell", "user"), 4, "says what to tell the user", steering=True, ordered=True),
    Rule("form", ("edit", "letters"), 6, "changes the letters or the form of what is said", steering=True),
    Rule("trigger", ("when", "ask"), 8, "waits for a question", steering=True, ordered=True),
    Rule("when_asked", ("whenasked",), 0, "waits for the moment of answering", steering=True),
    Rule("always", ("always", "directive"), 4, "says what to do always or never", steering=True),
    Rule("future", ("future",), 0, "is meant for all later answers", steering=True),
    Rule("persist", ("store", "memory"), 8, "wants to be kept in memory for good", steering=True),
    Rule("addressed", ("addressed",), 0, "speaks to the model", steering=True),
    Rule("assistant", ("assistant",), 0, "names the assistant"),
    Rule("must", ("must",), 0, "demands"),
    Rule("urgent", ("urgent",), 0, "presses"),
    Rule("link", ("edit", "link"), 5, "wants a link put in", steering=True),
    Rule("address", ("address",), 0, "gives an address"),
    Rule(
        "assistant_must", ("assistant", "modal", "deed"), 6, "says what an assistant must do", True, ordered=True
    ),
    Rule("acts", ("act", "acted"), 6, "wants something done outside"),
)
"""Sources: OWASP LLM01, BIPIA's categories, the ten patterns of upstream-notes.md 5.2."""

_BY_FIRST: Mapping[str, tuple[Rule, ...]] = {
    first: tuple(rule for rule in RULES if rule.classes[0] == first)
    for first in {rule.classes[0] for rule in RULES}
}
"""Most sentences hold few classes: only rules that begin with one of them are looked at."""

_JOINED: tuple[tuple[str, str], ...] = (
    ("trigger_order", "says how to answer when asked about something"),
    ("future_order", "orders what all later answers are to be"),
    ("imperative_output", "orders what goes into the answer"),
    ("task", "is a task for the reader"),
    ("order_assistant", "gives the model an order"),
)
OPENERS = ("ignore", "edit", "task", "act", "send", "reveal", "store", "bypass", "tell")
"""Classes of words that make a sentence an order when it begins with one."""
EITHER: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "deed": tuple((name,) for name in (*OPENERS, "directive")),
    "anywhere": (("address",), ("place",)),
    "cue": (("when", "ask"), ("whenasked",)),
}
"""Classes that are there when all classes of one of several ways are there."""
NEEDS: Mapping[str, tuple[str, ...]] = {
    **{rule.name: rule.classes for rule in RULES},
    "imperative": ("deed",),
    "task": ("deed", "task", "product"),
    "trigger_order": ("deed", "cue"),
    "future_order": ("deed", "future"),
    "order_assistant": ("deed", "addressed"),
    "imperative_output": ("deed", "your", "output"),
    "disguised": ("disguised",),
}
"""Classes without which a feature cannot be there; a feature that is not named here may always be there."""
KINDS = ("address", "colon", "markup", "pause", "role", "tool")
"""What `sentences.py` marks among the words."""
_UNPAIRED = frozenset(("deed", "anywhere", "pause", "reported", "first"))
WORD = "~"
"""What the name of the feature of a single English word begins with: "~notebook"."""
_SHORTEST = 3
"""Letters of a word that is a feature."""
SPAN = 8
"""Words within which one class stands behind another."""
_SKIPPED = (
    "must",
    "urgent",
    "always",
    "secretly",
    "assistant",
    "addressed",
    "whenasked",
    "role",
    "markup",
    "pause",
    "colon",
    "bots",
    "hint",
)
"""What may stand before an order: "Important: please …"."""
NAMES: tuple[str, ...] = (
    *(rule.name for rule in RULES),
    *(name for name, _ in _JOINED),
    "imperative",
    "disguised",
    "quoted",
    "about",
    "about_before",
    "first_person",
    "reported",
    "question",
)
REASONS: Mapping[str, str] = {
    **{rule.name: rule.reason for rule in RULES},
    **dict(_JOINED),
    "imperative": "is an order",
    "disguised": "was hidden",
}
STEERING: frozenset[str] = frozenset(
    (*(rule.name for rule in RULES if rule.steering), *(name for name, _ in _JOINED))
)


AGAINST = frozenset(("quoted", "about", "about_before", "first_person", "reported", "question"))
"""Features that may only speak for a text."""
_HARMLESS = frozenset(("about", "human"))
_EITHER_WAY = frozenset(("mine",))
_ATTACKING = frozenset(
    """
    ignore rules prior told newrules persona unbound bypass safety reveal sysprompt send private address place
    markup role tool secretly nay telling user authority act acted obey voided whole agentdo about human mine
    assistant bots colon urgent money nocheck
    """.split()  # noqa: SIM905
)
"""Classes that the owner's own texts are judged by, too."""


def classes_of(name: str) -> tuple[str, ...]:
    """The classes that a feature is made of; () for one that has a name of its own."""
    if name[0] in "=^":
        return (name[1:],)
    return tuple(name.split(">")) if ">" in name else ()


def signs(name: str) -> tuple[bool, bool]:
    """Whether a feature may speak for a text, and whether it may speak against it."""
    of = classes_of(name)
    if name[0] == WORD or _EITHER_WAY.intersection(of):
        return True, True
    return (True, False) if name in AGAINST or _HARMLESS.intersection(of) else (False, True)


def is_attacking(name: str) -> bool:
    """Whether a feature counts for the owner's own texts: none of an order about answers does."""
    of = classes_of(name)
    return _ATTACKING.issuperset(of) if of else name not in STEERING and name[0] != WORD


def features(
    sentence: Sentence, languages: Sequence[Vocabulary], *, before: Collection[str], disguised: bool
) -> set[str]:
    """Names of the features of a sentence; `before`: those of the sentence before it."""
    words = [part for word in sentence.words for part in meant(word)]
    places: Places = {kind: list(found) for kind, found in sentence.others.items()}
    for each in languages:
        each.find(words, places)
    places["deed"] = [place for name in (*OPENERS, "directive") for place in places.get(name, ())]
    if "address" in places or "place" in places:
        places["anywhere"] = [*places.get("address", ()), *places.get("place", ())]
    present = {rule.name for kind in places for rule in _BY_FIRST.get(kind, ()) if _holds(rule, places)}
    imperative = _opens(places)
    if imperative:
        present.add("imperative")
    if imperative and "product" in places and "task" in places:
        present.add("task")
    order = imperative or _opens_clause(places)
    if order and present & {"trigger", "when_asked"}:
        present.add("trigger_order")
    if order and "future" in present:
        present.add("future_order")
    if order and "addressed" in present:
        present.add("order_assistant")
    if imperative and "your_output" in present:
        present.add("imperative_output")
    if disguised:
        present.add("disguised")
    if "=about" in before:
        present.add("about_before")
    if "about" in places:
        present.add("about")
    if "first" in places:
        present.add("first_person")
    if "reported" in places:
        present.add("reported")
    if sentence.asks:
        present.add("question")
    if not sentence.keyed and _quoted(sentence, imperative):
        present.add("quoted")
    present.update(_pairs(places))
    present.update(map(word_feature, words))
    present.discard("")
    return present


def word_feature(word: str) -> str:
    """The feature of a word of its own; of what is short, a number or in another script there is none: ""."""
    return WORD + word if len(word) >= _SHORTEST and word.isascii() and word.isalpha() else ""


def _pairs(places: Places) -> Iterator[str]:
    """Each class ("=bots"), each that begins the sentence ("^bots"), and each before another ("bots>sayas")."""
    found = sorted(
        (start, end, kind) for kind, where in places.items() if kind not in _UNPAIRED for start, end in where
    )
    for at, (start, end, kind) in enumerate(found):
        yield f"={kind}"
        if start == 0:
            yield f"^{kind}"
        for later, _, other in found[at + 1 :]:
            if later > end + SPAN:
                break
            if later > end and other != kind:
                yield f"{kind}>{other}"


def _holds(rule: Rule, places: Places) -> bool:
    first = places[rule.classes[0]]
    if len(rule.classes) == 1:
        return True
    rest = [places.get(name) for name in rule.classes[1:]]
    if any(each is None for each in rest):
        return False
    return any(all(_near(place, each or [], rule) for each in rest) for place in first)


def _near(place: tuple[int, int], others: list[tuple[int, int]], rule: Rule) -> bool:
    start, end = place
    if rule.ordered:
        return any(0 < other - end <= rule.span for other, _ in others)
    return any(other != start and -rule.span <= other - end <= rule.span for other, _ in others)


def _opens(places: Places, first: int = 0) -> bool:
    """Whether an order begins at a place, perhaps behind a call for attention."""
    starts = {start for start, _ in places["deed"]}
    skipped = sorted({place for name in _SKIPPED for place in places.get(name, ())})
    for start, end in skipped:
        if first in starts:
            return True
        if start <= first <= end:
            first = end + 1
    return first in starts


def _opens_clause(places: Places) -> bool:
    """Whether an order begins behind a comma or colon, or behind "always" or "must"."""
    return any(
        _opens(places, end + 1)
        for name in ("pause", "colon", "always", "must")
        for _, end in places.get(name, ())
    )


def _quoted(sentence: Sentence, imperative: bool) -> bool:
    """Whether most of it stands in quotation marks, or a statement quotes something: an order may quote too."""
    quoted = sum(sentence.quoted)
    return quoted * 2 > len(sentence.quoted) or (quoted >= 2 and not sentence.quoted[0] and not imperative)
