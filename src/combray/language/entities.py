"""Entities named in a text: code names, acronyms, paths, addresses, titles, known technologies, people.

Patterns and the technology dictionary follow Mnemon (upstream notes 2.2, entity extraction).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from pathlib import Path

import msgspec

from combray.language.caches import from_tables
from combray.language.lexicon import matcher, word_lists

MAX_ENTITIES = 50

_TECHNOLOGY = Path(__file__).parent / "technology.json"

# The character class comes first, what may not stand before it behind: the engine jumps from capital to capital.
_camel_case = re.compile(r"[A-Z](?<!\w[A-Z])[a-z]+(?:[A-Z][a-z]+)+\b").finditer
_acronym = re.compile(r"[A-Z](?<![^\W_][A-Z])[A-Z]{1,5}(?![^\W_])").finditer
_capitalised = re.compile(r"[A-Z](?<![^\W_][A-Z])[a-zA-Z0-9]+(?![^\W_])").finditer
# A slash makes it a path; otherwise the extension must begin with a letter, so "3.14" and "e.g." are none.
_path = re.compile(
    r"(?:^|(?<=[\s\"'(`]))[.\w/~-]*(?:/[.\w-]+\.\w{1,10}|[\w-]\.[A-Za-z]\w{1,9}|[\w-]{2}\.[A-Za-z])(?=[\s\"'),.;:`]|$)"
).finditer
# In every path, and far quicker to look for.
_path_dot = re.compile(r"\.\w").search
_url = re.compile(r"https?://[^\s\"'<>()\]]+[^\s\"'<>()\].,;:!?]").finditer
_mention = re.compile(r"(?<![\w@/.])@\w[\w-]*").finditer
_title = re.compile("《([^《》]{1,60})》|「([^「」]{1,60})」").finditer
_OWNING = ("'s", "’s")
_sentence_end = re.compile(r"[.!?…:。！？\n\"“(]\s*$")

_UPPER = re.compile("[A-Z]")
# One to four capitalised words in a row; initials and the particles of names may stand between.
_REST = r"(?:[^\W\d_]|['’-](?=[^\W\d_]))*"
_CAPITAL = rf"[^\W\d_a-z]{_REST}"
_name = re.compile(
    rf"[^\W\d_a-z](?<![\w@/.#-].){_REST}(?:\s(?:(?:de|da|van|von|la|del|bin|al)\s)?{_CAPITAL}){{0,3}}"
).finditer


class _Technology(msgspec.Struct, frozen=True):
    names: list[str]
    not_acronyms: list[str]


@from_tables
def _technology() -> tuple[frozenset[str], frozenset[str]]:
    listed = msgspec.json.decode(_TECHNOLOGY.read_bytes(), type=_Technology)
    return frozenset(listed.names), frozenset(listed.not_acronyms)


@from_tables
def _never_names() -> frozenset[str]:
    """Lower-case words that are capitalised wherever they stand without being a name ("Monday", "OK")."""
    return frozenset(w.lower() for table in word_lists().values() for w in table.not_names + table.calendar)


@from_tables
def _not_names() -> frozenset[str]:
    """Those, and the words that are capitalised because a sentence begins with them."""
    lists = ((table.stopwords, table.question_words, table.claims.verbs) for table in word_lists().values())
    return _never_names().union(word.lower() for sections in lists for listed in sections for word in listed)


@from_tables
def technology_words() -> frozenset[str]:
    """The technology names in lower case, without those that are everyday words ("go", "next")."""
    return frozenset(name.lower() for name in _technology()[0] if len(name) > 4) - _not_names()


Found = list[tuple[int, int, str]]


def extract(text: str, known: Collection[str] | Callable[[str], bool] = ()) -> list[str]:
    """Distinct entities in order of appearance, at most 50, longer ones before those they begin with.

    CamelCase words, acronyms of 2-6 capitals (common words excluded), file paths, URLs, @mentions, 《…》 and
    「…」 titles, and technology names (whole word, case-sensitive). `known` is what the namespace already
    holds: a collection also finds names of several words, in any script; a predicate is asked about each
    capitalised word. Spelling is kept as written; known names come back as they are known.
    """
    found: Found = []
    if _UPPER.search(text):
        found += _capital_entities(text, known)
    if "." in text or "/" in text:
        found += _addresses(text)
    if "@" in text:
        found += [(hit.start(), hit.end(), hit[0]) for hit in _mention(text)]
    if "《" in text or "「" in text:
        found += [(hit.start(), hit.end(), (hit[1] or hit[2]).strip()) for hit in _title(text)]
    if not callable(known) and known:
        found += _known_names(text, known)
    return _in_order(found)


def _capital_entities(text: str, known: Collection[str] | Callable[[str], bool]) -> Found:
    technology, not_acronyms = _technology()
    is_known = known if callable(known) else frozenset(known).__contains__
    found = [(hit.start(), hit.end(), hit[0]) for hit in _camel_case(text)]
    found += [(hit.start(), hit.end(), hit[0]) for hit in _acronym(text) if hit[0] not in not_acronyms]
    for hit in _capitalised(text):
        if hit[0] in technology or is_known(hit[0]):
            found.append((hit.start(), hit.end(), hit[0]))
    if "gRPC" in text:
        found += [(hit.start(), hit.end(), hit[0]) for hit in re.finditer(r"\bgRPC\b", text)]
    return found


def _addresses(text: str) -> Found:
    urls = [(hit.start(), hit.end(), hit[0]) for hit in _url(text)] if "://" in text else []
    if not _path_dot(text):
        return urls
    paths = [(hit.start(), hit.end(), hit[0].rstrip(".")) for hit in _path(text) if "@" not in hit[0]]
    return urls + [path for path in paths if not any(start <= path[0] < end for start, end, _ in urls)]


def _known_names(text: str, known: Collection[str]) -> Found:
    """Known names that are no single capitalised ASCII word: found by a scan, whole words, case-sensitive."""
    odd = [name for name in known if name in text and not _capital_word(name)]
    if not odd:
        return []
    hits = matcher(sorted(odd, key=len, reverse=True)).finditer(text)
    return [(hit.start(), hit.end(), hit[0]) for hit in hits]


def _capital_word(name: str) -> bool:
    return name.isascii() and name.isalnum() and name[:1].isupper() and len(name) > 1


def _in_order(found: Found) -> list[str]:
    """Distinct names by place; a hit inside a longer one says nothing more and is dropped."""
    kept: dict[str, None] = {}
    reached = -1
    for _start, end, name in sorted(found, key=lambda hit: (hit[0], -hit[1])):
        if end > reached and name:
            kept[name] = None
            reached = end
            if len(kept) == MAX_ENTITIES:
                break
    return list(kept)


def names(text: str) -> list[str]:
    """Distinct capitalised names of people and places, in order, at most 50; conservative.

    Only what is capitalised in mid-sentence, or a sentence's first word that is a name elsewhere in the text
    or owns something ("Caroline's dog"). Texts mostly in capitals or title case give nothing.
    """
    if not _mixed_case(text):
        return []
    sure: dict[str, None] = {}
    opening: list[tuple[int, str]] = []
    places: dict[str, int] = {}
    for hit in _name(text):
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
    sure.update((name, None) for _, name in opening if name in parts or _full_name(name, parts))
    return sorted(sure, key=places.__getitem__)[:MAX_ENTITIES]


def _full_name(name: str, parts: set[str]) -> bool:
    """Whether a sentence opens with two or more capitalised words, or a word of it is a name elsewhere."""
    return " " in name and (name.count(" ") < 3 or any(part in parts for part in name.split()))


def _trimmed(start: int, run: str) -> list[tuple[int, str]]:
    """A run of capitalised words without the words that are no names at its ends ("But Alice" -> "Alice")."""
    words = run.split()
    first = 0
    # "An" ends a Vietnamese name, so stop words are only cut at the front.
    while first < len(words) and _bare(words[first]) in _not_names():
        # One white space stands between the words of a run.
        start += len(words[first]) + 1
        first += 1
    last = len(words)
    while first < last and _bare(words[last - 1]) in _never_names():
        last -= 1
    return [(start, " ".join(words[first:last]))] if first < last else []


def _bare(word: str) -> str:
    return word.partition("'")[0].partition("’")[0].lower()


def _mixed_case(text: str) -> bool:
    """Whether capitals can mean anything here: at most seven in ten cased words begin with one."""
    if text.isascii():
        cased = [word[0] for word in text.split() if word[0].isalpha()]
    else:
        cased = [word[0] for word in text.split() if word[0].isalpha() and word.lower() != word.upper()]
    capital = sum(map(str.isupper, cased))
    return 0 < capital <= 0.7 * len(cased)
