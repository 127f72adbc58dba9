"""From settings to open stores: `open` an engine, load it with `warm_up`, `migrate` one store to another."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from importlib import import_module
from os import PathLike, fspath
from typing import TYPE_CHECKING

import msgspec

from combray import presets, wiring
from combray.audit.audited import doing
from combray.engine.engine import Engine
from combray.engine.namespace import check_namespace
from combray.errors import InvalidInputError, NotFoundError
from combray.pipeline import walk
from combray.runtime import Clock, Embedder, Judge, LanguageModel, Reranker, Runtime, TokenEmbedder
from combray.settings import Settings
from combray.settings import load as load_settings
from combray.values import without_password

if TYPE_CHECKING:
    from combray.transfer.moving import Moved, Progress

_QUESTION = "What happened last week?"
"""Asked to warm up. Holds a date, so that the grammar of dates is built too."""


def open(
    location: str | PathLike[str] | None = None,
    *,
    namespace: str | None = None,
    preset: str | presets.Preset | None = None,
    models: str | None = None,
    embedder: str | Embedder | None = None,
    late_interaction: str | TokenEmbedder | None = None,
    reranker: str | Reranker | None = None,
    judge: str | Judge | None = None,
    language_model: str | LanguageModel | None = None,
    read_only: bool = False,
    durability: str | None = None,
    clock: Clock | None = None,
    worker: bool | None = None,
    key: str | bytes | None = None,
    replica: str | None = None,
    timezone: str | None = None,
) -> Engine:
    """Open a memory store, creating it if needed, and return the engine on it.

    `location` is a path, `sqlite:///path`, `:memory:`, `postgresql://…`, or `https://host:port` of a server
    (`combray serve`), which has the models; then `key` is the server's, or COMBRAY_SERVER_KEY. None takes the
    setting COMBRAY_DB, or a file in the per-user data folder. Every other argument left at None takes its
    setting too. `preset` is a name or a `Preset`. `models="local"` takes the listed models of this
    machine (`combray models fetch local`). Models are specs, or objects with the methods of `runtime.Embedder`,
    `TokenEmbedder`, `Reranker`, `Judge` and `LanguageModel`. `worker` makes queued vectors in a thread: None does
    so after a change of embedder and for a preset that queues its vectors, False never. `key` (32 bytes or a
    passphrase) encrypts the file, with the extra `encryption`; None takes COMBRAY_KEY or COMBRAY_KEY_FILE.
    `replica`: a server's URL, for reads. `timezone`: IANA name of the zone of days ("yesterday", a date without a
    time); by default the machine's. Raises InvalidInputError, StoreError and its subclasses, ModelError.
    """
    specs: dict[str, object] = {"preset": preset, "embedder": embedder, "late_interaction": late_interaction}
    specs |= {"reranker": reranker, "judge": judge, "language_model": language_model}
    given = {"models": models, "namespace": namespace, "durability": durability, "worker": worker}
    given |= {"db": None if location is None else fspath(location), "replica": replica, "timezone": timezone}
    settings = load_settings(given | {name: spec for name, spec in specs.items() if isinstance(spec, str)})
    if settings.db.startswith(("http://", "https://")):
        return _of_server(settings, key, objects=(*specs.values(), clock))
    chosen = preset if isinstance(preset, presets.Preset) else presets.load(settings.preset)
    check_namespace(settings.namespace)
    runtime = wiring.build(
        settings.db,
        settings,
        read_only=read_only,
        clock=clock,
        model=None if isinstance(embedder, str) else embedder,
        tokens=None if isinstance(late_interaction, str) else late_interaction,
        second=None if isinstance(reranker, str) else reranker,
        third=None if isinstance(judge, str) else judge,
        writer=None if isinstance(language_model, str) else language_model,
        key=key,
    )
    return _engine(runtime, settings, chosen)


def _engine(runtime: Runtime, settings: Settings, preset: presets.Preset) -> Engine:
    """Return the engine with its worker. If that fails, the store is closed again."""
    try:
        engine = Engine(runtime, settings.namespace, preset, msgspec.structs.asdict(settings))
        if _needs_worker(engine, settings, preset):
            engine.vectors.start_worker()
    except BaseException:
        runtime.store.close()
        if runtime.audit is not None:
            runtime.audit.close()
        raise
    return engine


def _needs_worker(engine: Engine, settings: Settings, preset: presets.Preset) -> bool:
    """Whether a thread makes the queued vectors."""
    runtime = engine.runtime
    if settings.worker is False or runtime.embedder is None or not runtime.store.writable:
        return False
    queues = preset.queues
    if queues is None:
        from combray.remember.embed import QueueEmbedding

        queues = any(isinstance(stage, QueueEmbedding) for stage in walk(preset.remember.stages))
    return bool(settings.worker) or queues or engine.vectors.outdated()


def _of_server(settings: Settings, key: str | bytes | None, objects: Sequence[object]) -> Engine:
    """Return the engine of a server. By name, because the room that calls servers lies above this one."""
    for each in objects:
        if each is not None and not isinstance(each, str):
            problem = f"{type(each).__name__} objects work in this process, and the store is on a server."
            raise InvalidInputError("location", problem, "Set models, preset and clock where the server starts.")
    opened: Engine = import_module("combray.remote.engine").open_remote(settings, key)
    return opened


def warm_up(engine: Engine) -> None:
    """Load columns, vectors, tables and tokenizer of an engine by one question.

    The question is not recorded: neither the audit nor the access counts have it. It is not asked if a model of
    the engine leaves the process, or if there is a reranker or a peer: that may cost money.
    """
    at = engine._at
    runtime = at.runtime
    embedders = [each for each in (runtime.embedder, runtime.before) if each is not None]
    if runtime.reranker is not None or runtime.peers or any(each.leaves_process for each in embedders):
        return
    recall = at.preset.recall
    at.asking().answer(_QUESTION, recall, at.preset.name, limit=1, basic=False, options={})


def warm_up_in_background(engine: Engine) -> threading.Thread:
    """Start the warm-up in a daemon thread and return it. A failure is left to the first real call to report."""

    def work() -> None:
        # Also when the engine is closed in the middle of it.
        with suppress(Exception):
            warm_up(engine)

    thread = threading.Thread(target=work, name="combray-warm-up", daemon=True)
    thread.start()
    return thread


def migrate(
    source: str, target: str, *, namespaces: Sequence[str] = (), progress: Progress | None = None
) -> list[Moved]:
    """Copy namespaces (default: all) from one store to another, verified by count and checksum.

    `source` and `target` are locations as `combray.open` takes them. A call that was interrupted is repeated: it
    skips what is there. Raises InvalidInputError, NotFoundError, StoreError and its subclasses.
    """
    from combray.transfer.moving import move

    if source == target:
        raise InvalidInputError("target", f"{without_password(target)} is the source.", "Name another store.")
    settings = load_settings()
    log = wiring.open_audit(target, settings, time.time)
    try:
        with (
            closing(wiring.open_store(source, settings, read_only=True)) as one,
            closing(wiring.open_store(target, settings, witness=log)) as other,
            doing("migrate"),
        ):
            there = one.namespaces()
            for name in namespaces:
                if name not in there:
                    raise NotFoundError(
                        f"namespace {name!r} is not in {one.location}. It has: {', '.join(there)}."
                    )
            return [move(one, other, name, progress) for name in namespaces or there]
    finally:
        if log is not None:
            log.close()
