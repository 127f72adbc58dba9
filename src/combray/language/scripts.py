"""Script and language identification: by character ranges, and by stop words for Latin script."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from combray.language.caches import from_tables, late
from combray.language.folding import fold
from combray.language.lexicon import folded, word_lists
from combray.language.tables import by_script, default
from combray.language.text import Text, Written, passing, read_once

_RANGES = {
    "latin": "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff",
    "han": "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "kana": "\u3041-\u3096\u309d\u309e\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff\uff66-\uff9d",
    "hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3",
    "cyrillic": "\u0400-\u052f",
    "arabic": "\u0620-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "hebrew": "\u05d0-\u05ea",
    "devanagari": "\u0900-\u097f",
    "thai": "\u0e01-\u0e4e",
}
_LETTERS = {name: late(f"[{chars}]+") for name, chars in _RANGES.items()}

_SAMPLE = 2000
# One character of these scripts carries about as much as three letters, so "数据库用PostgreSQL" is Chinese.
_RUNS = re.compile("[a-z0-9]+")
# "Kathi's" and "aren't" hold no French "s'" and "t'": an elided word stands before its apostrophe.
_ENCLITICS = re.compile("(?<=[a-z])'(?=(?:s|t|d|m|ll|re|ve)(?![a-z0-9]))")
_WEIGHT = {"han": 3, "kana": 3, "hangul": 3}
# Japanese mixes Han with kana, Chinese has no kana: a tenth of kana decides.
_KANA_SHARE = 0.1


def _letter_counts(text: str) -> dict[str, int]:
    sample = text[:_SAMPLE]
    counts = {name: sum(map(len, runs.findall(sample))) for name, runs in _LETTERS.items()}
    return {name: count * _WEIGHT.get(name, 1) for name, count in counts.items() if count}


def script(text: str) -> str:
    """Return the script of most of the first 2,000 characters; "none" if there is no letter.

    One of latin, han, kana, hangul, cyrillic, arabic, greek, hebrew, devanagari, thai.
    """
    if text.isascii():
        return "latin" if _LETTERS["latin"].search(text) else "none"
    counts = _letter_counts(text)
    return max(counts, key=counts.__getitem__, default="none")


def language(text: Written) -> str:
    """Return the likeliest language as an ISO 639-1 code; "und" if there is no letter, English when in doubt.

    An inexpensive guess by script, distinctive letters and stop words, to choose a word list.
    """
    return _language(passing(text))


def _runs(folded: str) -> list[str]:
    """Return the runs of a folded text, enclitics joined to their word, as they are listed ("arent")."""
    return _RUNS.findall(_ENCLITICS.sub("", folded) if "'" in folded else folded)


@read_once
def _language(read: Text) -> str:
    text = read.text
    counts = {} if text.isascii() else _letter_counts(text)
    main = max(counts, key=counts.__getitem__) if counts else script(text)
    if main in ("han", "kana"):
        kana, han = counts.get("kana", 0), counts.get("han", 0)
        return by_script()["kana" if kana >= _KANA_SHARE * (kana + han) else "han"]
    if main != "latin":
        return by_script().get(main, "und")
    if text.isascii():
        return _winner(_votes(_runs(text[:_SAMPLE].lower())))
    lowered = text[:_SAMPLE].lower()
    votes = _votes(_runs(fold(lowered)))
    if not lowered.isascii():
        for code, letters in _distinctive_letters().items():
            votes[code] = votes.get(code, 0) + 2 * sum(char in letters for char in lowered)
    return _winner(votes)


@from_tables
def _distinctive_letters() -> dict[str, frozenset[str]]:
    return {code: frozenset(table.letters) for code, table in word_lists().items() if table.letters}


@from_tables
def _latin_stops() -> dict[str, tuple[str, ...]]:
    """Return the languages of every Latin-script stop word that speaks for them: not "car", French for "for"."""
    found: dict[str, tuple[str, ...]] = {}
    homographs = {word for table in word_lists().values() for word in folded(table.homographs)}
    for code, table in word_lists().items():
        for word in set(folded(table.stopwords)) - homographs:
            if word.isascii():
                found[word] = (*found.get(word, ()), code)
    return found


@from_tables
def _foreign_stops() -> frozenset[str]:
    """Return Latin-script stop words that are not English: without any of them the language is English."""
    return frozenset(word for word, codes in _latin_stops().items() if default() not in codes)


@from_tables
def _english_alone() -> frozenset[str]:
    """Return Latin-script stop words of English alone."""
    return frozenset(word for word, codes in _latin_stops().items() if codes == (default(),))


@from_tables
def _asking_first() -> dict[str, str]:
    """Return the language of each word that begins a question in it and is no everyday word of English."""
    unsure = {word for table in word_lists().values() for word in table.untelling} | _english_alone()
    return {
        word: code
        for code, table in word_lists().items()
        for word in folded((*table.telling, *(each for each in table.question_words if len(each) >= _TELLING)))
        if code != default() and word.isascii() and word not in unsure
    }


_TELLING = 4
"""Letters from which a question word speaks for its language."""


def _votes(found: Iterable[str]) -> dict[str, int]:
    listed = _latin_stops()
    votes: dict[str, int] = {}
    found = list(found)
    if found and (code := _asking_first().get(found[0])):
        # "Welche Durchwahl hat Annika?" has no other word of a list.
        votes[code] = 2
    for codes in filter(None, map(listed.get, found)):
        for code in codes:
            votes[code] = votes.get(code, 0) + 1
    return votes


def _winner(votes: dict[str, int]) -> str:
    """Return the language with most votes: English unless another has two votes and more than English."""
    best = max(votes, key=lambda code: (votes[code], code == default()), default=default())
    return best if votes.get(best, 0) >= 2 and votes[best] > votes.get(default(), 0) else default()


def stopword_language(found: Collection[str]) -> str:
    """Return the language whose stop words occur most among folded words; English when in doubt."""
    foreign = _foreign_stops()
    if foreign.isdisjoint(found):
        return default()
    # Another language has at most as many votes more than English as words that English lacks, and as many fewer
    # as words that only English has.
    if sum(map(foreign.__contains__, found)) <= sum(map(_english_alone().__contains__, found)):
        return default()
    return _winner(_votes(found))
