"""Relations of two short statements that are worth a link: the same in other words, or a contradiction.

More is proposed here than `claims.compare` decides: synonyms, opposites, exclusive values and another word order
are looked up in tables (`meanings.json`). What is proposed is linked and reported. It never skips, hides or
replaces a text, so a wrong proposal costs one wrong edge.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeVar

from combray.language.alignment import Aligned, align, with_derived
from combray.language.contradictions import RESTATED, Related, denial, functional_value, other_value
from combray.language.dates.direction import tells_of_past
from combray.language.folding import is_unspaced
from combray.language.late import late
from combray.language.meaning_tables import Lexicon, known_lexicon, lexicon
from combray.language.meanings import Concept, Meaning, Statement, both_stated, meaning_of
from combray.language.polarity import changes
from combray.language.restatements import features, likelihood, restates
from combray.language.sentences import sentences
from combray.language.tense import tense_of
from combray.language.text import Text, read_once
from combray.language.tokens import term_set

_FEWEST_OF_CLAUSE = 2
_MOST_OWN, _MOST_OWN_UNSPACED = 6, 12
"""Concepts of one statement that the other has in no form: more than a relation ever has."""
_MOST_OF_CLAUSES = 4
"""Words of a statement of several clauses that another lacks: a contradiction adds three and exchanges one."""
_NEARLY = 0.9
"""Probability of a restatement in which a faint word is left over, or one concept covers the other."""
_PAST_BY_WORDS = frozenset(("en", "vi", "zh"))
"""Languages in which `tells_of_past` knows every past: in others an ending may be all that shows it."""
_LEAST = 0.5
"""Probability from which a restatement is returned. Who links it may ask for more."""
_BREAK = late(r"[,;:.!?]\s+\w")
_UNSAID = frozenset(("hypothetical", "quoted", "asked"))
"""Tenses of what a text does not state."""
_AHEAD = frozenset(("present", "planned"))


@read_once
def _tense(text: Text) -> str:
    return tense_of(text.text)


def relation(old: str, new: str) -> Related | None:
    """Return how a new statement relates to an old one; None if the tables say nothing. Never raises."""
    read = _read(old, new)
    if read is None:
        return None
    mine, theirs, known = read
    aligned = align(mine, theirs)
    found = _decided(mine, theirs, aligned, known)
    if found is None:
        if not _is_one_statement(old, new):
            return None
        score = likelihood(mine, theirs, aligned, known)
        if score < _LEAST:
            return None
        found = Related("restates", "probably the same in other words", score=score)
    if found.kind == "restates" and _changes_tense(mine, theirs, with_derived(aligned)):
        return None
    return found if _of_one_time(old, new, found, mine, theirs) else None


def is_one_claim(old: str, new: str) -> bool:
    """Return whether two statements say the same so surely that one may stand for both.

    Stricter than `relation`: in a language whose past is known by its words, nothing left over, both about the
    past or neither, and no word in two forms ("report", "reports"), unless both are past ("written", "wrote").
    """
    read = _read(old, new)
    found = relation(old, new)
    if read is None or found is None or found.kind != "restates" or found.score < 1.0:
        return False
    mine, theirs, _ = read
    if mine.language not in _PAST_BY_WORDS or tells_of_past(old) != tells_of_past(new):
        return False
    return not any(
        _may_be_forms(_words(mine, one), _words(theirs, other))
        and not (tells_of_past(_in_place(mine, one)) and tells_of_past(_in_place(theirs, other)))
        for one, other in with_derived(align(mine, theirs)).common
    )


def _may_be_forms(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether two words differ and may be forms of one: they begin alike."""
    return one != other and not is_unspaced(one[0]) and one[0][:2] == other[0][:2]


def open_pair(old: str, new: str) -> tuple[float, ...] | None:
    """Return the features of two statements whose relation the tables leave open; None if they decide it."""
    read = _read(old, new)
    if read is None:
        return None
    mine, theirs, known = read
    aligned = align(mine, theirs)
    if _decided(mine, theirs, aligned, known) or not _of_one_time(old, new, RESTATED, mine, theirs):
        return None
    if not _is_one_statement(old, new):
        return None
    return features(mine, theirs, aligned, known)


def _read(old: str, new: str) -> tuple[Meaning, Meaning, Lexicon] | None:
    if not may_relate(old, new):
        return None
    words = both_stated(old, new)
    if words is None or not _share_concepts(*words, _unlisted):
        return None
    known = known_lexicon(words[0].language)
    mine, theirs = meaning_of(old, words[0]), meaning_of(new, words[1])
    if not mine.concepts or not theirs.concepts:
        return None
    if mine.topics.isdisjoint(theirs.topics) or not _share_concepts(mine, theirs, _own):
        return None
    if (
        _other_persons(mine, theirs)
        or _then_and_today(mine, theirs, known)
        or _then_and_today(theirs, mine, known)
    ):
        return None
    return mine, theirs, known


def may_relate(old: str, new: str) -> bool:
    """Return whether two texts are worth a comparison: those of several clauses have nearly the same words.

    They would be compared whole. Nearly all texts that a store compares are turns of conversations, and two of
    them hardly ever say the same in other words. Takes some microseconds.
    """
    if not (_has_clauses(old) and _has_clauses(new)):
        return True
    mine, theirs = term_set(old), term_set(new)
    most = max(len(mine), len(theirs))
    if most - min(len(mine), len(theirs)) > _MOST_OF_CLAUSES:
        return False
    return most - len(mine & theirs) <= _MOST_OF_CLAUSES


@read_once
def _has_clauses(text: Text) -> bool:
    """Return whether a text has several clauses. In a script without spaces single characters would be words."""
    return not is_unspaced(text.text) and _BREAK.search(text.text) is not None


def _decided(mine: Meaning, theirs: Meaning, aligned: Aligned, known: Lexicon) -> Related | None:
    """Return what the tables say of the statements, or of one that a clause of the new one contradicts."""
    found = _compared(mine, theirs, aligned, known)
    if found is None and theirs.breaks and not mine.breaks:
        clauses = (_compared(mine, each, align(mine, each), known) for each in _clauses(theirs))
        found = next((each for each in clauses if each is not None and each.kind == "contradicts"), None)
    return found


def _is_one_statement(old: str, new: str) -> bool:
    """Return whether each is one sentence: of two that are said together, words of both would be compared."""
    return len(sentences(old)) == len(sentences(new)) == 1


def _of_one_time(old: str, new: str, found: Related, mine: Meaning, theirs: Meaning) -> bool:
    """Return whether both statements are about the same time, so that the relation says something."""
    tenses = {_tense(old), _tense(new)}
    if found.kind == "restates":
        if set(changes(old)) != set(changes(new)):
            return False
        # "My mother turns 70 in November", "she will be 70".
        return (len(tenses) == 1 and not tenses & _UNSAID) or (tenses == _AHEAD and _dated(mine, theirs))
    if changes(old) or changes(new) or len(tenses) > 1:
        return False
    # What had another value then may have had both.
    return tenses == {"present"} or (tenses == {"past"} and not found.of_value)


def _changes_tense(mine: Meaning, theirs: Meaning, found: Aligned) -> bool:
    """Return whether a verb of both is in the past in one of them only: "lived in Porto", "lives in Porto"."""
    return any(
        tells_of_past(_in_place(mine, one)) != tells_of_past(_in_place(theirs, other))
        for one, other in found.common
        if _words(mine, one) != _words(theirs, other)
    )


def _words(text: Meaning, concept: Concept) -> tuple[str, ...]:
    return text.units[concept.first : concept.last + 1]


def _in_place(text: Meaning, concept: Concept) -> str:
    """Return a concept with the word before it, so that "is closed" does not count as past."""
    return " ".join(text.units[max(concept.first - 1, 0) : concept.last + 1])


def _dated(*texts: Meaning) -> bool:
    """Return whether the texts name the same day or month."""
    known = lexicon(texts[0].language)
    named = (
        {each.key for each in text.concepts if known and each.phrase.classes & known.of_time} for text in texts
    )
    return bool(frozenset.intersection(*map(frozenset, named)))


_Compared = TypeVar("_Compared", Statement, Meaning)


def _share_concepts(mine: _Compared, theirs: _Compared, own: Callable[[_Compared, _Compared], int]) -> bool:
    """Return whether few enough concepts of a statement are its own. Cheap: most near texts are not related."""
    if not mine.units or not theirs.units:
        return False
    most = _MOST_OWN_UNSPACED if is_unspaced(mine.units[0]) else _MOST_OWN
    # Of a new text one clause may be compared.
    return own(mine, theirs) <= most and (bool(theirs.breaks) or own(theirs, mine) <= most)


def _unlisted(text: Statement, other: Statement) -> int:
    """Return the words that are the statement's own and in no table: at least as many concepts are its own."""
    return len(text.unlisted - other.distinct)


def _own(text: Meaning, other: Meaning) -> int:
    topics = other.topics
    return sum(
        each.key not in topics and each.phrase.groups.isdisjoint(topics)
        for each in text.concepts
        if not each.phrase.light
    )


def _clauses(text: Meaning) -> list[Meaning]:
    """Return the clauses of a statement, each with its subject: "the API has no OAuth, only keys"."""
    starts = sorted({0, *text.breaks, len(text.units)})
    found = []
    for start, stop in pairwise(starts):
        # A phrase across the end of a clause ("after, all") is in none.
        inside = tuple(each for each in text.concepts if start <= each.first and each.last < stop)
        if start and inside:
            inside = (text.concepts[0], *inside)
        denied = tuple(each for each in text.negations if start <= each.first < stop)
        if len(inside) >= _FEWEST_OF_CLAUSE:
            found.append(
                text._replace(units=text.units[:stop], concepts=inside, negations=denied, breaks=frozenset())
            )
    return found


def _compared(mine: Meaning, theirs: Meaning, found: Aligned, known: Lexicon) -> Related | None:
    flips = len(found.opposites) + abs(len(found.negations[0]) - len(found.negations[1]))
    if found.values:
        return other_value(mine, theirs, found, known) if flips == 0 else None
    if flips % 2:
        return denial(mine, theirs, found, known)
    if flips == 0:
        functional = functional_value(mine, theirs, found)
        if functional is not None:
            return functional
    if not restates(mine, theirs, found, known):
        return None
    whole = with_derived(found)
    return RESTATED if not (whole.broader or any(whole.left)) else RESTATED._replace(score=_NEARLY)


def _then_and_today(one: Meaning, other: Meaning, known: Lexicon) -> bool:
    """Return whether one says how something was and the other how it is: both can be true."""
    return not known.then.isdisjoint(one.units) and not known.today.isdisjoint(other.units)


def _other_persons(mine: Meaning, theirs: Meaning) -> bool:
    return bool(mine.persons - theirs.persons and theirs.persons - mine.persons)
