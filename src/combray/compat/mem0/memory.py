"""`Memory` and `AsyncMemory`, as the package names them, with the methods of mem0's library.

Source: mem0ai 2.2, `mem0/memory/main.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from combray.compat.mem0 import calls
from combray.engine import Engine
from combray.engine import open as open_engine
from combray.engine.asyncio import awaited
from combray.errors import InvalidInputError, NotFoundError

_UNSET: Any = object()
_WITHOUT_MODEL = "needs a language model that extracts facts. Leave it out; each message is stored as it is."
_FILE = "combray.db"


class MemoryNotFoundError(NotFoundError, ValueError):
    """Raised for an id without a memory. mem0 raises ValueError."""


class Mem0Memory:
    """mem0's `Memory` on one namespace of Combray. Each message is a memory, as with `infer=False`.

    `engine` is an open engine; otherwise one is opened with `options`, the arguments of `combray.open`.
    """

    def __init__(self, engine: Engine | None = None, **options: Any) -> None:
        self.engine = open_engine(**options) if engine is None else engine

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Open the memory of a configuration of mem0.

        "combray" has arguments of `combray.open`. Without a location there, the store is a file in the folder of
        "vector_store". Other sections name models and services that Combray does not use: a warning lists them.
        """
        options = dict(config_dict.get("combray") or {})
        folder = ((config_dict.get("vector_store") or {}).get("config") or {}).get("path")
        if folder and "location" not in options:
            Path(folder).mkdir(parents=True, exist_ok=True)
            options["location"] = str(Path(folder) / _FILE)
        if unused := sorted(set(config_dict) - {"combray", "vector_store", "version", "history_db_path"}):
            said = f"{', '.join(unused)} of the configuration has no effect. Configure models under 'combray'."
            warnings.warn(said, stacklevel=2)
        return cls(**options)

    def add(
        self,
        messages: Any,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        expiration_date: Any = None,
        infer: bool = True,  # noqa: ARG002 - no model extracts facts
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, Any]:
        """Store a text, a message or a list of messages. Raises InvalidInputError without an entity."""
        for name, value in (("memory_type", memory_type), ("prompt", prompt)):
            if value is not None:
                raise InvalidInputError(name, _WITHOUT_MODEL)
        given = {"messages": messages, "user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        given |= {"metadata": None if metadata is None else dict(metadata)}
        return calls.add(self.engine, given | {"timestamp": timestamp, "expiration_date": expiration_date})

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Return a memory; None if there is none with this id."""
        try:
            return calls.get(self.engine, memory_id)
        except NotFoundError:
            return None

    def get_all(
        self, /, *, filters: Mapping[str, Any] | None = None, top_k: int = 20, **options: Any
    ) -> dict[str, Any]:
        """Return the memories of an entity. `user_id`, `agent_id`, `run_id` and `limit` of mem0 1 work too."""
        given = _options("get_all", options) | {"filters": filters, "top_k": options.get("limit", top_k)}
        return {"results": calls.get_all(self.engine, given)["results"]}

    def search(
        self,
        /,
        query: str,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        threshold: float | None = None,
        rerank: bool = False,  # noqa: ARG002 - a reranker is a model of the engine
        **options: Any,
    ) -> dict[str, Any]:
        """Return the hits of a query, best first: what answers it, so often fewer than `top_k`."""
        given = _options("search", options) | {"filters": filters, "top_k": options.get("limit", top_k)}
        return calls.search(self.engine, given | {"query": query, "threshold": threshold})

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = _UNSET,
        data: str | None = None,
    ) -> dict[str, Any]:
        """Change text, metadata or expiry of a memory. Given metadata is merged with the memory's."""
        said = data if text is None else text
        given: dict[str, Any] = {} if said is None else {"text": said}
        if metadata is not None:
            found = self._found(memory_id)
            given["metadata"] = {**(found["metadata"] or {}), **metadata}
        if expiration_date is not _UNSET:
            given["expiration_date"] = expiration_date
        try:
            calls.update(self.engine, memory_id, given)
        except NotFoundError as error:
            raise MemoryNotFoundError(str(error)) from None
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, Any]:
        """Hide a memory. `engine.restore` brings it back; `engine.erase` destroys it."""
        self._found(memory_id)
        return calls.delete(self.engine, memory_id)

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, Any]:
        """Hide the memories of an entity. Raises InvalidInputError without one."""
        return calls.delete_all(self.engine, {"user_id": user_id, "agent_id": agent_id, "run_id": run_id})

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Return the changes of a memory, oldest first, also of a deleted one."""
        try:
            return calls.history(self.engine, memory_id)
        except NotFoundError:
            return []

    def reset(self) -> None:
        """Hide the memories of every entity."""
        calls.reset(self.engine)

    def chat(self, query: str) -> Any:
        """Raise NotImplementedError, as mem0 does."""
        raise NotImplementedError("chat is not available.")

    def close(self) -> None:
        """Close the engine."""
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _found(self, memory_id: str) -> dict[str, Any]:
        found = self.get(memory_id)
        if found is None:
            raise MemoryNotFoundError(f"Memory with id {memory_id} not found")
        return found


_OLD = ("user_id", "agent_id", "run_id", "limit")


def _options(call: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entities of a call. An option that would change the answer and is not available is refused."""
    for name, value in given.items():
        if name not in _OLD and (value or name not in ("show_expired", "explain", "reference_date")):
            raise InvalidInputError(name, f"is not available in {call}.", "Leave it out.")
    return {name: given[name] for name in _OLD[:3] if name in given}


class AsyncMem0Memory:
    """`Memory` for asyncio: the same methods, each in a worker thread."""

    def __init__(self, engine: Engine | None = None, **options: Any) -> None:
        self._sync = Mem0Memory(engine, **options)
        self.engine = self._sync.engine

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Open the memory of a configuration of mem0; see `Memory.from_config`."""
        return cls(Mem0Memory.from_config(config_dict).engine)

    add = awaited(Mem0Memory.add)
    get = awaited(Mem0Memory.get)
    get_all = awaited(Mem0Memory.get_all)
    search = awaited(Mem0Memory.search)
    update = awaited(Mem0Memory.update)
    delete = awaited(Mem0Memory.delete)
    delete_all = awaited(Mem0Memory.delete_all)
    history = awaited(Mem0Memory.history)
    reset = awaited(Mem0Memory.reset)
    chat = awaited(Mem0Memory.chat)

    def close(self) -> None:
        """Close the engine."""
        self._sync.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
