"""Short statements as lists of concepts: phrases of one meaning match.

Read only by `relations`, which proposes and never decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from combray.language.caches import from_tables
from combray.language.claim_tokens import vocabulary
from combray.language.folding import is_unspaced, plain, runs
from combray.language.lexicon import word_lists
from combray.language.meaning_tables import (
    CLITIC,
    NUMBER,
    UNIT,
    Lexicon,
    Phrase,
    key_of,
    known_lexicon,
    lexicon,
    lowered,
    meaning_table,
)
from combray.language.scripts import language, language_of_both
from combray.language.text import Text, read_once

MOST_UNITS = 40
"""Words of a statement up to which its concepts are read. A longer text says more than one thing."""
_BREAKS = frozenset(",;:.!?，。；！？：")
_PIECE = re.compile(f"{UNIT.pattern}|[{''.join(sorted(_BREAKS))}]")
_INSIDE = re.compile(r"(?<![.!?] )(?<!^)\b[^\W\d_]+")
"""Words that do not begin a sentence."""
_DIGIT = re.compile(r"\d")
_NOON = 12
_ZH_NUMBER = re.compile(r"[零一二两三四五六七八九十百]+")


class Concept(NamedTuple):
    """A phrase of a statement with its place: first and last unit. `name`: it is spelt as a name."""

    phrase: Phrase
    first: int
    last: int
    name: bool

    @property
    def key(self) -> str:
        """The key by which two concepts are the same."""
        return self.phrase.key


class Meaning(NamedTuple):
    """A statement as concepts. `units` are its words, `persons` the persons that pronouns name."""

    language: str
    units: tuple[str, ...]
    concepts: tuple[Concept, ...]
    negations: tuple[Concept, ...]
    functional: tuple[int, ...]
    """Places after which the value of a property stands."""
    breaks: frozenset[int]
    """Places in front of which a clause begins."""
    persons: frozenset[str]
    topics: frozenset[str | int]
    """Keys and groups of the concepts: two statements without a common one have nothing to do with each other."""


def _clock(spelt: str, code: str) -> str:
    """Return the text with spoken clock times as digits: "half past five" as "5:30", "2 pm" as "14"."""
    table = meaning_table(code)
    numbers = _numbers(code)
    if not is_unspaced(spelt) and not _DIGIT.search(spelt) and numbers.keys().isdisjoint(runs(spelt)):
        return spelt

    def value(word: str) -> str:
        return _chinese(word) if is_unspaced(word) else numbers.get(word, word)

    def hour(found: re.Match[str]) -> str:
        whole, _, minutes = value(found[1]).partition(":")
        if not whole.isdigit():
            return found[0]
        late = found[2].startswith("p") and int(whole) < _NOON
        return f"{int(whole) + _NOON * late}{f':{minutes}' if minutes else ''}"

    for spoken, offset, minutes in table.clock:
        spelt = spoken.sub(
            lambda found, more=offset, past=minutes: (  # type: ignore[misc]
                f"{int(value(found[1])) + more}:{past}" if value(found[1]).isdigit() else found[0]
            ),
            spelt,
        )
    return spelt if table.meridiem is None else table.meridiem.sub(hour, spelt)


def _chinese(digits: str) -> str:
    if digits.isdigit():
        return digits
    if not any(each in digits for each in "十百"):
        return "".join(_numbers("zh").get(each, each) for each in digits)
    total = current = 0
    for each in digits:
        value = int(_numbers("zh").get(each, "0"))
        if value >= 10:
            total += (current or 1) * value
            current = 0
        else:
            current = value
    return str(total + current)


@from_tables
def _all_numbers() -> dict[str, Mapping[str, str]]:
    found: dict[str, Mapping[str, str]] = {}
    for code, table in word_lists().items():
        spelt = {plain(word): value.rstrip("stndrh") for word, value in table.claims.numbers.items()}
        found[code] = spelt or {word: str(place) for place, word in enumerate(meaning_table(code).numbers, 1)}
    return found


def _numbers(code: str) -> Mapping[str, str]:
    return _all_numbers().get(code, {})


class Statement(NamedTuple):
    """The words of a statement, read before its concepts: they show that most near texts are not related."""

    language: str
    units: tuple[str, ...]
    keys: tuple[str, ...]
    breaks: frozenset[int]
    """As in `Meaning`."""
    distinct: frozenset[str]
    """The keys."""
    unlisted: frozenset[str]
    """Keys in no phrase of the table. Each is a concept that only a statement with the same key shares."""


@read_once
def statement(text: Text) -> Statement | None:
    """Return the words of a statement; None if its language has no table, or it has more than `MOST_UNITS`."""
    return _statement_in(text.text, language(text.text))


@read_once
def _concepts(text: Text) -> Meaning | None:
    words = statement(text)
    return None if words is None else _read(words, _capitals(text.text))


def both_stated(old: str, new: str) -> tuple[Statement, Statement] | None:
    """Return two texts as statements of one language; None if `statement` has nothing for one of them.

    A short text alone may be taken for another language's.
    """
    code = language_of_both(old, new)
    mine = _stated_in(old, code)
    theirs = None if mine is None else _stated_in(new, code)
    return None if mine is None or theirs is None else (mine, theirs)


def meaning_of(text: str, words: Statement) -> Meaning:
    """Return a text as concepts, from its words as `both_stated` gives them."""
    known = _concepts(text) if words is statement(text) else None
    return known or _read(words, _capitals(text))


def _stated_in(text: str, code: str) -> Statement | None:
    own = language(text)
    if own == code:
        return statement(text)
    return _statement_in(text, code) if lexicon(own) is not None else None


def _statement_in(text: str, code: str) -> Statement | None:
    known = lexicon(code)
    if known is None:
        return None
    spelt = _clock(lowered(text, code), code)
    if code == "zh":
        spelt = _ZH_NUMBER.sub(lambda found: _chinese(found[0]) if found[0] != "一" else found[0], spelt)
    units: list[str] = []
    breaks: set[int] = set()
    for piece in _PIECE.findall(spelt):
        if piece in _BREAKS:
            breaks.add(len(units))
        else:
            units.append(CLITIC.sub("", piece) if code == "en" and "'" in piece else piece)
    if len(units) > MOST_UNITS:
        return None
    breaks.discard(len(units))
    keys = tuple([key_of(unit, code) for unit in units])
    numbers, pronouns = _numbers(code), vocabulary().pronouns
    unlisted = frozenset(
        key
        for unit, key in zip(units, keys, strict=True)
        if key not in known.units and unit not in pronouns and unit not in numbers and key.isalpha()
    )
    return Statement(code, tuple(units), keys, frozenset(breaks), frozenset(keys), unlisted)


def _capitals(text: str) -> set[str]:
    return {plain(word) for word in _INSIDE.findall(text) if word[:1].isupper() and len(word) > 1}


def _read(words: Statement, capitals: set[str]) -> Meaning:
    known, units, keys = known_lexicon(words.language), words.units, words.keys
    concepts: list[Concept] = []
    negations: list[Concept] = []
    functional: list[int] = []
    for place, key in enumerate(keys):
        # A functional phrase may hold words that are concepts too, so it is looked up apart.
        for phrase_units in known.functional.get(key, ()):
            if keys[place : place + len(phrase_units)] == phrase_units:
                functional.append(place + len(phrase_units))
                break
    place = 0
    numbers = _numbers(known.code)
    pronouns = vocabulary().pronouns
    persons = {
        pronouns[unit]
        for place, unit in enumerate(units)
        if unit in pronouns and pronouns[unit].startswith(known.code) and not _owns_kin(known, units, keys, place)
    }
    while place < len(keys):
        number, length = None, 1
        if units[place] in numbers or units[place][0].isdigit():
            number, length = _number(known.code, units, place, numbers)
        phrase = None
        if number is None:
            for length in known.lengths.get(keys[place], ()):
                if place + length > len(keys):
                    continue
                phrase = known.phrases.get(keys[place : place + length])
                if phrase is not None and not _only_functional(phrase) and not _cuts(known, keys, place, length):
                    break
                phrase = None
            length = length if phrase is not None else 1
            phrase = phrase or Phrase(keys[place])
        else:
            phrase = Phrase(number, classes=frozenset((NUMBER,)))
        name = units[place] in capitals
        concept = Concept(phrase, place, place + length - 1, name)
        if phrase.negates and length == 1 and units[place] not in known.negating:
            # "hard" has the stem of "hardly".
            concept = concept._replace(phrase=phrase._replace(negates=False))
        if concept.phrase.negates:
            negations.append(concept)
        elif units[place] not in pronouns and not (phrase.light and not (phrase.one_side or phrase.other_side)):
            concepts.append(concept)
        place += length
    return Meaning(
        known.code,
        units,
        tuple(concepts),
        tuple(negations),
        tuple(functional),
        words.breaks,
        frozenset(persons),
        _topics(known, units, keys, concepts),
    )


def _topics(
    known: Lexicon, units: Sequence[str], keys: Sequence[str], concepts: Sequence[Concept]
) -> frozenset[str | int]:
    """Return the keys and groups of the concepts, and the words of phrases that another text may have alone."""
    topics: set[str | int] = {each.key for each in concepts if not each.phrase.light}
    for each in concepts:
        topics |= each.phrase.groups
        if each.last > each.first:
            inside = range(each.first, each.last + 1)
            topics.update(keys[place] for place in inside if _stands_alone(known, units[place], keys[place]))
    return frozenset(topics)


def _stands_alone(known: Lexicon, unit: str, key: str) -> bool:
    """Return whether a word of a phrase means something without it."""
    alone = known.phrases.get((key,))
    return unit not in known.negating and (alone is None or not alone.light) and not is_unspaced(unit)


def taken_apart(text: Meaning, phrases: Sequence[Concept], topics: frozenset[str | int]) -> Meaning:
    """Return a statement with those phrases as single words of which another statement has one alone.

    A phrase that negates stays whole, and one in a script without spaces.
    """
    known = lexicon(text.language)
    if known is None:
        return text
    concepts: list[Concept] = []
    for each in text.concepts:
        words = range(each.first, each.last + 1)
        keys = [key_of(text.units[place], text.language) for place in words]
        if (
            len(words) == 1
            or each not in phrases
            or topics.isdisjoint(keys)
            or any(text.units[place] in known.negating for place in words)
        ):
            concepts.append(each)
        else:
            concepts += [
                Concept(_alone(known, text.units, place, key), place, place, each.name)
                for place, key in zip(words, keys, strict=True)
                if _stands_alone(known, text.units[place], key)
            ]
    return text if concepts == list(text.concepts) else text._replace(concepts=tuple(concepts))


def _alone(known: Lexicon, units: Sequence[str], place: int, key: str) -> Phrase:
    number, _ = _number(known.code, units, place, _numbers(known.code))
    if number is not None:
        return Phrase(number, classes=frozenset((NUMBER,)))
    return known.phrases.get((key,), Phrase(key))


def _owns_kin(known: Lexicon, units: Sequence[str], keys: Sequence[str], place: int) -> bool:
    """Return whether a pronoun only says whose relative is meant: "my mother" is "mum"."""
    following = known.phrases.get(tuple(keys[place + 1 : place + 2]))
    return units[place] in known.determiners and following is not None and following.kin


def _cuts(known: Lexicon, keys: Sequence[str], place: int, length: int) -> bool:
    """Return whether a phrase cuts off what is negated (不同|意 for 不|同意) or a value (每周|日)."""
    if length == 1 or not is_unspaced(keys[place]):
        return False
    last = place + length - 1
    for more in known.lengths.get(keys[last], ()):
        if more == 1 or last + more > len(keys):
            continue
        value = known.phrases.get(tuple(keys[last : last + more]))
        if value is not None and value.classes:
            return True
    if keys[place] not in known.negating:
        return False
    inside = place + 1, place + length
    denied = known.phrases.get(tuple(keys[inside[0] : inside[1] + 1]))
    return denied is not None and bool(denied.groups or denied.one_side or denied.other_side)


def _only_functional(phrase: Phrase) -> bool:
    return phrase.functional and phrase == Phrase(phrase.key, functional=True)


def _number(code: str, units: Sequence[str], place: int, numbers: Mapping[str, str]) -> tuple[str | None, int]:
    """Return the number that starts at a place, and its units; None for none."""
    unit = units[place]
    if unit[0].isdigit():
        unit = unit.rstrip("stndrh")
        digits = unit.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+", unit) else unit
        hour, _, minutes = digits.partition(":")
        return (str(int(hour)) if minutes == "00" else digits.removeprefix("0") or "0"), 1
    value = numbers.get(unit)
    table = meaning_table(code)
    if value is None or is_unspaced(unit) or unit in table.articles:
        return None, 1
    if unit in table.doubtful_numbers:
        before = units[place - 1] if place else ""
        after = units[place + 1] if place + 1 < len(units) else ""
        if before not in table.before_numbers and after not in table.after_numbers:
            return None, 1
    following = numbers.get(units[place + 1]) if place + 1 < len(units) else None
    if following and value.isdigit() and following.isdigit() and 20 <= int(value) <= 90 and int(following) < 10:
        return str(int(value) + int(following)), 2
    return value, 1
