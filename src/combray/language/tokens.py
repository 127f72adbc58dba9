"""Tokenising: text to words and index terms, in every script.

Latin, Cyrillic, Arabic and similar scripts are split at everything but letters and digits. Han, kana, Thai and
other scripts without spaces give every character and every pair of neighbours (bigrams), so any substring of a
text finds it. Hangul words also give their stem without the particle.
"""

from __future__ import annotations

import functools
import math
import re
import threading
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import filterfalse
from typing import NamedTuple

import Stemmer

from combray.language.caches import from_tables, late
from combray.language.folding import HANGUL, UNSPACED, ascii_runs, fold, is_unspaced
from combray.language.lexicon import folded, phrases, word_lists
from combray.language.marks import Lists, Marks
from combray.language.scripts import language, stopword_language
from combray.language.tables import default
from combray.language.text import (
    Text,
    Written,
    fold_of,
    fold_words,
    passing,
    plain_runs,
    question_of,
    read_once,
)

_letters = late(r"[^\W\d_]+")
_letter_beyond_ascii = late(r"[^\W\d_\x00-\x7f]")

# Combining marks that belong inside a word although they are no letters (Indic and South-East Asian vowels).
_MARKS = "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0980-\u0983\u09bc-\u09d7\u0a01-\u0a03\u0a3c-\u0a51"
_MARKS += "\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3e-\u0c56"
_MARKS += "\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d57\u0d81-\u0d83\u0dca-\u0ddf"
_runs = late(f"([{UNSPACED}]+)|([{HANGUL}]+)|((?:[^\\W_{UNSPACED}{HANGUL}]|[{_MARKS}])+)")
_plain_runs = late(r"[^\W_]+")
# Broader than necessary: a folded text without any of these has no marks inside its words and no letters of a
# script without spaces. As what it excludes: that compiles in a seventh of the time.
_needs_care = late("[^\x00-\u08ff\u2000-\u2e7f]")

# "don't" is one word ("dont"), since it negates; other clitics carry no topic.
_NEGATED = late(r"n't(?![a-z0-9])")
# The apostrophe comes first, so that the regex engine jumps from one to the next.
_CLITIC = late(r"'(?<=[^\W_]')(?:s|m|re|ll|ve|d)(?![a-z0-9])")

# Characters of a script without spaces per word, for word counts.
_CHARACTERS_PER_WORD = 1.6
_MAX_CACHED_STEMS = 200_000
_stemmers = threading.local()


class _Stems(dict[str, str]):
    """Index term by word, filled on demand: a dict lookup is far cheaper than a call of the stemmer."""

    def __init__(self, forms: Mapping[str, str]) -> None:
        super().__init__()
        self._forms = forms

    def __missing__(self, word: str) -> str:
        stemmed = _porter2(self._forms.get(word, word))
        if len(self) >= _MAX_CACHED_STEMS:
            self.clear()
        self[word] = stemmed
        return stemmed


def _porter2(word: str) -> str:
    # A digit makes it an identifier; more than 40 letters are not an English word.
    if not (3 < len(word) <= 40 and word.isascii() and word.isalpha()):
        return word
    try:
        stemmer = _stemmers.english
    except AttributeError:
        # Stemmer objects are not safe to share between threads. Their own cache costs more than stemming anew.
        stemmer = _stemmers.english = Stemmer.Stemmer("english", 0)
    return str(stemmer.stemWord(word))


_plain_stems = _Stems({})


@from_tables
def _stems() -> _Stems:
    """Return the stems of words; irregular forms and everyday synonyms share one: "went" -> "go"."""
    listed = [entry for table in word_lists().values() for entry in table.forms.items()]
    return _Stems({fold(form): fold(base) for base, forms in listed for form in forms})


class Words(NamedTuple):
    """The words of a text, in the lower-case spelling (folded if it is not ASCII) that they were split in.

    `careful`: words of this text are more than runs of letters and digits.
    """

    folded: str
    careful: bool
    words: tuple[str, ...]


@read_once
def split(text: Text) -> Words:
    """Return the words of a text with the spelling that they were split in. Never raises."""
    if text.text.isascii():
        folded = text.text.lower()
        # Without an apostrophe nothing is joined or dropped: the words are the runs that others read too.
        return Words(folded, False, tuple(_split(folded, False)) if "'" in folded else plain_runs(text))
    folded = fold_of(text)
    careful = _needs_care.search(folded) is not None
    return Words(folded, careful, tuple(_split(folded, careful)))


@read_once
def all_runs(text: Text) -> tuple[str, ...]:
    """Return runs of letters and digits in lower case, as written: not folded, joined or filtered."""
    if not text.text.isascii():
        return tuple(_plain_runs.findall(text.text.lower()))
    folded, _, found = split(text)
    return tuple(ascii_runs(folded)) if "'" in folded else found


@read_once
def all_terms(text: Text) -> tuple[str, ...]:
    """Return the terms, as the function `terms`."""
    return tuple(map(_stems().__getitem__, split(text).words))


@read_once
def content(text: Text) -> tuple[str, ...]:
    """Return the content terms, as the function `content_terms`."""
    found = split(text).words
    stops = _stops_for(found)
    if apart := _distinct_by_accents(text.text):
        stops -= apart
    return tuple(map(_stems().__getitem__, filterfalse(stops.__contains__, found)))


@read_once
def count(text: Text) -> int:
    """Return the number of words, as the function `word_count`."""
    folded, careful, found = split(text)
    if careful or "'" in folded or "`" in folded:
        return _count(folded, careful)
    return len(found)


def words(text: str) -> list[str]:
    """Return folded words in order. "don't" -> "dont", "Caroline's" -> "caroline", "v1.2.3" -> "v1", "2", "3".

    Scripts without spaces give each character followed by the pair it starts: "数据库" -> 数 数据 据 据库 库.
    Never raises.
    """
    return list(split(passing(text)).words)


def _split(folded: str, careful: bool) -> list[str]:
    if "'" in folded:
        folded = _CLITIC.sub("", _NEGATED.sub("nt", folded))
    if folded.isascii():
        return ascii_runs(folded)
    if not careful:
        return _plain_runs.findall(folded)
    found: list[str] = []
    for unspaced, hangul, spaced in _runs.findall(folded):
        if spaced:
            found.append(spaced)
        elif hangul:
            found += _hangul(hangul)
        else:
            for place, char in enumerate(unspaced[:-1]):
                found += (char, unspaced[place : place + 2])
            found.append(unspaced[-1])
    return found


def _hangul(word: str) -> tuple[str, ...]:
    """Return the word, and its stem of two or more syllables if it ends in a particle (OpenClaw's rule)."""
    for particle in _particles():
        if word.endswith(particle) and len(word) - len(particle) >= 2:
            return word, word[: -len(particle)]
    return (word,)


@from_tables
def _particles() -> tuple[str, ...]:
    return tuple(sorted(phrases(lambda table: table.particles), key=lambda each: (-len(each), each)))


def stem(word: str) -> str:
    """Return the Porter2 stem of a folded ASCII word of 4 to 40 letters; any other word unchanged.

    Irregular forms stay distinct here: a comparison of statements must not take "went" for "go".

    Source: Porter, "An algorithm for suffix stripping", Program 14 (1980); https://snowballstem.org.
    """
    return _plain_stems[word]


def terms(text: str) -> list[str]:
    """Return stemmed words in order, stop words included, as the keyword index holds them.

    Irregular forms and some everyday synonyms share a term: "went" -> "go", "mom" -> "mother".
    """
    return list(all_terms(passing(text)))


def spellings(text: str) -> dict[str, str]:
    """Return each term of a text, in order, with the folded word that it first stands for: {"hous": "houses"}."""
    found: dict[str, str] = {}
    read = passing(text)
    for term, word in zip(all_terms(read), split(read).words, strict=True):
        found.setdefault(term, word)
    return found


@from_tables
def _stops() -> dict[str, frozenset[str]]:
    """Return stop words by language: its own, and those of languages in other scripts."""
    own = {code: frozenset(folded(table.stopwords)) for code, table in word_lists().items()}
    elsewhere = frozenset(word for listed in own.values() for word in listed if not word.isascii())
    return {code: listed | elsewhere for code, listed in own.items()}


def _stops_for(found: Sequence[str]) -> frozenset[str]:
    stops = _stops()
    return stops.get(stopword_language(found)) or stops[default()]


@from_tables
def _spelt_stops() -> frozenset[str]:
    """Return stop and question words of all languages, with accents."""
    listed = (word for table in word_lists().values() for word in (*table.stopwords, *table.question_words))
    return frozenset(map(_spelt, listed))


def _spelt(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()


def _distinct_by_accents(text: str) -> frozenset[str]:
    """Return folded words whose accented spelling is not a stop word: "chó", a dog, is not "cho", for."""
    if text.isascii():
        return frozenset()
    spelt = _spelt(text)
    if not _letter_beyond_ascii.search(spelt):
        return frozenset()
    return frozenset(map(fold, frozenset(_letters.findall(spelt)) - _spelt_stops()))


def is_stop(word: str, lang: str = "") -> bool:
    """Return whether a word is a stop word of `lang` (default: English), or of a language in another script."""
    stops = _stops()
    return fold(word) in (stops.get(lang) or stops[default()])


def content_terms(text: str) -> list[str]:
    """Return stemmed words in order without the stop words of the text's language."""
    return list(content(passing(text)))


@read_once
def term_set(text: Text) -> frozenset[str]:
    """Return the distinct content terms, for overlap measures."""
    return frozenset(content(text))


@from_tables
def _question_words() -> dict[str, frozenset[str]]:
    """Return single question words by language, as `_stops` does: "ai" asks "who" in Vietnamese only."""
    own = {
        code: frozenset(word for word in folded(table.question_words) if _is_one_word(word))
        for code, table in word_lists().items()
    }
    elsewhere = frozenset(word for listed in own.values() for word in listed if not word.isascii())
    return {code: listed | elsewhere for code, listed in own.items()}


def _is_one_word(phrase: str) -> bool:
    """Return whether `words` gives the phrase alone.

    Letters of the scripts whose pattern takes 4 ms to compile are looked at one by one.
    """
    if is_unspaced(phrase):
        return len(phrase) == 1
    if all("\uac00" <= letter <= "\ud7a3" for letter in phrase):
        return len(_hangul(phrase)) == 1
    return words(phrase) == [phrase]


@from_tables
def _asking() -> Lists:
    """The phrases of questions, and the requests at the start of a query.

    In a script without spaces a request is removed anywhere: it would form bigrams with its neighbours.
    """
    questions = phrases(lambda table: table.question_words)
    requested = phrases(lambda table: table.request_words)
    anywhere = [phrase for phrase in questions if not _is_one_word(phrase)]
    anywhere += [phrase for phrase in requested if is_unspaced(phrase)]
    return Lists({"anywhere": anywhere, "requests": requested})


@read_once
def _asking_marks(text: Text) -> Marks:
    return _asking().of(fold_of(text), fold_words(text))


def request_in(text: Text) -> int:
    """Return where a request at the start of a text ends ("please", "tell me about"); 0 for none."""
    marks = _asking_marks(text)
    pattern = marks.pattern("requests")
    found = _at_start(pattern).match(marks.text) if pattern else None
    return found.end() if found else 0


@functools.lru_cache(maxsize=256)
def _at_start(requests: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(rf"\A(?:[\W_]*(?:{requests.pattern}))+")


@from_tables
def _fillers() -> dict[str, re.Pattern[str]]:
    listed = {code: fold(table.fillers) for code, table in word_lists().items() if table.fillers}
    return {code: re.compile(f"[{re.escape(characters)}]") for code, characters in listed.items()}


def query_terms(text: Written) -> list[str]:
    """Return distinct content terms in order, without question words and a leading request ("tell me about").

    In a script without spaces the characters without topic are removed first: they would form bigrams with their
    neighbours. If nothing is left, return the distinct terms of the whole text.
    """
    return list(_query_terms(question_of(text) if type(text) is str else passing(text)))


@read_once
def _query_terms(read: Text) -> tuple[str, ...]:
    split_in, _, every = split(read)
    code, apart, stems = stopword_language(every), _distinct_by_accents(read.text), _stems()
    code = code if code in _stops() else default()
    stops, single = _stops()[code], _question_words()[code]
    folded, end = fold_of(read), request_in(read)
    asked = f" {folded[end:]}" if end else folded
    if question := _asking_marks(read).pattern("anywhere"):
        asked = question.sub(" ", asked)
    fillers = None if asked.isascii() else _fillers().get(language(read.text))
    if fillers:
        asked = fillers.sub(" ", asked)
    found = every if asked == split_in else words(asked)
    content = [word for word in found if word in apart or not (word in stops or word in single)]
    return tuple(dict.fromkeys([stems[word] for word in content]) or dict.fromkeys(all_terms(read)))


def word_count(text: str) -> int:
    """Return the number of words: spaced words, plus characters of unspaced scripts / 1.6, rounded up."""
    return count(passing(text))


def _count(folded: str, careful: bool) -> int:
    joined = folded.replace("'", "").replace("`", "")
    if not careful:
        return len((ascii_runs if joined.isascii() else _plain_runs.findall)(joined))
    spaced = characters = 0
    for unspaced, _, _ in _runs.findall(joined):
        characters += len(unspaced)
        spaced += not unspaced
    return spaced + math.ceil(characters / _CHARACTERS_PER_WORD)
