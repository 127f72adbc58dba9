"""Settings to a runtime: the only module that knows which stores and models there are."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from combray.audit.anchor import AnchorFile
from combray.audit.chain import FileChain, MemoryChain
from combray.audit.key import Key
from combray.audit.log import AuditLog
from combray.background import Background
from combray.errors import InvalidInputError
from combray.language.tables import add_folder as add_languages
from combray.models import embedder, language_model, reranker
from combray.models.watched import WatchedEmbedder, WatchedLanguageModel, WatchedReranker, watched
from combray.runtime import (
    Clock,
    Embedder,
    LanguageModel,
    Peer,
    Reranker,
    Runtime,
    Start,
    Store,
    Witness,
    at_once,
)
from combray.runtime.service_tier import ServiceTier
from combray.settings import DEFAULT_EMBEDDER, KEY, Settings, default_location, secret

if TYPE_CHECKING:
    from combray.models.catalogue import Offer
    from combray.models.fetching import Fetched, Progress

_SQLITE = "sqlite:///"
MOST_PEER_CALLS = 16
"""Calls to peers under way at once."""


def open_store(
    location: str,
    settings: Settings,
    *,
    read_only: bool = False,
    witness: Witness | None = None,
    key: str | bytes | None = None,
) -> Store:
    """The store at a location: a path, `sqlite:///path` or `:memory:`. `witness` is told of every write.

    `key` is that of an encrypted store; None takes the environment's.
    """
    if location.startswith(("postgresql://", "postgres://")):
        raise InvalidInputError("location", "this version has no PostgreSQL store yet.", "Name a file.")
    path = location.removeprefix(_SQLITE) or default_location()
    if "://" in path:
        raise InvalidInputError("location", f"{location!r} is no known kind of store.", "Name a file.")
    if path == default_location():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    from combray.stores.sqlite import SqliteStore
    from combray.stores.sqlite.encryption import key_from

    given = secret(KEY) if key is None and path != ":memory:" else key
    return SqliteStore(
        path if path == ":memory:" else str(Path(os.path.expanduser(path))),  # noqa: PTH111 - Path's raises for unknown users
        durability=cast(Literal["normal", "full"], settings.durability),
        busy_timeout=settings.busy_timeout,
        read_only=read_only,
        witness=witness,
        key=None if given is None else key_from(given),
    )


def open_audit(location: str, settings: Settings, clock: Clock) -> AuditLog | None:
    """The log beside the store at a location; for a store in memory, one in memory. None: switched off."""
    if not settings.audit:
        return None
    durable = settings.durability == "full"
    path = location.removeprefix(_SQLITE) or default_location()
    if path == ":memory:":
        return AuditLog(MemoryChain(), clock=clock, key=Key(None), durable=durable)
    path = f"{Path(os.path.expanduser(path))}.audit"  # noqa: PTH111 - Path's raises for unknown users
    anchor = AnchorFile(settings.audit_anchor, path) if settings.audit_anchor else None
    return AuditLog(FileChain(path), clock=clock, key=Key(f"{path}-key"), anchor=anchor, durable=durable)


def offers() -> list[Offer]:
    """All that the settings of models and peers may name."""
    from combray.models import catalogue
    from combray.peers import offers

    return [*catalogue.offers(), *offers()]


def open_model(kind: str, settings: Settings) -> Embedder | Reranker | LanguageModel | None:
    """The embedder, reranker or language model that the settings name. Raises InvalidInputError, ModelError."""
    if kind == "embedder":
        return embedder(settings.embedder)
    return reranker(settings.reranker) if kind == "reranker" else language_model(settings.language_model)


def fetch_model(spec: str, progress: Progress | None) -> Fetched:
    """Download a model of the hub into its cache. Raises InvalidInputError, ModelError, MissingExtraError."""
    from combray.models.fetching import fetch

    return fetch(spec, progress)


def peers_of(settings: Settings) -> tuple[Peer, ...]:
    """The peers that the settings name. Raises InvalidInputError."""
    return _peers(settings, time.time)[0]


def open_embedder(spec: str) -> Embedder | None:
    """The embedder a string names; None for "none". Raises InvalidInputError, ModelError."""
    return embedder(spec)


def build(
    location: str,
    settings: Settings,
    *,
    read_only: bool = False,
    clock: Clock | None = None,
    model: Embedder | None = None,
    second: Reranker | None = None,
    writer: LanguageModel | None = None,
    key: str | bytes | None = None,
) -> Runtime:
    """A runtime with the store open.

    `model`, `second` and `writer` stand in for the embedder, reranker and language model that the settings name.
    """
    if settings.languages:
        # Before the store is opened: its keyword index depends on the languages.
        add_languages(Path(settings.languages).expanduser())
    now = clock or time.time
    chosen = model if model is not None else embedder(settings.embedder)
    chosen = chosen and watched(chosen, WatchedEmbedder, now)
    before = chosen and _before(chosen, settings, now)
    second = second if second is not None else reranker(settings.reranker)
    second = second and watched(second, WatchedReranker, now)
    writer = writer if writer is not None else language_model(settings.language_model)
    writer = writer and watched(writer, WatchedLanguageModel, now)
    peers, start = _peers(settings, now)
    log = open_audit(location, settings, now)
    store = open_store(location, settings, read_only=read_only, witness=log, key=key)
    return Runtime(
        store=store,
        embedder=chosen,
        reranker=second,
        language_model=writer,
        clock=now,
        peers=peers,
        start=start,
        service_tier=ServiceTier(store, chosen, writer, now),
        audit=log,
        before=before,
    )


def _before(chosen: Embedder, settings: Settings, clock: Clock) -> Embedder | None:
    """The embedder that serves until all memories have a vector of the chosen one: usually the one by default."""
    try:
        found = embedder(settings.embedder_before or DEFAULT_EMBEDDER)
    except InvalidInputError as error:
        raise InvalidInputError("embedder_before", error.problem, error.remedy) from None
    return None if found is None or found.name == chosen.name else watched(found, WatchedEmbedder, clock)


def _peers(settings: Settings, clock: Clock) -> tuple[tuple[Peer, ...], Start]:
    if not settings.peers:
        return (), at_once
    from combray.peers import open_peers

    start = Background("combray-peer", threads=MOST_PEER_CALLS, waiting=0, joins=False)
    return open_peers(settings.peers, settings.peer_timeout, clock), start
