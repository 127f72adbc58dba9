"""Grammar of plain English statements: "I" and a verb, "my" and a noun, a known name and a verb."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

import msgspec

from combray.language.caches import from_tables
from combray.language.tables import section
from combray.records import dataclass


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The English table (`en/statements.json`).

    prepositions: words that end the attribute of a verb; no_infinitive: verbs that mean something else before
    "to" ("have to", "used to"); tastes: attributes that are preferences; any_value: possessions that take any
    value (of a dog or a car only a name, a number or a `noun_phrase` is kept); trailing: words dropped from
    the end of a value without its dates; verbs: base, past and participle; only_past: verbs that state
    something in the past only; attributes: verb, and preposition, to the attribute they give a value of;
    single: attributes with one value at a time; becoming: verbs whose past states what is true since;
    complements, passives, progressives: what may follow "am", "was" and both; owned, favourites: what may
    follow "my"; objects_never: objects that state nothing; openers, leads: words and dates before a clause;
    cuts: where a clause ends; conditions, joking, dangling: what disqualifies a clause; mine: words of the
    first person within a clause.
    """

    prepositions: list[str]
    no_infinitive: list[str]
    tastes: list[str]
    any_value: list[str]
    noun_phrase: re.Pattern[str]
    trailing: list[str]
    verbs: list[tuple[str, str, str]]
    only_past: list[str]
    attributes: dict[str, str]
    single: list[str]
    becoming: list[str]
    complements: list[str]
    passives: list[str]
    progressives: list[str]
    owned: list[str]
    favourites: str
    objects_never: re.Pattern[str]
    has_never: re.Pattern[str]
    gets_only: re.Pattern[str]
    likes_never: re.Pattern[str]
    dropped: list[str]
    openers: re.Pattern[str]
    leads: re.Pattern[str]
    adverbs: list[str]
    cuts: re.Pattern[str]
    exceptions: re.Pattern[str]
    conditions: re.Pattern[str]
    joking: re.Pattern[str]
    dangling: re.Pattern[str]
    mine: dict[str, str]


_tables = section("statements", _Table)


class Clause(NamedTuple):
    """A parsed clause in the third person; `past`: it reports something done. A predicate has no subject."""

    text: str
    attribute: str
    value: str
    past: bool
    subject: str = ""


@dataclass(frozen=True)
class Grammar:
    """The compiled table."""

    table: _Table
    forms: dict[str, tuple[str, bool]]
    """(base, whether it is a past form) by verb form, third person included."""
    participles: dict[str, str]
    ours: re.Pattern[str]
    ourselves: re.Pattern[str]
    mine: re.Pattern[str]
    noun: str

    def first_person(self, clause: str, name: str) -> Clause | None:
        """Parse a clause that begins with "I"."""
        begins = re.match(r"I(?P<short>'m|'ve)?\s+(?P<rest>\S.*)", clause)
        if begins is None:
            return None
        words = begins["rest"].split()
        if begins["short"]:
            words.insert(0, {"'m": "am", "'ve": "have"}[begins["short"]])
        return self._told(name, name, self._predicate(words))

    def owned(self, clause: str, name: str) -> Clause | None:
        """Parse a clause that begins with "My" or "Our": "my sister lives in Oslo"."""
        begins = re.match(rf"(?P<whose>My|Our) (?P<noun>(?:\w+ )?{self.noun}) (?P<rest>\S.*)", clause)
        if begins is None:
            return None
        noun, words = begins["noun"], begins["rest"].split()
        subject = f"Our {noun}" if begins["whose"] == "Our" else f"{name}'s {noun}"
        if words[0] in ("is", "are", "was", "were") and len(words) > 1:
            value = " ".join(words[1:])
            last = noun.split()[-1]
            any_value = last in self.table.any_value or re.match(self.table.favourites, noun) is not None
            if self._empty(value) or not (any_value or self.table.noun_phrase.match(value)):
                return None
            value = self._theirs(value)
            return Clause(f"{subject} {words[0]} {value}", noun, value, words[0] in ("was", "were"), name)
        return self._told(subject, subject, self._third_person(words))

    def named(self, clause: str, known: Collection[str]) -> Clause | None:
        """Parse a clause about one of the known names."""
        name = max((each for each in known if clause.startswith(f"{each} ")), key=len, default="")
        words = clause[len(name) :].split()
        return self._told(name, name, self._third_person(words)) if name and len(words) > 1 else None

    def _told(self, subject: str, text: str, predicate: Clause | None) -> Clause | None:
        if predicate is None:
            return None
        return predicate._replace(text=f"{text} {predicate.text}", subject=subject)

    def _third_person(self, words: list[str]) -> Clause | None:
        """Parse a predicate that is in the third person already."""
        adverbs, rest = self._adverbs(words)
        if not rest:
            return None
        if rest[0] in ("is", "was", "has"):
            first = {"is": "am", "was": "was", "has": "have"}[rest[0]]
            return self._predicate([*adverbs, first, *rest[1:]])
        base, past = self.forms.get(rest[0], ("", False))
        if not base or (rest[0] == base and not past):
            return None
        return self._predicate([*adverbs, rest[0] if past else base, *rest[1:]])

    def _predicate(self, words: list[str]) -> Clause | None:
        """Parse the words after "I" into the third person; None if they are not a plain statement."""
        adverbs, rest = self._adverbs(words)
        if len(rest) < 2:
            return None
        first = rest[0].lower()
        if first in ("am", "was"):
            return self._being(first, adverbs, rest[1:])
        if first in ("don't", "didn't", "can't", "cannot") or rest[:2] in (["do", "not"], ["did", "not"]):
            return self._denying(adverbs, rest)
        if first == "have" and rest[1] == "got":
            rest = ["have", *rest[2:]]
        elif first == "have":
            _, done = self._adverbs(rest[1:])
            if len(done) > 1 and (done[0] in self.participles or done[0] == "been"):
                return self._having(adverbs, rest[1:])
        base, past = self.forms.get(first, ("", False))
        if not base or (first == base and not past and base in self.table.only_past):
            return None
        verb = first if past else third(base)
        return self._transitive([*adverbs, verb], base, rest[1:], past)

    def _transitive(self, before: list[str], base: str, rest: list[str], past: bool) -> Clause | None:
        told = self._destination(base, rest)
        if not self._says_something(base, told):
            return None
        attribute, value = self._attribute(base, told, past)
        if not value:
            return None
        return Clause(" ".join([*before, self._theirs(" ".join(rest))]), attribute, value, past)

    def _destination(self, base: str, rest: list[str]) -> list[str]:
        """Return what is true since a move: of "from Lisbon to Porto" and "back to Porto" the end.

        "From job to job" and "from sales to marketing" name no place.
        """
        if base not in self.table.becoming or rest[:1] not in (["from"], ["back"]) or "to" not in rest[:-1]:
            return rest
        end = rest[rest.index("to") :]
        return end if end[1][0].isupper() else rest

    def _says_something(self, base: str, rest: list[str]) -> bool:
        value, attribute = " ".join(rest), self.table.attributes.get(base, "")
        if self._empty(value) or (base in self.table.no_infinitive and rest[0] == "to"):
            return False
        if base == "have" and self.table.has_never.search(value):
            return False
        if base == "get" and not self.table.gets_only.match(value):
            return False
        return not (attribute in self.table.tastes and self.table.likes_never.match(value))

    def _being(self, verb: str, adverbs: list[str], rest: list[str]) -> Clause | None:
        more, rest = self._adverbs(rest)
        denied = rest[:1] == ["not"]
        text = " ".join(rest[1:] if denied else rest)
        if not self._is_state(text, progressive=verb == "am"):
            return None
        attribute, value = self._attribute("be", text.split())
        said = "was" if verb == "was" else "is"
        parts = [*adverbs, said, *more, *(["not"] if denied else []), self._theirs(text)]
        return Clause(" ".join(parts), attribute, value, verb == "was")

    def _is_state(self, text: str, *, progressive: bool) -> bool:
        """Return whether the text may follow a form of "be"."""
        table = self.table
        if text.startswith(tuple(table.passives)) or any(re.match(each, text) for each in table.complements):
            return True
        return progressive and any(re.match(rf"{re.escape(each)}\b", text) for each in table.progressives)

    def _denying(self, adverbs: list[str], rest: list[str]) -> Clause | None:
        first = rest[0].lower()
        plain = {"don't": "do not", "didn't": "did not", "can't": "cannot"}.get(first, first)
        words = [*plain.split(), *rest[1:]]
        helper, words = (words[:1], words[1:]) if words[0] == "cannot" else (words[:2], words[2:])
        more, words = self._adverbs(words)
        if len(words) < 2 or self.forms.get(words[0], ("", True)) != (words[0], False):
            return None
        said = ["does", "not"] if helper == ["do", "not"] else helper
        return self._transitive([*adverbs, *said, *more, words[0]], words[0], words[1:], said[0] == "did")

    def _having(self, adverbs: list[str], rest: list[str]) -> Clause | None:
        more, rest = self._adverbs(rest)
        before = [*adverbs, "has", *more]
        if rest[0] == "been":
            text = " ".join(rest[1:])
            if not self._is_state(text, progressive=True):
                return None
            attribute, value = self._attribute("be", rest[1:])
            return Clause(" ".join([*before, "been", self._theirs(text)]), attribute, value, True)
        return self._transitive([*before, rest[0]], self.participles[rest[0]], rest[1:], True)

    def _attribute(self, base: str, rest: list[str], past: bool = False) -> tuple[str, str]:
        """Return the attribute the verb gives a value of, and the value. A past form gives no current value."""
        for count in (2, 1) if not past or base in self.table.becoming else ():
            key = " ".join([base, *rest[:count]])
            if key in self.table.attributes:
                return self.table.attributes[key], self._theirs(" ".join(rest[count:]))
        if rest and rest[0] in self.table.prepositions:
            return f"{base} {rest[0]}", self._theirs(" ".join(rest[1:]))
        attribute = base if past else self.table.attributes.get(base, base)
        return attribute, self._theirs(" ".join(rest))

    def _adverbs(self, words: list[str]) -> tuple[list[str], list[str]]:
        count = next((at for at, word in enumerate(words) if word not in self.table.adverbs), len(words))
        return [word for word in words[:count] if word not in self.table.dropped], words[count:]

    def _empty(self, value: str) -> bool:
        return not value or self.table.objects_never.match(value) is not None

    def _theirs(self, text: str) -> str:
        return self.mine.sub(lambda found: self.table.mine[found[0]], text)


def is_single(attribute: str) -> bool:
    """Return whether an attribute has one value at a time, so that a new value ends the old one."""
    rules = grammar().table
    return attribute in rules.single or re.fullmatch(rules.favourites, attribute) is not None


def third(base: str) -> str:
    """Return a verb in the third person: "studies", "goes", "has"."""
    if base == "have":
        return "has"
    if re.search(r"[^aeiou]y$", base):
        return f"{base[:-1]}ies"
    return f"{base}es" if re.search(r"(?:s|x|z|ch|sh|o)$", base) else f"{base}s"


@from_tables
def grammar() -> Grammar:
    """Return the grammar of the English table."""
    table = _tables()["en"]
    forms: dict[str, tuple[str, bool]] = {}
    for base, past, _ in table.verbs:
        forms |= {base: (base, False), third(base): (base, False), past: (base, True)}
    noun = rf"(?:{'|'.join([*map(re.escape, sorted(table.owned, key=len, reverse=True)), table.favourites])})"
    return Grammar(
        table=table,
        forms=forms,
        participles={participle: base for base, _, participle in table.verbs},
        ours=re.compile(rf"Our (?:\w+ )?{noun} (?:is|are)\b"),
        ourselves=re.compile(r"(?i)\b(?:we|us|our|ours)\b"),
        mine=re.compile(rf"\b(?:{'|'.join(table.mine)})\b"),
        noun=noun,
    )
