"""Features of a sentence: n-grams over its words and over their classes, as strings.

A class is a set of words that mean the same to the guard in every language ("ignore", "rules", "prior"), so a
paraphrase or a translation has the same n-grams of classes. `model.py` hashes and weighs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from combray.guard.sentences import Sentence
from combray.guard.vocabulary import GuardVocabulary, meant

SPAN = 8
"""Maximum distance in words of a pair of classes."""
_ORDERS = frozenset("ignore edit task act send reveal store bypass tell directive".split())  # noqa: SIM905
"""Classes that make a clause an order if it starts with one of their words."""
_CLAUSES = ("pause", "colon", "always", "must", "urgent")
"""Tokens and classes after which a clause may start."""
_UNPAIRED = frozenset(("pause", "reported", "first"))
_HEEDABLE = frozenset(("ignore", "bypass", "unbound"))
"""Classes whose words mean the contrary behind a negation (class "heed"): "don't forget the instructions"."""

Places = dict[str, list[tuple[int, int]]]


def features(
    sentence: Sentence, languages: Sequence[GuardVocabulary], *, disguised: bool = False, framed: bool = True
) -> set[str]:
    """Return the features of a sentence, each once.

    `disguised`: the text was hidden. `framed`: the text has words outside its quotation marks; a text that is one
    quotation reports nothing.
    """
    words = [part for word in sentence.words for part in meant(word)]
    places = _places(words, sentence, languages)
    found = {f"~{word}" for word in words if word}
    found.update([f"~{one} {other}" for one, other in pairwise(words) if one and other])
    found.update(_of_classes(places))
    flags = {
        "disguised": disguised,
        "question": sentence.asks,
        "quoted": framed and not sentence.keyed and _quoted(sentence.quoted),
        "listed": sentence.listed,
    }
    found.update([f"!{name}" for name, holds in flags.items() if holds])
    return found


def classes(feature: str) -> tuple[str, ...]:
    """Return the classes of a feature; () for one of words."""
    return () if feature[0] in "~!" else tuple(feature.lstrip("=^").split(">"))


def _places(words: list[str], sentence: Sentence, languages: Sequence[GuardVocabulary]) -> Places:
    """Return where each class of words stands, and each kind of token."""
    places: Places = {kind: list(found) for kind, found in sentence.others.items()}
    for each in languages:
        each.find(words, places)
    heeded = places.get("heed", ())
    for name in _HEEDABLE.intersection(places) if heeded else ():
        places[name] = [at for at in places[name] if not any(low <= at[0] <= high for low, high in heeded)]
    return places


def _of_classes(places: Places) -> Iterator[str]:
    """Yield each class ("=bots"), each that starts a clause ("^bots"), and each ordered pair ("bots>sayas")."""
    starts = {0, *(end + 1 for name in _CLAUSES for _, end in places.get(name, ()))}
    found = sorted((start, end, kind) for kind, where in places.items() for start, end in where)
    for at, (start, end, kind) in enumerate(found):
        yield f"={kind}"
        if start in starts:
            yield f"^{kind}"
            if kind in _ORDERS:
                yield "^order"
                if start == 0:
                    yield "^imperative"
        if kind in _UNPAIRED:
            continue
        for later, _, other in found[at + 1 :]:
            if later > end + SPAN:
                break
            if later > end and other != kind and other not in _UNPAIRED:
                yield f"{kind}>{other}"


def _quoted(quoted: Sequence[bool]) -> bool:
    """Whether most of a sentence is quoted, or it starts outside of a quotation of two words or more."""
    return sum(quoted) * 2 > len(quoted) or (sum(quoted) > 1 and not quoted[0])
