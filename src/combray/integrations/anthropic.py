"""Anthropic: the memory tool `memory_20250818` over an engine. Needs the extra `anthropic`.

A file is one memory whose id follows from its path. The exact text is in the metadata, so nothing is merged or
trimmed; the content is what recall searches. The replies are those of the SDK's filesystem tool.
https://docs.claude.com/en/docs/agents-and-tools/tool-use/memory-tool
"""

from __future__ import annotations

import posixpath
import threading
import warnings
from typing import Any

from combray.engine import Engine
from combray.engine.asyncio import awaited
from combray.errors import CombrayError, MissingExtraError
from combray.integrations.records import pages, put, record_id

try:
    from anthropic.lib.tools import ToolError
    from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
except ImportError as error:
    raise MissingExtraError("The Anthropic memory tool", "anthropic") from error

__all__ = ["AsyncCombrayMemoryTool", "CombrayMemoryTool"]

_KEPT = "anthropic"
"""Where a memory's metadata has the file."""
_ROOT = "/memories"
_MOST_LINES = 999_999
_SEARCHED = 20_000
"""Characters of a file that recall searches."""
_DIRECTORY_BYTES = 4096
_EDITED = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
_HEADER = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items:"


class _Files:
    """Texts by path in one engine. A directory exists while a file is in it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.lock = threading.RLock()

    def below(self, path: str) -> dict[str, str]:
        """Return the files at and below a path."""
        of_files = {f"metadata.{_KEPT}.path": {"exists": True}}
        found = (each.metadata[_KEPT] for each in pages(self._engine, of_files))
        texts = ((each["path"], each["text"]) for each in found)
        return {name: text for name, text in texts if name == path or name.startswith(f"{path}/")}

    def read(self, path: str) -> str | None:
        """Return the text of a file, or None."""
        found = list(pages(self._engine, {"id": record_id(self._engine.namespace, _KEPT, path)}))
        return found[0].metadata[_KEPT]["text"] if found else None

    def write(self, texts: dict[str, str]) -> None:
        """Create or replace files. Raises ToolError if the engine refuses or quarantines one."""
        records = {
            record_id(self._engine.namespace, _KEPT, path): {
                "content": text[:_SEARCHED].strip() or path,
                "source": _KEPT,
                "metadata": {_KEPT: {"path": path, "text": text}},
                # A model wrote it. Trust is given once: an update cannot change it.
                **({} if self.read(path) is not None else {"trust": "agent"}),
            }
            for path, text in texts.items()
        }
        try:
            with warnings.catch_warnings():
                # The reply to the model says it.
                warnings.simplefilter("ignore")
                put(self._engine, records)
        except CombrayError as error:
            raise ToolError(f"Not stored. {error}") from error
        hidden = [path for path in texts if self.read(path) is None]
        if hidden:
            raise ToolError(f"The memory guard quarantined {', '.join(hidden)}. Release it to see it.")

    def remove(self, paths: list[str]) -> None:
        """Erase files."""
        if paths:
            self._engine.erase([record_id(self._engine.namespace, _KEPT, path) for path in paths])


class CombrayMemoryTool(BetaAbstractMemoryTool):
    """The memory tool of Claude in an engine. Give each user an engine: `engine.within("user-42")`.

    The files can be found with `engine.recall` and are exported and erased with every other memory. A text is
    shown to the model as it was written, as the format demands; the guard judged it when it was stored.
    """

    def __init__(self, engine: Engine, **options: Any) -> None:
        super().__init__(**options)
        self._files = _Files(engine)

    def view(self, command: Any) -> str:
        path = _checked(command.path)
        text = self._files.read(path)
        if text is not None:
            return _numbered(command, text)
        files = self._files.below(path)
        if not files and path != _ROOT:
            raise ToolError(f"The path {command.path} does not exist. Please provide a valid path.")
        lines = [f"{_size(_DIRECTORY_BYTES)}\t{command.path}"]
        lines += [f"{size}\t{command.path}/{name}" for name, size in _two_levels(path, files)]
        return "\n".join((_HEADER.format(command.path), *lines))

    def create(self, command: Any) -> str:
        path = _checked(command.path)
        with self._files.lock:
            if self._exists(path):
                raise ToolError(f"File {command.path} already exists")
            self._needs_directory(path)
            self._files.write({path: command.file_text})
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: Any) -> str:
        with self._files.lock:
            path, text = self._file(command.path)
            old, count = command.old_str, text.count(command.old_str)
            if count == 0:
                raise ToolError(
                    f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}."
                )
            if count > 1:
                found = ", ".join(str(text[:at].count("\n") + 1) for at in _places(text, old))
                raise ToolError(
                    f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {found}. "
                    "Please ensure it is unique"
                )
            changed = text[: text.find(old)].count("\n")
            new = text.replace(old, command.new_str)
            self._files.write({path: new})
        lines = new.split("\n")
        first, last = max(0, changed - 2), min(len(lines), changed + 3)
        shown = _with_numbers(lines[first:last], first + 1)
        return f"{_EDITED}\n{shown}"

    def insert(self, command: Any) -> str:
        with self._files.lock:
            path, text = self._file(command.path)
            lines = text.split("\n")
            if lines[-1] == "":
                lines.pop()
            if not 0 <= command.insert_line <= len(lines):
                raise ToolError(
                    f"Invalid `insert_line` parameter: {command.insert_line}. "
                    f"It should be within the range [0, {len(lines)}]."
                )
            lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
            new = "\n".join(lines)
            self._files.write({path: new if new.endswith("\n") else f"{new}\n"})
        return f"The file {command.path} has been edited."

    def delete(self, command: Any) -> str:
        path = _checked(command.path)
        if path == _ROOT:
            raise ToolError("Cannot delete the /memories directory itself")
        with self._files.lock:
            files = self._files.below(path)
            if not files:
                raise ToolError(f"The path {command.path} does not exist")
            self._files.remove(list(files))
        return f"Successfully deleted {command.path}"

    def rename(self, command: Any) -> str:
        old, new = _checked(command.old_path), _checked(command.new_path)
        if old == _ROOT:
            raise ToolError("Cannot rename the /memories directory itself")
        with self._files.lock:
            if self._exists(new):
                raise ToolError(f"The destination {command.new_path} already exists")
            files = self._files.below(old)
            if not files:
                raise ToolError(f"The path {command.old_path} does not exist")
            if new.startswith(f"{old}/"):
                raise ToolError(f"Cannot rename {command.old_path} to a path below itself")
            self._needs_directory(new)
            # The new files first: an interruption leaves two copies and loses nothing.
            self._files.write({new + path[len(old) :]: text for path, text in files.items()})
            self._files.remove(list(files))
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Erase every file of this engine's namespace."""
        with self._files.lock:
            self._files.remove(list(self._files.below(_ROOT)))
        return "All memory cleared"

    def _exists(self, path: str) -> bool:
        return path == _ROOT or bool(self._files.below(path))

    def _file(self, given: str) -> tuple[str, str]:
        path = _checked(given)
        text = self._files.read(path)
        if text is None:
            if self._exists(path):
                raise ToolError(f"The path {given} is not a file.")
            raise ToolError(f"The path {given} does not exist. Please provide a valid path.")
        return path, text

    def _needs_directory(self, path: str) -> None:
        above = posixpath.dirname(path)
        while above != _ROOT:
            if self._files.read(above) is not None:
                raise ToolError(f"The path {above} is not a directory")
            above = posixpath.dirname(above)


class AsyncCombrayMemoryTool(BetaAsyncAbstractMemoryTool):
    """`CombrayMemoryTool` for asyncio: each command runs in a worker thread."""

    def __init__(self, engine: Engine, **options: Any) -> None:
        super().__init__(**options)
        self._sync = CombrayMemoryTool(engine)

    view = awaited(CombrayMemoryTool.view)
    create = awaited(CombrayMemoryTool.create)
    str_replace = awaited(CombrayMemoryTool.str_replace)
    insert = awaited(CombrayMemoryTool.insert)
    delete = awaited(CombrayMemoryTool.delete)
    rename = awaited(CombrayMemoryTool.rename)
    clear_all_memory = awaited(CombrayMemoryTool.clear_all_memory)


def _checked(given: str) -> str:
    if not given.startswith(_ROOT):
        raise ToolError(f"Path must start with {_ROOT}, got: {given}")
    path = posixpath.normpath(posixpath.join(_ROOT, given[len(_ROOT) :].lstrip("/")))
    if path != _ROOT and not path.startswith(f"{_ROOT}/"):
        raise ToolError(f"Path {given} would escape {_ROOT} directory")
    return path


def _two_levels(root: str, files: dict[str, str]) -> list[tuple[str, str]]:
    """Return names and sizes below a directory, each directory before what is in it; hidden ones are omitted."""
    shown: dict[tuple[str, ...], tuple[str, str]] = {}
    for path, text in files.items():
        parts = tuple(path[len(root) + 1 :].split("/"))
        for depth in range(1, min(len(parts), 2) + 1):
            names = parts[:depth]
            if any(each.startswith(".") for each in names):
                break
            is_file = depth == len(parts)
            size = len(text.encode()) if is_file else _DIRECTORY_BYTES
            shown[names] = ("/".join(names) + ("" if is_file else "/"), _size(size))
    return [shown[names] for names in sorted(shown)]


def _numbered(command: Any, text: str) -> str:
    lines = text.split("\n")
    if len(lines) > _MOST_LINES:
        raise ToolError(f"File {command.path} exceeds maximum line limit of 999,999 lines.")
    first = 0
    if command.view_range and len(command.view_range) == 2:
        first = max(1, command.view_range[0]) - 1
        lines = lines[first : len(lines) if command.view_range[1] == -1 else command.view_range[1]]
    return f"Here's the content of {command.path} with line numbers:\n" + _with_numbers(lines, first + 1)


def _with_numbers(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, first))


def _places(text: str, part: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(part, at)]


def _size(count: int) -> str:
    power = min(max(count.bit_length() - 1, 0) // 10, 3)
    shown = count / 1024**power
    return f"{int(shown)}{'BKMG'[power]}" if shown == int(shown) else f"{shown:.1f}{'BKMG'[power]}"
