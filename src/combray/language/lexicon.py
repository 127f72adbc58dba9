"""The language tables: one JSON file per language, loaded once, on first use.

A language is added by writing a table, never by changing code: put `xx.json` into the package's `tables`
folder, or into a folder of your own passed to `add_folder`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

from combray.language.folding import fold, is_unspaced

T = TypeVar("T")

_PACKAGED = Path(__file__).parent / "tables"


class Causality(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases that say one thing brought about, made possible or stopped another."""

    causes: list[str] = []
    enables: list[str] = []
    prevents: list[str] = []


class Polarity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What turns a statement round.

    negations: words and phrases that negate; contracted: one-word forms and what they stand for ("dont":
    "not"); affirmative: phrases that hold a negation but do not negate ("not only"); changes: phrases that
    say an earlier state has ended; accented_only: phrases too ambiguous without their accents; prefixes:
    beginnings that make a word its opposite ("un"); antonyms: pairs that exclude each other.
    """

    negations: list[str] = []
    contracted: dict[str, str] = {}
    affirmative: list[str] = []
    changes: list[str] = []
    accented_only: list[str] = []
    prefixes: list[str] = []
    antonyms: list[tuple[str, str]] = []


class Claims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a statement is built of.

    neutral: words that come and go without changing it ("the", "really"); hedges: words whose coming or
    going changes what is claimed ("might", "if", "by"); synonyms: groups of words of one meaning; verbs:
    frequent verbs, where the subject ends; adverbs: words between subject and verb ("never", "still");
    single: words of a property with one value at a time ("favourite"); states: verbs whose number or date is
    one value at a time ("is", "has"); indefinite: articles of something new; definite: words before something
    known; owner_before, owner_after: what follows or precedes an owner ("'s", "của"); measures: groups of
    spellings of one unit; numbers: number words.
    """

    neutral: list[str] = []
    hedges: list[str] = []
    synonyms: list[list[str]] = []
    verbs: list[str] = []
    single: list[str] = []
    states: list[str] = []
    indefinite: list[str] = []
    definite: list[str] = []
    adverbs: list[str] = []
    owner_before: list[str] = []
    owner_after: list[str] = []
    measures: list[list[str]] = []
    numbers: dict[str, str] = {}


class Cues(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What tells the kinds of answer a text holds.

    numbers: number words, or the digits of an unspaced script; counters: what follows such a digit when
    something is counted; reasons: words and phrases before a reason; before_places: words before the name of
    a place; articles: words between those and the name.
    """

    numbers: list[str] = []
    counters: list[str] = []
    reasons: list[str] = []
    before_places: list[str] = []
    articles: list[str] = []


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's words; every section may be left out, and letter case does not matter.

    letters: letters that tell the language from others in its script; calendar: names of days, months and
    days relative to today; not_names: capitalised words that are no names; pronouns: by person; forms:
    irregular forms and everyday synonyms by the word they are indexed as ("go": ["went", "gone"]);
    particles: endings cut off a word (Korean); fillers: characters of an unspaced script that carry no topic;
    asked: phrases of a question by the kind of answer it wants ("number", "reason", "place", "person",
    "title").
    """

    lang: str
    letters: str = ""
    stopwords: list[str] = []
    question_words: list[str] = []
    request_words: list[str] = []
    particles: list[str] = []
    fillers: str = ""
    calendar: list[str] = []
    not_names: list[str] = []
    pronouns: dict[str, list[str]] = {}
    intent: dict[str, list[str]] = {}
    causality: Causality = Causality()
    polarity: Polarity = Polarity()
    claims: Claims = Claims()
    cues: Cues = Cues()
    asked: dict[str, list[str]] = {}
    forms: dict[str, list[str]] = {}


_folders: list[Path] = [_PACKAGED]
_clear: list[Callable[[], None]] = []


def derived(build: Callable[[], T]) -> Callable[[], T]:
    """Cache what is built from the tables until a folder of tables is added or removed."""
    cached = functools.cache(build)
    _clear.append(cached.cache_clear)
    return cached


def _read(path: Path) -> Table:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Table)
    except msgspec.MsgspecError as error:
        raise ValueError(
            f"language table {path.name} cannot be read: {error}; "
            "compare it with the sections of combray/language/tables/en.json"
        ) from error


@derived
def tables() -> dict[str, Table]:
    """Every table by language code, in order of code; a later folder's table replaces an earlier one's.

    Raises ValueError if a table is not valid JSON or has an unknown section.
    """
    found = [_read(path) for folder in _folders for path in sorted(folder.glob("*.json"))]
    return dict(sorted({table.lang: table for table in found}.items()))


def add_folder(folder: Path) -> None:
    """Use the tables of one more folder, in addition to the package's own."""
    if not folder.is_dir():
        raise ValueError(f"language table folder {folder} is not a folder; pass one that holds <lang>.json files")
    if folder not in _folders:
        _folders.append(folder)
        _forget()


def remove_folder(folder: Path) -> None:
    """Undo `add_folder`; a folder that was never added is ignored."""
    if folder in _folders[1:]:
        _folders.remove(folder)
        _forget()


def _forget() -> None:
    for clear in _clear:
        clear()


def folded(words: Iterable[str]) -> list[str]:
    """Every word or phrase folded, in order; folding them in one go keeps the first call fast."""
    joined = "\n".join(words)
    return fold(joined).split("\n") if joined else []


def phrases(pick: Callable[[Table], Iterable[str]]) -> list[str]:
    """The folded phrases that `pick` takes from every table: distinct, longest first."""
    found = set(folded(phrase for table in tables().values() for phrase in pick(table)))
    return sorted(found, key=lambda phrase: (-len(phrase), phrase))


def matcher(wanted: Iterable[str]) -> re.Pattern[str]:
    """A pattern for folded text that finds any of the folded phrases, whole words only.

    Scripts written without spaces have no word boundary, so their phrases match anywhere.
    """
    spaced: list[str] = []
    unspaced: list[str] = []
    for phrase in wanted:
        body = r"\s+".join(re.escape(part) for part in phrase.split())
        (unspaced if is_unspaced(phrase) else spaced).append(body)
    alternatives = []
    if spaced:
        alternatives.append(rf"(?<![\w'])(?:{'|'.join(spaced)})(?!\w)")
    alternatives += unspaced
    return re.compile("|".join(alternatives) if alternatives else r"(?!)")
