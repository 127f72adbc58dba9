"""JSON, JSONC and JSON5 read with the place of every value, so that an edit changes only its own characters."""

from __future__ import annotations

import json
import re
from typing import Any

from combray.records import dataclass, field

_SPACE = r" \t\n\r"
_SPACE5 = _SPACE + r"\v\f\u00a0\ufeff\u2028\u2029"
_COMMENT = r"|//[^\n]*|/\*[\s\S]*?\*/"
_ESCAPED = r"\\(?:\r\n|[\s\S])"
_STRINGS = {quote: re.compile(rf"{quote}(?:[^{quote}\\\n]|{_ESCAPED})*{quote}") for quote in "\"'"}
_STRICT_STRING = re.compile(rf'"(?:[^"\\\x00-\x1f]|{_ESCAPED})*"')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NUMBER5 = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)",
)
_NAME = re.compile(r"[^\W\d][\w$\u200c\u200d]*|\$[\w$]*")
_WORDS = {"true": True, "false": False, "null": None}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a client's parser accepts beyond JSON."""

    name: str
    comments: bool = False
    trailing_commas: bool = False
    json5: bool = False


JSON = Dialect("JSON")
JSON_WITH_COMMENTS = Dialect("JSON with comments", comments=True)
JSONC = Dialect("JSONC", comments=True, trailing_commas=True)
JSON5 = Dialect("JSON5", comments=True, trailing_commas=True, json5=True)
TOML = Dialect("TOML")
"""Named only; `tomledit` reads it."""


class SourceError(ValueError):
    """The text does not follow its dialect; `line` and `column` count from 1."""

    def __init__(self, problem: str, text: str, at: int) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - (text.rfind("\n", 0, at) + 1) + 1
        super().__init__(f"{problem} at line {self.line}, column {self.column}")


@dataclass(slots=True)
class JsonMember:
    """A member of an object or an element of an array. `comma`: place of the comma behind it, or -1."""

    key: str | None
    start: int
    value: JsonNode
    comma: int = -1


@dataclass(slots=True)
class JsonNode:
    """A value and its span in the text. `entries`: members or elements; `plain`: any other value."""

    kind: str
    start: int
    end: int = 0
    entries: list[JsonMember] = field(default_factory=list)
    plain: Any = None

    def get(self, key: str) -> JsonMember | None:
        """Return the member of that name; of several the last, as JSON parsers do."""
        return next((each for each in reversed(self.entries) if each.key == key), None)

    def to_value(self) -> Any:
        """Return the value as Python objects."""
        if self.kind == "object":
            return {each.key: each.value.to_value() for each in self.entries}
        if self.kind == "array":
            return [each.value.to_value() for each in self.entries]
        return self.plain


def read(text: str, dialect: Dialect) -> JsonNode | None:
    """Parse a text. Return None if it has no value, only white space and comments. Raises SourceError."""
    return _Reader(text, dialect).document()


class _Reader:
    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self.dialect = dialect
        self.at = 0
        space, comments = _SPACE5 if dialect.json5 else _SPACE, _COMMENT if dialect.comments else ""
        self.skipped = re.compile(f"(?:[{space}]{comments})*+")

    def document(self) -> JsonNode | None:
        self.skip()
        if self.at == len(self.text):
            return None
        node = self.value(0)
        self.skip()
        if self.at < len(self.text):
            raise self.wrong("unexpected text behind the value")
        return node

    def wrong(self, problem: str) -> SourceError:
        return SourceError(problem, self.text, self.at)

    def skip(self) -> None:
        """Skip white space and comments."""
        found = self.skipped.match(self.text, self.at)
        self.at = found.end() if found else self.at
        if self.text.startswith(("//", "/*"), self.at):
            known = self.dialect.comments
            raise self.wrong("a comment without end" if known else "a comment, which this file cannot have,")

    def value(self, depth: int) -> JsonNode:
        if depth > _DEEPEST:
            raise self.wrong("too many nested values")
        start = self.at
        first = self.text[start : start + 1]
        if first == "{":
            return self.container("object", "}", depth)
        if first == "[":
            return self.container("array", "]", depth)
        if first == '"' or (first == "'" and self.dialect.json5):
            plain: Any = self.string(first)
            return JsonNode("string", start, self.at, plain=plain)
        for word, plain in _WORDS.items():
            if self.text.startswith(word, start):
                self.at = start + len(word)
                return JsonNode("word", start, self.at, plain=plain)
        found = (_NUMBER5 if self.dialect.json5 else _NUMBER).match(self.text, start)
        if not found:
            raise self.wrong("a value is missing or not valid")
        self.at = found.end()
        return JsonNode("number", start, self.at, plain=_number(found[0]))

    def container(self, kind: str, close: str, depth: int) -> JsonNode:
        node = JsonNode(kind, self.at)
        self.at += 1
        while True:
            self.skip()
            if self.text.startswith(close, self.at):
                if node.entries and node.entries[-1].comma >= 0 and not self.dialect.trailing_commas:
                    raise self.wrong("a comma without a value behind it")
                self.at += 1
                node.end = self.at
                return node
            if node.entries and node.entries[-1].comma < 0:
                raise self.wrong(f"'{close}' or a comma is missing")
            node.entries.append(self.entry(kind, depth))

    def entry(self, kind: str, depth: int) -> JsonMember:
        start, key = self.at, None
        if kind == "object":
            key = self.key()
            self.skip()
            if not self.text.startswith(":", self.at):
                raise self.wrong("a colon is missing")
            self.at += 1
            self.skip()
        entry = JsonMember(key, start, self.value(depth + 1))
        self.skip()
        if self.text.startswith(",", self.at):
            entry.comma = self.at
            self.at += 1
        return entry

    def key(self) -> str:
        first = self.text[self.at : self.at + 1]
        if first == '"' or (first == "'" and self.dialect.json5):
            return self.string(first)
        found = _NAME.match(self.text, self.at) if self.dialect.json5 else None
        if not found:
            raise self.wrong("a key is missing or not valid")
        self.at = found.end()
        return found[0]

    def string(self, quote: str) -> str:
        found = (_STRINGS[quote] if self.dialect.json5 else _STRICT_STRING).match(self.text, self.at)
        if not found:
            raise self.wrong("a string without end")
        if self.dialect.json5:
            self.at = found.end()
            return _unescaped(found[0][1:-1])
        try:
            text = str(json.loads(found[0]))
        except ValueError:
            raise self.wrong("a string with an invalid escape") from None
        self.at = found.end()
        return text


def _number(text: str) -> int | float:
    sign = -1 if text.startswith("-") else 1
    bare = text.lstrip("+-")
    if bare[:2].lower() == "0x":
        return sign * int(bare, 16)
    if bare in ("Infinity", "NaN"):
        return sign * float(bare)
    return sign * (int(bare) if bare.isdigit() else float(bare))


def _unescaped(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] in "ux" and len(code) > 1:
            return chr(int(code[1:], 16))
        return "" if code in ("\n", "\r\n", "\u2028", "\u2029") else _ESCAPES.get(code, code)

    found = re.sub(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|[\s\S])", plain, text)
    # Two escapes may be one character: a surrogate pair.
    return found.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
