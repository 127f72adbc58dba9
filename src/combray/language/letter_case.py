"""Letter case: where it carries meaning, and where it does not.

Case carries the value in units, identifiers, file names and codes. It carries none in an ordinary word that
begins a sentence, and in a text that is all in capitals.
"""

from __future__ import annotations

import re

from combray.language.late import late
from combray.language.tokens import is_stop

# The first word of a sentence: letters only, with nothing but punctuation behind it. Bounds keep the time linear.
_FIRST = late(
    r"(?:\A|[.!?…][\"'”’»)\]]{0,4}\s|[。！？])[\W_]{0,8}?([^\W\d_])((?:['’-]?[^\W\d_])*+)"
    r"(?=[.,;:!?…)\"'”’»\]]{0,8}(?:\s|\Z))"
)
_LETTERS = late(r"(?<![^\s\"'“„«(\[])[^\W\d_]{2,}(?=[.,;:!?…)\"'”’»\]]{0,8}(?:\s|\Z))")
_WORD = late(r"\w+")
_SHOUTED_FROM = 2
"""Words of letters only from which a text all in capitals is taken for ordinary words. One may be a name."""


def plain_case(text: str) -> str:
    """Return the text in lower case where the case carries no meaning."""
    if text.islower():
        return text
    if text.isupper() and len(_LETTERS.findall(text)) >= _SHOUTED_FROM:
        # Codes with digits keep their capitals.
        return _LETTERS.sub(lambda word: word[0].lower(), text)
    return _FIRST.sub(_begun, text)


def _begun(first: re.Match[str]) -> str:
    head, rest = first[1], first[2]
    # "K is 5" and "k is 5" are two things, "I" and "A" are words of a closed class.
    ordinary = rest.islower() if rest else is_stop(head.lower())
    if not ordinary or not head.isupper():
        return first[0]
    return first[0][: first.start(1) - first.start()] + head.lower() + rest


def case_differs(one: str, other: str) -> bool:
    """Return whether two texts hold a word that differs in case alone, where case carries meaning."""
    if one.islower() and other.islower():
        return False
    mine, theirs = set(_WORD.findall(plain_case(one))), set(_WORD.findall(plain_case(other)))
    only_mine, only_theirs = mine - theirs, theirs - mine
    return not {word.casefold() for word in only_mine}.isdisjoint(word.casefold() for word in only_theirs)
