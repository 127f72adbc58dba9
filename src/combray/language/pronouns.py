"""Pronouns that refer to one person, and the gender that a first name suggests.

Words are data (`pronouns` of a language): `male`, `female` and `neutral` pronouns; `accented_only`, those that
are other words without accents; `possessive` ones; `other_words`, which contain a pronoun ("其他"); and names by
gender that `<code>/names.json` lacks, in scripts without spaces by their last character.
All of them are hints: most names are in no table.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import msgspec

from combray.language.caches import from_tables
from combray.language.folding import fold, is_unspaced
from combray.language.lexicon import folded, word_lists
from combray.language.marks import Lists
from combray.language.names import by_gender
from combray.language.scripts import script
from combray.language.tables import section
from combray.records import dataclass

_NO_PERSON = re.compile(r"[\d@/_.:#]|[a-z][A-Z]")


class _PronounsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    male: list[str] = []
    female: list[str] = []
    neutral: list[str] = []
    accented_only: list[str] = []
    possessive: list[str] = []
    other_words: list[str] = []
    names_male: list[str] = []
    names_female: list[str] = []


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A pronoun in a text: its words and code point offsets; gender "male", "female" or "" (either)."""

    text: str
    span: tuple[int, int]
    gender: str
    possessive: bool


_tables = section("pronouns", _PronounsTable)


@from_tables
def _pronouns() -> tuple[Lists, dict[str, tuple[str, bool]]]:
    """Return a list for lower-case text, and (gender, possessive) by word; gender "-" is not a pronoun."""
    known: dict[str, tuple[str, bool]] = {}
    for table in _tables().values():
        listed_by_gender = {"male": table.male, "female": table.female, "": table.neutral, "-": table.other_words}
        for gender, listed in listed_by_gender.items():
            for words in listed:
                known[words] = (gender, words in table.possessive)
                if words not in table.accented_only:
                    known.setdefault(fold(words), known[words])
    return Lists({"pronouns": known}), known


def find(text: str) -> list[Pronoun]:
    """Return the pronouns of one person in the text, in order; "it", "they", "họ" and "他们" are not included."""
    lists, known = _pronouns()
    # Letter case is folded one to one, so that offsets stay valid.
    lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    found = []
    for start, end in lists.of(lowered).spans("pronouns"):
        gender, possessive = known[" ".join(lowered[start:end].split())]
        if gender != "-":
            found.append(Pronoun(text[start:end], (start, end), gender, possessive))
    return found


def replaced(text: str, chosen: Callable[[Pronoun], str | None]) -> str:
    """Return the text with each pronoun replaced by the chosen name, possessives with 's; None keeps it."""
    parts: list[str] = []
    reached = 0
    for pronoun in find(text):
        name = chosen(pronoun)
        if name is not None:
            parts += (text[reached : pronoun.span[0]], name, "'s" if pronoun.possessive else "")
            reached = pronoun.span[1]
    return "".join((*parts, text[reached:]))


@from_tables
def _genders() -> dict[str, str]:
    """Return gender by name in lower case; "" for a name of both, or of both without its accents."""
    known: dict[str, str] = {}
    hints = [
        (gender, listed)
        for table in _tables().values()
        for gender, listed in (("male", table.names_male), ("female", table.names_female))
    ]
    # A table of hints decides over the longer lists of names: "Andrea" is a man's name in Italy alone.
    for several in (hints, list(by_gender())):
        found: dict[str, str] = {}
        for gender, listed in several:
            for name, bare in zip(listed, folded(listed), strict=True):
                for form in {unicodedata.normalize("NFC", name), bare}:
                    found[form] = gender if found.get(form, gender) == gender else ""
        known = found | known
    return known


def gender(name: str) -> str:
    """Return "male", "female", or "" if unknown, by the first or the last part of the name."""
    if is_unspaced(name):
        return _genders().get(name[-1], "") if len(name) > 1 else ""
    parts = unicodedata.normalize("NFC", name).lower().split() or [""]
    return _genders().get(parts[0], "") or _genders().get(parts[-1], "")


def may_be_person(name: str, text: str) -> bool:
    """Return whether a name could be a person's: not a path, code name, acronym or place.

    A name is a place if "in", "at", "to" or the like precedes it wherever the text names it.
    """
    if _NO_PERSON.search(name) or not any(char.isalpha() for char in name):
        return False
    if script(name) == "latin" and (not name[:1].isupper() or (name.isupper() and len(name) > 1)):
        return False
    before = [text[max(0, hit.start() - 20) : hit.start()] for hit in re.finditer(re.escape(name), text)]
    return not before or not all(_before_place().search(each.lower()) for each in before)


@from_tables
def _before_place() -> re.Pattern[str]:
    listed = [words for table in word_lists().values() for words in table.cues.before_places]
    spaced = [re.escape(words) for words in listed if not is_unspaced(words)]
    solid = [re.escape(words) for words in listed if is_unspaced(words)]
    return re.compile("|".join((rf"(?<!\w)(?:{'|'.join(spaced)})\s+$", *(rf"{words}$" for words in solid))))
