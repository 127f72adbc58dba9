"""The least an import needs of an engine: validate, skip what is known, insert, link to the latest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from combray.forms.remembering import Remembering
from combray.remember.guard import Guard
from combray.remember.validate import Validate
from combray.runtime import Arrival, Link, Runtime, Store
from combray.testing.fakes import FakeClock, FakeEmbedder
from combray.testing.reference import ReferenceStore
from combray.types import MemoryItem, Remembered


@dataclass
class SmallEngine:
    namespace: str = "default"
    store: Store = field(default_factory=ReferenceStore)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    clock: FakeClock = field(default_factory=FakeClock)
    guard: Guard = field(default_factory=Guard)

    @property
    def runtime(self) -> Runtime:
        return Runtime(self.store, self.embedder, clock=self.clock)

    def within(self, namespace: str) -> SmallEngine:
        return SmallEngine(namespace, self.store, self.embedder, self.clock)

    def remember_many(
        self,
        items: Iterable[str | MemoryItem],
        *,
        diff: bool = True,
        batch: int = 256,
        progress: Callable[[int], None] | None = None,
        judged_as: str = "",
        atomic: bool = False,
    ) -> list[Remembered]:
        given = [{"content": item} if isinstance(item, str) else item for item in items]
        state = Remembering(self.namespace, list(given), self.clock(), atomic=atomic)
        drafts = Validate()(state, Runtime(self.store)).drafts
        with self.store.transaction(self.namespace) as tx:
            for draft in drafts:
                memory = draft.memory
                known = tx.live_with_hash([memory.content_hash]) if diff and memory.kind != "episode" else {}
                if known:
                    draft.suggestion = "DUPLICATE"
                    draft.replaced_id = tx.memories(known.values())[0].id
                    continue
                before = tx.latest(1, source=memory.source, before=memory.moment.timestamp())
                (vector,) = self.embedder.embed([memory.content])
                (draft.key,) = tx.insert([Arrival(memory, {self.embedder.name: vector})])
                tx.link([Link(key, draft.key, "temporal", 1.0, "precedes") for key, _ in before], 0.0)
        if progress is not None:
            progress(len(given))
        return state.results()
