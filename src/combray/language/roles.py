"""Who does what to whom in two statements of the same concepts."""

from __future__ import annotations

from collections.abc import Mapping

from combray.language.alignment import Aligned
from combray.language.claim_tokens import vocabulary
from combray.language.folding import is_unspaced
from combray.language.meaning_tables import NUMBER, Lexicon
from combray.language.meanings import Concept, Meaning

_MOST_ATTRIBUTES = 2
"""Words between a preposition and its noun."""


def same_roles(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> bool:
    """Return whether nobody is swapped: "Lena teaches Omar" is not "Omar teaches Lena"."""
    before, after = (
        [found.common.index(pair) for pair in sorted(found.common, key=lambda pair: pair[side].first)]
        for side in (0, 1)
    )
    voices = fit_in_voice(mine, theirs, found, known)
    if voices is not None:
        return voices
    if before == after:
        return True
    if are_exchanged(mine, theirs, found, known):
        return False
    if len([text for text in (mine, theirs) if known.passive & set(text.units)]) == 1:
        return True
    if _only_measure_moved(found):
        return True
    if _turned(before, after) and all(known.copulas & set(text.units) for text in (mine, theirs)):
        return True  # "X is Y", "Y is X"
    if not keeps_order(found, known):
        return False
    return (not is_swapped(found) and not is_unspaced(mine.units[0])) or any(
        _opens(text, known) for text in (mine, theirs)
    )


def keeps_order(found: Aligned, known: Lexicon) -> bool:
    """Return whether names, relatives and values of a class stand in the same order, times aside."""
    fixed = [
        pair
        for pair in found.common
        if (pair[0].name or pair[1].name or pair[0].phrase.kin or pair[0].phrase.classes)
        and not _of_time(pair[0], known)
    ]
    one, other = (sorted(fixed, key=lambda pair: pair[side].first) for side in (0, 1))
    return one == other


def are_exchanged(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> bool:
    """Return whether two concepts have each other's role: "from here to there", "from there to here"."""
    roles = _both_roles(mine, theirs, found, known)
    changed = {pair for pair in roles if pair[0] != pair[1]}
    return any((new, old) in changed for old, new in changed)


def goes_another_way(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> bool:
    """Return whether a common concept has opposite roles: "the train to Basel", "the train from Basel".

    A preposition that ends one of two opposites says nothing more: "close to Basel", "far from Basel".
    """
    texts = (mine, theirs)
    said = {text.units[each.last] for pair in found.opposites for each, text in zip(pair, texts, strict=True)}
    return any(
        frozenset(roles) in known.ways and said.isdisjoint(roles)
        for roles in _both_roles(mine, theirs, found, known)
    )


def keeps_bare_order(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> bool:
    """Return whether what has no preposition in either text is in one order but for one word, such as the verb.

    "The client calls the server" and "The server calls the client" differ in more.
    """
    roles = _both_roles(mine, theirs, found, known)
    bare = [pair for pair, role in zip(_placed(found, known), roles, strict=True) if role == ("", "")]
    bare.sort(key=lambda pair: pair[0].first)
    order = [pair[1].first for pair in bare]
    if order == sorted(order):
        return True
    if len(bare) == 2:
        # A verb and its noun may change places; between two nouns there is another word.
        return any(_beside(bare[0][side], bare[1][side], text, known) for side, text in ((0, mine), (1, theirs)))
    shorter = (order[:place] + order[place + 1 :] for place in range(len(order)))
    return any(each == sorted(each) for each in shorter)


def _beside(one: Concept, other: Concept, text: Meaning, known: Lexicon) -> bool:
    between = text.units[min(one.last, other.last) + 1 : max(one.first, other.first)]
    return all(unit in known.determiners or unit in known.indefinite for unit in between)


def _placed(found: Aligned, known: Lexicon) -> list[tuple[Concept, Concept]]:
    """Return the common concepts but times and the words right before them: "every Monday"."""
    days = {pair[0].first for pair in found.common if _of_time(pair[0], known)}
    return [pair for pair in found.common if days.isdisjoint((pair[0].first, pair[0].last + 1))]


def _both_roles(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> list[tuple[str, str]]:
    return [(_role(one, mine, known), _role(other, theirs, known)) for one, other in _placed(found, known)]


def _role(concept: Concept, text: Meaning, known: Lexicon) -> str:
    """Return the preposition in front of the words that a concept stands in; "" for a subject or an object."""
    ends = {each.last: each for each in text.concepts}
    place = _start(concept, text, ends, known)
    while place > 0 and text.units[place] in known.joining and place - 1 in ends:
        place = _start(ends[place - 1], text, ends, known)
    return text.units[place] if place >= 0 and text.units[place] in known.prepositions else ""


def _start(concept: Concept, text: Meaning, ends: Mapping[int, Concept], known: Lexicon) -> int:
    """Return the place in front of the noun phrase that a concept ends, or stands in."""
    place = concept.first - 1
    for _ in range(_MOST_ATTRIBUTES if NUMBER not in concept.phrase.classes else 0):
        before = ends.get(place)
        if before is None or text.units[place] in known.prepositions:
            break
        place = before.first - 1
        if NUMBER in before.phrase.classes:
            break
    while place >= 0 and text.units[place] in known.determiners | known.indefinite:
        place -= 1
    return place


def is_swapped(found: Aligned) -> bool:
    """Return whether the first common concept of one is not the first of the other."""
    if len(found.common) < 2:
        return False
    first = [min(found.common, key=lambda pair, side=side: pair[side].first) for side in (0, 1)]  # type: ignore[misc]
    return first[0] != first[1]


def fit_in_voice(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> bool | None:
    """Return whether one is the other's passive: "We store it", "It is stored"; None if both have one voice.

    What stands before the verb of the passive stands behind that of the active voice.
    """
    for active, passive, side in ((mine, theirs, 0), (theirs, mine, 1)):
        for pair in found.common:
            verb, done = pair[side], pair[1 - side]
            if NUMBER in verb.phrase.classes:
                continue
            if verb.key != done.key or not is_passive(done, passive, known) or is_passive(verb, active, known):
                continue
            if verb.first and active.units[verb.first - 1] in known.determiners:
                continue  # a noun
            subject = [each for each in found.common if each[1 - side].last < done.first]
            if subject and all(each[side].first > verb.last for each in subject):
                return True
            if _has_object(verb, active, known):
                return False
    return None


def is_passive(verb: Concept, text: Meaning, known: Lexicon) -> bool:
    """Return whether a verb stands behind "is", "was" or "is not" and is no form in "-ing"; English alone."""
    before = [unit for unit in text.units[max(0, verb.first - 2) : verb.first] if unit not in known.negating]
    copula = bool(before) and before[-1] in known.copulas
    return text.language == "en" and copula and not text.units[verb.last].endswith("ing")


def _has_object(verb: Concept, text: Meaning, known: Lexicon) -> bool:
    """Return whether a noun or a pronoun stands right behind a verb."""
    behind = verb.last + 1
    if behind >= len(text.units):
        return False
    starts = any(each.first == behind for each in text.concepts)
    unit = text.units[behind]
    person = vocabulary().pronouns.get(unit, "").startswith(known.code)
    return starts or person or unit in known.determiners | known.indefinite


def _only_measure_moved(found: Aligned) -> bool:
    """Return whether but for a number and its unit all is in the same order: "It takes two hours to cook"."""
    measured: set[int] = set()
    for place, (one, other) in enumerate(found.common):
        if NUMBER in one.phrase.classes and NUMBER in other.phrase.classes:
            units = (
                at
                for at, (a, b) in enumerate(found.common)
                if (a.first, b.first) == (one.last + 1, other.last + 1)
            )
            measured |= {place, *units}
    if not measured or len(measured) == len(found.common):
        return False
    for inside in (True, False):
        kept = [pair for place, pair in enumerate(found.common) if (place in measured) is inside]
        if sorted(kept, key=lambda pair: pair[0].first) != sorted(kept, key=lambda pair: pair[1].first):
            return False
    return True


def _turned(before: list[int], after: list[int]) -> bool:
    """Return whether both halves changed places."""
    return any(before[cut:] + before[:cut] == after for cut in range(1, len(before)))


def _opens(text: Meaning, known: Lexicon) -> bool:
    """Return whether a statement begins with a phrase of time or place."""
    return text.units[0] in known.adjunct or _of_time(text.concepts[0], known)


def _of_time(concept: Concept, known: Lexicon) -> bool:
    return bool(concept.phrase.classes & known.of_time)


def is_attributive(concept: Concept, text: Meaning, known: Lexicon) -> bool:
    """Return whether a word only says which thing is meant: "the red folder", "my old bike", 蓝色的箱子."""
    after = concept.last + 1
    if after >= len(text.units):
        return False
    if text.language == "zh":
        # At the end it belongs to 是: 门是开着的.
        return text.units[after] == "的" and after + 1 < len(text.units)
    if not known.copulas.isdisjoint(text.units[: concept.first]):
        return False
    starts = any(each.first == after for each in text.concepts)
    before = text.units[concept.first - 1] if concept.first else ""
    return starts and (before in known.determiners or (concept.first == 0 and not concept.phrase.anywhere))


def leads(concept: Concept, text: Meaning) -> bool:
    """Return whether a concept is the subject of its text: nothing but articles stands in front of it."""
    known = vocabulary()
    spoken = any(unit in known.pronouns and unit not in known.definite for unit in text.units[: concept.first])
    return concept == text.concepts[0] and not spoken
