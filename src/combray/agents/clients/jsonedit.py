"""Set and remove single values of a JSON, JSONC or JSON5 text. Every other character stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from combray.agents.clients.jsonsource import Dialect, JsonMember, JsonNode, read

_SPACE = " \t\r\n"


class ShapeError(ValueError):
    """A value on the path is not an object or array where one is needed. `path` leads to it."""

    def __init__(self, path: Sequence[str], wanted: str) -> None:
        self.path = tuple(path)
        self.wanted = wanted
        super().__init__(f"{'.'.join(path) or 'the file'} is not {wanted}")


def value_at(text: str, path: Sequence[str], dialect: Dialect) -> Any:
    """Return the value at a path of keys, or None if there is none. Raises SourceError."""
    node = _node_at(read(text, dialect), path)
    return None if node is None else node.to_value()


def _node_at(node: JsonNode | None, path: Sequence[str]) -> JsonNode | None:
    for key in path:
        entry = node.get(key) if node is not None and node.kind == "object" else None
        node = None if entry is None else entry.value
    return node


def set_value(text: str, path: Sequence[str], value: Any, dialect: Dialect) -> str:
    """Set the value at a path; missing objects on the path are added. Raises SourceError, ShapeError."""
    root = read(text, dialect)
    if root is None:
        return _whole(text, _nested(path, value))
    node = root
    for depth, key in enumerate(path):
        if node.kind != "object":
            raise ShapeError(path[:depth], "an object")
        entry = node.get(key)
        if entry is None:
            return _insert(text, root, node, key, _nested(path[depth + 1 :], value))
        node = entry.value
    if node.to_value() == value:
        return text
    style = _Style(text, root)
    return text[: node.start] + style.written(value, style.indent_of(node.start)) + text[node.end :]


def append(text: str, path: Sequence[str], value: Any, dialect: Dialect) -> str:
    """Append an element to the array at a path; a missing array is added. Raises SourceError, ShapeError."""
    root = read(text, dialect)
    node = root
    for depth, key in enumerate(path):
        if node is not None and node.kind != "object":
            raise ShapeError(path[:depth], "an object")
        entry = node.get(key) if node is not None else None
        if entry is None:
            return set_value(text, path, [value], dialect)
        node = entry.value
    if root is None or node is None or node.kind != "array":
        raise ShapeError(path, "an array")
    return _insert(text, root, node, None, value)


def remove(text: str, path: Sequence[str], dialect: Dialect) -> str:
    """Remove the member at a path; the text as it is if there is none. Raises SourceError."""
    node = _node_at(read(text, dialect), path[:-1])
    if node is None or node.kind != "object":
        return text
    found = node.get(path[-1])
    return text if found is None else _cut(text, node, found)


def remove_elements(text: str, path: Sequence[str], unwanted: Callable[[Any], bool], dialect: Dialect) -> str:
    """Remove every element of the array at a path that `unwanted` returns True for. Raises SourceError."""
    while True:
        node = _node_at(read(text, dialect), path)
        if node is None or node.kind != "array":
            return text
        found = next((each for each in node.entries if unwanted(each.value.to_value())), None)
        if found is None:
            return text
        text = _cut(text, node, found)


def replace_element(text: str, path: Sequence[str], change: Callable[[Any], Any], dialect: Dialect) -> str:
    """Replace every element of the array at a path by what `change` returns for it. Raises SourceError."""
    root = read(text, dialect)
    node = _node_at(root, path)
    if root is None or node is None or node.kind != "array":
        return text
    style = _Style(text, root)
    for each in reversed(node.entries):
        old = each.value.to_value()
        new = change(old)
        if new != old:
            written = style.written(new, style.indent_of(each.start))
            text = text[: each.value.start] + written + text[each.value.end :]
    return text


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _whole(text: str, value: Any) -> str:
    """A document of one value, behind the comments that the file may have."""
    newline = "\r\n" if "\r\n" in text else "\n"
    written = json.dumps(value, indent=2, ensure_ascii=False).replace("\n", newline)
    before = text.rstrip(_SPACE)
    return f"{before}{newline if before else ''}{written}{newline}"


class _Style:
    """How a file indents and ends its lines."""

    def __init__(self, text: str, root: JsonNode) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.unit = "  "
        if root.entries and (found := self.own_line(root.entries[0].start)) is not None:
            self.unit = found[len(self.indent_of(root.start)) :] or "  "

    def own_line(self, at: int) -> str | None:
        """The white space before a place if nothing else stands before it on its line."""
        before = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return None if before.strip(_SPACE) or "\n" not in self.text[:at] else before

    def indent_of(self, at: int) -> str:
        """The indentation of the line that a place is on."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def written(self, value: Any, indent: str) -> str:
        lines = json.dumps(value, indent=self.unit, ensure_ascii=False).split("\n")
        return (self.newline + indent).join(lines)


def _insert(text: str, root: JsonNode, node: JsonNode, key: str | None, value: Any) -> str:
    """Add an entry at the end of a container, in the container's style."""
    style = _Style(text, root)
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    spread = "\n" in text[node.start : node.end]
    if not node.entries:
        return _fill(text, node, style, name, value)
    last = node.entries[-1]
    if not spread:
        after = last.comma + 1 if last.comma >= 0 else last.value.end
        written = f"{'' if last.comma >= 0 else ','} {name}{json.dumps(value, ensure_ascii=False)}"
        return text[:after] + written + ("," if last.comma >= 0 else "") + text[after:]
    indent = style.own_line(node.entries[0].start)
    indent = style.indent_of(node.start) + style.unit if indent is None else indent
    entry = f"{style.newline}{indent}{name}{style.written(value, indent)}"
    if last.comma >= 0:
        after = _end_of_line_comment(text, last.comma + 1)
        return f"{text[:after]}{entry},{text[after:]}"
    after = _end_of_line_comment(text, last.value.end)
    closing = "" if "\n" in text[after : node.end] else style.newline + style.indent_of(node.start)
    return f"{text[: last.value.end]},{text[last.value.end : after]}{entry}{closing}{text[after:]}"


def _fill(text: str, node: JsonNode, style: _Style, name: str, value: Any) -> str:
    """The first entry of an empty container, behind the comments in it."""
    base = style.indent_of(node.start)
    indent = base + style.unit
    inner = text[node.start + 1 : node.end - 1]
    after = node.start + 1 + len(inner.rstrip(_SPACE))
    entry = f"{style.newline}{indent}{name}{style.written(value, indent)}"
    rest = text[after : node.end - 1]
    closing = rest if "\n" in rest else style.newline + base
    return f"{text[:after]}{entry}{closing}{text[node.end - 1 :]}"


def _end_of_line_comment(text: str, at: int) -> int:
    """Where a comment that follows on the same line ends; the place itself if there is none."""
    found = re.compile(r"[ \t]*(?://[^\r\n]*|(?:/\*[^\r\n]*?\*/))").match(text, at)
    return found.end() if found else at


def _cut(text: str, node: JsonNode, entry: JsonMember) -> str:
    """Remove an entry, its comma and the white space before it; comments stay."""
    start = len(text[: entry.start].rstrip(_SPACE))
    if entry.comma >= 0:
        # What stands between the value and its comma, such as a comment, stays.
        return text[:start] + text[entry.value.end : entry.comma] + text[entry.comma + 1 :]
    place = next(at for at, each in enumerate(node.entries) if each is entry)
    text = text[:start] + text[entry.value.end :]
    if not place:
        return text
    comma = node.entries[place - 1].comma
    return text[:comma] + text[comma + 1 :]
