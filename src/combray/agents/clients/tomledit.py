"""Set and remove one table of a TOML text. Every other character stays as it is.

`tomllib` reads and checks the text; only the places of the table's lines are found here. Source: https://toml.io/en/v1.0.0
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from combray.records import dataclass

_TOKEN = re.compile(
    r'"""(?:[^\\]|\\[\s\S])*?"{3,5}'
    r"|'''[\s\S]*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|[\[\]{}\n]"
    r"|[^\"'#\[\]{}\n]+"
    r"|[\"']"
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class _TomlStatement:
    """A table header or a key with its value. `path`: the full path of the table or key."""

    start: int
    end: int
    path: tuple[str, ...]
    header: bool


class TableError(ValueError):
    """The table is there, but not under a header of its own, so its lines cannot be changed."""


def table_at(text: str, path: Sequence[str]) -> Any:
    """Return the value at a path, or None. Raises tomllib.TOMLDecodeError."""
    value: Any = tomllib.loads(text)
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def set_table(text: str, path: Sequence[str], values: Mapping[str, Any]) -> str:
    """Set keys of the table at a path, and add the table at the end if there is none; other keys stay.

    Values are texts, booleans, numbers or lists of texts. Raises tomllib.TOMLDecodeError, TableError.
    """
    before = table_at(text, path)
    newline = "\r\n" if "\r\n" in text else "\n"
    if before is None:
        lines = [f"[{'.'.join(_key(each) for each in path)}]", *(_line(*each) for each in values.items())]
        start = text if not text or text.endswith("\n") else text + newline
        made = start + (newline if start.strip() else "") + newline.join(lines) + newline
    else:
        made = _changed(text, tuple(path), {k: v for k, v in values.items() if before.get(k) != v}, newline)
    return _checked(made, path, {**(before or {}), **values})


def remove_table(text: str, path: Sequence[str]) -> str:
    """Remove the table at a path and its subtables, with one blank line before. Raises as `set_table`."""
    if table_at(text, path) is None:
        return text
    wanted = tuple(path)
    spans: list[tuple[int, int]] = []
    inside = False
    for each in _statements(text):
        if each.header:
            inside = each.path[: len(wanted)] == wanted
        if inside:
            spans.append((each.start, each.end))
    for start, end in reversed(_joined(text, spans)):
        blank = re.search(r"\n(\r?\n)\Z", text[:start])
        text = text[: blank.start(1) if blank else start] + text[end:]
    return _checked(text, path, None)


def _joined(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans with nothing but white space between them become one."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and not text[found[-1][1] : start].strip():
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _changed(text: str, path: tuple[str, ...], values: Mapping[str, Any], newline: str) -> str:
    """Replace the lines of keys, and add missing ones behind the table's header."""
    statements = list(_statements(text))
    header = next((each for each in statements if each.header and each.path == path), None)
    if header is None:
        raise TableError(f"{'.'.join(path)} has no header of its own")
    places = {each.path[-1]: each for each in statements if not each.header and each.path[:-1] == path}
    edits = []
    for key, value in values.items():
        line = _line(key, value) + newline
        place = places.get(key)
        edits.append((place.start, place.end, line) if place else (header.end, header.end, line))
    for start, end, line in sorted(edits, key=lambda each: each[0], reverse=True):
        ended = text[:start] if not start or text[start - 1] == "\n" else text[:start] + newline
        text = ended + line + text[end:]
    return text


def _checked(text: str, path: Sequence[str], wanted: Any) -> str:
    if table_at(text, path) != wanted:
        raise TableError(f"{'.'.join(path)} is written in several places")
    return text


def _line(key: str, value: Any) -> str:
    if isinstance(value, list):
        return f"{_key(key)} = [{', '.join(json.dumps(each, ensure_ascii=False) for each in value)}]"
    return f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _statements(text: str) -> list[_TomlStatement]:
    """Return headers and keys with their spans; a span includes the end of its last line."""
    found: list[_TomlStatement] = []
    table: tuple[str, ...] = ()
    start = depth = 0
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        at = token.end() if token else at + 1
        part = token[0] if token else text[at - 1]
        depth += (part in "[{") - (part in "]}") if len(part) == 1 else 0
        if (part == "\n" and depth == 0) or at == len(text):
            each = _statement(text, start, at, table)
            start = at
            if each is not None:
                found.append(each)
                table = each.path if each.header else table
    return found


def _statement(text: str, start: int, end: int, table: tuple[str, ...]) -> _TomlStatement | None:
    line = text[start:end].strip()
    if not line or line.startswith("#"):
        return None
    if line.startswith("["):
        inner = tomllib.loads(line)
        return _TomlStatement(start, end, _path(inner), header=True)
    return _TomlStatement(start, end, (*table, *_path(tomllib.loads(line))), header=False)


def _path(value: Any) -> tuple[str, ...]:
    """The path to the one value of a document with one statement."""
    path: list[str] = []
    while True:
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            value = value[0]
        if not (isinstance(value, dict) and len(value) == 1):
            return tuple(path)
        key, value = next(iter(value.items()))
        path.append(key)
