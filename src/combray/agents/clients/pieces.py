"""What Combray writes into a client's files. Each piece adds itself to a text, removes itself, reports its state.

A piece never changes what is not its own. Its own are: an MCP entry under its name that starts Combray, hooks
whose command is `combray hook`, and files with Combray's mark.

Texts have no byte order mark; None is a missing file. `removed` returns None if nothing is left of the file; its
`original` is the text before Combray's first change: containers that were empty there stay. Every method raises
InvalidInputError for a file that cannot be edited.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from combray.agents.clients import jsonedit, tomledit
from combray.agents.clients.jsonsource import Dialect, SourceError
from combray.errors import InvalidInputError
from combray.records import dataclass

State = Literal["wired", "older", "missing", "foreign"]
"""As this version writes it; Combray's, but different; not there; something else is in its place."""

MARK = "combray:setup"
"""Stands in every whole file that Combray writes. Without it a file is somebody else's."""

_HOOK = re.compile(r"\bcombray(?:\.exe|\.cmd)?[\"']?\s+hook\s")


def starts_combray(command: Any, args: Any) -> bool:
    """Whether an MCP entry starts Combray's server: `combray mcp`, also through uvx or python -m."""
    words = [*command, *(args or ())] if isinstance(command, list) else [command, *(args or ())]
    if not all(isinstance(word, str) for word in words):
        return False
    names = [re.split(r"[\\/]", word)[-1].lower().removesuffix(".exe") for word in words]
    return "mcp" in names and any(name == "combray" or name.startswith("combray[") for name in names)


def is_hook(value: Any) -> bool:
    """Whether a hook of a client calls `combray hook`."""
    return isinstance(value, dict) and bool(_HOOK.search(str(value.get("command", ""))))


def _refused(path: Path, error: Exception, dialect: str) -> InvalidInputError:
    if isinstance(error, jsonedit.ShapeError):
        return InvalidInputError(str(path), f"{error}.", "Correct the file; nothing was changed.")
    return InvalidInputError(
        str(path), f"is not valid {dialect}: {error}.", "Correct the file; nothing was changed."
    )


@dataclass(frozen=True, slots=True)
class _InJson:
    path: Path
    dialect: Dialect

    def _edit(self, edit: Callable[..., str], text: str, *arguments: Any) -> str:
        try:
            return edit(text, *arguments, self.dialect)
        except (SourceError, jsonedit.ShapeError) as error:
            raise _refused(self.path, error, self.dialect.name) from None

    def _get(self, text: str | None, path: tuple[str, ...]) -> Any:
        try:
            return None if text is None else jsonedit.value_at(text, path, self.dialect)
        except SourceError as error:
            raise _refused(self.path, error, self.dialect.name) from None

    def _pruned(self, text: str, path: tuple[str, ...], original: str | None) -> str:
        """Without the containers on the path that are empty now and were not in the original."""
        for depth in range(len(path), 0, -1):
            if self._get(text, path[:depth]) not in ({}, []):
                return text
            if original is not None and self._get(original, path[:depth]) in ({}, []):
                return text
            text = self._edit(jsonedit.remove, text, path[:depth])
        return text


@dataclass(frozen=True, slots=True)
class ServerPiece(_InJson):
    """The entry of the MCP server in a JSON file. `entry`: its keys; others of an older entry stay."""

    at: tuple[str, ...]
    entry: Mapping[str, Any]

    def added(self, text: str | None) -> str:
        """Add the entry, or bring an older one up to date."""
        text = text or ""
        if self.state(text) == "foreign":
            problem = f"{'.'.join(self.at)} starts another program."
            raise InvalidInputError(str(self.path), problem, "Give Combray's entry another name with --name.")
        return self._with(text)

    def _with(self, text: str) -> str:
        if self._get(text, self.at) is None:
            return self._edit(jsonedit.set_value, text, self.at, dict(self.entry))
        for key, value in self.entry.items():
            text = self._edit(jsonedit.set_value, text, (*self.at, key), value)
        return text

    def removed(self, text: str, original: str | None) -> str | None:
        """Remove the entry if it is Combray's."""
        return self._without(text, original) if self.state(text) in ("wired", "older") else text

    def _without(self, text: str, original: str | None) -> str:
        return self._pruned(self._edit(jsonedit.remove, text, self.at), self.at[:-1], original)

    def state(self, text: str | None) -> State:
        """Compare the entry's keys."""
        found = self._get(text, self.at)
        if found is None:
            return "missing"
        if not (isinstance(found, dict) and starts_combray(found.get("command"), found.get("args"))):
            return "foreign"
        return "wired" if all(found.get(key) == value for key, value in self.entry.items()) else "older"


@dataclass(frozen=True, slots=True)
class HookPiece(_InJson):
    """One hook of an event. `grouped`: the client wraps hooks in groups {matcher, hooks}."""

    at: tuple[str, ...]
    entry: Mapping[str, Any]
    grouped: bool = True

    def _found(self, text: str | None) -> list[Any]:
        elements = self._get(text, self.at)
        if not isinstance(elements, list):
            return []
        if not self.grouped:
            return [each for each in elements if is_hook(each)]
        groups = [each.get("hooks") for each in elements if isinstance(each, dict)]
        return [each for group in groups if isinstance(group, list) for each in group if is_hook(each)]

    def added(self, text: str | None) -> str:
        """Append the hook, or bring Combray's own up to date. Hooks of others keep their places."""
        text = text or ""
        found = self._found(text)
        if found == [self.entry]:
            return text
        if len(found) == 1:
            return self._edit(jsonedit.replace_element, text, self.at, self._updated)
        for _ in found:
            text = self.removed(text, text) or text
        element = {"hooks": [dict(self.entry)]} if self.grouped else dict(self.entry)
        return self._edit(jsonedit.append, text, self.at, element)

    def _updated(self, element: Any) -> Any:
        if not self.grouped:
            return dict(self.entry) if is_hook(element) else element
        if not (isinstance(element, dict) and isinstance(element.get("hooks"), list)):
            return element
        return {**element, "hooks": [dict(self.entry) if is_hook(each) else each for each in element["hooks"]]}

    def removed(self, text: str, original: str | None) -> str | None:
        """Remove Combray's hooks of this event, and a group that has no other."""
        if not self._found(text):
            return text
        whole = self._only_ours if self.grouped else is_hook
        text = self._edit(jsonedit.remove_elements, text, self.at, whole)
        if self.grouped:
            text = self._edit(jsonedit.replace_element, text, self.at, self._without)
        return self._pruned(text, self.at, original)

    @staticmethod
    def _only_ours(group: Any) -> bool:
        hooks = group.get("hooks") if isinstance(group, dict) else None
        return isinstance(hooks, list) and bool(hooks) and all(map(is_hook, hooks))

    @staticmethod
    def _without(group: Any) -> Any:
        if not (isinstance(group, dict) and isinstance(group.get("hooks"), list)):
            return group
        return {**group, "hooks": [each for each in group["hooks"] if not is_hook(each)]}

    def state(self, text: str | None) -> State:
        """Compare Combray's hooks of this event."""
        found = self._found(text)
        return "wired" if found == [self.entry] else "older" if found else "missing"


@dataclass(frozen=True, slots=True)
class Default(_InJson):
    """A value that a client needs and Combray sets only if there is none. `own`: under Combray's name."""

    at: tuple[str, ...]
    value: Any
    own: bool = False

    def added(self, text: str | None) -> str:
        """Set the value unless there is one."""
        text = text or ""
        return (
            text if self.state(text) != "missing" else self._edit(jsonedit.set_value, text, self.at, self.value)
        )

    def removed(self, text: str, original: str | None) -> str | None:
        """Remove the value if the original had none. Without the original nobody knows: it stays."""
        foreign = not self.own and (original is None or self._get(original, self.at) is not None)
        if foreign or self.state(text) != "wired":
            return text
        return self._pruned(self._edit(jsonedit.remove, text, self.at), self.at[:-1], original)

    def state(self, text: str | None) -> State:
        """Compare the value."""
        found = self._get(text, self.at)
        return "missing" if found is None else "wired" if found == self.value else "foreign"


@dataclass(frozen=True, slots=True)
class TomlServerPiece(ServerPiece):
    """The entry of the MCP server in a TOML file."""

    def _safely(self, edit: Callable[..., Any], text: str, *arguments: Any) -> Any:
        try:
            return edit(text, self.at, *arguments)
        except tomllib.TOMLDecodeError as error:
            raise _refused(self.path, error, self.dialect.name) from None
        except tomledit.TableError as error:
            problem, remedy = f"{error}.", f"Write it as [{'.'.join(self.at)}], or remove it."
            raise InvalidInputError(str(self.path), problem, remedy) from None

    def _get(self, text: str | None, path: tuple[str, ...]) -> Any:
        del path
        return None if text is None else self._safely(tomledit.table_at, text)

    def _with(self, text: str) -> str:
        return str(self._safely(tomledit.set_table, text, self.entry))

    def _without(self, text: str, original: str | None) -> str:
        left = str(self._safely(tomledit.remove_table, text))
        # The end of the last line was added with the table behind it.
        return left.rstrip("\r\n") if original and not original.endswith("\n") else left


@dataclass(frozen=True, slots=True)
class Whole:
    """A file that Combray writes as a whole, with its mark."""

    path: Path
    text: str

    def added(self, text: str | None) -> str:
        """Write the file. Raises InvalidInputError if there is one without the mark."""
        if self.state(text) == "foreign":
            raise InvalidInputError(
                str(self.path), "was not written by Combray.", "Move it away and run this again."
            )
        return self.text

    def removed(self, text: str, original: str | None) -> str | None:
        """Remove the file as this version writes it, or the older one it replaced; an edited one stays."""
        return None if text == self.text or (text == original and MARK in text) else text

    def state(self, text: str | None) -> State:
        """Compare the text; the mark decides whose it is."""
        if text is None or not text.strip():
            return "missing"
        return "wired" if text == self.text else "older" if MARK in text else "foreign"


FilePiece = ServerPiece | HookPiece | Default | Whole
"""One change in one file."""
