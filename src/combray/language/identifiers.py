"""Identifiers in a text: codes, numbers, phone numbers and addresses, compared whole and in canonical form.

Spaces, dashes, dots, slashes, brackets and letter case do not distinguish two spellings of one identifier. A
longer identifier never matches a shorter one: "OPS-4711" is neither "OPS-47112" nor "DEVOPS-4711".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from combray.language.folding import UNSPACED, fold
from combray.records import dataclass

LEAST = 4
"""Letters and digits of the shortest code or number that identifies something."""
_LEAST_PHONE, _MOST_PHONE = 7, 15
"""Digits of a phone number. Source: ITU-T E.164 (at most 15)."""
_LONG = 9
"""A number of this many digits is unique enough to stand beside another number ("… 6789 12/26")."""
_FREE = 8
"""Characters of a code from which a separator may be anywhere ("0A:1B:…" and "0A1B…")."""

_SEPARATORS = r"[\s().:\-\u2010-\u2015\u2212/_]{0,3}"
_address = re.compile(
    r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)[^\s\"'<>]+[^\s\"'<>.,;:!?)]|(?<![\w@/.])@\w[\w.-]*\w"
)
_domain = re.compile(r"(?<![\w@./-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/[^\s\"'<>.,;:!?)]+)*(?![\w@])", re.IGNORECASE)
# Letters of a script without spaces are no part of a code: "身份证号110101".
_chunk = re.compile(rf"[+(]?[^\W_{UNSPACED}](?:(?![{UNSPACED}])[\w().:+\-\u2010-\u2015/])*")
_grouped = re.compile(r"[\d().+\-/]+").fullmatch
_date = re.compile(
    r"\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})|(?:19|20)\d\d"
    r"|\d{1,2}(?::\d\d){1,2}"
).fullmatch
_code_group = re.compile(r"[A-Z]{1,4}[\d-]+").fullmatch
_letters = re.compile("[A-Z]{2,4}").fullmatch
_prefix = re.compile("[A-Za-z]{2,6}|[A-Z]{1,3}[- ][A-Z]{1,3}").fullmatch
_initials = re.compile("[A-Z]{1,3}").fullmatch
_host = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}").fullmatch
# Calling codes: one digit in zones 1 and 7, two in the listed ones, else three. Source: ITU-T E.164.
_calling_code = re.compile(r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9]\d\d")


@dataclass(frozen=True)
class Identifier:
    """One identifier: as written, and a word before it, which may belong to it: "OPS" or "B-MX" before "4711"."""

    text: str
    before: str = ""

    @cached_property
    def canonical(self) -> str:
        """Its letters and digits in lower case; an address with its signs, without scheme and final slash."""
        if self.is_address:
            return _bare_address(self.text)
        return "".join(each for each in fold(self.text) if each.isalnum())

    @property
    def is_address(self) -> bool:
        """Whether it is an e-mail address, a URL, a domain, an IPv4 address or a handle."""
        patterns = (_address.fullmatch, _domain.fullmatch, _host)
        return any(matches(self.text) is not None for matches in patterns)

    def held_by(self, text: str) -> bool:
        """Return whether a text holds it, whole."""
        folded = fold(text)
        if self._joined is not None and self._joined.search(folded):
            return True
        if self._pattern.search(folded) is None:
            return False
        # "OPS 4711" may be one code, or a number with its label; then the label must be in the text too.
        return not self.before.isupper() or len(self.canonical) >= _LONG - 3 or fold(self.before) in folded

    @cached_property
    def _joined(self) -> re.Pattern[str] | None:
        both = _spelt(f"{fold(self.before)} {fold(self.text)}")
        return re.compile(_whole(both, digits=False)) if self.before else None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        if self.is_address:
            bare = re.escape(self.canonical)
            bare = bare[0] + bare[1:].replace("@", r"\s?(?:@|\(at\)|\[at\])\s?")
            bare = bare.replace(r"\.", r"\s?(?:\.|\(dot\)|\[dot\])\s?")
            scheme = "" if "@" in self.canonical else r"(?:https?://)?(?:www\.)?"
            return re.compile(rf"(?<![\w.+%-])(?<!\w@){scheme}{bare}(?![\w-])(?!\.\w)(?!@)")
        if self.canonical.isdecimal():
            return re.compile(_whole(_number(fold(self.text)), digits=True, long=len(self.canonical) >= _LONG))
        return re.compile(_whole(_spelt(fold(self.text)), digits=False))


def identifiers(text: str) -> list[tuple[int, int, Identifier]]:
    """Return the identifiers of a request with their places: start inclusive, end exclusive."""
    found = [(hit.start(), hit.end(), Identifier(hit[0])) for hit in _address.finditer(text)]
    taken = [(start, end) for start, end, _ in found]
    for hit in _domain.finditer(text):
        if not _inside(hit.start(), taken) and not any(each.isdigit() for each in hit[0].rpartition(".")[2]):
            found.append((hit.start(), hit.end(), Identifier(hit[0])))
    taken = [(start, end) for start, end, _ in found]
    chunks = [hit for hit in _chunk.finditer(text) if not _inside(hit.start(), taken)]
    found += _codes(text, chunks)
    return sorted(found, key=lambda each: each[0])


def _codes(text: str, chunks: list[re.Match[str]]) -> Iterator[tuple[int, int, Identifier]]:
    at = 0
    while at < len(chunks):
        end = at
        while end + 1 < len(chunks) and _continues(text, chunks, end):
            end += 1
        start, stop = chunks[at].start(), chunks[end].end()
        written = text[start:stop].rstrip(".,;:-/(").strip()
        if written.count(")") > written.count("("):
            written = written.rstrip(")")
        around = text[max(0, start - 1) : start] + text[stop : stop + 1]
        size = sum(each.isalnum() for each in written)
        if _coded(written) and size >= LEAST and not _date(written) and not set(around) & set("$€£¥%"):
            yield start, start + len(written), Identifier(written, _before(text, chunks, at))
        at = end + 1


def _before(text: str, chunks: list[re.Match[str]], at: int) -> str:
    """Return the word in front of a number that may belong to it, or two groups of capitals ("B MX 4711")."""
    if not at or not text[chunks[at - 1].end() : chunks[at].start()].isspace():
        return ""
    near = chunks[at - 1][0]
    if at > 1 and _initials(near) and _initials(chunks[at - 2][0]):
        near = text[chunks[at - 2].start() : chunks[at - 1].end()]
    return near if _prefix(near) else ""


def _continues(text: str, chunks: list[re.Match[str]], at: int) -> bool:
    """Return whether the next chunk is the next group of the same identifier: "4111 1111", "GB29 NWBK 6016"."""
    one, other = chunks[at], chunks[at + 1]
    if text[one.end() : other.start()] not in (" ", "\u00a0", ""):
        return False
    if _grouped(other[0]):
        inner = _letters(one[0]) and at and _coded(chunks[at - 1][0])
        return bool(_grouped(one[0]) or _code_group(one[0]) or inner)
    after = chunks[at + 2] if at + 2 < len(chunks) else None
    return bool(_coded(one[0]) and _letters(other[0]) and after is not None and _grouped(after[0]))


def _coded(text: str) -> bool:
    return any(each.isdigit() for each in text)


def _inside(place: int, taken: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in taken)


def _bare_address(text: str) -> str:
    folded = fold(text)
    return re.sub(r"^(?:https?://)?(?:www\.)?", "", folded).rstrip("/")


def _spelt(folded: str) -> str:
    """Return a pattern of the characters with any separators at digits, and where the text has one."""
    parts: list[str] = []
    before, gap = "", False
    coded = sum(each.isalnum() for each in folded)
    for each in folded:
        if not each.isalnum():
            gap = True
            continue
        if parts:
            digit = before.isdigit()
            free = gap or coded >= _FREE or digit != each.isdigit() or (digit and coded > LEAST + 1)
            parts.append(_SEPARATORS if free else "")
        parts.append(re.escape(each))
        before, gap = each, False
    return "".join(parts)


def _number(folded: str) -> str:
    """Return a pattern of a number; of a phone number with or without its country's prefix."""
    digits = "".join(each for each in folded if each.isdigit())
    if not _LEAST_PHONE <= len(digits) <= _MOST_PHONE:
        return _spelt(folded)
    prefix = r"(?:\+|00)\s?\d{1,3}"
    national = digits
    if folded.lstrip(" (").startswith("+") or digits.startswith("00"):
        international = digits.removeprefix("00")
        code = _calling_code.match(international)
        cut = code.end() if code else 0
        national = international[cut:].removeprefix("0")
        prefix = rf"(?:\+|00)?\s?{international[:cut]}"
    elif digits.startswith("0"):
        national = digits[1:]
    elif len(digits) == 11 and digits.startswith("1"):
        national, prefix = digits[1:], r"(?:(?:\+|00)\s?\d{1,3}\s?)?1?"
    elif len(digits) == 10:
        prefix = r"(?:(?:\+|00)\s?\d{1,3}|1)"
    if len(national) < _LEAST_PHONE:
        return _spelt(folded)
    spelt = _SEPARATORS.join(national)
    return rf"\(?(?:{prefix}{_SEPARATORS}(?:\(?0\)?)?{_SEPARATORS}|0{_SEPARATORS})?{spelt}"


def _whole(pattern: str, *, digits: bool, long: bool = False) -> str:
    """Return a pattern that is not part of a longer identifier."""
    before, after = r"(?<![a-z0-9])(?<![a-z0-9][-_])", r"(?![a-z0-9])(?![-_.]\d)(?!_[a-z])"
    if digits:
        before += r"(?<!\d[./])" + (r"(?<!\+\d\s)(?<!\+\d\d\s)(?<!\+\d\d\d\s)" if long else r"(?<!\d\d\s)")
        after += r"(?!/\d)" + ("" if long else r"(?!\s\d\d)")
    return before + pattern + after
