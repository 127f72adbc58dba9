"""Settings to a runtime: the only module that knows which stores and models there are."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal, cast

from combray.errors import InvalidInputError
from combray.models import embedder, language_model, reranker
from combray.runtime import Clock, Embedder, Peer, Runtime, Start, Store, at_once
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
    second = reranker(settings.reranker)
    writer = language_model(settings.language_model)
    now = clock or time.time
    peers, start = _peers(settings, now)
    store = open_store(location, settings, read_only=read_only)
    return Runtime(
        store=store,
        embedder=chosen,
        reranker=second,
        language_model=writer,
        clock=now,
        peers=peers,
        start=start,
    )


def _peers(settings: Settings, clock: Clock) -> tuple[tuple[Peer, ...], Start]:
    if not settings.peers:
        return (), at_once
    from combray.peers import open_peers
    from combray.peers.threads import Threads

    return open_peers(settings.peers, settings.peer_timeout, clock), Threads()
