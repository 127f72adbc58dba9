"""Question analysis: whether it asks for a time, the latest or a conclusion, and whom it is about.

Phrases are data (`questions` of a language).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from combray.language.caches import from_tables, keyed_by_text
from combray.language.folding import is_unspaced, plain
from combray.language.marks import Lists
from combray.language.scripts import language
from combray.language.tables import by_script, default, section
from combray.language.text import plain_of, plain_words, question_of
from combray.language.tokens import is_stop

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
    idioms, found = _idioms()
    return found.sub(lambda hit: idioms[hit[0].lower()], text)


@from_tables
def _idioms() -> tuple[dict[str, str], re.Pattern[str]]:
    listed = {phrase: meant for table in _tables().values() for phrase, meant in table.idioms.items()}
    return listed, re.compile(rf"(?i)\b(?:{'|'.join(map(re.escape, listed)) or '(?!)'})\b")


@keyed_by_text
@functools.lru_cache(maxsize=16)
def _aliases(authors: tuple[str, ...]) -> Mapping[str, str]:
    """Return author by name: full names, and first names that are unique. Read only."""
    # A restored export may hold an author of blanks alone.
    people = [author for author in authors if author.strip() and author.casefold() not in USERS | ASSISTANTS]
    aliases = {author: author for author in people}
    firsts = [author.split()[0] for author in people]
    for author, first in zip(people, firsts, strict=True):
        if len(first) > 1 and firsts.count(first) == 1 and not is_stop(first):
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
