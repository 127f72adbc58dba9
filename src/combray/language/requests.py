"""A request to forget: the identifiers and names that it gives, and the words that describe the rest.

"Forget everything about Acme" asks for a name, "the SSN 123-45-6789" for an identifier, "my old address" for what
its words describe. The words around them are data (`<code>/requests.json`): openers ("please delete"), scopes
("everything about"), past ("old", "former"), titles ("Dr").
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from combray.language.caches import from_tables
from combray.language.claim_tokens import tokenise, vocabulary
from combray.language.entities import extract, names
from combray.language.folding import fold
from combray.language.identifiers import Identifier, identifiers
from combray.language.lexicon import matcher
from combray.language.tables import phrase_lists
from combray.language.tokens import content_terms, is_stop

_listed = phrase_lists("requests", "openers closers scopes past titles")
_quoted = re.compile('["“«「]([^"”»」]{2,100})["”»」]').finditer
_word = re.compile(r"[^\W_][\w'’.&-]*").finditer
_MOST_NAME = 5
"""Words of the longest name."""
_possessive = re.compile(r"\w['’]s\s+[a-z]").search


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
    owned: bool = False
    """Whether it is about the speaker: "my salary", "that I smoke"."""
    titled: bool = False
    """Whether it names a person by a title: "Coach Mercer"."""


def request(text: str) -> Request:
    """Return what a request asks for. A request of stop words alone has neither identifiers, names nor terms."""
    written = [(start, end) for start, end, _ in identifiers(text)]
    found = tuple(each for _, _, each in identifiers(text))
    rest = _without(text, written)
    opened = _opening("openers").sub("", rest).strip()
    opened = _closing().sub("", opened).strip(" .,;:!?，。、；：！？") or opened
    topic = _opening("scopes").sub("", opened).strip(" .,;:!?，。、；：！？") or opened
    scoped = len(topic) < len(opened)
    words = {token.word for token in tokenise(rest)}
    owned = any(vocabulary().pronouns.get(word, "").endswith(":i") for word in words)
    past = any(_has(topic, each) for each in _listed("past"))
    named = () if found else _names(topic)
    titled = any(fold(hit[0]).rstrip(".") in titles() for hit in _word(topic))
    held = {term for name in named for term in content_terms(name)}
    dropped = held | {term for each in _listed("past") for term in content_terms(each)}
    terms = tuple(term for term in dict.fromkeys(content_terms(topic)) if term not in dropped)
    whole = scoped and bool(named) and not _possessive(topic)
    return Request(topic or text.strip(), found, named, () if whole else terms, scoped, past, owned, titled)


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


@from_tables
def titles() -> frozenset[str]:
    """Return the titles before a person's name, folded."""
    return frozenset(map(fold, _listed("titles")))


def _has(text: str, word: str) -> bool:
    return matcher([fold(word)]).search(fold(text)) is not None


def _names(topic: str) -> tuple[str, ...]:
    """Return the names in a topic: quoted, capitalised, or known as code names and titles."""
    found = dict.fromkeys(hit[1].strip() for hit in _quoted(topic))
    run: list[str] = []
    topic = topic.replace(" & ", " and ")
    for hit in [*_word(topic), None]:
        word = hit[0].rstrip(".'’-") if hit is not None else ""
        bare = re.sub(r"['’]s$", "", word)
        known = is_stop(fold(bare)) or is_stop(fold(re.split("['’]", bare)[0]))
        if bare and (bare[0].isupper() or (run and bare[0].isdigit())) and not known:
            if fold(bare) not in titles():
                run.append(bare)
            if bare == word:
                continue
        if run and bare == "and":
            run.append(bare)
            continue
        while run and run[-1] == "and":
            run.pop()
        if run and len(run) <= _MOST_NAME:
            found[" ".join(run)] = None
        run = []
    found |= dict.fromkeys([*extract(topic), *names(topic)])
    spelt = [name for name in found if name]
    # "Lena Fischer" says more than "Lena".
    return tuple(name for name in spelt if not any(name != other and name in other for other in spelt))
