"""Idempotency keys: what a write did is kept in the transaction that does it, and a repeated request finds it.

A receipt holds numbers and hashes, neither text nor ids: the answer to a repeated request is read from the
memories, and what is erased leaves no trace in it. Receipts lie in the values that a namespace keeps
(`runtime.Writer.keep`), in BUCKETS buckets by the key's hash, so the table stays small. The store's write lock
makes requests with one key take turns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, cast

import msgspec
import numpy as np

from combray.engine.engine import Engine
from combray.errors import NotFoundError
from combray.records import dataclass, field
from combray.runtime import Clock
from combray.runtime.calls import is_brief, looking, within
from combray.runtime.store import Store, Writer
from combray.types import Remembered

BUCKETS = 4096
SECONDS = 86_400.0
"""How long a receipt is kept at least."""
MOST = 64
"""Receipts of one bucket; 4096 buckets are full after about 100,000 keys in a day."""

_Item = tuple[int, str, str, int]
"""Key of the memory, action, suggestion of the diff, and key of the memory that it replaced, or 0."""


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """A receipt as it is stored: hash of the key, hash of the request, when, and what became of each text."""

    key: str
    request: str
    at: float
    items: tuple[_Item, ...] = ()


_read = msgspec.json.Decoder(list[Kept]).decode


class RepeatedError(Exception):
    """The request was carried out before: nothing was written now."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept
        super().__init__("repeated")


@dataclass(slots=True)
class Receipt:
    """The receipt of one request."""

    key: str
    request: str
    made: list[Remembered] = field(default_factory=list)
    written: bool = False

    @classmethod
    def of(cls, caller: str, key: str, request: bytes) -> Receipt:
        """Make the receipt of a request. `request`: its method, path and arguments."""
        name = hashlib.sha256(f"{caller}\n{key}".encode()).hexdigest()
        return cls(name[:32], hashlib.sha256(name.encode() + request).hexdigest()[:32])

    @property
    def place(self) -> str:
        """Name of the kept value that holds it."""
        return f"receipts:{int(self.key[:8], 16) % BUCKETS}"

    def known(self, text: str) -> Kept | None:
        """Return the receipt of the same key in a bucket."""
        return next((each for each in _opened(text) if each.key == self.key), None)

    def put(self, tx: Writer, now: float) -> None:
        """Keep it in the transaction, in place of receipts that are old."""
        others = [each for each in _opened(tx.kept(self.place)) if now - each.at < SECONDS][-MOST + 1 :]
        named = {each for made in self.made for each in (made.id, made.replaced_id) if each}
        keys = tx.keys_of(sorted(named))
        items = tuple(
            (keys.get(each.id, 0), each.action, each.diff_suggestion, keys.get(each.replaced_id or "", 0))
            for each in self.made
        )
        mine = Kept(self.key, self.request, now, items)
        tx.keep(self.place, msgspec.json.encode([*others, mine]).decode())
        self.written = True

    def look(self, state: object) -> None:
        """Note what became of the texts of a pipeline that writes."""
        results = getattr(state, "results", None)
        self.made += results() if results is not None else []


def _opened(text: str) -> list[Kept]:
    return _read(text) if text else []


_WANTED: ContextVar[Receipt | None] = ContextVar("wanted_receipt", default=None)


@contextmanager
def receipted(receipt: Receipt | None) -> Iterator[None]:
    """Keep the receipt with the block's first transaction, which raises RepeatedError if it is kept already.

    A write first stores the counts of the recalls before it. That transaction keeps no receipt: it holds nothing
    of the request, which could then be carried out twice.
    """
    if receipt is None:
        yield
        return
    with within(_WANTED, receipt), looking(receipt.look):
        yield


def receipting(store: Store, clock: Clock) -> Store:
    """Return the same open store, whose transactions keep the receipt that is wanted.

    It is an instance of the store's class with the state of the store: protocols are checked by class, so an
    object that only passes calls on would not do.
    """

    class Receipting(type(store)):  # type: ignore[misc]
        @contextmanager
        def transaction(self, namespace: str) -> Iterator[Writer]:
            receipt = _WANTED.get()
            with super().transaction(namespace) as tx:
                if receipt is None or receipt.written or is_brief():
                    yield tx
                    return
                if (kept := receipt.known(tx.kept(receipt.place))) is not None:
                    raise RepeatedError(kept)
                yield tx
                receipt.put(tx, clock())

    made: Store = object.__new__(Receipting)
    made.__dict__ = store.__dict__
    return made


def repeated_result(engine: Engine, returned: str, kept: Kept, path: Mapping[str, str]) -> Any:
    """Return what a repeated request answers, or None if the verb should run again, which changes nothing.

    `returned`: the type that the verb returns, in words. Raises NotFoundError if it was erased.
    """
    keys = [key for each in kept.items for key in (each[0], each[3])]
    ids = engine.reader.ids(np.array(keys, dtype=np.int64)) if keys else []
    if any(not known and each[1] != "refused" for each, known in zip(kept.items, ids[::2], strict=True)):
        raise NotFoundError("the request was carried out, and what it stored was erased since.")
    if kept.items and "Remembered" in returned:
        made = [
            Remembered(
                id=known,
                action=cast(Literal["added"], each[1]),
                diff_suggestion=cast(Literal["ADD"], each[2]),
                replaced_id=replaced or None,
                not_embedded="answered from the receipt of the first request",
            )
            for each, known, replaced in zip(kept.items, ids[::2], ids[1::2], strict=True)
        ]
        return made if returned.startswith("list") else made[0]
    if kept.items and "Memory" in returned:
        memories = [engine.get(each) for each in ids[::2]]
        return memories if returned.startswith("list") else memories[0]
    return engine.get(path["memory_id"]) if "memory_id" in path and "Memory" in returned else None
