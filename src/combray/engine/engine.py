"""The engine: opens a state, runs a preset's pipeline on it, hands out the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from os import PathLike, fspath
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self

import msgspec

from combray import presets, wiring
from combray.audit.audited import audited
from combray.background import Background
from combray.engine.accesses import Accesses
from combray.engine.audit import Auditing
from combray.engine.consolidation import Consolidating
from combray.engine.documents import Searching
from combray.engine.memories import Keeping
from combray.engine.quarantine import Guarding
from combray.engine.store import Tending
from combray.engine.vectors import Embedding
from combray.errors import InvalidInputError
from combray.recall.asking import SEARCH_TYPES, Asking
from combray.remember.state import Remembering
from combray.runtime import Clock, Embedder, LanguageModel, Reader, Reranker, Runtime, ServiceTier, Store
from combray.settings import load as load_settings
from combray.types import Answer, Remembered
from combray.values import one_of, whole

if TYPE_CHECKING:
    from combray.conversation.turns import Conversation
    from combray.language.token_count import TokenCounter
    from combray.prompt.budget import Context
    from combray.think.thought import Thought

BATCH = 256
MAX_BATCH = 100_000


def open(
    location: str | PathLike[str] | None = None,
    *,
    namespace: str | None = None,
    preset: str | presets.Preset | None = None,
    embedder: str | Embedder | None = None,
    reranker: str | Reranker | None = None,
    language_model: str | LanguageModel | None = None,
    read_only: bool = False,
    durability: str | None = None,
    clock: Clock | None = None,
    worker: bool | None = None,
    key: str | bytes | None = None,
) -> Engine:
    """Open (or make) a memory store and the engine on it.

    `location`: a path, `sqlite:///path` or `:memory:`; None takes the setting COMBRAY_DB, or a file in the
    per-user data folder. None anywhere takes the setting. `preset` may be one of your own making;
    `embedder`, `reranker` and `language_model` objects with the methods of `runtime.Embedder` and its like.
    `worker`: vectors that wait are made in the background, and after the embedder was changed those of all
    memories; None does so after such a change only, False never. `key`: the file is encrypted (extra
    `encryption`) with these 32 bytes, or with this passphrase; None takes the environment's COMBRAY_KEY or
    COMBRAY_KEY_FILE.

    Raises InvalidInputError, StoreError and its kinds, ModelError.
    """
    by_name = preset if isinstance(preset, str) else None
    settings = load_settings(
        {
            "db": None if location is None else fspath(location),
            "namespace": namespace,
            "preset": by_name,
            "embedder": embedder if isinstance(embedder, str) else None,
            "reranker": reranker if isinstance(reranker, str) else None,
            "language_model": language_model if isinstance(language_model, str) else None,
            "durability": durability,
            "worker": worker,
        }
    )
    chosen = preset if isinstance(preset, presets.Preset) else presets.load(settings.preset)
    runtime = wiring.build(
        settings.db,
        settings,
        read_only=read_only,
        clock=clock,
        model=None if isinstance(embedder, str) else embedder,
        second=None if isinstance(reranker, str) else reranker,
        writer=None if isinstance(language_model, str) else language_model,
        key=key,
    )
    engine = Engine(runtime, settings.namespace, chosen, msgspec.structs.asdict(settings))
    wanted = settings.worker or (settings.worker is None and engine.changed_embedder())
    if wanted and runtime.embedder is not None and runtime.store.writable:
        engine.start_worker()
    return engine


class Engine(Auditing, Consolidating, Embedding, Guarding, Keeping, Searching, Tending):
    """Memory of one namespace. Use as a context manager, or call `close`."""

    def __init__(
        self,
        runtime: Runtime,
        namespace: str,
        preset: presets.Preset,
        settings: Mapping[str, Any] = MappingProxyType({}),
        background: Background | None = None,
    ) -> None:
        if runtime.service_tier is None:
            models = (runtime.embedder, runtime.language_model)
            runtime = replace(runtime, service_tier=ServiceTier(runtime.store, *models, runtime.clock))
        self.runtime = runtime
        self.background = background or Background()
        self.namespace = check_namespace(namespace)
        self.settings = settings
        self._preset = presets.tuned(preset, settings)
        self._accesses = Accesses(runtime.store, self.namespace)

    # -- parts -------------------------------------------------------------------------------------

    @property
    def store(self) -> Store:
        """Where the memories live."""
        return self.runtime.store

    @property
    def reader(self) -> Reader:
        """A reader of this namespace."""
        return self.runtime.store.reader(self.namespace)

    @property
    def embedder(self) -> Embedder | None:
        """What turns texts into vectors, if anything does."""
        return self.runtime.embedder

    @property
    def clock(self) -> Clock:
        """The time now."""
        return self.runtime.clock

    @property
    def preset(self) -> str:
        """Name of the preset in use."""
        return self._preset.name

    def within(self, namespace: str) -> Engine:
        """An engine on another namespace of the same open store; close the first one only."""
        return Engine(self.runtime, namespace, self._preset, self.settings, self.background)

    # -- writing -----------------------------------------------------------------------------------

    @audited("remember", reads=False)
    def remember(self, text: str, *, diff: bool = True, **fields: Any) -> Remembered:
        """Remember one text.

        Fields: category, importance (1-5), confidence (0-1), tags, entities, source, author, kind, context,
        occurred_at, occurred_to, valid_from, valid_to, expires_at, session, position, trust, metadata. Times
        are datetimes, ISO 8601, or words ("3 days ago"). `diff=False` stores it whatever is known already.
        Raises InvalidInputError (nothing is written then) and StoreError.
        """
        twice = sorted({"content", "text"} & fields.keys())
        if twice:
            raise InvalidInputError(
                twice[0], "is given beside the text.", "Give the text once, as the first argument."
            )
        return self._write([{"content": text, **fields}], diff, suggest=True)[0]

    @audited("remember_many", reads=False)
    def remember_many(
        self,
        items: Iterable[str | Mapping[str, Any]],
        *,
        diff: bool = True,
        batch: int = BATCH,
        progress: Callable[[int], None] | None = None,
        judged_as: str = "",
    ) -> list[Remembered]:
        """Remember many texts, one transaction a batch. Items are texts, or mappings with `content` and fields.

        A bad item stops its batch with nothing of it written; earlier batches stay. `progress` is called
        with the count done after each batch. `judged_as`: the trust that the guard judges all by, where that is
        less than the item's own ("untrusted" for a file of somebody else); the trust stored is the item's.
        """
        if isinstance(items, (str, bytes, Mapping)):
            raise InvalidInputError("items", f"is one {type(items).__name__}.", "Give a list of items.")
        results: list[Remembered] = []
        for some in _batches(items, whole("batch", batch, 1, MAX_BATCH)):
            normal = [{"content": item} if isinstance(item, str) else item for item in some]
            results += self._write(normal, diff, suggest=False, judged_as=judged_as)
            if progress is not None:
                progress(len(results))
        return results

    def _write(
        self, items: Sequence[Mapping[str, Any]], diff: bool, *, suggest: bool, judged_as: str = ""
    ) -> list[Remembered]:
        self._accesses.flush()
        now = self.runtime.clock()
        state = Remembering(
            self.namespace, list(items), now, diff=diff, suggest=suggest, judged_as=judged_as, trusts=self.trusts
        )
        written = self._preset.remember.run(state, self.runtime)
        self._wake_worker()
        return written.results()

    def conversation(self, session: str) -> Conversation:
        """A conversation whose turns are stored as episodes."""
        from combray.conversation.turns import Conversation

        return Conversation(self, session)

    # -- reading -----------------------------------------------------------------------------------

    @audited("recall", asks=True)
    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        preset: str | presets.Preset | None = None,
        basic: bool = False,
        **options: Any,
    ) -> Answer:
        """The memories that answer a query, best first, with signals and reasons.

        Options: intent (WHY, WHEN, ENTITY, GENERAL), since, until, as_of (moments), categories, kinds,
        sources, authors, sessions, tags, min_score, explain. Empty with a `reason` when nothing answers.
        `basic` searches for the query as a substring. Raises InvalidInputError.
        """
        chosen = self._chosen(preset)
        asking = Asking(self.namespace, self.reader, self.runtime, self.trusts)
        answer = asking.answer(query, chosen.recall, chosen.name, limit=limit, basic=basic, options=options)
        self._accesses.note((hit.memory.id for hit in answer), self.runtime.clock())
        return answer

    @audited("search", asks=True)
    def search(self, query: str, *, limit: int = 10, **options: Any) -> Answer:
        """Keyword search only: the share of the query's words that a memory holds."""
        asking = Asking(self.namespace, self.reader, self.runtime, self.trusts)
        return asking.answer(
            query, asking.keyword_pipeline(), "search", limit=limit, basic=False, options=options
        )

    def search_memory(self, query: str, search_type: str = "both", limit: int = 5) -> Answer:
        """The tool of the semantic-facts page: facts (what is held true), episodes (what happened), or both.

        Answers with the engine's own preset. Raises InvalidInputError.
        """
        chosen = one_of("search_type", search_type, tuple(SEARCH_TYPES))
        return self.recall(query, limit=limit, kinds=SEARCH_TYPES[chosen])

    @audited("context", asks=True)
    def context(
        self,
        query: str,
        budget: int | None = None,
        *,
        counter: TokenCounter | None = None,
        limit: int = 20,
        **options: Any,
    ) -> Context:
        """What answers a query as text for a prompt: numbered memories with date and id, fenced as data.

        At most `budget` tokens by `counter` (None: the setting `context_budget`, and an estimate); what found no
        room is in `dropped`. Options are those of `recall`; quarantined memories are refused. Raises
        InvalidInputError.
        """
        from combray.prompt.context import answer_context

        return answer_context(self, query, budget, counter=counter, limit=limit, options=options)

    @audited("think", asks=True)
    def think(
        self,
        question: str,
        *,
        limit: int = 8,
        preset: str | presets.Preset | None = None,
        budget: int | None = None,
        **options: Any,
    ) -> Thought:
        """One answer from memory, each sentence with the number of the memory it was checked against.

        A language model writes it from at most `budget` tokens of memories (None: the setting `context_budget`);
        without one, or where nothing it says stands the check, the memories' own sentences are the answer. Where
        nothing answers, `known` is False. Options are those of `recall`; nothing is stored. Raises
        InvalidInputError.
        """
        from combray.think.thinking import think

        return think(self, question, limit=limit, preset=preset, budget=budget, options=options)

    def _chosen(self, preset: str | presets.Preset | None) -> presets.Preset:
        if preset is None:
            return self._preset
        return presets.tuned(presets.load(preset) if isinstance(preset, str) else preset, self.settings)

    # -- closing -----------------------------------------------------------------------------------

    def close(self) -> None:
        """Stop what runs in the background, write what is pending and release the store."""
        self.background.close()
        self.stop_worker()
        self._accesses.flush()
        self.runtime.store.close()
        if self.runtime.audit is not None:
            self.runtime.audit.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def check_namespace(name: str) -> str:
    """A usable namespace name. Raises InvalidInputError."""
    if not name or name.strip() != name or len(name) > 200 or not name.isprintable():
        raise InvalidInputError(
            "namespace",
            f"{name!r} cannot be used.",
            "Give 1 to 200 printable characters without spaces around.",
        )
    return name


def _batches(items: Iterable[str | Mapping[str, Any]], size: int) -> Iterator[list[str | Mapping[str, Any]]]:
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some
