"""Find secrets by their format and redact them before a text is stored.

A small table of patterns. The library detect-secrets targets source repositories, needs two more packages, and
can verify findings over the network.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from combray.records import dataclass


@dataclass(frozen=True, slots=True)
class Secret:
    """One finding: its sort, and its place in the text (start inclusive, end exclusive)."""

    sort: str
    start: int
    end: int


def _luhn(text: str) -> bool:
    """Whether the digits pass the Luhn checksum (ISO/IEC 7812)."""
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and (sum(doubled) + sum(digits[-1::-2])) % 10 == 0


def _looks_random(text: str) -> bool:
    """Whether a value mixes two sorts of characters and is not a template placeholder."""
    sorts = (str.islower, str.isupper, str.isdigit)
    mixed = sum(any(test(character) for character in text) for test in sorts)
    symbols = any(not character.isalnum() for character in text)
    return mixed + symbols >= 2 and not text.startswith(("<", "{", "$", "%", "["))


def _has_figure(text: str) -> bool:
    """Whether a value has both letters and digits, unlike an ordinary next word."""
    return any(character.isdigit() for character in text) and any(character.isalpha() for character in text)


@dataclass(frozen=True, slots=True)
class _Shape:
    """A pattern. `needs`: lower-case substrings, one of which every match contains (a cheap first test)."""

    sort: str
    pattern: re.Pattern[str]
    fits: Callable[[str], bool] = bool
    needs: tuple[str, ...] = ()


# Every repetition is bounded or anchored, so matching is linear.
# Key prefixes are those that services publish. The last group of a pattern, if any, is the secret.
_SHAPES = (
    _Shape(
        "private key",
        re.compile(r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*-----|\Z)"),
        needs=("-----begin",),
    ),
    _Shape(
        "API key",
        re.compile(
            r"(?<![A-Za-z0-9])(?:sk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9_-]{20,}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"
            r"|AIza[A-Za-z0-9_-]{35}|hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"
            r"|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{32,}|dop_v1_[a-f0-9]{64})"
        ),
        needs=("sk-", "sk_", "rk_", "aiza", "hf_", "sg.", "npm_", "pypi-", "dop_v1_"),
    ),
    _Shape(
        "access key", re.compile(r"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])"), needs=("akia", "asia")
    ),
    _Shape(
        "token",
        re.compile(
            r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_-]{20,}"
            r"|xox[abeoprs]-[A-Za-z0-9-]{10,})"
        ),
        needs=("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox"),
    ),
    _Shape(
        "token",
        re.compile(r"(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
        needs=("eyj",),
    ),
    _Shape(
        "token",
        re.compile(r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9+/._~-]{16,}=*)"),
        _looks_random,
        ("bearer", "basic"),
    ),
    _Shape(
        "password",
        re.compile(r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,30}://[^\s/:@]{1,200}:([^\s/@]{3,200})@"),
        needs=("://",),
    ),
    _Shape(
        "password",
        re.compile(
            r"(?i)\b[a-z0-9_-]{0,40}(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|auth[_-]?token|token)"
            r"[\"']?\s{0,3}(?:=|:)\s{0,3}[\"']?([^\s\"'`,;]{6,200})"
        ),
        _looks_random,
        (
            *("passw", "passphrase", "secret", "token"),
            *(f"{kind}{joint}key" for kind in ("api", "access", "auth") for joint in ("", "_", "-")),
        ),
    ),
    _Shape(
        "password",
        re.compile(
            r"(?i)\b(?:password|passcode|passphrase|mật khẩu|contraseña|mot de passe|passwort)"
            r"\s{1,3}(?:is|was|là|es|est|ist)\s{1,3}[\"'“]?([^\s\"'“”,;]{4,100}?)[.!?]?(?=[\s\"'”,;]|$)"
        ),
        _has_figure,
        ("passw", "passcode", "passphrase", "mật khẩu", "contraseña", "mot de passe"),
    ),
    _Shape("password", re.compile(r"密码(?:是|为)[:：]?\s?[\"'“]?([!-~]{4,100})"), _has_figure, ("密码",)),
    # Not within a hexadecimal word, such as a UUID or a commit: digits of one UUID in 400 pass for a card.
    _Shape(
        "card number",
        re.compile(r"\d(?<![\dA-Fa-f.-]\d)(?:[ -]?\d){12,18}(?![\dA-Fa-f]|[.-]\d|-[A-Fa-f])"),
        _luhn,
    ),
)
_NEEDED = tuple((need, at) for at, shape in enumerate(_SHAPES) for need in shape.needs)
_FREE = frozenset(at for at, shape in enumerate(_SHAPES) if not shape.needs)
_SHORTEST = 7
"""Characters of the shortest secret, 密码 with a password of four letters."""


def find_secrets(text: str) -> list[Secret]:
    """Return the secrets in order. Of overlapping ones the earliest wins, then the longest."""
    if len(text) < _SHORTEST:
        return []
    found = []
    # To a pattern that ignores case, the long s of old prints is an s.
    lowered = text.lower().replace("ſ", "s")
    fitting = _FREE.union([at for need, at in _NEEDED if need in lowered])
    for shape in [_SHAPES[at] for at in sorted(fitting)]:
        for match in shape.pattern.finditer(text):
            start, end = match.span(match.lastindex or 0)
            if shape.fits(text[start:end]):
                found.append(Secret(shape.sort, start, end))
    found += _private(text)
    found.sort(key=lambda each: (each.start, -each.end))
    apart: list[Secret] = []
    for each in found:
        if not apart or each.start >= apart[-1].end:
            apart.append(each)
    return apart


_OPENING, _CLOSING = re.compile(r"(?i)<private>"), re.compile(r"(?i)</private>")


def _private(text: str) -> list[Secret]:
    """Return <private>…</private> sections, tags included. An unclosed tag extends to the end of the text."""
    found: list[Secret] = []
    opening = _OPENING.search(text) if "<" in text else None
    while opening is not None:
        closing = _CLOSING.search(text, opening.end())
        end = closing.end() if closing else len(text)
        found.append(Secret("private text", opening.start(), end))
        opening = _OPENING.search(text, end)
    return found


def redact(text: str) -> str:
    """Replace each secret by `[redacted SORT]`. Line breaks in secrets are kept: line numbers stay the same."""
    parts, at = [], 0
    for secret in find_secrets(text):
        lost_lines = "\n" * text.count("\n", secret.start, secret.end)
        parts += [text[at : secret.start], f"[redacted {secret.sort}]", lost_lines]
        at = secret.end
    return "".join((*parts, text[at:]))
