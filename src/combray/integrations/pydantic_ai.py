"""Pydantic AI: a toolset, and a `MemoryStore` of its harness. Needs the extra `pydantic-ai`.

https://ai.pydantic.dev/toolsets/ and https://github.com/pydantic/pydantic-ai-harness
"""

from __future__ import annotations

import asyncio
import json
import re
import uuid
import warnings
from collections.abc import Mapping
from typing import Any

from combray.engine import Engine
from combray.errors import InvalidInputError, MissingExtraError, NotFoundError, StaleVersionError
from combray.integrations.records import pages, put, record_id
from combray.integrations.tool_calls import ToolCalls
from combray.types import Memory

try:
    from pydantic_ai.toolsets import FunctionToolset
    from pydantic_ai_harness.memory import (
        MemoryConflictError,
        MemoryFile,
        MemoryMutation,
        MemoryOperation,
        MemoryOperationConflictError,
        MemorySearchMatch,
        MemorySearchResult,
    )
except ImportError as error:
    raise MissingExtraError("The Pydantic AI integration", "pydantic-ai") from error

__all__ = ["CombrayMemoryFiles", "toolset"]

_KEPT = "pydantic_ai"
_SEGMENT = re.compile(r"[A-Za-z0-9_.-]{1,200}")
_LONGEST = 4_096
_RECEIPTS = 64
_New = tuple[str, dict[str, str] | None] | None
"""The text and metadata of a write; None deletes."""


def toolset(engine: Engine) -> FunctionToolset[Any]:
    """Return a toolset with `remember`, `recall` and `forget`. They run in a worker thread."""
    return FunctionToolset(list(ToolCalls(engine).functions))


class CombrayMemoryFiles:
    """Versioned files of the harness's `Memory` capability, with metadata and search by recall.

    A write or delete needs the version that was read, also if another process wrote in between. An operation id
    is applied once: each path keeps the receipts of its last operations, written together with the file. A
    deleted file leaves a record without its text. The record's history keeps what the file said, until
    `engine.erase` destroys it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        if max_chars <= 0:
            raise InvalidInputError("max_chars", f"must be at least 1, got {max_chars}.")
        kept = await asyncio.to_thread(self._kept, _checked(path))
        if kept is None:
            return None
        text = kept["text"]
        return MemoryFile(
            content=text[:max_chars],
            version=kept["version"],
            operation_id=kept["operation_id"],
            truncated=len(text) > max_chars,
            metadata=kept["metadata"],
        )

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        return await asyncio.to_thread(self._receipt, operation)

    async def write(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        return await self.write_with_metadata(
            path, content, expected_version=expected_version, metadata=None, operation=operation
        )

    async def write_with_metadata(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        metadata: Mapping[str, str] | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        new = (content, _described(metadata))
        return await asyncio.to_thread(self._change, _checked(path), new, expected_version, operation)

    async def delete(
        self,
        path: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        return await asyncio.to_thread(self._change, _checked(path), None, expected_version, operation)

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        if limit <= 0:
            raise InvalidInputError("limit", f"must be at least 1, got {limit}.")
        return (await asyncio.to_thread(self._paths, _prefix(prefix)))[:limit]

    async def search(
        self,
        prefix: str,
        query: str,
        *,
        limit: int,
        max_files: int,
        max_chars: int,
        max_file_chars: int,
    ) -> MemorySearchResult:
        """Recall among the files directly below a prefix. Snippets start at the beginning of a file."""
        _prefix(prefix)
        if not query.split() or min(limit, max_files, max_chars, max_file_chars) <= 0:
            return MemorySearchResult(matches=[], scanned=0, truncated=False)
        return await asyncio.to_thread(self._search, prefix, query, limit, max_files, max_chars, max_file_chars)

    def _search(
        self, prefix: str, query: str, limit: int, most: int, characters: int, of_file: int
    ) -> MemorySearchResult:
        below = [path for path in self._paths(prefix) if "/" not in path.removeprefix(prefix)]
        where = {"id": {"in": [self._id(path) for path in below[:most]]}}
        found = list(self._engine.recall(query, limit=limit, where=where)) if below else []
        matches: list[MemorySearchMatch] = []
        truncated = len(below) > most
        for hit in found:
            path, text = hit.memory.metadata[_KEPT]["path"], hit.memory.metadata[_KEPT]["text"]
            room = min(characters - len(path.removeprefix(prefix)), of_file)
            if room <= 0:
                truncated = True
                break
            matches.append(MemorySearchMatch(path=path, snippet=text[:room], score=hit.score))
            truncated |= len(text) > room
            characters -= len(path.removeprefix(prefix)) + len(text[:room])
        return MemorySearchResult(matches=matches, scanned=min(len(below), most), truncated=truncated)

    def _change(
        self, path: str, new: _New, expected: str | None, operation: MemoryOperation | None
    ) -> MemoryMutation:
        if operation is not None and (done := self._receipt(operation)) is not None:
            return done
        try:
            return self._apply(path, new, expected, operation)
        except MemoryConflictError:
            # The same operation may have been applied meanwhile.
            if operation is not None and (done := self._receipt(operation)) is not None:
                return done
            raise

    def _apply(
        self, path: str, new: _New, expected: str | None, operation: MemoryOperation | None
    ) -> MemoryMutation:
        row, record = self._row(path)
        known = record is not None and record.get("version") is not None
        if (record["version"] if record else None) != expected:
            raise _conflict(path)
        version = uuid.uuid4().hex if new is not None else None
        mutation = MemoryMutation(version=version, replayed=False, existed=known)
        if new is None and not known and operation is None:
            return mutation
        kept: dict[str, Any] = {"path": path} if new is not None else {}
        kept |= {"version": version, "receipts": _receipts(record, operation, mutation)}
        if new is not None:
            kept |= {"text": new[0], "metadata": new[1], "operation_id": operation.id if operation else None}
        content = new[0].strip() or path if new is not None else f"deleted {self._id(path)}"
        self._commit(path, {"content": content, "source": _KEPT, "metadata": {_KEPT: kept}}, row)
        return mutation

    def _commit(self, path: str, fields: dict[str, Any], row: int | None) -> None:
        """Change the record if it is still what was read: the version, the text and the receipt are one write."""
        name = self._id(path)
        if row is not None:
            try:
                hidden = self._engine.update(name, if_version=row, **fields).trust == "quarantined"
            except (StaleVersionError, NotFoundError) as error:
                raise _conflict(path) from error
        else:
            item: Any = {"id": name, "kind": "episode", "trust": "agent", **fields}
            (done,) = self._engine.remember_many([item], diff=False)
            hidden = done.action == "quarantined"
            if done.action == "refused":
                if self._row(path)[1] is not None:
                    raise _conflict(path)
                # The id is that of a quarantined or forgotten file, or the text is refused. `put` knows.
                put(self._engine, {name: {**fields, "trust": "agent"}})
        if hidden:
            warnings.warn(f"{path} is not returned until it is released from quarantine.", stacklevel=2)

    def _receipt(self, operation: MemoryOperation) -> MemoryMutation | None:
        name = record_id(operation.id)
        found = self._engine.list({f"metadata.{_KEPT}.receipts.{name}": {"exists": True}}, limit=1)
        if not found:
            return None
        receipt = found[0].metadata[_KEPT]["receipts"][name]
        if receipt["fingerprint"] != operation.fingerprint:
            raise MemoryOperationConflictError(f"operation id {operation.id!r} was used with other arguments.")
        return MemoryMutation(version=receipt["version"], replayed=True, existed=receipt["existed"])

    def _row(self, path: str) -> tuple[int | None, dict[str, Any] | None]:
        """Return the number of a record's last change, and what is kept in it: None for no record."""
        name = self._id(path)
        try:
            # The number first: if the record changes before it is read, the write finds the number stale.
            row = max((each.number for each in self._engine.history(name)), default=0)
        except NotFoundError:
            return None, None
        found: list[Memory] = list(pages(self._engine, {"id": name}))
        return (row, found[0].metadata[_KEPT]) if found else (None, None)

    def _kept(self, path: str) -> dict[str, Any] | None:
        kept = self._row(path)[1]
        return kept if kept and kept["version"] is not None else None

    def _paths(self, prefix: str) -> list[str]:
        found = pages(self._engine, {f"metadata.{_KEPT}.path": {"exists": True}})
        names = (each.metadata[_KEPT]["path"] for each in found)
        return sorted(name for name in names if name.startswith(prefix))

    def _id(self, path: str) -> str:
        return record_id(self._engine.namespace, _KEPT, path)


def _receipts(
    record: Mapping[str, Any] | None, operation: MemoryOperation | None, mutation: MemoryMutation
) -> dict[str, Any]:
    """Return the receipts of a path's last operations. They stay when the file is deleted."""
    kept: dict[str, Any] = dict((record or {}).get("receipts", {}))
    if operation is not None:
        about = {"fingerprint": operation.fingerprint, "version": mutation.version, "existed": mutation.existed}
        kept[record_id(operation.id)] = about
    return dict(list(kept.items())[-_RECEIPTS:])


def _conflict(path: str) -> MemoryConflictError:
    return MemoryConflictError(f"memory path {path!r} has another version. Read it again.")


def _checked(path: str) -> str:
    parts = path.split("/")
    if not all(_SEGMENT.fullmatch(part) and ".." not in part and part != "." for part in parts):
        raise InvalidInputError(
            "path",
            f"{path!r} is not a path below the store.",
            "Use letters, digits, `_`, `.` and `-` between `/`.",
        )
    return path


def _prefix(prefix: str) -> str:
    if prefix:
        _checked(prefix.removesuffix("/"))
    return prefix


def _described(metadata: Mapping[str, str] | None) -> dict[str, str] | None:
    """Return metadata as the owners' stores accept it: texts, without NUL, 4,096 characters as JSON."""
    if not metadata:
        return None
    if not all(isinstance(each, str) for pair in metadata.items() for each in pair):
        raise TypeError("metadata has names or values that are not texts.")
    if any("\x00" in each for pair in metadata.items() for each in pair):
        raise InvalidInputError("metadata", "has a NUL character.")
    length = len(json.dumps(dict(metadata), ensure_ascii=False, separators=(",", ":")))
    if length > _LONGEST:
        raise InvalidInputError("metadata", f"must be at most {_LONGEST} characters as JSON, got {length}.")
    return dict(metadata)
