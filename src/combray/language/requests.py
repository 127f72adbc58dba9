"""A request to forget: the identifiers and names that it gives, and the words that describe the rest.

"Forget everything about Acme" asks for a name, "the SSN 123-45-6789" for an identifier, "everything from 3 May"
for a day, "my old address" for what its words describe. The words around them are data (`<code>/requests.json`):
openers ("please delete"), closers, scopes ("everything about"), past ("old"), present ("new"), titles ("Dr"),
own ("my" and "I" where no other table has the pronouns), before_nouns (words before a common noun where nouns
are capitalised), joins ("and"), forms (legal forms of companies).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from itertools import pairwise

from combray.language import dates
from combray.language.caches import from_tables
from combray.language.claim_tokens import tokenise, vocabulary
from combray.language.entities import extract, names
from combray.language.folding import fold
from combray.language.identifiers import Identifier, identifiers
from combray.language.lexicon import matcher
from combray.language.tables import phrase_lists
from combray.language.tokens import content_terms, is_stop
from combray.records import dataclass

_listed = phrase_lists(
    "requests", "openers closers scopes clauses past ended present titles own before_nouns joins forms"
)
_quoted = re.compile('["“«「]([^"”»」]{2,100})["”»」]').finditer
_word = re.compile(r"[^\W_][\w'’.&-]*").finditer
_MOST_NAME = 5
"""Words of the longest name."""
_FEWEST_LISTED = 2
_possessive = re.compile(r"\w['’]s\s+[a-z]").search


@dataclass(frozen=True, slots=True)
class Days:
    """A named day or longer time: [start, end), UTC, and how it was written."""

    text: str
    start: datetime
    end: datetime

    def held_by(self, text: str) -> bool:
        """Return whether a text names this day, in any format, or for a longer time a day within it."""
        return any(self.start <= each.start and each.end <= self.end for each in named_days(text, self.start))

    def includes(self, moment: datetime) -> bool:
        """Return whether it happened then."""
        return self.start <= moment < self.end


def named_days(text: str, now: datetime) -> list[Days]:
    """Return the days, months and years that a text names in full, once in each reading.

    "12/04/1990" is read with the month first and the day first: a request must not miss a spelling.
    """
    if not dates.has_time_expression(text):
        return []
    found = []
    for each in dates.resolve(text, now):
        if not each.explicit or each.counted or each.kind not in ("date", "period"):
            continue
        found.append(Days(each.text, each.start, each.end))
        if _both_ways(each.text) and each.start.day <= _MONTHS:
            start = each.start.replace(month=each.start.day, day=each.start.month)
            found.append(Days(each.text, start, start + (each.end - each.start)))
    return found


_both_ways = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{4}").fullmatch
_MONTHS = 12


@dataclass(frozen=True, slots=True)
class Request:
    """What a request asks for.

    `topic` is what is left of it without openers and scopes; `terms` are the content terms of the topic outside
    identifiers and names. `scoped`: it says "everything about". `past`: it asks for what was, "my old address".
    """

    topic: str
    identifiers: tuple[Identifier, ...] = ()
    names: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    scoped: bool = False
    past: bool = False
    ended: bool = False
    """Whether it asks for what somebody did and no longer does: "where I used to live"."""
    owned: bool = False
    """Whether it is about the speaker: "my salary", "that I smoke"."""
    days: tuple[Days, ...] = ()
    """Days, months and years that it names."""
    titled: bool = False
    """Whether it names a person by a title: "Coach Mercer"."""
    any_name: bool = False
    """Whether it lists its names ("Acme and Globex"): a memory has one of them."""


def request(text: str, now: datetime | None = None) -> Request:
    """Return what a request asks for. A request of stop words alone has neither identifiers, names nor terms.

    `now` is the moment by which a day without a year is read; the present if it is omitted.
    """
    days = tuple(named_days(text, now or datetime.now(UTC)))
    every = [each for each in identifiers(text) if not any(_is_day(each[2].text, day) for day in days)]
    written = [(start, end) for start, end, _ in every]
    found = tuple(each for _, _, each in every)
    written += [(place, place + len(each)) for each, place in _written_days(text, days)]
    written.sort()
    rest = _without(text, written)
    opened = _opening("openers").sub("", rest).strip()
    closed = _closing().sub("", opened).strip(" .,;:!?，。、；：！？")
    bare = _opening("scopes").sub("", closed).strip(" .,;:!?，。、；：！？")
    # Nothing but a day is asked for.
    only_days = bool(days) and not bare
    opened = closed or opened
    topic = "" if only_days else bare or opened
    scoped = len(topic) < len(opened)
    past = any(_has(topic, each) for each in _listed("past"))
    ended = any(_has(topic, each) for each in _listed("ended"))
    named = () if found else _names(topic)
    titled = any(fold(hit[0]).rstrip(".") in titles() for hit in _word(topic))
    held = {term for name in named for term in content_terms(name)}
    dropped = held | {
        term for name in ("past", "own", "joins") for each in _listed(name) for term in content_terms(each)
    }
    terms = tuple(term for term in dict.fromkeys(content_terms(topic)) if term not in dropped)
    terms = () if _is_whole(opened, topic, named) else terms
    owned, listed = mentions_speaker(rest), is_list(topic, named)
    return Request(topic or text.strip(), found, named, terms, scoped, past, ended, owned, days, titled, listed)


def _is_day(text: str, day: Days) -> bool:
    """Return whether what looks like an identifier is part of a day, or holds one in unspaced script."""
    return text in day.text or day.text in text


def _written_days(text: str, days: tuple[Days, ...]) -> list[tuple[str, int]]:
    return [(each, text.index(each)) for each in dict.fromkeys(day.text for day in days) if each in text]


def mentions_speaker(text: str) -> bool:
    """Return whether a text speaks of the speaker: "I", "my", "我的"."""
    words = {token.word for token in tokenise(text)}
    spoken = any(vocabulary().pronouns.get(word, "").endswith(":i") for word in words)
    return spoken or not _folded_list("own").isdisjoint(words)


def states_present(text: str, terms: Collection[str] = ()) -> bool:
    """Return whether a text says how something is since a change, and not how it was: "my new address".

    One character of a script without spaces is part of many words: it must stand before one of the terms.
    """
    if any(_has(text, each) for each in _listed("past")):
        return False
    return any(
        any(each + term in text for term in terms) if len(each) == 1 else _has(text, each)
        for each in _listed("present")
    )


def without_legal_form(name: str) -> str:
    """Return a company's name without its legal form: "Globex" for "Globex Inc"."""
    words = name.split()
    while len(words) > 1 and fold(words[-1]).rstrip(".") in _folded_list("forms"):
        words.pop()
    return " ".join(words)


def _is_whole(opened: str, topic: str, named: tuple[str, ...]) -> bool:
    """Return whether everything about the names is asked for: "everything about my boss Karen".

    What follows a name says what about it ("that Lena owes me money"); what precedes it says who that is.
    """
    scope = opened.removesuffix(topic) if topic != opened else ""
    for each in sorted(_listed("clauses"), key=len, reverse=True):
        scope = re.sub(rf"(?i)(?<!\w){re.escape(each)}(?!\w)", "", scope)
    # "Mr Bhatt, my landlord"
    parts = (topic, re.split("[,，]", topic)[0])
    ends = [each.rstrip(" .'\"”»」").replace(" & ", " and ") for each in parts]
    last = any(each.endswith((name, name.rstrip("."))) for name in named for each in ends)
    return last and bool(scope.strip(" ,:")) and not _possessive(topic)


def is_list(topic: str, named: tuple[str, ...]) -> bool:
    """Return whether nothing but "and", "or" or a comma stands between the names of a topic."""
    places = sorted((topic.find(name), name) for name in named)
    if len(places) < _FEWEST_LISTED or places[0][0] < 0:
        return False
    between = (topic[at + len(name) : after] for (at, name), (after, _) in pairwise(places))
    return all(fold(each.strip(" ,;、，")) in {"", *_folded_list("joins")} for each in between)


def _without(text: str, places: list[tuple[int, int]]) -> str:
    for start, end in reversed(places):
        text = f"{text[:start]} {text[end:]}"
    return " ".join(text.split())


@from_tables
def _opening(section: str) -> re.Pattern[str]:
    """Return a pattern of any number of these phrases at the start of a text, each at a word's end."""
    listed = sorted(_listed(section), key=len, reverse=True)
    any_of = "|".join(map(re.escape, listed))
    return re.compile(rf"^(?:(?:{any_of})(?:(?<=[^\x00-\x7f])|(?![\w'’]))[\s,:]*){{1,8}}", re.IGNORECASE)


@from_tables
def _closing() -> re.Pattern[str]:
    """Return a pattern of openers at the end of a request: "… please remove"."""
    any_of = "|".join(map(re.escape, sorted({*_listed("openers"), *_listed("closers")}, key=len, reverse=True)))
    return re.compile(
        rf"(?:[\s,，]*(?:(?<=[^\x00-\x7f])|(?<!\w))(?:{any_of})[\s.!?。！？]*){{1,6}}$", re.IGNORECASE
    )


def titles() -> frozenset[str]:
    """Return the titles before a person's name, as written and folded."""
    return _folded_list("titles").union(_listed("titles"))


@from_tables
def _folded_lists() -> dict[str, frozenset[str]]:
    sections = ("titles", "own", "before_nouns", "joins", "forms")
    return {name: frozenset(map(fold, _listed(name))) for name in sections}


def _folded_list(name: str) -> frozenset[str]:
    return _folded_lists()[name]


def _has(text: str, word: str) -> bool:
    return matcher([fold(word)]).search(fold(text)) is not None


def _names(topic: str) -> tuple[str, ...]:
    """Return the names in a topic: quoted, capitalised, or known as code names and titles."""
    found = dict.fromkeys(hit[1].strip() for hit in _quoted(topic))
    topic = topic.replace(" & ", " and ")
    nouns = {hit[1] for hit in _noun()(topic)}
    found |= dict.fromkeys(_capitalised(topic, nouns))
    found |= dict.fromkeys([*extract(topic), *names(topic)])
    spelt = [name for name in found if name and name not in nouns]
    # "Lena Fischer" says more than "Lena".
    return tuple(name for name in spelt if not any(name != other and name in other for other in spelt))


def _capitalised(topic: str, nouns: Collection[str]) -> Iterator[str]:
    """Yield the runs of capitalised words, with "and" and numbers inside, that no comma interrupts."""
    run: list[str] = []
    end = 0
    for hit in _word(topic):
        word = hit[0].rstrip(".'’-")
        bare = re.sub(r"['’]s$", "", word)
        if topic[end : hit.start()].strip():
            yield from _named(run)
            run = []
        end = hit.end()
        begins = bare[:1].isupper() or (run and bare[:1].isdigit())
        # A capital within a name is one: "Nguyễn Văn An", "Bank Of Oslo"; "I" is none.
        function = _is_function_word(bare) and not (run and len(bare) > 1)
        if begins and bare not in nouns and not function:
            if fold(bare) not in titles():
                run.append(bare)
            if bare == word:
                continue
        elif run and bare == "and":
            run.append(bare)
            continue
        yield from _named(run)
        run = []
    yield from _named(run)


def _named(run: list[str]) -> Iterator[str]:
    while run and run[-1] == "and":
        run.pop()
    if run and len(run) <= _MOST_NAME:
        yield " ".join(run)


def _is_function_word(word: str) -> bool:
    return any(is_stop(fold(each)) for each in (word, re.split("['’]", word)[0])) or fold(word) in _folded_list(
        "own"
    )


@from_tables
def _noun() -> Callable[[str], Iterator[re.Match[str]]]:
    """Return a search for common nouns in a language that capitalises them: "meine Adresse"."""
    before = "|".join(map(re.escape, _listed("before_nouns")))
    return re.compile(rf"(?<!\w)(?i:{before})\s+([^\W\d_a-z][\w-]*)").finditer
