"""Settings to a runtime: the only module that knows which stores and models there are."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from combray import models
from combray.audit.chain import FileChain, MemoryChain
from combray.audit.log import AnchorFile, AuditKey, AuditLog
from combray.errors import InvalidInputError, MissingExtraError
from combray.folders import data_folder
from combray.language.tables import add_folder as add_languages
from combray.models.breaker import watched
from combray.runtime import (
    Clock,
    Embedder,
    Judge,
    LanguageModel,
    Peer,
    Reranker,
    Runtime,
    Store,
    TokenEmbedder,
    Witness,
    WordVectors,
    at_once,
    plugins,
)
from combray.runtime.background import Background
from combray.settings import DEFAULT_EMBEDDER, KEY, Settings, default_location, secret
from combray.values import read_zone, without_password

if TYPE_CHECKING:
    from combray.models.fetching import Fetched as Fetched
    from combray.models.fetching import Progress as Progress
    from combray.models.services import Offer as Offer

_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")
MOST_PEER_CALLS = 16
"""Concurrent calls to peers."""
_OURS: Mapping[str, tuple[Iterable[str], Callable[[str], Any]]] = {
    "embedder": (models.EMBEDDERS, models.embedder),
    "reranker": (models.RERANKERS, models.reranker),
    "judge": (models.JUDGES, models.judge),
    "language_model": (models.LANGUAGE_MODELS, models.language_model),
}
"""Kinds of models that packages may add to: Combray's own specs, and what opens one."""


def open_store(
    location: str,
    settings: Settings,
    *,
    read_only: bool = False,
    witness: Witness | None = None,
    key: str | bytes | None = None,
) -> Store:
    """Open the store at a location: a path, `sqlite:///path`, `:memory:` or `postgresql://…`.

    `witness` is called once per transaction. `key` decrypts an encrypted store; None uses the environment's.
    """
    path = location.removeprefix(_SQLITE) or default_location()
    common: dict[str, Any] = {"read_only": read_only, "busy_timeout": settings.busy_timeout, "witness": witness}
    if path.startswith(_POSTGRES):
        return _open_postgres(path, settings, key, common)
    if "://" in path:
        found: Store | None = plugins.make(
            "store",
            path.partition("://")[0],
            path,
            durability=settings.durability,
            key=secret(KEY) if key is None else key,
            **common,
        )
        if found is None:
            shown = without_password(location)
            raise InvalidInputError(
                "location", f"{shown!r} is not a known kind of store.", "Name a file or postgresql://…."
            )
        return found
    if path == default_location():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    from combray.stores.sqlite import SqliteStore
    from combray.stores.sqlite.encryption import key_from

    given = secret(KEY) if key is None and path != ":memory:" else key
    return SqliteStore(
        path if path == ":memory:" else str(_file(path)),
        durability=cast(Literal["normal", "full"], settings.durability),
        key=None if given is None else key_from(given),
        **common,
    )


def _file(path: str) -> Path:
    """Return a path in full: each connection opens it anew, and the process may have changed its folder."""
    if "\0" in path:
        raise InvalidInputError("location", "contains a NUL character.", "Name a file.")
    return Path(os.path.expanduser(path)).absolute()  # noqa: PTH111 - Path's raises for unknown users


def _open_postgres(location: str, settings: Settings, key: str | bytes | None, common: dict[str, Any]) -> Store:
    if key is not None:
        raise InvalidInputError(
            "key", "encrypts a file, not a server.", "Encrypt the server's disk: docs/howto/use-postgresql.md."
        )
    try:
        from combray.stores.postgres import PostgresStore
    except ImportError as error:
        raise MissingExtraError("PostgreSQL", "postgres") from error
    return PostgresStore(location, durability=settings.durability, replica=settings.replica or None, **common)


def open_audit(location: str, settings: Settings, clock: Clock) -> AuditLog | None:
    """Open the log beside the store; for a store in memory, one in memory. None if the audit is off."""
    if not settings.audit:
        return None
    durable = settings.durability == "full"
    path = location.removeprefix(_SQLITE) or default_location()
    if path == ":memory:":
        return AuditLog(MemoryChain(), clock=clock, key=AuditKey(None), durable=durable)
    if "://" in path:
        # The store of a plugin may have no folder.
        path = str(Path(data_folder(), f"{hashlib.sha256(path.encode()).hexdigest()[:16]}.db"))
        Path(data_folder()).mkdir(parents=True, exist_ok=True)
    path = f"{_file(path)}.audit"
    anchor = AnchorFile(settings.audit_anchor, path) if settings.audit_anchor else None
    return AuditLog(FileChain(path), clock=clock, key=AuditKey(f"{path}-key"), anchor=anchor, durable=durable)


def offers() -> list[Offer]:
    """Return every model and peer that the settings can name: Combray's own, then those of installed packages."""
    from combray.models import services
    from combray.peers import offers

    found = [each for kind in _OURS for each in plugins.installed(kind, _providers(kind))]
    return [*services.offers(), *offers(), *map(_offer, found)]


def _offer(plugin: plugins.Plugin) -> Offer:
    from combray.models.services import Offer

    problem = f"not usable: {plugin.problem}; " if plugin.problem else ""
    about = f"{problem}package {plugin.package}"
    return Offer(plugin.kind, plugin.name, about, installed=not plugin.problem)


def open_model(kind: str, spec: str) -> Any:
    """Return the model of a spec; None for "none". A package is asked if the provider is not one of ours.

    Raises InvalidInputError, ModelError, PluginError.
    """
    if kind == "guard_model":
        return models.detector(spec)
    _, opened = _OURS[kind]
    provider, _, rest = spec.partition(":")
    found = None if provider in _providers(kind) else plugins.make(kind, provider, rest)
    return opened(spec) if found is None else found


def _providers(kind: str) -> set[str]:
    return {spec.partition(":")[0] for spec in _OURS[kind][0]}


def another_embedder(given: str | Embedder, clock: Clock) -> Embedder | None:
    """Return an embedder beside the one in use, guarded as that one is. Raises as `open_model`."""
    found: Embedder | None = open_model("embedder", given) if isinstance(given, str) else given
    return found and watched(found, "embed", clock)


def fetch_model(spec: str, progress: Progress | None = None) -> Fetched:
    """Download a model of the hub. Raises InvalidInputError, ModelError, MissingExtraError."""
    from combray.models.fetching import fetch

    return fetch(spec, progress)


def peers_of(settings: Settings, clock: Clock = time.time) -> tuple[Peer, ...]:
    """Open the peers of the settings. Raises InvalidInputError."""
    if not settings.peers:
        return ()
    from combray.peers import open_peers

    return open_peers(settings.peers, settings.peer_timeout, clock)


def build(
    location: str,
    settings: Settings,
    *,
    read_only: bool = False,
    clock: Clock | None = None,
    model: Embedder | None = None,
    tokens: TokenEmbedder | None = None,
    second: Reranker | None = None,
    third: Judge | None = None,
    writer: LanguageModel | None = None,
    key: str | bytes | None = None,
) -> Runtime:
    """Build a runtime with the store open.

    `model`, `tokens`, `second`, `third` and `writer` replace embedder, late interaction, reranker, judge and
    language model of the settings.
    """
    if settings.languages:
        # Before the store is opened: its keyword index depends on the languages.
        add_languages(Path(settings.languages).expanduser())
    now, zone = clock or time.time, read_zone(settings.timezone)

    def opened(kind: str, given: Any) -> Any:
        found = given if given is not None else open_model(kind, getattr(settings, kind))
        return found and watched(found, plugins.VERBS[kind], now)

    chosen: Embedder | None = opened("embedder", model)
    before = chosen and _before(chosen, settings, now)
    judge = opened("judge", third)
    tokens = tokens if tokens is not None else models.token_embedder(settings.late_interaction)
    tokens = tokens and watched(tokens, "embed_tokens", now)
    reranker, language_model = opened("reranker", second), opened("language_model", writer)
    peers = peers_of(settings, now)
    start = Background("combray-peer", threads=MOST_PEER_CALLS, waiting=0, joins=False) if peers else at_once
    detector = models.detector(settings.guard_model) if settings.guard else None
    log = open_audit(location, settings, now)
    # Last: what cannot be opened leaves no store open.
    store = open_store(location, settings, read_only=read_only, witness=log, key=key)
    store.zone = zone
    return Runtime(
        store=store,
        embedder=chosen,
        reranker=reranker,
        language_model=language_model,
        judge=judge,
        clock=now,
        zone=zone,
        peers=peers,
        start=start,
        audit=log,
        before=before,
        words=_words(chosen),
        tokens=tokens,
        detector=detector,
    )


def _words(chosen: Embedder | None) -> WordVectors | None:
    """Return remembered vectors of words, if the embedder is a static table of this process."""
    if chosen is None or chosen.contextual or chosen.leaves_process:
        return None
    from combray.models.wordllama import RememberedWords

    return RememberedWords(chosen)


def _before(chosen: Embedder, settings: Settings, clock: Clock) -> Embedder | None:
    """Return the embedder to use until every memory has a vector of the chosen one."""
    try:
        found: Embedder | None = open_model("embedder", settings.embedder_before or DEFAULT_EMBEDDER)
    except InvalidInputError as error:
        raise InvalidInputError("embedder_before", error.problem, error.remedy) from None
    return None if found is None or found.name == chosen.name else watched(found, "embed", clock)
