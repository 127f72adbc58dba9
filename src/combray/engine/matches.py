"""What speaks for a memory being what a request asks for: identifiers, names, words and meaning."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from combray.engine.namespace import Namespace
from combray.errors import ModelError
from combray.language.claim_tokens import vocabulary
from combray.language.folding import fold, is_unspaced, plain
from combray.language.lexicon import matcher
from combray.language.names import candidates, normal
from combray.language.requests import (
    Request,
    is_list,
    mentions_speaker,
    states_present,
    titles,
    without_legal_form,
)
from combray.language.tense import tense_of
from combray.language.tokens import content_terms, spellings
from combray.records import dataclass, field, replace
from combray.runtime.interruption import step
from combray.types import Memory

_BATCH = 1000
"""Memories between two announced steps."""
MOST_POSSIBLE = 10
"""Similar memories that a preview shows."""
_COVERED = 0.99
"""Share of the weighted terms of a description that a certain match holds."""
_LEAST_COVERED = 0.3
"""The same for a possible match."""
_COVERED_UNSPACED = 0.6
"""The same in a script without spaces, whose terms are pairs of characters, also of two words."""
_LEAST_STEM = 5
"""Characters that two forms of a word share at least."""
_RARE = 3
"""Memories of a namespace that hold a rare term at most, or a tenth of them."""
_OWNED = re.compile(r"[A-Z]\w+['’]s\s+([a-z]+)").finditer
_CYRILLIC = re.compile(r"[\u0400-\u04ff]{4,}").fullmatch
"""A name of one word whose last letter changes with its case: "Марина", "Марину"."""
_ABOVE = 0.3
"""Standard deviations above the mean cosine of the namespace from which a memory is a possible match."""
_LEAST_COSINE = 0.1
_OLD = timedelta(days=730)
"""A day that lies this far before the memory that names it is one like a birthday, and identifies something."""


@dataclass(slots=True)
class Judged:
    """Keys of certain matches with the reason; keys of possible ones with reason and score, best first."""

    certain: dict[int, str] = field(default_factory=dict)
    possible: dict[int, tuple[str, float]] = field(default_factory=dict)


def judge(space: Namespace, wanted: Request, memories: Mapping[int, Memory]) -> Judged:
    """Sort the memories of a namespace by what a request asks for."""
    judged = Judged()
    wanted = _with_known_names(space, wanted)
    texts = {key: " \n ".join(_texts(memory)) for key, memory in memories.items()}
    hints: dict[int, tuple[str, float]] = {}
    spelt = {name: _spellings(space, wanted, name, texts.values()) for name in wanted.names}
    for place, (key, text) in enumerate(texts.items()):
        if not place % _BATCH:
            step(f"{place} of {len(texts)} memories compared")
        if why := _holds(space, wanted, key, text) or _of_days(wanted, memories[key], text):
            judged.certain[key] = why
        elif hint := _hints(wanted, text):
            hints[key] = (hint, 0.9)
    if not wanted.identifiers and not wanted.days:
        _described(wanted, spelt, memories, texts, judged, hints)
    for key, related in _related(texts, judged.certain).items():
        hints.setdefault(key, related)
    for key, score in _similar(space, wanted, list(memories)).items():
        if key not in judged.certain:
            known = hints.get(key, ("", 0.0))
            hints[key] = (known[0] or "similar in meaning", max(known[1], score))
    best = sorted(hints.items(), key=lambda each: (-each[1][1], memories[each[0]].id))
    judged.possible = dict(each for each in best[:MOST_POSSIBLE] if each[0] not in judged.certain)
    return judged


def _with_known_names(space: Namespace, wanted: Request) -> Request:
    """Return the request with the declared and learned names of its topic, which need no capital: "k8s"."""
    listed = candidates(wanted.topic)
    pairs = space.reader.names(list(listed), list(listed))
    known = {name for pair in pairs for name in pair}.intersection(listed)
    known -= {normal(name) for name in wanted.names}
    # "Billing service" says more than "billing".
    longest = [name for name in known if not any(name != other and name in other for other in known)]
    if not longest:
        return wanted
    names = (*wanted.names, *(listed[name] for name in sorted(longest)))
    held = {term for name in longest for term in content_terms(name)}
    terms = tuple(each for each in wanted.terms if each not in held)
    return replace(wanted, names=names, terms=terms, any_name=is_list(wanted.topic, names))


def _spellings(space: Namespace, wanted: Request, name: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the name, with and without its legal form, and what is declared or learned for what it names.

    "Acme and Globex" is two names, unless a text has them as one.
    """
    known = normal(name)
    parts = name.split(" and ") if name in wanted.topic else [name]
    if len(parts) > 1 and any(map(matcher([_folded(name)]).search, map(_folded, texts))):
        parts = [name]
    pairs = space.reader.names([known], [known])
    canonicals = sorted({canonical for _, canonical in pairs})
    others = {each for pair in space.reader.names((), canonicals) for each in pair} if canonicals else set[str]()
    return tuple(dict.fromkeys((name, *map(without_legal_form, parts), *parts, *sorted(others - {known}))))


def _texts(memory: Memory) -> Iterator[str]:
    """Yield every text of a memory that a caller can have put an identifier or a name into."""
    yield from (memory.content, memory.context, memory.slot or "", *memory.tags, *memory.entities)
    yield from _strings(memory.metadata)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)


def _holds(space: Namespace, wanted: Request, key: int, text: str) -> str:
    for each in wanted.identifiers:
        if each.held_by(text):
            return f"holds {each.text}"
    if wanted.identifiers:
        for version in space.reader.history(key):
            before = " \n ".join(_strings(version.before))
            if before and any(each.held_by(before) for each in wanted.identifiers):
                return "an earlier version holds the identifier"
    return ""


def _of_days(wanted: Request, memory: Memory, text: str) -> str:
    """Return why a memory is of a day of the request: it names it, or it is of it and only a day is asked for."""
    for day in wanted.days:
        if day.held_by(text) and (_meant(wanted, text) or memory.moment - day.end > _OLD):
            return f"names {day.text}"
        if not wanted.terms and not wanted.names and not wanted.identifiers and day.includes(memory.moment):
            return f"is of {day.text}"
    return ""


def _meant(wanted: Request, text: str) -> bool:
    """Return whether a text that names the day shares a word or name with the request, if that has any."""
    terms = frozenset(content_terms(text))
    listed = {*wanted.terms, *(term for name in wanted.names for term in content_terms(name))}
    return not listed or any(_has(terms, each) for each in listed)


def _hints(wanted: Request, text: str) -> str:
    if any(day.held_by(text) for day in wanted.days):
        return "names the day"
    return next((f"ends like {each.text}" for each in wanted.identifiers if each.hinted_by(text)), "")


def _described(
    wanted: Request,
    spelt: Mapping[str, tuple[str, ...]],
    memories: Mapping[int, Memory],
    texts: Mapping[int, str],
    judged: Judged,
    hints: dict[int, tuple[str, float]],
) -> None:
    """Judge by the names and the words of a description."""
    patterns = [_named(spellings, titled=wanted.titled) for spellings in spelt.values()]
    surnames = [_surname(name) for name in wanted.names]
    terms = {key: frozenset(content_terms(text)) for key, text in texts.items()}
    weights = _weights(wanted.terms, terms)
    total = sum(weights.values())
    covered = _COVERED_UNSPACED if is_unspaced(wanted.topic) else _COVERED
    for key, text in texts.items():
        folded = _folded(text)
        named = [
            name
            for name, pattern, surname in zip(wanted.names, patterns, surnames, strict=True)
            if pattern(text) or (surname is not None and surname(text) is not None)
        ]
        share = sum(weights[each] for each in weights if _has(terms[key], each)) / total if total else 1.0
        if (
            (len(named) == len(patterns) or (named and wanted.any_name))
            and share >= covered
            and not (wanted.owned and _of_another(wanted, text, terms[key]))
            and not (wanted.past and not wanted.names and states_present(text, wanted.terms))
            and not (wanted.ended and tense_of(text) == "present" and memories[key].status == "active")
        ):
            judged.certain[key] = f"names {named[0]}" if named else f"says {wanted.topic}"
        elif named or (share >= _LEAST_COVERED and wanted.terms):
            hints[key] = ("names it" if named else "shares words of the request", 0.5 + 0.4 * share)
        elif not patterns and _of_kind(wanted, terms[key]):
            hints[key] = ("may be about it", 0.4)
        elif patterns and _shares_a_word(wanted, folded):
            hints[key] = ("shares a part of the name", 0.4)


def _folded(text: str) -> str:
    return fold(text).replace(" & ", " and ").replace("-", " ")


def _has(held: frozenset[str], term: str) -> bool:
    """Return whether a text holds a term, or another form of it: "allergic", "allergy"."""
    if term in held:
        return True
    if len(term) < _LEAST_STEM:
        return False
    size = max(_LEAST_STEM, len(term) - 2)
    return any(len(each) <= len(term) + 3 and each[:size] == term[:size] for each in held)


def _of_kind(wanted: Request, terms: frozenset[str]) -> bool:
    """Return whether each term of the description is met by a word of its family: "pets" by "cats"."""
    return bool(wanted.terms) and all(_has(terms, each) for each in wanted.terms)


def _surname(name: str) -> Callable[[str], re.Match[str] | None] | None:
    """Return a search for the last word of a person's name, without another first name before it or with a title.

    Of a name of three words or more only with a title: "anh An" for "Nguyễn Văn An".
    """
    words = name.split()
    if len(words) < 2 or "and" in words or without_legal_form(name) != name:
        return None
    last, any_title = re.escape(words[-1]), "|".join(map(re.escape, titles()))
    titled = rf"(?i:\b(?:{any_title})\b)\.?\s{last}(?!\w)"
    if len(words) > 2:
        return re.compile(titled).search
    alone = rf"(?<![\w-])(?<![A-Z][a-z]\s)(?<![a-z]\s){last}(?!\w)"
    return re.compile(rf"{alone}|{titled}").search


def _named(spellings: Sequence[str], *, titled: bool) -> Callable[[str], bool]:
    """Return a test whether a text holds one of the spellings as a whole word.

    Accents count in a name that has some ("Tuấn" is not "tuần"). Behind a title it is a person's name, which
    another capitalised word would change ("Coach Mercer" is not "Mercer Street").
    """
    inflected = [
        rf"(?<!\w){re.escape(_folded(each)[:-1])}\w{{0,2}}(?!\w)" for each in spellings if _CYRILLIC(each)
    ]
    known = matcher([_folded(each) for each in spellings], *inflected)
    accents = [matcher([plain(each)]) for each in spellings if not each.isascii() and not _CYRILLIC(each)]
    longer = "|".join(re.escape(each) for each in spellings)
    other = re.compile(rf"(?:{longer})\s[A-Z]")

    def test(text: str) -> bool:
        if accents and not text.isascii():
            return any(each.search(plain(text)) for each in accents)
        return known.search(_folded(text)) is not None and not (titled and other.search(text))

    return test


def _of_another(wanted: Request, text: str, terms: frozenset[str]) -> bool:
    """Return whether a text is hardly about the speaker, whom it does not mention.

    It names another owner ("Dana's salary"), or shares one word only with the request.
    """
    if wanted.names or mentions_speaker(text):
        return False
    owned = [hit[1] for hit in _OWNED(text)]
    another = any(_has(frozenset(content_terms(each)), term) for each in owned for term in wanted.terms)
    return another or (len(wanted.terms) == 1 and len(terms) > 1)


def _shares_a_word(wanted: Request, folded: str) -> bool:
    parts = [part for name in wanted.names for part in fold(name).split() if len(part) > 2 and part != "and"]
    return len(parts) > len(wanted.names) and matcher(parts).search(folded) is not None


def _weights(wanted: tuple[str, ...], terms: Mapping[int, frozenset[str]]) -> dict[str, float]:
    """Return inverse document frequencies of the terms of a description."""
    n = len(terms)
    return {each: math.log(1 + n / (1 + sum(each in held for held in terms.values()))) for each in wanted}


def _related(texts: Mapping[int, str], certain: Collection[int]) -> dict[int, tuple[str, float]]:
    """Return memories that share a rare term with a certain match: why, and a score below other evidence."""
    terms = {key: frozenset(content_terms(text)) for key, text in texts.items()}
    known = frozenset(term for key in certain for term in terms[key])
    held = Counter(term for some in terms.values() for term in some)
    most = max(_RARE, len(texts) // 10)
    rare = {term for term in known if held[term] <= most}
    found, calendar = {}, vocabulary().calendar
    for key, some in terms.items():
        if key in certain or rare.isdisjoint(some):
            continue
        # A month or a small number in common relates no two texts.
        spelt = [word for term, word in spellings(texts[key]).items() if term in rare]
        if words := [word for word in spelt if word not in calendar and (len(word) > 2 or not word.isdecimal())]:
            why = f"shares {', '.join(words[:3])} with a certain match"
            found[key] = why, 0.3 * len(words) / (len(words) + 2)
    return found


def _similar(space: Namespace, wanted: Request, keys: list[int]) -> dict[int, float]:
    """Return cosines of the memories that stand out from the namespace; nothing without an embedder."""
    embedder = space.runtime.embedder
    if embedder is None or not keys:
        return {}
    try:
        vector = embedder.embed([wanted.topic])[0]
    except ModelError:
        return {}
    cosines = space.reader.similarity(embedder.name, vector, np.array(keys, dtype=np.int64))
    least = max(_LEAST_COSINE, float(cosines.mean() + _ABOVE * cosines.std()))
    return {key: float(cosine) for key, cosine in zip(keys, cosines, strict=True) if cosine >= least}
