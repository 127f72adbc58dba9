"""Statements that name the old and the new value of a thing: "the retro moved from Friday to Tuesday".

Such a text ends an earlier statement of the old value about the same thing, and no guess is needed. The test is
strict: every content word of the text must be in the earlier statement, except the new value. The words are data
(`replacements` of a language).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property

import msgspec

from combray.language.caches import from_tables
from combray.language.claim_tokens import Token, subject_of, tokenise, vocabulary
from combray.language.folding import is_unspaced, plain
from combray.language.polarity import negations
from combray.language.tables import filled, section
from combray.language.text import Text, plain_of, read_once
from combray.records import dataclass

_LONGEST = 300
"""Characters of a text that can be one statement of a change."""
_LEAST_PREFIX = 2
"""Characters that two statements in an unspaced script begin with if they are about the same thing."""


class ReplacementTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language.

    gates, gate_patterns: words and patterns of which every statement of a change has one; patterns: with the
    groups `old`, `rest`, and, where the words mark it, `new`; `more` is text after them. A pattern may be written
    "word|word => PATTERN": an ASCII text is only tried if it holds one of the words, which every match has.
    Macros may stand in it (`tables.filled`).

    refused: what makes a change doubtful, or one of another time; light: words that do not tell one thing from
    another; first: pronouns of the speaker.
    """

    macros: list[str] = []
    gates: list[str] = []
    gate_patterns: list[str] = []
    patterns: list[str] = []
    refused: list[str] = []
    light: list[str] = []
    first: list[str] = []


_tables = section("replacements", ReplacementTable)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A change that a text states: the words of the old and the new value, and the words around them.

    `new` is "" if the words do not mark it: then it is what the earlier statement does not have.
    """

    old: str
    new: str
    rest: tuple[str, ...]


class _Pattern:
    """A pattern, and words of which every match holds one; none for a pattern that is always tried.

    Compiled at its first use: compiling those of all languages takes longer than reading a hundred texts.
    """

    def __init__(self, written: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        needs, arrow, pattern = written.rpartition(" => ") if not written.startswith("^") else ("", "", written)
        self._written, self._flags = pattern, flags
        self.needs = tuple(needs.split("|")) if arrow else ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self._written, self._flags)

    def may_match(self, lowered: str) -> bool:
        """Whether a text may match. One pattern of all the words would take ten times as long."""
        return not self.needs or not lowered.isascii() or any(map(lowered.__contains__, self.needs))


@dataclass(frozen=True, slots=True)
class _Gate:
    """What a statement of a change must hold in a language, and the patterns that are then tried."""

    words: tuple[str, ...]
    others: tuple[_Pattern, ...]
    patterns: tuple[_Pattern, ...]

    def of(self, lowered: str) -> list[re.Pattern[str]]:
        """Return the patterns to try on a text."""
        gated = any(map(lowered.__contains__, self.words)) or any(
            each.may_match(lowered) and each.pattern.search(lowered) for each in self.others
        )
        return [each.pattern for each in self.patterns if each.may_match(lowered)] if gated else []


@from_tables
def _built() -> tuple[tuple[_Gate, ...], _Pattern, frozenset[str], frozenset[str]]:
    tables = list(_tables().values())
    return (
        tuple(
            _Gate(
                tuple(dict.fromkeys(plain(each) for each in table.gates)),
                tuple(_Pattern(filled(each, table.macros)) for each in table.gate_patterns),
                tuple(_Pattern(filled(each, table.macros), re.IGNORECASE) for each in table.patterns),
            )
            for table in tables
            if table.gates
        ),
        _Pattern("|".join(each for table in tables for each in table.refused) or "(?!)"),
        frozenset(plain(each) for table in tables for each in table.light),
        frozenset(plain(each) for table in tables for each in table.first),
    )


@read_once
def replacements_of(text: Text) -> tuple[Replacement, ...]:
    """Return the readings of a text as a statement of a change; none for most texts."""
    gated, refused, _, _ = _built()
    stated = " ".join(text.text.split())
    if len(stated) > _LONGEST:
        return ()
    lowered = plain_of(text) if stated == text.text else plain(stated)
    if "?" in lowered:
        return ()
    patterns = [each for gate in gated for each in gate.of(lowered)]
    if not patterns or refused.pattern.search(lowered):
        return ()
    found = []
    for pattern in patterns:
        hit = pattern.match(stated)
        if hit is None:
            continue
        parts = hit.groupdict(default="")
        rest = tuple(part for part in (parts.get("rest", ""), parts.get("more", "")) if part.strip())
        if not any(negations(part) for part in rest):
            found.append(Replacement(parts["old"], parts.get("new", ""), rest))
    return tuple(found)


def replaces(text: str, earlier: str, names: Collection[str] = (), *, one_author: bool = True) -> bool:
    """Return whether a text states that the value in an earlier statement has changed to another one.

    Statements of two authors must be about one of the `names`, and neither may speak of its author.
    """
    readings = replacements_of(text)
    if not readings or negations(earlier):
        return False
    if not one_author:
        first = _built()[3]
        if any(token.word in first for each in (text, earlier) for token in tokenise(each)):
            return False
        named = [name for name in names if not any(name.casefold() in each.old.casefold() for each in readings)]
        if not any(
            name.casefold() in text.casefold() and name.casefold() in earlier.casefold() for name in named
        ):
            return False
    return any(_fits(each, text, earlier) for each in readings)


def names_another_value(text: str, earlier: str) -> bool:
    """Return whether a text names the value that it ends, and the earlier statement does not have that value."""
    readings, known = replacements_of(text), _keys(earlier)
    return bool(readings) and not any(_keys(each.old) & known for each in readings)


def _fits(change: Replacement, text: str, earlier: str) -> bool:
    unspaced = is_unspaced(earlier)
    stated = tokenise(earlier)
    # Characters are no words: none of a value can be left out.
    known = {_key(token) for token in stated if unspaced or _content(token)}
    old = {_key(token) for token in tokenise(change.old) if unspaced or _content(token)}
    if not old or not old <= known or (unspaced and plain(change.old).strip() not in plain(earlier)):
        return False
    # What the earlier statement names as its own past is not its value.
    if any(not old <= _keys(each.new) for each in replacements_of(earlier) if each.new):
        return False
    rest = [tokenise(part) for part in change.rest]
    new = (
        {_key(token) for token in tokenise(change.new) if unspaced or _content(token)}
        if change.new
        else _unknown_run(rest, known)
    )
    if not new or new <= known or (change.new and any(_strangers(tokens, known) for tokens in rest)):
        return False
    said = {_key(token) for tokens in rest for token in tokens if _content(token)} & known
    if unspaced:
        return _same_start(change, earlier, old, said)
    return _same_thing(stated, old, said - old, text)


def _unknown_run(rest: Sequence[Sequence[Token]], known: set[str]) -> set[str]:
    """Return the one run of words that the earlier statement does not have; nothing if there are several."""
    runs: list[set[str]] = []
    for tokens in rest:
        places = [place for place, token in enumerate(tokens) if _content(token) and _key(token) not in known]
        if not places:
            continue
        inside = tokens[places[0] : places[-1] + 1]
        if any(token.is_verb or (_content(token) and _key(token) in known) for token in inside[1:-1]):
            return set()
        runs.append({_key(token) for token in inside if _content(token)})
    return runs[0] if len(runs) == 1 else set()


def _strangers(tokens: Sequence[Token], known: set[str]) -> bool:
    return any(_content(token) and not token.is_verb and _key(token) not in known for token in tokens)


def _same_thing(stated: Sequence[Token], old: set[str], said: set[str], text: str) -> bool:
    """Return whether the words around the values name what the earlier statement is about."""
    first, known = _built()[3], vocabulary()
    verb = next(
        (place for place, token in enumerate(stated) if token.is_verb or token.word in ("is", "are")), None
    )
    if verb is None:
        verb = len(subject_of(stated).keys)
    head, tail = stated[:verb], stated[verb + 1 :]
    # "Ben owns the billing project": the value stands before the verb, the thing behind it.
    thing = tail if old & {_key(token) for token in head} else head
    speaks = any(token.word in first for token in tokenise(text))
    mine = any(token.word in first for token in stated)
    words = [token for token in thing if _content(token) and _key(token) not in old]
    # "The HP printer was replaced by a Brother": the value and the thing are one phrase.
    if len(old) > 1 and not words and not said and old == {_key(token) for token in stated if _content(token)}:
        return True
    if not words:
        others = [token for token in stated if _content(token) and _key(token) not in old | said]
        named = any(token.capital or token.kind != "word" for token in others)
        return not named and ((mine and speaks) or bool(said))
    missing = [token for token in words if _key(token) not in said]
    if not said:
        # "I replaced my Pixel 6" about "My phone is a Pixel 6": the thing is named by its value alone.
        is_value = verb < len(stated) and stated[verb].word in ("is", "are", "là") and thing is head
        owned = any(token.word in known.owner_before or token.word in known.owner_after for token in thing)
        return mine and speaks and is_value and not owned and len(words) <= 2
    if len(missing) == len(words):
        return False
    # A compound may lose its head ("swimming lesson"), but no name, number or owner.
    if not missing:
        return True
    (last, *more), place = missing, thing.index(words[-1])
    plain_word = last is words[-1] and last.kind == "word" and not last.capital
    return not more and plain_word and place > 0 and _content(thing[place - 1])


def _same_start(change: Replacement, earlier: str, old: set[str], said: set[str]) -> bool:
    """The same for an unspaced script: both begin with the same characters, or the speaker is the thing."""
    _, _, light, first = _built()
    strip = "".join(sorted(light))
    start, rests = plain(earlier).lstrip(strip), [plain(part).lstrip(strip) for part in change.rest]
    if any(start[:_LEAST_PREFIX] == each[:_LEAST_PREFIX] for each in rests if len(each) >= _LEAST_PREFIX):
        return True
    # "I drive to work" and "I no longer drive to work": nothing but the value is left.
    left = {_key(token) for token in tokenise(earlier) if _content(token)} - old - said
    both = plain(earlier)[:1] in first and any(plain(part)[:1] in first for part in change.rest)
    return both and not left


def _keys(text: str) -> set[str]:
    return {_key(token) for token in tokenise(text) if _content(token)}


def _key(token: Token) -> str:
    # "Wednesdays" and "Wednesday" are one day.
    singular = token.key[:-1]
    return (
        singular
        if token.kind == "date" and token.key.endswith("s") and singular in vocabulary().calendar
        else token.key
    )


def _content(token: Token) -> bool:
    return token.word not in _built()[2] and token.key not in _built()[2] and token.kind != "symbol"
