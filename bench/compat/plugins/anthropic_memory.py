"""Puts our memory tool in place of the SDK's filesystem tools. It mirrors the tests' folder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from anthropic.lib.tools import _beta_builtin_memory_tool as theirs
from anyio import Path as AsyncPath

import combray
from combray.integrations.anthropic import AsyncCombrayMemoryTool, CombrayMemoryTool


class Mirror:
    """The tests look at files. Ours are in the engine, so each command writes them out."""

    path_type: type = Path

    def __init__(self, base_path: str) -> None:
        self.engine = combray.open(":memory:")
        super().__init__(self.engine)
        self.base_path = self.path_type(base_path)
        self.memory_root = self.base_path / "memories"
        self.mirror()

    def take_in(self) -> None:
        """Store what a test wrote to the folder itself."""
        files = getattr(self, "_sync", self)._files
        known = files.below("/memories")
        root = Path(self.memory_root)
        found = {f"/memories/{each.relative_to(root)}": each for each in root.rglob("*") if each.is_file()}
        texts = {path: each.read_bytes().decode() for path, each in found.items()}
        files.write({path: text for path, text in texts.items() if known.get(path) != text})

    def mirror(self) -> None:
        root = Path(self.memory_root)
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        files = getattr(self, "_sync", self)._files
        for path, text in files.below("/memories").items():
            place = root / path.removeprefix("/memories/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())


COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename", "clear_all_memory")


class Sync(Mirror, CombrayMemoryTool):
    pass


class Async(Mirror, AsyncCombrayMemoryTool):
    path_type = AsyncPath


def mirrored(name: str) -> Any:
    def call(self: Sync, *command: Any) -> str:
        self.take_in()
        try:
            return getattr(CombrayMemoryTool, name)(self, *command)
        finally:
            self.mirror()

    return call


def mirrored_async(name: str) -> Any:
    async def call(self: Async, *command: Any) -> str:
        self.take_in()
        try:
            return await getattr(AsyncCombrayMemoryTool, name)(self, *command)
        finally:
            self.mirror()

    return call


for each in COMMANDS:
    setattr(Sync, each, mirrored(each))
    setattr(Async, each, mirrored_async(each))
theirs.BetaLocalFilesystemMemoryTool = Sync
theirs.BetaAsyncLocalFilesystemMemoryTool = Async
