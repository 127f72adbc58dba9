"""Questions for everything about the speaker ("what do you know about me?"), and statements of the speaker.

Only closed classes decide: pronouns, question words, stop words and requests of the language tables.
"""

from __future__ import annotations

from collections.abc import Iterable

from combray.language.caches import from_tables
from combray.language.folding import UNSPACED, is_unspaced, plain
from combray.language.indexing import QUESTION_ENDS
from combray.language.late import late
from combray.language.lexicon import WordLists, word_lists
from combray.language.marks import Lists
from combray.language.scripts import language
from combray.language.tables import default
from combray.language.tokens import is_stop

_WORD = late(rf"[{UNSPACED}]+|[^\W{UNSPACED}]+(?:['’][^\W{UNSPACED}]+)*")
_MOST_OWN_WORDS = 1
"""Words of such a question beside pronouns, question words and stop words: its verb."""
_LONGEST = 120
"""Characters from which a question asks for more."""


@from_tables
def _lists() -> Lists:
    """The words of such questions by what they are and by language.

    own: first person, and nouns for the user; open: question words and indefinite pronouns.
    """
    listed: dict[str, list[str]] = {}
    for code, table in _tables().items():
        spoken = table.speaker
        for name, words in (
            ("own", (*spoken.i, *spoken.user)),
            ("me", spoken.me),
            ("you", spoken.you),
            ("request", table.request_words),
            ("open", (*table.question_words, *spoken.all)),
        ):
            listed[f"{name} {code}"] = list(map(plain, words))
    return Lists(listed)


@from_tables
def _tables() -> dict[str, WordLists]:
    return {code: table for code, table in word_lists().items() if table.speaker.i}


def is_of_speaker(text: str) -> bool:
    """Return whether a text is a statement in the first person, or about "the user"."""
    code = language(text) if language(text) in _tables() else default()
    return not text.rstrip().endswith(QUESTION_ENDS) and _lists().of(plain(text)).has(f"own {code}")


def asks_about_speaker(text: str) -> bool:
    """Return whether a question asks for whatever is known of the speaker, and for nothing else.

    It names the speaker behind a preposition ("about me"), and beside pronouns, question words and stop words it
    has a verb at most. The verb belongs to the one who is asked: there is a "you", or the words are a request.
    """
    if len(text) > _LONGEST:
        return False
    spelt = plain(text)
    return any(_asks(spelt, code) for code in {language(text), default()} & _tables().keys())


def _asks(spelt: str, code: str) -> bool:
    left = _without(("request",), spelt, code)
    marks = _lists().of(left)
    named = marks.spans(f"me {code}")
    if not named:
        return False
    # Where a language lists no "you", the verb alone says who is asked.
    asked = left != spelt or not _tables()[code].speaker.you or marks.has(f"you {code}")
    own = [
        word for word in _WORD.findall(_without(("me", "open", "you"), left, code)) if not _is_empty(word, code)
    ]
    # "What annoys me?" asks for something else: no preposition stands before the pronoun.
    return not own or (asked and len(own) <= _MOST_OWN_WORDS and _follows_preposition(named[-1], left, code))


def _without(names: Iterable[str], text: str, code: str) -> str:
    for name in names:
        text = _lists().of(text).without(f"{name} {code}")
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
    is_you = _lists().of(before[-1]).spans(f"you {code}") == [(0, len(before[-1]))]
    return is_stop(before[-1], code) and not is_you
