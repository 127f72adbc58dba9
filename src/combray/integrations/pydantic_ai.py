"""Pydantic AI: a toolset, and a `MemoryStore` of its harness. Needs the extra `pydantic-ai`.

https://ai.pydantic.dev/toolsets/ and https://github.com/pydantic/pydantic-ai-harness
"""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Mapping
from typing import Any

from combray.engine import Engine
from combray.errors import InvalidInputError, MissingExtraError
from combray.integrations.keyed import pages, put, record_id
from combray.integrations.tool_calls import ToolCalls
from combray.types import STATUSES, Memory

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

__all__ = ["CombrayMemoryStore", "toolset"]

_KEPT = "pydantic_ai"


def toolset(engine: Engine) -> FunctionToolset[Any]:
    """Return a toolset with `remember`, `recall` and `forget`. They run in a worker thread."""
    calls = ToolCalls(engine)
    return FunctionToolset([calls.remember, calls.recall, calls.forget])


class CombrayMemoryStore:
    """Versioned files of the harness's `Memory` capability, with metadata and search by recall.

    A write or delete needs the version that was read; an operation id is applied once. A receipt is a forgotten
    memory: no search returns it. Versions are compared under a lock of this object, so let one process write.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()

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
        about = dict(metadata) if metadata else None
        return await asyncio.to_thread(
            self._change, _checked(path), (content, about), expected_version, operation
        )

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
        return (await asyncio.to_thread(self._paths, prefix))[:limit]

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
        self,
        path: str,
        new: tuple[str, dict[str, str] | None] | None,
        expected: str | None,
        operation: MemoryOperation | None,
    ) -> MemoryMutation:
        with self._lock:
            if operation is not None and (done := self._receipt(operation)) is not None:
                return done
            kept = self._kept(path)
            if (kept["version"] if kept else None) != expected:
                raise MemoryConflictError(f"memory path {path!r} has another version. Read it again.")
            version = None
            if new is not None:
                version = uuid.uuid4().hex
                self._store(path, *new, version, operation.id if operation else None, known=kept is not None)
            elif kept is not None:
                self._engine.erase(self._id(path))
            mutation = MemoryMutation(version=version, replayed=False, existed=kept is not None)
            if operation is not None:
                self._note(operation, mutation)
            return mutation

    def _store(
        self,
        path: str,
        text: str,
        about: dict[str, str] | None,
        version: str,
        operation: str | None,
        *,
        known: bool,
    ) -> None:
        kept = {"path": path, "text": text, "version": version, "operation_id": operation, "metadata": about}
        fields = {"content": text.strip() or path, "source": _KEPT, "metadata": {_KEPT: kept}}
        put(self._engine, {self._id(path): fields if known else {**fields, "trust": "agent"}})

    def _note(self, operation: MemoryOperation, mutation: MemoryMutation) -> None:
        receipt = {
            "fingerprint": operation.fingerprint,
            "version": mutation.version,
            "existed": mutation.existed,
        }
        name = record_id(self._engine.namespace, _KEPT, "operation", operation.id)
        about = {f"{_KEPT}_operation": receipt}
        put(self._engine, {name: {"content": f"operation {operation.id}", "source": _KEPT, "metadata": about}})
        self._engine.forget(name)

    def _receipt(self, operation: MemoryOperation) -> MemoryMutation | None:
        name = record_id(self._engine.namespace, _KEPT, "operation", operation.id)
        found = self._engine.list({"id": name, "status": {"in": list(STATUSES)}}, limit=1)
        if not found:
            return None
        receipt = found[0].metadata[f"{_KEPT}_operation"]
        if receipt["fingerprint"] != operation.fingerprint:
            raise MemoryOperationConflictError(f"operation id {operation.id!r} was used with other arguments.")
        return MemoryMutation(version=receipt["version"], replayed=True, existed=receipt["existed"])

    def _kept(self, path: str) -> dict[str, Any] | None:
        found: list[Memory] = list(pages(self._engine, {"id": self._id(path)}))
        return found[0].metadata[_KEPT] if found else None

    def _paths(self, prefix: str) -> list[str]:
        found = pages(self._engine, {f"metadata.{_KEPT}.path": {"exists": True}})
        names = (each.metadata[_KEPT]["path"] for each in found)
        return sorted(name for name in names if name.startswith(prefix))

    def _id(self, path: str) -> str:
        return record_id(self._engine.namespace, _KEPT, path)


def _checked(path: str) -> str:
    if not path or any(part in ("", ".", "..") for part in path.split("/")):
        raise InvalidInputError("path", f"{path!r} is not a path below the store.")
    return path
