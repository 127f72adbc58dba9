"""Mnemo's reading of a query: names of several words, synonyms, forms of days."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime, tzinfo

from combray.forms.recalling import Recalling
from combray.language import dates
from combray.language.caches import from_tables
from combray.language.folding import is_unspaced
from combray.language.lexicon import word_lists
from combray.language.tokens import terms
from combray.pipeline import stage
from combray.runtime import Runtime

_WORD = re.compile(r"[\w@#./+-]*\w")


@stage
class ReadNames:
    """Adds entities of several words that the query names and the namespace knows ("Marta Klein").

    Up to `longest` words side by side are looked up, or as many characters of a script without spaces
    and one more; letter case does not matter. Names within a longer name that was found are omitted.
    """

    needs = ("entities",)
    longest: int = 3
    most_characters: int = 300
    """Characters of a query that are read: a pasted page must not cost a second."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        candidates = _side_by_side(state.query[: self.most_characters], self.longest)
        known = state.reader.known_entities(candidates)
        found = [name for name in candidates if name in known]
        whole = [name for name in found if not any(name != other and name in other for other in found)]
        state.entities = tuple(dict.fromkeys((*state.entities, *whole)))
        return state


@stage
class ExpandQuery:
    """Adds to the keyword query synonyms of its words, and the forms of the days it names (Mnemo, stage 1).

    A synonym counts `weight` of a word that the caller wrote, and at most `most` are added. Forms of days are
    searched whole: "3月5日" is not found by its characters. The query's vector is made of the query alone.
    """

    needs = ("terms",)
    gives = ("expansion",)
    weight: float = 0.5
    most: int = 24

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        state.words.days = tuple(dict.fromkeys(date_forms(state.query, state.now, runtime.zone)))
        fresh = [term for term in synonyms(state.terms) if term not in state.terms][: self.most]
        state.words.expansion = state.details["expansion"] = dict.fromkeys(fresh, self.weight)
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


def date_forms(query: str, now: float, zone: tzinfo = UTC) -> list[str]:
    """Every day that the query names, in the forms in which texts write days, as seen from `now` in `zone`.

    "3月5日", "March 5", "2024/3/5", "前天" or "yesterday" all give X月Y日, m/d, YYYY-MM-DD, MM-DD, the month's
    name with the day, and the first two with zeros. Months, weeks and vague times are no day and give none.
    """
    # The grammar's tables take 50 ms to build: a question without a date must not pay for them.
    if not dates.has_time_expression(query):
        return []
    found = dates.resolve(query, datetime.fromtimestamp(now, zone))
    days = dict.fromkeys(each.start.date() for each in found if each.kind == "date" and each.explicit)
    return [form for day in days for form in forms_of(day)]


def forms_of(day: date) -> tuple[str, ...]:
    """A day as texts write it, with zeros and without, the year in the ISO form alone."""
    month = f"{day.month}月{day.day}日", f"{day.month}/{day.day}"
    forms = (*month, day.isoformat(), f"{day:%m-%d}", f"{day:%B} {day.day}", f"{day:%m/%d}", f"{day:%m月%d日}")
    return tuple(dict.fromkeys(forms))


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
def _groups() -> dict[str, list[tuple[frozenset[str], list[str]]]]:
    """First term -> the phrases that begin with it, each with the terms of its synonyms (`claims.synonyms`)."""
    found: dict[str, list[tuple[frozenset[str], list[str]]]] = defaultdict(list)
    for table in word_lists().values():
        for group in table.claims.synonyms:
            phrases = [_phrase(text) for text in group]
            for place, phrase in enumerate(phrases):
                every = dict.fromkeys(term for each in phrases[:place] + phrases[place + 1 :] for term in each)
                others = [term for term in every if term not in phrase]
                if phrase and others:
                    found[phrase[0]].append((frozenset(phrase), others))
    return dict(found)


def _phrase(text: str) -> list[str]:
    """The terms of a word; in a script without spaces its pairs, since its single characters mean too much."""
    found = terms(text)
    return [term for term in found if len(term) > 1] or found if is_unspaced(text) else found
