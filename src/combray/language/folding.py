"""Folding: case, accents and compatibility forms removed, so that variants of a word compare equal."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right

from combray.language.caches import late

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\uff07\u00b4`", "'"))
# Letters that Unicode does not decompose into a base letter and a mark, and the typographic apostrophes.
_PLAIN = {"đ": "d", "ð": "d", "ł": "l", "ø": "o", "ı": "i", "ħ": "h", "æ": "ae", "œ": "oe"}
_PLAIN |= dict.fromkeys("\u2018\u2019\u02bc\u02b9\u2032\uff07\u00b4`", "'")
# A search for these few is far faster than `str.translate`, which looks up every character.
_REPLACED = late(f"[{''.join(_PLAIN)}]")

# Accents of Latin, Greek and Cyrillic; the kashida and short vowels of Arabic; the points of Hebrew. Marks of
# other scripts (kana voicing, Indic and Thai vowels) distinguish letters, so they stay.
_ACCENTS = late("[\u0300-\u0344\u0346-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u065f\u0670]+")

# Scripts written without spaces between words: Han, kana, bopomofo, Thai, Lao, Myanmar, Khmer.
UNSPACED = (
    "\u3005-\u3007\u3021-\u3029\u3041-\u3096\u309d\u309e\u30a1-\u30fa\u30fc-\u30fe\u3105-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u1049\u1780-\u17d3"
)
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"

_UNSPACED = late(f"[{UNSPACED}]")
_BOUNDS = sorted((each[0], each[-1]) for each in re.findall(".-.|.", UNSPACED))
_LAST = chr(0x10FFFF)
_SHORT = 16
"""Characters of a phrase, which is looked through without the pattern: that takes 2.5 ms to compile."""
# All of these and more, compiled in a fifth of the time: most texts beyond ASCII hold none.
_MAY_BE_UNSPACED = late("[^\x00-\u0e00\u2000-\u3004]")
_RUN = late(r"[^\W_]+")
_ONLY_RUNS = bytes(code if chr(code) in "abcdefghijklmnopqrstuvwxyz0123456789" else 32 for code in range(128))
_ONLY_RUNS += bytes([32]) * 128
"""For `bytes.translate`: every character outside the runs of lower-case ASCII becomes a space."""


def fold(text: str) -> str:
    """Return the text in lower case without accents or compatibility forms: NFKC, case folding, base letters.

    Kana, Hangul and Indic letters keep their marks. Idempotent. Never raises.
    """
    if text.isascii():
        return text.lower().replace("`", "'")
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    plain = _REPLACED.sub(lambda found: _PLAIN[found[0]], decomposed)
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", plain))
    return unicodedata.normalize("NFC", bare)


def plain(text: str) -> str:
    """Return case-folded NFKC text with straight apostrophes. Unlike `fold` it keeps accents ("đừng", "đúng")."""
    if text.isascii():
        return text.lower().replace("`", "'")
    return unicodedata.normalize("NFKC", text).translate(_APOSTROPHES).casefold()


def runs(text: str) -> list[str]:
    """Return the runs of letters and digits in lower case, as written: not folded, joined or filtered."""
    return ascii_runs(text.lower()) if text.isascii() else _RUN.findall(text.lower())


def ascii_runs(lowered: str) -> list[str]:
    """Return the runs of [a-z0-9] of an ASCII text, four times as fast as a pattern finds them."""
    return lowered.encode().translate(_ONLY_RUNS).decode().split()


def is_unspaced(text: str) -> bool:
    """Return whether the text holds a letter of a script written without spaces."""
    if text.isascii() or _MAY_BE_UNSPACED.search(text) is None:
        return False
    return any(map(_is_within, text)) if len(text) <= _SHORT else _UNSPACED.search(text) is not None


def _is_within(letter: str) -> bool:
    at = bisect_right(_BOUNDS, (letter, _LAST))
    return at > 0 and letter <= _BOUNDS[at - 1][1]
