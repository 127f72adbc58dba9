"""Questions for everything about the speaker ("what do you know about me?"), and statements of the speaker.

Only closed classes decide: pronouns, question words, stop words and requests of the language tables.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from combray.language.caches import from_tables
from combray.language.folding import UNSPACED, is_unspaced, plain
from combray.language.indexing import QUESTION_ENDS
from combray.language.late import late
from combray.language.lexicon import matcher, word_lists
from combray.language.scripts import language
from combray.language.tokens import is_stop

_WORD = late(rf"[{UNSPACED}]+|[^\W{UNSPACED}]+(?:['’][^\W{UNSPACED}]+)*")
_MOST_OWN_WORDS = 1
"""Words of such a question beside pronouns, question words and stop words: its verb."""
_LONGEST = 120
"""Characters from which a question asks for more."""


class _SpeakerWords(NamedTuple):
    own: re.Pattern[str]
    """First person, and nouns for the user."""
    me: re.Pattern[str]
    you: re.Pattern[str] | None
    """None where the verb alone says who is asked."""
    request: re.Pattern[str]
    open: re.Pattern[str]
    """Question words and indefinite pronouns."""


@from_tables
def _words() -> dict[str, _SpeakerWords]:
    return {
        code: _SpeakerWords(
            matcher(map(plain, (*table.speaker.i, *table.speaker.user))),
            matcher(map(plain, table.speaker.me)),
            matcher(map(plain, table.speaker.you)) if table.speaker.you else None,
            matcher(map(plain, table.request_words)),
            matcher(map(plain, (*table.question_words, *table.speaker.all))),
        )
        for code, table in word_lists().items()
        if table.speaker.i
    }


def is_of_speaker(text: str) -> bool:
    """Return whether a text is a statement in the first person, or about "the user"."""
    words = _words()
    own = words.get(language(text), words["en"]).own
    return not text.rstrip().endswith(QUESTION_ENDS) and own.search(plain(text)) is not None


def asks_about_speaker(text: str) -> bool:
    """Return whether a question asks for whatever is known of the speaker, and for nothing else.

    It names the speaker behind a preposition ("about me"), and beside pronouns, question words and stop words it
    has a verb at most. The verb belongs to the one who is asked: there is a "you", or the words are a request.
    """
    if len(text) > _LONGEST:
        return False
    words, spelt = _words(), plain(text)
    return any(_asks(spelt, code, words[code]) for code in {language(text), "en"} & words.keys())


def _asks(spelt: str, code: str, words: _SpeakerWords) -> bool:
    left = words.request.sub(" ", spelt)
    named = list(words.me.finditer(left))
    if not named:
        return False
    asked = left != spelt or words.you is None or words.you.search(left) is not None
    bare = words.open.sub(" ", words.me.sub(" ", left))
    bare = bare if words.you is None else words.you.sub(" ", bare)
    own = [word for word in _WORD.findall(bare) if not _is_empty(word, code)]
    # "What annoys me?" asks for something else: no preposition stands before the pronoun.
    return not own or (
        asked and len(own) <= _MOST_OWN_WORDS and _follows_preposition(named[-1], left, code, words)
    )


def _is_empty(word: str, code: str) -> bool:
    """Return whether a word, or every character of a word of an unspaced script, carries no topic."""
    if is_stop(word, code):
        return True
    fillers = word_lists()[code].fillers
    return is_unspaced(word) and all(is_stop(each, code) or each in fillers for each in word)


def _follows_preposition(pronoun: re.Match[str], text: str, code: str, words: _SpeakerWords) -> bool:
    if is_unspaced(pronoun[0]):
        return True
    before = _WORD.findall(text[: pronoun.start()])
    is_you = bool(before) and words.you is not None and words.you.fullmatch(before[-1]) is not None
    return not before or (is_stop(before[-1], code) and not is_you)
