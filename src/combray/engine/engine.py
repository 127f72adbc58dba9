"""The engine: the core verbs of the library, with facets for everything else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, Unpack, overload

from combray import presets
from combray.audit.audited import audited
from combray.engine.facets import Facets
from combray.engine.namespace import Namespace
from combray.errors import InvalidInputError
from combray.language.scopes import scope_set
from combray.recall.asking import SEARCH_TYPES
from combray.runtime import Link, Runtime
from combray.runtime.background import Background
from combray.types import (
    EDGE_TYPES,
    Answer,
    Edge,
    EdgeType,
    Memory,
    MemoryChanges,
    Page,
    RecallOptions,
    Verdict,
    Version,
    Where,
)
from combray.values import MAX_REASON, MAX_SUBTYPE, clean_text, one_of

if TYPE_CHECKING:
    from combray.audit.erasure import Certificate
    from combray.conversation.extraction import Extracted
    from combray.conversation.turns import Conversation
    from combray.engine.changes import Changed, Several, SeveralErased
    from combray.engine.graph import Related
    from combray.engine.requests import AskedErased, ForgetOptions, Taken
    from combray.engine.settling import Pairs, Replaced, Settled
    from combray.language.model_tokens import TokenCounter
    from combray.prompt.budget import Context
    from combray.prompt.formats import Format
    from combray.think.thought import Thought


# `list` is a verb of the engine: within its class the name no longer means the type.
Ids = list[str] | tuple[str, ...]
Versions = list[Version]
Neighbours = list["Related"]
Chain = list["Replaced"]


class Engine(Facets):
    """Memory of one namespace. Use as a context manager, or call `close`. Safe for threads.

    Facets: `documents` (folders of Markdown and transcripts), `audit` (who read and wrote what), `quarantine`
    (texts that the guard quarantined), `vectors` (the embedding queue and its worker), `consolidation` (merging,
    contradictions, distillation), `retention` (memories to drop or keep), `store` (status, backup, export).
    """

    def __init__(
        self,
        runtime: Runtime,
        namespace: str,
        preset: presets.Preset,
        settings: Mapping[str, Any] = MappingProxyType({}),
        background: Background | None = None,
    ) -> None:
        at = Namespace(runtime, namespace, preset, settings, background)
        super().__init__(at)

    def within(self, namespace: str) -> Engine:
        """An engine on another namespace of the same open store. Close only the first engine."""
        at = self._at
        made = Engine(at.runtime, namespace, at.preset, at.settings, at.background)
        made._at.wake_extraction = lambda: self.extraction.wake()
        return made

    def conversation(self, session: str) -> Conversation:
        """A conversation whose turns are stored as episodes."""
        from combray.conversation.turns import Conversation

        return Conversation(self, session, self._at.background, lambda: self.extraction.wake())

    @audited("extract", reads=False)
    def extract(
        self, messages: Iterable[str | Mapping[str, Any]] = (), *, session: str | None = None
    ) -> Extracted:
        """Store messages of a chat as turns and let the language model read them for facts now.

        Messages are mappings with `role` and `content`, or texts of the user. `session` joins them to an earlier
        conversation. If the model fails, the turns are stored and wait in the queue: `stopped` and `error` say
        why, and the background worker, consolidation or `extraction.read` goes on. Without messages, what is due
        is read. Raises InvalidInputError, StoreError.
        """
        from combray.engine.extraction import extract

        return extract(self._at, messages, session) if messages else self.extraction.read()

    def search_memory(
        self,
        query: str,
        search_type: str = "both",
        limit: int = 5,
        *,
        namespaces: Sequence[str] | None = None,
    ) -> Answer:
        """Recall "facts" (what is true), "episodes" (what happened), or "both". Raises InvalidInputError."""
        chosen = one_of("search_type", search_type, tuple(SEARCH_TYPES))
        return self.recall(query, limit=limit, namespaces=namespaces, kinds=SEARCH_TYPES[chosen])

    @audited("context", asks=True)
    def context(
        self,
        query: str,
        budget: int | None = None,
        *,
        counter: TokenCounter | None = None,
        limit: int = 20,
        namespaces: Sequence[str] | None = None,
        exclude: Iterable[str] = (),
        messages: Iterable[str | Memory | Mapping[str, Any]] = (),
        session: str | None = None,
        format: Format = "text",
        sure: bool = False,
        characters: int | None = None,
        **options: Unpack[RecallOptions],
    ) -> Context:
        """Recall memories as text for a prompt: numbered, with source, date and id, marked as data.

        At most `budget` tokens by `counter` (None: the setting `context_budget`, and an estimate), and at most
        `characters`. `format` is text, markdown, xml or json. Left out is what the prompt holds: the query, the
        ids in `exclude`, what `messages` hold (texts, memories, or mappings with `content`), and, with a
        `session`, what an earlier context of that session held; the store remembers it. `dropped` lists what was
        left out or does not fit, `state` counts the hits that `keep` dropped. Quarantined memories are refused.
        With `sure` weak evidence gives nothing, as in `think`. `namespaces` reads several namespaces. Raises
        InvalidInputError.
        """
        from combray.prompt.context import Prompt, answer_context

        prompt = Prompt(counter, limit, namespaces, exclude, messages, session, format, sure, characters)
        return answer_context(self, query, budget, prompt, options)

    @audited("think", asks=True)
    def think(
        self,
        question: str,
        *,
        limit: int = 8,
        preset: str | presets.Preset | None = None,
        budget: int | None = None,
        namespaces: Sequence[str] | None = None,
        **options: Unpack[RecallOptions],
    ) -> Thought:
        """Answer a question from memory; each sentence cites the memory it was checked against.

        A language model writes the answer from at most `budget` tokens of memories (None: the setting
        `context_budget`). Without a model, or if nothing it says passes verification, the answer consists of
        the memories' own sentences. `known` is False if no memory answers. `namespaces` reads several namespaces
        of the store instead of this one. Stores nothing. Raises InvalidInputError.
        """
        from combray.think.answer import think

        spaces = self._at.several(namespaces)
        return think(
            self,
            spaces,
            question,
            limit=limit,
            preset=preset,
            budget=budget,
            namespaces=namespaces,
            options=options,
        )

    # -- memories by id ----------------------------------------------------------------------------

    @audited("history")
    def history(self, memory_id: str) -> Versions:
        """Every change of a memory, oldest first: who, when, what, and the fields before."""
        return self.reader.history(self._at.key_of(memory_id))

    def list(
        self,
        where: Where | None = None,
        *,
        order: str = "-recorded_at",
        limit: int = 100,
        after: str = "",
        namespaces: Sequence[str] | None = None,
    ) -> Page:
        """One page of the memories that match `where`, sorted; `after=page.cursor` gives the next one.

        Live memories, unless `where` names `status`; quarantined ones never. `order` is a field of a memory, with
        "-" in front for descending; ties go by id. A page neither repeats nor skips a memory
        when others are written in between. Raises InvalidInputError.
        """
        from combray.engine.lists import list_memories

        return list_memories(self._at, where, order=order, limit=limit, after=after, namespaces=namespaces)

    def update(
        self, memory_id: str, *, if_version: int | None = None, **changes: Unpack[MemoryChanges]
    ) -> Memory:
        """Change fields of a memory: one version row, which `restore(id, version=n)` undoes.

        New content passes the guard, is indexed and embedded again, and its entities and edges follow.
        `if_version`: change nothing unless this is the number of its last version row, 0 for a memory that was
        never changed. Raises NotFoundError, StaleVersionError, and InvalidInputError for content that another
        live memory has already.
        """
        from combray.engine.changes import update

        return update(self._at, memory_id, changes, if_version)

    @overload
    def forget(self, memory_id: str) -> Memory: ...
    @overload
    def forget(self, memory_id: Ids | None = None, **several: Unpack[Several]) -> Changed: ...
    @overload
    def forget(self, *, about: str, **asked: Unpack[ForgetOptions]) -> Taken: ...
    def forget(self, memory_id: str | Ids | None = None, **how: Any) -> Memory | Changed | Taken:
        """Hide memories from every read; `restore` brings them back, `erase` destroys them.

        One id, a list of ids, or the live memories that match `where`. A filter needs `confirm`, the count
        that a dry run reports. Facts that Combray made of them alone are hidden with them. All change in one
        transaction. Raises NotFoundError, InvalidInputError.

        `about` takes a request instead: an identifier ("the SSN 123-45-6789"), a name ("everything about Acme")
        or a description ("my old address"). Without `confirm` it only shows what it would take (`Taken`).
        """
        from combray.engine import changes, requests

        if requests.asks(memory_id, how, requests.ForgetOptions):
            return requests.forget(self._at, **how)
        return changes.forget(self._at, memory_id, **requests.without_words(how))

    @overload
    def restore(self, memory_id: str, *, version: int | None = None) -> Memory: ...
    @overload
    def restore(self, memory_id: Ids | None = None, **several: Unpack[Several]) -> Changed: ...
    def restore(
        self, memory_id: str | Ids | None = None, *, version: int | None = None, **several: Unpack[Several]
    ) -> Memory | Changed:
        """Make forgotten, superseded, merged or deprecated memories active again, beside what replaced them.

        A merged one takes its own evidence back (`consolidation.undo_merge`). `version` instead undoes every
        change of one memory from that version on. A filter that does not name `status` selects forgotten
        memories, and needs `confirm`. Raises NotFoundError, InvalidInputError.
        """
        from combray.engine import changes as changing

        if version is None:
            return changing.restore(self._at, memory_id, **several)
        if not isinstance(memory_id, str) or several:
            raise InvalidInputError("version", "needs one id.", "Restore versions of one memory at a time.")
        return changing.restore_version(self._at, memory_id, version)

    @overload
    def erase(
        self,
        memory_id: str,
        *,
        derived: bool = False,
        prove: bool = False,
        also: Sequence[str | PathLike[str]] = (),
    ) -> Certificate | None: ...
    @overload
    def erase(self, memory_id: Ids | None = None, **several: Unpack[SeveralErased]) -> Changed: ...
    @overload
    def erase(self, *, about: str, **asked: Unpack[AskedErased]) -> Taken: ...
    def erase(self, memory_id: str | Ids | None = None, **how: Any) -> Certificate | Changed | Taken | None:
        """Destroy memories and every trace of them in the file. Cannot be undone; backups keep their copies.

        One id, a list of ids, or all that match `where`, of any status and trust; a filter needs
        `confirm`, the count that a dry run reports. Memories that Combray made from them (consolidation,
        auto-memory) are erased with them; `derived` also erases memories that cite them as evidence. `prove` then
        searches every file of the store for their bytes, and older copies too: those beside the store, those
        recorded in the audit, and `also`. It gives one certificate and records it in the audit. `about` takes a
        request as `forget` does. Raises NotFoundError, InvalidInputError, StoreError.
        """
        from combray.engine import changes, requests

        if requests.asks(memory_id, how, requests.AskedErased):
            return requests.erase(self._at, **how)
        return changes.erase(self._at, memory_id, **requests.without_words(how))

    @audited("settle", reads=False)
    def settle(
        self, new: str, old: str, verdict: Verdict, reason: str = "", *, all_earlier: bool = False
    ) -> Settled:
        """Settle which of two memories holds, for a pair that `remember` asked about or any other.

        "supersedes": the new one replaces the old one. "corrects": the same, and the old one was never true.
        "same": the old one is merged into the new one. "both": both hold, and nobody is asked again.
        "open" takes the verdict on the two back. `all_earlier` gives the same answer for every earlier value of
        the slot that the new one states, by its author (`Hit.earlier`; `others` of the result).
        Raises NotFoundError, and InvalidInputError for a verdict that contradicts what is stored.
        """
        from combray.engine import settling

        return settling.settle(self._at, new, old, verdict, reason, all_earlier)

    @audited("unsettled")
    def unsettled(self, limit: int = 20, *, left_open: bool = False) -> Pairs:
        """Pairs of live memories of which the later may change the earlier one, best score first.

        `left_open`: only those that a caller has settled as open. `due` of the list says for how many memories of
        large batches the next consolidation has still to find pairs.
        """
        from combray.engine import settling

        return settling.unsettled(self._at, limit, left_open)

    @audited("chain")
    def chain(self, memory_id: str) -> Chain:
        """What a memory replaced and what replaced it, earliest first, with verdicts and reasons."""
        from combray.engine import settling

        return settling.chain(self._at, memory_id)

    @audited("link", reads=False)
    def link(
        self,
        source: str,
        target: str,
        *,
        type: EdgeType = "semantic",
        weight: float = 0.5,
        subtype: str = "",
        reason: str = "",
    ) -> Edge:
        """Link two memories by hand. A causal edge runs from cause to effect. Weight is 0-1."""
        kind = one_of("type", type, EDGE_TYPES)
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0.0 <= weight <= 1.0:
            raise InvalidInputError("weight", f"{weight!r} is out of range.", "Use 0 to 1.")
        clean_text("reason", reason, MAX_REASON)
        clean_text("subtype", subtype, MAX_SUBTYPE)
        now = self.runtime.clock()
        with self.runtime.store.transaction(self.namespace) as tx:
            here, there = self._at.key_of(source, tx), self._at.key_of(target, tx)
            if here == there:
                raise InvalidInputError("target", "is the memory itself.", "Name another one.")
            ends = tx.memories([here, there])
            ids = [memory.id for memory in ends]
            if scope_set(ends[0].tags) != scope_set(ends[1].tags):
                problem = f"memory {ids[1]} is in another scope than {ids[0]}."
                raise InvalidInputError("target", problem, "Link memories of one scope.")
            tx.link([Link(here, there, kind, float(weight), subtype, reason, "user")], now)
            tx.note("link", ids[0], f"{kind} to {ids[1]}", now)
        return Edge(
            source=ids[0],
            target=ids[1],
            type=kind,
            subtype=subtype,
            weight=float(weight),
            reason=reason,
            created_by="user",
            created_at=datetime.fromtimestamp(now, UTC),
        )

    @audited("related")
    def related(self, memory_id: str, *, type: EdgeType | None = None, depth: int = 2) -> Neighbours:
        """Live memories within `depth` steps (1-10) in the graph, nearest first, then by weight.

        The walk stays within the scope of the memory (docs/decisions/0018).
        """
        if type is not None:
            one_of("type", type, EDGE_TYPES)
        if not isinstance(depth, int) or isinstance(depth, bool) or not 1 <= depth <= 10:
            raise InvalidInputError("depth", f"{depth!r} is out of range.", "Use 1 to 10.")
        from combray.engine.graph import related

        return related(self._at, memory_id, type, depth)

    # -- closing -----------------------------------------------------------------------------------

    def close(self) -> None:
        """Stop background work, write pending access counts and release the store."""
        self._at.background.close()
        if "vectors" in vars(self):
            self.vectors.stop_worker()
        if "extraction" in vars(self):
            self.extraction.stop_worker()
        self._at.flush()
        self.runtime.store.close()
        if self.runtime.audit is not None:
            self.runtime.audit.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
