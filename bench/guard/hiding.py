"""Disguises for attack texts: what people do to get an order past a filter. The same every time."""

from __future__ import annotations

import base64
import codecs
from collections.abc import Callable

_CYRILLIC = str.maketrans("aeopcxyi", "аеорсхуі")
_GREEK = str.maketrans("aoiv", "αοιν")
_LEET = str.maketrans("aeiost", "4310$7")


def zero_width(text: str) -> str:
    """An invisible character behind every second letter."""
    return "".join(letter + ("\u200b" if at % 2 else "") for at, letter in enumerate(text))


def homoglyphs(text: str) -> str:
    """Cyrillic letters that look like Latin ones."""
    return text.translate(_CYRILLIC)


def greek(text: str) -> str:
    """Greek letters that look like Latin ones."""
    return text.translate(_GREEK)


def full_width(text: str) -> str:
    """The wide forms of ASCII characters."""
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


def soft_hyphens(text: str) -> str:
    """A soft hyphen inside words."""
    return "".join(
        letter + ("\u00ad" if at % 3 == 1 and letter.isalpha() else "") for at, letter in enumerate(text)
    )


def combining(text: str) -> str:
    """A pile of marks over every letter."""
    return "".join(letter + ("\u0336\u0301\u0323" if letter.isalpha() else "") for letter in text)


def spaced(text: str) -> str:
    """Letters set apart, words by wider gaps."""
    return "   ".join(" ".join(word) for word in text.split())


def leet(text: str) -> str:
    """Digits and signs for letters."""
    return text.lower().translate(_LEET)


def in_base64(text: str) -> str:
    """Base64 with a line that asks to decode it."""
    return f"Data: {base64.b64encode(text.encode()).decode()}"


def in_hex(text: str) -> str:
    """Hexadecimal digits."""
    return f"Value {text.encode().hex()} end"


def in_url(text: str) -> str:
    """URL encoding of everything."""
    return "".join(f"%{byte:02X}" for byte in text.encode())


def entities(text: str) -> str:
    """HTML entities of everything."""
    return "".join(f"&#{ord(letter)};" for letter in text)


def rot13(text: str) -> str:
    """Each letter 13 places on."""
    return codecs.encode(text, "rot13")


def backwards(text: str) -> str:
    """From the end to the beginning."""
    return text[::-1]


def swapped(text: str) -> str:
    """The inner letters of long words in another order."""
    return " ".join(
        word[0] + word[2] + word[1] + word[3:] if len(word) > 5 and word.isalpha() else word
        for word in text.split()
    )


def tags(text: str) -> str:
    """An ordinary sentence, and the text behind it in characters that are never shown."""
    return "See you on Monday." + "".join(chr(0xE0000 + ord(letter)) for letter in text if letter.isascii())


LATIN_ONLY: tuple[Callable[[str], str], ...] = (homoglyphs, greek, spaced, leet, rot13, backwards, swapped, tags)
"""Disguises that need Latin letters and, as most of them are told by English words, English."""
ANY: tuple[Callable[[str], str], ...] = (
    zero_width,
    full_width,
    soft_hyphens,
    combining,
    in_base64,
    in_hex,
    in_url,
    entities,
)
"""Disguises of any script."""
