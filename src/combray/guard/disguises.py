"""Remove disguises from a text and decode its hidden payloads, so that rules see what a model would read.

Everything here is linear in the length of the text, and payloads are limited in number and depth.
"""

from __future__ import annotations

import base64
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial

from combray.records import dataclass

MOST_PAYLOADS = 32
"""Maximum number of encoded runs that are decoded."""
MOST_DEPTH = 2
"""Maximum depth of nested payloads."""

# Cyrillic, Greek, Armenian and small-capital confusables of Latin letters. Source: Unicode TS 39.
_ALIKE = str.maketrans(
    "аеорсухікјѕԁһԛԝьвнмтгпбзԍӏαβγεηικνορτυχωϲϳաոսօցհզɑɡıᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "aeopcyxikjsdhqwbbhmtrnb3glabyenikvoptuxwcjwnuoghqagiabcdefghijklmnoprstuvwyz",
)
_FOREIGN = re.compile(r"[Ͱ-ϿЀ-ӿ԰-֏]")
_MIXED = re.compile(r"[a-z][Ͱ-ϿЀ-ӿ]|[Ͱ-ϿЀ-ӿ][a-z]")
_STROKES = str.maketrans("đłøħŧßþðæœ", "dlohtsbdao")
_MARKS = re.compile(r"[̀-ͯ҃-҉᪰-᫿᷀-᷿⃐-⃿︠-︯]+")
_NOISE = re.compile(r"[̀-ͯ᪰-᫿᷀-᷿⃐-⃿]{3,}")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0100-\U000e01ef]+"
)
_BETWEEN = re.compile(
    "(?<=[^\\W\\d_])[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+(?=[^\\W\\d_])"
)
_JOINED_SCRIPTS = re.compile("[\u0590-\u08ff\u0900-\u0dff\u0e00-\u0eff]")
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
"""Four or more variation selectors in a row encode bytes; no glyph needs so many."""
_BIDI = re.compile("[\u202a\u202b\u202d\u202e\u2066-\u2068]")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTROL_BYTES = bytes(code for code in range(128) if _CONTROLS.match(chr(code)))
"""The same in UTF-8, where bytes are counted ten times faster than the pattern is searched for."""

_ENTITIES = re.compile(r"(?:&#(?:x[0-9a-fA-F]{2,5}|\d{2,6});?\s?){4,}")
_PERCENT = re.compile(r"[\w.+-]{0,40}(?:%[0-9A-Fa-f]{2}[\w.+-]{0,40}){3,}")
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}){4,}")
_CODED = re.compile(r"%[0-9A-Fa-f]{2}|&#|\\[ux]")
"""A substring of every match of the three patterns above."""
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}(?:\n[A-Za-z0-9+/]{4,})*={0,2}")
_BASE32 = re.compile(r"[A-Z2-7]{24,}")
"""A run of `_BASE64` may be of this instead."""
_ASCII85 = re.compile(r"<~[!-z\s]{10,4000}~>")
_MORSE_RUN = re.compile(
    r"[.-](?<![\w.-].)[.-]{0,4}[ ]{0,3}[ /][ ]{0,3}(?:[.-]{1,5}[ ]{0,3}[ /][ ]{0,3}){8,}[.-]{1,5}(?![\w.-])"
)
"""It begins with a set of characters, so that the regex engine jumps to the next of them."""
_HEX = re.compile(r"(?<![A-Za-z0-9])(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ :,]?){10,}(?![A-Za-z0-9])")
_BITS = re.compile(r"(?<![01])(?:[01]{8}[ ,]?){6,}(?![01])")
_BYTE = re.compile("[01]{8}")
"""A substring of every match of `_BITS`; the search for it is five times faster."""
_WORDLIKE = re.compile(r"[^\W\d_]{3,}|[㐀-鿿]{2}")

_SPACED = re.compile(r"(?<!\S)(?:\S {1,4}){5,}\S(?!\S)|(?<!\w)(?:[^\W_][.*_|-]{1,3}){5,}[^\W_](?!\w)")
_SEPARATOR = re.compile(r"[.*_|-]+")
_SEPARATORS = ".*_|-"
_SIX_SINGLE = bytes([1] * 6)
_LONGEST_RUN = 4000
_MOST_LINES_TRIED = 4
_ROT13 = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM"
)
_COMMON = frozenset(
    """
    the and you your for with now will are not all any from this that act only have was but can user
    list add who has what when then them they there ignore previous instructions instruction disregard
    system prompt reveal password assistant response answer always never secret forget rules pretend
    override credentials reply about without every everything restrictions model account delete send
    hide message memory follow command please must should
    instrucciones instrucoes reglas regole tutte todas toutes istruzioni ignora rivela revela muestra olvida
    regles oublie revele anweisungen regeln ignoriere vergiss passwort und las les che alle
    """.split()  # noqa: SIM905
)
"""Common words. A line with several of them in rot13 or reversed is decoded."""
_TURNED = frozenset(word.translate(_ROT13) for word in _COMMON)
_BACKWARDS = frozenset(word[::-1] for word in _COMMON)
_BACKWARDS_HAN = ("令指", "则规", "略忽", "视无", "词示提")
"""Instruction, rule, ignore, disregard, prompt, each written backwards."""
TURNED_WORDS = _TURNED | _BACKWARDS
FEWEST_TURNED = 2
"""A line with this many reversed or rot13 words, and more than plain common words, is decoded."""
_WORD = re.compile(r"[a-z]{3,20}")


@dataclass(frozen=True, slots=True)
class View:
    """One folded version of a text, and the disguise it was decoded from ("" for the text itself)."""

    text: str
    disguise: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """All views of a text, and the disguises that were removed, in words."""

    views: tuple[View, ...]
    disguises: tuple[str, ...]


def read(text: str) -> Reading:
    """Return the visible text, then every payload in it."""
    seen, disguises = unveil(text)
    views = [View(fold(seen))]
    for name, payload in _payloads(seen, text):
        views.append(View(fold(payload), name))
        disguises.append(name)
    return Reading(tuple(views), tuple(dict.fromkeys(disguises)))


def turned_words(text: str) -> int:
    """Count the words of a text that are common words in rot13 or reversed."""
    return len(TURNED_WORDS.intersection(_WORD.findall(text.lower())))


def _reads(payload: str | None) -> bool:
    return payload is not None and _WORDLIKE.search(payload) is not None


TELEX = {"mới": "mois", "mọi": "moij"}
"""Vietnamese words that only their accents distinguish, "new" and "every", as they are typed in Telex. Each means
something to the guard."""


def fold(text: str) -> str:
    """Lower-case a text, apply NFKC, and replace accented and look-alike letters by plain Latin ones."""
    if text.isascii():
        return text.lower()
    lowered = unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")
    for accented, telex in TELEX.items():
        lowered = lowered.replace(accented, telex)
    bare = _MARKS.sub("", unicodedata.normalize("NFD", lowered)).translate(_STROKES)
    return bare.translate(_ALIKE) if _FOREIGN.search(bare) or not bare.isascii() else bare


def unveil(text: str) -> tuple[str, list[str]]:
    """Return the text without invisible characters and with spaced letters joined, and the disguises found."""
    found: list[str] = []
    if not text.isascii():
        if _BETWEEN.search(text) and not _JOINED_SCRIPTS.search(text):
            found.append("invisible characters inside words")
        if _BIDI.search(text):
            found.append("characters that reverse the writing direction")
        if _NOISE.search(unicodedata.normalize("NFD", text)):
            found.append("stacked combining marks")
        text = _INVISIBLE.sub("", text)
        if _MIXED.search(text.lower()):
            found.append("letters of another alphabet inside words")
    coded = text.encode(errors="surrogatepass")
    if len(coded.translate(None, _CONTROL_BYTES)) < len(coded):
        text = _CONTROLS.sub("", text)
    joined = _SPACED.sub(_join, text) if _may_be_spaced(text) else text
    if joined != text:
        found.append("spaced-out letters")
    return joined, found


def _may_be_spaced(text: str) -> bool:
    """Whether letters may be spaced out: six single letters in a row, or a long word with five separators."""
    parts = text.split()
    sizes = list(map(len, parts))
    if sizes.count(1) >= 6 and _SIX_SINGLE in bytes([size == 1 for size in sizes]):
        return True
    if max(sizes, default=0) < 11 or sum(map(text.count, _SEPARATORS)) < 5:
        return False
    return any(sum(map(part.count, _SEPARATORS)) >= 5 for part in parts if len(part) >= 11)


def _join(match: re.Match[str]) -> str:
    """Join spaced-out letters into words; wider gaps separate words."""
    run = match[0]
    # Tables and rows of figures are spaced out too, but contain no words.
    if 2 * sum(map(str.isalpha, run)) < len(run.replace(" ", "")) or len(run) > _LONGEST_RUN:
        return run
    if " " not in run:
        return _SEPARATOR.sub(lambda gap: " " if len(gap[0]) > 1 else "", run)
    return re.sub(" {1,4}", lambda gap: " " if len(gap[0]) > 1 else "", run)


def _payloads(seen: str, original: str, depth: int = 1) -> Iterator[tuple[str, str]]:
    """Yield (disguise, text) of each payload."""
    if not original.isascii():
        for match in _TAGS.finditer(original):
            yield "characters that are never shown", match[0].translate(_UNTAGGED)
        for match in _SELECTORS.finditer(original):
            # The first sixteen selectors have their own block.
            codes = map(ord, match[0])
            payload = _printable(bytes(c - 0xFE00 if c < 0xE0100 else c - 0xE0100 + 16 for c in codes))
            if _reads(payload):
                yield "characters that are never shown", payload or ""
    left = MOST_PAYLOADS
    for name, sign, pattern, decode in _CODES:
        if sign not in seen or (pattern in _SPARSE and not _SPARSE[pattern].search(seen)):
            continue
        for match in pattern.finditer(seen):
            if not left:
                return
            left -= 1
            payload, found = decode(match[0]), name
            if payload is None and pattern is _BASE64:
                payload, found = _from_base32(match[0]), "base32"
            if payload is not None and _reads(payload):
                yield found, payload
                if depth < MOST_DEPTH:
                    yield from _payloads(payload, payload, depth + 1)
    if any(word in seen for word in _BACKWARDS_HAN):
        yield "text written backwards", seen[::-1]
    if turned_words(seen) < FEWEST_TURNED:
        return
    for line in seen.splitlines():
        words = set(_WORD.findall(line.lower()))
        usual = max(len(words & _COMMON), FEWEST_TURNED - 1)
        if len(words & _TURNED) > usual:
            yield "rot13", line.translate(_ROT13)
        if len(words & _BACKWARDS) > usual:
            yield "text written backwards", line[::-1]


def _from_percent(run: str) -> str:
    turned = run.replace("+", " ")
    return re.sub(
        r"(?:%[0-9A-Fa-f]{2})+", lambda m: _printable(bytes.fromhex(m[0].replace("%", ""))) or "", turned
    )


def _character(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


def _from_base64(run: str) -> str | None:
    lines = run.replace("-", "+").replace("_", "/").rstrip("=").split("\n")
    # A word on the next line may look like Base64; then only the lines before it decode.
    for count in range(len(lines), max(0, len(lines) - _MOST_LINES_TRIED), -1):
        plain = "".join(lines[:count])
        found = _decoded(base64.b64decode, plain + "=" * (-len(plain) % 4))
        if found is not None:
            return found
    return None


def _from_base32(run: str) -> str | None:
    plain = run.partition("\n")[0].rstrip("=")
    return _decoded(base64.b32decode, plain + "=" * (-len(plain) % 8)) if _BASE32.fullmatch(plain) else None


def _from_morse(run: str) -> str | None:
    words = [part.split() for part in re.split(r"[ ]*/[ ]*|[ ]{3,}", run)]
    letters = ["".join([_MORSE_LETTERS.get(code, "") for code in codes]) for codes in words]
    text = " ".join(filter(None, letters))
    # A horizontal rule or a row of dots has too few distinct letters for a message.
    return text if len(set(text)) >= _FEWEST_MORSE else None


def _from_hex(run: str) -> str | None:
    digits = re.sub(r"0x|\\x|[ :,]", "", run)
    return _decoded(bytes.fromhex, digits)


def _from_bits(run: str) -> str | None:
    digits = re.sub(r"[ ,]", "", run)
    return _printable(bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits) - 7, 8)))


def _decoded(decode: Callable[[str], bytes], run: str) -> str | None:
    """Return what a run decodes to, if that is printable UTF-8."""
    try:
        return _printable(decode(run))
    except ValueError:
        return None


def _printable(data: bytes) -> str | None:
    """Decode printable UTF-8; None for other bytes."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return text if text and all(each.isprintable() or each in "\n\t" for each in text) else None


_FEWEST_MORSE = 5
"""Distinct characters of a message in Morse code."""
_MORSE = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
    "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."
)
_MORSE_LETTERS = dict(zip(_MORSE.split(), "abcdefghijklmnopqrstuvwxyz0123456789", strict=True))
_UNTAGGED = {code: chr(code - 0xE0000) for code in range(0xE0020, 0xE007F)}
_SPARSE = {_BITS: _BYTE, _ENTITIES: _CODED, _PERCENT: _CODED, _ESCAPES: _CODED}
"""Patterns that are only tried if the text has what every match of them contains."""
_CODES: tuple[tuple[str, str, re.Pattern[str], Callable[[str], str | None]], ...] = (
    (
        "HTML entities",
        "&#",
        _ENTITIES,
        lambda run: html.unescape(re.sub(r"(&#x?[0-9a-fA-F]+);?\s?", r"\1;", run)),
    ),
    ("URL encoding", "%", _PERCENT, _from_percent),
    ("escape sequences", "\\", _ESCAPES, lambda run: re.sub(r"\\[ux]([0-9a-fA-F]+)", _character, run)),
    ("binary digits", "0", _BITS, _from_bits),
    ("hexadecimal digits", "", _HEX, _from_hex),
    ("base64", "", _BASE64, _from_base64),
    ("Ascii85", "<~", _ASCII85, partial(_decoded, partial(base64.a85decode, adobe=True))),
    ("Morse code", ".", _MORSE_RUN, _from_morse),
)
