"""Combray: long-term memory for agents, in one file, without a language model or a service.

>>> import combray
>>> engine = combray.open(":memory:")
>>> _ = engine.remember("We chose PostgreSQL because the data outgrew one file.")
>>> engine.recall("Why PostgreSQL?")[0].memory.content
'We chose PostgreSQL because the data outgrew one file.'
"""

from __future__ import annotations

# `typing` takes longer to load than a hook may spend on it.
TYPE_CHECKING = False

__version__ = "0.1.0"

if TYPE_CHECKING:
    from typing import Any

    from combray.engine import Engine, open
    from combray.engine.asyncio import AsyncEngine
    from combray.engine.changes import Changed
    from combray.engine.requests import Taken
    from combray.engine.settling import Replaced, Settled, Unsettled
    from combray.errors import (
        CombrayError,
        CorruptStoreError,
        DiskFullError,
        EncryptionError,
        InvalidInputError,
        MissingExtraError,
        ModelError,
        NewerSchemaError,
        NotFoundError,
        PipelineError,
        ReadOnlyStoreError,
        StaleVersionError,
        StoreBusyError,
        StoreError,
    )
    from combray.types import (
        Answer,
        Candidate,
        Edge,
        Hit,
        Memory,
        MemoryChanges,
        MemoryFields,
        MemoryItem,
        Page,
        RecallOptions,
        Remembered,
        Version,
        Where,
    )

_HOMES = (
    "combray.errors",
    "combray.types",
    "combray.engine",
    "combray.engine.changes",
    "combray.engine.requests",
    "combray.engine.settling",
    "combray.engine.asyncio",
)
"""Modules that define the names below, those that load least first."""

__all__ = [
    "Answer",
    "AsyncEngine",
    "Candidate",
    "Changed",
    "CombrayError",
    "CorruptStoreError",
    "DiskFullError",
    "Edge",
    "EncryptionError",
    "Engine",
    "Hit",
    "InvalidInputError",
    "Memory",
    "MemoryChanges",
    "MemoryFields",
    "MemoryItem",
    "MissingExtraError",
    "ModelError",
    "NewerSchemaError",
    "NotFoundError",
    "Page",
    "PipelineError",
    "ReadOnlyStoreError",
    "RecallOptions",
    "Remembered",
    "Replaced",
    "Settled",
    "StaleVersionError",
    "StoreBusyError",
    "StoreError",
    "Taken",
    "Unsettled",
    "Version",
    "Where",
    "__version__",
    "open",
]


def __getattr__(name: str) -> Any:
    # Loaded on first use, so that `combray --help` starts without numpy.
    import importlib

    if name in __all__:
        return next(vars(home)[name] for home in map(importlib.import_module, _HOMES) if name in vars(home))
    if name in {"presets", "settings"}:
        return importlib.import_module(f"combray.{name}")
    raise AttributeError(f"module 'combray' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "presets", "settings"]
