"""Settings to a runtime: the only module that knows which stores and models there are."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal, cast

from combray.errors import InvalidInputError
from combray.models import embedder
from combray.runtime import Clock, Embedder, Runtime, Store
from combray.settings import Settings, default_location

_SQLITE = "sqlite:///"


def open_store(location: str, settings: Settings, *, read_only: bool = False) -> Store:
    """The store at a location: a path, `sqlite:///path` or `:memory:`."""
    if location.startswith(("postgresql://", "postgres://")):
        raise InvalidInputError("location", "this version has no PostgreSQL store yet.", "Name a file.")
    path = location.removeprefix(_SQLITE) or default_location()
    if "://" in path:
        raise InvalidInputError("location", f"{location!r} is no known kind of store.", "Name a file.")
    if path == default_location():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    from combray.stores.sqlite import SqliteStore

    return SqliteStore(
        path if path == ":memory:" else str(Path(path).expanduser()),
        durability=cast(Literal["normal", "full"], settings.durability),
        busy_timeout=settings.busy_timeout,
        read_only=read_only,
    )


def build(
    location: str,
    settings: Settings,
    *,
    read_only: bool = False,
    clock: Clock | None = None,
    model: Embedder | None = None,
) -> Runtime:
    """A runtime with the store open; `model` stands in for the embedder that the settings name."""
    chosen = model if model is not None else embedder(settings.embedder)
    store = open_store(location, settings, read_only=read_only)
    return Runtime(store=store, embedder=chosen, clock=clock or time.time)
