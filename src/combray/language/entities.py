"""Entities named in a text: code names, acronyms, paths, addresses, titles, technologies, people.

The patterns and the dictionary of technologies follow Mnemon, see docs/reference/presets.md.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection
from pathlib import Path

import msgspec

from combray.language.caches import from_tables, late
from combray.language.folding import fold
from combray.language.lexicon import word_lists
from combray.language.marks import matcher
from combray.language.names import given_names
from combray.records import known

MAX_ENTITIES = 50

_TECHNOLOGY = Path(__file__).parent / "technology.json"

# The character class precedes the lookbehind, so that the regex engine jumps from capital to capital.
_camel_case = late(r"[A-Z](?<!\w[A-Z])[a-z]+(?:[A-Z][a-z]+)+\b")
_acronym = late(r"[A-Z](?<![^\W_][A-Z])[A-Z]{1,5}(?![^\W_])")
_capitalised = late(r"[A-Z](?<![^\W_][A-Z])[a-zA-Z0-9]+(?![^\W_])")
# A slash makes it a path; otherwise the extension must begin with a letter, which excludes "3.14" and "e.g.".
_path = re.compile(
    r"(?:^|(?<=[\s\"'(`]))[.\w/~-]*(?:/[.\w-]+\.\w{1,10}|[\w-]\.[A-Za-z]\w{1,9}|[\w-]{2}\.[A-Za-z])(?=[\s\"'),.;:`]|$)"
).finditer
# Every path matches this, and it is far faster to search.
_path_dot = re.compile(r"\.\w").search
_url = late(r"https?://[^\s\"'<>()\]]+[^\s\"'<>()\].,;:!?]")
_mention = late(r"(?<![\w@/.])@\w[\w-]*")
_title = late("《([^《》]{1,60})》|「([^「」]{1,60})」")
_OWNING = ("'s", "’s")
_sentence_end = late(r"[.!?…:。！？\n\"“(]\s*$")

_UPPER = re.compile("[A-Z]")
_LAST = 0xFFFF
"""Scripts above the basic plane have capitals too (Deseret, Adlam); they would make the class slow."""
_word = late(r"[^\W\d_]+")
_ascii_capitalised = re.compile(r"[A-Z](?<![A-Za-z][A-Z])[A-Za-z]*")
_SENTENCE_ENDS = frozenset('.!?…:。！？\n"“(') | {""}
_REST = r"(?:[^\W\d_]|['’-](?=[^\W\d_]))*"


def _runs_of(capital: str) -> re.Pattern[str]:
    """Return a pattern of one to four capitalised words in a row, with particles of names between them."""
    particle = r"(?:(?:de|da|van|von|la|del|bin|al)\s)?"
    return re.compile(rf"[{capital}](?<![\w@/.#-].){_REST}(?:\s{particle}[{capital}]{_REST}){{0,3}}")


_ascii_name = _runs_of("A-Z")


@functools.cache
def _any_name() -> re.Pattern[str]:
    """Return the same with the capitals of every script: `re` has no class for them. It takes 10 ms."""
    capital = "".join(char for char in map(chr, range(_LAST + 1)) if char.istitle())
    return _runs_of(capital)


class _Technology(msgspec.Struct, frozen=True):
    names: list[str]
    not_acronyms: list[str]


@from_tables
def _technology() -> tuple[frozenset[str], frozenset[str]]:
    listed = msgspec.json.decode(_TECHNOLOGY.read_bytes(), type=known(_Technology))
    return frozenset(listed.names), frozenset(listed.not_acronyms)


@from_tables
def _never_names() -> frozenset[str]:
    """Return, in lower case, words that are always capitalised but are not names ("Monday", "OK")."""
    return frozenset(w.lower() for table in word_lists().values() for w in table.not_names + table.calendar)


@from_tables
def _not_names() -> frozenset[str]:
    """Return those, and words that are capitalised because a sentence begins with them."""
    lists = ((table.stopwords, table.question_words, table.claims.verbs) for table in word_lists().values())
    return _never_names().union(word.lower() for sections in lists for listed in sections for word in listed)


@from_tables
def technology_words() -> frozenset[str]:
    """Return the technology names in lower case, without everyday words ("go", "next")."""
    return frozenset(name.lower() for name in _technology()[0] if len(name) > 4) - _not_names()


Found = list[tuple[int, int, str]]


def extract(text: str, known: Collection[str] | Callable[[str], bool] = ()) -> list[str]:
    """Return distinct entities in order of appearance, at most 50, the longest where several overlap.

    CamelCase words, acronyms of 2-6 capitals (common words excluded), file paths, URLs, @mentions, titles in
    《…》 and 「…」, and technology names (whole word, case-sensitive). `known` are the entities of the
    namespace: a collection also finds names of several words, in any script; a predicate is called for each
    capitalised word. Spelling is kept as written; known names are returned as they are known.
    """
    found: Found = []
    if _UPPER.search(text):
        found += _capital_entities(text, known)
    if "." in text or "/" in text:
        found += _addresses(text)
    if "@" in text:
        found += [(hit.start(), hit.end(), hit[0]) for hit in _mention.finditer(text)]
    if "《" in text or "「" in text:
        found += [(hit.start(), hit.end(), (hit[1] or hit[2]).strip()) for hit in _title.finditer(text)]
    if not callable(known) and known:
        found += _known_names(text, known)
    return _in_order(found)


def _capital_entities(text: str, known: Collection[str] | Callable[[str], bool]) -> Found:
    technology, not_acronyms = _technology()
    is_known = known if callable(known) else frozenset(known).__contains__
    found = [(hit.start(), hit.end(), hit[0]) for hit in _camel_case.finditer(text)]
    found += [(hit.start(), hit.end(), hit[0]) for hit in _acronym.finditer(text) if hit[0] not in not_acronyms]
    for hit in _capitalised.finditer(text):
        if hit[0] in technology or is_known(hit[0]):
            found.append((hit.start(), hit.end(), hit[0]))
    if "gRPC" in text:
        found += [(hit.start(), hit.end(), hit[0]) for hit in re.finditer(r"\bgRPC\b", text)]
    return found


def _addresses(text: str) -> Found:
    urls = [(hit.start(), hit.end(), hit[0]) for hit in _url.finditer(text)] if "://" in text else []
    if not _path_dot(text):
        return urls
    paths = [(hit.start(), hit.end(), hit[0].rstrip(".")) for hit in _path(text) if "@" not in hit[0]]
    return urls + [path for path in paths if not any(start <= path[0] < end for start, end, _ in urls)]


def _known_names(text: str, known: Collection[str]) -> Found:
    """Find known names other than single capitalised ASCII words: whole words, case-sensitive."""
    odd = [name for name in known if name in text]
    odd = [
        name for name in odd if not (name.isascii() and name.isalnum() and name[0].isupper() and len(name) > 1)
    ]
    return [(hit.start(), hit.end(), hit[0]) for hit in matcher(odd).finditer(text)]


def _in_order(found: Found) -> list[str]:
    """Return distinct names by place, without hits inside a longer one."""
    kept: dict[str, None] = {}
    reached = -1
    for _start, end, name in sorted(found, key=lambda hit: (hit[0], -hit[1])):
        if end > reached and name:
            kept[name] = None
            reached = end
            if len(kept) == MAX_ENTITIES:
                break
    return list(kept)


def names(text: str, known: Collection[str] = ()) -> list[str]:
    """Return distinct capitalised names of people and places, in order, at most 50. Conservative.

    A name is capitalised in mid-sentence, or is a sentence's first word and a given name, one of `known` (in
    lower case), a name elsewhere in the text or an owner ("Caroline's dog"). Texts mostly in capitals or title
    case give none.
    """
    if not _mixed_case(text):
        return []
    sure: dict[str, None] = {}
    opening: list[tuple[int, str]] = []
    places: dict[str, int] = {}
    for hit in (_ascii_name if text.isascii() else _any_name()).finditer(text):
        for start, name in _trimmed(hit.start(), hit[0]):
            at_start = start == 0 or _sentence_end.search(text[max(0, start - 4) : start]) is not None
            owned = name.endswith(_OWNING)
            name = name[:-2] if owned else name
            if len(name) < 2 or name.isupper():
                continue
            places.setdefault(name, start)
            if at_start and not owned:
                opening.append((start, name))
            else:
                sure[name] = None
    parts = {part for name in sure for part in name.split()}
    for _, name in opening:
        # At the start of a sentence: a person, a name elsewhere, or two or more capitalised words.
        words = name.split()
        person = len(words) == 1 and (
            name.lower() in known or not given_names().isdisjoint((name.lower(), fold(name)))
        )
        if person or name in parts or 1 < len(words) < 4 or (len(words) > 1 and not parts.isdisjoint(words)):
            sure[name] = None
    return sorted(sure, key=places.__getitem__)[:MAX_ENTITIES]


def capitalised_words(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return, in lower case, all capitalised words that may be names, and those inside a sentence.

    Faster than `names` and less certain: for comparing texts, not for storing entities.
    """
    every, inside = set(), set()
    for hit in (_ascii_capitalised if text.isascii() else _word).finditer(text):
        word = hit[0]
        if word[0].isupper():
            every.add(word.lower())
            if hit.start() and text[hit.start() - 2 : hit.start()].strip()[-1:] not in _SENTENCE_ENDS:
                inside.add(word.lower())
    known = _not_names()
    return frozenset(every - known), frozenset(inside - known)


def _trimmed(start: int, run: str) -> list[tuple[int, str]]:
    """Trim words that are not names from the ends of a run of capitalised words ("But Alice" -> "Alice")."""
    words = run.split()
    first = 0
    # "An" may end a Vietnamese name, so stop words are trimmed at the front only.
    while first < len(words) and _bare(words[first]) in _not_names():
        # One white space separates the words of a run.
        start += len(words[first]) + 1
        first += 1
    last = len(words)
    while first < last and _bare(words[last - 1]) in _never_names():
        last -= 1
    return [(start, " ".join(words[first:last]))] if first < last else []


def _bare(word: str) -> str:
    return word.partition("'")[0].partition("’")[0].lower()


def _mixed_case(text: str) -> bool:
    """Return whether capitals are informative: at most seven in ten cased words begin with one."""
    if text.isascii():
        cased = [word[0] for word in text.split() if word[0].isalpha()]
    else:
        cased = [word[0] for word in text.split() if word[0].isalpha() and word.lower() != word.upper()]
    capital = sum(map(str.istitle, cased))
    return 0 < capital <= 0.7 * len(cased)
