"""What a question asks: for a time, the latest or a conclusion; about whom; with which words; about its speaker.

Phrases are data (`questions` of a language). Questions for everything about the speaker ("what do you know
about me?"), and statements of the speaker, are recognised by closed classes alone: pronouns, question words,
stop words and requests of the language tables.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from combray.language.caches import from_tables, keyed_by_text, late
from combray.language.folding import UNSPACED, fold, is_unspaced, plain
from combray.language.indexing import QUESTION_ENDS
from combray.language.lexicon import WordLists, word_lists
from combray.language.marks import Lists
from combray.language.names import given_names
from combray.language.scripts import language
from combray.language.tables import by_script, default, section
from combray.language.text import plain_of, plain_words, question_of
from combray.language.tokens import all_terms, is_stop, query_terms, split, words

USERS = frozenset({"user", "human", "me", "owner", "customer"})
ASSISTANTS = frozenset({"assistant", "ai", "bot", "agent", "model", "system"})
"""Author names that are roles of a chat, not names of people."""


class _QuestionsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    when: list[str] = []
    latest: list[str] = []
    past: list[str] = []
    past_patterns: list[str] = []
    inference: list[str] = []
    request: list[str] = []
    request_start: list[str] = []
    assistant: list[str] = []
    user: list[str] = []
    joining: list[str] = []
    speaker: dict[str, str] = {}
    idioms: dict[str, str] = {}
    """What a phrase means whose words mean something else ("for a living" asks for no "I live in Lisbon")."""


_tables = section("questions", _QuestionsTable)
_NEXT_NAME = re.compile(r" ([^\W\d_]\w*)")


_LISTS = ("when", "latest", "past", "inference", "request", "request_start", "assistant", "user")


@from_tables
def _lists() -> Lists:
    tables = _tables().values()
    phrases = {name: [plain(each) for table in tables for each in getattr(table, name)] for name in _LISTS}
    return Lists(phrases, {"past": [((), each) for table in tables for each in table.past_patterns]})


class Question(msgspec.Struct, frozen=True):
    """A question as the default ranker reads it.

    `named`: known authors it names; `subject`: the author it is about (None for several joined by "and");
    `role`: "user" or "assistant" if it asks about turns of that role; `bare`: the text without names of known
    authors, which distinguish turns badly, since everybody addresses them; `spoken`: the question in the
    subject's first person ("I", "my"), which is how the answering turn is worded; `asks_when`: it asks for a
    date, in a script with spaces; `asks_date`: in any script, for rendering alone (as a signal of recall the
    Chinese phrases gain nothing on the truth set); `asks_past`: it asks how things were.
    """

    text: str
    bare: str
    spoken: str
    named: tuple[str, ...]
    subject: str | None
    role: str | None
    asks_when: bool
    asks_date: bool
    asks_latest: bool
    asks_conclusion: bool
    asks_past: bool
    language: str


def read(text: str, authors: Sequence[str]) -> Question:
    """Analyse a question, given the authors known in its namespace."""
    asked = question_of(text)
    marks = _lists().of(plain_of(asked).strip(), plain_words(asked))
    aliases = _aliases(tuple(authors))
    lowered = text.lower()
    # A store may have thousands of authors: few are looked for by a pattern.
    near = [alias for alias in aliases if alias in text or alias.lower() in lowered]
    found = ((_named_at(alias, aliases[alias], text), alias) for alias in near)
    spans = sorted((span, alias) for span, alias in found if span)
    named = tuple(dict.fromkeys(aliases[alias] for _, alias in spans))
    used = sorted((alias for alias, author in aliases.items() if author in named), key=len, reverse=True)
    role = None
    begins = marks.pattern("request_start")
    request = marks.has("request") or bool(begins and begins.match(marks.text))
    if not request and any(author.casefold() in ASSISTANTS for author in authors):
        role = "assistant" if marks.has("assistant") else "user" if marks.has("user") else None
    code = language(text)
    speaker = (_tables().get(code) or _tables()[default()]).speaker
    meant = _without_idioms(text)
    return Question(
        text=text,
        bare=_renamed(meant, used, {"own": " ", "self": " "}, " "),
        spoken=_renamed(meant, used, speaker, _tables()[by_script()["han"]].speaker["self"]),
        named=named,
        subject=_subject(text, spans, aliases, named),
        role=role,
        asks_when=any(not is_unspaced(each) for each in marks.all("when")),
        asks_date=marks.has("when"),
        asks_latest=marks.has("latest"),
        asks_conclusion=marks.has("inference") and not request,
        asks_past=marks.has("past"),
        language=code,
    )


def _without_idioms(text: str) -> str:
    # By its group: what is found without its case, such as "ı" for "i", need not be the phrase in lower case.
    meanings, found = _idioms()
    return found.sub(lambda hit: meanings[(hit.lastindex or 1) - 1], text)


@from_tables
def _idioms() -> tuple[tuple[str, ...], re.Pattern[str]]:
    listed = {phrase: meant for table in _tables().values() for phrase, meant in table.idioms.items()}
    phrases = "|".join(f"({re.escape(each)})" for each in listed) or "(?!)"
    return tuple(listed.values()), re.compile(rf"(?i)\b(?:{phrases})\b")


@keyed_by_text
@functools.lru_cache(maxsize=16)
def _aliases(authors: tuple[str, ...]) -> Mapping[str, str]:
    """Return author by name: full names, and first names that are unique. Read only."""
    # A restored export may hold an author of blanks alone.
    people = [author for author in authors if author.strip() and author.casefold() not in USERS | ASSISTANTS]
    aliases = {author: author for author in people}
    firsts = [author.split()[0] for author in people]
    sharing = Counter(firsts)
    for author, first in zip(people, firsts, strict=True):
        if len(first) > 1 and sharing[first] == 1 and not is_stop(first):
            aliases.setdefault(first, author)
    return aliases


def _named_at(alias: str, author: str, text: str) -> tuple[int, int] | None:
    """Return where a text names an author: "Ana Lopez" is not "Ana Smith", whose first name is "Ana" as well."""
    span = _find(alias, text)
    if span is None or alias == author or is_unspaced(alias):
        return span
    behind = _NEXT_NAME.match(text, span[1])
    another = behind is not None and behind[1][0].isupper() and behind[1] not in author.split()
    return None if another else span


def _find(name: str, text: str) -> tuple[int, int] | None:
    if is_unspaced(name):
        at = text.find(name)
        return (at, at + len(name)) if at >= 0 else None
    # A question typed without capitals still names people.
    flags = re.IGNORECASE if text == text.lower() else 0
    if name.isascii() and text.isascii() and (name.lower() if flags else name) not in text:
        return None
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, flags)
    return found.span() if found else None


def _subject(
    text: str, spans: list[tuple[tuple[int, int], str]], aliases: Mapping[str, str], named: tuple[str, ...]
) -> str | None:
    if len(named) < 2:
        return named[0] if named else None
    second = next(span for span, alias in spans if aliases[alias] != named[0])
    between = text[spans[0][0][1] : second[0]].strip().strip(",，").strip().casefold()
    joining = {word for table in _tables().values() for word in table.joining}
    return None if between in joining or not between else named[0]


def _renamed(text: str, aliases: Iterable[str], speaker: Mapping[str, str], solid: str) -> str:
    """Replace the aliases by the words of a speaker, in unspaced scripts by `solid`."""
    for alias in aliases:
        if is_unspaced(alias):
            text = text.replace(alias, solid)
            continue
        text = re.sub(rf"(?<!\w){re.escape(alias)}['’]s(?!\w)", speaker["own"], text, flags=re.IGNORECASE)
        text = re.sub(rf"(?<!\w){re.escape(alias)}(?!\w)", speaker["self"], text, flags=re.IGNORECASE)
    return " ".join(text.split())


MOST = 24
"""Words of a question that are compared with memories."""
_CAPITALISED = re.compile(r"[^\W\d_]['’\w-]*")
_CLITIC = re.compile(r"['’]s?$")


class AskedWord(NamedTuple):
    """A content word of a question: as written in lower case, its index term, and whether it is a name."""

    word: str
    term: str
    name: bool


def asked_words(text: str) -> list[AskedWord]:
    """Return the distinct content words in order, at most `MOST`.

    A name is a word with a capital that is not the first one, or a given name of a language table at the start.
    A question of names alone asks about them: none of its words counts as a name.
    """
    read = question_of(text)
    wanted = set(query_terms(read))
    names = _names(text)
    found: dict[str, AskedWord] = {}
    for word, term in zip(split(read).words, all_terms(read), strict=True):
        if term in wanted and term not in found:
            found[term] = AskedWord(word, term, word in names)
    asked = list(found.values())[:MOST]
    if all(each.name for each in asked):
        asked = [each._replace(name=False) for each in asked]
    return asked


def _names(text: str) -> set[str]:
    found: set[str] = set()
    for place, match in enumerate(_CAPITALISED.finditer(text)):
        written = _CLITIC.sub("", match[0])
        if not written[:1].isupper():
            continue
        folded = fold(written)
        if place or folded in given_names():
            found.update(words(written))
    return found


_WORD = late(rf"[{UNSPACED}]+|[^\W{UNSPACED}]+(?:['’][^\W{UNSPACED}]+)*")
_MOST_OWN_WORDS = 1
"""Words of such a question beside pronouns, question words and stop words: its verb."""
_LONGEST = 120
"""Characters from which a question asks for more."""


@from_tables
def _speaker_lists() -> Lists:
    """The words of such questions by what they are and by language.

    own: first person, and nouns for the user; open: question words and indefinite pronouns.
    """
    listed: dict[str, list[str]] = {}
    for code, table in _speaking().items():
        spoken = table.speaker
        for name, said in (
            ("own", (*spoken.i, *spoken.user)),
            ("me", spoken.me),
            ("you", spoken.you),
            ("request", table.request_words),
            ("open", (*table.question_words, *spoken.all)),
        ):
            listed[f"{name} {code}"] = list(map(plain, said))
    return Lists(listed)


@from_tables
def _speaking() -> dict[str, WordLists]:
    return {code: table for code, table in word_lists().items() if table.speaker.i}


def is_of_speaker(text: str) -> bool:
    """Return whether a text is a statement in the first person, or about "the user"."""
    code = language(text) if language(text) in _speaking() else default()
    return not text.rstrip().endswith(QUESTION_ENDS) and _speaker_lists().of(plain(text)).has(f"own {code}")


def asks_about_speaker(text: str) -> bool:
    """Return whether a question asks for whatever is known of the speaker, and for nothing else.

    It names the speaker behind a preposition ("about me"), and beside pronouns, question words and stop words it
    has a verb at most. The verb belongs to the one who is asked: there is a "you", or the words are a request.
    """
    if len(text) > _LONGEST:
        return False
    spelt = plain(text)
    return any(_asks(spelt, code) for code in {language(text), default()} & _speaking().keys())


def _asks(spelt: str, code: str) -> bool:
    left = _without(("request",), spelt, code)
    marks = _speaker_lists().of(left)
    named = marks.spans(f"me {code}")
    if not named:
        return False
    # Where a language lists no "you", the verb alone says who is asked.
    asked = left != spelt or not _speaking()[code].speaker.you or marks.has(f"you {code}")
    own = [
        word for word in _WORD.findall(_without(("me", "open", "you"), left, code)) if not _is_empty(word, code)
    ]
    # "What annoys me?" asks for something else: no preposition stands before the pronoun.
    return not own or (asked and len(own) <= _MOST_OWN_WORDS and _follows_preposition(named[-1], left, code))


def _without(names: Iterable[str], text: str, code: str) -> str:
    for name in names:
        text = _speaker_lists().of(text).without(f"{name} {code}")
    return text


def _is_empty(word: str, code: str) -> bool:
    """Return whether a word, or every character of a word of an unspaced script, carries no topic."""
    if is_stop(word, code):
        return True
    fillers = word_lists()[code].fillers
    return is_unspaced(word) and all(is_stop(each, code) or each in fillers for each in word)


def _follows_preposition(pronoun: tuple[int, int], text: str, code: str) -> bool:
    start, end = pronoun
    if is_unspaced(text[start:end]):
        return True
    before = _WORD.findall(text[:start])
    if not before:
        return True
    is_you = _speaker_lists().of(before[-1]).spans(f"you {code}") == [(0, len(before[-1]))]
    return is_stop(before[-1], code) and not is_you
