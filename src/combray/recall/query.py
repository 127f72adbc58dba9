"""Reading the query: intent, trivial queries, keywords, entities, expansion."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from combray.language import dates
from combray.language.caches import from_tables
from combray.language.entities import extract
from combray.language.folding import is_unspaced
from combray.language.intent import detect
from combray.language.lexicon import word_lists
from combray.language.questions import read
from combray.language.tokens import query_terms, terms
from combray.language.trivial import letters, says_nothing
from combray.recall.state import Recalling
from combray.runtime import Runtime

INTENTS = ("WHY", "WHEN", "ENTITY", "GENERAL")


@dataclass(frozen=True)
class DetectIntent:
    """Detects the intent by patterns in English, Chinese and Vietnamese, unless the caller set it."""

    needs = ("query",)
    gives = ("intent",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.intent_source != "override":
            state.intent = str(detect(state.query).value)
        return state


@dataclass(frozen=True)
class SkipTrivial:
    """Ends recall for acknowledgements and greetings ("ok", "cảm ơn", "再见") before anything is searched.

    Only whole queries count: "no problem with the build?" is none. A query that is the name of an entity known
    here is never trivial, however short. Engram stage 1; see docs/reference/presets.md.
    """

    needs = ("query",)
    gives = ()
    fewest_letters: int = 3
    """Letters and digits; a Chinese character counts three. Engram names a threshold and no number."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if says_nothing(state.query):
            reason = "an acknowledgement, a greeting or the like"
        elif letters(state.query) < self.fewest_letters:
            reason = f"fewer than {self.fewest_letters} letters"
        else:
            return state
        name = state.query.strip(" \t\n.,;:!?\"'()？！。，")
        if not name or not state.reader.known_entities([name]):
            state.reason = f"trivial query ({reason}): nothing was searched"
            state.done = True
        return state


@dataclass(frozen=True)
class ReadQuery:
    """Extracts keywords (stemmed, without stop and question words) and the entities that the query names."""

    needs = ("query",)
    gives = ("terms", "entities")
    most_terms: int = 32
    """Distinct terms a query may use: a pasted page must not cost a thousand index look-ups."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.terms = tuple(query_terms(state.query)[: self.most_terms])
        candidates = [_bare(word) for word in state.query.split()]
        known = state.reader.known_entities(candidates[: self.most_terms])
        found = dict.fromkeys((*extract(state.query, known), *(word for word in candidates if word in known)))
        state.entities = tuple(found)
        return state


def _bare(word: str) -> str:
    """A word without punctuation around it and without the possessive."""
    return word.strip(".,;:!?\"'()[]？！。，").removesuffix("'s").removesuffix("’s")


@dataclass(frozen=True)
class ReadQuestion:
    """Reads whom the query is about and what it asks for, and its keywords without names of known authors."""

    needs = ("query",)
    gives = ("question", "terms")
    most_terms: int = 32
    """As of `ReadQuery`."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        state.question = read(state.query, state.reader.profile().authors)
        terms = query_terms(state.question.bare) if state.question.bare else []
        state.terms = tuple((terms or query_terms(state.query))[: self.most_terms])
        return state


Phrase = frozenset[str]

_WORD = re.compile(r"[\w@#./+-]*\w")


@dataclass(frozen=True)
class ReadNames:
    """Adds entities of several words that the query names and the namespace knows ("Marta Klein").

    Up to `longest` words side by side are looked up, or as many characters of a script without spaces
    and one more; letter case does not matter. Names within a longer name that was found are left out.
    """

    needs = ("entities",)
    gives = ()
    longest: int = 3
    most_characters: int = 300
    """Characters of a query that are looked through: a pasted page must not cost a second."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        candidates = _side_by_side(state.query[: self.most_characters], self.longest)
        known = state.reader.known_entities(candidates)
        found = [name for name in candidates if name in known]
        whole = [name for name in found if not any(name != other and name in other for other in found)]
        state.entities = tuple(dict.fromkeys((*state.entities, *whole)))
        return state


@dataclass(frozen=True)
class ExpandQuery:
    """Adds to the keyword query the forms of the days it names and synonyms of its words (Mnemo, stage 1).

    A variant counts `weight` of a word that the caller wrote, and at most `most` are added, dates first. The
    query's vector is made of the query alone.
    """

    needs = ("terms",)
    gives = ("expansion",)
    weight: float = 0.5
    most: int = 24

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        dated = [term for form in date_forms(state.query, state.now) for term in terms(form)]
        added = dict.fromkeys(dated + synonyms(state.terms))
        fresh = [term for term in added if term not in state.terms][: self.most]
        state.expansion = state.details["expansion"] = dict.fromkeys(fresh, self.weight)
        return state


def _side_by_side(text: str, longest: int) -> list[str]:
    """Distinct runs of two to `longest` words, and of characters of an unspaced script, one longer, in order."""
    words = _WORD.findall(text)
    runs = [
        " ".join(words[at : at + size]) for size in range(2, longest + 1) for at in range(len(words) - size + 1)
    ]
    for word in words:
        if is_unspaced(word):
            runs += [word[at : at + size] for size in range(2, longest + 2) for at in range(len(word) - size + 1)]
    return list(dict.fromkeys(runs))


def date_forms(query: str, now: float) -> list[str]:
    """Every day that the query names, in the forms in which texts write days, as seen from `now` (UTC).

    "3月5日", "March 5", "2024/3/5", "前天" or "yesterday" all give X月Y日, m/d, YYYY-MM-DD, MM-DD and the month's
    name with the day. Months, weeks and vague times give none: they are no one day.
    """
    # The grammar's tables take 50 ms to build: a question without a date must not pay for them.
    if not dates.has_time_expression(query):
        return []
    found = dates.resolve(query, datetime.fromtimestamp(now, UTC))
    days = dict.fromkeys(each.start.date() for each in found if each.kind == "date" and each.explicit)
    return [form for day in days for form in forms_of(day)]


def forms_of(day: date) -> tuple[str, ...]:
    """A day as texts write it, the year in the ISO form alone."""
    return (
        f"{day.month}月{day.day}日",
        f"{day.month}/{day.day}",
        day.isoformat(),
        f"{day:%m-%d}",
        f"{day:%B} {day.day}",
    )


def synonyms(wanted: Sequence[str]) -> list[str]:
    """Terms of the words that mean the same as words among `wanted`, in order, by the language tables."""
    held = set(wanted)
    found: list[str] = []
    for term in wanted:
        for phrase, others in _groups().get(term, ()):
            if phrase <= held:
                found += others
    return [term for term in dict.fromkeys(found) if term not in held]


@from_tables
def _groups() -> dict[str, list[tuple[Phrase, list[str]]]]:
    """First term -> the phrases that begin with it, each with the terms of its synonyms (`claims.synonyms`)."""
    found: dict[str, list[tuple[Phrase, list[str]]]] = defaultdict(list)
    for table in word_lists().values():
        for group in table.claims.synonyms:
            phrases = [_phrase(text) for text in group]
            for place, phrase in enumerate(phrases):
                others = _distinct(phrases[:place] + phrases[place + 1 :], phrase)
                if phrase and others:
                    found[phrase[0]].append((frozenset(phrase), others))
    return dict(found)


def _phrase(text: str) -> list[str]:
    """The terms of a word; in a script without spaces its pairs, since its single characters mean too much."""
    found = terms(text)
    return [term for term in found if len(term) > 1] or found if is_unspaced(text) else found


def _distinct(phrases: Iterable[list[str]], without: Sequence[str]) -> list[str]:
    return [term for term in dict.fromkeys(t for phrase in phrases for t in phrase) if term not in without]
